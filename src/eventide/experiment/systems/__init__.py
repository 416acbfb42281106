"""Systems as mathematics has them: x' = f(t, x, u(t), p), simulators that give x(t), and simulations over sets of them.

For what is one law and one state vector; a model with processes and events is a function marked `@ev.model`. Start
reading at `dynamics.py`, then `simulators.py` and `simulations.py`.
"""

from eventide.experiment.systems.costs import Assessment, Cost, squared_deviation
from eventide.experiment.systems.dynamics import Dynamics, InitialValueProblem, Signal, System, TimeSet, disturbance
from eventide.experiment.systems.simulations import Case, Replication, Simulations
from eventide.experiment.systems.simulators import Analytic, Numeric, Simulator, Stepped

__all__ = [
    "Analytic",
    "Assessment",
    "Case",
    "Cost",
    "Dynamics",
    "InitialValueProblem",
    "Numeric",
    "Replication",
    "Signal",
    "Simulations",
    "Simulator",
    "Stepped",
    "System",
    "TimeSet",
    "disturbance",
    "squared_deviation",
]
