"""States, laws, integration methods as data, the stepper, interpolants: what moves between events.

May import: discrete, statistics, declare, errors. Start reading at `component.py`, then `motion.py` and
`march.py`.
"""

from eventide.continuous import inputs, methods
from eventide.continuous.checks import check_limits
from eventide.continuous.component import Continuous, Law, law
from eventide.continuous.flow import Flow
from eventide.continuous.linearization import Derivatives
from eventide.continuous.methods import (
    BOGACKI_SHAMPINE,
    DOP853,
    DORMAND_PRINCE,
    ENGLAND,
    ENGLAND_PLAIN,
    EULER,
    FEHLBERG,
    FEHLBERG_EXTRAPOLATED,
    HEUN3,
    KUTTA_SIMPSON,
    MIDPOINT,
    RK4,
    RK4_38,
    RK43,
    TRAPEZOID,
    Method,
    Multistep,
    Newton,
    Tableau,
    explicit,
    fixed,
    method_from_flags,
)
from eventide.continuous.motion import Motion
from eventide.continuous.path import PathIntegrator, PathState, hermite_interpolate
from eventide.continuous.rest import rest
from eventide.continuous.system import System
from eventide.continuous.tape import Fixed, Moving, Probe, Reckoned, Taken, Tape
from eventide.continuous.variable import Variable
from eventide.continuous.vectors import VectorVariable

__all__ = [
    "BOGACKI_SHAMPINE",
    "DOP853",
    "DORMAND_PRINCE",
    "ENGLAND",
    "ENGLAND_PLAIN",
    "EULER",
    "FEHLBERG",
    "FEHLBERG_EXTRAPOLATED",
    "HEUN3",
    "KUTTA_SIMPSON",
    "MIDPOINT",
    "RK4",
    "RK4_38",
    "RK43",
    "TRAPEZOID",
    "Continuous",
    "Derivatives",
    "Fixed",
    "Flow",
    "Law",
    "Method",
    "Motion",
    "Moving",
    "Multistep",
    "Newton",
    "PathIntegrator",
    "PathState",
    "Probe",
    "Reckoned",
    "System",
    "Tableau",
    "Taken",
    "Tape",
    "Variable",
    "VectorVariable",
    "check_limits",
    "explicit",
    "fixed",
    "hermite_interpolate",
    "inputs",
    "law",
    "method_from_flags",
    "methods",
    "rest",
]
