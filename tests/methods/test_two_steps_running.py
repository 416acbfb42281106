"""Two-step methods in a simulation: order, cost, restarts after events."""

from __future__ import annotations

from math import cos, exp, log2, sin

import pytest

import eventide as ev
from eventide.methods import ADAMS, ADAMS_SIMPSON, HEUN, HEUN_AS_PRINTED, Multistep

ALL = {"Adams": ADAMS, "Heun": HEUN, "Heun as printed": HEUN_AS_PRINTED, "Adams-Simpson": ADAMS_SIMPSON}
COSTS = {"Adams": (2, 1), "Heun": (2, 2), "Heun as printed": (2, 2), "Adams-Simpson": (3, 3)}
"""Evaluations of a first step and of a later one."""


class Wave(ev.Continuous):
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = self.y * cos(self.sim.time)


def run(method: Multistep, step: float, every: float = 0.0, **options: object) -> tuple[ev.Simulation, float, float]:
    """The run, with an event that writes the state `every` so often, and its errors at the end and between steps."""
    sim = ev.Simulation(dt_max=step, rng=1, **({"compile": False, "stepping": "together"} | options))
    wave = Wave(sim, name="wave").start()
    sim.method = method

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(every)
            wave.y += 0.0

    if every:
        sim.process(story())
    trace = sim.record(wave, every=0.011)
    sim.run(until=2.0)
    between = max(abs(y - exp(sin(t))) for t, y in zip(trace.times, trace["wave.y"], strict=True))
    return sim, abs(wave.y - exp(sin(2.0))), between


@pytest.mark.slow
@pytest.mark.row("R-172", "R-173", "R-175", "R-176")
@pytest.mark.parametrize("every", [0.0, 0.27], ids=["smooth", "with events"])
@pytest.mark.parametrize("name", ALL)
def test_the_error_falls_with_the_order(name: str, every: float) -> None:
    method = ALL[name]
    errors = [run(method, step, every)[1] for step in (2.0**-6, 2.0**-7)]
    assert log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.4)


@pytest.mark.row("R-172", "R-173", "R-175", "R-176")
@pytest.mark.parametrize("name", ALL)
def test_evaluations(name: str) -> None:
    first, later = COSTS[name]
    sim, _, _ = run(ALL[name], 0.25)
    assert sim.monitor.steps == 8
    # One more at the start, and one after each event.
    assert sim._continuum.evaluations == 1 + first + 7 * later
    sim, _, _ = run(ALL[name], 0.25, every=0.5)
    assert sim.monitor.steps == 8
    assert sim._continuum.evaluations == 1 + 4 * (first + later) + 4


@pytest.mark.row("R-176")
@pytest.mark.parametrize("name", ALL)
def test_a_change_of_method_ends_the_past(name: str) -> None:
    sim = ev.Simulation(dt_max=0.25, rng=1, compile=False, stepping="together")
    Wave(sim).start()
    sim.method = ev.methods.EULER
    sim.run(until=1.0)
    before = sim._continuum.evaluations
    sim.method = ALL[name]
    sim.run(until=1.5)
    first, later = COSTS[name]
    assert sim._continuum.evaluations == before + 1 + first + later


class Power(ev.Continuous):
    """Rises to t**n / n, which a method of order n integrates without an error."""

    y: ev.State = ev.state(0.0)
    n: int

    def equations(self) -> None:
        self.rate.y = self.sim.time ** (self.n - 1)


@pytest.mark.row("R-176")
@pytest.mark.parametrize("compiles", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_steps_that_events_have_shortened_keep_the_order(name: str, compiles: bool) -> None:
    """What goes beyond rounding is the error of a first step, where a method begins with a lower order."""
    method = ALL[name]
    sim = ev.Simulation(dt_max=0.25, rng=1, compile=compiles, stepping="together")
    power = Power(sim, n=method.order).start()
    sim.method = method
    errors: list[float] = []

    def story() -> ev.ProcessGenerator:
        for time in (0.625, 1.0, 1.6875):
            yield ev.hold(time - sim.time)
            errors.append(power.y - time**method.order / method.order)

    sim.process(story())
    sim.run(until=2.0)
    errors.append(power.y - 2.0**method.order / method.order)
    first = 0.25**3 / 6.0 if name == "Heun" else 0.0  # that of the trapezoid, for the square of time
    assert errors == pytest.approx([first, 2.0 * first, 3.0 * first, 4.0 * first], abs=2e-15)
    assert sim.monitor.steps == 3 + 2 + 3 + 2


@pytest.mark.row("R-176")
@pytest.mark.parametrize("what", ["pause", "write", "nothing"])
@pytest.mark.parametrize(("stepping", "ends"), [("together", True), ("apart", False)])
@pytest.mark.parametrize("name", ALL)
def test_the_past_ends_with_an_event_where_all_steps_together_and_else_with_what_touches(
    name: str, stepping: str, ends: bool, what: str
) -> None:
    sim = ev.Simulation(dt_max=0.25, rng=1, compile=False, stepping=stepping)
    wave = Wave(sim).start()
    sim.method = ALL[name]

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        if what == "pause":
            yield ev.pause()
        elif what == "write":
            wave.y += 0.0

    sim.process(story())
    sim.run(until=1.5)
    first, later = COSTS[name]
    touched = ends or what == "write"
    # Together each of two events is followed by an evaluation, and the pause; apart the one that has touched the state.
    settled = 2 + (what == "pause") if ends else int(touched)
    expected = 1 + settled + first + 5 * later + (first - later if touched else 0)
    assert (sim.monitor.steps, sim._continuum.evaluations) == (6, expected)


@pytest.mark.parametrize("name", ALL)
def test_native_runs_give_the_same_bits(name: str) -> None:
    plain, native = (run(ALL[name], 0.05, 0.27, compile=mode) for mode in (False, True))
    assert plain[1:] == native[1:]
    assert run(ALL[name], 0.05, 0.27, compile=True, stepping="apart")[2] < 1e-2


@pytest.mark.parametrize("cut", [0, 1])
def test_flows_of_different_pasts_do_not_disturb_each_other(cut: int) -> None:
    def traces(events: bool) -> list[list[float]]:
        sim = ev.Simulation(dt_max=0.125, rng=1, compile=True)
        waves = [Wave(sim).start() for _ in range(2)]
        sim.method = HEUN

        def story() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.125)
                if events:
                    waves[cut].y += 0.0

        sim.process(story())
        recordings = [sim.record(wave, every=0.011) for wave in waves]
        sim.run(until=3.0)
        return [list(trace[f"{wave.name}.y"]) for wave, trace in zip(waves, recordings, strict=True)]

    quiet, disturbed = traces(False), traces(True)
    assert quiet[1 - cut] == disturbed[1 - cut]
    assert quiet[cut] != disturbed[cut]
