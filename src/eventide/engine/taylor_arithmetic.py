"""Arithmetic of Taylor models: sums, products, ranges and rounding bounds of enclosures.

Plain functions over records, which are also translated to native code. See `taylor_models.py`.
"""

from __future__ import annotations

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
    SLOWEST,
    UNSURE,
)
from eventide.engine.stepper import HUGE

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

UNIT: Final = 2.0**-49
"""The largest relative rounding error of one operation, times eight, because several of them are bounded at once."""
FAR: Final = 1e299
"""What is farther away is as far as this."""
ROUNDS: Final = 1.5 * 2.0**52
"""Added and taken away again it leaves the nearest whole number, the even one of two."""
LARGEST_FACTOR: Final = 2.0**26


def stand_still(a: Arrays, at: int, value: float) -> None:
    """A number that does not move."""
    m = a.models
    for k in range(MODEL):
        m[at + k] = 0.0
    m[at] = m[at + LEAST] = m[at + MOST] = min(max(value, -FAR), FAR)
    if value != value:
        finish(a, at, -HUGE, HUGE)


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
    """The range of the polynomial, exactly but for the powers from the third on, and of its error bound."""
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

    What is unbounded is described by its range only; where the range is narrower than the error bound of the
    polynomial, the polynomial is replaced by the middle of the range.
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


def is_whole(value: float) -> bool:
    """Whether a number is a whole one so small that products of two are exact."""
    return abs(value) < LARGEST_FACTOR and (value + ROUNDS) - ROUNDS == value


def is_sum(one: float, other: float) -> bool:
    """Whether the sum of two numbers is exact."""
    total = one + other
    return total - one == other and total - other == one


def times(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    """The range of the product of what lies in two ranges."""
    one, two, three, four = low * least, low * most, high * least, high * most
    return min(one, two, three, four), max(one, two, three, four)


def stretch(a: Arrays, at: int, one: int, factor: float, shift: float) -> None:
    """A multiple of an expression and a number."""
    m = a.models
    known = min(max(shift, -FAR), FAR)
    is_exact = False
    if m[one + NOISE] == 0.0 and m[one + LEAST] == m[one + MOST]:
        is_exact = abs(factor) == 1.0 or (is_whole(factor) and is_whole(m[one]))
        is_exact = is_exact and is_sum(factor * m[one], known)
    for k in range(a.method.sizes[DEGREE] + 1):
        m[at + k] = factor * m[one + k]
    m[at] += known
    m[at + BESIDE] = abs(factor) * m[one + BESIDE]
    m[at + NOISE] = abs(factor) * m[one + NOISE] + UNIT * (abs(factor) * largest(a, one) + abs(known))
    least, most = factor * m[one + LEAST] + known, factor * m[one + MOST] + known
    slowest, fastest = factor * m[one + SLOWEST], factor * m[one + FASTEST]
    m[at + SLOWEST], m[at + FASTEST] = min(slowest, fastest), max(slowest, fastest)
    m[at + UNSURE], m[at + FLAT] = m[one + UNSURE], m[one + FLAT]
    if is_exact:
        m[at + NOISE] = 0.0
    # The range of the polynomial would be the same.
    m[at + LEAST], m[at + MOST] = min(least, most), max(least, most)
    if not is_bounded(a, at):
        finish(a, at, min(least, most), max(least, most))


def add(a: Arrays, at: int, one: int, other: int, sign: float) -> None:
    """The sum of two expressions, or their difference."""
    m = a.models
    is_exact = False
    if m[one + NOISE] == m[other + NOISE] == 0.0:
        is_exact = m[one + LEAST] == m[one + MOST] and m[other + LEAST] == m[other + MOST]
        is_exact = is_exact and is_sum(m[one], sign * m[other])
    for k in range(a.method.sizes[DEGREE] + 1):
        m[at + k] = m[one + k] + sign * m[other + k]
    m[at + BESIDE] = m[one + BESIDE] + m[other + BESIDE]
    m[at + NOISE] = m[one + NOISE] + m[other + NOISE] + UNIT * (largest(a, one) + largest(a, other))
    if is_exact:
        m[at + NOISE] = 0.0
    m[at + UNSURE] = m[at + FLAT] = 0.0
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
    m[at + UNSURE] = m[at + FLAT] = 0.0
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


def set_range(a: Arrays, at: int, least: float, most: float) -> None:
    """All that is known of an expression is its range."""
    m = a.models
    stand_still(a, at, 0.0)
    m[at + BESIDE] = HUGE / 2
    m[at + SLOWEST], m[at + FASTEST] = -HUGE, HUGE
    finish(a, at, least, most)
