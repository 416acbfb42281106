"""Flows: sets of states and laws that touch each other, and the grouping of active components into them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from math import inf, nan, nextafter
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous.checks import check_pass, refuse_change
from eventide.continuous.culprits import execute_law
from eventide.continuous.growing import Told
from eventide.continuous.inputs.base import first_breakpoint
from eventide.continuous.inputs.reach import Reach
from eventide.continuous.sliding import Sliding
from eventide.continuous.tables import (
    ALONE,
    ATTEMPT,
    BEFORE,
    CHAIN_HI,
    CHAIN_LO,
    COMPLETE_STEP,
    COUNTED,
    DIRECT,
    EMPTY,
    ENTRIES,
    ENTRY,
    EVENT,
    LAID_FROM,
    LIMIT,
    ROOM_FOR,
    SEGMENTS_HI,
    SEGMENTS_LO,
    SLIDES,
    SPAN,
    SUMS_HI,
    SUMS_LO,
    SYSTEM,
    TENDED,
    WATCHED,
    P,
)

CONTRIBUTIONS: Final = 0
EQUATIONS: Final = 1
CROWD: Final = 32
"""In a flow of so many laws it is worth while to join those of a class."""
FEWEST: Final = 2
"""For so many conditions a flow has room at first."""

if TYPE_CHECKING:
    from eventide.continuous.analysis import LawPlan
    from eventide.continuous.growing import Run, Runs
    from eventide.continuous.inputs import Input
    from eventide.continuous.motion import Motion


class Still:
    """The flow of what does not move: inactive components read and write their slots directly."""

    at = nan
    is_open = False
    number = -1

    def __init__(self, motion: Motion) -> None:
        self.motion = motion

    def show(self) -> None:
        """Values that stand still are always those of now."""
        self.at = self.motion.sim.time

    def open(self, slot: int) -> None:
        """An event changes a value that stands still: whoever reads it is touched. Raises ModelError as `Flow.open`.

        What a law writes there inside a step, as the sum of an object that has been stopped, touches nobody.
        """
        if self.motion.is_observed:
            refuse_change(self.motion.system.name_of(slot))
        if not self.motion.is_marching:
            self.motion.written(slot)


class Flow:
    """One flow: its row in the arrays, its laws in their order, its slots.

    at          the time to which what is seen of its states belongs
    is_open     whether an event has changed it and it has not been settled since
    assigns     whether its laws may assign states
    inputs      what each owner's laws, and each condition, call; where that is not known, what they may call
    resting     waits at rest, or once at rest, and what each depends on
    sliding     what slides along surfaces; None if nothing ever has
    """

    def __init__(self, motion: Motion, number: int) -> None:
        self.motion = motion
        self.number = number
        self.at = nan
        self.is_open = False
        self.assigns = False
        self.order: list[tuple[float, int, int]] = []
        self.laws: list[Any] = []
        self.conditions: dict[Any, None] = {}
        self.resting: dict[Any, tuple[Any, ...]] = {}
        self._owners: dict[Any, None] = {}
        self._indirect: dict[Any, None] = {}
        self.inputs: dict[Any, tuple[Input, ...] | Reach] = {}
        self.sliding: Sliding | None = None
        self._is_checked = True
        self._is_fused = False
        self._crowd = CROWD
        self._ints = motion.flow_ints
        ints = motion.flow_ints.array
        ints[number, SLIDES] = -1
        ints[number, SYSTEM] = -1
        ints[number, EMPTY] = ints[number, DIRECT] = 1
        motion.flow_floats.array[number, EVENT] = -1.0
        motion.flow_floats.array[number, SPAN] = inf
        self._limit(inf)
        self.segments = self._run(motion.segments, SEGMENTS_LO, SEGMENTS_HI)
        self.chain = self._run(motion.chain, CHAIN_LO, CHAIN_HI)
        self.sums = self._run(motion.sums, SUMS_LO, SUMS_HI)
        self.slots = Slots(self.segments)

    def _run(self, table: Runs, low: int, high: int) -> Run:
        return table.new_run(Told(self.motion.flow_ints, self.number, low, high))

    def drop(self) -> None:
        """Give everything back; the flow is no more."""
        motion = self.motion
        if self.sliding is not None:
            self.sliding.slides.clear()
            self.sliding.renew()
        for table, run in ((motion.segments, self.segments), (motion.chain, self.chain), (motion.sums, self.sums)):
            table.drop(run)
        self._release_entries()
        self._make_rows(0)
        motion.flow_floats.release(self.number)
        motion.flow_ints.release(self.number)

    # --- conditions -----------------------------------------------------------------------------------------------

    def make_room(self) -> None:
        """Let there be room for one condition more: an entry for each, and a place among those that are awake."""
        ints, number, constants = self.motion.flow_ints.view, self.number, self.motion.constants
        room, used = ints[number, ROOM_FOR], ints[number, ENTRIES]
        longer = max(FEWEST, 2 * room)
        old, new = ints[number, WATCHED], constants.allocate((ENTRY + 1) * longer)
        numbers = constants.array
        for first, target, count in ((old, new, ENTRY * used), (old + ENTRY * room, new + ENTRY * longer, room)):
            numbers[target : target + count] = numbers[first : first + count]
        self._release_entries()
        ints[number, WATCHED], ints[number, ROOM_FOR] = new, longer

    def _release_entries(self) -> None:
        ints, number = self.motion.flow_ints.view, self.number
        if ints[number, ROOM_FOR]:
            self.motion.constants.release(ints[number, WATCHED], (ENTRY + 1) * ints[number, ROOM_FOR])

    # --- what is seen and changed from outside --------------------------------------------------------------------

    def show(self) -> None:
        """Bring what is seen of the flow to the present time; its step goes on."""
        motion = self.motion
        if motion.is_marching:
            motion.host.meet(self)
        else:
            motion.publish(self)

    def open(self, slot: int) -> None:
        """An event changes the flow: its step ends now. Raises ModelError if it is a reporter that would change it."""
        motion = self.motion
        if motion.is_observed:
            refuse_change(motion.system.name_of(slot))
        if motion.is_marching:
            motion.host.meet(self)
        else:
            motion.touch(self)

    # --- evaluation in Python -------------------------------------------------------------------------------------

    def run_laws(self) -> None:
        """Execute all laws in their order; the first time after a change with every write of a rate on record."""
        if not self._is_checked:
            self._is_checked = True
            check_pass(self)
            return
        time = self.motion.sim.time
        for (stage, _, _), law in zip(self.order, self.laws, strict=True):
            execute_law(law, law.contributions if stage == CONTRIBUTIONS else law.equations, time)

    def foresee(self, now: float) -> None:
        """Let steps that begin now end where an input that laws or conditions call is not smooth."""
        called = (known.inputs() if isinstance(known, Reach) else known for known in self.inputs.values())
        self._limit(first_breakpoint(chain.from_iterable(called), now))

    def note_inputs(self, who: Any, inputs: tuple[Input, ...] | Reach) -> None:
        """Laws or a condition of the flow call these inputs."""
        if inputs:
            self.inputs[who] = inputs
            self._note_tending()

    def forget_inputs(self, who: Any) -> None:
        """They are called no longer."""
        if self.inputs.pop(who, None) is not None and not self.inputs:
            self._limit(inf)
            self._note_tending()

    def _note_tending(self) -> None:
        ints, number = self.motion.flow_ints.view, self.number
        ints[number, TENDED] = int(bool(self.inputs) or self.sliding is not None)

    def _limit(self, limit: float) -> None:
        floats = self.motion.flow_floats.array
        floats[self.number, LIMIT], floats[self.number, BEFORE] = limit, nextafter(limit, -inf)

    # --- members --------------------------------------------------------------------------------------------------

    def owners(self) -> list[Any]:
        """The components and loose variables that belong to the flow, in the order in which they joined."""
        return list(self._owners)

    def add_owner(self, owner: Any, plan: LawPlan) -> None:
        """Take in a component with its laws, sums and slots, or a loose variable."""
        self._owners[owner] = None
        self._ints.view[self.number, EMPTY] = 0
        if owner._slide is not None:
            self.sliding = self.sliding or Sliding(self)
            self.sliding.slides[owner] = owner._slide
            self._note_tending()
        if owner._is_active:
            self._add_laws(owner, plan)
        for low, high in owner._going:
            self.toggle_slots(low, high)

    def _add_laws(self, owner: Any, plan: LawPlan) -> None:
        self._is_checked = False
        if plan.inputs != ():
            self.note_inputs(owner, Reach(owner._laws(), owner) if plan.inputs is None else plan.inputs)
        ints, number = self._ints.view, self.number
        if not plan.is_direct:
            self._indirect[owner] = None
            ints[number, DIRECT] = 0
        if owner._contributes:
            self._add_law(owner, CONTRIBUTIONS, plan.contributions)
        if owner._has_equations:
            self._add_law(owner, EQUATIONS, plan.equations)
        if owner._layout.sums:
            self._toggle_sums(owner)

    def remove_owner(self, owner: Any) -> None:
        """Let a component or a loose variable go, with its laws, sums and slots."""
        del self._owners[owner]
        ints, number = self._ints.view, self.number
        if not self._owners:
            ints[number, EMPTY] = 1
        if self.sliding is not None:
            self.sliding.slides.pop(owner, None)
        if owner._is_active:
            if self.inputs:
                self.forget_inputs(owner)
            if self._indirect.pop(owner, self) is None and not self._indirect:
                ints[number, DIRECT] = 1
            if owner._contributes:
                self._remove_law(owner, CONTRIBUTIONS)
            if owner._has_equations:
                self._remove_law(owner, EQUATIONS)
            if owner._layout.sums:
                self._toggle_sums(owner)
        for low, high in owner._going:
            self.toggle_slots(low, high)

    def toggle_slots(self, low: int, high: int) -> None:
        """Let slots be integrated with the flow that are not, or stand still."""
        self.segments.toggle(low, high)
        change = self.motion.arena.rows[P]
        for slot in range(low, high):
            change[slot] = nan  # they have no interpolant: no condition dozes for them

    def _toggle_sums(self, owner: Any) -> None:
        layout = owner._layout
        first = owner._side + layout.offsets[layout.sums[0]]
        self.sums.toggle(first, first + len(layout.sums))

    def _add_law(self, law: Any, stage: int, call: tuple[int, int] | None) -> None:
        order, key = self.order, law._places[stage]
        place = bisect_left(order, key) if order and key < order[-1] else len(order)
        order.insert(place, key)
        self.laws.insert(place, law)
        address, operands = call or (0, 0)
        self.chain.insert(place, (address, operands, 1, ALONE))

    def _remove_law(self, law: Any, stage: int) -> None:
        place = bisect_left(self.order, law._places[stage])
        del self.order[place], self.laws[place]
        self.chain.delete(place)

    @property
    def is_empty(self) -> bool:
        """Whether it has neither states nor laws."""
        return not self._owners

    @property
    def stretch(self) -> tuple[int, int] | None:
        """The run of its slots (low, high); None if there are several or none."""
        if len(self.segments) != 1:
            return None
        ((low, high),) = self.segments.rows()
        return low, high

    def fuse(self) -> None:
        """Count anew which laws are one call, and use functions made for laws and slots, where the analyst has any."""
        ints, number = self._ints.view, self.number
        ints[number, COUNTED] = 0
        analyst = self.motion.analyst
        if len(self.laws) >= self._crowd:
            self._crowd = 2 * len(self.laws)
            self._make_rows(analyst.join(self) * len(self.laws))
        if self._is_fused or len(self.laws) <= analyst.most_fused:
            ints[number, ATTEMPT], ints[number, COMPLETE_STEP] = found = analyst.fused(self)
            self._is_fused = found != (0, 0)

    def _make_rows(self, size: int) -> None:
        """Let there be room to lay index rows of laws that are joined: until there are twice as many, of one in two."""
        ints, number, lists = self._ints.view, self.number, self.motion.lists
        place = ints[number, LAID_FROM]
        if place:
            lists.release(place, lists.view[place])
        place = ints[number, LAID_FROM] = lists.allocate(1 + size) if size else 0
        if size:
            lists.view[place] = 1 + size


class Slots:
    """The slots that are integrated with a flow, in their order."""

    def __init__(self, segments: Run) -> None:
        self._segments = segments

    def __contains__(self, slot: int) -> bool:
        return self._segments.is_inside(slot)

    def __iter__(self) -> Iterator[int]:
        return (slot for low, high in self._segments.rows() for slot in range(low, high))

    def __len__(self) -> int:
        return sum(high - low for low, high in self._segments.rows())


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
