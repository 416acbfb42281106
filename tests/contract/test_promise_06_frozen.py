"""Promise 6: between events the discrete world is frozen. The calls that are refused stand in test_errors.py."""

from __future__ import annotations

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
