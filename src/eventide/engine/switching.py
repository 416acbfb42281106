"""Branches in laws: the outcome of a comparison is held within a step, so that the law is smooth there.

In: a law that has been rewritten (`compilation/branches`) so that each comparison that is located has a slot for its
outcome. Out: steps that end where an outcome changes. While outcomes are held, the law uses them whatever the
comparisons say: all stages of a step see one smooth law. That a comparison differs from its slot is a condition of the
flow like any other, with proofs and screening; the step ends where it becomes true, and the next begins with the new
outcome. After every event all comparisons are decided again (`decide`). A step whose stages have no value with
outcomes held (a root beyond its end) is tried with the comparisons themselves (`loosen`). `floor` and similar
functions hold a whole number in a second slot.

Plain functions over records, which are also translated to native code.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import ENTRY, WHO, Y
from eventide.engine.law_evaluation import is_true

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

HELD: Final = 1e100
"""An outcome that is held: true; -HELD: false."""
BOUND: Final = 1e95
"""A law goes by an outcome beyond this, and by the comparison itself else."""
DEEPEST: Final = 8
"""So many comparisons may depend on each other, the inner one standing before the outer one."""
LARGEST: Final = 2.0**52
"""Whole numbers beyond this are not looked for: there each number is one, and nothing jumps."""
LOOSE: Final = 1e90
"""An outcome by which laws do not go for the time being: true; -LOOSE: false."""


def switch_of(a: Arrays, f: int, k: int) -> int:
    """The condition of the k-th entry of a flow if it is a comparison of a law; else -1."""
    c = int(a.constants[a.flow.entries_at[f] + ENTRY * k + WHO])
    if c >= 0 and a.guard.switch[c] > 0:
        return c
    return -1


def loosen(a: Arrays, f: int) -> bool:
    """Make the laws of a flow use their comparisons; returns whether some have used held outcomes."""
    changed = False
    for k in range(a.flow.entries[f]):
        c = switch_of(a, f, k)
        if c >= 0:
            slot = a.guard.switch[c] - 1
            changed = changed or abs(a.rows[Y, slot]) > BOUND
            a.rows[Y, slot] = LOOSE if a.rows[Y, slot] > 0.0 else -LOOSE
    return changed


def hold(a: Arrays, f: int) -> None:
    """Make the laws of a flow use the outcomes that were found at the start of the step."""
    for k in range(a.flow.entries[f]):
        c = switch_of(a, f, k)
        if c >= 0:
            slot = a.guard.switch[c] - 1
            if a.rows[Y, slot] < 0.0 and a.guard.whole[c] > 0:
                hold_whole(a, c, f, a.flow.start[f])  # it was none, or too large
            else:
                a.rows[Y, slot] = HELD if a.rows[Y, slot] > 0.0 else -HELD


def decide(a: Arrays, f: int, time: float) -> None:
    """Find the outcomes of all comparisons as the states are now, and hold them from now on.

    One that the law comes to by another, as that was decided, may stand before it: all are decided again then.
    """
    for _ in range(DEEPEST):
        if not decide_once(a, f, time):
            break
    a.flow.stale[f] = 1


def decide_once(a: Arrays, f: int, time: float) -> bool:
    """Find the outcome of each comparison by those found so far; whether one has changed."""
    changed = False
    for k in range(a.flow.entries[f]):
        c = switch_of(a, f, k)
        if c >= 0:
            slot = a.guard.switch[c] - 1
            before = a.rows[Y, slot]
            if a.guard.whole[c] > 0:
                hold_whole(a, c, f, time)
            else:
                # A switch is true where its comparison is not what it was: here, where it is true.
                a.rows[Y, slot] = -HELD
                if is_true(a, c, f, time, 0.0):
                    a.rows[Y, slot] = HELD
            changed = changed or a.rows[Y, slot] != before
    return changed


def hold_whole(a: Arrays, c: int, f: int, time: float) -> None:
    """Hold the greatest whole number that is not above a number; none where that is infinite or too large."""
    slot, whole = a.guard.switch[c] - 1, a.guard.whole[c] - 1
    a.rows[Y, slot] = HELD
    if not find_whole(a, c, f, time):
        a.rows[Y, slot], a.rows[Y, whole] = -HELD, -inf


def find_whole(a: Arrays, c: int, f: int, time: float) -> bool:
    """Find the greatest whole number that is not above a number; whether that can be.

    The number itself is not known, but how far it is outside of a whole number and the next, on one side or the other.
    A condition in Python does not tell that: then it is asked on which side of a whole number the number is.
    """
    last = a.rows[Y, a.guard.whole[c] - 1]
    if fits(a, c, f, time, 0.0):
        return True
    outside = a.guard.value[c]
    if not abs(outside) < LARGEST:
        return search_whole(a, c, f, time, last if abs(last) < LARGEST else 0.0)
    above, below = int(outside + 1.0) + 0.0, int(-outside) + 0.0
    found, k = False, 0
    while not found and k < 3:
        found = fits(a, c, f, time, above + (k - 1)) or fits(a, c, f, time, below + (k - 1))
        k += 1
    return found


def search_whole(a: Arrays, c: int, f: int, time: float, last: float) -> bool:
    """Find the same by its sides of whole numbers: ever farther from the last one, then by bisection."""
    low, high, width = last, last + 1.0, 1.0
    while is_below(a, c, f, time, low) and low > -LARGEST:
        low, high, width = low - width, low, 2.0 * width
    while not is_below(a, c, f, time, high) and high < LARGEST:
        low, high, width = high, high + width, 2.0 * width
    while high - low > 1.0:
        middle = low + int((high - low) / 2.0)
        if is_below(a, c, f, time, middle):
            high = middle
        else:
            low = middle
    return fits(a, c, f, time, low)


def is_below(a: Arrays, c: int, f: int, time: float, whole: float) -> bool:
    """Whether a number is below a whole one, which is all that the condition is true for where none is held."""
    slot = a.guard.switch[c] - 1
    a.rows[Y, slot] = -HELD
    truth = not fits(a, c, f, time, whole)
    a.rows[Y, slot] = HELD
    return truth


def fits(a: Arrays, c: int, f: int, time: float, whole: float) -> bool:
    """Whether a number is between a whole one and the next."""
    a.rows[Y, a.guard.whole[c] - 1] = whole
    return not is_true(a, c, f, time, 0.0)
