"""Measured properties of a method or a law: order of consistency, stability, Lipschitz constant, cocycle property.

Source: Pannek, Simulation of mechatronic systems, Definitions 3.5, 3.16, 3.20, Remark 3.9, Theorem 3.22.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Unpack

import numpy as np

from eventide.errors import ModelError
from eventide.methods.drive import Law, StageOptions, jacobian, one_step, solve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from eventide.methods.method import Method
    from eventide.methods.tableau import Tableau

Solution: TypeAlias = "Callable[[float], ArrayLike]"
"""The exact state (n,) at a time."""
Flow: TypeAlias = "Callable[[float, float, Any], ArrayLike]"
"""Phi(t, t0, x0): the state at t of what was x0 at t0."""

_NOISE: Final = 1e-13
"""Errors below this, relative to the state, are rounding and say nothing about the order."""


def consistency_order(
    method: Method | Tableau,
    law: Law,
    solution: Solution,
    times: Sequence[float],
    steps: Sequence[float],
    **options: Unpack[StageOptions],
) -> float:
    """The slope of the error of one step over the step in logarithms, less one.

    solution    exact, by which the error is measured
    times       where the step begins: the largest error counts, as the definition is for all initial values
    steps       lengths to try; those whose error is lost in rounding are left out
    options     of the stages, see `one_step`
    Raises      ModelError if fewer than two errors remain
    """
    errors = [
        max(_distance(one_step(method, law, t, solution(t), step, **options), solution(t + step)) for t in times)
        for step in steps
    ]
    return _slope(steps, errors, solution(times[0])) - 1.0


def convergence_order(
    method: Method | Tableau,
    law: Law,
    solution: Solution,
    start: float,
    end: float,
    steps: Sequence[float],
    **options: Unpack[StageOptions],
) -> float:
    """The slope of the largest error on the grid over the step in logarithms; it equals the order of consistency.

    Raises      ModelError if fewer than two of the errors are larger than rounding
    """
    errors = []
    for step in steps:
        times, states = solve(method, law, start, solution(start), end, step, **options)
        errors.append(max(_distance(y, solution(t)) for t, y in zip(times.tolist(), states, strict=True)))
    return _slope(steps, errors, solution(end))


def stability_constant(
    method: Method | Tableau,
    law: Law,
    time: float,
    points: Sequence[ArrayLike],
    steps: Sequence[float],
    **options: Unpack[StageOptions],
) -> float:
    """The largest (|Psi(x1) - Psi(x2)| / |x1 - x2| - 1) / h over all pairs of points and all steps, maximum norm.

    An estimate from below of the constant M of stability; for Euler's method M is the Lipschitz constant of the law.
    """
    pairs = list(combinations([np.atleast_1d(np.asarray(point, dtype=np.float64)) for point in points], 2))
    if not pairs or not steps:
        raise ModelError(f"{len(points)} points and {len(steps)} steps: two points and a step are needed at least")
    return max(
        (
            _distance(one_step(method, law, time, x, step, **options), one_step(method, law, time, y, step, **options))
            / _distance(x, y)
            - 1.0
        )
        / step
        for step in steps
        for x, y in pairs
    )


def lipschitz_constant(
    law: Law, low: ArrayLike, high: ArrayLike, times: Sequence[float] = (0.0,), points: int = 256
) -> float:
    """The largest norm of the law's Jacobian over a box of states and some times: an estimate from below.

    low, high   corners (n,) of the box; it is convex, so that by the mean value theorem the largest norm is the
                Lipschitz constant there in the maximum norm
    points      of Halton's sequence in the box, beside its corners and its middle
    """
    from scipy.stats import qmc  # takes a quarter of a second to load

    lower, upper = (np.atleast_1d(np.asarray(corner, dtype=np.float64)) for corner in (low, high))
    if not np.all(lower < upper):
        raise ModelError(f"a box from {lower.tolist()} to {upper.tolist()}: each side needs a length above 0")
    inside = qmc.scale(qmc.Halton(len(lower), scramble=False).random(points), lower, upper)
    states = [lower, upper, (lower + upper) / 2, *inside]
    return max(float(np.max(np.sum(np.abs(jacobian(law, t, x)), axis=1))) for t in times for x in states)


def cocycle_defect(flow: Flow, start: float, state: ArrayLike, middle: float, end: float) -> float:
    """The difference between continuing from an intermediate point and going all the way:
    |x(t; t0, x0) - x(t; t1, x(t1; t0, x0))|.

    It vanishes for exact solutions, and for numeric ones up to their tolerance.
    """
    return _distance(flow(end, start, state), flow(end, middle, flow(middle, start, state)))


def _distance(x: ArrayLike, y: ArrayLike) -> float:
    return float(np.max(np.abs(np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64))))


def _slope(steps: Sequence[float], errors: Sequence[float], state: ArrayLike) -> float:
    floor = _NOISE * max(1.0, float(np.max(np.abs(np.asarray(state, dtype=np.float64)))))
    seen = [(step, error) for step, error in zip(steps, errors, strict=True) if error > floor]
    if len(seen) < 2:
        raise ModelError(
            f"errors {list(errors)} for steps {list(steps)}: fewer than two are larger than rounding, {floor:.1g}; "
            "take longer steps"
        )
    logs = np.log(np.array(seen))
    return float(np.polynomial.polynomial.polyfit(logs[:, 0], logs[:, 1], 1)[1])
