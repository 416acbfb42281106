"""Objects that come and go: what one life costs, what the next takes over, and what it does not."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import eventide as ev
from eventide.engine.codes import ABS, E0, REL, Y

LIBRARY = str(Path(ev.__file__).parent)
LIVES = 60


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1500.0)
    share: float
    heat: ev.Summed = ev.summed()

    def equations(self) -> None:
        self.rate.temperature = 0.2 * (2600.0 - self.temperature) - self.share * self.heat


class Log(list[float]):
    """The times at which ingots are drawn; with the last that is awaited a process is woken."""

    awaited: ev.Process | None = None
    last = 0

    def append(self, time: float) -> None:
        super().append(time)
        if self.awaited is not None and len(self) == self.last:
            self.awaited.activate()


class Ingot(ev.Process, ev.Continuous):
    """When it is hot it makes room for the next."""

    furnace: Furnace
    log: Log
    temperature: ev.State = ev.state(300.0)
    coefficient: float = 0.07

    def contributions(self) -> None:
        self.furnace.heat += self.coefficient * (self.furnace.temperature - self.temperature)

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * (self.furnace.temperature - self.temperature)

    def run(self) -> ev.ProcessGenerator:
        self.start()
        yield ev.until(lambda: self.temperature >= 2000.0)
        self.stop()
        self.log.append(self.sim.time)
        Ingot(self.sim, furnace=self.furnace, log=self.log, coefficient=self.coefficient).activate()


def pit(alive: int, **settings: Any) -> tuple[ev.Simulation, Log]:
    sim = ev.Simulation(rng=1, **settings)
    furnace, log = Furnace(sim, share=0.5 / alive).start(), Log()
    for k in range(alive):
        coefficient = 0.05 + 0.02 * k / alive
        Ingot(sim, furnace=furnace, log=log, temperature=300.0 + 7.0 * k, coefficient=coefficient).activate()
    return sim, log


def calls_of_a_life(alive: int) -> int:
    """How many Python functions of the library are called again for every life; warm."""
    sim, log = pit(alive)
    calls = Counter[str]()

    def wait() -> ev.ProcessGenerator:
        yield ev.passivate()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and (code.co_filename.startswith(LIBRARY) or code.co_filename.startswith("<")):
            calls[code.co_qualname] += 1

    for observe in (None, note):
        log.awaited, log.last = sim.process(wait()), len(log) + LIVES
        sys.setprofile(observe)
        try:
            sim.run(until=log.awaited)
        finally:
            sys.setprofile(None)
    return sum(round(count / LIVES) for count in calls.values())


@pytest.mark.slow
def test_a_life_costs_the_same_calls_however_many_are_alive() -> None:
    few, many = calls_of_a_life(5), calls_of_a_life(50)
    assert many == pytest.approx(few, abs=3)  # slots that stand alone or beside others make a difference
    assert few <= 140


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, True])
def test_who_is_gone_leaves_nothing_behind(native: bool) -> None:
    sim, log = pit(6, compile=native)
    sim.run(until=200.0)
    motion = sim._continuum.integrator
    (flow,) = motion.flows.values()
    assert len(log) > 20
    assert (len(motion.guards.at), len(flow.conditions), len(flow.resting), len(flow.chain)) == (6, 6, 0, 13)
    assert (len(list(motion.groups.members())), len(sim.laws)) == (7, 7)
    assert (np.array(motion.storage.slot.writer) >= 0).sum() == 7
    assert len(sim._continuum.storage.occupants) <= 9
    assert motion.guards._resting_with == {}


class Leak(ev.Continuous):
    """Lets something out of a tank while it is there."""

    tank: Tank
    lost: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.lost = 0.01 * self.tank.level


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    slope: float = 1.0

    def equations(self) -> None:
        self.rate.level = self.slope


def control(tank: Tank) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.slope = -1.0
        yield ev.until(lambda: tank.level <= 0.5)
        tank.slope = 1.0


def test_rows_at_rest_outlive_who_comes_and_goes_beside_them() -> None:
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.process(control(tank))
    for k in range(20):
        leak = Leak(sim, tank=tank).start()
        sim.run(until=k + 0.75)
        leak.stop()
        sim.run(until=k + 1.0)
    assert sim.report().certified == 2


def test_what_depends_on_who_leaves_is_looked_at_anew() -> None:
    sim = ev.Simulation()
    tank, log = Tank(sim).start(), list[tuple[float, float]]()
    Tank(sim, slope=2.0).start()

    def fill() -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.until(lambda: tank.level >= 1.0)
            log.append((sim.time, tank.level))
            tank.stop()
            tank.level = 0.0
            yield ev.hold(0.25)
            tank.start()

    sim.process(fill())
    sim.run(until=10.0)
    assert log == [(pytest.approx(time), pytest.approx(1.0)) for time in (1.0, 2.25, 3.5)]
    assert sim.report().certified == 3


def test_who_leaves_is_not_held_by_what_waited_for_it() -> None:
    sim = ev.Simulation()
    tank, other = Tank(sim).start(), Tank(sim, slope=2.0).start()
    leak = Leak(sim, tank=tank).start()

    def move() -> ev.ProcessGenerator:
        yield ev.until(lambda: leak.lost >= 0.005)
        leak.stop()
        leak.tank = other
        leak.start()
        yield ev.hold(1.0)

    sim.run(until=sim.process(move()))
    assert leak._flow is other._flow
    assert tank._flow is not other._flow
    assert (leak.lost, sim.time) == (pytest.approx(0.005 + 0.01 * 3.0), pytest.approx(2.0))


def rise(tank: Tank, times: int) -> ev.ProcessGenerator:
    """Empties a tank whenever it is full."""
    for _ in range(times):
        yield ev.until(lambda: tank.level >= 1.0)
        tank.level = 0.0


def kept(sim: ev.Simulation, tank: Tank, times: int) -> tuple[int, int]:
    """How many rows are at rest when a tank has been filled so often, and how many conditions were new for it."""
    before = sim.report().certified
    tank.start()
    sim.run(until=sim.process(rise(tank, times)))
    found = len(tank._flow.resting), sim.report().certified - before
    tank.stop()
    return found


def test_what_nobody_has_waited_for_twice_is_not_kept() -> None:
    sim = ev.Simulation()
    assert [kept(sim, Tank(sim), 1) for _ in range(4)] == [(1, 1), (0, 1), (0, 1), (0, 1)]
    assert sim.time == pytest.approx(4.0)


def test_what_has_been_waited_for_twice_is_kept() -> None:
    sim = ev.Simulation()
    assert [kept(sim, Tank(sim), times) for times in (2, 1, 1, 3)] == [(1, 1)] * 4
    assert sim.time == pytest.approx(7.0)


def test_who_comes_again_for_what_was_not_kept_finds_it_kept_from_then_on() -> None:
    sim = ev.Simulation()
    found = [kept(sim, Tank(sim), times) for times in (1, 1, 5, 1, 4)]
    assert found == [(1, 1), (0, 1), (1, 2), (1, 1), (1, 1)]
    assert sim.time == pytest.approx(12.0)


def test_who_waits_for_the_same_as_one_who_has_gone_takes_over_what_was_kept() -> None:
    sim = ev.Simulation()
    tank, times = Tank(sim).start(), []

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.level = 0.0
        times.append(sim.time)

    def follow() -> ev.ProcessGenerator:
        for _ in range(3):
            yield sim.process(wait())

    sim.run(until=sim.process(follow()))
    assert times == pytest.approx([1.0, 2.0, 3.0])
    assert (sim.report().certified, len(tank._flow.resting)) == (3, 1)


class Slab(ev.Continuous):
    temperature: ev.State = ev.state(300.0, abs_error=0.5)
    depth: ev.State = ev.state(1.0)
    layers: ev.StateVector = ev.state_vector([1.0, 2.0, 3.0], size=3)
    flux: ev.Computed = ev.computed()
    colour: int = 3

    def equations(self) -> None:
        self.flux = self.temperature - 20.0
        self.rate.temperature = -0.1 * self.flux
        self.rate.depth = 0.1
        self.rate.layers[:] = -self.layers


def blocks(slab: Slab) -> list[Any]:
    """All that is known of an object's slots."""
    table = slab._system.storage.table
    return [table[:, first : first + size].copy() for first, size in slab._slab.blocks()]


