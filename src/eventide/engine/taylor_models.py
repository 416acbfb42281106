"""Enclosures: bounds of the expressions of a condition over a part of a step.

In: the words of a certificate, and a part of the step. Out: for each expression a polynomial in s, which goes from -1
to 1 over the part, of the interpolant's degree n, and a bound of its distance from that polynomial. States are such
polynomials. Products are multiplied out, and functions are replaced by their Taylor polynomials about a value in the
middle; terms of higher degree go into the bound, which so shrinks with the power n + 1 of the part's length. Where the
range of the arguments gives a better bound, that is kept. `abs`, `min`, `max` and `a if b else c` are the operand that
is selected where that is known, else bounded by both. Rounding errors are bounded separately.

Invariant: an enclosure never raises; what may have no value is not proved. One mechanism covers all expressions,
exactly for polynomials, and a step far from every level costs one part. Intervals alone needed hundreds of parts where
a peak is near its level; a native kernel for each condition would double what is compiled, and has no plain run.

Plain functions over records, which are also translated to native code.
Source: Makino & Berz, Taylor models and other validated functional inclusion methods, IJPAM 4 (2003).
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from eventide.engine.codes import (
    ARCTANGENT,
    BESIDE,
    CHECKED,
    CHOICE_OF,
    CONSTANT,
    COSINE,
    DEGREE,
    DIFFERENCE,
    E0,
    ELAPSED,
    EXPONENTIAL,
    EXPRESSION,
    FASTEST,
    FLAT,
    INVERSE,
    LEAST,
    LEAST_OF,
    LOGARITHM,
    LOWERED_BY,
    MODEL,
    MOST,
    NEGATIVE,
    NOISE,
    PRODUCT,
    RAISED_BY,
    ROOT,
    SCALED_BY,
    SHRUNK_BY,
    SIZE,
    SLOWEST,
    STATE,
    SUM,
    TAKEN_FROM,
    TIME,
    TO_THE_POWER,
    UNSURE,
    WHOLE_BELOW,
    WHOLE_NEAR,
    Y0,
    P,
    Y,
)
from eventide.engine.stepper import HUGE
from eventide.engine.taylor_arithmetic import (
    UNIT,
    add,
    find_range,
    find_slopes,
    finish,
    imitate,
    is_bounded,
    largest,
    multiply,
    set_range,
    stand_still,
    stretch,
)
from eventide.engine.taylor_functions import (
    APART,
    TELLING,
    WIDTH_APART,
    exponentiate,
    invert,
    oscillate,
    raise_to,
    take_arctangent,
    take_logarithm,
    take_nearest,
    take_whole,
)

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


def enclose(a: Arrays, c: int, f: int, low: float, high: float) -> None:
    """Enclose the expressions of a condition from the fraction `low` of the step to `high`."""
    place = a.guard.certificate[c]
    for k in range(a.lists[place]):
        enclose_expression(a, c, f, place + 2 + EXPRESSION * k, k * MODEL, low, high)


def enclose_expression(a: Arrays, c: int, f: int, word: int, at: int, low: float, high: float) -> None:
    """Enclose the expression that is described from `word` on; `at` is the place of its enclosure."""
    code, third = a.lists[word], a.lists[word + 3]
    one, other = a.lists[word + 1] * MODEL, a.lists[word + 2] * MODEL
    if code == STATE:
        slot = a.index[a.guard.index[c] + a.lists[word + 1]] + a.lists[word + 2]
        enclose_state(a, f, at, slot, low, high)
    elif code == TIME:
        enclose_clock(a, f, at, a.flow.start[f] + a.flow.start_rest[f], low, high)
    elif code == ELAPSED:
        enclose_clock(a, f, at, 0.0, low, high)
    elif code == CONSTANT:
        stand_still(a, at, a.guard.still[c, third])
    elif code <= TO_THE_POWER:
        compute_with_still(a, code, at, one, a.guard.still[c, third])
        doubt(a, at, one)
    elif code <= PRODUCT:
        compute_two(a, code, at, one, other)
        doubt(a, at, one)
        doubt(a, at, other)
    elif code <= SIZE:
        compute_function(a, code, at, one)
        doubt(a, at, one)
    elif code == CHOICE_OF:
        choose_one(a, at, one, other, third * MODEL)
        doubt(a, at, one)
    elif code == CHECKED:
        check(a, at, one, a.guard.still[c, third])
        doubt(a, at, one)
    elif code == WHOLE_NEAR:
        take_nearest(a, at, one)
        doubt(a, at, one)
    elif code == WHOLE_BELOW:
        take_whole(a, at, one, other)
        doubt(a, at, one)
        doubt(a, at, other)
    else:
        take_extreme(a, at, one, other, 1.0 if code == LEAST_OF else -1.0)
        doubt(a, at, one)
        doubt(a, at, other)


def doubt(a: Arrays, at: int, one: int) -> None:
    """What is made of an expression that may have no value may have none; of one that may jump, it may jump."""
    if a.models[one + UNSURE] != 0.0:
        a.models[at + UNSURE] = 1.0
    if a.models[one + FLAT] != 0.0:
        a.models[at + FLAT] = 1.0


# --- what moves by itself --------------------------------------------------------------------------------------------


def enclose_state(a: Arrays, f: int, at: int, slot: int, low: float, high: float) -> None:
    """The interpolant of a state."""
    if not is_moved(a, f, slot):
        stand_still(a, at, a.rows[Y, slot])
        return
    m = a.models
    n, half = a.method.sizes[DEGREE], (high - low) / 2
    power, size = high, 0.0
    for j in range(n):
        size += abs(a.rows[P + j, slot]) * power
        power *= high
    if size == 0.0:
        stand_still(a, at, a.rows[Y0, slot])
        return
    size += abs(a.rows[Y0, slot])
    develop_state(a, at, slot, low + half, half)
    m[at + BESIDE] = m[at + UNSURE] = m[at + FLAT] = 0.0
    m[at + NOISE] = UNIT * size
    find_slopes(a, at)
    find_range(a, at)
    if not is_bounded(a, at):
        finish(a, at, -HUGE, HUGE)


def develop_state(a: Arrays, at: int, slot: int, middle: float, half: float) -> None:
    """The coefficients of the interpolant about the middle of the part. Source: Horner's scheme, repeated."""
    m = a.models
    n = a.method.sizes[DEGREE]
    m[at] = a.rows[E0, slot]
    for j in range(n):
        m[at + 1 + j] = a.rows[P + j, slot]
    for i in range(n):
        for j in range(n - 1, i - 1, -1):
            m[at + j] = m[at + j] + middle * m[at + j + 1]
    power = half
    for j in range(1, n + 1):
        m[at + j] = m[at + j] * power
        power = power * half
    m[at] = a.rows[Y0, slot] + m[at]


