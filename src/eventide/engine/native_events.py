"""From event to event, as far as handlers and processes are native code: these run without coming back to Python.

Plain functions over arrays, which are also translated to native code. What a handler may read and write is known before
it runs. Its kernel answers ASKS where it has met what only Python does; then nothing has been changed, and its event
takes place in Python. What a process does from one wait to the next is a handler that ends by beginning the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.engine.codes import (
    ASKS,
    BY_READING,
    CHOICE,
    DONE,
    E0,
    EFFECTS_HEAD,
    FOLLOWER,
    JOURNEY_HEAD,
    LOCATED,
    MOVES,
    NEEDS,
    PER_WRITE,
    READS,
    SEVERAL,
    STANDS,
    STANDS_AT,
    STOPS,
    UNMOVED,
    WHOSE,
    WRITES,
)
from eventide.engine.event_effects import complete_to, publish, touch
from eventide.engine.scheduler import go_on, take_up

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


def proceed(a: Arrays, time: float, stop: float, c: int, rank: float) -> int:
    """Go on from an event to the next one that Python has to see, or to `stop`; HANDLED tells how many came between.

    c           who is waited for once more since that event; -1 if nobody is; rank: its new one
    Returns     a code of `tables.py`; of an event that is all there is to tell, the number of its condition
    """
    if c >= 0:
        take_up(a, c, rank)
    code = go_on(a, time, stop)
    while react(a, code):
        a.run.handled += 1
        a.run.handled_at = a.run.event_time
        code = go_on(a, a.run.event_time, stop)
    return a.run.chosen if is_alone(a, code) else code


def is_alone(a: Arrays, code: int) -> bool:
    """Whether an event is next which has touched one flow only, and nobody looks, has looked, or judges."""
    if code != CHOICE and code != LOCATED:  # noqa: PLR1714  # the stepper's language has no tuples
        return False
    is_quiet = a.run.alert == 0 and a.run.looked_at == 0 and a.run.handled == 0
    return bool(is_quiet and a.run.touched == 1)


def react(a: Arrays, code: int) -> bool:
    """If the event of a handler or process is next that is native code, let it run, but where Python is needed."""
    if code != CHOICE and code != LOCATED:  # noqa: PLR1714  # the stepper's language has no tuples
        return False
    if a.run.reacts == 0 or a.run.alert != 0:
        return False
    c, time = a.run.chosen, a.run.event_time
    if a.guard.handler[c] == 0:
        return False
    at = a.guard.effects[c]
    if a.run.reacts < a.lists[at + NEEDS] or is_tended(a, at):
        return False
    who = a.lists[at + WHOSE]
    if who >= 0 and not may_wait(a, who):
        return False
    for k in range(a.lists[at + READS]):
        f = a.slot.home[a.lists[at + EFFECTS_HEAD + k]]
        if f >= 0:
            publish(a, f, time)
    complete_written(a, at, time)
    answer = handle(a, c, at, time)
    if answer == ASKS:
        return False
    open_written(a, at, time)
    if who >= 0:
        wait(a, who, answer - DONE, time)
    return True


def may_wait(a: Arrays, who: int) -> bool:
    """Whether a process may begin any of its waits without Python."""
    for k in range(a.lists[who + STOPS]):
        c = a.lists[who + JOURNEY_HEAD + k]
        if c >= 0:
            f = a.guard.flow[c]
            if a.flow.open[f] == 0 and a.flow.tended[f] == 1:
                return False
    return True


def wait(a: Arrays, who: int, stop: int, time: float) -> None:
    """Let a process wait at one of its stops; Python is to be told of it."""
    c = a.lists[who + JOURNEY_HEAD + stop]
    touch(a, a.guard.flow[c], time)
    a.run.arrivals += 1
    take_up(a, c, a.run.arrivals)
    if a.lists[who + FOLLOWER] == UNMOVED:
        a.lists[who + FOLLOWER] = a.run.moved
        a.run.moved = who
    a.lists[who + STANDS_AT] = stop


def handle(a: Arrays, c: int, at: int, time: float) -> int:  # noqa: ARG001  # as the native one has
    """Run the kernel of a handler, which tells in `models` what it has written; in Python there is none."""
    return ASKS


def is_tended(a: Arrays, at: int) -> bool:
    """Whether Python is needed because of a flow that the event has touched, or that the handler may touch."""
    for k in range(a.run.touched):
        if a.flow.tended[a.touched[k]] == 1:
            return True
    first = at + EFFECTS_HEAD + a.lists[at + READS]
    for k in range(a.lists[at + WRITES]):
        f = flow_written(a, first + PER_WRITE * k)
        if f == SEVERAL:
            return True
        if f >= 0 and a.flow.open[f] == 0 and a.flow.tended[f] == 1:
            return True
    return False


def is_standing(a: Arrays, write: int) -> bool:
    """Whether what a handler writes stands still."""
    return bool(a.lists[write + 2] == STANDS or a.slot.home[a.lists[write + 1]] < 0)


def complete_written(a: Arrays, at: int, time: float) -> None:
    """Bring the flows that depend on what a handler may write to its event, before it does."""
    first = at + EFFECTS_HEAD + a.lists[at + READS]
    for k in range(a.lists[at + WRITES]):
        f = flow_written(a, first + PER_WRITE * k)
        if f >= 0:
            complete_to(a, f, time)


def flow_written(a: Arrays, write: int) -> int:
    """The flow that depends on what a write changes; -1 if none does, SEVERAL if more do."""
    if is_standing(a, write):
        return int(a.slot.user[a.lists[write], BY_READING])
    return int(a.slot.home[a.lists[write + 1]])


def open_written(a: Arrays, at: int, time: float) -> None:
    """End the steps of the flows that depend on what a handler has written."""
    first = at + EFFECTS_HEAD + a.lists[at + READS]
    for k in range(a.lists[at + WRITES]):
        if a.models[k] != 0.0:
            write = first + PER_WRITE * k
            f = flow_written(a, write)
            if f >= 0:
                touch(a, f, time)
            if f >= 0 and is_standing(a, write):
                a.flow.stale[f] = 1
            if a.lists[write + 2] == MOVES:
                a.rows[E0, a.lists[write]] = 0.0
