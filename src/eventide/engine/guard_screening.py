"""Screening of conditions: skip those that are proved false over the whole step by bounds of a single state.

In: the entries of a flow's conditions, each with a floor and a ceiling of its state. Out: the list of conditions that
have to be tested. A condition that depends on one state, by comparisons linear in it, is false while that state is
between its floor and its ceiling, which follow from its certificate. How far the state moves in a step is bounded by
its chord plus the sum of the bends of its interpolant. If it stays between the levels, rounding included, the
condition is false at every point of the step, its end included: it is neither tested nor enclosed (it is
screened; the others are unscreened). After an event the state itself is compared.

Invariant: nothing depends on which conditions were screened. What a test would have stored (event function and slope
at the start of the step) is computed when the condition is tested next. Levels are void after a parameter is written
and when the state leaves the flow. To skip whatever was far from true in the last step would have been cheaper, but no
proof; to enclose all conditions costs about 130 ns each.

Plain functions over records, which are also translated to native code.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    AND,
    CEILING,
    CONSTANT,
    DEGREE,
    DIFFERENCE,
    E0,
    ENTRY,
    EXPRESSION,
    EXTRA,
    FLOOR,
    HIGHEST,
    LOWERED_BY,
    LOWEST,
    MODEL,
    NEGATIVE,
    RAISED_BY,
    SCALED_BY,
    SHRUNK_BY,
    SIGNS,
    SLOT_OF,
    STATE,
    SUM,
    TAKEN_FROM,
    WEAK,
    WHO,
    Y0,
    Y2,
    K,
    P,
    R,
    Y,
)
from eventide.engine.law_evaluation import copy, evaluate, is_true
from eventide.engine.root_search import SPACING
from eventide.engine.stepper import fit
from eventide.engine.taylor_arithmetic import UNIT
from eventide.engine.taylor_models import is_moved

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

FARTHEST_LEVEL: Final = 1e150
"""Limits and factors of screened comparisons are smaller than this, so that nothing overflows."""
TINY: Final = 1e-290
"""More than the largest underflow error."""
MANY: Final = 16
"""With fewer conditions the bounds of each state are computed one by one."""
FEW: Final = 4
"""The number of states that native code processes at once."""
FACTOR: Final = 0
"""An expression is FACTOR * state + SHIFT; what is added for it is of size FACTORS * abs(state) + SHIFTS at most."""
SHIFT: Final = 1
FACTORS: Final = 2
SHIFTS: Final = 3

# --- entries ---------------------------------------------------------------------------------------------------------


def add_entry(a: Arrays, c: int, f: int) -> None:
    """Give a condition an entry among those of a flow; there is room for it."""
    k = a.flow.entries[f]
    at = a.flow.entries_at[f] + ENTRY * k
    a.constants[at + WHO] = c
    a.constants[at + SLOT_OF] = 0.0
    a.constants[at + FLOOR] = nan
    a.guard.entry[c] = k
    a.guard.seen[c] = -1
    a.flow.entries[f] = k + 1
    if a.guard.switch[c] > 0:
        a.flow.switches[f] += 1.0
    else:
        a.run.listed += 1


def remove_entry(a: Arrays, c: int) -> None:
    """Take a condition out of the entries of its flow."""
    f = a.guard.flow[c]
    place = a.flow.entries_at[f]
    a.constants[place + ENTRY * a.guard.entry[c] + WHO] = -1.0
    a.flow.entries_left[f] += 1
    if a.guard.switch[c] > 0:
        a.flow.switches[f] -= 1.0
    else:
        a.run.listed -= 1
    while a.flow.entries[f] > 0 and a.constants[place + ENTRY * (a.flow.entries[f] - 1) + WHO] < 0.0:
        a.flow.entries[f] -= 1
        a.flow.entries_left[f] -= 1
    first, kept = first_unscreened(a, f), 0
    for k in range(first, first + a.flow.unscreened[f]):
        if a.constants[k] != c:
            a.constants[first + kept] = a.constants[k]
            kept += 1
    a.flow.unscreened[f] = kept


def close_ranks(a: Arrays, f: int) -> None:
    """Remove empty entries once half of them are empty."""
    if 2 * a.flow.entries_left[f] >= a.flow.entries[f] and a.flow.entries_left[f] > 0:
        drop_empty_entries(a, f)


def drop_empty_entries(a: Arrays, f: int) -> None:
    """Remove empty entries."""
    place, kept = a.flow.entries_at[f], 0
    for k in range(a.flow.entries[f]):
        at, to = place + ENTRY * k, place + ENTRY * kept
        if a.constants[at + WHO] >= 0.0:
            a.guard.entry[int(a.constants[at + WHO])] = kept
            for j in range(ENTRY):
                a.constants[to + j] = a.constants[at + j]
            kept += 1
    a.flow.entries[f] = kept
    a.flow.entries_left[f] = 0


def unscreened(a: Arrays, f: int, k: int) -> int:
    """The k-th of a flow's conditions that are not screened: the youngest first."""
    return int(a.constants[first_unscreened(a, f) + k])