def is_moved(a: Arrays, f: int, slot: int) -> bool:
    """Whether a slot is integrated with a flow, by bisection of its runs."""
    low, high = a.flow.segments_lo[f], a.flow.segments_hi[f]
    while low < high:
        middle = (low + high) // 2
        if a.segments[middle, 1] <= slot:
            low = middle + 1
        else:
            high = middle
    return bool(low < a.flow.segments_hi[f] and a.segments[low, 0] <= slot)


def enclose_clock(a: Arrays, f: int, at: int, start: float, low: float, high: float) -> None:
    """The time, or how much of the step has passed."""
    m = a.models
    step, half = a.flow.step[f], (high - low) / 2
    stand_still(a, at, start + (low + half) * step)
    m[at + 1] = half * step
    m[at + NOISE] = UNIT * (abs(a.flow.end[f]) + step)
    m[at + SLOWEST], m[at + FASTEST] = m[at + 1], m[at + 1]
    finish(a, at, -HUGE, HUGE)


# --- operations ------------------------------------------------------------------------------------------------------


def compute_with_still(a: Arrays, code: int, at: int, one: int, still: float) -> None:
    """An expression and a number that does not move."""
    if code == RAISED_BY:
        stretch(a, at, one, 1.0, still)
    elif code == LOWERED_BY:
        stretch(a, at, one, 1.0, -still)
    elif code == TAKEN_FROM:
        stretch(a, at, one, -1.0, still)
    elif code == SCALED_BY:
        stretch(a, at, one, still, 0.0)
    elif code == SHRUNK_BY:
        stretch(a, at, one, 1.0 / still if still != 0.0 else nan, 0.0)
    else:
        raise_to(a, at, one, still)


