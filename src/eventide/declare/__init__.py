"""How a component's class tells of its data: annotations, defaults, units, the constructor made from them.

May import: errors. Start reading at `fields.py`, then `component.py`.
"""

from eventide.declare.component import Component, check_same_simulation
from eventide.declare.fields import MISSING, Computed, Field, Role, State, Sum, computed, field, state, sum_

__all__ = [
    "MISSING",
    "Component",
    "Computed",
    "Field",
    "Role",
    "State",
    "Sum",
    "check_same_simulation",
    "computed",
    "field",
    "state",
    "sum_",
]
