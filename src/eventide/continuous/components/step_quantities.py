"""The intermediate quantities of a step, for study.

Source: Helsgaun, COMBINEDSIMULATION manual, 2.2.1.2, 3.3.11 to 3.3.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eventide.engine.codes import ABS, E0, E2, MIDDLE, REL, Y0, Y2, K
from eventide.methods.method import Method

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.methods import Multistep, Newton


class StepQuantities(NamedTuple):
    """What the method has computed for one variable in the present step.

    length      of the step, in units of time
    proposed    the length proposed for the next step
    increment   of the state over the step
    to_scale    the increment to the state at which the relative tolerance is measured; with Runge-Kutta-England that
                is the increment over half the step
    error       the estimate of the step's error; None with an implicit method, which does not keep it
    tolerance   what its absolute value may be: abs_error + rel_error * abs(state + to_scale)

    The last three are None with a method of fixed steps.
    """

    length: float
    proposed: float
    increment: float
    to_scale: float | None
    error: float | None
    tolerance: float | None


def quantities_of(
    method: Method | Multistep | Newton, length: float, proposed: float, slot: NDArray[np.float64]
) -> StepQuantities | None:
    """The quantities of a flow's present step for one slot; None if it has made no step since its last event.

    length, proposed    of the flow's present step, and for its next
    slot                its numbers, as `tables.py` names them
    """
    if not length > 0.0:
        return None
    increment = float((slot[Y2] - slot[Y0]) + (slot[E2] - slot[E0]))
    if method.is_fixed:
        return StepQuantities(length, proposed, increment, None, None, None)
    error = None
    if isinstance(method, Method):
        error = length * sum(float(weight) * float(slot[K + j]) for j, weight in enumerate(method.error))
    tolerance = float(abs(slot[ABS]) + abs(slot[REL] * slot[MIDDLE]))
    return StepQuantities(length, proposed, increment, float(slot[MIDDLE] - slot[Y0]), error, tolerance)
