"""Proofs that a condition stays false within a part of a step: the signs of its comparisons by their Bernstein bounds.

A comparison of sums of states and time is, on the interpolant, a polynomial in the fraction of the step. Its values at
the samples give its Bernstein coefficients, and on any part of the step it lies between the least and the greatest of
those that belong to that part; where these change their sign once, it does, too.

Plain functions over arrays, which are also translated to native code.
Source: Farouki, The Bernstein polynomial basis: a centennial retrospective, CAGD 29 (2012).
"""

from __future__ import annotations

from math import nan
from typing import Final

from eventide.continuous.stepper import HUGE
from eventide.continuous.tables import (
    AND,
    CERTIFICATE,
    DEGREE,
    LEAF,
    POINTS,
    SAMPLE,
    SCRATCH,
    Arrays,
)

NEVER: Final = -1
"""False everywhere."""
PERHAPS: Final = 0
ALWAYS: Final = 1
RISES: Final = 2
"""False at first, true from one point on."""
MARGIN: Final = 1e-13
"""What rounding may have done to coefficients, as a share of the largest."""


def keep_sample(a: Arrays, c: int, k: int) -> None:
    """Keep what the last test gave for each comparison, as sample `k` of the step."""
    place = a.conditions[c, CERTIFICATE]
    if place >= 0:
        for leaf in range(a.lists[place]):
            a.condition_floats[c, SAMPLE + leaf * POINTS + k] = a.condition_floats[c, LEAF + leaf]


def begin_samples(a: Arrays, c: int) -> None:
    """The last sample of the step before is the first of this one."""
    place, last = a.conditions[c, CERTIFICATE], a.method.sizes[DEGREE]
    if place >= 0:
        for leaf in range(a.lists[place]):
            at = SAMPLE + leaf * POINTS
            a.condition_floats[c, at] = a.condition_floats[c, at + last]


def find_coefficients(a: Arrays, c: int) -> None:
    """Turn the samples of each comparison into Bernstein coefficients, of which the last is the last sample.

    Behind them goes what rounding may have done to them; 0 if all are 0, NaN if one is not finite.
    """
    count, last = a.lists[a.conditions[c, CERTIFICATE]], a.method.sizes[DEGREE]
    for leaf in range(count):
        at = SAMPLE + leaf * POINTS
        for i in range(last + 1):
            total = 0.0
            for j in range(last + 1):
                total += a.method.bernstein[i, j] * a.condition_floats[c, at + j]
            a.condition_floats[c, SCRATCH + i] = total
        largest = 0.0
        for i in range(last + 1):
            coefficient = a.condition_floats[c, SCRATCH + i]
            a.condition_floats[c, at + i] = coefficient
            largest = max(largest, abs(coefficient)) if coefficient == coefficient else HUGE
        a.condition_floats[c, at + POINTS - 1] = MARGIN * largest if largest < HUGE else nan


def sign_within(a: Arrays, c: int, low: float, high: float) -> int:
    """What a condition is from the fraction `low` of the step to `high`: NEVER, ALWAYS, RISES, or PERHAPS any of it."""
    place = a.conditions[c, CERTIFICATE]
    count = a.lists[place]
    length, top = a.lists[place + 1 + count], SCRATCH + POINTS
    for k in range(length):
        word = a.lists[place + 2 + count + k]
        if word >= 0:
            sign = PERHAPS
            if a.lists[place + 1 + word] == 1:
                sign = sign_of_comparison(a, c, SAMPLE + word * POINTS, low, high)
            a.condition_floats[c, top] = sign
            top += 1
        else:
            top -= 1
            one, other = int(a.condition_floats[c, top - 1]), int(a.condition_floats[c, top])
            a.condition_floats[c, top - 1] = (
                joined(one, other) if word == AND else opposite(joined(opposite(one), opposite(other)))
            )
    return int(a.condition_floats[c, top - 1])


def joined(one: int, other: int) -> int:
    """What "and" makes of two signs."""
    if one == NEVER or other == NEVER:  # noqa: PLR1714  # `in` has no translation
        return NEVER
    if one == ALWAYS:
        return other
    return one if other == ALWAYS else PERHAPS


def opposite(sign: int) -> int:
    """The sign of the opposite for `joined`: NEVER and ALWAYS change places; what rises stands for itself."""
    return -sign if sign != RISES else RISES


def sign_of_comparison(a: Arrays, c: int, at: int, low: float, high: float) -> int:
    """As `sign_within`, of one comparison whose coefficients begin at column `at`.

    What begins on its level, but for rounding, and falls is NEVER: so begins each step after an event at that level.
    """
    last = a.method.sizes[DEGREE]
    margin = a.condition_floats[c, at + POINTS - 1]
    if not margin > 0.0:
        return NEVER if margin == 0.0 else PERHAPS
    restrict(a, c, at, low, high)
    least = most = a.condition_floats[c, SCRATCH]
    for i in range(1, last + 1):
        coefficient = a.condition_floats[c, SCRATCH + i]
        least, most = min(least, coefficient), max(most, coefficient)
    if most <= margin:
        return NEVER
    if least > margin:
        return ALWAYS
    return RISES if rises_once(a, c, margin) else PERHAPS


def rises_once(a: Arrays, c: int, margin: float) -> bool:
    """Whether the coefficients in the scratch columns are negative first and positive then, none of them near zero."""
    is_above = False
    for i in range(a.method.sizes[DEGREE] + 1):
        coefficient = a.condition_floats[c, SCRATCH + i]
        if coefficient > margin:
            is_above = True
        elif is_above or not coefficient < -margin:
            return False
    return is_above and a.condition_floats[c, SCRATCH] < 0.0


def restrict(a: Arrays, c: int, at: int, low: float, high: float) -> None:
    """Leave in the scratch columns the coefficients for a part of the step. Source: de Casteljau's algorithm."""
    last = a.method.sizes[DEGREE]
    for i in range(last + 1):
        a.condition_floats[c, SCRATCH + i] = a.condition_floats[c, at + i]
    if high < 1.0:
        for r in range(1, last + 1):
            for i in range(last, r - 1, -1):
                before = a.condition_floats[c, SCRATCH + i - 1]
                a.condition_floats[c, SCRATCH + i] = before + high * (a.condition_floats[c, SCRATCH + i] - before)
    if low > 0.0:
        share = low / high
        for r in range(1, last + 1):
            for i in range(last + 1 - r):
                here = a.condition_floats[c, SCRATCH + i]
                a.condition_floats[c, SCRATCH + i] = here + share * (a.condition_floats[c, SCRATCH + i + 1] - here)
