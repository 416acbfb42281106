"""Tapes: rows of states that the stepper takes down by itself at the instants of a regular grid."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.continuous.tables import (
    BUFFER,
    FILLED,
    FOLLOWING_TAPE,
    ROOM,
    SHOWN,
    TAPE,
    TAPE_HEAD,
    UPCOMING,
    WIDTH,
)
from eventide.continuous.vectors import VectorVariable

if TYPE_CHECKING:
    import numpy.typing as npt

    from eventide.continuous.motion import Motion
    from eventide.continuous.variable import Variable
    from eventide.discrete.periodic import Grid

FEWEST: Final = 64
"""So many rows a tape has at first. It grows as they are used up, for Python fetches them one tape at a time."""
MOST: Final = 4096
LARGEST: Final = 2**16
"""A tape with more than the fewest rows has at most so many numbers."""
EXACT: Final = 2**53
"""Whole numbers up to this are floats."""


class Tape:
    """Takes down some states at the instants of a grid.

    Its rows are, bit for bit, what reading the variables at these instants gives.
    """

    def __init__(self, motion: Motion, variables: Sequence[Variable]) -> None:
        self._motion = motion
        self._variables = variables
        self._owners = list({id(variable._owner): variable._owner for variable in variables}.values())
        self._width = sum(len(v) if isinstance(v, VectorVariable) else 1 for v in variables)
        self._head = motion.lists.allocate(TAPE_HEAD + 2 * self._width)
        self._grid: Grid | None = None
        self._first = self._fetched = 0
        self._flows: list[Any] = []
        motion.lists.view[self._head + WIDTH] = self._width
        self._make_room(FEWEST)

    def _make_room(self, rows: int) -> None:
        self._room = rows
        self._buffer = self._motion.constants.allocate(rows * (1 + self._width))
        self._motion.lists.view[self._head + ROOM] = rows
        self._motion.lists.view[self._head + BUFFER] = self._buffer

    def is_ready(self, grid: Grid, index: int) -> bool:
        """Put in the instants of a grid from number `index` on; whether the stepper can take down what is wanted."""
        if not self._motion.flows or not self._find_flows():
            return False
        if grid is not self._grid or not self._first <= index < self._first + self._room:
            return self._put_in(grid, index)
        self._fetched = self._motion.lists.view[self._head + FILLED] = index - self._first  # some were passed by events
        return True

    def _find_flows(self) -> bool:
        """Note which flows and slots are meant; False if laws may set states to what the interpolant does not say."""
        flows = [owner._flow for owner in self._owners]
        if flows != self._flows:
            self._flows = flows
            moving = list({f.number: None for f in flows if f is not self._motion.still})
            lists, start = self._motion.lists.array, self._head + TAPE_HEAD
            lists[self._head + SHOWN] = len(moving)
            lists[start : start + len(moving)] = moving
            lists[start + self._width : start + 2 * self._width] = [s for v in self._variables for s in _slots_of(v)]
        return not any(f.assigns for f in flows if f is not self._motion.still)

    def _put_in(self, grid: Grid, index: int) -> bool:
        rows = min(2 * self._room, MOST)
        if grid is self._grid and rows * (1 + self._width) <= LARGEST:
            self._motion.constants.release(self._buffer, self._room * (1 + self._width))
            self._make_room(rows)
        times = instants(grid, index, self._room + 1)
        if not (times[1:] > times[:-1]).all():
            self._grid = None
            return False  # the period is too small to be seen at these times
        self._motion.constants.array[self._buffer : self._buffer + self._room] = times[:-1]
        self._grid, self._first = grid, index
        self._motion.lists.view[self._head + FILLED] = self._fetched = 0
        return True

    def fetch(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
        """The times and rows taken down since the last call, or None."""
        filled = self._motion.lists.view[self._head + FILLED]
        first, self._fetched = self._fetched, filled
        if first == filled:
            return None
        room, width = self._room, self._width
        numbers = self._motion.constants.array[self._buffer : self._buffer + room * (1 + width)]
        return numbers[first:filled], numbers[room:].reshape(room, width)[first:filled]

    def release(self) -> None:
        """Give the memory back; the tape is no more."""
        self._motion.lists.release(self._head, TAPE_HEAD + 2 * self._width)
        self._motion.constants.release(self._buffer, self._room * (1 + self._width))

    @staticmethod
    def put_on(motion: Motion, tapes: Sequence[Tape]) -> None:
        """Let the stepper take down these tapes from now on, and no others."""
        following, upcoming = -1, inf
        for tape in tapes:
            motion.lists.view[tape._head + FOLLOWING_TAPE] = following
            following = tape._head
            upcoming = min(upcoming, motion.constants.view[tape._buffer + tape._fetched])
        motion.settings[TAPE], motion.settings[UPCOMING] = following, upcoming


def _slots_of(variable: Variable) -> list[int]:
    return variable._every_slot() if isinstance(variable, VectorVariable) else [variable._slot]


def instants(grid: Grid, index: int, count: int) -> npt.NDArray[np.float64]:
    """`count` instants of a grid from number `index` on, each rounded once."""
    scale = grid.anchor.denominator * grid.period.denominator
    first = grid.anchor.numerator * grid.period.denominator
    step = grid.period.numerator * grid.anchor.denominator
    last = first + (index + count) * step
    if scale < EXACT and max(abs(first), abs(last), abs(step)) < EXACT:
        return (first + np.arange(index, index + count) * step) / float(scale)
    return np.array([(first + k * step) / scale for k in range(index, index + count)])
