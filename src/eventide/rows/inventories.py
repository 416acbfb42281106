"""Inventories of rows: amounts and items that processes put in and take out, as `Container` and `Store` do.

Each side of an inventory, its puts and its gets, is a station without units: the line, its level and its waits are
those of `stations.py`. So is what a store holds: its line are the items, each the request that has brought it, by the
numbers of their coming; its level is their number, and its waits are how long they were there. Each function does what
the method of the same name does in Python, in the same order. What a transfer may add to the statistics has its place
from when it is yielded, so nothing that happens to it later needs a test.
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
    gets, puts = a.inventory.gets[d], a.inventory.puts[d]
    if a.run.free_request < 0 or not has_places(a, gets, a.station.waiting[gets] + 1):
        return False
    if a.inventory.items[d] >= 0:
        if not has_places(a, a.inventory.items[d], most_items(a, d)):
            return False
    elif not has_space(a, a.inventory.changes[d], most_changes(a, d)):
        return False
    return has_places(a, puts, a.station.waiting[puts] + 1)


def pending(a: Rows, d: int) -> int:
    """How many transfers there may be that are not over, with one more."""
    return int(a.station.waiting[a.inventory.gets[d]] + a.station.waiting[a.inventory.puts[d]] + granted(a, d) + 1)


def most_changes(a: Rows, d: int) -> int:
    """How many numbers the changes may take by these: two changes of each."""
    return 4 * pending(a, d)


def most_items(a: Rows, d: int) -> int:
    """How many items there may be in the store, or be taken from it, by these."""
    return int(a.station.waiting[a.inventory.items[d]] + pending(a, d))


def granted(a: Rows, d: int) -> int:
    """How many transfers were granted and are not carried out yet: they are the users of their sides."""
    return int(a.station.using[a.inventory.gets[d]] + a.station.using[a.inventory.puts[d]])


def has_places(a: Rows, s: int, most: int) -> bool:
    """Whether so many can stand in the line of a station, and leave it."""
    return bool(has_space(a, a.station.waits[s], most) and most + 1 <= a.level.size[a.station.queue[s]])


def transfer(a: Rows, i: int, s: int, priority: float, amount: float, is_whole: bool) -> bool:
    """Yield a put or a get of an amount, at one of the sides: True if it is carried out at once, else wait."""
    d = a.station.inventory[s]
    if a.station.waiting[s] == 0 and is_possible(a, d, s, amount):
        add(a, a.station.waits[s], 0.0)
        change_amount(a, d, amount if s == a.inventory.puts[d] else -amount)
        if a.station.waiting[a.inventory.gets[d] if s == a.inventory.puts[d] else a.inventory.puts[d]] > 0:
            serve_inventory(a, d)
        return True
    q = new_request(a, s, i, priority, 1, False)
    a.request.amount[q] = amount
    a.request.whole[q] = 1 if is_whole else 0
    return stand(a, i, q)


def put_item(a: Rows, i: int, s: int, priority: float, item: int, real: float) -> bool:
    """Yield a put of an item into a store: True if it is carried out at once, else wait."""
    d, q = a.station.inventory[s], new_request(a, s, i, priority, 1, False)
    a.request.item[q] = item
    a.request.real[q] = real
    a.request.amount[q] = 1.0
    if a.station.waiting[s] == 0 and is_possible(a, d, s, 1.0):
        add(a, a.station.waits[s], 0.0)
        bring(a, d, q)
        return True
    return stand(a, i, q)


def get_item(a: Rows, i: int, s: int, priority: float) -> bool:
    """Yield a get from a store: True if it is carried out at once, else wait.

    When the process continues, `process.subject` has the row of the item. It is free, and keeps what it has until
    another request is made.
    """
    d = a.station.inventory[s]
    q = a.station.first[a.inventory.items[d]]
    if q < 0:
        q = new_request(a, s, i, priority, 1, False)
        a.request.amount[q] = 1.0
        return stand(a, i, q)
    leave_line(a, a.inventory.items[d], q)
    count_items(a, d)
    add(a, a.station.waits[s], 0.0)
    hand_over(a, i, q)
    if a.station.waiting[a.inventory.puts[d]] > 0:
        serve_inventory(a, d)
    return True


def stand(a: Rows, i: int, q: int) -> bool:
    """Stand in line: True if the rank of a transfer lets it be carried out nevertheless, else wait."""
    s = a.request.station[q]
    a.station.asked[s] += 1
    a.request.number[q] = a.station.asked[s]
    a.request.state[q] = WAITING
    line_up(a, s, q)
    move_level(a, a.station.queue[s], a.station.waiting[s])
    if a.station.first[s] == q and reserve(a, a.station.inventory[s], q):
        grant_transfer(a, q)
        carry_out(a, q)
        return True
    a.activity.wait[i] = TRANSFERRING
    a.process.subject[i] = q
    return False


def carry_out(a: Rows, q: int) -> None:
    """Do what there is left to do of a granted transfer; then it is over."""
    s = a.request.station[q]
    d = a.station.inventory[s]
    is_put, is_item = s == a.inventory.puts[d], a.inventory.items[d] >= 0
    free_space(a, d, q)
    if is_put and is_item:
        bring(a, d, q)
    elif is_put:
        change_amount(a, d, a.request.amount[q])
    elif is_item:
        hand_over(a, a.request.activity[q], a.request.entry[q])
    serve_inventory(a, d)
    if not (is_put and is_item):
        drop(a, q)


def give_up(a: Rows, q: int) -> None:
    """Withdraw a transfer that was not carried out; then it is over."""
    s = a.request.station[q]
    d = a.station.inventory[s]
    if a.request.state[q] == WAITING:
        leave_line(a, s, q)
        move_level(a, a.station.queue[s], a.station.waiting[s])
    else:
        free_space(a, d, q)
        if s == a.inventory.gets[d] and a.inventory.items[d] >= 0:
            place_item(a, d, a.request.entry[q])
        elif s == a.inventory.gets[d]:
            change_amount(a, d, a.request.amount[q])
    serve_inventory(a, d)
    drop(a, q)


# --- items ------------------------------------------------------------------------------------------------------------


def bring(a: Rows, d: int, q: int) -> None:
    """What a put has brought is an item from now on."""
    items = a.inventory.items[d]
    a.station.asked[items] += 1
    a.request.number[q] = a.station.asked[items]
    a.request.station[q] = items
    a.request.priority[q] = 0.0
    a.request.since[q] = a.run.time
    place_item(a, d, q)


def place_item(a: Rows, d: int, q: int) -> None:
    """An item is for the first get that waits; without one it goes into the store, by its number."""
    get = a.station.first[a.inventory.gets[d]]
    if get >= 0:
        a.request.entry[get] = q
        a.inventory.kept[d] += 1.0
        grant_transfer(a, get)
        schedule_last(a, a.request.activity[get])
    else:
        line_up(a, a.inventory.items[d], q)
        count_items(a, d)


def count_items(a: Rows, d: int) -> None:
    """The number of items in the store has changed."""
    items = a.inventory.items[d]
    move_level(a, a.station.queue[items], a.station.waiting[items])
    a.inventory.amount[d] = float(a.station.waiting[items])


def hand_over(a: Rows, i: int, q: int) -> None:
    """An item, which is in no store, is that of an activity."""
    add(a, a.station.waits[a.request.station[q]], a.run.time - a.request.since[q])
    a.process.subject[i] = q
    drop(a, q)


# --- granting ---------------------------------------------------------------------------------------------------------


def is_possible(a: Rows, d: int, s: int, amount: float) -> bool:
    """Whether an amount is there, or there is space for it."""
    if s == a.inventory.puts[d]:
        return bool(not a.inventory.amount[d] + a.inventory.kept[d] + amount > a.inventory.capacity[d])
    return bool(a.inventory.amount[d] >= amount)


def reserve(a: Rows, d: int, q: int) -> bool:
    """Reserve what a transfer is to get and the space that it needs; False if that is not there."""
    s, amount = a.request.station[q], a.request.amount[q]
    is_get = s == a.inventory.gets[d]
    if (is_get and a.inventory.items[d] >= 0) or not is_possible(a, d, s, amount):
        return False  # an item is for the first get as it comes
    if is_get:
        change_amount(a, d, -amount)
    a.inventory.kept[d] += amount
    return True


def free_space(a: Rows, d: int, q: int) -> None:
    """Nothing is reserved for a transfer any more."""
    leave_users(a, a.request.station[q], q)
    a.inventory.kept[d] = a.inventory.kept[d] - a.request.amount[q] if granted(a, d) > 0 else 0.0


def grant_transfer(a: Rows, q: int) -> None:
    """The turn of a transfer in a line has come."""
    s = a.request.station[q]
    a.request.state[q] = GRANTED
    add(a, a.station.waits[s], a.run.time - a.request.since[q])
    leave_line(a, s, q)
    append_user(a, s, q)
    move_level(a, a.station.queue[s], a.station.waiting[s])


def serve_inventory(a: Rows, d: int) -> None:
    """Grant whatever can be granted now: gets, then puts, each in their order."""
    serve_side(a, d, a.inventory.gets[d])
    serve_side(a, d, a.inventory.puts[d])


def serve_side(a: Rows, d: int, s: int) -> None:
    """The same of one side."""
    while a.station.first[s] >= 0 and reserve(a, d, a.station.first[s]):
        q = a.station.first[s]
        grant_transfer(a, q)
        schedule_last(a, a.request.activity[q])


def change_amount(a: Rows, d: int, difference: float) -> None:
    """Change what is in an inventory; Python's level hears of the new amount, and of the time, when it is looked at."""
    a.inventory.amount[d] += difference
    add(a, a.inventory.changes[d], a.inventory.amount[d])
    add(a, a.inventory.changes[d], a.run.time)
