"""Promise 5: output never changes the run."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from numpy.random import Generator, default_rng

import eventide as ev

Simulate = Callable[..., ev.Simulation]


class Prey(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.5)
    share: ev.Computed = ev.computed()
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.share = self.x / (self.x + self.y)
        self.rate.x = self.x * (1.0 - self.y)
        self.rate.y = self.y * (self.x - 1.0)

    @ev.when(lambda self: self.x >= 1.2)
    def many(self) -> None:
        self.log.append((self.sim.time, self.x, self.y, self.share))
        self.x -= 0.1


class Look(ev.Reporter):
    prey: Prey
    seen: list = ev.field(default_factory=list)

    def report(self) -> None:
        self.seen.append((self.prey.x, self.prey.rate.y, self.prey.share, self.sim.dt))


Watch = Callable[[ev.Simulation, Prey], Callable[[], int]]
"""Begins to look, and answers how to ask how often it has."""


def run(simulate: Simulate, watch: Watch | None = None) -> list[Any]:
    sim = simulate()
    prey = Prey(sim).start()
    looks = watch(sim, prey) if watch is not None else lambda: 1

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(sim.stream("gaps").exponential(0.7))
            prey.log.append(("event", sim.time, prey.y))
            prey.y += 0.01

    sim.process(story())
    sim.run(until=20.0)
    assert looks() > 0
    report = sim.report()
    return [*prey.log, sim.time, prey.x, prey.y, report.steps, report.refused, report.evaluations, report.state_events]


def recorded(**options: Any) -> Watch:
    def watch(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
        recording = sim.record(prey, **options)
        return lambda: len(recording.times)

    return watch


def reported(every: Any) -> Watch:
    def watch(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
        seen = Look(sim, prey=prey, every=every).start().seen
        return lambda: len(seen)

    return watch


def traced(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
    told: list[ev.Occurrence] = []
    sim.trace = told.append
    return lambda: len(told)


def logged(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
    log = sim.log()
    return lambda: len(log)


WATCHING: dict[str, Watch] = {
    "grid": recorded(every=0.013),
    "steps": recorded(every="step"),
    "events": recorded(every="event"),
    "grid without events": recorded(every=0.1, events=False),
    "reporter": reported(0.07),
    "reporter of steps": reported("step"),
    "trace": traced,
    "log": logged,
}


@pytest.mark.row("R-042", "R-114")
@pytest.mark.parametrize("what", WATCHING)
def test_whoever_looks_changes_no_bit(simulate: Simulate, what: str) -> None:
    plain = run(simulate)
    assert len(plain) > 30
    assert run(simulate, WATCHING[what]) == plain


def run_with_waits(simulate: Simulate, seed: int, watch: Watch | None = None) -> list[Any]:
    """Processes wait for conditions of which it is found out as they run whom they touch: these join flows."""
    sim, log = simulate(), []
    preys = [Prey(sim, x=1.0 + 0.1 * k, y=0.5 + 0.2 * k).start() for k in range(4)]
    if watch is not None:
        watch(sim, preys[0])
        watch(sim, preys[3])

    def waits(number: int) -> ev.ProcessGenerator:
        draws = Random(f"{seed} {number}")
        while True:
            i, j, level = draws.randrange(4), draws.randrange(4), draws.uniform(-0.5, 0.5)
            yield ev.until(lambda: preys[i].x - preys[j].y > level)  # noqa: B023  # over before they change
            log.append((number, sim.time))
            yield ev.hold(draws.uniform(0.05, 1.5))

    for number in range(2):
        sim.process(waits(number))
    sim.run(until=4.0)
    return [*log, *[prey.log for prey in preys], *[(prey.x, prey.y) for prey in preys]]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["grid", "steps", "events", "reporter"])
def test_whoever_looks_changes_no_bit_where_flows_join_as_conditions_run(simulate: Simulate, what: str) -> None:
    for seed in range(2):
        assert run_with_waits(simulate, seed, WATCHING[what]) == run_with_waits(simulate, seed)


class Warmed(ev.Continuous):
    """Its law has a branch, which changes at 0.55 and 1.84, and a source that jumps at 1.1 and 2.0."""

    x: ev.State = ev.state(0.0)
    heat: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.heat = SOURCE(self.sim.time)
        self.rate.x = self.heat if self.x < 0.55 else 0.5 * self.heat


SOURCE = ev.inputs.HeldTable((0.0, 1.1, 2.0), (1.0, -1.0, -0.5))
ROWS: dict[str, dict[str, Any]] = {"grid": {"every": 0.25}, "steps": {"every": "step"}, "events": {"every": "event"}}
OTHERS: dict[str, Callable[[ev.Simulation, Warmed], object]] = {
    "grid": lambda sim, warmed: sim.record(warmed, every=0.1, name="other"),
    "steps": lambda sim, warmed: sim.record(warmed, every="step", name="other"),
    "events": lambda sim, warmed: sim.record(warmed, every="event", name="other"),
    "dense": lambda sim, warmed: sim.record(warmed, every=0.1, dense=True, name="other"),
    "integral": lambda sim, warmed: sim.integral(lambda: warmed.x**2, name="other"),
    "reporter": lambda sim, warmed: Silent(sim, every=0.1).start(),
    "reporter of steps": lambda sim, warmed: Silent(sim, every="step").start(),
}


class Silent(ev.Reporter):
    def report(self) -> None:
        pass


def rows_beside(sim: ev.Simulation, kind: str, other: str | None, *, waits: bool = False) -> list[Any]:
    """The rows of a recording, with what else is to be seen at the instant of the jump."""
    warmed, seen = Warmed(sim).start(), []
    recording = sim.record(warmed, **ROWS[kind])
    if other is not None:
        OTHERS[other](sim, warmed)

    def story() -> ev.ProcessGenerator:
        for _ in range(2):
            yield ev.hold(1.1)
            seen.append((sim.time, warmed.x, warmed.heat, warmed.rate.x))

    def waiting() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 2.0)
        seen.append((sim.time, warmed.x, warmed.heat, warmed.rate.x))
        warmed.x += 0.125

    sim.process(story())
    if waits:
        sim.process(waiting())
    sim.run(until=2.6)
    return [*seen, *map(tuple, recording.to_pandas(sides=True).reset_index().astype(str).to_numpy().tolist())]


@pytest.mark.slow
@pytest.mark.row("R-042", "R-114")
@pytest.mark.parametrize("kind", ROWS)
def test_a_recording_has_the_same_rows_whoever_else_looks(simulate: Simulate, kind: str) -> None:
    alone = rows_beside(simulate(), kind, None)
    assert {other: rows_beside(simulate(), kind, other) for other in OTHERS} == dict.fromkeys(OTHERS, alone)
    if kind == "grid":  # at a jump a row shows what holds from then on
        assert [row[-1] for row in alone if row[0] == "2.0"] == ["-0.5"]


@pytest.mark.slow
@pytest.mark.row("R-042", "R-114")
@pytest.mark.parametrize("kind", ROWS)
def test_a_condition_on_time_alone_at_a_jump_is_the_same_whoever_else_looks(simulate: Simulate, kind: str) -> None:
    """Where a step was seen that ended there, its time was passed over, and it was found as others are."""
    alone = rows_beside(simulate(), kind, None, waits=True)
    assert {other: rows_beside(simulate(), kind, other, waits=True) for other in OTHERS} == dict.fromkeys(OTHERS, alone)


class Switched(ev.Continuous):
    """Its law has a branch that changes at 0.5."""

    x: ev.State = ev.state(1.0)
    source: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.source = 1.0 if self.sim.time >= 0.5 else 0.0
        self.rate.x = self.source - self.x


@pytest.mark.slow
@pytest.mark.row("R-042", "R-114")
def test_a_regular_row_shows_what_holds_from_a_change_in_a_law_on(simulate: Simulate) -> None:
    """It showed what held before wherever Python had to look, and native rows what holds after."""

    def rows(*others: Callable[[ev.Simulation, Any], object]) -> list[Any]:
        sim = simulate()
        switched = [Switched(sim, x=float(k)).start() for k in (1, 2)]
        recording = sim.record(*switched, every=0.25)
        for other in others:
            other(sim, switched[0])
        sim.run(until=0.8)
        return recording.to_pandas(sides=True).reset_index().astype(str).to_numpy().tolist()

    alone = rows()
    assert [row[3] for row in alone] == ["0.0", "0.0", "1.0", "1.0", "1.0"]
    beside = [rows(lambda sim, _: Silent(sim, every=0.25).start()), *[rows(other) for other in OTHERS.values()]]
    assert beside == [alone] * len(beside)


def test_what_an_observer_leaves_behind_changes_no_event(simulate: Simulate) -> None:
    """It would have looked at the time of an event scheduled meanwhile, where a comparison in a law changes."""

    def seen(*, observed: bool) -> list[float]:
        sim = simulate()
        switched, sources = Switched(sim).start(), []
        silent = Silent(sim, every=0.5)
        if observed:
            silent.start()

        def story() -> ev.ProcessGenerator:
            yield ev.until(lambda: switched.x < 0.75)
            silent.stop()
            yield ev.hold(0.5 - sim.time)
            sources.extend((sim.time, switched.source))

        def wait() -> ev.ProcessGenerator:
            yield ev.until(lambda: switched.source > 0.5)
            sources.append(sim.time)

        sim.process(story())
        sim.process(wait())
        sim.run(until=0.8)
        return sources

    assert seen(observed=True) == seen(observed=False) == [0.5, 1.0, 0.5]


@pytest.mark.parametrize("happens", ["an event", "a condition on time alone"])
def test_a_step_that_ends_at_a_jump_of_an_input_has_one_row_on_each_side(simulate: Any, happens: str) -> None:
    sim = simulate()

    class Driven(ev.Continuous):
        x: ev.State = ev.state(0.0)
        drive: ev.inputs.Step = ev.inputs.Step(1.0, 2.0, -1.0)

        def equations(self) -> None:
            self.rate.x = self.drive(sim.time)

    def story() -> ev.ProcessGenerator:
        if happens == "an event":
            yield ev.hold(1.0)
        else:
            yield ev.until(lambda: sim.time >= 1.0)
        yield ev.hold(0.5)

    steps = sim.record(Driven(sim).start(), every="step")
    sim.process(story())
    sim.run(until=2.0)
    assert list(steps.times).count(1.0) == 2


class Noisy(ev.Reporter):
    """Draws at each look, or at the last ones alone."""

    draw: Callable[[], float]
    after: float = 0.0

    def report(self) -> None:
        if self.sim.time >= self.after:
            self.draw()


DRAWING: dict[str, Callable[[ev.Simulation, Callable[[], float]], object]] = {
    "recorded function": lambda sim, draw: sim.record(noise=draw, every="event"),
    "integral": lambda sim, draw: sim.integral(lambda: 0.0 * draw()),
    "reporter": lambda sim, draw: Noisy(sim, draw=draw, every=0.75).start(),
    "late reporter": lambda sim, draw: Noisy(sim, draw=draw, every="event", after=40.0).start(),
}


def times_of_arrivals(simulate: Simulate, look: Callable[[ev.Simulation], object]) -> list[float]:
    sim, times = simulate(rng=3), []
    arrivals = sim.stream("arrivals")

    def source() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(arrivals.exponential(0.25))
            times.append(sim.time)

    sim.process(source())
    look(sim)
    sim.run(until=50.0)
    return times


@pytest.mark.parametrize("what", DRAWING)
def test_what_looks_draws_from_no_stream_of_the_model(simulate: Simulate, what: str) -> None:
    with pytest.raises(ev.ModelError, match=r"draws from stream 'arrivals', and so does the model.*'arrivals as seen'"):
        times_of_arrivals(simulate, lambda sim: DRAWING[what](sim, sim.stream("arrivals").random))


GENERATORS: dict[str, tuple[Callable[[], Random | Generator], str]] = {
    "random": (lambda: Random(3), r"a random\.Random"),
    "numpy": (lambda: default_rng(3), r"a numpy\.random\._generator\.Generator"),
}


@pytest.mark.parametrize("kind", GENERATORS)
@pytest.mark.parametrize("what", DRAWING)
@pytest.mark.parametrize("way", ["a method", "a function"])
def test_what_looks_draws_from_no_generator_of_the_model(simulate: Simulate, kind: str, what: str, way: str) -> None:
    make, told = GENERATORS[kind]
    draws = [make() for _ in range(4)]

    def times_of(draw: Random | Generator, seen: Random | Generator | None) -> list[float]:
        sim, times = simulate(), []

        def source() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(draw.random())
                times.append(sim.time)

        sim.process(source())
        if seen is not None:
            seen.random()  # what was drawn before it looks changes nothing
            DRAWING[what](sim, seen.random if way == "a method" else lambda: seen.random() + 1.0)
        sim.run(until=50.0)
        return times

    assert times_of(draws[0], draws[1]) == times_of(draws[2], None)
    with pytest.raises(ev.ModelError, match=f" draws from {told}, and so does the model, which would do something els"):
        times_of(draws[3], draws[3])


def test_a_generator_that_is_given_after_a_recording_has_begun_is_found(simulate: Simulate) -> None:
    sim, tools = simulate(), SimpleNamespace()

    def source() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(tools.draws.random())

    sim.record(every="event", noise=lambda: 1.0 + tools.draws.random())
    tools.draws = Random(3)
    sim.process(source())
    with pytest.raises(ev.ModelError, match=r"draws from a random\.Random, and so does the model"):
        sim.run(until=50.0)


@pytest.mark.slow
@pytest.mark.parametrize("what", DRAWING)
def test_what_looks_may_draw_from_a_stream_of_its_own(simulate: Simulate, what: str) -> None:
    plain = times_of_arrivals(simulate, lambda _: None)

    def look(sim: ev.Simulation) -> None:
        own, other = sim.stream("noise"), sim.stream("arrivals").rng
        own.random()  # what was drawn before it looks changes nothing
        DRAWING[what](sim, lambda: own.normal(0.0, 1.0) + other.random())

    assert times_of_arrivals(simulate, look) == plain
