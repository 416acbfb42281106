"""States, laws, integration methods as data, the stepper, interpolants: what moves between events.

May import: discrete, statistics, declare, errors. Start reading at `component.py`, then `motion.py` and
`march.py`.
"""

from eventide.continuous.checks import check_limits
from eventide.continuous.component import Continuous, Law, law
from eventide.continuous.flow import Flow
from eventide.continuous.methods import (
    ENGLAND,
    ENGLAND_PLAIN,
    EULER,
    KUTTA_SIMPSON,
    RK4,
    TRAPEZOID,
    Method,
    fixed,
)
from eventide.continuous.motion import Motion
from eventide.continuous.rest import rest
from eventide.continuous.system import System
from eventide.continuous.variable import Variable
from eventide.continuous.vectors import VectorVariable

__all__ = [
    "ENGLAND",
    "ENGLAND_PLAIN",
    "EULER",
    "KUTTA_SIMPSON",
    "RK4",
    "TRAPEZOID",
    "Continuous",
    "Flow",
    "Law",
    "Method",
    "Motion",
    "System",
    "Variable",
    "VectorVariable",
    "check_limits",
    "fixed",
    "law",
    "rest",
]
