"""Variables: one state by itself, loose or behind a component's field."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


@pytest.mark.row("R-080")
def test_a_new_variable_is_inactive_with_rate_zero(sim: ev.Simulation) -> None:
    x = ev.Variable(sim, 3.5)
    assert (x.state, x.rate, x.active) == (3.5, 0.0, False)


@pytest.mark.row("R-081", "R-084")
def test_the_one_started_last_is_foremost(sim: ev.Simulation) -> None:
    a, b, c = (ev.Variable(sim, 0.0, name=n) for n in "abc")
    for variable in (a, b, c, a):
        variable.start()
    assert [v.name for v in sim.variables] == ["c", "b", "a"]
    b.stop()
    assert [(v.name, v.active) for v in (a, b, c)] == [("a", True), ("b", False), ("c", True)]


@pytest.mark.row("R-085")
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("compiles", [False, "auto"])
def test_the_last_state_is_that_at_the_start_of_the_step_and_frozen_while_inactive(
    compiles: Any, stepping: Any
) -> None:
    sim = ev.Simulation(rng=1, dt_max=0.25, compile=compiles, stepping=stepping)
    x = ev.Variable(sim, 1.0).start()
    ev.law(sim, lambda: x.set_rate(2.0 * x.active)).start()
    log: list[Any] = []

    class Look(ev.Reporter):
        def report(self) -> None:
            log.append((self.sim.time, self.sim.dt, x.last_state, x.state))

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.625)
        x.stop()
        log.append(("stop", x.last_state, x.state))
        yield ev.hold(0.375)
        x.state = 10.0
        log.append(("write", x.last_state, x.state))
        yield ev.hold(0.25)
        x.start()
        log.append(("start", x.last_state, x.state))
        yield ev.hold(0.5)

    Look(sim, every="step").start()
    sim.process(story())
    sim.run()
    assert log == [
        *[(0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0)],
        *[(0.25, 0.25, 1.0, 1.5), (0.5, 0.25, 1.5, 2.0), (0.625, 0.125, 2.0, 2.25)],
        *[("stop", 2.0, 2.25), (0.625, 0.0, 2.0, 2.25)],
        *[(0.875, 0.25, 2.0, 2.25), (1.0, 0.125, 2.0, 2.25)],
        *[("write", 2.0, 10.0), (1.0, 0.0, 2.0, 10.0), (1.25, 0.25, 2.0, 10.0)],
        *[("start", 10.0, 10.0), (1.25, 0.0, 10.0, 10.0)],
        *[(1.5, 0.25, 10.0, 10.5), (1.75, 0.25, 10.5, 11.0), (1.75, 0.0, 11.0, 11.0)],
    ]


@pytest.mark.row("R-083", "R-090")
def test_an_idle_variable_keeps_its_state(sim: ev.Simulation) -> None:
    x, y = ev.Variable(sim, 1.0).start(), ev.Variable(sim, 5.0).start()
    ev.law(sim, lambda: x.set_rate(2.0 * x.active)).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        log.append((x.state, x.rate, y.state))
        x.stop()
        x.stop()
        log.append((x.state, x.rate))
        yield ev.hold(1.0)
        log.append((x.state, x.last_state, y.state))

    sim.process(story())
    sim.run()
    assert log == [(pytest.approx(3.0), 2.0, 5.0), (pytest.approx(3.0), 0.0), (pytest.approx(3.0), log[2][1], 5.0)]


class Idle(ev.Continuous):
    """Rises by two for each unit of time, where it is not stopped."""

    y: ev.State = ev.state(5.0)

    def equations(self) -> None:
        self.rate.y = 2.0


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.row("R-082", "R-182", "R-183", "R-184", "R-185")
@pytest.mark.parametrize("repeats", [True, False], ids=["repeat", "accept"])
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("compiles", [False, "auto"])
def test_variables_may_be_stopped_and_started_by_integration_error(compiles: Any, stepping: Any, repeats: bool) -> None:
    """At 0.5 in the midst of a run: who is started moves from there on, in the same flow and in another."""
    asked = []

    class Tolerant(ev.Simulation):
        def integration_error(self, variable: ev.Variable) -> bool:
            asked.append((variable.name, self.time, idle.y))
            wild.stop()
            for one in (late, idle["y"]):
                one.start()
            return repeats

    sim = Tolerant(rng=1, dt_min=2.0**-10, dt_max=0.125, compile=compiles, stepping=stepping)
    tame, wild = (ev.Variable(sim, start, name=name).start() for name, start in (("tame", 0.0), ("wild", 1.0)))
    late = ev.Variable(sim, 7.0, name="late")
    idle = Idle(sim, name="idle").start()
    idle["y"].stop()

    def rates() -> None:
        tame.rate, late.rate = 1.0, 3.0
        wild.rate = 1e9 * wild.state if sim.time > 0.5 else 0.0

    ev.law(sim, rates).start()
    sim.run(until=1.0)
    assert asked == [("wild", 0.5, 5.0)]
    assert [v.name for v in sim.variables] == ["idle.y", "late", "tame"]
    assert (tame.state, late.state, idle.y) == (1.0, 7.0 + 3.0 * 0.5, 5.0 + 2.0 * 0.5)
    assert wild.state == 1.0


@pytest.mark.row("R-082")
@pytest.mark.parametrize("where", ["law", "condition", "report"])
@pytest.mark.parametrize("change", ["start", "stop"])
@pytest.mark.parametrize("compiles", [False, "auto"])
def test_what_looks_at_the_model_starts_and_stops_no_variable(compiles: Any, change: str, where: str) -> None:
    sim = ev.Simulation(rng=1, dt_max=0.125, compile=compiles)
    moving, still = ev.Variable(sim, 0.0, name="moving").start(), ev.Variable(sim, 0.0, name="still")

    def act(place: str) -> bool:
        moving.start()  # it moves already, and that changes nothing
        still.stop()
        if place == where and sim.time > 0.25:
            (still.start if change == "start" else moving.stop)()
        return False

    class Look(ev.Reporter):
        def report(self) -> None:
            act("report")

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: act("condition"))

    ev.law(sim, lambda: act("law") or moving.set_rate(1.0), name="rates").start()
    Look(sim, name="look").start()
    sim.process(story(), name="story")
    with pytest.raises(ev.ModelError) as caught:
        sim.run(until=1.0)
    name, past = ("still", "started") if change == "start" else ("moving", "stopped")
    if where == "report":
        assert str(caught.value).startswith(f"{name} cannot be changed now: reporters and recordings look at the model")
    else:
        assert str(caught.value) == (
            f"{name} cannot be {past} now: laws and conditions are evaluated at many points, and some never come to "
            "pass; let an event do it, or `integration_error`"
        )
    place = {"law": "the equations of rates", "condition": "the condition of story", "report": "the report of look"}
    assert caught.value.__notes__[0].startswith(f"in {place[where]} at time ")
    assert [v.name for v in sim.variables] == ["moving"]


@pytest.mark.row("R-086")
def test_tolerances_are_copied_when_a_variable_is_made(sim: ev.Simulation) -> None:
    old = ev.Variable(sim, 0.0)
    sim.rel_error, sim.abs_error = 1e-3, 1e-4
    new = ev.Variable(sim, 0.0)
    assert [(v.rel_error, v.abs_error) for v in (old, new)] == [(1e-6, 1e-9), (1e-3, 1e-4)]
    sim.set_tolerances(rel_error=1e-8)
    assert [(v.rel_error, v.abs_error) for v in (old, new)] == [(1e-8, 1e-9), (1e-8, 1e-4)]


@pytest.mark.row("R-087")
def test_default_tolerances(sim: ev.Simulation) -> None:
    assert (sim.rel_error, sim.abs_error, sim.dt_min, sim.dt_max) == (1e-6, 1e-9, 0.0, float("inf"))


@pytest.mark.row("R-088")
def test_a_tighter_variable_takes_smaller_steps() -> None:
    def steps(tolerance: float) -> int:
        sim = ev.Simulation(rng=1)
        x = ev.Variable(sim, 1.0, rel_error=tolerance, abs_error=0.0).start()
        ev.law(sim, lambda: x.set_rate(-x.state)).start()
        sim.run(until=10.0)
        return sim.monitor.steps

    assert steps(1e-4) < steps(1e-8) < steps(1e-12)


@pytest.mark.row("R-094")
def test_an_assignment_discards_what_rounding_had_left(sim: ev.Simulation) -> None:
    from eventide.engine import stepper

    sim.dt_max = 1e-3
    x = ev.Variable(sim, 1.0).start()
    ev.law(sim, lambda: x.set_rate(0.1)).start()
    sim.run(until=0.5)
    rests = sim._continuum.storage.rows[stepper.E0]
    assert rests[x._slot] != 0.0
    x.state = x.state
    assert rests[x._slot] == 0.0


def test_a_components_state_is_a_variable(sim: ev.Simulation) -> None:
    class Pair(ev.Continuous):
        u: ev.State = ev.state(1.0, unit="m", rel_error=1e-4)
        v: ev.State = ev.state(2.0, unit="m/s")

    pair = Pair(sim, name="pair").start()
    v = pair["v"]
    assert (v.name, v.unit, v.state, v.active, pair["v"] is v) == ("pair.v", "m/s", 2.0, True, True)
    v.state = 3.0
    assert pair.v == 3.0
    v.stop()
    assert [x.active for x in (pair["u"], v)] == [True, False]
    assert (pair["u"].rel_error, v.rel_error) == (1e-4, 1e-6)
    assert sim.variables == (pair["u"],)


def test_a_loose_rate_is_not_written_in_an_event(sim: ev.Simulation) -> None:
    x = ev.Variable(sim, 1.0, name="x").start()
    with pytest.raises(ev.ModelError, match="rate of x is written by laws"):
        x.rate = 1.0


class _Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


class _Follower(ev.Continuous):
    variable: ev.Variable
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = 2.0 * self.variable.state


@pytest.mark.parametrize("mode", ["auto", False])
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_the_variable_behind_a_state_may_be_held_by_laws_and_waits(mode: Any, stepping: Any) -> None:
    """After a loose one in the same place, for which both have been compiled."""
    sim, met = ev.Simulation(compile=mode, stepping=stepping), []
    ramp, loose = _Ramp(sim).start(), ev.Variable(sim, 5.0).start()
    followers = [_Follower(sim, variable=variable).start() for variable in (loose, ramp["x"])]

    def waits(variable: ev.Variable, level: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: variable.state >= level)
        met.append((round(sim.time, 9), level))

    for variable, level in [(loose, 4.0), (ramp["x"], 1.0), (ramp["x"], 2.5)]:
        sim.process(waits(variable, level))
    sim.run(until=3.0)
    assert met == [(0.0, 4.0), (1.0, 1.0), (2.5, 2.5)]
    assert [follower.y for follower in followers] == pytest.approx([30.0, 9.0], rel=1e-12)
