"""The record of a sliding flow: its surfaces, modes and weights for the stepper, and the way back to either side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ulp
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.continuous.components.component import Continuous
from eventide.engine.codes import (
    ABS,
    COUNT,
    E0,
    MODE_SLOTS,
    MODE_VALUES,
    MODES,
    PASSES,
    PER_SURFACE,
    REL,
    RUNS,
    SHARE,
    SLIDE_HEAD,
    SURFACE,
    WIDTH_OF_PASS,
    Y,
)
from eventide.engine.law_evaluation import ABOVE, BELOW, OUTSIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.integrator import Integrator
    from eventide.discrete.conditions.condition import Condition
    from eventide.engine.memory.growable_arrays import Blocks, Number

FINEST: Final = 2.0**-40
"""A state is moved off its surface by this share of its tolerance at first, then by twice as much, and so on."""


@dataclass
class Slide:
    """A motion along one surface.

    surface     the condition that is true above it, watched apart
    share       the slot for the share of the field above
    is_above    the slot of what is 1 in the pass with that field, and 0 else
    path        the slot of the integral of the share
    modes       by slot: the number below, above, and outside of passes
    meets       the members that must be in its flow: the surface and the modes are theirs
    """

    surface: Condition
    share: int
    is_above: int
    path: int
    modes: dict[int, list[float]] = field(default_factory=dict)
    meets: tuple[Member, ...] = ()


class Sliding:
    """The slides of one flow, as its passes read them.

    slides      by the component that stands for each, in the order in which they began
    """

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._integrator: Integrator = flow.integrator
        self._blocks: list[tuple[Blocks[int] | Blocks[float], int, int]] = []
        self.slides: dict[Member, Slide] = {}
        self._opened: NDArray[np.float64] | None = None
        self._told: tuple[list[object], list[int]] = [], []

    def note_opening(self) -> None:
        """The present states are those before an event; later changes count as the event's."""
        self._opened = self._states()

    @property
    def has_moved(self) -> bool:
        """Whether an event has changed a state of the flow, or which states there are."""
        return self._opened is not None and not np.array_equal(self._opened, self._states(), equal_nan=True)

    def _states(self) -> NDArray[np.float64]:
        paths = self._paths()
        slots = [slot for slot in self._flow.slots if slot not in paths]
        states: NDArray[np.float64] = self._integrator.storage.table[Y, slots]
        return states

    def _paths(self) -> list[int]:
        return [slide.path for slide in self.slides.values()]

    def direction(self, owner: Member) -> dict[int, float]:
        """By slot of the flow: the last pass with this motion's mode above minus the pass with all below."""
        integrator, flow = self._integrator, self._flow
        owners, slots = self._told
        if owner not in owners:
            return {}
        head, numbers = integrator.memory.flow.slides[flow.number], integrator.memory.constants.array
        width, place = integrator.memory.lists.view[head + WIDTH_OF_PASS], integrator.memory.lists.view[head + PASSES]
        below = numbers[place : place + len(slots)]
        place += (1 + owners.index(owner)) * width
        changes = (numbers[place : place + len(slots)] - below).tolist()
        paths = self._paths()
        pairs = zip(slots, changes, strict=True)
        return {slot: change for slot, change in pairs if slot in flow.slots and slot not in paths}

    def renew(self) -> None:
        """Write the present surfaces for the passes, before a touched flow is settled."""
        self._opened = None
        for blocks, place, size in self._blocks:
            blocks.release(place, size)
        self._blocks.clear()
        integrator, flow = self._integrator, self._flow
        self._told = [], []
        integrator.memory.flow.slides[flow.number] = self._write() if self.slides else -1

    def _write(self) -> int:
        integrator, slides = self._integrator, self.slides.values()
        integrated, resting = self._flow.segments.rows(), self._flow.rests.rows()
        slots = [slot for low, high in (*integrated, *resting) for slot in range(low, high)]
        self._told = list(self.slides), slots
        runs = [run for owner in self._flow.owners() if owner not in self.slides for run in computed_runs(owner)]
        width = len(slots) + sum(high - low for low, high in runs)
        count = len(slides)
        passes = self._block(integrator.memory.constants, [0.0] * ((count + 1) * (width + count)))
        head = [0] * (SLIDE_HEAD + count * PER_SURFACE)
        head[COUNT], head[WIDTH_OF_PASS], head[PASSES], head[RUNS] = count, width, passes, len(runs)
        for k, slide in enumerate(slides):
            at, modes = SLIDE_HEAD + k * PER_SURFACE, {**slide.modes, slide.is_above: [0.0, 1.0, 0.0]}
            head[at + SURFACE], head[at + SHARE], head[at + MODES] = slide.surface.row, slide.share, len(modes)
            head[at + MODE_SLOTS] = self._block(integrator.memory.lists, list(modes))
            values = [value[side] for side in (BELOW, ABOVE, OUTSIDE) for value in modes.values()]
            head[at + MODE_VALUES] = self._block(integrator.memory.constants, values)
        return self._block(integrator.memory.lists, [*head, *(bound for run in runs for bound in run)])

    def _block(self, blocks: Blocks[Number], values: list[Number]) -> int:
        place = int(blocks.allocate(len(values)))
        for k, value in enumerate(values):
            blocks.view[place + k] = value
        self._blocks.append((blocks, place, len(values)))
        return place


def computed_runs(owner: Member) -> list[tuple[int, int]]:
    """The slots that an owner's laws set besides rates: computed values and sums, then computed vectors."""
    if not isinstance(owner, Continuous):
        return []
    layout = owner._layout
    runs = [(owner._side, owner._side + len(layout.computed) + len(layout.sums))]
    for name in layout.computed_vectors:
        slots = layout.slots(owner, name)
        runs.append((slots.start, slots.stop))
    return [run for run in runs if run[0] < run[1]]


def lead_aside(integrator: Integrator, direction: dict[int, float], is_there: Callable[[], bool]) -> bool:
    """Move states along a direction as little as it takes until a test holds; False, unmoved, if a move within their
    tolerances does not do.

    direction   by slot, how far it moves in comparison with the others; as rates differ at a surface, so that what a
                search for a state event leaves within dt_min is in reach as well
    """
    rows = integrator.storage.rows
    states, rests = rows[Y], rows[E0]
    start = {slot: states[slot] for slot in direction}
    room = reach(integrator, direction)
    scale = 0.0
    while not is_there():
        scale = 2.0 * scale if scale else FINEST * room
        if not 0.0 < scale <= room:
            for slot, value in start.items():
                states[slot] = value
            return False
        for slot, value in start.items():
            states[slot] = value + scale * direction[slot]
            rests[slot] = 0.0
    return True


def reach(integrator: Integrator, direction: dict[int, float]) -> float:
    """How far states can be moved along a direction within their tolerances, or within 2 dt_min.

    As a direction is of rates that is a time.
    """
    states = integrator.storage.rows[Y]
    rooms = [_room(integrator, slot, states[slot]) / abs(rate) for slot, rate in direction.items() if rate]
    return max(min(rooms, default=0.0), 2.0 * integrator.sim.dt_min)


def _room(integrator: Integrator, slot: int, value: float) -> float:
    rows = integrator.storage.rows
    return max(abs(rows[ABS][slot]) + abs(rows[REL][slot] * value), 64.0 * ulp(value))
