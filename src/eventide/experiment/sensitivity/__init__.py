"""Sensitivities: how fast what a model answers changes with what it is given.

Start reading at `models.py`; then `tangents.py` and `events.py`, which carry derivatives through a run.
"""

from eventide.experiment.sensitivity.asking import sensitivity
from eventide.experiment.sensitivity.dual import UndifferentiableError
from eventide.experiment.sensitivity.linear import LinearModel, effect_of_change, eigenvalues, equilibrium, linearize
from eventide.experiment.sensitivity.results import Entry, Sensitivity

__all__ = [
    "Entry",
    "LinearModel",
    "Sensitivity",
    "UndifferentiableError",
    "effect_of_change",
    "eigenvalues",
    "equilibrium",
    "linearize",
    "sensitivity",
]
