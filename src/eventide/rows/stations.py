"""Stations of rows: requests for units, granted by priority and number, as `discrete/resources/resource.py` does.

Each function does what the method of the same name does there, in the same order, so that each level moves at the same
moments and each sum is rounded alike. A station here has no suspended work, and its capacity never changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.allocation import free_row, has_room, new_row, owner_of, reference
from eventide.rows.codes import (
    GRANTED,
    INTERRUPTION,
    NEW,
    NONE,
    PREEMPTED,
    RELEASED,
    REQUESTED,
    UNCHOSEN,
    WAITING,
    WITHDRAWN,
)
from eventide.rows.event_list import displace, schedule_front, schedule_last
from eventide.rows.statistics import add, has_space, move_level

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def is_ready(a: Rows, s: int) -> bool:
    """Whether there is room for whatever one call may do at a station: to make a request, or grant all that wait."""
    most = a.station.waiting[s] + 1
    if a.station.preemptive[s] != 0:  # users may go back to the line, and get their units once more
        most += a.station.using[s]
        if not has_room(a, INTERRUPTION):
            return False
    if a.run.free_request < 0 or not has_space(a, a.station.waits[s], most):
        return False
    return bool(most + 1 <= a.level.size[a.station.queue[s]])


def new_request(a: Rows, s: int, i: int, priority: float, units: int, preempts: bool) -> int:
    """A request of an activity, to be yielded. There must be room for it."""
    q = a.run.free_request
    a.run.free_request = a.request.next[q]
    a.run.spare_requests -= 1
    a.request.station[q] = s
    a.request.state[q] = NEW
    a.request.activity[q] = i
    a.request.units[q] = units
    a.request.priority[q] = priority
    a.request.preempts[q] = 1 if preempts else 0
    a.request.since[q] = a.run.time
    a.request.loss[q] = NONE
    a.request.spare[q] = new_row(a, INTERRUPTION) if a.station.preemptive[s] != 0 else NONE
    return q


def drop(a: Rows, q: int) -> None:
    """Give up the row of a request, which is over."""
    if a.request.spare[q] >= 0:
        free_row(a, a.request.spare[q])
    a.request.next[q] = a.run.free_request
    a.run.free_request = q
    a.run.spare_requests += 1


# --- what a process does ----------------------------------------------------------------------------------------------


def ask(a: Rows, q: int, i: int) -> bool:
    """Yield a request, a new one or one whose units were taken away: True if it is granted at once, else wait."""
    s = a.request.station[q]
    is_new = a.request.state[q] == NEW
    held = a.station.held[s] + a.request.units[q]
    a.station.asked[s] += 1
    a.request.activity[q] = i
    a.request.since[q] = a.run.time
    a.request.loss[q] = NONE
    if is_new:
        a.request.number[q] = a.station.asked[s]
        if held <= a.station.capacity[s] and a.station.waiting[s] == 0:
            grant(a, q)
            return True
    a.request.state[q] = WAITING
    line_up(a, s, q)
    may_be_next = not is_new or held <= a.station.capacity[s] or a.station.preemptive[s] != 0
    if may_be_next and gets_ahead(a, s, q):
        return True
    move_level(a, a.station.queue[s], a.station.waiting[s])
    a.activity.wait[i] = REQUESTED
    a.process.subject[i] = q
    return False


def release(a: Rows, q: int) -> None:
    """Give the units of a granted request back; no effect if they were taken away."""
    if a.request.state[q] == GRANTED:
        a.request.state[q] = RELEASED
        give_back(a, q)
    a.request.loss[q] = NONE


def withdraw(a: Rows, q: int) -> None:
    """Leave the line, or give back what was granted as one that was not served; no effect once it is over."""
    s = a.request.station[q]
    if a.request.state[q] == WAITING:
        a.request.state[q] = WITHDRAWN
        a.station.reneged[s] += 1
        leave_line(a, s, q)
        serve(a, s)
    elif a.request.state[q] == GRANTED:
        a.station.reneged[s] += 1
        a.request.state[q] = WITHDRAWN
        give_back(a, q)
    a.request.loss[q] = NONE


def leave(a: Rows, q: int) -> None:
    """The end of the `with` block of a request: give back or withdraw, and give up its row."""
    if a.request.state[q] == GRANTED:
        release(a, q)
    else:
        withdraw(a, q)
    drop(a, q)


# --- granting and taking away -----------------------------------------------------------------------------------------


def gets_ahead(a: Rows, s: int, q: int) -> bool:
    """Whether a request is granted at once although others wait or all units are in use: its rank decides."""
    if a.station.first[s] != q or not can_grant(a, s, q):
        return False
    leave_line(a, s, q)
    grant(a, q)
    serve(a, s)
    return True


def can_grant(a: Rows, s: int, q: int) -> bool:
    """Whether the first in line can have its units now; those of others are taken away if need be."""
    if a.station.held[s] + a.request.units[q] <= a.station.capacity[s]:
        return True
    return bool(a.station.preemptive[s] != 0 and a.request.preempts[q] != 0 and make_room(a, s, q))


def grant(a: Rows, q: int) -> None:
    """Give a request, which is not in the line, its units."""
    s = a.request.station[q]
    a.request.state[q] = GRANTED
    a.station.held[s] += a.request.units[q]
    append_user(a, s, q)
    move_level(a, a.station.in_use[s], a.station.held[s])
    add(a, a.station.waits[s], a.run.time - a.request.since[q])
    a.request.since[q] = a.run.time


def give_back(a: Rows, q: int) -> None:
    """Take units back from a request, which is no longer in the state of having them."""
    s = a.request.station[q]
    leave_users(a, s, q)
    successor = a.station.first[s]
    is_one = successor >= 0 and a.request.units[q] == 1 and a.station.held[s] <= a.station.capacity[s]
    if is_one and a.request.units[successor] == 1:
        # The most frequent case: one unit passes from hand to hand, and as many as before are in use.
        leave_line(a, s, successor)
        a.request.state[successor] = GRANTED
        append_user(a, s, successor)
        add(a, a.station.waits[s], a.run.time - a.request.since[successor])
        a.request.since[successor] = a.run.time
        move_level(a, a.station.queue[s], a.level.value[a.station.queue[s]] - 1)
        schedule_last(a, a.request.activity[successor])
        if a.station.preemptive[s] != 0 and a.station.waiting[s] > 0:
            serve(a, s)
    else:
        a.station.held[s] -= a.request.units[q]
        move_level(a, a.station.in_use[s], a.station.held[s])
        if a.station.waiting[s] > 0:
            serve(a, s)


def serve(a: Rows, s: int) -> None:
    """Grant whatever can be granted now, in order."""
    while a.station.first[s] >= 0 and can_grant(a, s, a.station.first[s]):
        q = a.station.first[s]
        leave_line(a, s, q)
        grant(a, q)
        schedule_last(a, a.request.activity[q])
    move_level(a, a.station.queue[s], a.station.waiting[s])


def make_room(a: Rows, s: int, q: int) -> bool:
    """Take units away from users of lower priority, if that is enough for a request; from none otherwise."""
    requester = owner_of(a, a.request.activity[q])
    missing = a.station.held[s] + a.request.units[q] - a.station.capacity[s]
    user = a.station.users[s]
    while user >= 0:
        a.request.chosen[user] = UNCHOSEN
        user = a.request.next[user]
    victims, end = NONE, NONE
    while missing > 0:
        victim = next_victim(a, s)
        if victim < 0 or a.request.priority[victim] >= a.request.priority[q]:
            return False
        a.request.chosen[victim] = NONE
        if a.request.activity[victim] != requester:
            missing -= a.request.units[victim]
            if end < 0:
                victims = victim
            else:
                a.request.chosen[end] = victim
            end = victim
    while victims >= 0:
        victim = victims
        victims = a.request.chosen[victim]
        take_away(a, s, victim, requester)
    return True


def next_victim(a: Rows, s: int) -> int:
    """Of the users that are not chosen yet that of the lowest priority, the latest of several; NONE."""
    victim = NONE
    user = a.station.latest[s]
    while user >= 0:
        if a.request.chosen[user] == UNCHOSEN and (victim < 0 or a.request.priority[user] < a.request.priority[victim]):
            victim = user
        user = a.request.last[user]
    return victim


def take_away(a: Rows, s: int, q: int, by: int) -> None:
    """Take the units of a user away for the process in row `by`, and interrupt its process.

    One that does not know yet that it had them goes back to where it stood in the line, as if nothing had happened.
    """
    leave_users(a, s, q)
    a.station.held[s] -= a.request.units[q]
    move_level(a, a.station.in_use[s], a.station.held[s])
    i = a.request.activity[q]
    if a.activity.wait[i] == REQUESTED and a.process.subject[i] == q:
        displace(a, i)
        a.request.state[q] = WAITING
        a.request.since[q] = a.run.time
        line_up(a, s, q)
    else:
        a.request.state[q] = PREEMPTED
        a.station.preempted[s] += 1
        n = a.request.spare[q]
        a.request.spare[q] = NONE
        a.request.loss[q] = n
        a.activity.at[n] = 1
        a.process.subject[n] = reference(a, i)
        a.process.cause[n] = q
        a.process.by[n] = reference(a, by)
        a.process.named[i] += 1
        a.process.named[by] += 1
        schedule_front(a, n)


# --- the line and the users -------------------------------------------------------------------------------------------


def comes_later(a: Rows, q: int, other: int) -> bool:
    """Whether a request stands behind another in a line: by priority, high first, then by number."""
    if a.request.priority[q] != a.request.priority[other]:
        return bool(a.request.priority[q] < a.request.priority[other])
    return bool(a.request.number[q] > a.request.number[other])


def line_up(a: Rows, s: int, q: int) -> None:
    """Put a request into the line, from whose end its place is looked for."""
    before, after = a.station.end[s], NONE
    while before >= 0 and comes_later(a, before, q):
        after = before
        before = a.request.last[before]
    a.request.last[q] = before
    a.request.next[q] = after
    if before >= 0:
        a.request.next[before] = q
    else:
        a.station.first[s] = q
    if after >= 0:
        a.request.last[after] = q
    else:
        a.station.end[s] = q
    a.station.waiting[s] += 1


def leave_line(a: Rows, s: int, q: int) -> None:
    """Take a request out of the line."""
    before, after = a.request.last[q], a.request.next[q]
    if before >= 0:
        a.request.next[before] = after
    else:
        a.station.first[s] = after
    if after >= 0:
        a.request.last[after] = before
    else:
        a.station.end[s] = before
    a.station.waiting[s] -= 1


def append_user(a: Rows, s: int, q: int) -> None:
    """Note that a request has units, after all others that have some."""
    before = a.station.latest[s]
    a.request.last[q] = before
    a.request.next[q] = NONE
    if before >= 0:
        a.request.next[before] = q
    else:
        a.station.users[s] = q
    a.station.latest[s] = q
    a.station.using[s] += 1


def leave_users(a: Rows, s: int, q: int) -> None:
    """Note that a request has no units any more."""
    before, after = a.request.last[q], a.request.next[q]
    if before >= 0:
        a.request.next[before] = after
    else:
        a.station.users[s] = after
    if after >= 0:
        a.request.last[after] = before
    else:
        a.station.latest[s] = before
    a.station.using[s] -= 1
