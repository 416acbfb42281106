"""Contributions and equations of one class as one call: where nothing tells the difference, and to the last bit."""

from __future__ import annotations

from typing import Any

import pytest
from arrays import blank

import eventide as ev
from eventide.compilation.joined_laws import joined
from eventide.engine.codes import ALONE, BY_OTHERS, FIRST_WIDTH
from eventide.engine.records import LawRecord
from eventide.lowering.kernels.lowering import lower_law
from eventide.native import overrides


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1500.0)
    heat: ev.Summed = ev.summed()
    excess: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.excess = self.temperature - 1000.0
        self.rate.temperature = -0.01 * self.heat


class Ingot(ev.Continuous):
    furnace: Furnace
    coefficient: float
    temperature: ev.State = ev.state(300.0, assigned=True)

    def contributions(self) -> None:
        self.furnace.heat += self.coefficient * (self.furnace.temperature - self.temperature)

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * (self.furnace.temperature - self.temperature)


class Other(Ingot):
    """Names itself otherwise, and reads the clock."""

    def contributions(me) -> None:  # noqa: N805
        me.furnace.heat += me.coefficient * (me.furnace.temperature - me.temperature)

    def equations(ingot) -> None:  # noqa: N805
        ingot.rate.temperature = ingot.coefficient * (ingot.furnace.temperature - ingot.temperature + ingot.sim.time)


class ByHeat(Ingot):
    """What all together have given is known when all contributions have been made."""

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * (100.0 + 0.001 * self.furnace.heat)


class ByExcess(Ingot):
    """The furnace computes this in each pass, after the contributions."""

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * self.furnace.excess


class Adding(Ingot):
    """Adds to what another law may have set."""

    def equations(self) -> None:
        self.rate.temperature += self.coefficient


class Gauge(ev.Continuous):
    """Looks at a rate."""

    ingot: Ingot
    x: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.rate.x = 1.0

    def equations(self) -> None:
        self.rate.x += self.ingot.rate.temperature


class Shaker(ev.Continuous):
    """Assigns a state before equations are executed, for which the contributions that read it wait."""

    ingot: Ingot
    y: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.ingot.temperature = 300.0 + self.ingot.last.temperature / 2.0

    def equations(self) -> None:
        self.rate.y = 1.0


Run = tuple[int, str]


def runs_of(sim: ev.Simulation) -> list[Run]:
    """The runs of laws in the one flow: how many, and what is called for them."""
    (flow,) = sim._continuum.integrator.flows.values()
    law, runs, at = sim._continuum.integrator.memory.flow_rows.law, [], flow.chain.start
    end = at + flow.chain.count
    while at < end:
        runs.append((law.run_length[at], {ALONE: "itself", BY_OTHERS: "nothing"}.get(law.joint[at], "both")))
        at += law.run_length[at]
    return runs


def heated(kind: type[Ingot], *, compile_: bool, more: Any = None, count: int = 40) -> tuple[list[Run], list[float]]:
    """The runs of laws, how many and what is called for each; and the states after some have left and come."""
    sim = ev.Simulation(compile=compile_, stepping="together", rel_error=1e-7, abs_error=1e-7)
    furnace = Furnace(sim).start()
    ingots = [kind(sim, furnace=furnace, coefficient=0.05 + 0.01 * k).start() for k in range(count)]
    if more is not None:
        more(sim, ingot=ingots[3]).start()

    def change() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        ingots[7].stop()
        yield ev.hold(0.5)
        ingots[7].start()

    sim.process(change())
    sim.run(until=2.0)
    return runs_of(sim) if compile_ else [], [variable.state for variable in sim.variables]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Ingot, Other])
def test_laws_of_many_objects_of_a_class_are_one_call(kind: type[Ingot]) -> None:
    runs, states = heated(kind, compile_=True)
    assert runs == [(40, "both"), (1, "itself"), (40, "nothing")]
    assert states == heated(kind, compile_=False)[1]


@pytest.mark.parametrize("kind", [ByHeat, ByExcess, Adding])
def test_equations_that_look_at_what_a_pass_changes_wait_for_it(kind: type[Ingot]) -> None:
    runs, states = heated(kind, compile_=True)
    assert runs == [(40, "itself"), (1, "itself"), (40, "itself")]
    assert states == heated(kind, compile_=False)[1]


