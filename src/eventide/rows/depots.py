"""Depots of rows: amounts that processes put in and take out, as `discrete/resources/container.py` does.

Each side of a depot, its puts and its gets, is a station without units: the line, its level and its waits are those of
`stations.py`. Each function does what the method of the same name does in Python, in the same order. What a transfer
may add to the statistics has its place from when it is yielded, so nothing that happens to it later needs a test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.codes import GRANTED, TRANSFERRING, WAITING
from eventide.rows.event_list import schedule_last
from eventide.rows.stations import append_user, drop, leave_line, leave_users, line_up, new_request
from eventide.rows.statistics import add, has_space, move_level

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def is_open(a: Rows, d: int) -> bool:
    """Whether there is room for one more transfer, and for whatever becomes of it and of all that wait."""
    if a.run.free_request < 0 or not has_space(a, a.depot.changes[d], most_changes(a, d)):
        return False
    return has_place(a, a.depot.gets[d]) and has_place(a, a.depot.puts[d])


def most_changes(a: Rows, d: int) -> int:
    """How many numbers the changes may take by one more transfer and all that are not over: two changes of each."""
    waiting = a.station.waiting[a.depot.gets[d]] + a.station.waiting[a.depot.puts[d]]
    return int(4 * (waiting + granted(a, d) + 1))


def granted(a: Rows, d: int) -> int:
    """How many transfers were granted and are not carried out yet: they are the users of their sides."""
    return int(a.station.using[a.depot.gets[d]] + a.station.using[a.depot.puts[d]])


def has_place(a: Rows, s: int) -> bool:
    """Whether one more transfer can stand in the line of a side."""
    most = a.station.waiting[s] + 1
    return bool(has_space(a, a.station.waits[s], most) and most + 1 <= a.level.size[a.station.queue[s]])


def transfer(a: Rows, i: int, s: int, priority: float, amount: float, is_whole: bool) -> bool:
    """Yield a put or a get, at one of the sides: True if it is carried out at once, else wait."""
    d = a.station.depot[s]
    if a.station.waiting[s] == 0 and is_possible(a, d, s, amount):
        add(a, a.station.waits[s], 0.0)
        change_amount(a, d, amount if s == a.depot.puts[d] else -amount)
        if a.station.waiting[a.depot.gets[d] if s == a.depot.puts[d] else a.depot.puts[d]] > 0:
            serve_depot(a, d)
        return True
    q = new_request(a, s, i, priority, 1, False)
    a.request.amount[q] = amount
    a.request.whole[q] = 1 if is_whole else 0
    a.station.asked[s] += 1
    a.request.number[q] = a.station.asked[s]
    a.request.state[q] = WAITING
    line_up(a, s, q)
    move_level(a, a.station.queue[s], a.station.waiting[s])
    if a.station.first[s] == q and reserve(a, d, q):
        grant_transfer(a, q)
        carry_out(a, q)
        return True
    a.activity.wait[i] = TRANSFERRING
    a.process.subject[i] = q
    return False


def carry_out(a: Rows, q: int) -> None:
    """Do what there is left to do of a granted transfer; then it is over."""
    s = a.request.station[q]
    d = a.station.depot[s]
    free_space(a, d, q)
    if s == a.depot.puts[d]:
        change_amount(a, d, a.request.amount[q])
    serve_depot(a, d)
    drop(a, q)


def give_up(a: Rows, q: int) -> None:
    """Withdraw a transfer that was not carried out; then it is over."""
    s = a.request.station[q]
    d = a.station.depot[s]
    if a.request.state[q] == WAITING:
        leave_line(a, s, q)
        move_level(a, a.station.queue[s], a.station.waiting[s])
    else:
        free_space(a, d, q)
        if s == a.depot.gets[d]:
            change_amount(a, d, a.request.amount[q])
    serve_depot(a, d)
    drop(a, q)


# --- granting ---------------------------------------------------------------------------------------------------------


def is_possible(a: Rows, d: int, s: int, amount: float) -> bool:
    """Whether an amount is there, or there is space for it."""
    if s == a.depot.puts[d]:
        return bool(not a.depot.amount[d] + a.depot.kept[d] + amount > a.depot.capacity[d])
    return bool(a.depot.amount[d] >= amount)


def reserve(a: Rows, d: int, q: int) -> bool:
    """Reserve what a transfer is to get and the space that it needs; False if that is not there."""
    s, amount = a.request.station[q], a.request.amount[q]
    if not is_possible(a, d, s, amount):
        return False
    if s == a.depot.gets[d]:
        change_amount(a, d, -amount)
    a.depot.kept[d] += amount
    return True


def free_space(a: Rows, d: int, q: int) -> None:
    """Nothing is reserved for a transfer any more."""
    leave_users(a, a.request.station[q], q)
    a.depot.kept[d] = a.depot.kept[d] - a.request.amount[q] if granted(a, d) > 0 else 0.0


def grant_transfer(a: Rows, q: int) -> None:
    """The turn of a transfer in a line has come."""
    s = a.request.station[q]
    a.request.state[q] = GRANTED
    add(a, a.station.waits[s], a.run.time - a.request.since[q])
    leave_line(a, s, q)
    append_user(a, s, q)
    move_level(a, a.station.queue[s], a.station.waiting[s])


def serve_depot(a: Rows, d: int) -> None:
    """Grant whatever can be granted now: gets, then puts, each in their order."""
    serve_side(a, d, a.depot.gets[d])
    serve_side(a, d, a.depot.puts[d])


def serve_side(a: Rows, d: int, s: int) -> None:
    """The same of one side."""
    while a.station.first[s] >= 0 and reserve(a, d, a.station.first[s]):
        q = a.station.first[s]
        grant_transfer(a, q)
        schedule_last(a, a.request.activity[q])


def change_amount(a: Rows, d: int, difference: float) -> None:
    """Change what is in a depot; Python's level hears of the new amount, and of the time, when it is looked at."""
    a.depot.amount[d] += difference
    add(a, a.depot.changes[d], a.depot.amount[d])
    add(a, a.depot.changes[d], a.run.time)
