"""When the native code of rows is loaded: after many events of one run, or of several."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

import eventide as ev
from eventide.bodies.body import Bodies
from eventide.discrete import homes
from eventide.rows import loading


def machine(sim: ev.Simulation) -> ev.ProcessGenerator[None]:
    for _ in range(20_000):
        yield ev.hold(1.0)


def test_many_events_are_worth_it_and_what_is_loaded_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_PAST", loading._Past())
    monkeypatch.delitem(sys.modules, "eventide.native.row_engine", raising=False)
    assert [loading.is_worth_loading(200_000) for _ in range(3)] == [False, False, True]
    monkeypatch.setattr(loading, "_PAST", loading._Past())
    monkeypatch.setitem(sys.modules, "eventide.native.row_engine", sys)
    assert loading.is_worth_loading(1)


def test_the_events_of_all_runs_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(homes, "is_worth_loading", told.append)  # which answers None: not yet
    for runs in (1, 2):
        sim = ev.Simulation()
        sim.process(machine(sim))
        sim.run(until=10_000.5)
        sim.run()
        assert runs * sim.events - runs * homes.ENOUGH < sum(told) <= runs * sim.events


class Counted(list[object]):
    """An event list that counts how often somebody goes through it."""

    looks = 0

    def __iter__(self) -> Iterator[object]:
        self.looks += 1
        return super().__iter__()


def test_many_processes_are_not_gone_through_before_their_events_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "COLD", 0)
    sim = ev.Simulation()
    for _ in range(2_000):
        sim.process(1.0 for _ in range(10))
    heap = sim._calendar.heap = Counted(sim._calendar.heap)
    sim.run()
    assert (sim.events, sim._calendar.heap is heap) == (22_000, True)
    assert heap.looks <= 1  # when few are left


def test_notices_of_holds_that_were_cut_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def patient() -> ev.ProcessGenerator:
        k = 0
        while k < 2_500:
            try:
                yield ev.hold(1e6 + k)
            except ev.Interrupt:
                k += 1

    def cutter(other: ev.Process) -> ev.ProcessGenerator:
        for _ in range(2_000):
            for _ in range(3):
                yield ev.hold(1.0)
            other.interrupt()

    monkeypatch.setattr(loading, "COLD", 0)
    sim = ev.Simulation()
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    sim.process(cutter(sim.process(patient())))
    sim.run(until=5_000.5)
    assert sim._homes is not None
    assert sim._homes.taken > 0.3 * sim.events