def first_unscreened(a: Arrays, f: int) -> int:
    """The place in `constants` of the list of unscreened conditions: after the entries."""
    return int(a.flow.entries_at[f] + ENTRY * a.flow.entries_room[f])


# --- screening ------------------------------------------------------------------------------------------------------


def screen_at_start(a: Arrays, f: int) -> None:
    """After an event: screen the conditions whose state is between floor and ceiling now; new ones are tested once."""
    close_ranks(a, f)
    if a.flow.stale[f] == 1:
        forget_levels(a, f)
    screen_between(a, f, Y, Y)


def screen_between(a: Arrays, f: int, lowest: int, highest: int) -> None:
    """Screen the conditions whose state is between floor and ceiling according to these two rows of bounds."""
    place, count, first = a.flow.entries_at[f], 0, first_unscreened(a, f)
    for k in range(a.flow.entries[f] - 1, -1, -1):
        at = place + ENTRY * k
        slot = int(a.constants[at + SLOT_OF])
        is_between = (
            a.constants[at + FLOOR] < a.rows[lowest, slot] and a.rows[highest, slot] < a.constants[at + CEILING]
        )
        if not is_between and a.constants[at + WHO] >= 0.0:
            a.constants[first + count] = a.constants[at + WHO]
            count += 1
    a.flow.unscreened[f] = count


def screen_after_step(a: Arrays, f: int) -> None:
    """After a step: screen the conditions whose state stays between floor and ceiling over all of it."""
    if a.flow.has_screened[f] == 0 or not a.flow.step[f] > 0.0:
        screen_none(a, f)
        return
    if a.flow.fitted[f] == 0:
        fit(a, f)
        if a.method.sizes[EXTRA] > 0:
            copy(a, f, Y2, Y)
            evaluate(a, f, a.flow.end[f], a.flow.step[f], R)
    if are_many(a, f):
        bound_states(a, f)
    else:
        bound_watched(a, f)
    screen_between(a, f, LOWEST, HIGHEST)


def screen_none(a: Arrays, f: int) -> None:
    """Screen no condition."""
    count, first = 0, first_unscreened(a, f)
    for k in range(a.flow.entries[f] - 1, -1, -1):
        at = a.flow.entries_at[f] + ENTRY * k
        if a.constants[at + WHO] >= 0.0:
            a.constants[first + count] = a.constants[at + WHO]
            count += 1
    a.flow.unscreened[f] = count


def are_many(a: Arrays, f: int) -> bool:
    """Whether a flow has enough conditions that bounding all its states at once is faster than one by one."""
    if a.flow.entries[f] < MANY:
        return False
    states = 0
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        states += a.segments[s, 1] - a.segments[s, 0]
    return bool(states < FEW * a.flow.entries[f])


def bound_states(a: Arrays, f: int) -> None:
    """Store in LOWEST and HIGHEST the bounds of each state of a flow over the step."""
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            a.rows[LOWEST, i], a.rows[HIGHEST, i] = bounds_of(a, i)


def bound_watched(a: Arrays, f: int) -> None:
    """The same for the states on which conditions depend that may be screened."""
    for k in range(a.flow.entries[f]):
        at = a.flow.entries_at[f] + ENTRY * k
        if a.constants[at + FLOOR] == a.constants[at + FLOOR]:
            slot = int(a.constants[at + SLOT_OF])
            a.rows[LOWEST, slot], a.rows[HIGHEST, slot] = bounds_of(a, slot)


