"""What nothing can end any more, and nobody has meant so, is told when the run ends; what waits for work is not."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest

import eventide as ev


def told(sim: ev.Simulation, until: float | None = None) -> list[str]:
    """The warnings of a run, without the lines that they name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.run(until=until)
    assert {one.category for one in caught} <= {ev.IdleWarning}
    return [re.sub(rf", at {re.escape(__file__)}:\d+", "", str(one.message)) for one in caught]


class Shop:
    """Two desks of one unit each, and what a process may wait for while it has one."""

    def __init__(self, left: int = 1, right: int = 1) -> None:
        self.sim = ev.Simulation()
        self.left = ev.Resource(self.sim, left, name="left")
        self.right = ev.Resource(self.sim, right, name="right")
        self.work = ev.Store(self.sim, name="work")

    def begin(self, name: str, first: ev.Resource, then: Any = None) -> Any:
        """A process that takes a unit of `first`, and a moment later waits for what `then` makes."""
        return self.sim.process(self.story(first, then), name=name)

    def story(self, first: ev.Resource, then: Any) -> ev.ProcessGenerator:
        with first.request() as unit:
            yield unit
            yield ev.hold(1.0)
            if then is not None:
                yield then()


def test_processes_that_wait_for_each_other_s_units_are_told_with_what_each_waits_for() -> None:
    shop = Shop()
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("b", shop.right, shop.left.request)
    shop.begin("late", shop.left)  # waits for the circle, and is not of it
    assert told(shop.sim) == [
        (
            "the run has ended at time 1.0: in a deadlock a waits for a unit of right since 1.0, held by b; "
            "b waits for a unit of left since 1.0, held by a (request in the same order everywhere)"
        )
    ]


def test_who_waits_for_a_unit_of_its_own_is_told() -> None:
    shop = Shop()
    shop.begin("a", shop.left, shop.left.request)
    assert told(shop.sim, until=5.0) == [
        (
            "the run has ended at time 5.0: in a deadlock a waits for a unit of left since 1.0, held by a "
            "(request in the same order everywhere)"
        )
    ]


def test_a_circle_may_lead_over_the_end_of_a_process() -> None:
    shop = Shop()
    other = shop.begin("b", shop.right, shop.left.request)
    shop.begin("a", shop.left, lambda: other)
    assert told(shop.sim) == [
        (
            "the run has ended at time 1.0: in a deadlock b waits for a unit of left since 1.0, held by a; "
            "a waits for the end of b (request in the same order everywhere)"
        )
    ]


def waits_for_work(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("b", shop.right, shop.work.get)


def is_passive(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.left.request)
    shop.begin("b", shop.left, ev.passivate)  # who is woken later lets a go on


def has_two_units(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("b", shop.right, shop.left.request)
    shop.begin("c", shop.right, shop.work.get)  # gives back a unit that a may have


def is_closed(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("late", shop.left)
    shop.right.capacity = 0


def may_be_woken(shop: Shop) -> None:
    signal = ev.Signal(shop.sim, name="signal")
    shop.begin("a", shop.left, lambda: ev.first_of(served=shop.right.request(), woken=signal))
    shop.begin("b", shop.right, shop.left.request)


def joins_who_serves(shop: Shop) -> None:
    server = shop.begin("b", shop.right, shop.work.get)
    shop.begin("a", shop.left, lambda: server)


STANDING = {waits_for_work: (1, 1), is_passive: (2, 1), has_two_units: (1, 2), is_closed: (1, 1)}


@pytest.mark.parametrize(
    "arrange", [waits_for_work, is_passive, has_two_units, is_closed, may_be_woken, joins_who_serves]
)
def test_who_may_yet_go_on_is_in_no_deadlock(arrange: Any) -> None:
    shop = Shop(*STANDING.get(arrange, (1, 1)))
    arrange(shop)
    assert told(shop.sim) == []
    assert shop.sim.processes


def test_a_deadlock_while_others_go_on_is_none_yet() -> None:
    shop = Shop()
    shop.begin("a", shop.left, shop.right.request)
    first = shop.begin("b", shop.right, shop.left.request)

    def rescue() -> ev.ProcessGenerator:
        yield ev.hold(9.0)
        first.end()

    shop.sim.process(rescue())
    assert told(shop.sim, until=5.0) == []
    assert told(shop.sim) == []
    assert shop.sim.processes == ()


class Guest(ev.Component):
    """As a user of another library writes it."""

    def process(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)


class Machine(ev.Component):
    """Its `process` is what it does with numbers."""

    def process(self) -> Any:
        yield from (1.0, 2.0)


def test_a_story_by_the_name_of_another_library_is_told_where_nothing_has_begun() -> None:
    line = Guest.process.__code__.co_firstlineno
    sim = ev.Simulation()
    Guest(sim), Guest(sim)
    Machine(sim)
    advice = "derive Guest from ev.Process, call it `run` and activate() each object; or sim.process(one.process())"
    assert told(sim) == [
        f"the run has ended at time 0.0: nothing has begun Guest.process ({__file__}:{line}): {advice}"
    ]
    sim = ev.Simulation()
    sim.process(Guest(sim).process())
    Guest(sim)
    assert told(sim) == []


def test_a_process_whose_story_has_the_name_of_another_library_is_told_the_right_one() -> None:
    class Customer(ev.Process):
        process = Guest.process

    with pytest.raises(NotImplementedError, match=r"Customer has no run\(\): rename `process` to `run`"):
        Customer(ev.Simulation()).activate()


def test_how_long_was_waited_has_the_unit_of_time() -> None:
    sim = ev.Simulation(time_unit="min")
    store = ev.Store(sim, name="store")
    tallies = (ev.Resource(sim).waits, ev.Queue(sim).waits, store.gets.waits, store.puts.waits, store.stays)
    assert [tally.unit for tally in tallies] == ["min"] * 5
    assert ev.Resource(ev.Simulation()).waits.unit == ""
