"""Who takes part in work-precision curves. One more is one more entry of SOLVERS."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from reference import PROBLEMS, Problem

Trial = Callable[[], tuple[Sequence[float], int | None]]
"""A run that answers the states at the end, and how often the rates were evaluated."""


@dataclass(frozen=True)
class Solver:
    """One method of one library.

    prepare     makes a run of a problem, known by its name, at a tolerance; what it makes is not timed
    package     what has to be there
    """

    name: str
    library: str
    prepare: Callable[[str, Problem, float], Trial]
    color: str
    style: str
    package: str
    for_stiff: bool = False

    def missing(self) -> str:
        """Why it cannot take part; empty if it can."""
        return "" if find_spec(self.package) else f"there is no package {self.package}"


# --- eventide --------------------------------------------------------------------------------------------------------


def with_eventide(method: str) -> Callable[[str, Problem, float], Trial]:
    def prepare(name: str, problem: Problem, tolerance: float) -> Trial:
        sim, model = simulation_of(name, method, tolerance, compile=True)
        sim.run(until=0.0)  # compiles the law, which its class does once

        def run() -> tuple[Sequence[float], int]:
            sim.run(until=problem.until)
            return model.y, sim.report().evaluations

        return run

    return prepare


def simulation_of(name: str, method: str, tolerance: float, *, compile: bool) -> tuple[Any, Any]:  # noqa: A002  # as Simulation has it
    """A simulation of a problem, and the component that holds its states, as `y`."""
    import eventide as ev

    sim = ev.Simulation(rel_error=tolerance, abs_error=tolerance, rng=1, compile=compile)
    sim.method = getattr(ev.methods, method)
    return sim, _model_of(name)(sim, y=np.array(PROBLEMS[name].start)).start()


@cache
def _model_of(name: str) -> Any:
    """A class for a problem: its law unpacks as many rates as there are states."""
    import eventide as ev

    problem = PROBLEMS[name]
    rates, count = problem.rates(math), len(problem.start)

    class One(ev.Continuous):
        y: ev.StateVector = ev.state_vector(size=1)

        def equations(self) -> None:
            (self.rate.y[0],) = rates(self.sim.time, self.y)

    class Two(ev.Continuous):
        y: ev.StateVector = ev.state_vector(size=2)

        def equations(self) -> None:
            self.rate.y[0], self.rate.y[1] = rates(self.sim.time, self.y)

    class Three(ev.Continuous):
        y: ev.StateVector = ev.state_vector(size=3)

        def equations(self) -> None:
            self.rate.y[0], self.rate.y[1], self.rate.y[2] = rates(self.sim.time, self.y)

    class Four(ev.Continuous):
        y: ev.StateVector = ev.state_vector(size=4)

        def equations(self) -> None:
            self.rate.y[0], self.rate.y[1], self.rate.y[2], self.rate.y[3] = rates(self.sim.time, self.y)

    class Eight(ev.Continuous):
        y: ev.StateVector = ev.state_vector(size=8)

        def equations(self) -> None:
            a, b, c, d, e, f, g, h = rates(self.sim.time, self.y)
            self.rate.y[0], self.rate.y[1], self.rate.y[2], self.rate.y[3] = a, b, c, d
            self.rate.y[4], self.rate.y[5], self.rate.y[6], self.rate.y[7] = e, f, g, h

    return {1: One, 2: Two, 3: Three, 4: Four, 8: Eight}[count]


# --- peers -----------------------------------------------------------------------------------------------------------


@cache
def _native(name: str) -> Any:
    """The rates of a problem as native code, warm."""
    import numba

    problem = PROBLEMS[name]
    rates = numba.njit(problem.rates(math))
    rates(0.0, np.array(problem.start))
    return rates


def with_scipy(method: str) -> Callable[[str, Problem, float], Trial]:
    def prepare(name: str, problem: Problem, tolerance: float) -> Trial:
        from scipy.integrate import solve_ivp

        rates, start = _native(name), np.array(problem.start)

        def run() -> tuple[Sequence[float], int]:
            found = solve_ivp(rates, (0.0, problem.until), start, method=method, rtol=tolerance, atol=tolerance)
            if not found.success:
                raise ArithmeticError(found.message)
            return found.y[:, -1], found.nfev

        return run

    return prepare


def with_sundials(method: str) -> Callable[[str, Problem, float], Trial]:
    def prepare(name: str, problem: Problem, tolerance: float) -> Trial:
        from sksundae.cvode import CVODE

        rates, start = _native(name), np.array(problem.start)

        def right_hand_side(t: float, y: Any, rate: Any) -> None:
            rate[:] = rates(t, y)

        solver = CVODE(right_hand_side, method=method, rtol=tolerance, atol=tolerance, max_num_steps=10**6)

        def run() -> tuple[Sequence[float], int]:
            found = solver.solve([0.0, problem.until], start)
            if not found.success:
                raise ArithmeticError(found.message)
            return found.y[-1], found.nfev

        return run

    return prepare


def with_heyoka(name: str, problem: Problem, tolerance: float) -> Trial:
    import heyoka

    states = heyoka.make_vars(*(f"y{i}" for i in range(len(problem.start))))
    states = states if isinstance(states, list | tuple) else [states]
    equations = list(zip(states, problem.rates(heyoka)(heyoka.time, states), strict=True))
    integrator = heyoka.taylor_adaptive(equations, list(problem.start), tol=tolerance)

    def run() -> tuple[Sequence[float], None]:
        integrator.propagate_until(problem.until)
        return integrator.state, None

    return run


SOLVERS = [
    Solver("eventide ENGLAND", "eventide", with_eventide("ENGLAND"), "tab:red", "o-", "eventide"),
    Solver("eventide DORMAND_PRINCE", "eventide", with_eventide("DORMAND_PRINCE"), "tab:orange", "o-", "eventide"),
    Solver("eventide DOP853", "eventide", with_eventide("DOP853"), "tab:brown", "o-", "eventide"),
    Solver("scipy RK45", "scipy", with_scipy("RK45"), "tab:blue", "s--", "scipy"),
    Solver("scipy DOP853", "scipy", with_scipy("DOP853"), "tab:cyan", "s--", "scipy"),
    Solver("scipy LSODA", "scipy", with_scipy("LSODA"), "navy", "s--", "scipy"),
    Solver("SUNDIALS Adams", "sundials", with_sundials("Adams"), "tab:green", "^:", "sksundae"),
    Solver("heyoka Taylor", "heyoka", with_heyoka, "tab:purple", "d-.", "heyoka"),
    Solver("eventide RADAU", "eventide", with_eventide("RADAU"), "tab:red", "o-", "eventide", for_stiff=True),
    Solver("scipy Radau", "scipy", with_scipy("Radau"), "tab:blue", "s--", "scipy", for_stiff=True),
    Solver("scipy BDF", "scipy", with_scipy("BDF"), "tab:cyan", "s--", "scipy", for_stiff=True),
    Solver("scipy LSODA, stiff", "scipy", with_scipy("LSODA"), "navy", "s--", "scipy", for_stiff=True),
    Solver("SUNDIALS BDF", "sundials", with_sundials("BDF"), "tab:green", "^:", "sksundae", for_stiff=True),
]
