"""States, laws, integration methods as data, the stepper, interpolants: what moves between events.

May import: discrete, statistics, declare, errors. Start reading at `component.py`, then `system.py`, `flow.py` and
`stepper.py`.
"""

from eventide.continuous.component import Continuous, Law, law
from eventide.continuous.flow import Flow, check_limits
from eventide.continuous.methods import ENGLAND, ENGLAND_PLAIN, Method
from eventide.continuous.system import System
from eventide.continuous.variable import Variable

__all__ = [
    "ENGLAND",
    "ENGLAND_PLAIN",
    "Continuous",
    "Flow",
    "Law",
    "Method",
    "System",
    "Variable",
    "check_limits",
    "law",
]
