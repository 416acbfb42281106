"""Smooth problems with known answers, and what all trials of them have in common."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi, sin
from typing import Any, ClassVar

import numpy as np

MASS = 0.012277471  # of the Moon, in masses of Earth and Moon
CELLS = 100
COUPLING = 0.002 * (CELLS + 1) ** 2


@dataclass(frozen=True)
class Problem:
    """Equations y' = rates(y) from t = 0.

    rates       of plain numbers, of symbols or of anything else that can be added: a list from a list
    fast_rates  the same for whole arrays, with the module that has their functions; None where that gains nothing
    until       where it ends
    known       when the solution is known, and what of it: index of a state and its value
    """

    rates: Callable[[Sequence[Any]], list[Any]]
    fast_rates: Callable[[Any, Any], Any] | None
    start: tuple[float, ...]
    until: float
    known_at: float
    known: dict[int, float]

    def right_hand_side(self, module: Any) -> Callable[[Any], Any]:
        """The rates as an array of `module`, numpy or one like it, from an array."""
        if self.fast_rates is not None:
            return lambda y: self.fast_rates(y, module)
        return lambda y: module.array(self.rates(y))

    def error(self, state: Sequence[float]) -> float:
        return max(abs(float(state[place]) - value) for place, value in self.known.items())


def lorenz(y: Sequence[Any]) -> list[Any]:
    x, y, z = y
    return [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]


def arenstorf(y: Sequence[Any]) -> list[Any]:
    x, y, u, v = y
    near, far = (x + MASS) ** 2 + y * y, (x - (1.0 - MASS)) ** 2 + y * y
    pull, other = (1.0 - MASS) / near**1.5, MASS / far**1.5
    return [
        u,
        v,
        x + 2.0 * v - pull * (x + MASS) - other * (x - (1.0 - MASS)),
        y - 2.0 * u - pull * y - other * y,
    ]


def brusselator(y: Sequence[Any]) -> list[Any]:
    u, v = [1.0, *y[:CELLS], 1.0], [3.0, *y[CELLS:], 3.0]
    places = range(1, CELLS + 1)
    spread = [[COUPLING * (w[i - 1] - 2.0 * w[i] + w[i + 1]) for i in places] for w in (u, v)]
    return [1.0 + u[i] * u[i] * v[i] - 4.0 * u[i] + spread[0][i - 1] for i in places] + [
        3.0 * u[i] - u[i] * u[i] * v[i] + spread[1][i - 1] for i in places
    ]


def brusselator_of_arrays(y: Any, module: Any) -> Any:
    u, v = y[:CELLS], y[CELLS:]
    one, three = module.array([1.0]), module.array([3.0])
    wide_u, wide_v = module.concatenate((one, u, one)), module.concatenate((three, v, three))
    reaction = u * u * v
    return module.concatenate(
        (
            1.0 + reaction - 4.0 * u + COUPLING * (wide_u[:-2] - 2.0 * u + wide_u[2:]),
            3.0 * u - reaction + COUPLING * (wide_v[:-2] - 2.0 * v + wide_v[2:]),
        )
    )


PERIOD = 17.0652165601579625588917206249

PROBLEMS = {
    # Chaos makes the end of a method's own; the error is taken before that.
    "lorenz": Problem(
        lorenz,
        None,
        (1.0, 1.0, 1.0),
        100.0,
        5.0,
        {0: -6.512113699419599, 1: -6.974042788417076, 2: 23.92412957210337},
    ),
    # An orbit through the Earth-Moon system that returns. Source: Hairer, Norsett & Wanner, Solving ODEs I, II.0.
    "arenstorf": Problem(
        arenstorf,
        None,
        (0.994, 0.0, 0.0, -2.00158510637908252240537862224),
        PERIOD,
        PERIOD,
        {0: 0.994, 1: 0.0},
    ),
    # Known from DOP853 and a Taylor method at 1e-13 and 1e-16, which agree in all digits given here.
    "brusselator": Problem(
        brusselator,
        brusselator_of_arrays,
        (*(1.0 + sin(2.0 * pi * i / (CELLS + 1)) for i in range(1, CELLS + 1)), *((3.0,) * CELLS)),
        10.0,
        10.0,
        {24: 0.38894919885938, 49: 0.40023933713383, 124: 3.2443909203854, 149: 3.9354157834828},
    ),
}


class SmoothTrial:
    """Solves a problem and compares with what is known; a library says how, in `solve`.

    problems    those that there are
    """

    problems: ClassVar[Any] = PROBLEMS

    def __init__(self, *, problem: str, tolerance: float, seed: int) -> None:
        self.name = problem
        self.problem = self.problems[problem]
        self.tolerance = tolerance
        self.start = np.array(self.problem.start)
        self.prepare()

    def prepare(self) -> None:
        """What is made before the clock runs."""

    def solve(self, until: float) -> tuple[Sequence[float], dict[str, int]]:
        """The states at `until`, and what the library counts."""
        raise NotImplementedError

    def run(self) -> None:
        self.state, self.counts = self.solve(self.problem.until)

    def result(self) -> dict[str, float]:
        state, problem = self.state, self.problem
        if problem.known_at != problem.until:
            again = type(self)(problem=self.name, tolerance=self.tolerance, seed=0)
            state, _ = again.solve(problem.known_at)
        return self.counts | {"end": float(self.state[0]), "error": problem.error(state)}
