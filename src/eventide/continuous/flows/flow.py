"""Flows: sets of states, laws and conditions that affect each other, with a step and an interpolant of their own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import inf, nan, nextafter
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous.checks import RateRecorder, refuse_change
from eventide.continuous.components.component import Continuous
from eventide.continuous.error_context import execute_law
from eventide.continuous.flows.sliding import Slide, Sliding
from eventide.engine.codes import BY_READING, ENTRY
from eventide.engine.memory.flow_rows import CHAIN, RESTS, SEGMENTS, SUMS
from eventide.engine.records import LawRecord
from eventide.inputs.base import first_breakpoint
from eventide.native.locking import cached_property
from eventide.reading.reach import Reach

CONTRIBUTIONS: Final = 0
EQUATIONS: Final = 1
IN_PASS: Final = 1
"""In place of True while Python executes the laws of a flow: they write all but states."""
CROWD: Final = 32
"""In a flow of at least this many laws it pays to join those of a class."""

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.integrator import Integrator
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.conditions.until import StateWait
    from eventide.engine.memory.growable_arrays import Run
    from eventide.inputs import Input


class Still:
    """The flow of what does not move: inactive components read and write their slots directly."""

    at = nan
    is_open = False
    number = -1
    recorder = None

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator

    def show(self) -> None:
        """Values that stand still are always those of now."""
        self.at = self.integrator.sim.time

    def open(self, slot: int) -> None:
        """An event changes a constant: the flows that read it are touched. Raises ModelError as `Flow.open`.

        An object to which an unreadable law adds is no longer constant.
        """
        integrator = self.integrator
        if integrator.host.executes:
            integrator.system.check_assignment(slot)
            self.receive(integrator.storage.owner_of(slot))
            return
        if integrator.is_observed:
            refuse_change(integrator.system.name_of(slot))
        if integrator.storage.slot.user[slot, BY_READING] != -1:
            integrator.written(slot)

    def receive(self, owner: Member) -> None:
        """A law that cannot be read sets something of an object, or has its rates in hand to do so."""
        integrator = self.integrator
        if integrator.host.executes:
            if integrator.is_marching:
                integrator.host.meet(owner)
            else:
                integrator.groups.receive(owner, None)


class Flow:
    """One flow: its row in the arrays, its laws in their order, its slots.

    at          the time of the states that Python sees
    is_open     whether an event has changed it since it was settled last; or IN_PASS
    members     its components and loose variables, in the order in which they joined
    looked_up   what is known of its present laws and slots; None after a change
    recorder    records which rates a law that cannot be read reads and writes; None while none runs or none is needed
    crowd       with this many laws those of a class are joined
    is_fused    whether its steps use functions made for its laws
    assigns     whether its laws may assign states
    inputs      the inputs that each owner's laws, and each condition, call; where these are not known, may call
    resting     waits that are, or were, at rest, and what each depends on
    sliding     what slides along surfaces; None if nothing has done so yet
    needs_python    whether there are inputs, or something slides, which each event has to check
    """

    def __init__(self, integrator: Integrator, number: int) -> None:
        self.integrator = integrator
        self.number = number
        self.at = nan
        self.is_open: bool | int = False
        self.assigns = False
        self.conditions: dict[Condition, None] = {}
        self.resting: dict[StateWait, tuple[Member, ...]] = {}
        self.members: dict[Member, None] = {}
        self.inputs: dict[object, tuple[Input, ...] | Reach[Input]] = {}
        self.sliding: Sliding | None = None
        self.looked_up: Look | None = None
        self.needs_python = False
        self.is_fused = False
        self.crowd = CROWD
        self.recorder: RateRecorder | None = None

    @property
    def segments(self) -> Run:
        """The runs of its slots."""
        return self.integrator.memory.flow_rows.run(self.integrator.memory.segments, self.number, SEGMENTS)

    @property
    def chain(self) -> Run:
        """Its laws."""
        return self.integrator.memory.flow_rows.run(self.integrator.memory.chain, self.number, CHAIN)

    @property
    def sums(self) -> Run:
        """The runs of its sums."""
        return self.integrator.memory.flow_rows.run(self.integrator.memory.segments, self.number, SUMS)

    @property
    def rests(self) -> Run:
        """The runs of its members' states that are not integrated."""
        return self.integrator.memory.flow_rows.run(self.integrator.memory.segments, self.number, RESTS)

    @property
    def slots(self) -> Slots:
        """The slots that are integrated with it, in their order."""
        return Slots(self)

    def end(self) -> None:
        """It is no more; what it has room for is the next one's of its number."""
        self.looked_up = None
        if self.sliding is not None:
            self.sliding.slides.clear()
            self.sliding.renew()
        self._make_rows(0)

    # --- conditions -----------------------------------------------------------------------------------------------

    def make_room(self) -> None:
        """Make room for one more condition: an entry, and a place among those not screened."""
        flow, number, constants = self.integrator.memory.flow, self.number, self.integrator.memory.constants
        room, used = flow.entries_room[number], flow.entries[number]
        longer = 2 * room
        old, new = flow.entries_at[number], constants.allocate((ENTRY + 1) * longer)
        numbers = constants.array
        for first, target, count in ((old, new, ENTRY * used), (old + ENTRY * room, new + ENTRY * longer, room)):
            numbers[target : target + count] = numbers[first : first + count]
        constants.release(old, (ENTRY + 1) * room)
        flow.entries_at[number], flow.entries_room[number] = new, longer

    # --- what is seen and changed from outside --------------------------------------------------------------------

    def show(self) -> None:
        """Bring what is seen of the flow to the present time; its step goes on."""
        integrator = self.integrator
        if integrator.is_marching:
            integrator.host.meet(self)
        else:
            integrator.publish(self)

    def open(self, slot: int) -> None:
        """An event changes the flow: its step ends now.

        Raises ModelError if it is a reporter that would change it, or a law that assigns what no law may.
        """
        integrator = self.integrator
        if integrator.host.executes:
            integrator.system.check_assignment(slot)
            if self.is_open:
                return
        if integrator.is_observed:
            refuse_change(integrator.system.name_of(slot))
        if integrator.is_marching:
            integrator.host.meet(self)
        else:
            integrator.touch(self)

    # --- evaluation in Python -------------------------------------------------------------------------------------

    def run_laws(self) -> None:
        """Execute all laws in their order."""
        time, host = self.integrator.sim.time, self.integrator.host
        for stage, law in self.look_up().laws:
            call = law.contributions if stage == CONTRIBUTIONS else law.equations
            if stage in law._class_plan.unread:
                host.watch(law, stage, call, time)
            else:
                execute_law(law, call, time)

    def foresee(self, now: float) -> None:
        """Let steps that begin now end where an input that laws or conditions call is not smooth."""
        called = (known.found() if isinstance(known, Reach) else known for known in self.inputs.values())
        self._limit(first_breakpoint(chain.from_iterable(called), now))

    def note_inputs(self, who: object, inputs: tuple[Input, ...] | Reach[Input]) -> None:
        """Laws or a condition of the flow call these inputs."""
        if inputs:
            self.inputs[who] = inputs
            self._note_tending()

    def forget_inputs(self, who: object) -> None:
        """They are called no longer."""
        if self.inputs.pop(who, None) is not None and not self.inputs:
            self._limit(inf)
            self._note_tending()

    def _note_tending(self) -> None:
        flow, number = self.integrator.memory.flow, self.number
        self.needs_python = bool(self.inputs) or self.sliding is not None
        flow.needs_python[number] = int(self.needs_python)

    def begin_step(self, now: float) -> None:
        """The flow has been touched, and a step begins: check its inputs, and what slides."""
        if self.inputs:
            self.foresee(now)
        if self.sliding is not None:
            self.sliding.renew()
            self.integrator.memory.flow.stale[self.number] = 1

    def _limit(self, limit: float) -> None:
        flow = self.integrator.memory.flow
        flow.limit[self.number], flow.before_limit[self.number] = limit, nextafter(limit, -inf)

    # --- members --------------------------------------------------------------------------------------------------

    def owners(self) -> list[Member]:
        """The components and loose variables that belong to the flow, in the order in which they joined."""
        return list(self.members)

    def grow(self) -> None:
        """Make room for one more member, or for the gap that one leaves."""
        for run, more in ((self.segments, 1), (self.sums, 1), (self.chain, 2)):
            if run.count + more > run.room:
                run.grow()

    def toggle_slots(self, low: int, high: int) -> None:
        """Let slots be integrated with the flow that are not, or stand still."""
        integrator = self.integrator
        if self.segments.count == self.segments.room:
            self.segments.grow()
        integrator.engine.toggle_states(integrator.memory.arrays, self.number, low, high)
        self.looked_up = None

    def toggle_rests(self, low: int, high: int) -> None:
        """Zero rates of states that are not integrated before each evaluation, or cease to."""
        integrator = self.integrator
        if self.rests.count == self.rests.room:
            self.rests.grow()
        integrator.engine.toggle_rests(integrator.memory.arrays, self.number, low, high)
        self.looked_up = None

    def look_up(self) -> Look:
        """What Python needs of its laws, slots and sums, computed once after each change."""
        if self.looked_up is None:
            self.looked_up = Look(self)
        return self.looked_up

    def note_slide(self, owner: Member, slide: Slide) -> None:
        """A member slides along a surface."""
        self.sliding = self.sliding or Sliding(self)
        self.sliding.slides[owner] = slide
        self._note_tending()

    def note_assignments(self) -> bool:
        """Its laws assign states from now on; returns whether that is new."""
        is_new, self.assigns = not self.assigns, True
        flow, number = self.integrator.memory.flow, self.number
        flow.assigns[number] = 1
        if is_new:
            flow.stale[number] = 1
        return is_new

    @property
    def is_empty(self) -> bool:
        """Whether it has neither states nor laws."""
        return not self.members

    @property
    def stretch(self) -> tuple[int, int] | None:
        """The run of its slots (low, high); None if there are several or none."""
        runs = self.segments
        if runs.count != 1:
            return None
        segments, at = self.integrator.memory.segments.view, runs.start
        return segments[at, 0], segments[at, 1]

    def fuse(self) -> None:
        """Use functions made for its laws and slots, where the analyst has any; join laws where they are many."""
        flow, number = self.integrator.memory.flow, self.number
        analyst, laws = self.integrator.analyst, flow.chain_hi[number] - flow.chain_lo[number]
        if laws >= self.crowd:
            self.crowd = 2 * laws
            self._make_rows(analyst.join(self) * laws)
        if self.is_fused or laws <= analyst.most_fused:
            flow.attempt[number], flow.complete_step[number] = found = analyst.fused(self)
            self.is_fused = found != (0, 0)

    def _make_rows(self, size: int) -> None:
        """Make room for the index rows of joined laws: for half the objects, until there are twice as many."""
        flow, number, lists = self.integrator.memory.flow, self.number, self.integrator.memory.lists
        place = flow.laid_from[number]
        if place:
            lists.release(place, lists.view[place])
        place = flow.laid_from[number] = lists.allocate(1 + size) if size else 0
        if size:
            lists.view[place] = 1 + size


