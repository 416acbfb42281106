"""What the kernel of a process does with itself and with others: hold, make, wait for an end, interrupt.

Whatever needs a free row is preceded by a test (`has_room`), which a kernel makes before anything of its statement has
been done: where it fails, the kernel returns ROOM, a table grows, and the kernel is called there again.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Final

from eventide.rows.allocation import free_row, leave_rows, new_row, owner_of, reference, release_row, row_of
from eventide.rows.codes import (
    ANSWERED,
    COMPOSED,
    EXIT,
    FAILED,
    GATHERED,
    INTERRUPTED,
    INTERRUPTION,
    JOINED,
    NONE,
    NOTHING,
    PREEMPTED_NOW,
    REQUESTED,
    TRANSFERRING,
    WAITS,
    WATCHING,
)
from eventide.rows.composites import leave_branches
from eventide.rows.event_list import (
    displace,
    schedule,
    schedule_front,
    schedule_hold,
    schedule_last,
    schedule_prior,
)
from eventide.rows.inventories import give_up
from eventide.rows.joins import leave_joiners, wake_joiners
from eventide.rows.stations import withdraw
from eventide.rows.watches import begin_watch, end_watch

if TYPE_CHECKING:
    from eventide.rows.records import Rows

MOST_STEPS: Final = 2.0**52
"""Whole numbers of twice that are floats."""
SLIGHT: Final = 2.0**-50
"""More than what rounding loses of a sum, as a share of its smaller part."""

# --- itself -----------------------------------------------------------------------------------------------------------


def hold(a: Rows, i: int, duration: float) -> int:
    """Let the running activity hold; WAITS. EXIT, and nothing done, for a duration below zero or NaN."""
    if duration > 0.0:
        schedule_hold(a, i, a.run.time + duration)
    elif duration == 0.0:
        schedule_last(a, i)
    else:
        return EXIT
    return WAITS


def next_tick(a: Rows, i: int, step: int, scale: int) -> float:
    """The first instant after now of those of a process, begun + k * step / scale; NaN where it is Python's."""
    begun, now = a.activity.begun[i], a.run.time
    passed = (now - begun) * float(scale)
    if not passed < MOST_STEPS:
        return nan
    k = int(passed / float(step))  # or one beside it
    while k > 0 and instant(begun, k * step, scale) > now:
        k = k - 1
    while instant(begun, k * step, scale) <= now:
        k = k + 1
    return instant(begun, k * step, scale)


def instant(begun: float, steps: int, scale: int) -> float:
    """The sum of `begun` and steps / scale, rounded once; NaN where it lies too close between two floats to tell.

    Source    Dekker, A floating-point technique for extending the available precision (1971): sums and products of
              two floats with their errors
    """
    whole, divisor = float(steps), float(scale)
    high = whole / divisor
    split = 134217729.0 * high
    upper = split - (split - high)
    low = (whole - upper * divisor - (high - upper) * divisor) / divisor
    total = begun + high
    part = total - begun
    rest = (begun - (total - part)) + (high - part) + low
    found = total + rest * (1.0 - SLIGHT)
    return found if found == total + rest * (1.0 + SLIGHT) else nan


def hold_until(a: Rows, i: int, time: float) -> int:
    """Let the running activity wait for a time to come; WAITS."""
    schedule(a, i, time)
    return WAITS


def watch_for(a: Rows, i: int, c: int, is_prior: bool) -> int:
    """Let the running activity wait for a condition of the stepper; WAITS. FAILED where laws have failed.

    is_prior    whether it comes before others of its priority instead of after them
    """
    return WAITS if begin_watch(a, i, c, is_prior) else FAILED


def passivate(a: Rows, i: int) -> int:
    """Leave the event list until another process activates it; WAITS."""
    displace(a, i)
    return WAITS


# --- the end ----------------------------------------------------------------------------------------------------------


def finish(a: Rows, i: int) -> None:
    """A process has ended: those that wait for it continue, and its row is free where nobody needs it."""
    wake_joiners(a, i)
    leave_rows(a, i)


