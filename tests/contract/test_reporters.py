"""Reporters: when they run, what can be asked of them, and the monitor that calls them."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

import eventide as ev


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


class Look(ev.Reporter):
    log: list = ev.field(default_factory=list)
    is_made: bool = False

    def prelude(self) -> None:
        self.is_made = not self.is_made

    def report(self) -> None:
        self.log.append((self.sim.time, self.report_time))


@pytest.mark.row("R-104", "R-105", "R-106", "R-110", "R-116", "R-118")
def test_the_life_of_a_reporter() -> None:
    sim = ev.Simulation(rng=1, dt_max=0.5, stepping="together")
    Ramp(sim).start()
    plain, grid = Look(sim), Look(sim, every=0.25)
    assert (plain.frequency, grid.frequency, plain.report_time, grid.report_time) == ("step", 0.25, inf, inf)
    assert (plain.active, grid.active, plain.is_made) == (False, False, True)
    plain.stop()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.1)
        assert grid.start() is grid
        grid.start()
        assert (grid.active, grid.report_time) == (True, 1.1)
        yield ev.hold(0.6)
        grid.stop()
        grid.stop()
        assert (grid.active, plain.active) == (False, True)
        yield ev.hold(1.0)

    plain.start()
    sim.process(story())
    sim.run()
    # After the event of its start, on its grid, and before the event of its end.
    assert [time for time, _ in grid.log] == [1.1, 1.35, 1.6, 1.1 + 0.6]
    assert [following for _, following in grid.log] == [1.35, 1.6, 1.85, 1.85]
    assert [time for time, _ in plain.log if time <= 1.0] == [0.0, 0.0, 0.5, 1.0]


@pytest.mark.row("R-108", "R-110")
def test_another_period_begins_a_new_grid_and_changes_the_list() -> None:
    sim = ev.Simulation(rng=1)
    Ramp(sim).start()
    look = Look(sim, every=0.5).start()
    observers = sim.monitor.observers
    assert (observers.periodic, observers.at_events) == ([look], [])

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.75)
        assert look.set_frequency(0.2) is look
        assert (look.frequency, look.report_time, look.every) == (0.2, 0.75, 0.2)
        yield ev.hold(0.5)
        look.every = "event"
        assert (observers.periodic, observers.at_events, look.report_time) == ([], [look], inf)
        yield ev.hold(0.75)

    sim.process(story())
    sim.run()
    assert [time for time, _ in look.log] == [0.0, 0.0, 0.5, 0.75, 0.75, 0.95, 1.15, 1.25, 1.25, 2.0, 2.0]
    idle = Look(sim)
    assert (idle.set_frequency(0.25).report_time, idle.active) == (2.0, False)
    idle.every = "step"
    assert (idle.frequency, idle.every, idle.active) == ("step", "step", False)
    with pytest.raises(ev.ModelError, match=r"^every= takes a period"):
        idle.every = "never"  # type: ignore[assignment]


@pytest.mark.row("R-115")
@pytest.mark.parametrize("compiles", [False, "auto"])
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_the_next_report_is_the_next_of_its_grid_and_events_before_it_are_reported_too(
    stepping: Any, compiles: Any
) -> None:
    sim = ev.Simulation(rng=1, dt_max=0.5, stepping=stepping, compile=compiles)
    ramp = Ramp(sim).start()
    log: list[Any] = []

    class Grid(ev.Reporter):
        def report(self) -> None:
            log.append((self.name, round(self.sim.time, 12), self.report_time, self.sim.peek()))

    Grid(sim, name="slow", every=1.0).start()
    Grid(sim, name="fast", every=0.4).start()

    def story() -> ev.ProcessGenerator:
        for level in (0.3, 1.4):
            yield ev.until(lambda level=level: ramp.x >= level)
            log.append(level)
        yield ev.hold(1.7 - sim.time)
        log.append(1.7)

    sim.process(story())
    sim.run()

    def both(time: float, slow: float, fast: float, event: float) -> list[Any]:
        return [("slow", time, slow, event), ("fast", time, fast, event)]

    assert log == [
        *both(0.0, 1.0, 0.4, 0.0),
        *both(0.0, 1.0, 0.4, inf),
        *[*both(0.3, 1.0, 0.4, inf), 0.3, *both(0.3, 1.0, 0.4, inf)],
        *[("fast", 0.4, 0.8, inf), ("fast", 0.8, 1.2, inf), ("slow", 1.0, 2.0, inf), ("fast", 1.2, 1.6, inf)],
        *[*both(1.4, 2.0, 1.6, inf), 1.4, *both(1.4, 2.0, 1.6, 1.7)],
        ("fast", 1.6, 2.0, 1.7),
        *[*both(1.7, 2.0, 2.0, 1.7), 1.7, *both(1.7, 2.0, 2.0, inf)],
    ]


@pytest.mark.row("R-053")
def test_the_monitor_is_one_object_that_can_be_looked_at() -> None:
    sim, other = (ev.Simulation(rng=1, dt_max=0.25, stepping="together") for _ in range(2))
    monitor, look, ramp = sim.monitor, Look(sim), Ramp(sim).start()
    look.start()
    seen: list[Any] = []

    def story() -> ev.ProcessGenerator:
        seen.append(sim.monitor is monitor)
        yield ev.until(lambda: ramp.x >= 0.625)
        seen.append(sim.monitor is monitor)

    def told() -> list[Any]:
        return [monitor.steps, monitor.refused, monitor.state_events, list(monitor.observers)]

    assert told() == [0, 0, 0, [look]]
    sim.process(story())
    sim.run(until=1.0)
    assert seen == [True, True]
    assert told() == [5, 0, 1, [look]]  # to 0.25, 0.5, 0.625, 0.875 and 1
    look.stop()
    assert (told()[3], sim.monitor is monitor) == ([], True)
    assert (other.monitor is monitor, other.monitor.steps) == (False, 0)


@pytest.mark.row("R-040")
def test_limits_can_be_set_in_any_event() -> None:
    sim = ev.Simulation(rng=1)
    Ramp(sim).start()
    assert (sim.dt_min, sim.dt_max, sim.peek()) == (0.0, inf, inf)
    steps: list[float] = []

    class Steps(ev.Reporter):
        def report(self) -> None:
            steps.append(self.sim.dt)

    Steps(sim).start()

    def story() -> ev.ProcessGenerator:
        sim.dt_max = 0.25
        yield ev.hold(1.0)
        sim.dt_max = 0.5
        yield ev.hold(1.0)

    sim.process(story())
    sim.run(until=2.0)
    assert max(steps) == 0.5
    assert max(steps[: steps.index(0.5)]) == 0.25


@pytest.mark.row("R-054")
def test_laws_reporters_and_conditions_run_through_in_list_order() -> None:
    sim = ev.Simulation(rng=1, compile=False, stepping="together")
    log: list[str] = []

    class Noted(ev.Continuous):
        def equations(self) -> None:
            log.append(f"law {self.name}")

    class Told(ev.Reporter):
        def report(self) -> None:
            log.append(f"report {self.name}")

    def waiter(name: str) -> ev.ProcessGenerator:
        yield ev.until(lambda: log.append(f"condition {name}"))

    def event(name: str) -> ev.ProcessGenerator:
        log.append(f"event {name}")
        yield ev.hold(9.0)

    for name in "ab":
        Noted(sim, name=name).start()
        Told(sim, name=name, every="event").start()
        sim.process(waiter(name))
    sim.process(event("c"))
    sim.process(event("d"))
    while sim.step():
        if log[-1] == "event d":
            break
    laws, reports, conditions = ([f"{what} {name}" for name in "ab"] for what in ("law", "report", "condition"))
    begun = log.index("event c")
    # Conditions of one priority are tested as they stand in memory, which decides nothing: who is first in the list is
    # chosen among those that are true.
    assert log[begun + 1 :] == [*laws, *conditions[::-1], *reports, "event d"]
    assert log[begun - 6 : begun] == [*laws, *conditions[::-1], *reports]


@pytest.mark.row("R-054")
@pytest.mark.parametrize("compiles", [False, "auto"])
def test_of_conditions_that_are_true_at_once_the_first_in_the_list_has_its_event_first(compiles: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles, stepping="together")
    ramp = Ramp(sim).start()
    log: list[Any] = []

    def waiter(name: str) -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x >= 0.5)
        log.append((name, sim.time))

    for name in "abcd":
        sim.process(waiter(name), name=name)
    sim.step()
    sim.run()
    when = log[0][1]
    assert (log, when) == ([(name, when) for name in "abcd"], pytest.approx(0.5, abs=1e-12))


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    stiffness: float = 4.0
    label: float = 0.0
    cells: ev.StateVector = ev.state_vector(0.5, size=3)
    loose: ev.Variable | None = None

    def equations(self) -> None:
        self.rate.angle = -self.stiffness * self.angle
        self.rate.cells = -self.cells


@pytest.mark.row("R-117")
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize(("compiles", "every"), [("auto", "event"), ("auto", 0.1), (False, "step")])
@pytest.mark.parametrize("time", [0.0, 0.5, 0.24, 0.21])
@pytest.mark.parametrize(
    ("write", "title"),
    [
        (lambda swing, _: setattr(swing, "angle", 5.0), "swing.angle"),
        (lambda swing, _: setattr(swing["angle"], "state", 5.0), "swing.angle"),
        (lambda swing, _: setattr(swing, "cells", 5.0), "swing.cells[0]"),
        (lambda swing, _: setattr(swing, "stiffness", 5.0), "swing.stiffness"),
        (lambda _, spare: setattr(spare, "angle", 5.0), "spare.angle"),
        (lambda swing, _: setattr(swing.loose, "state", 5.0), "loose"),
        (lambda swing, _: setattr(swing["angle"], "abs_error", 5.0), "swing.angle"),
    ],
    ids=["state", "variable", "vector", "parameter", "spare", "loose", "tolerance"],
)
def test_a_reporter_that_would_change_the_model_is_refused(
    write: Any, title: str, time: float, compiles: Any, every: Any, stepping: Any
) -> None:
    """At the start, before and after time and state events, on its grid and at steps."""
    sim = ev.Simulation(rng=1, compile=compiles, stepping=stepping)
    swing, spare = Swing(sim, name="swing").start(), Swing(sim, name="spare")
    swing.loose = ev.Variable(sim, 1.0, name="loose").start()
    level = 0.36787944117144233  # at 0.25

    class Meddler(ev.Reporter):
        has_tried: bool = False

        def report(self) -> None:
            if self.sim.time >= time and not self.has_tried:
                self.has_tried = True
                write(swing, spare)

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: swing.angle <= level)
        yield ev.hold(0.5 - sim.time)
        yield ev.hold(1.0)

    Meddler(sim, every=every, name="meddler").start()
    sim.process(story())
    with pytest.raises(ev.ModelError) as caught:
        sim.run()
    assert str(caught.value) == (
        f"{title} cannot be changed now: reporters and recordings look at the model and leave it as it is; "
        "let a process or an @ev.when handler change it"
    )
    assert caught.value.__notes__[0].startswith("in the report of meddler at time ")
    assert (swing.stiffness, spare.angle) == (4.0, 1.0)


class Coupled(ev.Continuous):
    """An oscillator whose law goes over a list."""

    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)
    others: list[Any] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = -3.0 * self.x + sum(other.x for other in self.others)


@pytest.mark.slow
@pytest.mark.parametrize("every", [0.25, "event", "step"])
@pytest.mark.parametrize("change", ["list", "field", "nothing"])
@pytest.mark.parametrize("compiles", ["auto", False])
def test_what_is_changed_after_a_reporter_has_failed_counts_from_then_on(
    compiles: Any, change: str, every: Any
) -> None:
    """An error of a reporter ends a run amid steps; the next one begins as if the run had ended there by itself."""

    class Failed(Exception):
        pass

    class Fails(ev.Reporter):
        failed: float = 0.0

        def report(self) -> None:
            if self.sim.time >= 0.7 and not self.failed:
                self.failed = self.sim.time
                raise Failed

    def run(until: float) -> tuple[float, float, float]:
        sim = ev.Simulation(compile=compiles, rel_error=1e-8, abs_error=1e-10, method=ev.methods.DOP853)
        one, other = Coupled(sim).start(), Coupled(sim, x=0.5).start()
        if until == inf:
            fails = Fails(sim, every=every).start()
            with pytest.raises(Failed):
                sim.run(until=0.7)
            until = fails.failed
        else:
            sim.run(until=until)
        if change == "list":
            one.others.append(other)
        elif change == "field":
            one.others = [other]
        sim.run(until=2.0)
        return one.x, one.v, until

    x, v, time = run(inf)
    assert time >= 0.7
    assert run(time) == (pytest.approx(x, abs=1e-7), pytest.approx(v, abs=1e-7), time)
