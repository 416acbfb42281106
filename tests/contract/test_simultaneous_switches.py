"""Promise 1 where laws change at one time, by comparisons or by inputs: what is due then comes by rank.

Whoever's step ends first, and whatever else takes place. An event at that time reads what holds from then on.
"""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest

import eventide as ev

AT = 1.75
OBSERVED = ("", "grid", "event", "step", "reporter")


class Watched(ev.Continuous):
    number: int = 0
    given: float = 0.0
    x: ev.State = ev.state(0.0)
    q: ev.Computed = ev.computed()
    log: list[Any] = ev.field(default_factory=list)

    @ev.when(lambda self: self.q > 0.5)
    def pass_by(self) -> None:
        self.log.append(("pass_by", self.number, round(self.sim.time, 9)))

    @ev.when(lambda self: self.q > 0.2)
    def come_near(self) -> None:
        self.log.append(("come_near", self.number, round(self.sim.time, 9)))


class ByTime(Watched):
    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = -1.0 if self.sim.time < AT else 1.0


class ByState(Watched):
    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = 1.0 if self.x >= 0.875 else -1.0


class ByInput(Watched):
    drive: ev.inputs.Step = ev.inputs.Step(AT, 2.0, -1.0)

    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = self.drive(self.sim.time)


class ByEvent(Watched):
    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = self.given


def logged(seed: int, observed: str, **settings: Any) -> list[Any]:
    """What happens to some objects, of which some are stopped and started again, at times that they share."""
    random, sim, log = Random(seed), ev.Simulation(**settings), []
    kinds = random.choices((ByTime, ByTime, ByState, ByInput, ByEvent), k=random.randint(2, 6))
    objects = [kind(sim, number=number, log=log) for number, kind in enumerate(kinds)]
    for one in random.sample(objects, len(objects)):
        one.start()

    def change() -> Any:
        yield ev.hold(0.125)
        for one in random.sample(objects, random.randint(0, len(objects))):
            one.stop()
        yield ev.hold(0.25)
        for one in random.sample(objects, len(objects)):
            if not one.active:
                one.start()
        yield ev.hold((AT if seed % 2 else 2.5) - sim.time)
        log.append(("change", sim.time))
        for one in objects:
            one.given = 1.0

    def wait(one: Watched) -> Any:
        yield ev.until(lambda: one.q > 0.5)
        log.append(("wait", one.number, round(sim.time, 9)))

    sim.process(change())
    for one in random.sample(objects, random.randint(0, len(objects))):
        sim.process(wait(one))
    if observed == "reporter":
        type("Looks", (ev.Reporter,), {"report": lambda _: None})(sim, every=0.0625).start()
    elif observed:
        sim.record(*objects, every=0.25 if observed == "grid" else observed)
    sim.run(until=3.0)
    return log


@pytest.mark.slow
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 1)) for seed in range(40)])
def test_what_is_due_where_comparisons_change_comes_by_rank(seed: int) -> None:
    expected = logged(seed, "", stepping="together", compile=False)
    assert len(expected) >= 3
    found = {
        (stepping, compiles, observed): logged(seed, observed, stepping=stepping, compile=compiles)
        for stepping in ("apart", "together")
        for compiles in ("auto", False)
        for observed in OBSERVED
    }
    assert found == dict.fromkeys(found, expected)


@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_who_is_started_again_comes_last(stepping: Any, compiles: Any) -> None:
    sim, log = ev.Simulation(stepping=stepping, compile=compiles), []
    first, second = (ByTime(sim, number=number, log=log).start() for number in (1, 2))
    sim.run(until=0.5)
    first.stop()
    sim.run(until=1.0)
    first.start()
    sim.run(until=3.0)
    assert [(name, number) for name, number, _ in log] == [
        ("pass_by", 2),
        ("come_near", 2),
        ("pass_by", 1),
        ("come_near", 1),
    ]
    assert second.active


class Rising(ev.Continuous):
    """Reaches 1 at time 1 exactly, by Euler's method with steps of 0.25."""

    x: ev.State = ev.state(0.0)
    q: ev.Computed = ev.computed()
    others: list[Any] = ev.field(default_factory=list)
    log: list[Any] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = self.x

    @ev.when(lambda self: self.x >= 1.0)
    def arrive(self) -> None:
        self.log.append((type(self).__name__, self.sim.time, *(one.q for one in self.others)))