# --- activation -------------------------------------------------------------------------------------------------------


def can_activate(a: Rows, j: int) -> int:
    """1 if activating the process in row `j` places it; 0 if it has no effect; EXIT if that is Python's."""
    if j == a.run.current or a.activity.sequence[j] != 0.0:
        return 0
    return 1 if a.activity.wait[j] == NOTHING else EXIT


def activate(a: Rows, j: int) -> None:
    """Place an idle process in front of the present instant."""
    schedule_front(a, j)


def activate_at(a: Rows, j: int, time: float) -> None:
    """Place an idle process at a time, after all that stand there."""
    schedule(a, j, time)


def activate_prior(a: Rows, j: int, time: float) -> None:
    """Place an idle process at a time, before all that stand there."""
    schedule_prior(a, j, time)


def can_cancel(a: Rows, j: int) -> bool:
    """Whether a process may be taken out of the event list: it does not run, and waits for no other."""
    return bool(j != a.run.current and a.activity.wait[j] == NOTHING)


def cancel(a: Rows, j: int) -> None:
    """Take a process out of the event list: it is idle then."""
    displace(a, j)


# --- interrupts -------------------------------------------------------------------------------------------------------


def can_interrupt(a: Rows, j: int) -> bool:
    """Whether the process in row `j` can be interrupted: it has begun, and does not run."""
    return bool(j != a.run.current and a.activity.at[j] > 0)


def interrupt(a: Rows, j: int, cause: int) -> None:
    """Interrupt a process, in front of the present instant. There must be room for an interruption."""
    n = new_row(a, INTERRUPTION)
    a.process.subject[n] = reference(a, j)
    a.process.cause[n] = cause
    a.process.by[n] = NONE
    a.process.named[j] += 1
    schedule_front(a, n)


def deliver(a: Rows, n: int) -> int:
    """An interruption takes place: the row of the process that continues with it, NONE if it is void."""
    i = row_of(a, a.process.subject[n])
    cause = a.process.cause[n]
    by = row_of(a, a.process.by[n])
    is_loss = a.activity.at[n] != 0
    is_kept = is_loss and a.request.loss[cause] == n
    if i >= 0:
        a.process.named[i] -= 1
    if by >= 0:
        a.process.named[by] -= 1
    if is_loss and not is_kept:
        i = NONE
    if i >= 0:
        let_go(a, i)
        a.activity.wait[i] = PREEMPTED_NOW if is_loss else INTERRUPTED
        a.process.cause[i] = cause
        a.process.by[i] = a.process.by[n]
    if is_kept:
        a.request.loss[cause] = NONE
        a.request.spare[cause] = n
    else:
        free_row(a, n)
    return i


def let_go(a: Rows, i: int) -> None:
    """End what a process waits for, and note what was left of its hold."""
    wait = a.activity.wait[i]
    a.activity.left[i] = nan
    a.activity.wait[i] = NOTHING
    if wait == COMPOSED or wait == GATHERED:  # noqa: PLR1714, SIM109  # native code has no tuples
        leave_branches(a, i)
    elif wait == REQUESTED:
        withdraw(a, a.process.subject[i])
    elif wait == TRANSFERRING:
        give_up(a, a.process.subject[i])
    elif wait == JOINED:
        leave_joiners(a, i)
    elif wait == WATCHING:
        end_watch(a, i)
    elif wait == ANSWERED:
        release_row(a, a.process.subject[i])
    elif a.activity.sequence[i] != 0.0:
        a.activity.left[i] = a.activity.due[i] - a.run.time
    displace(a, i)


def actor_of(a: Rows, i: int) -> int:
    """The row of the process whose event is that of an activity; NONE if it is over, or there is none."""
    if i >= 0 and a.activity.kind[i] == INTERRUPTION:
        return row_of(a, a.process.subject[i])
    return owner_of(a, i) if i >= 0 else NONE
