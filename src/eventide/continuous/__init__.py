"""Components with states and laws, the flows in which they move, and the way between them and the stepper.

May import: methods, inputs, discrete, native, engine, statistics, declare, errors. Start reading at `component.py`,
then `integrator.py`.
"""

from eventide.continuous.checks import check_limits
from eventide.continuous.components.component import Continuous, Law, law
from eventide.continuous.components.variable import StateVariable, Variable
from eventide.continuous.components.vectors import VectorVariable
from eventide.continuous.flows.flow import Flow
from eventide.continuous.integrator import Integrator
from eventide.continuous.linearization import Derivatives
from eventide.continuous.system import System, system_of

__all__ = [
    "Continuous",
    "Derivatives",
    "Flow",
    "Integrator",
    "Law",
    "StateVariable",
    "System",
    "Variable",
    "VectorVariable",
    "check_limits",
    "law",
    "system_of",
]
