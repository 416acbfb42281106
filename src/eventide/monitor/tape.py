"""Tapes: rows of numbers that the stepper samples by itself at the times of a regular grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from eventide.continuous.components.member import class_plan_of, flow_of, holder_of, slots_of
from eventide.continuous.flows.flow import Flow
from eventide.engine.codes import (
    BUFFER,
    COLUMN,
    FILLED,
    FOLLOWING_TAPE,
    HELD,
    KERNEL,
    ROOM,
    SHOWN,
    SHOWN_AT,
    SLOT,
    STOPPED,
    TAPE_HEAD,
    WIDTH,
    WITH_LAWS,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from eventide.continuous.components.member import Member
    from eventide.continuous.components.variable import Variable
    from eventide.continuous.flows.flow import Still
    from eventide.continuous.integrator import Integrator
    from eventide.continuous.plans import ConditionPlan
    from eventide.declare.periods import Grid
    from eventide.inputs import Input
    from eventide.statistics import Level

FEWEST: Final = 64
"""The rows of a tape at first. It grows as they are used up, for Python fetches them one tape at a time."""
MOST: Final = 4096
LARGEST: Final = 2**16
"""The most numbers of a tape with more than the fewest rows."""
_FLOW: Final[Callable[[Member], Flow | Still]] = attrgetter("_flow")
EXACT: Final = 2**53
"""Whole numbers up to this are floats."""


class Moving(NamedTuple):
    """Numbers of one or more objects that a tape samples, as many of each.

    slots       where they are; trends: those of states among them, which have rates, and are not what laws compute
    """

    owners: Sequence[Member]
    slots: Sequence[int]
    trends: Sequence[int]

    @classmethod
    def of(cls, variable: Variable, *, is_state: bool) -> Moving:
        """The numbers of a variable."""
        slots = slots_of(variable)
        return cls((holder_of(variable),), slots, slots if is_state else ())


class Fixed(NamedTuple):
    """A number that changes at events only; level: whose value it is, if it is that of one."""

    read: Callable[[], float]
    level: Level | None = None


class Evaluated(NamedTuple):
    """The result of a function, if that can be compiled."""

    read: Callable[[], object]


Taken: TypeAlias = Moving | Fixed | Evaluated
"""What a tape can take down."""


class Columns:
    """What is to be sampled, as the stepper reads it: a head, and a block for each number of a row."""

    def __init__(self, integrator: Integrator, taken: Sequence[Taken], rows: int) -> None:
        self._integrator = integrator
        self._fixed = [item.read for item in taken if isinstance(item, Fixed)]
        self._functions = {place: item.read for place, item in enumerate(taken) if isinstance(item, Evaluated)}
        self._plans: dict[int, ConditionPlan | None] = {}
        self._held = integrator.memory.constants.allocate(len(self._fixed)) if self._fixed else 0
        self._flows: list[Flow] = []
        self._shown, self._shown_room = 0, 0
        self._is_possible = True
        self._note(taken)
        self._widest = self._width
        self._head = integrator.memory.lists.allocate(TAPE_HEAD + COLUMN * self._widest)
        self._make_room(rows)

    def _note(self, taken: Sequence[Taken]) -> None:
        self._taken = taken
        self._moving = [item for item in taken if isinstance(item, Moving)]
        self._owners = [owner for item in self._moving for owner in item.owners]
        self._width = sum(len(item.slots) if isinstance(item, Moving) else 1 for item in taken)
        self._flows_of_owners: list[Flow | Still] | None = None
        self._laws: list[Member] = []

    def _make_room(self, rows: int) -> None:
        self._room = rows
        self._buffer = self._integrator.memory.constants.allocate(rows * (1 + self._widest))
        self._integrator.memory.lists.view[self._head + ROOM] = rows
        self._integrator.memory.lists.view[self._head + BUFFER] = self._buffer

    def _release_room(self) -> None:
        self._integrator.memory.constants.release(self._buffer, self._room * (1 + self._widest))

    def release(self) -> None:
        """Give the memory back; it is used no more."""
        self._integrator.memory.lists.release(self._head, TAPE_HEAD + COLUMN * self._widest)
        self._release_room()
        if self._fixed:
            self._integrator.memory.constants.release(self._held, len(self._fixed))
        self._release_shown()
        for plan in self._plans.values():
            if plan is not None:
                self._integrator.analyst.release(plan)

    def _release_shown(self) -> None:
        if self._shown_room:
            self._integrator.memory.lists.release(self._shown, self._shown_room)

    # --- what is sampled --------------------------------------------------------------------------------------------

    def _is_known(self) -> bool:
        """Note the present flows, slots and kernels; returns whether the stepper can sample them by itself."""
        if not self._integrator.flows or not self._is_possible:
            return False
        if self._functions and not self._plan():
            self._is_possible = False
            return False
        flows = list(map(_FLOW, self._owners))
        for plan in self._plans.values():
            if plan is not None:
                flows += [flow_of(owner) for owner in plan.touches]
        if flows != self._flows_of_owners:
            self._flows_of_owners = flows
            self._write_columns()
            self._write_flows([flow for flow in dict.fromkeys(flows) if isinstance(flow, Flow)])
        if self._laws and not self._are_native():
            return False
        for place, read in enumerate(self._fixed, start=self._held):
            self._integrator.memory.constants.view[place] = read()
        return True

    def _plan(self) -> bool:
        """Bind all functions' kernels to what they refer to now; False if one has no kernel."""
        analyst = self._integrator.analyst
        for place, read in self._functions.items():
            plan = self._plans.get(place)
            if plan is not None and analyst.is_quantity_current(read, plan):
                continue
            if plan is not None:
                analyst.release(plan)
            self._plans[place] = plan = analyst.quantity(read)
            self._flows_of_owners = None
            if plan is None:
                return False
        return True

    def _write_columns(self) -> None:
        columns: list[tuple[int, int, int, int]] = []
        held = self._held
        for place, item in enumerate(self._taken):
            if isinstance(item, Moving):
                columns += [(SLOT, slot, 0, 0) for slot in item.slots]
            elif isinstance(item, Fixed):
                columns.append((HELD, held, 0, 0))
                held += 1
            else:
                plan = self._plans[place]
                assert plan is not None
                columns.append((KERNEL, plan.pattern.address, plan.index, plan.constants))
        first, lists = self._head + TAPE_HEAD, self._integrator.memory.lists
        lists.view[self._head + WIDTH] = self._width
        lists.array[first : first + COLUMN * self._width] = [number for column in columns for number in column]

    def _write_flows(self, flows: list[Flow]) -> None:
        blocks, self._flows = self._integrator.memory.lists, flows
        if len(flows) > self._shown_room:
            self._release_shown()
            self._shown, self._shown_room = blocks.allocate(len(flows)), len(flows)
        for k, flow in enumerate(flows):
            blocks.view[self._shown + k] = flow.number
        computes = any(len(item.trends) < len(item.slots) for item in self._moving)
        computes |= any(plan is not None and plan.pattern.needs_laws for plan in self._plans.values())
        # The interpolant does not give what laws assign to states.
        computes |= any(flow.assigns for flow in flows)
        blocks.view[self._head + SHOWN], blocks.view[self._head + SHOWN_AT] = len(flows), self._shown
        blocks.view[self._head + WITH_LAWS] = int(computes)
        self._laws = [owner for flow in flows for owner in flow.owners()] if computes else []

    def _are_native(self) -> bool:
        """Whether the laws to be run are native code: an error raised in Python would be lost.

        Those that look back are not run either: the next step may have begun.
        """
        plans = (class_plan_of(owner) for owner in self._laws if flow_of(owner).number >= 0)
        return self._integrator.analyst.compiles and not any(one.is_opaque or one.looks_back for one in plans)


