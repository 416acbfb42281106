"""A priority queue of flows, by the time to which each has advanced; its root is the flow that has advanced least.

A heap with four children per node. The keys are kept in an array of their own, next to the flows: reading them from
the rows of the flows took 35 cache lines an event.

Plain functions over arrays, which are also translated to native code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


def comes_before(a: Arrays, key: float, f: int, place: int) -> bool:
    """The order of the heap: by KEY, ties by number; the number decides only whose step is computed first."""
    if key != a.keys[place]:
        return bool(key < a.keys[place])
    return bool(f < a.heap[place])


def put(a: Arrays, place: int, key: float, f: int) -> None:
    """Put a flow at a place of the heap."""
    a.keys[place] = key
    a.heap[place] = f
    a.places[f] = place


def sift_up(a: Arrays, place: int) -> None:
    """Restore the heap where a KEY has become smaller."""
    if place < 0:
        return
    f = a.heap[place]
    key = a.flow.key[f]
    while place > 0:
        parent = (place - 1) // 4
        if not comes_before(a, key, f, parent):
            break
        put(a, place, a.keys[parent], a.heap[parent])
        place = parent
    put(a, place, key, f)


def sift_down(a: Arrays, place: int) -> None:
    """Restore the heap where a KEY has become larger."""
    flows = a.run.flows
    f = a.heap[place]
    key = a.flow.key[f]
    while 4 * place + 1 < flows:
        first = least = 4 * place + 1
        for child in range(first + 1, min(first + 4, flows)):
            if comes_before(a, a.keys[child], a.heap[child], least):
                least = child
        if comes_before(a, key, f, least):
            break
        put(a, place, a.keys[least], a.heap[least])
        place = least
    put(a, place, key, f)


def insert(a: Arrays, f: int) -> None:
    """Put a flow into the heap."""
    place = a.run.flows
    a.run.flows = place + 1
    put(a, place, a.flow.key[f], f)
    sift_up(a, place)


def remove(a: Arrays, f: int) -> None:
    """Take a flow out of the heap."""
    place = a.places[f]
    if place < 0:
        return
    last = a.run.flows - 1
    a.run.flows = last
    a.places[f] = -1
    if place != last:
        moved = a.heap[last]
        put(a, place, a.flow.key[moved], moved)
        sift_up(a, place)
        sift_down(a, a.places[moved])
