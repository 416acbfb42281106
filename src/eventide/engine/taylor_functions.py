"""Taylor models of elementary functions: exponential, logarithm, sine, cosine, arc tangent, powers.

Plain functions over records, which are also translated to native code. See `taylor_models.py`.
"""

from __future__ import annotations

from math import atan, cos, exp, log, pi, sin
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    BESIDE,
    DEGREE,
    FASTEST,
    FLAT,
    LEAST,
    MODEL,
    MOST,
    NOISE,
    ROUGH,
    SLOWEST,
    UNSURE,
)
from eventide.engine.stepper import HUGE

if TYPE_CHECKING:
    from eventide.engine.records import Arrays
from eventide.engine.taylor_arithmetic import (
    FAR,
    ROUNDS,
    UNIT,
    finish,
    imitate,
    is_whole,
    largest,
    multiply,
    set_range,
    stand_still,
    stretch,
    times,
)

TELLING: Final = 1e-8
"""A larger relative error of a function's value is no longer treated as rounding."""
LARGEST_POWER: Final = 600.0
"""Powers of e from minus this to this are numbers, and so are their products with others of common size."""
TAYLOR: Final = ROUGH
"""The place of the coefficients of a function's Taylor polynomial."""
CHANGE: Final = ROUGH + MODEL
"""How far the argument is from the point about which the function is developed."""
ONE_SUM: Final = ROUGH + 2 * MODEL
OTHER_SUM: Final = ROUGH + 3 * MODEL
LARGEST_WHOLE: Final = 2.0**50
"""Beyond this nothing is known of whole numbers."""
APART: Final = ROUGH + 4 * MODEL
WIDTH_APART: Final = ROUGH + 5 * MODEL


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
    """Substitute an expression into the polynomial in scratch room from TAYLOR on, by Horner's rule."""
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


def settle_function(a: Arrays, at: int, one: int, slow: float, fast: float, least: float, most: float) -> None:
    """Finish a function of an expression, whose derivative is in the range from `slow` to `fast`.

    Where the function is too steep, the rounding error of the argument is no longer treated as rounding.
    """
    m = a.models
    size = max(abs(least), abs(most))
    if m[at + NOISE] > TELLING * size:
        # A polynomial with terms that large says nothing about the function, whose values are small.
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


# --- whole numbers ---------------------------------------------------------------------------------------------------


def whole_below(value: float) -> float:
    """The greatest whole number that is not above a number smaller than LARGEST_WHOLE."""
    nearest = (value + ROUNDS) - ROUNDS
    return nearest - 1.0 if nearest > value else nearest


def take_whole(a: Arrays, at: int, one: int, other: int) -> None:
    """The greatest whole number not above a quotient: what it is, rounding included, or between which it jumps."""
    m = a.models
    divisor, last = m[other + LEAST] - m[other + NOISE], m[other + MOST] + m[other + NOISE]
    if not (divisor > 0.0 or last < 0.0):
        set_range(a, at, -HUGE, HUGE)
        m[at + UNSURE] = 1.0
        return
    low, high = times(m[one + LEAST] - m[one + NOISE], m[one + MOST] + m[one + NOISE], 1.0 / divisor, 1.0 / last)
    if low == high and divisor == last and is_whole(m[one]) and is_whole(divisor):
        low = whole_below(low)
        rest = m[one] - low * divisor
        if rest / divisor < 0.0:
            low -= 1.0
        elif rest / divisor >= 1.0:
            low += 1.0
        stand_still(a, at, low)
    else:
        room = 0.0 if divisor == last == 1.0 else UNIT
        leap(a, at, low - room * abs(low), high + room * abs(high), 0.0)


def take_nearest(a: Arrays, at: int, one: int) -> None:
    """The whole number nearest to an expression."""
    m = a.models
    leap(a, at, m[one + LEAST] - m[one + NOISE], m[one + MOST] + m[one + NOISE], 0.5)


def leap(a: Arrays, at: int, low: float, high: float, share: float) -> None:
    """A whole number: the one below what lies between `low` and `high`; the nearest, with a share of a half."""
    m = a.models
    if not (low > -LARGEST_WHOLE and high < LARGEST_WHOLE):
        set_range(a, at, -HUGE, HUGE)
        m[at + FLAT] = 1.0
        return
    if share > 0.0:
        low, high = (low + ROUNDS) - ROUNDS, (high + ROUNDS) - ROUNDS
    else:
        low, high = whole_below(low), whole_below(high)
    if low == high:
        stand_still(a, at, low)
        return
    set_range(a, at, low, high)
    m[at + FLAT] = 1.0
