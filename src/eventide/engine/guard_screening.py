"""Which conditions of a flow are looked at in a step: all but those that doze, as they are plainly false in it.

A condition that depends on one state, by comparisons linear in it, is false as long as that is between a floor and a
ceiling; both follow from its certificate. A state goes along its chord through the step, but for what its interpolant
bends: where that stays between them the condition is false at every point of the step, and dozes. It is neither tested
nor enclosed then. What its last test would have left is made up for when it is looked at next.

Plain functions over arrays, which are also translated to native code.
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
    WHO,
    Y0,
    Y2,
    K,
    P,
    R,
    Y,
)
from eventide.engine.law_evaluation import copy, evaluate, is_true
from eventide.engine.stepper import fit
from eventide.engine.taylor_arithmetic import UNIT
from eventide.engine.taylor_models import is_moved

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

FARTHEST_LEVEL: Final = 1e150
"""What a state is compared with is nearer than this, and so are its factors, so that nothing overflows."""
TINY: Final = 1e-290
"""More than what underflow may take from a number."""
MANY: Final = 16
"""Of fewer conditions each has the bounds of its state reckoned alone."""
FEW: Final = 4
"""So many states are reckoned with at once in native code."""
FACTOR: Final = 0
"""An expression is FACTOR * state + SHIFT; what is added for it is of size FACTORS * abs(state) + SHIFTS at most."""
SHIFT: Final = 1
FACTORS: Final = 2
SHIFTS: Final = 3

# --- entries ---------------------------------------------------------------------------------------------------------


def enroll(a: Arrays, c: int, f: int) -> None:
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


def strike(a: Arrays, c: int) -> None:
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
    first, kept = first_awake(a, f), 0
    for k in range(first, first + a.flow.awake[f]):
        if a.constants[k] != c:
            a.constants[first + kept] = a.constants[k]
            kept += 1
    a.flow.awake[f] = kept


def close_ranks(a: Arrays, f: int) -> None:
    """Let no entry be of nobody where half of them are."""
    if 2 * a.flow.entries_left[f] >= a.flow.entries[f] and a.flow.entries_left[f] > 0:
        squeeze(a, f)


def squeeze(a: Arrays, f: int) -> None:
    """Let no entry be of nobody."""
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


def awake(a: Arrays, f: int, k: int) -> int:
    """The k-th of a flow's conditions that are awake: the youngest first."""
    return int(a.constants[first_awake(a, f) + k])


def first_awake(a: Arrays, f: int) -> int:
    """The place in `constants` of those that are awake: behind the entries."""
    return int(a.flow.entries_at[f] + ENTRY * a.flow.entries_room[f])


# --- who wakes -------------------------------------------------------------------------------------------------------


def wake_at_start(a: Arrays, f: int) -> None:
    """After an event: conditions doze whose state is between floor and ceiling now; newcomers are looked at first."""
    close_ranks(a, f)
    if a.flow.stale[f] == 1:
        forget_levels(a, f)
    wake_outside(a, f, Y, Y)


def wake_outside(a: Arrays, f: int, lowest: int, highest: int) -> None:
    """Conditions doze whose state is between floor and ceiling by what these two rows tell of it."""
    place, count, first = a.flow.entries_at[f], 0, first_awake(a, f)
    for k in range(a.flow.entries[f] - 1, -1, -1):
        at = place + ENTRY * k
        slot = int(a.constants[at + SLOT_OF])
        is_between = (
            a.constants[at + FLOOR] < a.rows[lowest, slot] and a.rows[highest, slot] < a.constants[at + CEILING]
        )
        if not is_between and a.constants[at + WHO] >= 0.0:
            a.constants[first + count] = a.constants[at + WHO]
            count += 1
    a.flow.awake[f] = count


def wake_after_step(a: Arrays, f: int) -> None:
    """After a step: conditions doze whose state stays between floor and ceiling all over it."""
    if a.flow.dozing[f] == 0 or not a.flow.step[f] > 0.0:
        wake_all(a, f)
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
    wake_outside(a, f, LOWEST, HIGHEST)


def wake_all(a: Arrays, f: int) -> None:
    """No condition dozes."""
    count, first = 0, first_awake(a, f)
    for k in range(a.flow.entries[f] - 1, -1, -1):
        at = a.flow.entries_at[f] + ENTRY * k
        if a.constants[at + WHO] >= 0.0:
            a.constants[first + count] = a.constants[at + WHO]
            count += 1
    a.flow.awake[f] = count


