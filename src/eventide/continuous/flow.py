"""Flows: sets of states and laws that touch each other, and the grouping of active components into them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import chain
from math import inf, nan, nextafter
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous.checks import check_pass, refuse_change
from eventide.continuous.culprits import execute_law
from eventide.continuous.inputs.base import first_breakpoint
from eventide.continuous.inputs.reach import Reach
from eventide.continuous.sliding import Sliding
from eventide.continuous.tables import (
    ATTEMPT,
    BEFORE,
    CHAIN_HI,
    CHAIN_LO,
    COMPLETE_STEP,
    COUNTED,
    DIRECT,
    EMPTY,
    EVENT,
    FIRST,
    LIMIT,
    PLACE,
    SEGMENTS_HI,
    SEGMENTS_LO,
    SLIDES,
    SPAN,
    SUMS_HI,
    SUMS_LO,
    SYSTEM,
    TENDED,
)

CONTRIBUTIONS: Final = 0
EQUATIONS: Final = 1

if TYPE_CHECKING:
    from eventide.continuous.analysis import LawPlan
    from eventide.continuous.growing import Run
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
        self.slots: dict[int, None] = {}
        self._runs: list[tuple[int, int]] = []
        self.sums: dict[int, int] = {}
        self.conditions: dict[Any, None] = {}
        self.resting: dict[Any, None] = {}
        self._owners: dict[Any, None] = {}
        self._indirect: dict[Any, None] = {}
        self.inputs: dict[Any, tuple[Input, ...] | Reach] = {}
        self.sliding: Sliding | None = None
        self._is_checked = True
        ints = motion.flow_ints.array
        ints[number, FIRST] = ints[number, PLACE] = ints[number, SLIDES] = -1
        ints[number, SYSTEM] = -1
        ints[number, EMPTY] = ints[number, DIRECT] = 1
        motion.flow_floats.array[number, EVENT] = -1.0
        motion.flow_floats.array[number, SPAN] = inf
        self._limit(inf)
        self.segments = self._run(motion.segments, SEGMENTS_LO, SEGMENTS_HI)
        self.chain = self._run(motion.chain, CHAIN_LO, CHAIN_HI, COUNTED)
        self.sum_runs = self._run(motion.sums, SUMS_LO, SUMS_HI)

    def _run(self, table: Any, low: int, high: int, outdated: int | None = None) -> Run:
        run: Run = table.new_run()

        def on_move() -> None:
            ints, number = self.motion.flow_ints.view, self.number
            ints[number, low], ints[number, high] = run.start, run.start + run.count
            if outdated is not None:
                ints[number, outdated] = 0

        run.on_move = on_move
        on_move()
        return run

    def drop(self) -> None:
        """Give everything back; the flow is no more."""
        motion = self.motion
        if self.sliding is not None:
            self.sliding.slides.clear()
            self.sliding.renew()
        for table, run in ((motion.segments, self.segments), (motion.chain, self.chain), (motion.sums, self.sum_runs)):
            table.drop(run)
        motion.flow_floats.release(self.number)
        motion.flow_ints.release(self.number)

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

    def add_owner(self, owner: Any, plan: LawPlan | None) -> None:
        """Take in a component with its laws and sums, or a loose variable; its slots are added apart."""
        self._owners[owner] = None
        self._note_emptiness()
        slide = getattr(owner, "_slide", None)
        if slide is not None:
            self.sliding = self.sliding or Sliding(self)
            self.sliding.slides[owner] = slide
            self._note_tending()
        if not getattr(owner, "_is_active", False):
            return
        self._is_checked = False
        inputs = plan.inputs if plan else None
        self.note_inputs(owner, Reach(owner._laws(), owner) if inputs is None else inputs)
        if not (plan and plan.is_direct):
            self._indirect[owner] = None
            self.motion.flow_ints.array[self.number, DIRECT] = 0
        if owner._contributes:
            self._add_law(owner, CONTRIBUTIONS, plan.contributions if plan else None)
        if owner._has_equations:
            self._add_law(owner, EQUATIONS, plan.equations if plan else None)
        layout = owner._layout
        if layout.sums:
            self.add_sums(layout.slot(owner, layout.sums[0]), len(layout.sums))

    def remove_owner(self, owner: Any) -> None:
        """Let a component or a loose variable go, with its laws and sums."""
        self._owners.pop(owner, None)
        self._indirect.pop(owner, None)
        if self.sliding is not None:
            self.sliding.slides.pop(owner, None)
        self.forget_inputs(owner)
        self.motion.flow_ints.array[self.number, DIRECT] = int(not self._indirect)
        for stage in (EQUATIONS, CONTRIBUTIONS):
            place = self._place_of(owner, stage)
            if place >= 0:
                del self.order[place], self.laws[place]
                self.chain.delete(place)
        layout = getattr(owner, "_layout", None)
        if layout is not None and layout.sums:
            self.remove_sums(layout.slot(owner, layout.sums[0]))
        self._note_emptiness()

    def _place_of(self, law: Any, stage: int) -> int:
        """Where a law stands in the order; -1 if it does not."""
        # Its priority may have been changed before it is taken out: then it is looked for.
        place = bisect_left(self.order, (stage, -getattr(law, "_priority", 0.0), getattr(law, "_started", 0)))
        if place < len(self.laws) and self.laws[place] is law and self.order[place][0] == stage:
            return place
        places = (i for i, other in enumerate(self.laws) if other is law and self.order[i][0] == stage)
        return next(places, -1) if self._owes(law, stage) else -1

    @staticmethod
    def _owes(law: Any, stage: int) -> bool:
        return bool(getattr(law, "_contributes" if stage == CONTRIBUTIONS else "_has_equations", False))

    def _add_law(self, law: Any, stage: int, call: tuple[int, int] | None) -> None:
        key = (stage, -law._priority, law._started)
        place = bisect_left(self.order, key)
        self.order.insert(place, key)
        self.laws.insert(place, law)
        self.chain.insert(place, (*(call or (0, 0)), 1))

    @property
    def is_empty(self) -> bool:
        """Whether it has neither states nor laws."""
        return not self._owners

    def _note_emptiness(self) -> None:
        self.motion.flow_ints.array[self.number, EMPTY] = int(self.is_empty)

    @property
    def stretch(self) -> tuple[int, int] | None:
        """The run of its slots (low, high); None if there are several or none."""
        return self._runs[0] if len(self._runs) == 1 else None

    def fuse(self) -> None:
        """Use functions made for its laws and slots, where the analyst has any."""
        ints, number = self.motion.flow_ints.view, self.number
        ints[number, ATTEMPT], ints[number, COMPLETE_STEP] = self.motion.analyst.fused(self)

    def add_slots(self, slots: list[int]) -> None:
        """Let slots be integrated with this flow."""
        self.slots.update(dict.fromkeys(slots))
        for low, high in coalesce(slots):
            place = bisect_left(self._runs, (low, high))
            if place < len(self._runs) and self._runs[place][0] == high:
                high = self._runs.pop(place)[1]  # noqa: PLW2901  # the run grows
                self.segments.delete(place)
            if place and self._runs[place - 1][1] == low:
                place -= 1
                low = self._runs.pop(place)[0]  # noqa: PLW2901  # the run grows
                self.segments.delete(place)
            self._runs.insert(place, (low, high))
            self.segments.insert(place, (low, high))

    def remove_slots(self, slots: list[int]) -> None:
        """Let slots stand still."""
        for slot in slots:
            self.slots.pop(slot, None)
        for low, high in coalesce(slots):
            place = bisect_right(self._runs, (low, inf)) - 1
            first, last = self._runs.pop(place)
            self.segments.delete(place)
            for part in ((high, last), (first, low)):
                if part[0] < part[1]:
                    self._runs.insert(place, part)
                    self.segments.insert(place, part)

    def add_sums(self, first: int, count: int) -> None:
        """Zero these sums before every evaluation."""
        self.sums[first] = count
        self.sum_runs.append((first, first + count))

    def remove_sums(self, first: int) -> None:
        """Leave these sums alone."""
        if self.sums.pop(first, None) is not None:
            self.sum_runs.clear()
            for low, count in self.sums.items():
                self.sum_runs.append((low, low + count))


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
