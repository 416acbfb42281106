"""What a process waits for as it goes away to a row, and as it leaves that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.bodies.waits.joins import place_wait
from eventide.discrete.conditions.until import StateWait
from eventide.discrete.processes.composite import AllOf
from eventide.discrete.processes.endings import End
from eventide.discrete.resources.request import Request
from eventide.rows.codes import NONE, REQUESTED, WATCHING

if TYPE_CHECKING:
    from eventide.bodies.migration.selection import Candidate
    from eventide.discrete.processes.process import Process
    from eventide.rows.memory import RowMemory


def begin_wait(
    memory: RowMemory, i: int, candidate: Candidate, requests: dict[Request, int], away: dict[Process, int]
) -> None:
    """Let the process in a row wait for what it has waited for in Python.

    requests, away      their rows, and those of processes
    """
    views, wait = memory.views, candidate.wait
    views.activity.at[i], views.process.watched[i] = candidate.row_start.at, 1
    for number, guard in candidate.guards.items():
        views.wholes[views.activity.wholes[i] + number] = guard.row
    if isinstance(joint := candidate.group or wait, End | AllOf):
        place_wait(memory, i, joint, away)
    elif candidate.group is not None:
        candidate.body.place_branches(memory, i, candidate.group.standing, requests)
    elif isinstance(wait, StateWait):
        views.activity.wait[i], views.process.subject[i] = WATCHING, wait.row
        memory.run.watching += 1
    elif isinstance(wait, Request):
        views.activity.wait[i], views.process.subject[i] = REQUESTED, requests[wait]
    else:
        assert candidate.notice is not None
        time, sequence, path, _ = candidate.notice
        memory.engine.place(memory.arrays, i, time, float(sequence), path[0])


def guard_left(memory: RowMemory, i: int) -> int:
    """The guard by which a process waits that is about to leave its row; NONE in another wait."""
    if memory.activity.wait[i] != WATCHING:
        return NONE
    memory.run.watching -= 1
    return memory.process.subject[i]