class Jumping(Rising):
    drive: ev.inputs.Step = ev.inputs.Step(1.0, 1.0, -1.0)

    def equations(self) -> None:
        self.rate.x = 0.0
        self.q = self.drive(self.sim.time)

    @ev.when(lambda self: self.q > 0.5)
    def arrive(self) -> None:
        super().arrive()


class Turning(Jumping):
    def equations(self) -> None:
        self.rate.x = 0.0
        self.q = 1.0 if self.sim.time >= 1.0 else -1.0


class TurningAtLevel(Rising):
    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = 1.0 if self.x >= 1.0 else -1.0


class TurningTwice(TurningAtLevel):
    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = (1.0 if self.x >= 1.0 else -1.0) - (0.5 if self.x < 0.875 else 0.0)


class TurningByItself(TurningAtLevel):
    @ev.when(lambda self: self.q > 0.5)
    def arrive(self) -> None:
        super().arrive()


SWITCHES = {Turning: 1, TurningAtLevel: 1, TurningByItself: 1, TurningTwice: 2}
EXACT = {"method": "EULER", "dt_max": 0.25}
CHANGING = (Jumping, Turning, TurningAtLevel, TurningByItself, TurningTwice)
each_way = pytest.mark.parametrize("compiles", ["auto", False])
each_stepping = pytest.mark.parametrize("stepping", ["apart", "together"])


@pytest.mark.slow
@each_way
@each_stepping
@pytest.mark.parametrize("observed", ["", *(pytest.param(one, marks=pytest.mark.slow) for one in OBSERVED[1:])])
def test_state_events_of_one_time_come_by_rank_and_read_what_holds_then(
    stepping: Any, compiles: Any, observed: str
) -> None:
    for kinds in permutations((Rising, *CHANGING), 2):
        sim, log = ev.Simulation(**EXACT, stepping=stepping, compile=compiles), []
        objects = [kind(sim, log=log) for kind in kinds]
        for one in objects:
            one.others.extend(objects)
            one.start()
        if observed == "reporter":
            type("Looks", (ev.Reporter,), {"report": lambda _: None})(sim, every=0.0625).start()
        elif observed:
            sim.record(*objects, every=0.25 if observed == "grid" else observed)
        sim.run(until=2.0)
        assert log == [(kind.__name__, 1.0, 1.0, 1.0) for kind in kinds]
        if Jumping not in kinds:
            assert sim.report().switches == sum(SWITCHES.get(kind, 0) for kind in kinds)


@each_way
@each_stepping
@pytest.mark.parametrize(("pieces", "observed"), [(1, ""), (2, ""), (1, "step")])
@pytest.mark.parametrize("kind", CHANGING)
def test_a_time_event_reads_what_holds_from_a_change_on(
    kind: type[Rising], pieces: int, observed: Any, stepping: Any, compiles: Any
) -> None:
    sim = ev.Simulation(**EXACT, stepping=stepping, compile=compiles)
    one, other, read = kind(sim).start(), Rising(sim).start(), []
    if observed:
        sim.record(one, every=observed)

    def look(*, writes: bool) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        read.append((sim.time, one.q, one.log == []))
        if writes:
            other.x = 0.0

    for writes in (False, True, False):
        sim.process(look(writes=writes))
    if pieces == 2:
        sim.run(until=1.0)
        assert one.q == 1.0
    sim.run(until=1.5)
    assert read == [(1.0, 1.0, True)] * 3
    assert len(one.log) == 1


@each_way
@each_stepping
@pytest.mark.parametrize("kind", CHANGING)
def test_an_event_that_a_change_makes_has_two_rows(kind: type[Rising], stepping: Any, compiles: Any) -> None:
    sim = ev.Simulation(**EXACT, stepping=stepping, compile=compiles)
    one = kind(sim).start()
    every_event, grid = sim.record(one, every="event"), sim.record(one, every=0.5)
    sim.run(until=1.5)
    for recording, sides in ((every_event, ["before", "after"]), (grid, [""])):
        rows = recording.to_pandas(sides=True).reset_index()
        at = rows[rows["time"] == 1.0]
        assert at["side"].tolist() == sides
        assert at.filter(like=".q").to_numpy().ravel().tolist() == [1.0] * len(sides)
