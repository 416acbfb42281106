"""Every explicit method in a simulation: what it costs, how its error falls, what its interpolant is worth."""

from __future__ import annotations

from math import cos, exp, log2, sin, ulp

import pytest
from methods.tableaux import METHODS

import eventide as ev
from eventide.engine import codes

ADAPTIVE = {name: method for name, method in METHODS.items() if not method.is_fixed}
FIXED = {name: method for name, method in METHODS.items() if method.is_fixed}

COSTS = {
    "BOGACKI_SHAMPINE": (3, 3),
    "DOP853": (12, 11),
    "DORMAND_PRINCE": (6, 6),
    "ENGLAND": (9, 7),
    "ENGLAND_PLAIN": (9, 7),
    "FEHLBERG": (6, 5),
    "FEHLBERG_EXTRAPOLATED": (6, 5),
    "RK43": (4, 4),
}
"""Evaluations of an accepted step and of a refused one."""


class Wave(ev.Continuous):
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = self.y * cos(self.sim.time)


def solution(t: float) -> float:
    return exp(sin(t))


def run(method: ev.methods.Method, until: float = 10.0, **options: object) -> tuple[ev.Simulation, float, float]:
    """The run, its error at the end and the largest one between the ends of steps."""
    sim = ev.Simulation(rng=1, **({"compile": False} | options))
    wave = Wave(sim, name="wave").start()
    sim.method = method
    trace = sim.record(wave, every=0.0371)
    sim.run(until=until)
    between = max(abs(y - solution(t)) for t, y in zip(trace.times, trace["wave.y"], strict=True))
    return sim, abs(wave.y - solution(until)), between


@pytest.mark.row("R-165", "R-260")
@pytest.mark.parametrize("name", ADAPTIVE)
def test_evaluations_of_an_accepted_and_of_a_refused_step(name: str) -> None:
    method = ADAPTIVE[name]
    assert COSTS.keys() == ADAPTIVE.keys()
    assert (method.evaluations, method.evaluations_refused) == COSTS[name]
    sim, _, _ = run(method, rel_error=1e-6, abs_error=1e-6, dt_max=1e9, until=10.0)
    steps, refused = sim.monitor.steps, sim.monitor.refused
    assert refused > 0
    # One evaluation more at the start of the run.
    assert sim._continuum.evaluations == 1 + steps * COSTS[name][0] + refused * COSTS[name][1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ADAPTIVE)
def test_the_error_falls_with_the_tolerance(name: str) -> None:
    loose, tight = (run(ADAPTIVE[name], rel_error=tol, abs_error=tol) for tol in (1e-5, 1e-8))
    assert loose[1] < 1e-2
    assert tight[1] < loose[1] / 50.0
    assert tight[0].monitor.steps > loose[0].monitor.steps


@pytest.mark.parametrize("name", ADAPTIVE)
def test_relative_tolerances_are_measured_in_the_step(name: str) -> None:
    class Growth(ev.Continuous):
        y: ev.State = ev.state(1e-3)

        def equations(self) -> None:
            self.rate.y = self.y

    sim = ev.Simulation(rng=1, compile=False, rel_error=1e-6, abs_error=0.0)
    growth = Growth(sim).start()
    sim.method = ADAPTIVE[name]
    sim.run(until=12.0)
    counts = sim.monitor.steps
    # All steps are alike, as the tolerance grows with the state.
    sim.run(until=24.0)
    assert sim.monitor.steps == pytest.approx(2 * counts, rel=0.15, abs=2)
    assert growth.y == pytest.approx(1e-3 * exp(24.0), rel=1e-3)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_values_between_the_ends_of_steps_are_as_good(name: str) -> None:
    _, end, between = run(ADAPTIVE[name], rel_error=1e-7, abs_error=1e-7)
    # Hermite's cubic, which is all that RK4(3) has, is of lower order than the steps it fills.
    assert between < (2e-4 if name == "RK43" else 2e-5)
    assert between >= end / 2.0


