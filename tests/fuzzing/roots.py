"""Roots of differences between samples of scipy's interpolant; those that are too close to call raise Skip."""

from __future__ import annotations

import math
from collections.abc import Callable

from fuzzing.exceptions import Skip
from scipy.optimize import brentq


def first_root(*, known: bool, times: list[float], values: list[float], gap: Callable[[float], float]) -> float | None:
    """The first root of a difference of which samples are given, and whose sign is known at the first of them."""
    for k in range(1, len(times)):
        if (values[k] > 0.0) != known and k < len(times) - 1:
            if abs(values[k]) < 1e-13:
                continue
            low, high = times[k - 1], times[k]
            if (values[k - 1] > 0.0) != known or abs(values[k - 1]) <= 1e-12:
                if k > 1:
                    raise Skip("a comparison touches its level")
                return low
            return brentq(gap, low, high, xtol=1e-14, rtol=1e-15)
        if k == 1 and abs(values[0]) <= 1e-12:
            _check_start(known, times[0], times[1], gap)
        if k > 1:
            peak = _peak(known, times[k - 2 : k + 1], values[k - 2 : k + 1], gap)
            if peak is not None:
                return peak
    return None


def _check_start(known: bool, low: float, high: float, gap: Callable[[float], float]) -> None:
    """Raise Skip if a difference that begins at 0 has the other sign for a while before the first sample."""
    inside = [gap(low + (high - low) / 2.0**k) for k in range(1, 12)]
    if any((value > 0.0) != known and abs(value) > 1e-12 for value in inside):
        raise Skip("a comparison touches its level")


def _peak(known: bool, times: list[float], values: list[float], gap: Callable[[float], float]) -> float | None:
    """The root before an extremum between three samples that nearly reaches the level, or goes beyond it."""
    sign = 1.0 if known else -1.0
    a, b, c = (sign * v for v in values)
    if not (b <= a and b <= c and min(a, c) > 0.0) or max(a, c) < 1e-13:
        return None
    if b > 0.5 * (a + c - 2.0 * b) + 1e-5:
        return None
    low, high = times[0], times[2]
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    for _ in range(45):
        one, other = high - ratio * (high - low), low + ratio * (high - low)
        if sign * gap(one) < sign * gap(other):
            high = other
        else:
            low = one
    middle = 0.5 * (low + high)
    depth = sign * gap(middle)
    if abs(depth) < 1e-5:
        raise Skip("a comparison touches its level")
    if depth > 0.0:
        return None
    return brentq(gap, times[0], middle, xtol=1e-14, rtol=1e-15)
