"""Enclosures: between what and what the expressions of a condition lie over a part of a step.

An expression is a polynomial in s, which goes from -1 to 1 over the part, of the interpolant's degree n, and a bound of
how far it may be from that. States are such polynomials themselves. Products are multiplied out, and functions are
their Taylor polynomials about a value in the middle; what is of higher degree goes into the bound, so it shrinks with
the power n + 1 of the part's length. Where that is worse than what the range of the arguments tells, the range is kept.
What rounding may have done is reckoned apart.

Plain functions over arrays, which are also translated to native code.
Source: Makino & Berz, Taylor models and other validated functional inclusion methods, IJPAM 4 (2003).
"""

from __future__ import annotations

from math import atan, cos, exp, log, nan, pi, sin
from typing import TYPE_CHECKING, Final

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
    ROUGH,
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
    Y0,
    P,
    Y,
)
from eventide.engine.stepper import HUGE

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

UNIT: Final = 2.0**-49
"""What rounding does to one operation at most, as a share of its result: eight times what it does, as several are."""
TELLING: Final = 1e-8
"""Rounding that may be more than this share of a function's value is no rounding any more."""
FAR: Final = 1e299
"""What is farther away is as far as this."""
LARGEST_POWER: Final = 600.0
"""Powers of e from minus this to this are numbers, and so are their products with others of common size."""

TAYLOR: Final = ROUGH
"""Where the coefficients of a function's Taylor polynomial stand."""
CHANGE: Final = ROUGH + MODEL
"""How far the argument is from the point about which the function is developed."""
ONE_SUM: Final = ROUGH + 2 * MODEL
OTHER_SUM: Final = ROUGH + 3 * MODEL
APART: Final = ROUGH + 4 * MODEL
WIDTH_APART: Final = ROUGH + 5 * MODEL


def enclose(a: Arrays, c: int, f: int, low: float, high: float) -> None:
    """Enclose the expressions of a condition from the fraction `low` of the step to `high`."""
    place = a.guard.certificate[c]
    for k in range(a.lists[place]):
        enclose_expression(a, c, f, place + 2 + EXPRESSION * k, k * MODEL, low, high)


def enclose_expression(a: Arrays, c: int, f: int, word: int, at: int, low: float, high: float) -> None:
    """Enclose the expression that is told from `word` on; `at` is where its enclosure begins."""
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
        reckon_with_still(a, code, at, one, a.guard.still[c, third])
        doubt(a, at, one)
    elif code <= PRODUCT:
        reckon_two(a, code, at, one, other)
        doubt(a, at, one)
        doubt(a, at, other)
    elif code <= SIZE:
        reckon_function(a, code, at, one)
        doubt(a, at, one)
    elif code == CHOICE_OF:
        choose_one(a, at, one, other, third * MODEL)
        doubt(a, at, one)
    elif code == CHECKED:
        check(a, at, one, a.guard.still[c, third])
        doubt(a, at, one)
    else:
        take_extreme(a, at, one, other, 1.0 if code == LEAST_OF else -1.0)
        doubt(a, at, one)
        doubt(a, at, other)


def doubt(a: Arrays, at: int, one: int) -> None:
    """What is made of an expression that may have no value may have none."""
    if a.models[one + UNSURE] != 0.0:
        a.models[at + UNSURE] = 1.0


# --- what moves by itself --------------------------------------------------------------------------------------------


def enclose_state(a: Arrays, f: int, at: int, slot: int, low: float, high: float) -> None:
    """The interpolant of a state."""
    if not is_moved(a, f, slot):
        stand_still(a, at, a.rows[Y, slot])
        return
    m = a.models
    n, half = a.method.sizes[DEGREE], (high - low) / 2
    power, size = high, abs(a.rows[Y0, slot])
    for j in range(n):
        size += abs(a.rows[P + j, slot]) * power
        power *= high
    develop_state(a, at, slot, low + half, half)
    m[at + BESIDE] = m[at + UNSURE] = 0.0
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


def stand_still(a: Arrays, at: int, value: float) -> None:
    """A number that does not move."""
    m = a.models
    for k in range(MODEL):
        m[at + k] = 0.0
    m[at] = m[at + LEAST] = m[at + MOST] = min(max(value, -FAR), FAR)
    if value != value:
        finish(a, at, -HUGE, HUGE)


# --- ranges ----------------------------------------------------------------------------------------------------------


