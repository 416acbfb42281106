"""Whatever starts, stops, changes its rank or is replaced: what is kept of flows is what counting anew would give."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.flow import coalesce
from eventide.continuous.tables import READER, SEVERAL

TANKS = 6


class Tank(ev.Continuous):
    """Flows into the next one, if there is one."""

    level: ev.State = ev.state(1.0)
    depth: ev.State = ev.state(0.0)
    gain: float = 0.3
    below: object = None
    inflow: ev.Sum = ev.sum_()

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
    motion = sim._continuum.motion
    groups = motion.groups
    readers, touchers = Counter[Any](), Counter[Any]()
    for flow in motion.flows.values():
        owners = [owner for owner in groups.plans if owner._flow is flow]
        assert sorted(owners, key=id) == sorted(flow.owners(), key=id)
        slots = sorted(slot for owner in owners for low, high in owner._going for slot in range(low, high))
        assert flow.segments.rows() == [list(run) for run in coalesce(slots)]
        assert list(flow.slots) == slots
        laws = sorted((place, owner) for owner in owners if owner._is_active for place in owner._places)
        assert (flow.order, flow.laws) == ([place for place, _ in laws], [owner for _, owner in laws])
        assert len(flow.chain) == len(laws)
        sums = sorted(owner._layout.slot(owner, "inflow") for owner in owners if owner._is_active)
        assert flow.sums.rows() == [list(run) for run in coalesce(sums)]
        for plan in [*(groups.plans[owner] for owner in owners), *(wait.plan for wait in flow.conditions)]:
            readers.update((slot, flow) for slot in plan.reads)
            touchers.update((touched, flow) for touched in plan.touches)
        if flow.owners():
            assert len(motion.analyst.groups(flow)) == 1
    for kept, counted in ((groups.readers, readers), (groups._touchers, touchers)):
        assert {(item, flow): count for item, flows in kept.items() for flow, count in flows.items()} == counted
    told = {slot: next(iter(flows)).number if len(flows) == 1 else SEVERAL for slot, flows in groups.readers.items()}
    column = motion.arena.slots[:, READER].tolist()
    assert {slot: number for slot, number in enumerate(column) if number != -1} == told
    chain = sorted((owner._places[1], owner.name) for owner in groups.plans if owner._is_active)
    assert [law.name for law in sim.laws] == [name for _, name in chain]


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
