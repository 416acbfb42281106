"""Stiff problems with known answers, and what all trials of them have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from smooth import SmoothTrial


@dataclass(frozen=True)
class Problem:
    """Equations y' = rates(t, y) from t = 0, for plain Python and for numba.

    rates       a tuple from a sequence
    scale       states below it need not be known to so many digits: the absolute tolerance is that much of the relative
    known       the states at the end
    """

    rates: Callable[[float, Sequence[Any]], tuple[Any, ...]]
    start: tuple[float, ...]
    until: float
    scale: float
    known: tuple[float, ...]

    def error(self, state: Sequence[float]) -> float:
        """The largest of a state, relative to it and the scale."""
        return max(abs(y - known) / (self.scale + abs(known)) for y, known in zip(state, self.known, strict=True))


def robertson(t, y):
    first, last = -0.04 * y[0] + 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
    return first, -first - last, last


def hires(t, y):
    bound = 280.0 * y[5] * y[7] - 1.81 * y[6]
    return (
        -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007,
        1.71 * y[0] - 8.75 * y[1],
        -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
        8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
        -1.745 * y[4] + 0.43 * (y[5] + y[6]),
        -280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
        bound,
        -bound,
    )


PROBLEMS = {
    # Source: Test set for IVP solvers, ROBER and HIRES.
    "robertson": Problem(
        robertson,
        (1.0, 0.0, 0.0),
        1e11,
        1e-6,
        (0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505),
    ),
    "hires": Problem(
        hires,
        (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057),
        321.8122,
        1e-4,
        (
            0.7371312573325668e-3,
            0.1442485726316185e-3,
            0.5888729740967575e-4,
            0.1175651343283149e-2,
            0.2386356198831331e-2,
            0.6238968252742796e-2,
            0.2849998395185769e-2,
            0.2850001604814231e-2,
        ),
    ),
}


class StiffTrial(SmoothTrial):
    """The same for these problems, which are compared at their end."""

    problems = PROBLEMS

    def result(self) -> dict[str, float]:
        return self.counts | {"end": float(self.state[0]), "error": float(self.problem.error(self.state))}