def bounds_of(a: Arrays, slot: int) -> tuple[float, float]:
    """Lower and upper bound of a state over the whole step; NaN for one that does not move."""
    start, end = a.rows[Y0, slot], a.rows[Y2, slot]
    change, bend = a.rows[P, slot], 0.0
    for m in range(1, a.method.sizes[DEGREE]):
        change += a.rows[P + m, slot]
        bend += abs(a.rows[P + m, slot])
    rounding = UNIT * (abs(start) + abs(change) + 2.0 * bend) + abs(a.rows[E0, slot])
    aside = bend + rounding  # a power of a fraction of the step is less than the fraction, by less than 1
    last = start + change
    return min(start, last, end) - aside, max(start, last, end) + aside


def forget_levels(a: Arrays, f: int) -> None:
    """Floors and ceilings are void: each condition is to be tested again."""
    for k in range(a.flow.entries[f]):
        a.constants[a.flow.entries_at[f] + ENTRY * k + FLOOR] = nan
    a.flow.has_screened[f] = 0
    a.flow.stale[f] = 0


def test_again(a: Arrays, c: int) -> None:
    """Stop screening a trigger that has fired: it has to become false before it can fire again."""
    a.constants[a.flow.entries_at[a.guard.flow[c]] + ENTRY * a.guard.entry[c] + FLOOR] = nan


# --- tests that a screened condition has missed ----------------------------------------------------------------------


def catch_up(a: Arrays, c: int, f: int) -> None:
    """If the condition was not tested at the start of the step, compute now what that test would have stored."""
    if a.guard.seen[c] == a.flow.moment[f]:
        return
    slot = int(a.constants[a.flow.entries_at[f] + ENTRY * a.guard.entry[c] + SLOT_OF])
    state, rate = a.rows[Y, slot], a.rows[R, slot]
    a.rows[Y, slot], a.rows[R, slot] = a.rows[Y0, slot], a.rows[K, slot]
    is_true(a, c, f, a.flow.start[f], 0.0)
    a.rows[Y, slot], a.rows[R, slot] = state, rate
    a.guard.value_at_end[c] = a.guard.value[c]
    a.guard.slope_at_end[c] = a.guard.slope[c]


# --- floors and ceilings ---------------------------------------------------------------------------------------------


def screen(a: Arrays, c: int, f: int) -> None:
    """Screen a condition that is false now and fires when it is true, if its state is between its levels."""
    at = a.flow.entries_at[f] + ENTRY * a.guard.entry[c]
    if a.constants[at + FLOOR] != a.constants[at + FLOOR]:
        find_levels(a, c, f, at)


def find_levels(a: Arrays, c: int, f: int, at: int) -> None:
    """Find the levels of its state between which a condition stays false, and write them to its entry.

    Called once: a condition that depends on its state in another way is never screened.
    """
    slot = find_lines(a, c)
    a.guard.can_be_screened[c] = 0
    if slot < 0 or not is_moved(a, f, slot):
        return
    place = a.guard.certificate[c]
    words, top = place + 2 + EXPRESSION * a.lists[place], SIGNS
    state = a.rows[Y, slot]
    share = (2.0 * a.lists[place] + 8.0) * SPACING
    for k in range(a.lists[place + 1]):
        word = a.lists[words + k]
        if word >= 0:
            floor, ceiling = levels_of(a, (word - WEAK if word >= WEAK else word) * MODEL, share)
        else:
            top -= 4
            floor, ceiling = joined_levels(
                state, word == AND, a.models[top], a.models[top + 1], a.models[top + 2], a.models[top + 3]
            )
        a.models[top], a.models[top + 1] = floor, ceiling
        top += 2
    if a.models[SIGNS] < state < a.models[SIGNS + 1]:
        a.constants[at + SLOT_OF] = slot
        a.constants[at + FLOOR], a.constants[at + CEILING] = a.models[SIGNS], a.models[SIGNS + 1]
        a.guard.can_be_screened[c] = 1
        a.flow.has_screened[f] = 1


