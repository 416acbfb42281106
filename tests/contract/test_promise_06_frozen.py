"""Promise 6: between events the discrete world is frozen. The calls that are refused stand in test_errors.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    slope: float = 1.0

    def equations(self) -> None:
        self.rate.x = self.slope


def test_laws_see_one_discrete_world_from_event_to_event() -> None:
    """What laws and conditions read of queues and processes changes at the events and at no other time."""
    sim = ev.Simulation(rng=1, compile=False, dt_max=0.1)
    desk = ev.Resource(sim, 1, name="desk")
    seen: dict[tuple[int, bool, Any], None] = {}

    class Spy(Ramp):
        def equations(self) -> None:
            self.rate.x = 1.0 + desk.in_use.value
            seen[self.sim.events, self.sim.active, (desk.in_use.value, len(desk.waiting), self.sim.current)] = None

    def customer(after: float) -> ev.ProcessGenerator:
        yield ev.hold(after)
        with desk.request() as place:
            yield place
            yield ev.hold(1.0)

    Spy(sim).start()
    for after in (0.25, 0.75):
        sim.process(customer(after))
    sim.run()
    states = [state for _, _, state in seen]
    assert [events for events, _, _ in seen] == list(range(sim.events + 1))
    assert all(active for _, active, _ in seen)
    assert [(users, waiting) for users, waiting, _ in states] == [
        *[(0, 0)] * 3,
        (1, 0),
        (1, 1),
        (1, 0),
        (1, 0),
        (0, 0),
    ]
    assert {current for _, _, current in states} == {None}


def test_a_plain_field_changes_in_events_only(simulate: Simulate) -> None:
    class Sly(Ramp):
        def equations(self) -> None:
            self.slope = 2.0
            self.rate.x = self.slope

    with pytest.raises(ev.ModelError, match=r"Sly\.equations assigns the field 'slope' .* changes in events only"):
        Sly(simulate()).start()


def test_a_rate_is_not_written_in_an_event(simulate: Simulate) -> None:
    sim = simulate()
    ramp = Ramp(sim).start()

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        ramp.rate.x = 5.0

    sim.process(clerk())
    with pytest.raises(AttributeError, match="x cannot be set here: rates are written by equations"):
        sim.run(until=2.0)


def test_a_run_inside_a_run_is_refused(simulate: Simulate) -> None:
    sim = simulate()

    class Eager(Ramp):
        def equations(self) -> None:
            self.rate.x = 1.0
            self.sim.run(until=5.0)

    Eager(sim, name="eager").start()
    with pytest.raises(ev.ModelError, match=r"run\(\) was called from inside the run") as caught:
        sim.run(until=1.0)
    assert caught.value.__notes__ == ["in the equations of eager at time 0.0"]


class Held(Ramp):
    n: int = 0
    found: list = ev.field(default_factory=lambda: [3.0])
    memo: dict = ev.field(default_factory=dict)

    def counts(self) -> bool:
        self.n += 1
        return self.n > 9

    def sets(self) -> bool:
        self.x = 0.0
        return False

    def takes(self) -> bool:
        return bool(self.found) and self.found.pop() > 9.0

    def keeps(self) -> bool:
        load.change(1)
        return False

    def counts_elsewhere(self) -> bool:
        return self.counts()

    def counts_items(self) -> bool:
        self.found[0] += 1.0
        return False

    def remembers(self) -> bool:
        limits = {}
        limits["high"] = 0.5
        if "high" not in self.memo:
            self.memo["high"] = limits["high"]
        limits["high"] += 1.0
        return self.x >= self.memo["high"]


load = ev.Level(clock=ev.Simulation())
CHANGES = {
    "counts": "self.n", "sets": "self.x", "takes": "self.found", "keeps": "load", "counts_elsewhere": "self.n",
    "counts_items": "self.found[0]",
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("is_handler", [False, True])
def test_a_condition_that_changes_what_it_reads_is_refused(simulate: Simulate, name: str, *, is_handler: bool) -> None:
    sim = simulate()
    kind = type("Kind", (Held,), {"told": ev.when(getattr(Held, name))(lambda self: None)}) if is_handler else Held
    held = kind(sim, name="held")
    code = getattr(Held, name.removesuffix("_elsewhere")).__code__
    place, whose = f"{code.co_filename}:{code.co_firstlineno + 1}", "held" if is_handler else "waiting"
    said = (
        rf"^{re.escape(CHANGES[name])} is changed at {place} in the condition of {whose}, evaluated as often as steps "
        r"want: between events nothing discrete changes\. Change it in an event: behind the `yield`, or in a handler"
    )

    def waits() -> ev.ProcessGenerator:
        yield ev.until(getattr(held, name))

    def go() -> None:
        held.start()
        if not is_handler:
            sim.process(waits(), name="waiting")
        sim.run(until=2.0)

    with pytest.raises(ev.ModelError, match=said):
        go()
    assert (held.n, held.x, held.found) == (0, 0.0, [3.0])


def test_a_condition_may_put_a_value_into_a_memo_and_change_what_it_has_made_itself(simulate: Simulate) -> None:
    sim = simulate()
    held = Held(sim).start()
    times: list[float] = []

    def waits() -> ev.ProcessGenerator:
        yield ev.until(held.remembers)
        times.append(sim.time)

    sim.process(waits())
    sim.run(until=2.0)
    assert times == [pytest.approx(0.5)]


total = ev.Tally()


class Loose(Held):
    mate: Held

    def equations(self) -> None:
        self.rate.x = 1.0

    def of_another(self) -> None:
        self.rate.x = 1.0
        self.mate.n += 1

    def of_a_statistic(self) -> None:
        self.rate.x = 1.0
        total.add(self.x)

    def in_a_method(self) -> None:
        self.rate.x = 2.0 if self.counts() else 1.0


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [("of_another", "self.mate.n", 2), ("of_a_statistic", "total", 2), ("in_a_method", "self.n", 1)],
)
def test_a_law_that_changes_fields_of_others_is_refused(simulate: Simulate, name: str, text: str, line: int) -> None:
    sim = simulate()
    kind = type("Kind", (Loose,), {"equations": getattr(Loose, name)})
    code = (Loose.counts if name == "in_a_method" else getattr(Loose, name)).__code__
    place = f"{code.co_filename}:{code.co_firstlineno + line}"
    said = rf"^{text} is changed at {place} in the equations of loose, evaluated as often as steps want: "
    loose = kind(sim, mate=Held(sim).start(), name="loose")
    with pytest.raises(ev.ModelError, match=said):
        loose.start()
    assert (loose.n, loose.mate.n, total.count) == (0, 0, 0)