def find_slopes(a: Arrays, at: int) -> None:
    """The range of the derivative of the polynomial alone."""
    m = a.models
    slowest = fastest = m[at + 1]
    is_even = False
    for k in range(2, a.method.sizes[DEGREE] + 1):
        bend = k * m[at + k]
        if not is_even or bend > 0.0:
            fastest += abs(bend)
        if not is_even or bend < 0.0:
            slowest -= abs(bend)
        is_even = not is_even
    m[at + SLOWEST], m[at + FASTEST] = slowest, fastest


def find_range(a: Arrays, at: int) -> None:
    """The range of the polynomial, exactly but for the powers from the third on, and of what may be beside it."""
    m = a.models
    n = a.method.sizes[DEGREE]
    line, bend = m[at + 1], m[at + 2] if n > 1 else 0.0
    least, most = bend - abs(line), bend + abs(line)
    if abs(line) < 2.0 * abs(bend):
        turn = line * line / (-4.0 * bend)
        least, most = min(least, turn), max(most, turn)
    is_even = False
    for k in range(3, n + 1):
        term = m[at + k]
        if not is_even or term > 0.0:
            most += abs(term)
        if not is_even or term < 0.0:
            least -= abs(term)
        is_even = not is_even
    m[at + LEAST], m[at + MOST] = m[at] + least - m[at + BESIDE], m[at] + most + m[at + BESIDE]


def finish(a: Arrays, at: int, least: float, most: float) -> None:
    """Find the range of an expression, which is known to lie between `least` and `most` as well.

    What is beyond all bounds is told by ranges only; where the range is narrower than what may be beside the
    polynomial there is no polynomial but the middle of the range.
    """
    m = a.models
    n = a.method.sizes[DEGREE]
    is_known = abs(m[at]) < HUGE and m[at + BESIDE] < HUGE and m[at + NOISE] < HUGE
    if is_known:
        find_range(a, at)
    if not (is_known and m[at + MOST] - m[at + LEAST] < HUGE):
        for k in range(n + 1):
            m[at + k] = 0.0
        m[at + BESIDE], m[at + LEAST], m[at + MOST], m[at + NOISE] = HUGE, -HUGE, HUGE, 0.0
    m[at + LEAST] = max(m[at + LEAST], least)
    m[at + MOST] = min(m[at + MOST], most)
    if m[at + LEAST] > m[at + MOST]:
        m[at + LEAST], m[at + MOST] = m[at + MOST], m[at + LEAST]
    half = (m[at + MOST] - m[at + LEAST]) / 2
    if half < m[at + BESIDE]:
        for k in range(1, n + 1):
            m[at + k] = 0.0
        m[at], m[at + BESIDE] = m[at + LEAST] + half, half
    if not m[at + SLOWEST] > -HUGE:
        m[at + SLOWEST] = -HUGE
    if not m[at + FASTEST] < HUGE:
        m[at + FASTEST] = HUGE


def is_bounded(a: Arrays, at: int) -> bool:
    """Whether all that is known of an expression is finite."""
    m = a.models
    return bool(
        m[at + MOST] - m[at + LEAST] < HUGE
        and abs(m[at]) + m[at + BESIDE] + m[at + NOISE] < HUGE
        and m[at + FASTEST] - m[at + SLOWEST] < HUGE
    )


def largest(a: Arrays, at: int) -> float:
    """How large an expression is at most."""
    return float(max(abs(a.models[at + LEAST]), abs(a.models[at + MOST])))


