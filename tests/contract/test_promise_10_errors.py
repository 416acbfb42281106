"""Promise 10: an error is the user's own object, with notes, from wherever it comes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf, sqrt
from typing import Any

import pytest
from wording import wording, wording_of

import eventide as ev

Simulate = Callable[..., ev.Simulation]
MINE = KeyError("mine")


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


def fail(sim: ev.Simulation) -> bool:
    if sim.time >= 0.5:
        raise MINE
    return False


def in_equations(sim: ev.Simulation) -> str:
    class Bad(Ramp):
        def equations(self) -> None:
            fail(self.sim)
            self.rate.x = 1.0

    Bad(sim, name="bad").start()
    return "in the equations of bad at time"


def in_contributions(sim: ev.Simulation) -> str:
    class Bad(Ramp):
        def contributions(self) -> None:
            fail(self.sim)

    Bad(sim, name="bad").start()
    return "in the equations of bad at time"


def in_report(sim: ev.Simulation) -> str:
    class Bad(ev.Reporter):
        def report(self) -> None:
            fail(self.sim)

    Bad(sim, name="bad", every=0.25).start()
    return "in the report of bad at time 0.5"


def in_until(sim: ev.Simulation) -> str:
    def bad() -> ev.ProcessGenerator:
        yield ev.until(lambda: fail(sim))

    sim.process(bad(), name="bad")
    return "in the condition of bad at time"


def in_when(sim: ev.Simulation) -> str:
    class Bad(Ramp):
        @ev.when(lambda self: fail(self.sim))
        def handler(self) -> None:
            pass

    Bad(sim, name="bad").start()
    return "in the condition of bad.handler at time"


def in_process(sim: ev.Simulation) -> str:
    def bad() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        fail(sim)

    sim.process(bad(), name="bad")
    return "bad was active at time 0.5, at "


def in_handler(sim: ev.Simulation) -> str:
    class Bad(Ramp):
        @ev.when(lambda self: self.x >= 0.75)
        def handler(self) -> None:
            fail(self.sim)

    Bad(sim, name="bad").start()
    return "bad.handler was active at time 0.75"


def in_period(sim: ev.Simulation) -> str:
    class Bad(Ramp):
        @ev.every(0.5)
        def beat(self) -> None:
            fail(self.sim)

    Bad(sim, name="bad").start()
    return "bad.beat was active at time 0.5"


PLACES = (in_equations, in_contributions, in_report, in_until, in_when, in_process, in_handler, in_period)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_the_same_object_goes_up_with_a_note(simulate: Simulate, place: Callable[[ev.Simulation], str]) -> None:
    MINE.__dict__.pop("__notes__", None)
    sim = simulate(dt_max=0.125)
    Ramp(sim).start()
    note = place(sim)
    with pytest.raises(KeyError) as caught:
        sim.run(until=2.0)
    assert caught.value is MINE
    assert caught.value.args == ("mine",)
    notes = MINE.__notes__
    assert len(notes) == 1
    assert note.rpartition(" ")[0] in notes[0]
    assert any(entry.name == "fail" for entry in caught.traceback)
    assert not sim.active


@pytest.mark.parametrize("value", [-1.0, 0.0])
def test_arithmetic_in_a_trial_stage_is_tried_again_and_then_goes_up(simulate: Simulate, value: float) -> None:
    """X falls to 0 as (1 - t)**2; beyond, the square root has no value, and a trial stage may look there."""
    sim = simulate(rel_error=1e-8, abs_error=1e-10)
    log: list[Any] = []

    class Draining(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x = -2.0 * sqrt(self.x)

        @ev.when(lambda self: self.x <= 1e-4)
        def dry(self) -> None:
            log.append(round(self.sim.time, 5))
            if value == 0.0:
                self.stop()
            self.x = value

    Draining(sim, name="tank").start()
    if value == 0.0:
        sim.run(until=2.0)
        assert sim.time == 2.0
    else:
        with pytest.raises(ValueError) as caught:  # noqa: PT011  # its words are Python's, asked in the next line
            sim.run(until=2.0)
        assert wording(caught.value) == wording_of(sqrt, -1e-4)
        assert caught.value.__notes__[0].startswith("in the equations of tank at time 0.9")
    assert log == [0.99]


class Ratio(ev.Continuous):
    """Its first value can be had where its second one cannot."""

    x: ev.State = ev.state(1.0)
    divisor: float = 1.0
    twice: ev.Computed = ev.computed()
    ratio: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.twice = 2.0 * self.x
        self.ratio = 1.0 / self.divisor
        self.rate.x = 1.0


def broken(compile_: Any) -> list[Any]:
    """What can be read after laws have failed at an event, and after the next run."""
    sim = ev.Simulation(rng=1, compile=compile_)
    one, other = Ratio(sim).start(), Ratio(sim).start()

    def breaks() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        one.divisor = 0.0

    sim.process(breaks())
    with pytest.raises(ZeroDivisionError):
        sim.run(until=2.0)
    seen: list[Any] = [(sim.time, repr((one.x, one.twice, one.ratio)), other.ratio)]
    one.divisor = 4.0
    sim.run(until=2.0)
    return [*seen, (sim.time, one.x, one.twice, one.ratio)]


@pytest.mark.parametrize("compile_", ["auto", False])
def test_what_laws_compute_has_no_value_after_they_have_failed(compile_: Any) -> None:
    assert broken(compile_) == [(1.0, "(2.0, nan, nan)", 1.0), (2.0, 3.0, 6.0, 0.25)]


class Steps(Ramp):
    """Its level rises by one at each of its own events."""

    level: float = 1.0
    log: list = ev.field(default_factory=list)

    def note(self) -> None:
        self.log.append(self.sim.time)
        self.level += 1.0


class Reaching(Steps):
    @ev.when(lambda self: self.x >= self.level)
    def act(self) -> None:
        self.note()


class Crossing(Steps):
    @ev.when(ev.crosses(lambda self: self.x - self.level))
    def act(self) -> None:
        self.note()


class Waiting(Steps):
    def begin(self) -> None:
        self.sim.process(self.go())

    def go(self) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: self.x >= self.level)
            self.note()


class Choosing(Waiting):
    def go(self) -> ev.ProcessGenerator:
        while True:
            yield ev.first_of(level=ev.until(lambda: self.x >= self.level), late=ev.hold(50.0))
            self.note()


class FailingOnce(ev.Reporter):
    every: ev.observe.Every = "event"
    fails_at: float = inf

    def report(self) -> None:
        if self.sim.time > self.fails_at:
            self.fails_at = inf
            raise KeyError("mine")


@pytest.mark.parametrize("kind", [Reaching, Crossing, Waiting, Choosing])
def test_the_event_at_which_an_observer_fails_takes_place_as_the_run_goes_on(
    kind: type[Steps], simulate: Simulate
) -> None:
    """It was lost: the handler did not run, and the process waited for ever."""

    def run(fails_at: float) -> tuple[list[float], list[float]]:
        sim = simulate()
        steps = kind(sim, name="steps").start()
        if isinstance(steps, Waiting):
            steps.begin()
        FailingOnce(sim, fails_at=fails_at).start()
        rows = sim.record(steps, every="event")
        while sim.time < 4.5:
            with suppress(KeyError):
                sim.run(until=4.5)
        return steps.log, rows["steps.x"].tolist()

    log, rows = run(inf)
    assert len(log) == 4
    assert run(1.9) == (log, rows)


def test_an_observer_that_fails_leaves_no_gap_in_what_others_record(simulate: Simulate) -> None:
    """Those behind it in their order lost the sample of that time, and its error hid that of another."""
    sim = simulate()
    ramp = Ramp(sim, name="ramp").start()
    for _ in range(2):
        FailingOnce(sim, every=0.5, fails_at=0.9).start()
    rows = sim.record(ramp, every=0.5)
    with pytest.raises(KeyError) as info:
        sim.run(until=3.0)
    assert "another observer failed there as well: KeyError('mine')" in info.value.__notes__
    sim.run(until=3.0)
    assert sorted(set(rows.times.tolist())) == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]


class Periodic(Steps):
    @ev.every(0.75)
    def act(self) -> None:
        self.note()
        if len(self.log) == 2:
            raise KeyError("mine")


class OnceTooMuch(Steps):
    @ev.when(lambda self: self.x >= self.level)
    def act(self) -> None:
        self.note()
        if len(self.log) == 2:
            raise KeyError("mine")


@pytest.mark.parametrize(("kind", "times"), [(Periodic, [0.0, 0.75, 1.5, 2.25, 3.0]), (OnceTooMuch, [1.0, 2.0, 3.0])])
def test_a_handler_that_fails_is_called_at_its_next_event(
    kind: type[Steps], times: list[float], simulate: Simulate
) -> None:
    """A periodic one was called no more, and nothing said so."""
    sim = simulate()
    steps = kind(sim).start()
    with pytest.raises(KeyError):
        sim.run(until=3.5)
    sim.run(until=3.5)
    assert steps.log == pytest.approx(times, abs=1e-9)


class Filled(Ramp):
    def is_full(self) -> bool:
        return self.x > 1.0


def waits_for(condition: Callable[[], object]) -> ev.ProcessGenerator:
    yield ev.until(condition)


def watch_by_handler(sim: ev.Simulation) -> None:
    class Watched(Filled):
        @ev.when(lambda self: self.is_full)
        def fills(self) -> None:
            raise AssertionError

    Watched(sim, name="tank").start()


def wait_by_until(sim: ev.Simulation) -> None:
    tank = Filled(sim, name="tank").start()
    sim.process(waits_for(lambda: tank.is_full))


@pytest.mark.parametrize("begin", [watch_by_handler, wait_by_until])
def test_a_condition_that_gives_a_function_in_place_of_its_result_is_refused(
    simulate: Simulate, begin: Callable[[ev.Simulation], None]
) -> None:
    sim = simulate()
    begin(sim)
    with pytest.raises(ev.ModelError, match=r"gives the function is_full, which is always true: call it"):
        sim.run(until=2.0)


@pytest.mark.parametrize("kind", ["resource", "store", "container", "simulation", "tally", "class"])
@pytest.mark.parametrize("moves", [True, False])
def test_a_condition_that_gives_a_thing_in_place_of_its_number_is_refused(
    simulate: Simulate, kind: str, moves: bool
) -> None:
    sim = simulate()
    if moves:
        Filled(sim).start()
    things: dict[str, object] = {
        "resource": ev.Resource(sim, 1), "store": ev.Store(sim), "container": ev.Container(sim, 2.0),
        "simulation": sim, "tally": sim.tally("waits"), "class": Filled,
    }  # fmt: skip
    sim.process(waits_for(lambda: things[kind]))
    with pytest.raises(
        ev.ModelError, match=r"gives <.*>, which is always true: compare one of its numbers, as in `desk"
    ):
        sim.run(until=2.0)


def test_a_condition_may_give_an_object_that_may_be_missing(simulate: Simulate) -> None:
    sim, there = simulate(), {"tank": None}
    tank, log = Filled(sim), []

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: there["tank"])
        log.append(sim.time)

    def bring() -> ev.ProcessGenerator:
        yield ev.hold(1.5)
        there["tank"] = tank

    sim.process(wait())
    sim.process(bring())
    sim.run(until=2.0)
    assert log == [1.5]
