"""Signs of conditions over a part of a step, by proof: never true, always true, rises once, falls once, or unknown.

Each comparison is an expression that is positive where it holds and negative where it does not. Over a part of the
step it is a polynomial with an error bound (`taylor_models.py`), so it lies between the least and the greatest
Bernstein coefficient. If these change sign once, or the slope has one sign, it becomes true exactly once; where is the
root of its polynomial, approximately, by Laguerre's method. `and` and `or` combine the signs of their operands.

A comparison that is zero within rounding at the start of a part, and negative after it, counts as false: an event does
not cross its own level again. Every step after an event begins so, and halving would spend all parts on rounding.

Plain functions over records, which are also translated to native code.
Source: Farouki, The Bernstein polynomial basis: a centennial retrospective, CAGD 29 (2012).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    AND,
    BESIDE,
    CROSSING,
    DEGREE,
    EXPRESSION,
    FASTEST,
    FLAT,
    JOINTS,
    LEAST,
    MODEL,
    MOST,
    NOISE,
    ROUGH,
    SIGNS,
    SLOWEST,
    UNSURE,
    WEAK,
)
from eventide.engine.probing import test_inside
from eventide.engine.root_search import SPACING
from eventide.engine.taylor_models import enclose

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

NEVER: Final = -1
"""False everywhere."""
PERHAPS: Final = 0
ALWAYS: Final = 1
RISES: Final = 2
"""False at first, true from one point on."""
FALLS: Final = 3
"""True at first, false from one point on."""
CORRECTIONS: Final = 12
"""How often the root of a polynomial is corrected at most."""
CLOSE: Final = 2.0**-17
"""A smaller correction is the last: what is left after it is as its cube."""


def sign_within(a: Arrays, c: int, f: int, low: float, high: float) -> int:
    """The sign of a condition from the fraction `low` of the step to `high`: NEVER, ALWAYS, RISES, FALLS; PERHAPS if
    unknown.

    CROSSING is approximately where one that rises or falls changes.
    """
    enclose(a, c, f, low, high)
    place = a.guard.certificate[c]
    words, top = place + 2 + EXPRESSION * a.lists[place], SIGNS
    for k in range(a.lists[place + 1]):
        word = a.lists[words + k]
        if word >= 0:
            at = (word - WEAK if word >= WEAK else word) * MODEL
            sign = sign_of(a, at, word >= WEAK)
            a.models[top] = sign
            if sign >= RISES:
                a.models[top + JOINTS] = crossing(a, at, 1.0 if sign == RISES else -1.0)
            top += 1
        else:
            top -= 1
            join(a, top - 1, word)
    return int(a.models[top - 1])


def sign_over(a: Arrays, c: int, f: int, low: float, high: float) -> int:
    """The same; where a single comparison rests on its level but for rounding, all of the part is as its middle."""
    sign = sign_within(a, c, f, low, high)
    place = a.guard.certificate[c]
    if sign != PERHAPS or a.lists[place + 1] > 1:
        return sign
    word = a.lists[place + 2 + EXPRESSION * a.lists[place]]
    at = (word - WEAK if word >= WEAK else word) * MODEL
    m = a.models
    if m[at + UNSURE] != 0.0 or m[at + FLAT] != 0.0 or not m[at + SLOWEST] == m[at + FASTEST] == m[at + BESIDE] == 0.0:
        return PERHAPS
    return ALWAYS if test_inside(a, c, f, a.flow.step[f] * (low + (high - low) / 2)) else NEVER


def join(a: Arrays, at: int, word: int) -> None:
    """Join the two topmost signs."""
    m = a.models
    one, other = int(m[at]), int(m[at + 1])
    sign = joined(one, other) if word == AND else opposite(joined(opposite(one), opposite(other)))
    crossed = m[at + JOINTS] if sign == one else m[at + 1 + JOINTS]
    if sign == one == other:
        is_later = (sign == RISES) == (word == AND)
        sooner, later = min(crossed, m[at + 1 + JOINTS]), max(crossed, m[at + 1 + JOINTS])
        crossed = later if is_later else sooner
    m[at], m[at + JOINTS] = sign, crossed


def joined(one: int, other: int) -> int:
    """What "and" makes of two signs. Of two that rise the later counts, or the sooner: it rises as well."""
    if NEVER in (one, other):
        return NEVER
    if one in (ALWAYS, other):
        return other
    return one if other == ALWAYS else PERHAPS


def opposite(sign: int) -> int:
    """The sign of the opposite for `joined`: NEVER and ALWAYS change places; RISES and FALLS stay."""
    return -sign if sign < RISES else sign


def sign_of(a: Arrays, at: int, is_weak: bool) -> int:
    """As `sign_within`, of one expression that has been enclosed.

    is_weak     whether the comparison holds at zero, too

    What begins on its level, but for rounding, and falls is NEVER: so begins each step after an event at that level.
    What may rest on its level is NEVER only where that is known exactly.
    """
    m = a.models
    noise = m[at + NOISE]
    if m[at + UNSURE] != 0.0:
        return PERHAPS
    if m[at + FLAT] != 0.0 or m[at + SLOWEST] == m[at + FASTEST] == 0.0:
        return sign_of_flat(a, at, is_weak)
    if m[at + MOST] <= noise:
        return NEVER
    if m[at + LEAST] > noise:
        return ALWAYS
    margin = noise + m[at + BESIDE]
    if m[at + SLOWEST] > 0.0 and is_crossed(a, at, margin, 1.0):
        return RISES
    if m[at + FASTEST] < 0.0 and is_crossed(a, at, margin, -1.0):
        return FALLS
    find_coefficients(a, at)
    last = a.method.sizes[DEGREE]
    least = most = m[ROUGH]
    for i in range(1, last + 1):
        least, most = min(least, m[ROUGH + i]), max(most, m[ROUGH + i])
    if most + m[at + BESIDE] <= noise:
        return NEVER
    if least > margin:
        return ALWAYS
    return RISES if rises_once(a, at) else PERHAPS


def sign_of_flat(a: Arrays, at: int, is_weak: bool) -> int:
    """The same of what may rest on its level, so that it matters whether the comparison holds there."""
    m = a.models
    noise, margin = m[at + NOISE], m[at + NOISE] + m[at + BESIDE]
    if m[at + MOST] < -noise or (m[at + MOST] == noise == 0.0 and not is_weak):
        return NEVER
    if m[at + LEAST] > noise or (m[at + LEAST] == noise == 0.0 and is_weak):
        return ALWAYS
    if m[at + SLOWEST] > 0.0 and is_crossed(a, at, margin, 1.0):
        return RISES
    return FALLS if m[at + FASTEST] < 0.0 and is_crossed(a, at, margin, -1.0) else PERHAPS


def is_crossed(a: Arrays, at: int, margin: float, direction: float) -> bool:
    """Whether an expression is below zero at the start of the part, and above at its end; the other way with -1."""
    m = a.models
    first = last = m[at]
    sign = -1.0
    for k in range(1, a.method.sizes[DEGREE] + 1):
        first += sign * m[at + k]
        last += m[at + k]
        sign = -sign
    return bool(direction * first < -margin and direction * last > margin)


def crossing(a: Arrays, at: int, direction: float) -> float:
    """About where in the part the polynomial of an expression that rises is zero; that falls, with -1 for a direction.

    Source: Laguerre's method, as for a polynomial of degree 2, within a bracket.
    """
    m = a.models
    low, high, point = -1.0, 1.0, 1.0
    if direction * m[at + SLOWEST] > 0.0 and direction * (m[at + LEAST] + m[at + MOST]) > 0.0:
        point = -1.0
    for _ in range(CORRECTIONS):
        value = slope = bend = 0.0
        for k in range(a.method.sizes[DEGREE], -1, -1):
            bend = bend * point + slope
            slope = slope * point + value
            value = value * point + m[at + k]
        value, slope, bend = direction * value, direction * slope, direction * bend
        if value < 0.0:
            low = point
        else:
            high = point
        square = slope * slope - 4.0 * (value * bend)
        better = low + (high - low) / 2
        if square >= 0.0:
            steepness = slope + sqrt(square)
            if steepness > 0.0 and low <= point - 2.0 * (value / steepness) <= high:
                better = point - 2.0 * (value / steepness)
        change, point = abs(better - point), better
        if change < CLOSE:
            break
    return point


def find_coefficients(a: Arrays, at: int) -> None:
    """Leave in the rough the Bernstein coefficients of an expression's polynomial."""
    m = a.models
    last = a.method.sizes[DEGREE]
    for i in range(last + 1):
        total = 0.0
        for k in range(last + 1):
            total += a.method.bernstein[i, k] * m[at + k]
        m[ROUGH + i] = total


def rises_once(a: Arrays, at: int) -> bool:
    """Whether the coefficients in scratch room are negative first and positive then, near zero only before or between.

    This proves nothing for an expression that may be far from its polynomial.
    """
    m = a.models
    noise = m[at + NOISE]
    is_below = is_past = is_above = False
    for i in range(a.method.sizes[DEGREE] + 1):
        coefficient = m[ROUGH + i]
        if coefficient > noise:
            is_above = True
        elif is_above:
            return False
        elif coefficient < -noise:
            if is_past:
                return False
            is_below = True
        elif is_below:
            is_past = True
    return is_below and is_above and m[at + BESIDE] <= noise


def crossed(a: Arrays, low: float, high: float) -> float:
    """Roughly the fraction of the step at which a condition changes between two others, once `sign_within` says so."""
    return float(low + (high - low) * ((1.0 + a.models[CROSSING]) / 2))


def beyond(a: Arrays, f: int, low: float, high: float) -> float:
    """A fraction of the step soon after a condition has become false, and well before it has got to `high`."""
    point, spacing = crossed(a, low, high), SPACING * abs(a.flow.end[f])
    return float(point + min(max(point - low, spacing / a.flow.step[f]), (high - point) / 2))
