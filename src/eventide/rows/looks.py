"""What recordings read, without Python: just after the last event of an instant, just before the next, and between.

A look is a list of numbers, which a tally keeps for Python: the time, the side, the number of the stretch of code, and
one for each column of the recordings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.engine.codes import REACHED, RECORDED, UNSETTLED
from eventide.rows.codes import (
    AFTER,
    AMOUNT,
    BEFORE,
    ENDS,
    FUNCTION,
    HAS_ARRIVED,
    HAS_STOPPED,
    LEVEL,
    LOOK_HEAD,
    MOVES_ON,
    RATE,
    REGULAR,
    SLOT,
)
from eventide.rows.moving import has_broken, look, march, run_kernel, slope
from eventide.rows.statistics import add, has_space

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def may_look(a: Rows) -> bool:
    """Whether there is room for the looks at both sides of an instant, and one between."""
    return bool(a.run.columns == 0 or has_space(a, a.run.looks, 3 * (LOOK_HEAD + a.run.columns)))


def run_functions(a: Rows) -> bool:
    """Let the kernels of columns compute what these are now; False where laws have failed, or Python is to look."""
    for c in range(a.run.columns):
        if a.column.what[c] == FUNCTION:
            a.activity.at[a.column.where[c]] = 0
            if run_kernel(a, a.column.where[c]) != ENDS:
                a.run.leaves = 0 if a.run.arrays != 0 and has_broken(a) else 1
                return False
    return True


def look_at_columns(a: Rows, side: int) -> bool:
    """Note what the columns are now; False, and nothing noted, where laws have failed or Python is to look."""
    if not run_functions(a):
        return False
    t = a.run.looks
    add(a, t, a.run.time)
    add(a, t, float(side))
    add(a, t, float(a.run.turn))
    for c in range(a.run.columns):
        what, where = a.column.what[c], a.column.where[c]
        value = a.column.value[c]
        if what == SLOT:
            value = look(a, where, a.column.first[c])
        elif what == RATE:
            value = slope(a, where, a.column.first[c])
        elif what == LEVEL:
            value = float(a.level.value[where])
        elif what == AMOUNT:
            value = a.inventory.amount[where]
        elif what == FUNCTION:
            value = a.reals[a.activity.reals[where] + a.column.first[c]]
        add(a, t, value)
    return not (a.run.arrays != 0 and has_broken(a))


def move_on(a: Rows, stop: float) -> int:
    """Bring all that moves to a time, after a look at what the events of the present have left, with regular looks."""
    if a.run.columns != 0 and a.run.looked != MOVES_ON and stop > a.run.time:
        code = march(a, a.run.time, a.run.time)  # which settles it
        if code != REACHED:
            return code
        if not look_at_columns(a, AFTER):
            return UNSETTLED
        a.run.looked = MOVES_ON
    if a.run.columns != 0:
        while a.reals[a.run.regular] < stop:
            if a.run.regular == a.run.last_regular or not may_look(a):
                return RECORDED
            time = a.reals[a.run.regular]
            if time > a.run.time:
                code = march(a, time, stop)
                if code != REACHED:
                    return code
                a.run.time = time
            if not look_regularly(a):
                return UNSETTLED
    return march(a, stop, stop)


def look_regularly(a: Rows) -> bool:
    """All has been brought to a regular time, which may be that of an event before; False as of a look."""
    a.run.regular += 1
    return look_at_columns(a, REGULAR)


def arrive(a: Rows) -> bool:
    """All has been brought to the present, where an event comes: look at it before; False as of a look."""
    if a.run.looked != MOVES_ON:
        return True
    a.run.looked = HAS_ARRIVED
    if look_at_columns(a, BEFORE):
        return True
    a.run.looked = HAS_STOPPED
    return False
