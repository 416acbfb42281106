"""Whatever starts, stops, changes its rank or is replaced: what is kept of flows is what counting anew would give."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.flows.flow import coalesce
from eventide.engine.codes import BY_READING, BY_TOUCHING, SEVERAL

TANKS = 6


class Tank(ev.Continuous):
    """Flows into the next one, if there is one."""

    level: ev.State = ev.state(1.0)
    depth: ev.State = ev.state(0.0)
    gain: float = 0.3
    below: object = None
    inflow: ev.Summed = ev.summed()

    def contributions(self) -> None:
        if self.below is not None:
            self.below.inflow += self.gain * self.level  # type: ignore[attr-defined]  # a tank

    def equations(self) -> None:
        self.rate.level = self.inflow - self.gain * self.level
        self.rate.depth = 0.1 * self.level

    @ev.when(lambda self: self.level < 0.2)
    def low(self) -> None:
        self.level += 1.0


DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["turn", "rank", "redirect", "start one", "stop one", "replace"]),
        st.integers(0, TANKS - 1),
        st.integers(-1, TANKS - 1),
    ),
    max_size=25,
)


def do(sim: ev.Simulation, tanks: list[Tank], deed: str, which: int, other: int) -> None:
    tank = tanks[which]
    if deed == "turn":
        (tank.stop if tank.active else tank.start)()
    elif deed == "rank":
        tank.set_priority(other)
    elif deed == "redirect":
        tank.below = None if other < 0 or other == which else tanks[other]
    elif deed == "start one":
        tank["level"].start()
    elif deed == "stop one":
        tank["depth"].stop()
    else:
        tank.stop()
        tanks[which] = Tank(sim, gain=0.25, below=tank.below)


def check(sim: ev.Simulation) -> None:
    motion = sim._continuum.integrator
    groups, seats = motion.groups, motion.storage.slabs
    readers, flows_touching = Counter[Any](), Counter[Any]()
    for flow in motion.flows.values():
        owners = [owner for owner in sim._continuum.storage.owners() if owner._flow is flow]
        assert sorted(owners, key=id) == sorted(flow.owners(), key=id)
        slots = sorted(slot for owner in owners for low, high in owner._going for slot in range(low, high))
        assert flow.segments.rows() == [list(run) for run in coalesce(slots)]
        assert list(flow.slots) == slots
        active = sorted((-owner._priority, owner._started, owner) for owner in owners if owner._is_active)
        assert flow.look_up().laws == [(stage, owner) for stage in (0, 1) for *_, owner in active]
        sums = sorted(owner._layout.slot(owner, "inflow") for owner in owners)
        assert flow.sums.rows() == [list(run) for run in coalesce(sums)]
        for owner in owners:
            plan = groups.plan_of(owner)
            readers.update((slot, flow) for slot in plan.reads)
            flows_touching.update((touched, flow) for touched in plan.touches if touched is not owner)
        for wait in flow.conditions:
            readers.update((slot, flow) for slot in wait.plan.reads)
            flows_touching.update((touched, flow) for touched in wait.plan.touches)
        if flow.owners():
            assert len(motion.analyst.groups(flow)) == 1
    assert counted(motion, BY_READING, groups.shared._readers).keys() == readers.keys()
    assert {
        (slot, flow) for slot in range(len(motion.storage.slot.ints)) for flow in groups.shared.readers(slot)
    } == set(readers)
    told = {(owner, flow) for owner in motion.storage.owners() for flow in groups.shared.flows_touching(owner)}
    assert told == set(flows_touching)
    counts = counted(motion, BY_TOUCHING, groups.shared._touching)
    assert {(motion.storage.owner_of(slot), flow) for slot, flow in counts} == set(flows_touching)
    given = Counter(owner.below for owner in groups.members() if owner._is_active and owner.below is not owner)
    for tank in motion.storage.owners():
        assert motion.storage.slab.given[tank._slab.number] == given[tank]
        assert (tank._flow is motion.still) == (not (tank._is_active or tank._going or given[tank]))
    chain = sorted((-owner._priority, owner._started, owner.name) for owner in groups.members() if owner._is_active)
    assert [law.name for law in sim.laws] == [name for *_, name in chain]
    assert [seat.number for seat in seats] == list(range(len(seats)))


def counted(motion: Any, kind: int, shared: Any) -> dict[Any, int]:
    """By slot and flow how often that uses it, as the slots tell, and for those that several flows use, Python."""
    counts = {}
    known = motion.storage.slot
    for slot in range(len(known.ints)):
        user = known.user[slot, kind]
        assert (user == SEVERAL) == (slot in shared)
        if user == SEVERAL:
            assert len(shared[slot]) > 1
            counts.update({(slot, flow): count for flow, count in shared[slot].items()})
        elif user >= 0:
            counts[slot, motion.flows[user]] = known.uses[slot, kind]
    assert all(count > 0 for count in counts.values())
    return counts


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(DEEDS)
def test_what_is_kept_of_flows_is_what_counting_anew_would_give(deeds: list[tuple[str, int, int]]) -> None:
    sim = ev.Simulation(rng=1)
    tanks: list[Tank] = []
    for k in range(TANKS):  # two cascades of three
        below = tanks[-1] if k % 3 else None
        tanks.append(Tank(sim, level=1.0 + 0.1 * k, gain=0.1 + 0.05 * k, below=below).start())
    sim.run(until=0.25)
    check(sim)
    for deed, which, other in deeds:
        do(sim, tanks, deed, which, other)
        sim.run(until=sim.time + 0.25)
        check(sim)


class Ends(ev.Continuous):
    """Its law compares the time alone."""

    v: ev.State = ev.state(0.25)
    u: ev.State = ev.state(-0.4)

    def equations(self) -> None:
        self.rate.v = 0.0 if self.sim.time >= 1.0 else 1.0
        self.rate.u = -2.8 * self.u


@pytest.mark.parametrize("compiles", [False, True])
def test_comparisons_of_the_time_are_located_after_their_object_has_got_another_rank(compiles: bool) -> None:
    sim = ev.Simulation(compile="auto" if compiles else False)
    ends = Ends(sim).start()
    Ends(sim).start()

    def ranks() -> ev.ProcessGenerator:
        yield ev.hold(0.1)
        ends.set_priority(1.0)
        yield ev.hold(0.0)

    sim.process(ranks())
    sim.run(until=2.0)
    assert ends.v == pytest.approx(1.25, abs=1e-14)