def test_who_takes_a_seat_finds_it_as_new() -> None:
    sim = ev.Simulation(rel_error=1e-4, abs_error=1e-5)
    fresh = blocks(Slab(sim))
    old = Slab(sim, name="old", temperature=2000.0, colour=8).start()
    sim.run(until=1.0)
    seat, before = old._slab, blocks(old)
    old.stop()
    del old
    new = Slab(sim, name="new")
    assert new._slab is seat
    assert [np.array_equal(one, other) for one, other in zip(blocks(new), fresh, strict=True)] == [True, True]
    assert [np.array_equal(one, other) for one, other in zip(before, fresh, strict=True)] == [False, False]
    assert (new.temperature, new.colour, list(new.layers), new["temperature"].abs_error) == (300.0, 3, [1, 2, 3], 0.5)
    with pytest.raises(TypeError, match=r"^new\.layers"):
        new.layers = "three"


def test_new_objects_have_the_tolerances_of_the_run_as_they_are_then() -> None:
    sim = ev.Simulation(rel_error=1e-4, abs_error=1e-5)
    Slab(sim)
    sim.set_tolerances(rel_error=1e-7)
    later = Slab(sim)
    slots = slice(later._base, later._base + 2)
    table = sim._continuum.storage.table
    assert (table[REL, slots].tolist(), table[ABS, slots].tolist()) == ([1e-7, 1e-7], [0.5, 1e-5])