@pytest.mark.slow
@pytest.mark.parametrize("more", [Gauge, Shaker])
def test_nothing_is_joined_where_a_law_looks_at_rates_or_assigns_states(more: type[ev.Continuous]) -> None:
    runs, states = heated(Ingot, compile_=True, more=more)
    each = [39, 1, 1]  # who has left comes last
    first = [38, 1, 2] if more is Shaker else each  # of the contributions one waits for the shaker's
    assert runs == [(count, "itself") for count in (*first, 1, *each)]
    assert states == heated(Ingot, compile_=False, more=more)[1]


def test_few_laws_are_called_one_after_the_other() -> None:
    runs, states = heated(Ingot, compile_=True, count=12)
    assert runs == [(12, "itself"), (1, "itself"), (12, "itself")]
    assert states == heated(Ingot, compile_=False, count=12)[1]


def test_a_crowd_that_grows_is_joined_and_its_room_is_given_back() -> None:
    """Two entries of each ingot, and two of the furnace: two numbers."""
    sim = ev.Simulation(stepping="together")
    furnace = Furnace(sim).start()
    motion = sim._continuum.integrator
    ingots: list[Ingot] = []
    for count in (16, 40, 200):
        while len(ingots) < count:
            ingots.append(Ingot(sim, furnace=furnace, coefficient=0.1).start())
        sim.run(until=sim.time + 0.1)
        assert runs_of(sim) == [(count, "both"), (1, "itself"), (count, "nothing")]
    (flow,) = motion.flows.values()
    place = motion.memory.flow.laid_from[flow.number]
    room = motion.memory.lists.view[place]
    assert 200 * 2 < room <= 1 + 401 * 2
    flow.end()
    assert motion.memory.lists.allocate(room) == place


def test_runs_that_are_cut_by_others_are_joined_each_with_its_own() -> None:
    def run(*, compile_: bool) -> tuple[list[Run], list[float]]:
        sim = ev.Simulation(compile=compile_, stepping="together", rel_error=1e-7, abs_error=1e-7)
        furnace = Furnace(sim).start()
        kinds = [Ingot] * 20 + [Other] * 3 + [Ingot] * 10 + [ByHeat] + [Other] * 6
        for k, kind in enumerate(kinds):
            kind(sim, furnace=furnace, coefficient=0.05 + 0.01 * k).start()
        sim.run(until=1.0)
        return runs_of(sim) if compile_ else [], [variable.state for variable in sim.variables]

    runs, states = run(compile_=True)
    # The kernel of the contributions is the same for all; three are too few to be joined.
    called, left = ([(20, how), (3, "itself"), (10, how), (1, "itself"), (6, how)] for how in ("both", "nothing"))
    assert runs == [*called, (1, "itself"), *left]
    assert states == run(compile_=False)[1]


def test_laws_are_of_the_same_objects_if_their_index_rows_stand_side_by_side() -> None:
    law: LawRecord = LawRecord.zeros(6)
    arrays = blank()._replace(law=law)
    arrays.lists[FIRST_WIDTH] = 4
    for k, place in enumerate((10, 30, 50, 14, 34, 54)):
        law.operands[k] = place
    law.run_length[3] = 3
    assert overrides.are_of_the_same(arrays, 0, 3, 0)
    assert not overrides.are_of_the_same(arrays, 1, 3, 0)
    law.operands[4] = 35
    assert not overrides.are_of_the_same(arrays, 0, 3, 0)
    law.operands[4], law.address[1] = 34, 7
    assert not overrides.are_of_the_same(arrays, 0, 3, 0)


FACTOR = 2.0


class Scaled(Ingot):
    def equations(self) -> None:
        self.rate.temperature = FACTOR * self.coefficient


@pytest.mark.slow
def test_a_number_that_has_changed_since_the_laws_were_made_joins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ingot = Scaled(sim := ev.Simulation(), furnace=Furnace(sim), coefficient=0.5)
    laws = [lower_law(ingot, law) for law in (Scaled.contributions, Scaled.equations)]
    assert joined(ingot, laws[0], laws[1], exact_pow=False) is not None
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert joined(ingot, laws[0], laws[1], exact_pow=False) is None
