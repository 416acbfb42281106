"""The flows as a binary heap by how far they have been brought: plain functions over arrays, also translated."""

from __future__ import annotations

from eventide.continuous.tables import FLOWS, KEY, PLACE, Arrays


def comes_before(a: Arrays, f: int, g: int) -> bool:
    """The order of the heap: by KEY, ties by number; the number decides only whose step is computed first."""
    if a.flow_floats[f, KEY] != a.flow_floats[g, KEY]:
        return bool(a.flow_floats[f, KEY] < a.flow_floats[g, KEY])
    return f < g


def sift_up(a: Arrays, place: int) -> None:
    """Restore the heap where a KEY has become smaller."""
    if place < 0:
        return
    f = a.heap[place]
    while place > 0:
        parent = (place - 1) // 2
        if not comes_before(a, f, a.heap[parent]):
            break
        a.heap[place] = a.heap[parent]
        a.flow_ints[a.heap[place], PLACE] = place
        place = parent
    a.heap[place] = f
    a.flow_ints[f, PLACE] = place


def sift_down(a: Arrays, place: int) -> None:
    """Restore the heap where a KEY has become larger."""
    flows = int(a.settings[FLOWS])
    f = a.heap[place]
    while True:
        child = 2 * place + 1
        if child >= flows:
            break
        if child + 1 < flows and comes_before(a, a.heap[child + 1], a.heap[child]):
            child += 1
        if not comes_before(a, a.heap[child], f):
            break
        a.heap[place] = a.heap[child]
        a.flow_ints[a.heap[place], PLACE] = place
        place = child
    a.heap[place] = f
    a.flow_ints[f, PLACE] = place


def insert(a: Arrays, f: int) -> None:
    """Put a flow into the heap."""
    place = int(a.settings[FLOWS])
    a.settings[FLOWS] = place + 1
    a.heap[place] = f
    a.flow_ints[f, PLACE] = place
    sift_up(a, place)


def remove(a: Arrays, f: int) -> None:
    """Take a flow out of the heap."""
    place = a.flow_ints[f, PLACE]
    if place < 0:
        return
    last = int(a.settings[FLOWS]) - 1
    a.settings[FLOWS] = last
    a.flow_ints[f, PLACE] = -1
    if place != last:
        moved = a.heap[last]
        a.heap[place] = moved
        a.flow_ints[moved, PLACE] = place
        sift_up(a, place)
        sift_down(a, a.flow_ints[moved, PLACE])
