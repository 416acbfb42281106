"""Errors of the adaptive methods on published problems, beside those of SciPy's methods of like order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from math import cos, exp, sin, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import eventide as ev

Rates = Callable[[float, Sequence[float]], Sequence[float]]


class Problem(NamedTuple):
    """Rates, states at 0, and the states at the end."""

    rates: Rates
    start: tuple[float, ...]
    until: float
    end: tuple[float, ...]


MU = 0.012277471
"""The mass of the moon, of that of earth and moon."""


def restricted(t: float, y: Sequence[float]) -> Sequence[float]:
    """Three bodies, one of them without mass. Source: Hairer, Norsett & Wanner, Solving ODEs I, II.0."""
    x, z, vx, vz = y
    rest = 1.0 - MU
    near = sqrt((x + MU) ** 2 + z * z) ** 3
    far = sqrt((x - rest) ** 2 + z * z) ** 3
    return (
        vx,
        vz,
        x + 2.0 * vz - rest * (x + MU) / near - MU * (x - rest) / far,
        z - 2.0 * vx - rest * z / near - MU * z / far,
    )


def kepler(t: float, y: Sequence[float]) -> Sequence[float]:
    """Two bodies. Source: Hull et al., SIAM J. Numer. Anal. 9 (1972), class D."""
    cube = sqrt(y[0] * y[0] + y[1] * y[1]) ** 3
    return y[2], y[3], -y[0] / cube, -y[1] / cube


def rigid(t: float, y: Sequence[float]) -> Sequence[float]:
    """Euler's equations of a rigid body without forces, whose solution is sn, cn, dn. Source: ibid., B5."""
    return y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]


def orbit(e: float, end: tuple[float, float]) -> Problem:
    return Problem(kepler, (1.0 - e, 0.0, 0.0, sqrt((1.0 + e) / (1.0 - e))), 20.0, end)


TURN = (0.994, 0.0, 0.0, -2.00158510637908252240537862224)
PROBLEMS = {
    "Arenstorf": Problem(restricted, TURN, 17.0652165601579625588917206249, TURN),
    "Kepler D1": orbit(0.1, (0.219883535200839661, 0.942707684634181309)),
    "Kepler D3": orbit(0.5, (-0.578043295303536123, 0.86338400091941928)),
    "Kepler D5": orbit(0.9, (-1.29526625098757437, 0.400393896379232153)),
    "rigid body": Problem(rigid, (0.0, 1.0, 1.0), 12.0, tuple(float(f) for f in ellipj(12.0, 0.51)[:3])),
    "DETEST A2": Problem(lambda t, y: (-(y[0] ** 3) / 2.0,), (1.0,), 20.0, (1.0 / sqrt(21.0),)),
    "DETEST A3": Problem(lambda t, y: (y[0] * cos(t),), (1.0,), 20.0, (exp(sin(20.0)),)),
    "DETEST A4": Problem(
        lambda t, y: (y[0] / 4.0 * (1.0 - y[0] / 20.0),), (1.0,), 20.0, (20.0 / (1.0 + 19.0 * exp(-5.0)),)
    ),
    "DETEST A5": Problem(lambda t, y: ((y[0] - t) / (y[0] + t),), (4.0,), 20.0, (-0.788782668896401424,)),
}
PEERS = {
    "ENGLAND": "RK45",
    "DORMAND_PRINCE": "RK45",
    "BOGACKI_SHAMPINE": "RK23",
    "RK43": "RK23",
    "DOP853": "DOP853",
}
"""SciPy's method that propagates the same order, or one less; it has none of order 4, as Fehlberg's is."""
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7)


class Model(ev.Continuous):
    problem: Problem
    size: int = 1
    y: ev.VectorState = ev.vector(size="size")

    def equations(self) -> None:
        self.rate.y = np.array(self.problem.rates(self.sim.time, self.y.tolist()))


@cache
def errors(method: str) -> np.ndarray:
    """The largest error of a component at the end: a row for each problem, a column for each tolerance."""
    return np.array([[error(method, problem, tol) for tol in TOLERANCES] for problem in PROBLEMS.values()])


def error(method: str, problem: Problem, tolerance: float) -> float:
    sim = ev.Simulation(rng=1, compile=False, rel_error=tolerance, abs_error=tolerance)
    sim.method = getattr(ev.methods, method)
    model = Model(sim, problem=problem, size=len(problem.start))
    model.y = np.array(problem.start)
    model.start()
    sim.run(until=problem.until)
    return distance(model.y, problem)


@cache
def errors_of_peer(method: str) -> np.ndarray:
    """The same of a method of SciPy's."""

    def one(problem: Problem, tol: float) -> float:
        found = solve_ivp(problem.rates, (0.0, problem.until), problem.start, method=method, rtol=tol, atol=tol)
        return distance(found.y[:, -1], problem)

    return np.array([[one(problem, tol) for tol in TOLERANCES] for problem in PROBLEMS.values()])


def distance(states: Sequence[float], problem: Problem) -> float:
    return float(np.max(np.abs(np.asarray(states)[: len(problem.end)] - problem.end)))


def geometric_mean(numbers: np.ndarray) -> np.ndarray:
    return np.exp(np.mean(np.log(numbers), axis=0))


@pytest.mark.parametrize("name", PEERS)
def test_errors_are_at_most_three_times_those_of_scipy(name: str) -> None:
    ratios = errors(name) / errors_of_peer(PEERS[name])
    # A single error may be small by luck, where it changes its sign: SciPy's of DETEST A3 at 1e-5 is.
    assert dict(zip(PROBLEMS, np.median(ratios, axis=1) <= 3.0, strict=True)) == dict.fromkeys(PROBLEMS, True)
    assert np.all(geometric_mean(ratios) <= 3.0)


@pytest.mark.parametrize("name", [*PEERS, "FEHLBERG", "FEHLBERG_EXTRAPOLATED"])
def test_three_decades_of_tolerance_are_at_least_a_factor_of_125_of_error(name: str) -> None:
    means = geometric_mean(errors(name))
    assert means[0] / means[-1] >= 5.0**3
    assert min(before / after for before, after in pairwise(means)) >= 3.0