def compute_two(a: Arrays, code: int, at: int, one: int, other: int) -> None:
    """Two expressions."""
    if code == SUM:
        add(a, at, one, other, 1.0)
    elif code == DIFFERENCE:
        add(a, at, one, other, -1.0)
    else:
        multiply(a, at, one, other)


def take_size(a: Arrays, at: int, one: int) -> None:
    """The absolute value. Where the sign is not known it lies between the chord over the range and a parallel to it."""
    m = a.models
    low, high = m[one + LEAST], m[one + MOST]
    if low >= 0.0:
        imitate(a, at, one)
    elif high <= 0.0:
        stretch(a, at, one, -1.0, 0.0)
    else:
        half, size = -high * (low / (high - low)), max(-low, high)
        fastest = max(-m[one + SLOWEST], m[one + FASTEST])
        stretch(a, at, one, (high + low) / (high - low), half)
        m[at + BESIDE] += half
        m[at + NOISE] = m[one + NOISE] + UNIT * size
        m[at + FLAT] = 1.0
        m[at + SLOWEST], m[at + FASTEST] = -fastest, fastest
        finish(a, at, 0.0, size)


def take_extreme(a: Arrays, at: int, one: int, other: int, sign: float) -> None:
    """The lesser of two expressions; the greater with sign = -1. Where that is unknown: by their difference."""
    m = a.models
    if sign > 0.0:
        add(a, APART, one, other, -1.0)
    else:
        add(a, APART, other, one, -1.0)
    if m[APART + MOST] <= 0.0:
        imitate(a, at, one)
        return
    if m[APART + LEAST] >= 0.0:
        imitate(a, at, other)
        return
    slowest, fastest = min(m[one + SLOWEST], m[other + SLOWEST]), max(m[one + FASTEST], m[other + FASTEST])
    least, most = min(m[one + LEAST], m[other + LEAST]), min(m[one + MOST], m[other + MOST])
    if sign < 0.0:
        least, most = max(m[one + LEAST], m[other + LEAST]), max(m[one + MOST], m[other + MOST])
    take_size(a, WIDTH_APART, APART)
    for k in range(a.method.sizes[DEGREE] + 1):
        m[at + k] = (m[one + k] + m[other + k] - sign * m[WIDTH_APART + k]) / 2
    m[at + BESIDE] = (m[one + BESIDE] + m[other + BESIDE] + m[WIDTH_APART + BESIDE]) / 2
    m[at + NOISE] = m[one + NOISE] + m[other + NOISE] + UNIT * (largest(a, one) + largest(a, other))
    m[at + UNSURE], m[at + FLAT] = 0.0, 1.0
    m[at + SLOWEST], m[at + FASTEST] = slowest, fastest
    finish(a, at, least, most)


def check(a: Arrays, at: int, one: int, difference: float) -> None:
    """An expression that was read in a law, if it is what the law has set: else nothing is proved in this step."""
    if abs(difference) <= TELLING * largest(a, one):
        imitate(a, at, one)
    else:
        a.run.budget = -1
        set_range(a, at, -HUGE, HUGE)


def choose_one(a: Arrays, at: int, test: int, one: int, other: int) -> None:
    """One of two expressions, by the sign of a third; where that is not known, anything between them."""
    m = a.models
    if m[test + LEAST] > m[test + NOISE]:
        imitate(a, at, one)
    elif m[test + MOST] < -m[test + NOISE]:
        imitate(a, at, other)
    else:
        set_range(a, at, min(m[one + LEAST], m[other + LEAST]), max(m[one + MOST], m[other + MOST]))
        m[at + NOISE] = m[one + NOISE] + m[other + NOISE]
        m[at + FLAT] = 1.0
        doubt(a, at, one)
        doubt(a, at, other)


# --- functions -------------------------------------------------------------------------------------------------------


def compute_function(a: Arrays, code: int, at: int, one: int) -> None:
    """A function of one expression."""
    if code == NEGATIVE:
        stretch(a, at, one, -1.0, 0.0)
    elif code == INVERSE:
        invert(a, at, one)
    elif code == ROOT:
        raise_to(a, at, one, 0.5)
    elif code == EXPONENTIAL:
        exponentiate(a, at, one)
    elif code == LOGARITHM:
        take_logarithm(a, at, one)
    elif code == ARCTANGENT:
        take_arctangent(a, at, one)
    elif code == SIZE:
        take_size(a, at, one)
    else:
        oscillate(a, at, one, code == COSINE)