def moving_flow(member: Member) -> Flow:
    """The flow of a member that is known to move."""
    flow = member._flow
    assert isinstance(flow, Flow)
    return flow


class Look:
    """The laws, slots and sums of a flow as they are now."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    @cached_property
    def laws(self) -> list[tuple[int, Any]]:
        """The laws in their order, each as its stage and whose it is."""
        flow = self._flow
        owner_at, contributors = flow.integrator.storage.owner_at, flow.integrator.memory.flow.contributors[flow.number]
        return [
            (CONTRIBUTIONS if k < contributors else EQUATIONS, owner_at(law[LawRecord.place_of("slab")]))
            for k, law in enumerate(flow.chain.rows())
        ]

    @cached_property
    def segments(self) -> list[list[int]]:
        """The runs of its slots (first, one beyond the last)."""
        return self._flow.segments.rows()

    @cached_property
    def computing(self) -> list[object]:
        """The components of which laws may set more than rates."""
        return [one for one in self._flow.members if isinstance(one, Continuous) and one._layout.computes]

    @cached_property
    def sums(self) -> list[list[int]]:
        """The runs of its sums."""
        return self._flow.sums.rows()

    @cached_property
    def rests(self) -> list[list[int]]:
        """The runs of its members' states that are not integrated."""
        return self._flow.rests.rows()


class Slots:
    """The slots that are integrated with a flow, in their order."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    def __contains__(self, slot: int) -> bool:
        return any(low <= slot < high for low, high in self._flow.look_up().segments)

    def __iter__(self) -> Iterator[int]:
        return (slot for low, high in self._flow.look_up().segments for slot in range(low, high))

    def __len__(self) -> int:
        return sum(high - low for low, high in self._flow.look_up().segments)


def coalesce(slots: list[int]) -> list[tuple[int, int]]:
    """Ascending slots as maximal runs (lo, hi)."""
    if slots and slots[-1] - slots[0] == len(slots) - 1:
        return [(slots[0], slots[-1] + 1)]
    runs: list[tuple[int, int]] = []
    for slot in slots:
        if runs and runs[-1][1] == slot:
            runs[-1] = (runs[-1][0], slot + 1)
        else:
            runs.append((slot, slot + 1))
    return runs
