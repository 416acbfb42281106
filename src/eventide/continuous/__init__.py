"""Components with states and laws, the flows in which they move, and the way between them and the stepper.

May import: methods, inputs, discrete, native, engine, statistics, declare, errors. Start reading at `component.py`,
then `motion.py`.
"""

from eventide.continuous.checks import check_limits
from eventide.continuous.component import Continuous, Law, law
from eventide.continuous.flow import Flow
from eventide.continuous.linearization import Derivatives
from eventide.continuous.motion import Motion
from eventide.continuous.rest import rest
from eventide.continuous.system import System
from eventide.continuous.tape import Fixed, Moving, Probe, Reckoned, Taken, Tape
from eventide.continuous.variable import Variable
from eventide.continuous.vectors import VectorVariable

__all__ = [
    "Continuous",
    "Derivatives",
    "Fixed",
    "Flow",
    "Law",
    "Motion",
    "Moving",
    "Probe",
    "Reckoned",
    "System",
    "Taken",
    "Tape",
    "Variable",
    "VectorVariable",
    "check_limits",
    "law",
    "rest",
]
