"""What eventide keeps itself is read, and to set it is an error where it is set: nothing that is written is lost."""

from __future__ import annotations

import re
from copy import copy
from typing import Any

import pytest

import eventide as ev

KEPT = "eventide keeps it, and `reset_statistics()` restarts it"
MOVED = "let a process yield its put(...) or get(...), or give it initial=... from the start"
FIXED = {
    ev.Resource: {"in_use": KEPT, "queue": KEPT, "supply": KEPT, "waits": KEPT, "is_preemptive": "make a Preemptive"},
    ev.PreemptiveResource: {"is_preemptive": "make a PreemptiveResource"},
    ev.Container: {
        "amount": MOVED,
        "level": MOVED,
        "puts": KEPT,
        "gets": KEPT,
    },
    ev.Store: {
        "items": "let a process yield its put(item) or get(), or give it items=[...] from the start",
        "level": KEPT,
        "puts": KEPT,
        "gets": KEPT,
        "stays": KEPT,
        "key": "give it as Store(sim, key=...) from the start",
    },
    ev.Queue: dict.fromkeys(("length", "waits"), "eventide keeps it, and `reset()` restarts it"),
    ev.Tally: {"keep": "what was left out is gone; make another, as Tally(keep=...)"},
    ev.Simulation: {
        "compile": "give it from the start, Simulation(compile=...)",
        "stepping": "give it from the start, Simulation(stepping=...)",
        "antithetic": "give it from the start, Simulation(antithetic=...)",
        "replication": "give it from the start, Simulation(replication=...)",
        "entropy": "give it from the start, Simulation(rng=...)",
        "recordings": "sim.record(...) adds one",
    },
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in FIXED.items() for name in names])
def test_what_would_be_set_without_an_effect_is_refused(kind: Any, name: str) -> None:
    sim = ev.Simulation(rng=1)
    one = sim if kind is ev.Simulation else kind("it") if kind is ev.Tally else kind(sim, name="it")
    whose, before = ("sim" if one is sim else "it"), getattr(one, name)
    with pytest.raises(
        ev.ModelError, match=f"^{whose}.{name} cannot be set, and got 7: {re.escape(FIXED[kind][name])}"
    ):
        setattr(one, name, 7)
    assert getattr(one, name) == before


def test_statistics_that_a_component_keeps_are_given_nothing_by_others() -> None:
    sim = ev.Simulation()
    desk, tank, shelf, line = ev.Resource(sim), ev.Container(sim, 10.0), ev.Store(sim), ev.Queue(sim)
    levels = [
        desk.in_use,
        desk.queue,
        desk.supply,
        tank.level,
        tank.gets.queue,
        tank.puts.queue,
        shelf.level,
        line.length,
    ]
    tallies = [desk.waits, tank.gets.waits, tank.puts.waits, shelf.stays, line.waits]
    for level in levels:
        for change in (level.set, level.change):
            with pytest.raises(ev.ModelError, match=f"^level '{level.name}' cannot be set to .*: .* keeps it itself"):
                change(3)
    for tally in tallies:
        with pytest.raises(ev.ModelError, match=f"^tally '{tally.name}' cannot be given 3.0: .* keeps it itself"):
            tally.add(3.0)
        with pytest.raises(ev.ModelError, match=f"^tally '{tally.name}' cannot be merged with others"):
            tally.merge(ev.Tally(unit=tally.unit))
        own = copy(tally)
        own.add(3.0)
        assert (own.count, tally.count) == (1, 0)
    assert [level.value for level in levels] == [0, 0, 1, 0.0, 0, 0, 0, 0]


def test_a_clock_that_was_set_is_told_by_the_next_run() -> None:
    sim = ev.Simulation()
    sim.run(until=1.0)
    for name, before in (("time", 1.0), ("dt", 0.0)):
        setattr(sim, name, 5.0)
        with pytest.raises(
            ev.ModelError, match=f"^sim.{name} was set, from {before} to 5.0, and the clock is eventide's"
        ):
            sim.run(until=9.0)
        setattr(sim, name, before)
    sim.run(until=2.0)
    assert sim.time == 2.0


class Reset(ev.Process):
    """Sets the clock back."""

    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        self.sim.time -= 1.0


class Alarm(ev.Continuous):
    """The same in a handler."""

    @ev.when(lambda self: self.sim.time >= 1.0)
    def rings(self) -> None:
        self.sim.time = 0.0


class Teller(ev.Process):
    """Tells its times to tallies that nothing keeps, and to one that it keeps."""

    def run(self) -> ev.ProcessGenerator:
        waits = self.sim.tally("waits")
        yield ev.hold(1.0)
        waits.add(self.sim.time)
        self.sim.tally("waits").add(self.sim.time)


class Counter(ev.Continuous):
    """The same in a handler, with levels."""

    @ev.when(lambda self: self.sim.time >= 1.0)
    def counts(self) -> None:
        self.sim.level().change(1)


@pytest.mark.parametrize(("kind", "text"), [(Teller, "tally('waits').add"), (Counter, "level().change")])
def test_what_is_told_to_a_statistic_that_nothing_keeps_is_refused(kind: Any, text: str) -> None:
    told = re.escape(f"self.sim.{text}(...) at {__file__}:")
    with pytest.raises(ev.ModelError, match=rf"^{told}\d+ makes a new statistic each time, which nothing keeps: make"):
        run_one(kind)


@pytest.mark.parametrize("kind", [Reset, Alarm])
def test_code_that_sets_the_clock_is_told_with_its_line(kind: Any) -> None:
    with pytest.raises(
        ev.ModelError, match=r"^self.sim.time is set at .*test_what_cannot_be_set.py:\d+, and the clock"
    ):
        run_one(kind)


def run_one(kind: Any) -> None:
    """Let one of a class act."""
    sim = ev.Simulation()
    one = kind(sim)
    one.activate() if isinstance(one, ev.Process) else one.start()
    sim.run(until=2.0)


def test_a_setting_that_there_is_not_is_told_with_those_that_there_are() -> None:
    made: Any = ev.Simulation
    known = (
        "rel_error=, abs_error=, dt_min=, dt_max=, stepping=, compile=, cascades=, time_unit=, method=, "
        "negative_hold=, rng=, seed=, replication=, antithetic="
    )
    for given, told in (
        ({"dtmax": 0.1}, f"Simulation(...) takes no dtmax=: did you mean dt_max=? It takes {known}"),
        ({"rng": 1, "until": 2.0}, f"Simulation(...) takes no until=; it takes {known}"),
    ):
        with pytest.raises(TypeError, match=f"^{re.escape(told)}$"):
            made(**given)
    with pytest.raises(TypeError, match="^" + re.escape(f"Simulation(...) takes {known} by name, and got 1.0 without")):
        made(1.0)


class Model(ev.Simulation):
    """A simulation with a constructor of its own, and names that mean something else to it."""

    def __init__(self, seed: int, max_step: int) -> None:
        super().__init__(rng=seed)
        self.seed, self.max_step = seed, max_step


def test_a_name_of_elsewhere_is_refused_but_for_a_class_that_has_it() -> None:
    sim: Any = ev.Simulation()
    for name, instead in (
        ("seed", "Simulation(seed=...), from the start,"),
        ("rel_err", "sim.set_tolerances(rel_error"),
    ):
        with pytest.raises(AttributeError, match=re.escape(f"no {name!r}: it is {instead}")):
            setattr(sim, name, 5)
    model = Model(3, 7)
    assert (model.seed, model.max_step, model.entropy) == (3, 7, 3)