def test_a_default_that_is_no_number_is_refused_where_an_object_is_made() -> None:
    class Odd(ev.Continuous):
        depth: ev.State = ev.state("1.5")

        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim)

    with pytest.raises(TypeError, match=r"^Odd\.depth is a state and takes a number, and got '1\.5'"):
        Odd(ev.Simulation())


def test_conditions_on_time_alone_share_a_flow_however_many_flows_there_are() -> None:
    sim = ev.Simulation()
    tanks = [Tank(sim, slope=1.0 + k).start() for k in range(5)]
    log = list[tuple[float, int]]()

    def wait(end: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time * sim.time >= end)
        log.append((sim.time, len({id(tank._flow) for tank in tanks})))

    for end in (1.0, 4.0, 9.0):
        sim.process(wait(end))
    sim.run(until=0.5)
    assert len(sim._continuum.integrator.flows) == 6
    sim.run(until=5.0)
    assert log == [(pytest.approx(time), 5) for time in (1.0, 2.0, 3.0)]
    assert len(sim._continuum.integrator.flows) == 5


def test_a_seat_goes_to_an_object_of_its_own_layout_only() -> None:
    sim = ev.Simulation()
    furnace = Furnace(sim, share=0.1)
    seat = furnace._slab
    del furnace
    other = Leak(sim, tank=Tank(sim))
    assert other._slab is not seat
    assert Furnace(sim, share=0.2)._slab is seat


@pytest.mark.parametrize("native", [False, True])
def test_who_takes_a_seat_refers_to_what_it_says_itself(native: bool) -> None:
    sim = ev.Simulation(compile=native)
    slow, fast = Tank(sim, level=1.0, slope=0.0).start(), Tank(sim, level=5.0, slope=0.0).start()
    lost, seats = [], set()
    for tank in (slow, slow, fast, slow, fast):
        leak = Leak(sim, tank=tank).start()
        sim.run(until=sim.time + 1.0)
        lost.append(leak.lost)
        seats.add(leak._slab.number)
        leak.stop()
        del leak
    assert lost == pytest.approx([0.01, 0.01, 0.05, 0.01, 0.05])
    assert len(seats) == 1


def test_a_seat_moves_with_the_table() -> None:
    sim = ev.Simulation()
    first = Slab(sim, temperature=1.0)
    seat = first._slab
    del first
    others = [Slab(sim, temperature=float(k)) for k in range(2)]
    more = [Furnace(sim, share=0.5) for _ in range(500)]
    del others[0]
    new = Slab(sim, temperature=77.0)
    table = sim._continuum.storage.table
    assert (new._slab is seat, table[Y, new._base], table[E0, new._base]) == (True, 77.0, 0.0)
    assert [furnace.share for furnace in more] == [0.5] * 500
