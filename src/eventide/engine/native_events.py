"""Run handlers that are native code, event after event, without returning to Python.

In: the event that the scheduler has found. Out: the next event that Python has to handle. What a handler may read and
write is known before it runs. A native handler is all or nothing: where it meets what only Python can do, its kernel
undoes its writes and returns ASKS, and the event takes place in Python, in the same state.

Rejected: continuing in Python in the middle of a body (locals and partial writes would have to be handed over), and a
queue of effects that Python works off later (0.2 us each, and lists that lag behind).

Plain functions over records, which are also translated to native code.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

from eventide.engine.codes import (
    ASKS,
    BY_READING,
    CHOICE,
    E0,
    EFFECTS_HEAD,
    LOCATED,
    MOVES,
    NEEDS,
    PER_WRITE,
    REACHED,
    READS,
    SEVERAL,
    STANDS,
    UNSETTLED,
    WRITES,
    R,
    Y,
)
from eventide.engine.event_effects import complete_to, publish, settle_touched, touch
from eventide.engine.scheduler import go_on, take_due, take_up, unlink
from eventide.engine.step_control import has_failed

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


def proceed(a: Arrays, time: float, stop: float, c: int, rank: float) -> int:
    """Proceed from an event to the next one that Python has to handle, or to `stop`; HANDLED counts those between.

    c           the condition that a process waits for again since that event; -1 without one
    rank        its new rank
    Returns     a code of `codes.py`; for an event that needs nothing else, the number of its condition
    """
    a.run.work = 0.0
    if c >= 0:
        take_up(a, c, rank)
    code = go_on(a, time, stop)
    while react(a, code):
        a.run.handled += 1
        a.run.handled_at = a.run.event_time
        code = go_on(a, a.run.event_time, stop)
    return a.run.chosen if is_alone(a, code) else code


def proceed_away(a: Arrays, time: float, stop: float) -> int:
    """The same after a pause; as native code without Python's global lock, so that other threads run meanwhile."""
    return proceed(a, time, stop, -1, 0.0)


def is_alone(a: Arrays, code: int) -> bool:
    """Whether the next event has touched one flow, in which nothing slides, and is neither observed nor suspect."""
    if code != CHOICE and code != LOCATED:  # noqa: PLR1714  # the stepper's language has no tuples
        return False
    is_quiet = a.run.alert == 0 and a.run.looked_at == 0 and a.run.handled == 0
    return bool(is_quiet and a.run.touched == 1 and a.flow.slides[a.touched[0]] < 0)


def react(a: Arrays, code: int) -> bool:
    """Run the handler of the next event if it is native code and Python is not needed."""
    if code != CHOICE and code != LOCATED:  # noqa: PLR1714  # the stepper's language has no tuples
        return False
    if a.run.reacts == 0 or a.run.alert != 0:
        return False
    c, time = a.run.chosen, a.run.event_time
    if a.guard.handler[c] == 0:
        return False
    at = a.guard.effects[c]
    if a.run.reacts < a.lists[at + NEEDS] or needs_python(a, at):
        return False
    for k in range(a.lists[at + READS]):
        f = a.slot.home[a.lists[at + EFFECTS_HEAD + k]]
        if f >= 0:
            publish(a, f, time)
    complete_written(a, at, time)
    if handle(a, c, at, time) == ASKS:
        return False
    open_written(a, at, time)
    return True


def handle(a: Arrays, c: int, at: int, time: float) -> int:  # noqa: ARG001  # as the native one has
    """Run the kernel of a handler, which lists in `models` what it has written; the plain stepper has none."""
    return ASKS


def needs_python(a: Arrays, at: int) -> bool:
    """Whether Python is needed because of a flow that the event has touched, or that the handler may touch."""
    for k in range(a.run.touched):
        if a.flow.needs_python[a.touched[k]] == 1:
            return True
    first = at + EFFECTS_HEAD + a.lists[at + READS]
    for k in range(a.lists[at + WRITES]):
        f = flow_written(a, first + PER_WRITE * k)
        if f == SEVERAL:
            return True
        if f >= 0 and a.flow.open[f] == 0 and a.flow.needs_python[f] == 1:
            return True
    return False


def is_standing(a: Arrays, write: int) -> bool:
    """Whether what a handler writes is at rest."""
    return bool(a.lists[write + 2] == STANDS or a.slot.home[a.lists[write + 1]] < 0)


def complete_written(a: Arrays, at: int, time: float) -> None:
    """Bring the flows that depend on what a handler may write to its event, before it does; open ones are there."""
    first = at + EFFECTS_HEAD + a.lists[at + READS]
    for k in range(a.lists[at + WRITES]):
        f = flow_written(a, first + PER_WRITE * k)
        if f >= 0 and a.flow.open[f] == 0:
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


# --- for processes that are rows (`rows/`), which call these themselves -----------------------------------------------
# A read brings a flow to the present, a change also ends its step, as Python does where an event reads or writes.


