"""Declarations of components: annotations, defaults and units, and the constructor made from them.

In: the annotations of a class and the functions that give defaults. Out: its fields and a constructor. May import:
errors. Start reading at `fields.py`, then `component.py`.
"""

from eventide.declare.component import (
    GENERATED,
    ClassContents,
    Component,
    check_same_simulation,
    count_new,
    fields_of,
    make_constructor,
    mixins_of,
    refuse_late,
)
from eventide.declare.fields import (
    MISSING,
    Computed,
    ComputedVector,
    Field,
    Kept,
    Role,
    State,
    StateVector,
    Summed,
    computed,
    computed_vector,
    field,
    state,
    state_vector,
    summed,
)
from eventide.declare.reserved import fix

__all__ = [
    "GENERATED",
    "MISSING",
    "ClassContents",
    "Component",
    "Computed",
    "ComputedVector",
    "Field",
    "Kept",
    "Role",
    "State",
    "StateVector",
    "Summed",
    "check_same_simulation",
    "computed",
    "computed_vector",
    "count_new",
    "field",
    "fields_of",
    "fix",
    "make_constructor",
    "mixins_of",
    "refuse_late",
    "state",
    "state_vector",
    "summed",
]