def are_many(a: Arrays, f: int) -> bool:
    """Whether a flow has so many conditions that it takes less to bound all its states at once than those of each."""
    if a.flow.entries[f] < MANY:
        return False
    states = 0
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        states += a.segments[s, 1] - a.segments[s, 0]
    return bool(states < FEW * a.flow.entries[f])


def bound_states(a: Arrays, f: int) -> None:
    """Leave in LOWEST and HIGHEST between what each state of a flow stays in the step."""
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            a.rows[LOWEST, i], a.rows[HIGHEST, i] = bounds_of(a, i)


def bound_watched(a: Arrays, f: int) -> None:
    """The same for the states on which conditions that may doze depend."""
    for k in range(a.flow.entries[f]):
        at = a.flow.entries_at[f] + ENTRY * k
        if a.constants[at + FLOOR] == a.constants[at + FLOOR]:
            slot = int(a.constants[at + SLOT_OF])
            a.rows[LOWEST, slot], a.rows[HIGHEST, slot] = bounds_of(a, slot)


def bounds_of(a: Arrays, slot: int) -> tuple[float, float]:
    """What a state is above in the whole of the step, and what it is below; NaN of one that does not move."""
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
    a.flow.dozing[f] = 0
    a.flow.stale[f] = 0


def rouse(a: Arrays, c: int) -> None:
    """A condition dozes no longer: it has to become false again before it can fire."""
    a.constants[a.flow.entries_at[a.guard.flow[c]] + ENTRY * a.guard.entry[c] + FLOOR] = nan


# --- what a condition that has dozed has missed ----------------------------------------------------------------------


def catch_up(a: Arrays, c: int, f: int) -> None:
    """Leave what a test at the start of the step would have left, if there was none."""
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


def lull(a: Arrays, c: int, f: int) -> None:
    """Let a condition that is false now, and fires when it is true, doze while its state is between its levels."""
    at = a.flow.entries_at[f] + ENTRY * a.guard.entry[c]
    if a.constants[at + FLOOR] != a.constants[at + FLOOR]:
        find_levels(a, c, f, at)


def find_levels(a: Arrays, c: int, f: int, at: int) -> None:
    """Find between which levels of its state a condition stays false, and write them to its entry.

    It is asked for once: where it depends on its state in another way it is never to be had.
    """
    slot = find_lines(a, c)
    a.guard.dozes[c] = 0
    if slot < 0 or not is_moved(a, f, slot):
        return
    place = a.guard.certificate[c]
    words, top = place + 2 + EXPRESSION * a.lists[place], SIGNS
    state = a.rows[Y, slot]
    share = (2.0 * a.lists[place] + 8.0) * 2.0**-52
    for k in range(a.lists[place + 1]):
        word = a.lists[words + k]
        if word >= 0:
            floor, ceiling = levels_of(a, word * MODEL, share)
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
        a.guard.dozes[c] = 1
        a.flow.dozing[f] = 1


def joined_levels(
    state: float, is_and: bool, floor: float, ceiling: float, other_floor: float, other_ceiling: float
) -> tuple[float, float]:
    """Between which levels what two comparisons say is false, joined by "and", or by "or"."""
    if not is_and:
        return max(floor, other_floor), min(ceiling, other_ceiling)
    if not floor < state < ceiling:
        return other_floor, other_ceiling
    if not other_floor < state < other_ceiling:
        return floor, ceiling
    return min(floor, other_floor), max(ceiling, other_ceiling)


def levels_of(a: Arrays, at: int, share: float) -> tuple[float, float]:
    """Between which levels of the state a line is below zero, and so is what rounding may make of it.

    share   what rounding may do to it, as a share of the sizes that are reckoned with
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
    """Leave in `models` the expressions of a condition as lines over one state; answers its slot, or -1."""
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
            reckon_line(a, code, at, a.lists[word + 1] * MODEL, a.guard.still[c, a.lists[word + 3]])
        elif code == SUM or code == DIFFERENCE:  # noqa: PLR1714, SIM109  # `in` has no translation
            add_lines(a, at, a.lists[word + 1] * MODEL, a.lists[word + 2] * MODEL, 1.0 if code == SUM else -1.0)
        elif code == NEGATIVE:
            reckon_line(a, SCALED_BY, at, a.lists[word + 1] * MODEL, -1.0)
        else:
            return -1
    return slot


def reckon_line(a: Arrays, code: int, at: int, one: int, still: float) -> None:
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
