"""Where states stand: side by side, whatever stands aside; and laws of one kernel as one call."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import eventide as ev
from eventide.engine.codes import Y0, R
from eventide.engine.memory.growable_arrays import LINE
from eventide.engine.records import FlowRecord, GuardRecord, HistoryRecord, LawRecord, SlotRecord
from eventide.errors import ModelError


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1500.0)
    share: float = 0.01
    heat: ev.Summed = ev.summed()
    excess: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.excess = self.temperature - 1000.0
        self.rate.temperature = -self.share * self.heat


class Ingot(ev.Continuous):
    furnace: Furnace
    temperature: ev.State = ev.state(300.0)
    coefficient: float = 0.125
    colour: int = 0

    def contributions(self) -> None:
        self.furnace.heat += self.coefficient * (self.furnace.temperature - self.temperature)

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * (self.furnace.temperature - self.temperature)


class Slab(Ingot):
    thickness: ev.StateVector = ev.state_vector(size=2)

    def equations(self) -> None:
        self.rate.temperature = 0.5 * self.coefficient * (self.furnace.temperature - self.temperature)
        self.rate.thickness[0] = -1e-3


def load(sim: ev.Simulation, count: int = 8) -> tuple[Furnace, list[Ingot]]:
    furnace = Furnace(sim).start()
    kinds = [Ingot, Slab]
    load = [kinds[k // 3 % 2](sim, furnace=furnace, coefficient=0.1 / (1 + k), colour=k) for k in range(count)]
    return furnace, [ingot.start() for ingot in load]


def the_flow(sim: ev.Simulation) -> Any:
    (flow,) = sim._continuum.integrator.flows.values()
    return flow


def test_states_of_all_objects_of_a_flow_are_one_run_of_slots() -> None:
    sim = ev.Simulation()
    _, ingots = load(sim)
    sim.run(until=1.0)
    assert len(the_flow(sim).segments.rows()) == 1
    assert len(the_flow(sim).slots) == 1 + 8 + 2 * 3
    ingots[3].stop()
    sim.run(until=2.0)
    assert len(the_flow(sim).segments.rows()) == 2
    ingots[3].start()
    sim.run(until=3.0)
    assert len(the_flow(sim).segments.rows()) == 1


def test_who_is_gone_leaves_room_for_the_next() -> None:
    sim = ev.Simulation()
    furnace, ingots = load(sim)
    sim.run(until=1.0)
    width = sim._continuum.storage.table.shape[1]
    for _ in range(100):
        ingots.pop(0).stop()
        gc.collect(0)
        ingots.append(Ingot(sim, furnace=furnace, colour=7).start())
        sim.run(until=sim.time + 0.25)
        assert [ingot.colour for ingot in ingots[-1:]] == [7]
    assert sim._continuum.storage.table.shape[1] == width


def test_quantities_keep_their_values_when_the_table_grows() -> None:
    sim = ev.Simulation()
    furnace, ingots = load(sim)
    sim.run(until=1.0)
    seen = [furnace.temperature, furnace.heat, furnace.excess, furnace.share, *(ingot.colour for ingot in ingots)]
    others = [Slab(sim, furnace=furnace, thickness=[1.0 + k, 2.0]) for k in range(500)]
    assert [furnace.temperature, furnace.heat, furnace.excess, furnace.share, *(i.colour for i in ingots)] == seen
    assert [float(other.thickness[0]) for other in others] == [1.0 + k for k in range(500)]
    assert [(other.coefficient, other.colour) for other in others] == [(0.125, 0)] * 500
    names = [other["thickness"][1].name for other in others[:2]]
    assert names == [f"{other.name}.thickness[1]" for other in others[:2]]


def motions_of(slab: Slab) -> list[float]:
    """What is shown of its rates and last states."""
    shown = [slab.rate.temperature, *slab.rate.thickness, slab.last.temperature, *slab.last.thickness]
    return [float(number) for number in shown]


def test_rates_and_last_states_are_those_of_an_object_wherever_it_stands() -> None:
    sim = ev.Simulation()
    furnace = Furnace(sim).start()
    slabs = [Slab(sim, furnace=furnace, coefficient=0.1 + 0.1 * k, thickness=[1.0 + k, 2.0]).start() for k in range(3)]
    sim.run(until=0.5)
    assert [slab._slab.rates for slab in slabs] == [None] * 3  # nobody has looked, and laws are native code
    table, seat = sim._continuum.storage.table, slabs[1]._slab
    slots, shown = slice(seat.base, seat.base + 3), motions_of(slabs[1])
    expected = [*table[R, slots].tolist(), *table[Y0, slots].tolist()]
    assert shown == expected
    others = [Slab(sim, furnace=furnace, thickness=[0.0, 0.0]) for _ in range(500)]
    assert sim._continuum.storage.table is not table
    sim._continuum.storage.table[R, slots] *= 2.0
    expected[:3] = [2.0 * rate for rate in expected[:3]]
    assert motions_of(slabs[1]) == expected
    others[-1].start()
    sim.run(until=1.0)
    assert motions_of(slabs[1]) != expected


@pytest.mark.slow
def test_who_comes_to_a_seat_is_named_where_its_vectors_are_refused() -> None:
    sim = ev.Simulation()
    furnace = Furnace(sim)
    seats, messages = [], []
    for _ in range(2):
        slab = Slab(sim, furnace=furnace, thickness=[0.0, 0.0])
        seats.append(slab._slab)
        for reading in (slab.rate, slab.last):
            with pytest.raises(ModelError) as caught:
                reading.thickness[0] = 1.0
            messages.append(slab.name in str(caught.value))
        del slab
        gc.collect()
    assert (seats[0] is seats[1], messages) == (True, [True] * 4)


def runs_of(flow: Any) -> list[int]:
    """How many laws each call stands for."""
    rows, counts = flow.chain.rows(), []
    while sum(counts) < len(rows):
        counts.append(rows[sum(counts)][LawRecord.place_of("run_length")])
    return counts


def test_rows_of_tables_stand_on_cache_lines_however_they_grow() -> None:
    sim = ev.Simulation(compile=False)
    furnace = Furnace(sim).start()
    seen = []
    for count in (1, 9, 50, 200):
        for _ in range(count):
            Ingot(sim, furnace=furnace).start()
        sim.run(until=sim.time + 0.1)
        motion = sim._continuum.integrator
        tables = *motion.memory.flow.tables(), *motion.guards.guard.tables(), motion.memory.constants.array
        assert not any(table.ctypes.data % LINE for table in tables)
        assert motion.storage.table.ctypes.data % LINE == 0
        seen.append(motion.storage.table.strides[0] // LINE)
    assert len(seen) > 2
    assert all(lines % 2 for lines in seen)
    records = FlowRecord, GuardRecord, HistoryRecord, SlotRecord
    assert not any(8 * width % LINE for record in records for width in record.widths.values())


def test_laws_of_one_kernel_are_one_call_and_keep_their_order() -> None:
    def run(compile_: Any, *priorities: tuple[int, float]) -> tuple[list[list[int]], list[float]]:
        sim = ev.Simulation(compile=compile_, stepping="together")
        furnace, ingots = load(sim)
        for k, priority in priorities:
            ingots[k].set_priority(priority)
        sim.run(until=2.0)
        runs = [runs_of(the_flow(sim))]
        ingots[1].stop()
        sim.run(until=4.0)
        runs.append(runs_of(the_flow(sim)))
        return runs, [furnace.temperature, *(ingot.temperature for ingot in ingots)]

    runs, values = run(True)
    assert runs[0] == [8, 1, 3, 3, 2]  # contributions, the furnace, 3 ingots, 3 slabs, 2 ingots
    assert runs[1] == [7, 1, 2, 3, 2]
    assert values == run(False)[1]
    runs, values = run(True, (7, 1.0), (4, 2.0))
    assert runs[0] == [8, 1, 1, 1, 3, 2, 1]
    assert runs[1] == [7, 1, 1, 1, 2, 2, 1]
    assert values == run(False, (7, 1.0), (4, 2.0))[1]


@pytest.mark.slow
@pytest.mark.parametrize("compile_", [True, False])
def test_sums_do_not_depend_on_where_objects_stand(compile_: bool) -> None:
    def run(*, holes: bool) -> tuple[float, ...]:
        sim = ev.Simulation(compile=compile_, stepping="together")
        furnace = Furnace(sim).start()
        if holes:
            for k in range(6):
                Ingot(sim, furnace=furnace, colour=k)
            gc.collect()  # what nobody holds is gone: its slots are taken by those who come
        ingots = [Ingot(sim, furnace=furnace, coefficient=0.3 ** (1 + k)).start() for k in range(9)]
        sim.run(until=5.0)
        return furnace.temperature, *(ingot.temperature for ingot in ingots)

    assert run(holes=True) == run(holes=False)
