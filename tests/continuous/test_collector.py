"""What the garbage collector is told of a model that grows."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import eventide as ev
from eventide.continuous.flows.grouping import Grouping
from eventide.continuous.gc_tuning import FEWEST, GROWTH, Collector


class Drop(ev.Process, ev.Continuous):
    height: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.height = -1.0

    @ev.when(lambda self: self.height <= -1.0)
    def land(self) -> None:
        """Nothing."""

    def run(self) -> ev.Steps:
        self.start()
        yield ev.until(lambda: self.height <= 0.0)


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """The collector is Python's, and one for all tests; here it does nothing by itself."""
    usual = gc.get_threshold()
    gc.unfreeze()  # what `conftest.py` has frozen
    gc.collect()
    gc.set_threshold(10**6)
    yield
    gc.enable()
    gc.freeze()
    gc.set_threshold(*usual)


def is_old(thing: Any) -> bool:
    return any(one is thing for one in gc.get_objects(generation=2))


def told(counts: list[int]) -> list[bool]:
    """Whether what is new counts as old after each of these counts of objects."""
    collector, answers = Collector(), []
    for count in counts:
        new: list[Any] = [[]]
        if count >= collector.next:
            collector.note_growth(count)
        answers.append(is_old(new))
    return answers


@pytest.mark.slow
def test_what_is_new_counts_as_old_where_there_are_many_more_than_before() -> None:
    more = int(GROWTH * FEWEST)
    counts = [FEWEST - 1, FEWEST, FEWEST + 1, more - 1, more, more, FEWEST, more + 1]
    assert told(counts) == [False, True, False, False, True, False, False, False]


@pytest.mark.slow
def test_a_collector_that_somebody_has_stopped_is_left_alone_and_what_somebody_has_frozen_stays_so() -> None:
    more = int(GROWTH * FEWEST)
    gc.disable()
    assert told([FEWEST, more]) == [False, False]
    gc.enable()
    gc.freeze()
    kept = gc.get_freeze_count()
    assert (told([FEWEST, more]), gc.get_freeze_count()) == ([True, False], kept)


@pytest.mark.slow
def test_models_that_are_gone_are_collected_although_their_objects_counted_as_old() -> None:
    gc.set_threshold(700, 10, 10)  # as Python has it: full collections where a quarter has come that was counted

    def run() -> weakref.ref[ev.Simulation]:
        sim = ev.Simulation(compile=False)
        for _ in range(FEWEST):
            Drop(sim).start()
        sim.run(until=0.001)
        return weakref.ref(sim)

    models = [run() for _ in range(4)]
    assert [model() is None for model in models[:3]] == [True, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("is_on", [True, False])
def test_it_rests_while_many_are_placed(is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sim, seen = ev.Simulation(compile=False), []
    drops = [Drop(sim).start() for _ in range(FEWEST)]
    integrator = drops[0]._system.integrator
    collector = integrator._collector

    def place_in_vain(_: Grouping) -> None:
        new: list[Any] = [[]]
        collector.note_growth(FEWEST)
        seen.extend([gc.isenabled(), is_old(new)])
        raise ZeroDivisionError

    monkeypatch.setattr(Grouping, "place", place_in_vain)
    if not is_on:
        gc.disable()
    with pytest.raises(ZeroDivisionError):
        integrator.place_what_waits()
    assert (seen, gc.isenabled()) == ([False, is_on], is_on)


@pytest.mark.slow
def test_those_that_start_together_are_old() -> None:
    sim = ev.Simulation(compile=False)
    drops = [Drop(sim).start() for _ in range(FEWEST)]
    assert not is_old(drops[0])
    sim.run(until=0.5)
    assert (gc.isenabled(), is_old(drops[-1]._flow)) == (True, True)


@pytest.mark.slow
def test_those_that_start_one_by_one_are_old_but_for_the_last() -> None:
    sim = ev.Simulation(compile=False)
    drops = [Drop(sim).activate(delay=0.25 / FEWEST * k) for k in range(FEWEST)]
    sim.run(until=0.5)
    numbers = {id(one) for one in gc.get_objects(generation=2)}
    old = [id(drop._wait) in numbers for drop in drops]
    assert old == sorted(old, reverse=True)
    assert FEWEST / 2 < sum(old) < FEWEST