def times(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    """The range of the product of what lies in two ranges."""
    one, two, three, four = low * least, low * most, high * least, high * most
    return min(one, two, three, four), max(one, two, three, four)


# --- operations ------------------------------------------------------------------------------------------------------


def reckon_with_still(a: Arrays, code: int, at: int, one: int, still: float) -> None:
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


def stretch(a: Arrays, at: int, one: int, factor: float, shift: float) -> None:
    """A multiple of an expression and a number."""
    m = a.models
    known = min(max(shift, -FAR), FAR)
    for k in range(a.method.sizes[DEGREE] + 1):
        m[at + k] = factor * m[one + k]
    m[at] += known
    m[at + BESIDE] = abs(factor) * m[one + BESIDE]
    m[at + NOISE] = abs(factor) * m[one + NOISE] + UNIT * (abs(factor) * largest(a, one) + abs(known))
    least, most = factor * m[one + LEAST] + known, factor * m[one + MOST] + known
    slowest, fastest = factor * m[one + SLOWEST], factor * m[one + FASTEST]
    m[at + SLOWEST], m[at + FASTEST] = min(slowest, fastest), max(slowest, fastest)
    m[at + UNSURE] = m[one + UNSURE]
    # The range of the polynomial would be the same.
    m[at + LEAST], m[at + MOST] = min(least, most), max(least, most)
    if not is_bounded(a, at):
        finish(a, at, min(least, most), max(least, most))


def reckon_two(a: Arrays, code: int, at: int, one: int, other: int) -> None:
    """Two expressions."""
    if code == SUM:
        add(a, at, one, other, 1.0)
    elif code == DIFFERENCE:
        add(a, at, one, other, -1.0)
    else:
        multiply(a, at, one, other)


def add(a: Arrays, at: int, one: int, other: int, sign: float) -> None:
    """The sum of two expressions, or their difference."""
    m = a.models
    for k in range(a.method.sizes[DEGREE] + 1):
        m[at + k] = m[one + k] + sign * m[other + k]
    m[at + BESIDE] = m[one + BESIDE] + m[other + BESIDE]
    m[at + NOISE] = m[one + NOISE] + m[other + NOISE] + UNIT * (largest(a, one) + largest(a, other))
    m[at + UNSURE] = 0.0
    low, high, slow, fast = LEAST, MOST, SLOWEST, FASTEST
    if sign < 0.0:
        low, high, slow, fast = MOST, LEAST, FASTEST, SLOWEST
    m[at + SLOWEST] = m[one + SLOWEST] + sign * m[other + slow]
    m[at + FASTEST] = m[one + FASTEST] + sign * m[other + fast]
    finish(a, at, m[one + LEAST] + sign * m[other + low], m[one + MOST] + sign * m[other + high])


def multiply(a: Arrays, at: int, one: int, other: int) -> None:
    """The product of two expressions, or the square of one."""
    m = a.models
    n = a.method.sizes[DEGREE]
    size, factor = largest(a, one), largest(a, other)
    for k in range(n + 1):
        total = 0.0
        for i in range(k + 1):
            total += m[one + i] * m[other + k - i]
        m[at + k] = total
    lost = 0.0
    for k in range(n + 1, 2 * n + 1):
        total = 0.0
        for i in range(k - n, n + 1):
            total += m[one + i] * m[other + k - i]
        lost += abs(total)
    m[at + BESIDE] = lost + size * m[other + BESIDE] + factor * m[one + BESIDE]
    m[at + NOISE] = size * m[other + NOISE] + factor * m[one + NOISE] + UNIT * size * factor
    m[at + UNSURE] = 0.0
    least, most = times(m[one + LEAST], m[one + MOST], m[other + LEAST], m[other + MOST])
    if one == other:
        least = max(least, 0.0)
    slow, fast = times(m[one + LEAST], m[one + MOST], m[other + SLOWEST], m[other + FASTEST])
    slower, faster = times(m[other + LEAST], m[other + MOST], m[one + SLOWEST], m[one + FASTEST])
    m[at + SLOWEST], m[at + FASTEST] = slow + slower, fast + faster
    finish(a, at, least, most)


def imitate(a: Arrays, at: int, one: int) -> None:
    """The same expression once more."""
    for k in range(MODEL):
        a.models[at + k] = a.models[one + k]


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
        m[at + SLOWEST], m[at + FASTEST] = -fastest, fastest
        finish(a, at, 0.0, size)


def take_extreme(a: Arrays, at: int, one: int, other: int, sign: float) -> None:
    """The lesser of two expressions; the greater with sign = -1. Where it is not known which: by their difference."""
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
    m[at + UNSURE] = 0.0
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
        doubt(a, at, one)
        doubt(a, at, other)


# --- functions -------------------------------------------------------------------------------------------------------


def reckon_function(a: Arrays, code: int, at: int, one: int) -> None:
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


def centre_of(a: Arrays, one: int, low: float) -> float:
    """The point about which a function is developed: the middle of the argument's polynomial, in its range from `low`
    on.
    """
    m = a.models
    return float(min(max(m[one], low), m[one + MOST]))


def reach_of(a: Arrays, one: int, low: float, centre: float) -> float:
    """How far the argument is from there at most."""
    return float(max(centre - low, a.models[one + MOST] - centre))


def raised(base: float, exponent: int) -> float:
    """A number to a whole power, infinite where it has no room."""
    result = 1.0
    for _ in range(exponent):
        result *= base
    return result


def develop(a: Arrays, at: int, one: int, centre: float, remainder: float) -> None:
    """Put an expression into the polynomial in the rough from TAYLOR on, by Horner's rule; `remainder` is beside it."""
    m = a.models
    n = a.method.sizes[DEGREE]
    imitate(a, CHANGE, one)
    m[CHANGE] -= centre
    m[CHANGE + LEAST] -= centre
    m[CHANGE + MOST] -= centre
    m[CHANGE + NOISE] = 0.0
    here, there = ONE_SUM, OTHER_SUM
    stand_still(a, here, m[TAYLOR + n])
    size = 0.0
    for k in range(n - 1, -1, -1):
        multiply(a, there, here, CHANGE)
        m[there] += m[TAYLOR + k]
        m[there + LEAST] += m[TAYLOR + k]
        m[there + MOST] += m[TAYLOR + k]
        size = size * largest(a, CHANGE) + abs(m[TAYLOR + k])
        here, there = there, here
    imitate(a, at, here)
    m[at + BESIDE] += remainder
    m[at + NOISE] = UNIT * size


def set_range(a: Arrays, at: int, least: float, most: float) -> None:
    """All that is known of an expression is its range."""
    m = a.models
    stand_still(a, at, 0.0)
    m[at + BESIDE] = HUGE / 2
    m[at + SLOWEST], m[at + FASTEST] = -HUGE, HUGE
    finish(a, at, least, most)


def settle_function(a: Arrays, at: int, one: int, slow: float, fast: float, least: float, most: float) -> None:
    """Finish a function of an expression, whose derivative is in the range from `slow` to `fast`.

    What rounding did to the argument is no rounding any more where the function is too steep.
    """
    m = a.models
    size = max(abs(least), abs(most))
    if m[at + NOISE] > TELLING * size:
        # A polynomial whose terms are that large says nothing of the function, whose values are not.
        m[at + BESIDE] += m[at + NOISE]
        m[at + NOISE] = UNIT * size
    noise = max(abs(slow), abs(fast)) * m[one + NOISE]
    if noise > TELLING * size:
        m[at + BESIDE] += noise
        least, most = least - noise, most + noise
    else:
        m[at + NOISE] += noise
    slowest, fastest = times(slow, fast, m[one + SLOWEST], m[one + FASTEST])
    m[at + SLOWEST], m[at + FASTEST] = slowest, fastest
    finish(a, at, least, most)


def exponentiate(a: Arrays, at: int, one: int) -> None:
    """The exponential function."""
    m = a.models
    n = a.method.sizes[DEGREE]
    low, high = m[one + LEAST], m[one + MOST]
    if high > LARGEST_POWER:
        set_range(a, at, 0.0, HUGE)
        m[at + UNSURE] = 1.0
        return
    centre, least, most = centre_of(a, one, low), exp(max(low, -LARGEST_POWER)), exp(high)
    least = least if low > -LARGEST_POWER else 0.0
    term, last = exp(max(centre, -LARGEST_POWER)), most
    for k in range(n + 1):
        m[TAYLOR + k] = term
        term /= k + 1
        last /= k + 1
    develop(a, at, one, centre, last * raised(reach_of(a, one, low, centre), n + 1))
    settle_function(a, at, one, least, most, least, most)


def take_logarithm(a: Arrays, at: int, one: int) -> None:
    """The natural logarithm; boundless where its argument may be zero."""
    m = a.models
    n = a.method.sizes[DEGREE]
    low, high = m[one + LEAST], m[one + MOST]
    if not low > 1.0 / FAR:
        set_range(a, at, -HUGE, log(high) if high > 1.0 / FAR else HUGE)
        m[at + UNSURE] = 1.0
        return
    centre = centre_of(a, one, low)
    reach, power = reach_of(a, one, low, centre), 1.0
    least, most = log(low), log(high)
    m[TAYLOR] = log(centre)
    for k in range(1, n + 1):
        power /= -centre
        m[TAYLOR + k] = -power / k
    if reach < low:
        develop(a, at, one, centre, raised(reach / low, n + 1) / (n + 1))
    else:
        set_range(a, at, least, most)
    settle_function(a, at, one, 1.0 / high, 1.0 / low, least, most)


def oscillate(a: Arrays, at: int, one: int, is_cosine: bool) -> None:
    """The sine, or the cosine."""
    m = a.models
    n = a.method.sizes[DEGREE]
    centre = centre_of(a, one, m[one + LEAST])
    reach, share = reach_of(a, one, m[one + LEAST], centre), 1.0
    value, slope = sin(centre), cos(centre)
    if is_cosine:
        value, slope = slope, -value
    middle = slope
    for k in range(n + 1):
        m[TAYLOR + k] = share * value
        value, slope = slope, -value
        share /= k + 1
    slow, fast = max(middle - reach, -1.0), min(middle + reach, 1.0)
    develop(a, at, one, centre, share * raised(reach, n + 1))
    settle_function(a, at, one, slow, fast, -1.0, 1.0)


def take_arctangent(a: Arrays, at: int, one: int) -> None:
    """The arc tangent. Its derivatives are sines of multiples of the angle whose cotangent is the argument."""
    m = a.models
    n = a.method.sizes[DEGREE]
    low, high = m[one + LEAST], m[one + MOST]
    centre = centre_of(a, one, low)
    angle, square = pi / 2 - atan(centre), 1.0 + centre * centre
    power, turn, sign, least = 1.0, 0.0, 1.0, atan(low)
    m[TAYLOR] = atan(centre)
    for k in range(1, n + 1):
        power /= square**0.5
        turn += angle
        m[TAYLOR + k] = sign * power * sin(turn) / k
        sign = -sign
    nearest = max(low, -high, 0.0)
    reach, farthest = reach_of(a, one, low, centre), max(abs(low), abs(high))
    develop(a, at, one, centre, raised(reach / (1.0 + nearest * nearest) ** 0.5, n + 1) / (n + 1))
    slow, fast = 1.0 / (1.0 + farthest * farthest), 1.0 / (1.0 + nearest * nearest)
    settle_function(a, at, one, slow, fast, least, atan(high))


def invert(a: Arrays, at: int, one: int) -> None:
    """One by an expression; boundless where that may be zero."""
    if a.models[one + MOST] < 0.0:
        stretch(a, APART, one, -1.0, 0.0)
        raise_to(a, WIDTH_APART, APART, -1.0)
        stretch(a, at, WIDTH_APART, -1.0, 0.0)
    else:
        raise_to(a, at, one, -1.0)


def raise_to(a: Arrays, at: int, one: int, exponent: float) -> None:
    """A power of an expression that is not negative; boundless where it may be, but for whole powers up to two."""
    m = a.models
    n = a.method.sizes[DEGREE]
    low, high = m[one + LEAST], m[one + MOST]
    if -m[one + NOISE] <= low < 0.0 < exponent:
        low = 0.0
    if exponent == 1.0:
        imitate(a, at, one)
        return
    if exponent == 2.0:
        multiply(a, at, one, one)
        return
    is_known = low >= 0.0 and (low > 0.0 or exponent > 0.0) and has_power(high, exponent) and has_power(low, exponent)
    if not is_known:
        set_range(a, at, -HUGE, HUGE)
        m[at + UNSURE] = 1.0
        return
    at_low, at_high = low**exponent, high**exponent
    slow, fast = steepness(low, at_low, exponent), steepness(high, at_high, exponent)
    centre = centre_of(a, one, low)
    reach = reach_of(a, one, low, centre)
    if reach < low:
        term, last = centre**exponent, 1.0
        for k in range(n + 1):
            m[TAYLOR + k] = term
            term *= (exponent - k) / ((k + 1) * centre)
            last *= abs(exponent - k) / (k + 1)
        beyond = raised(reach / low, n + 1) * at_low
        if exponent > n + 1:
            beyond = raised(reach / high, n + 1) * at_high
        develop(a, at, one, centre, last * beyond)
    else:
        set_range(a, at, min(at_low, at_high), max(at_low, at_high))
    if exponent == 0.5 and low <= m[one + NOISE]:
        # There the root is as steep as can be, and what rounding did to the argument has a root, too.
        noise = m[one + NOISE] ** 0.5
        m[at + NOISE] += noise
        m[at + SLOWEST], m[at + FASTEST] = -HUGE, HUGE
        finish(a, at, 0.0, at_high)
        return
    settle_function(a, at, one, min(slow, fast), max(slow, fast), min(at_low, at_high), max(at_low, at_high))


def has_power(base: float, exponent: float) -> bool:
    """Whether there is a float for a power of a number that is not negative."""
    if base == 0.0:
        return exponent > 0.0
    return abs(exponent * log(base)) < LARGEST_POWER if 0.0 < base < HUGE else False


def steepness(base: float, power: float, exponent: float) -> float:
    """The derivative of a power."""
    if base == 0.0:
        return HUGE if exponent < 1.0 else 0.0
    return exponent * (power / base)
