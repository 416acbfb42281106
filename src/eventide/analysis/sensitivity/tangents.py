"""The derivatives of a run's states: integrated beside them, and carried through events.

Between events they obey the variational equations S' = f_x S + f_p. An event at the time tau(p) is seen by the model's
code with total derivatives: S + f tau', where tau' = -(g_x S + g_p) / (g_x f + g_t) of the condition g; afterwards they
are those of a fixed time again: S - f tau', with the rates f behind the event. That is the saltation matrix.

Source: Hiskens & Pai, IEEE Trans. Circuits Syst. I 47 (2000) 204; Pannek, Simulation of mechatronic systems, (4.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import copysign
from typing import TYPE_CHECKING

import numpy as np

from eventide.analysis.sensitivity.dual import Dual, Space
from eventide.analysis.sensitivity.functions import Functions
from eventide.analysis.sensitivity.views import DualRates, DualRow, Scratch, Unseen, UnseenVariable, refuse
from eventide.continuous import Continuous, system_of
from eventide.continuous.components.component import law_names
from eventide.continuous.components.member import branches_in, layout_of, show_variables, slab_of, switches_of
from eventide.continuous.components.switches import Switch
from eventide.continuous.flows.flow import IN_PASS
from eventide.declare import StateVector, state_vector
from eventide.engine.codes import R, Y
from eventide.engine.memory.buffers import view_of
from eventide.engine.switching import BOUND

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.analysis.sensitivity.dual_simulation import DualSimulation
    from eventide.continuous import Variable
    from eventide.continuous.flows.flow import Flow


class Companion(Continuous):
    """The derivatives of the states of one component, those of each state side by side."""

    size: int
    values: StateVector = state_vector(0.0, size="size")


class Conductor(Continuous):
    """The law of all companions."""

    _is_of_model = False
    task: Callable[[], None]

    def equations(self) -> None:
        """Set the rates of all derivatives."""
        self.task()


class Tangents:
    """The derivatives of one simulation.

    count       how many directions there are; behind them stands the derivative with respect to time, in an event
    moved       how fast the time of the present event changes, for each direction
    """

    def __init__(self, sim: DualSimulation, count: int) -> None:
        self.sim = sim
        self.count = count
        self.space = Space()
        self.functions = Functions()
        self.moved: NDArray[np.float64] = np.zeros(count + 1)
        self.companions: dict[Continuous, Companion] = {}
        self.row = DualRow(self.space, view_of(np.zeros(0)))
        self.rates: dict[int, float | Dual] = {}
        self.conductor: Conductor | None = None
        self.is_dual = True
        self.clock_moves = False
        self.outcomes: list[bool] = []
        self.branches: tuple[int, dict[int, list[bool]]] | None = None
        self.found: dict[int, float | Dual] = {}

    # --- what the code of the model sees --------------------------------------------------------------------------

    def adopt(self, component: Continuous) -> None:
        """A component has been made: its states have companions, and its code sees dual numbers."""
        layout = layout_of(component)
        if layout.vectors or layout.computed_vectors:
            refuse(f"vectors of states, as {type(component).__name__} has them")
        if any(layout.fields[name].assigned for name in layout.states):
            refuse(f"states that laws assign, as {type(component).__name__} has them")
        variables: dict[str, Variable] = {
            name: UnseenVariable._of(
                component, layout.slot(component, name), f"{type(component).__name__}.{name}", spec
            )
            for name, spec in layout.fields.items()
            if name in layout.names
        }
        show_variables(component, variables)
        self.functions.take_in(type(component))
        self.companions[component] = Companion(self.sim, size=max(1, layout.moving * self.count)).start()
        for slot in range(slab_of(component).side, slab_of(component).side + layout.standing):
            self.row.tangents.pop(slot, None)  # of the object that had it before
        self.expose()

    def expose(self) -> None:
        """Let all components show dual numbers, or plain floats again."""
        storage = system_of(self.sim).storage
        self.row.real = plain = storage.rows[Y]
        for owner in self.companions:
            owner.__dict__["_row"] = self.row if self.is_dual else plain
            slab = slab_of(owner)
            if self.is_dual:
                slab.rates = slab.rates_read = DualRates(owner, self.row, self.rates)
                slab.lasts = Unseen(f"{owner.name}.last")
            elif isinstance(slab.rates, DualRates):
                slab.rates = slab.rates_read = slab.lasts = None
        self.space.is_open = self.is_dual
        self.functions.exchange(is_dual=self.is_dual)

    def show(self, *, is_dual: bool) -> None:
        """Let the model's code see dual numbers from now on, or plain floats."""
        self.is_dual = is_dual
        self.expose()

    # --- between events -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Make the component that carries the derivatives, once there are states."""
        if self.conductor is None and self.companions:
            self.conductor = Conductor(self.sim, name="variational equations", task=self.conduct).start()

    def conduct(self) -> None:
        """The law of all companions: the rates of their derivatives, at the states of the present stage."""
        rates = system_of(self.sim).storage.rows[R]
        with self.as_dual():
            self.load()
            if self.sim.dt == 0.0 and self._has_turned():
                self.sim.events_met.turn()
                self.load()
            found = self.evaluate()
        if self.sim.dt == 0.0:
            self.check_branches()
        for owner, companion in self.companions.items():
            slots, count = self.slots_of(companion), self.count
            integrated = self.integrated(owner)
            for k, slot in enumerate(self.slots_of(owner)):
                rate = found.get(slot) if slot in integrated else None
                tangent = rate.tangent if isinstance(rate, Dual) else np.zeros(count + 1)
                for j in range(count):
                    rates[slots[k * count + j]] = tangent[j]

    @contextmanager
    def as_dual(self) -> Iterator[None]:
        """Dual numbers inside a law: what is shown afterwards is what was before."""
        before = [
            (owner, owner.__dict__["_row"], slab_of(owner).rates, slab_of(owner).lasts) for owner in self.companions
        ]
        kept, self.row.tangents = self.row.tangents, dict(self.row.tangents)
        self.is_dual = True
        self.expose()
        try:
            yield
        finally:
            self.is_dual = False
            self.expose()
            self.row.tangents = kept
            for owner, row, rates, lasts in before:
                owner.__dict__["_row"], slab_of(owner).rates, slab_of(owner).lasts = row, rates, lasts

    def check_branches(self) -> None:
        """Raise UndifferentiableError if laws now go another way than they went after the last event."""
        switched = system_of(self.sim).integrator.run.switched
        if self.branches is None:
            self.branches = switched, {}
        before, known = self.branches
        # Comparisons whose changes are located are made where steps begin, and held within: there are two lists.
        if switched != before or known.setdefault(len(self.outcomes), self.outcomes) != self.outcomes:
            refuse(f"a comparison in a law that is not located and has changed by time {self.sim.instant!r}")

    def _has_turned(self) -> bool:
        """Whether located comparisons of laws change here; they are examined again from here on."""
        switched = system_of(self.sim).integrator.run.switched
        if self.branches is None or self.branches[0] == switched:
            return False
        self.branches = switched, {}
        return True

    def switches(self) -> list[Switch]:
        """The located comparisons in the laws of the active components."""
        return [
            Switch(owner, branch)
            for owner in self.moving()
            for branch in [one.branch for one in switches_of(owner)] or branches_in(type(owner)).located
        ]

    def is_held(self, switch: Switch) -> bool:
        """Whether laws go by the outcome that a comparison had, as within a step."""
        return abs(float(self.row.real[switch.slot])) > BOUND

    @contextmanager
    def going_by(self, size: float) -> Iterator[None]:
        """Let laws go by the outcomes that located comparisons had (HELD), or by what these say now (LOOSE)."""
        real, slots = self.row.real, [switch.slot for switch in self.switches()]
        kept = [real[slot] for slot in slots]
        for slot, outcome in zip(slots, kept, strict=True):
            real[slot] = copysign(size, outcome)
        try:
            yield
        finally:
            for slot, outcome in zip(slots, kept, strict=True):
                real[slot] = outcome

    @contextmanager
    def holding(self, switch: Switch, outcome: float) -> Iterator[None]:
        """Let laws go by an outcome of a located comparison, whatever it is."""
        real, kept = self.row.real, self.row.real[switch.slot]
        real[switch.slot] = outcome
        try:
            yield
        finally:
            real[switch.slot] = kept

    def moving(self) -> list[Continuous]:
        """The components whose laws are at work."""
        return [owner for owner in self.companions if owner.active]

    def integrated(self, owner: Continuous) -> list[int]:
        """The slots of those states of a component that are integrated: each may be stopped and started by itself."""
        return system_of(self.sim).active_slots(owner)

    def slots_of(self, owner: Continuous) -> list[int]:
        """The slots of the states of a component."""
        return system_of(self.sim).slots_of(owner)

    def load(self) -> None:
        """Take the derivatives of all states from their companions."""
        table, count = system_of(self.sim).storage.table[Y], self.count
        for owner, companion in self.companions.items():
            values = table[self.slots_of(companion)]
            for k, slot in enumerate(self.slots_of(owner)):
                tangent = np.zeros(count + 1)
                tangent[:count] = values[k * count : (k + 1) * count]
                self.row.tangents[slot] = tangent

    def give(self) -> None:
        """Give the companions these derivatives, at the start of a step."""
        table, count = system_of(self.sim).storage.table[Y], self.count
        for owner, companion in self.companions.items():
            rows = [self.row.tangents[slot][:count] for slot in self.slots_of(owner)]
            if rows:
                table[self.slots_of(companion)] = np.concatenate(rows)

    def evaluate(self, forced: Sequence[bool] = ()) -> dict[int, float | Dual]:
        """Execute all laws at the present states; what they set is in `row.scratch`, and their rates are returned.

        forced      what their comparisons give that are not located, in their order
        """
        laws = self._laws()
        expected = {
            slab_of(owner).side + layout_of(owner).offsets[name]: None
            for owner, _ in laws
            for name in (*layout_of(owner).computed, *layout_of(owner).sums)
        }
        sums = [
            slab_of(owner).side + layout_of(owner).offsets[name]
            for owner in self.companions
            for name in layout_of(owner).sums
        ]
        before: dict[int, float | Dual] = {}
        scratch = Scratch(expected, before)
        for _ in range(2 * len(laws) + 1):
            self.row.scratch = scratch = Scratch(expected, before, sums)
            self.space.forced = list(forced)
            with self._in_pass(), self.watch() as comparisons:
                for k, (_, law) in enumerate(laws):
                    scratch.law = k
                    law()
            self.compared = comparisons
            before = scratch.found
            too_early = scratch.too_early()
            if too_early is not None:
                reader, writer = too_early
                laws.insert(writer, laws.pop(reader))
            elif not scratch.is_early:
                break
        self.row.scratch = None
        self.found = before
        self.space.forced = []
        self.outcomes = [outcome for _, outcome in self.compared]
        return scratch.rates

    def _laws(self) -> list[tuple[Continuous, Callable[[], None]]]:
        """The laws of the active components: contributions first, as the integration has them."""
        active = [owner for owner in system_of(self.sim).chain if owner in self.companions]
        given = [(owner, owner.contributions) for owner in active if "contributions" in law_names(owner)]
        return given + [(owner, owner.equations) for owner in active]

    @contextmanager
    def watch(self) -> Iterator[list[tuple[Dual, bool]]]:
        """Note the comparisons that are made meanwhile."""
        comparisons: list[tuple[Dual, bool]] = []
        self.space.comparisons = comparisons
        try:
            yield comparisons
        finally:
            self.space.comparisons = None

    @contextmanager
    def _in_pass(self) -> Iterator[None]:
        """Laws may write what laws write."""
        sim = self.sim
        flows: list[tuple[Flow, bool | int]] = [
            (flow, flow.is_open) for flow in system_of(sim).integrator.flows.values()
        ]
        was_active = sim.active
        sim.active = True
        for flow, _ in flows:
            flow.is_open = IN_PASS
        try:
            yield
        finally:
            sim.active = was_active
            for flow, was_open in flows:
                flow.is_open = was_open