def advance_to_row(a: Arrays, time: float, stop: float, due: float) -> int:
    """Bring all flows from one time event to the next, or to the first state event before it that Python has to handle.

    stop    when the next is due, or when recordings look before, which changes no step

    That is `proceed` where nothing has begun to wait. Of the present only what events have touched is settled.
    Where all is one flow, each event ends its step.
    """
    if a.run.land != inf:
        a.run.land = due
        for place in range(a.run.flows):
            touch(a, a.heap[place], time)
        if has_failed(a):
            return UNSETTLED
    if stop <= time:
        return REACHED if settle_touched(a, time) else UNSETTLED
    a.run.next_event = due
    a.run.look = stop if stop < due else inf
    code = go_on(a, time, stop)
    while react(a, code):
        a.run.handled += 1
        a.run.handled_at = a.run.event_time
        code = go_on(a, a.run.event_time, stop)
    if code == REACHED and stop < due and a.run.pending > 0 and take_due(a, stop):
        return LOCATED  # it comes in place of the look: recordings look before it and after it
    return code


def look(a: Arrays, slot: int, first: int, time: float) -> float:
    """The value of a slot now; NaN where laws have failed that had to be run for it.

    first       of its block; below 0 for a number that stands still between events
    """
    return float(a.rows[Y, slot]) if is_shown(a, first, time) else nan


def slope(a: Arrays, slot: int, first: int, time: float) -> float:
    """The rate of a slot now; NaN where laws have failed."""
    return float(a.rows[R, slot]) if is_shown(a, first, time) else nan


def is_shown(a: Arrays, first: int, time: float) -> bool:
    """Bring what is seen of an object to the present; False where laws have failed that had to be run for it."""
    if first >= 0:
        f = a.slot.home[first]
        if f >= 0:
            publish(a, f, time)
            return not has_failed(a)
    return True


def flow_of(a: Arrays, slot: int, first: int) -> int:
    """The flow that depends on a slot when that is changed; -1 if none does, SEVERAL if more do."""
    if first >= 0 and a.slot.home[first] >= 0:
        return int(a.slot.home[first])
    return int(a.slot.user[slot, BY_READING])


def may_change(a: Arrays, slot: int, first: int) -> bool:
    """Whether a slot may be changed without Python."""
    f = flow_of(a, slot, first)
    if f == SEVERAL:
        return False
    return bool(f < 0 or a.flow.open[f] == 1 or a.flow.needs_python[f] == 0)


def change(a: Arrays, slot: int, first: int, value: float, time: float) -> bool:
    """Change a slot, as `may_change` allows; False, and it is as it was, where laws have failed."""
    f = flow_of(a, slot, first)
    if f >= 0:
        if first < 0 or a.slot.home[first] < 0:
            a.flow.stale[f] = 1
        touch(a, f, time)
        if has_failed(a):
            return False
    a.rows[Y, slot] = value
    if first >= 0:
        a.rows[E0, slot] = 0.0
    return True


def has_broken(a: Arrays) -> bool:
    """Whether laws have failed."""
    return has_failed(a)


def may_watch(a: Arrays, c: int) -> bool:
    """Whether a process may begin to wait for a condition without Python."""
    return bool(a.flow.needs_python[a.guard.flow[c]] == 0)


def close_over(a: Arrays, c: int, k: int, value: float) -> None:
    """A condition that nobody waits for closes over a number from now on, the one in this place of those it has."""
    a.constants[a.guard.constants[c] + k] = value


def watch(a: Arrays, c: int, i: int, time: float, is_prior: bool) -> bool:
    """The process in a row begins to wait for a condition, which it has waited for before; False where laws fail.

    is_prior    whether it comes before others of its priority instead of after them
    """
    a.run.arrivals += 1
    touch(a, a.guard.flow[c], time)
    if has_failed(a):
        return False
    take_up(a, c, -a.run.arrivals if is_prior else a.run.arrivals)
    a.guard.waiter[c] = i + 1
    return True


def begin_history(a: Arrays, c: int) -> None:
    """A condition is another process's from now on, for which it has not fired yet."""
    a.history.serial[a.guard.history[c]] = 0.0


def unwatch(a: Arrays, c: int, time: float) -> bool:
    """The wait for a condition is withdrawn, as `may_watch` allows; False where laws have failed."""
    a.guard.waiter[c] = 0
    unlink(a, c)
    touch(a, a.guard.flow[c], time)
    return not has_failed(a)


def waiter(a: Arrays) -> int:
    """The row of what waits for the event that was found; -1 if Python is to know of that event."""
    c = a.run.chosen
    if a.run.alert != 0 or a.guard.waiter[c] == 0:
        return -1
    return a.guard.waiter[c] - 1


def found_at(a: Arrays) -> float:
    """The time of the event that was found; what has waited for it does so no longer."""
    a.guard.waiter[a.run.chosen] = 0
    return a.run.event_time
