"""How a component's class tells of its data: annotations, defaults, units, the constructor made from them.

May import: errors. Start reading at `fields.py`, then `component.py`.
"""

from eventide.declare.component import Component, check_same_simulation
from eventide.declare.fields import (
    MISSING,
    Computed,
    ComputedVector,
    Field,
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

__all__ = [
    "MISSING",
    "Component",
    "Computed",
    "ComputedVector",
    "Field",
    "Role",
    "State",
    "StateVector",
    "Summed",
    "check_same_simulation",
    "computed",
    "computed_vector",
    "field",
    "state",
    "state_vector",
    "summed",
]