class Tape(Columns):
    """Samples numbers at the times of a grid.

    Its rows are, bit for bit, what reading the variables and calling the functions at these instants gives.
    """

    def __init__(self, integrator: Integrator, taken: Sequence[Taken]) -> None:
        super().__init__(integrator, taken, FEWEST)
        self._grid: Grid | None = None
        self._first = self._fetched = 0

    def is_ready(self, grid: Grid, index: int) -> bool:
        """Enter the times of a grid from number `index` on; returns whether the stepper can sample there."""
        lists = self._integrator.memory.lists.view
        if lists[self._head + STOPPED]:
            lists[self._head + STOPPED] = 0
            return False  # Python calls the function at that instant, so that its error goes up
        if not self._is_known():
            return False
        if grid is not self._grid or not self._first <= index < self._first + self._room:
            return self._put_in(grid, index)
        self._fetched = lists[self._head + FILLED] = index - self._first  # some were passed by events
        return True

    def _put_in(self, grid: Grid, index: int) -> bool:
        rows = min(2 * self._room, MOST)
        if grid is self._grid and rows * (1 + self._widest) <= LARGEST:
            self._release_room()
            self._make_room(rows)
        times = instants(grid, index, self._room + 1)
        if not (times[1:] > times[:-1]).all():
            self._grid = None
            return False  # the period is below the resolution of these times
        self._integrator.memory.constants.array[self._buffer : self._buffer + self._room] = times[:-1]
        self._grid, self._first = grid, index
        self._integrator.memory.lists.view[self._head + FILLED] = self._fetched = 0
        return True

    def take(self, moving: Moving) -> None:
        """Sample other objects from now on; what was sampled before has been fetched."""
        self._note((moving,))
        if self._width <= self._widest:
            return
        lists = self._integrator.memory.lists
        lists.release(self._head, TAPE_HEAD + COLUMN * self._widest)
        self._release_room()
        self._widest = 2 * self._width
        self._head, self._grid = lists.allocate(TAPE_HEAD + COLUMN * self._widest), None
        lists.view[self._head + STOPPED] = 0
        self._make_room(FEWEST)

    def skip(self) -> None:
        """Leave out the next instant: an event has taken place there."""
        self._fetched += 1
        self._integrator.memory.lists.view[self._head + FILLED] = self._fetched

    def fetch(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
        """The times and rows taken down since the last call, or None."""
        filled = self._integrator.memory.lists.view[self._head + FILLED]
        first, self._fetched = self._fetched, filled
        if first == filled:
            return None
        room, width = self._room, self._width
        numbers = self._integrator.memory.constants.array[self._buffer : self._buffer + room * (1 + width)]
        return numbers[first:filled], numbers[room:].reshape(room, width)[first:filled]

    @property
    def is_held(self) -> bool:
        """Whether some of its numbers are those of the last event in Python."""
        return bool(self._fixed or self._functions)

    @staticmethod
    def put_on(integrator: Integrator, tapes: Sequence[Tape]) -> None:
        """Let the stepper take down these tapes from now on, and no others."""
        following, upcoming = -1, inf
        for tape in tapes:
            integrator.memory.lists.view[tape._head + FOLLOWING_TAPE] = following
            following = tape._head
            upcoming = min(upcoming, integrator.memory.constants.view[tape._buffer + tape._fetched])
        integrator.run.tape, integrator.run.upcoming = following, upcoming


class Probe(Columns):
    """Reads one number at several times at once, all of them in the present steps of the flows that it is of."""

    def __init__(self, integrator: Integrator, taken: Taken) -> None:
        super().__init__(integrator, [taken], FEWEST)

    def inputs(self) -> tuple[Input, ...] | None:
        """The inputs that the number calls, of itself; None if that is not known, as it is read by Python."""
        if not self._is_possible or not self._plan():
            return None
        return tuple(one for plan in self._plans.values() if plan is not None for one in plan.inputs or ())

    def at(self, times: Sequence[float]) -> Sequence[float] | None:
        """The number at these times, at most 64; None if the stepper cannot read it, or Python would raise an error."""
        if not self._is_known():
            return None
        integrator, count, start = self._integrator, len(times), self._buffer
        lists, numbers = integrator.memory.lists.view, integrator.memory.constants.view
        for k, time in enumerate(times):
            numbers[start + k] = time
        numbers[start + count] = inf
        lists[self._head + FILLED] = 0
        # Native laws may need Python, which has its own time then.
        integrator.call(lambda arrays, head, _: integrator.engine.fill(arrays, head, inf), self._head)
        for flow in self._flows:
            flow.at = nan
        if lists[self._head + FILLED] < count:
            lists[self._head + STOPPED] = 0
            return None
        numbers, first = integrator.memory.constants.view, start + self._room
        found: Sequence[float] = numbers[first : first + count].tolist()
        return found


def instants(grid: Grid, index: int, count: int) -> npt.NDArray[np.float64]:
    """`count` instants of a grid from number `index` on, each rounded once."""
    first, step, scale = grid.first, grid.step, grid.scale
    last = first + (index + count) * step
    if scale < EXACT and max(abs(first), abs(last), abs(step)) < EXACT:
        return (first + np.arange(index, index + count) * step) / float(scale)
    return np.array([(first + k * step) / scale for k in range(index, index + count)])


def are_among(times: npt.NDArray[np.float64], known: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which of some times are among others that ascend."""
    if not len(known):
        return np.zeros(len(times), bool)
    found: npt.NDArray[np.bool_] = known[np.searchsorted(known[:-1], times)] == times
    return found
