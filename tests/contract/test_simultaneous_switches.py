"""Promise 1 where comparisons in laws change at one time: what is due then comes by rank, whoever's step ends first."""

from __future__ import annotations

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