def joined_levels(
    state: float, is_and: bool, floor: float, ceiling: float, other_floor: float, other_ceiling: float
) -> tuple[float, float]:
    """The levels between which two comparisons, joined by `and` or `or`, are false."""
    if not is_and:
        return max(floor, other_floor), min(ceiling, other_ceiling)
    if not floor < state < ceiling:
        return other_floor, other_ceiling
    if not other_floor < state < other_ceiling:
        return floor, ceiling
    return min(floor, other_floor), max(ceiling, other_ceiling)


def levels_of(a: Arrays, at: int, share: float) -> tuple[float, float]:
    """The levels of the state between which a line is negative, rounding included.

    share   the largest rounding error, relative to the sizes of the operands
    """
    factor, shift, factors, shifts = a.models[at], a.models[at + 1], a.models[at + 2], a.models[at + 3]
    if not (factors < FARTHEST_LEVEL and shifts < FARTHEST_LEVEL):
        return 0.0, 0.0
    if factors == 0.0:
        if shift < -share * (shifts + TINY):
            return -FARTHEST_LEVEL, FARTHEST_LEVEL
        return 0.0, 0.0
    if not share * factors < abs(factor) / 4.0:
        return 0.0, 0.0
    root = -shift / factor
    aside = 2.0 * share * ((factors * abs(root) + shifts + TINY) / abs(factor) + TINY)
    if factor > 0.0:
        return -FARTHEST_LEVEL, min(root - aside, FARTHEST_LEVEL)
    return max(root + aside, -FARTHEST_LEVEL), FARTHEST_LEVEL


def find_lines(a: Arrays, c: int) -> int:
    """Write the expressions of a condition to `models` as lines over one state; returns its slot, or -1."""
    place, slot = a.guard.certificate[c], -1
    m = a.models
    for k in range(a.lists[place]):
        word, at = place + 2 + EXPRESSION * k, k * MODEL
        code = a.lists[word]
        if code == STATE:
            here = a.index[a.guard.index[c] + a.lists[word + 1]] + a.lists[word + 2]
            if slot >= 0 and slot != here:
                return -1
            slot = here
            m[at + FACTOR], m[at + SHIFT], m[at + FACTORS], m[at + SHIFTS] = 1.0, 0.0, 1.0, 0.0
        elif code == CONSTANT:
            still = a.guard.still[c, a.lists[word + 3]]
            m[at + FACTOR], m[at + SHIFT], m[at + FACTORS], m[at + SHIFTS] = 0.0, still, 0.0, abs(still)
        elif RAISED_BY <= code <= SHRUNK_BY:
            compute_line(a, code, at, a.lists[word + 1] * MODEL, a.guard.still[c, a.lists[word + 3]])
        elif code == SUM or code == DIFFERENCE:  # noqa: PLR1714, SIM109  # `in` has no translation
            add_lines(a, at, a.lists[word + 1] * MODEL, a.lists[word + 2] * MODEL, 1.0 if code == SUM else -1.0)
        elif code == NEGATIVE:
            compute_line(a, SCALED_BY, at, a.lists[word + 1] * MODEL, -1.0)
        else:
            return -1
    return slot


def compute_line(a: Arrays, code: int, at: int, one: int, still: float) -> None:
    """A line and a number that does not move."""
    factor, shift = 1.0, 0.0
    if code == RAISED_BY:
        shift = still
    elif code == LOWERED_BY:
        shift = -still
    elif code == TAKEN_FROM:
        factor, shift = -1.0, still
    elif code == SCALED_BY:
        factor = still
    else:
        factor = 1.0 / still if still != 0.0 else nan
    m = a.models
    m[at + FACTOR], m[at + SHIFT] = factor * m[one + FACTOR], factor * m[one + SHIFT] + shift
    m[at + FACTORS], m[at + SHIFTS] = abs(factor) * m[one + FACTORS], abs(factor) * m[one + SHIFTS] + abs(shift)


def add_lines(a: Arrays, at: int, one: int, other: int, sign: float) -> None:
    """The sum of two lines, or their difference."""
    m = a.models
    m[at + FACTOR] = m[one + FACTOR] + sign * m[other + FACTOR]
    m[at + SHIFT] = m[one + SHIFT] + sign * m[other + SHIFT]
    m[at + FACTORS] = m[one + FACTORS] + m[other + FACTORS]
    m[at + SHIFTS] = m[one + SHIFTS] + m[other + SHIFTS]
