"""Rows of states at given instants, taken down while the flows are marched: plain functions, also translated.

A tape is a block of `lists`: its head, the flows to be shown, the slots to be read. Its instants, then its rows, are
a block of `constants`.
"""

from __future__ import annotations

from math import inf, nan

from eventide.continuous.stepper import interpolate
from eventide.continuous.tables import (
    AT,
    BUFFER,
    EMPTY,
    FILLED,
    FOLLOWING_TAPE,
    REST,
    ROOM,
    SHOWN,
    START,
    STEP,
    TAPE,
    TAPE_HEAD,
    UPCOMING,
    WIDTH,
    Arrays,
    Y,
)


def take_down(a: Arrays, limit: float) -> bool:
    """Let all tapes take down their rows before a time to which all flows have been brought; whether one is full."""
    is_full = False
    upcoming = inf
    tape = int(a.settings[TAPE])
    while tape >= 0:
        filled = fill(a, tape, limit)
        if filled == a.lists[tape + ROOM]:
            is_full = True
        else:
            upcoming = min(upcoming, a.constants[a.lists[tape + BUFFER] + filled])
        tape = a.lists[tape + FOLLOWING_TAPE]
    a.settings[UPCOMING] = upcoming
    return is_full


def fill(a: Arrays, tape: int, limit: float) -> int:
    """Take down the rows of one tape; answers how many it has now."""
    filled, room, width = a.lists[tape + FILLED], a.lists[tape + ROOM], a.lists[tape + WIDTH]
    instants = a.lists[tape + BUFFER]
    slots = tape + TAPE_HEAD + width
    while filled < room and a.constants[instants + filled] < limit:
        show_inside(a, tape, a.constants[instants + filled])
        row = instants + room + filled * width
        for k in range(width):
            slot = a.lists[slots + k]
            a.constants[row + k] = a.rows[Y, slot]
        filled += 1
    a.lists[tape + FILLED] = filled
    return int(filled)


def show_inside(a: Arrays, tape: int, time: float) -> None:
    """Bring the states of a tape's flows to a time inside their steps, and nothing else of them."""
    for k in range(a.lists[tape + SHOWN]):
        f = a.lists[tape + TAPE_HEAD + k]
        a.flow_floats[f, AT] = nan
        if a.flow_ints[f, EMPTY] == 0:
            elapsed = (time - a.flow_floats[f, START]) - a.flow_floats[f, REST]
            interpolate(a, f, elapsed / a.flow_floats[f, STEP])