@pytest.mark.row("R-254")
@pytest.mark.parametrize("name", FIXED)
def test_methods_of_fixed_step_have_their_order(name: str) -> None:
    method = FIXED[name]
    errors = [run(method, until=2.0, dt_max=step)[1] for step in (2.0**-5, 2.0**-6)]
    assert log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.35)
    sim, _, _ = run(method, until=2.0, dt_max=0.25)
    assert sim.monitor.steps == 8
    assert sim._continuum.evaluations == 1 + 8 * method.evaluations


@pytest.mark.parametrize("name", ["BOGACKI_SHAMPINE", "DOP853", "DORMAND_PRINCE", "FEHLBERG"])
def test_native_runs_give_the_same_bits(name: str) -> None:
    options = {"until": 3.0, "rel_error": 1e-6, "stepping": "together"}
    plain, native = (run(METHODS[name], compile=mode, **options) for mode in (False, True))
    assert plain[1:] == native[1:]
    assert plain[0].monitor.steps == native[0].monitor.steps


@pytest.mark.parametrize("name", METHODS)
def test_the_table_fits_the_rows_of_the_stepper(name: str) -> None:
    method = METHODS[name]
    sizes, nodes, table = method.coefficients[:3]
    stages, error_stage, degree, extra = (
        int(sizes[column]) for column in (codes.STAGES, codes.ERROR_STAGE, codes.DEGREE, codes.EXTRA)
    )
    assert stages + 1 + extra <= codes.ROWS - codes.K
    assert degree <= codes.K - codes.P
    assert table.shape == (stages + 2 + degree + extra, stages + 1 + extra)
    assert sizes[codes.TABLE_ROWS] == len(table)
    assert len(nodes) == stages + 1 + extra + (sizes[codes.SAMPLED] > 0)
    assert sizes[codes.ERROR_ORDER] == method.error_order == method.tableau.error_order
    # An estimate that is refused before a stage is evaluated has no use for it; nor has a result for the rate there.
    last = error_stage - 1 + int(sizes[codes.END_FIRST])
    estimate = table[stages + codes.ESTIMATE]
    assert sizes[codes.SCALE_STAGE] <= last <= stages
    assert not estimate[last + 1 :].any()
    assert method.is_fixed or estimate[last] != 0.0
    assert not table[stages + codes.RESULT, stages:].any()


def test_an_own_tableau_runs() -> None:
    # Ralston's method of order 2.
    ralston = ev.methods.fixed("Ralston", 2, ev.methods.rows("", "2/3"), ev.methods.row("1/4 3/4"), "Ralston 1962")
    sim, error, _ = run(ralston, until=2.0, dt_max=0.01)
    assert 1e-6 < error < 1e-3
    assert sim.method is ralston


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (ev.methods.RADAU_IIA_2, r"is a tableau by itself: give `ev.methods.Newton\(tableau\)`"),
        (ev.methods.ENGLAND.tableau, r"a tableau by itself: give `ev.methods.explicit\(tableau\)`"),
        (ev.methods.Method, "got <class .*Method'>, of type type"),
        ("RK5", "no method is called 'RK5': perhaps 'RK4"),
        (None, "got None, of type NoneType"),
        (ev.methods.explicit, "got <function explicit at .*, of type function"),
    ],
    ids=["implicit", "tableau", "class", "string", "none", "function"],
)
def test_what_is_no_method_is_refused_and_changes_nothing(method: object, words: str) -> None:
    sim = ev.Simulation(rng=1)
    sim.method = ev.methods.FEHLBERG
    with pytest.raises(ev.ModelError, match=words):
        sim.method = method
    assert sim.method is ev.methods.FEHLBERG


class Stopwatch(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


def test_a_million_steps_lose_nothing_to_rounding() -> None:
    sim = ev.Simulation(rng=1, dt_max=1e-6, compile=True)
    sim.method = ev.methods.EULER
    watch = Stopwatch(sim).start()
    sim.run(until=1.0)
    assert sim.monitor.steps == 1_000_000
    assert abs(watch.x - 1.0) <= ulp(1.0)
