"""Sensitivities: how fast what a model answers changes with what it is given.

Start reading at `models.py`; then `tangents.py` and `events.py`, which carry derivatives through a run.
"""

from eventide.analysis.sensitivity.asking import sensitivity
from eventide.analysis.sensitivity.dual import UndifferentiableError
from eventide.analysis.sensitivity.linear import LinearModel, effect_of_change, eigenvalues, equilibrium, linearize
from eventide.analysis.sensitivity.results import Entry, Sensitivity

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
