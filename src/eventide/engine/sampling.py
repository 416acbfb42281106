"""Rows of numbers at given times, sampled while the flows advance: plain functions, also translated to native code.

In: tapes with the times at which a recording takes rows. Out: rows of states (from the interpolant), of what laws
compute (by running them there) and of functions (by kernels). A tape is a block of `lists`: its head, then a
description of each column. Its times, and after them its rows, are a block of `constants`. Where Python would raise an
error the tape stops, and Python calls the function.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

from eventide.engine.codes import (
    BUFFER,
    COLUMN,
    FILLED,
    FOLLOWING_TAPE,
    HELD,
    ROOM,
    SHOWN,
    SHOWN_AT,
    SLOT,
    STOPPED,
    TAPE_HEAD,
    WHAT,
    WHERE,
    WIDTH,
    WITH_LAWS,
    R,
    Y,
)
from eventide.engine.law_evaluation import evaluate
from eventide.engine.stepper import interpolate

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


def take_down(a: Arrays, limit: float) -> bool:
    """Sample the rows of all tapes before a time that all flows have reached.

    Returns     whether Python has to handle one of them: it is full, or has stopped
    """
    is_over = False
    upcoming = inf
    tape = a.run.tape
    while tape >= 0:
        filled = fill(a, tape, limit)
        if filled == a.lists[tape + ROOM] or a.lists[tape + STOPPED] == 1:
            is_over = True
        else:
            upcoming = min(upcoming, a.constants[a.lists[tape + BUFFER] + filled])
        tape = a.lists[tape + FOLLOWING_TAPE]
    a.run.upcoming = upcoming
    return is_over


def fill(a: Arrays, tape: int, limit: float) -> int:
    """Sample the rows of one tape; returns how many it has now."""
    filled, room, width = a.lists[tape + FILLED], a.lists[tape + ROOM], a.lists[tape + WIDTH]
    instants = a.lists[tape + BUFFER]
    while filled < room and a.constants[instants + filled] < limit:
        time = a.constants[instants + filled]
        is_written = show_inside(a, tape, time)
        row = instants + room + filled * width
        for k in range(width):
            is_written = is_written and write_down(a, tape + TAPE_HEAD + k * COLUMN, row + k, time)
        if not is_written:
            a.lists[tape + STOPPED] = 1
            a.lists[tape + FILLED] = filled
            return int(filled)
        filled += 1
    a.lists[tape + FILLED] = filled
    return int(filled)


def write_down(a: Arrays, column: int, place: int, time: float) -> bool:
    """Write the number of a column to a place of `constants`; whether it has one."""
    what, where = a.lists[column + WHAT], a.lists[column + WHERE]
    if what == SLOT:
        a.constants[place] = a.rows[Y, where]
    elif what == HELD:
        a.constants[place] = a.constants[where]
    else:
        return compute(a, column, place, time)
    return True


def compute(a: Arrays, column: int, place: int, time: float) -> bool:
    """Write what a kernel returns; False if Python would have raised an error. Only native code can call kernels."""
    raise NotImplementedError


def show_inside(a: Arrays, tape: int, time: float) -> bool:
    """Bring the states of a tape's flows to a time inside their steps; what laws compute as well, if it is wanted.

    At the time at which a step begins the row is that of the end of the one before, which only laws could tell apart
    that look back: with these there is no tape (`monitor/tape.py`).

    Returns     whether no law has raised an error
    """
    for k in range(a.lists[tape + SHOWN]):
        f = a.lists[a.lists[tape + SHOWN_AT] + k]
        a.flow.at[f] = nan
        if a.flow.empty[f] == 0 and a.flow.step[f] > 0.0:
            elapsed = elapsed_at(a, f, time)
            interpolate(a, f, elapsed / a.flow.step[f])
            if a.lists[tape + WITH_LAWS] == 1:
                evaluate(a, f, time, elapsed, R)
    is_shown = a.run.raised == 0
    a.run.raised = 0
    return bool(is_shown)


def elapsed_at(a: Arrays, f: int, time: float) -> float:
    """How much of the step has passed at a time; nothing at its start, whatever the clock has rounded of that."""
    if a.flow.event[f] >= 0.0 and time == a.flow.key[f]:
        return float(a.flow.event[f])
    if time == a.flow.start[f]:
        return 0.0
    if time < a.flow.end[f]:
        return float((time - a.flow.start[f]) - a.flow.start_rest[f])
    return float(a.flow.step[f])
