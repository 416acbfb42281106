"""Adaptive quadrature: the integral of a function over an interval, and its least and greatest value there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import copysign, inf, nan, prod, sqrt, ulp
from typing import Final, NamedTuple, TypeAlias

Function: TypeAlias = Callable[[float], float]
Values: TypeAlias = Callable[[Sequence[float]], Iterable[float]]
"""The function at several times at once."""

_INNER: Final = (-sqrt(2 / 3), -1 / sqrt(5), 0.0, 1 / sqrt(5), sqrt(2 / 3))
NODES: Final = (-1.0, *_INNER, 1.0)
"""The points of the rule in [-1, 1]. Source: Gander & Gautschi, Adaptive quadrature, BIT 40 (2000), eq. 3.7."""
_KRONROD: Final = (11 / 210, 72 / 245, 125 / 294, 16 / 35, 125 / 294, 72 / 245, 11 / 210)
"""Weights of degree 9."""
_LOBATTO: Final = (1 / 6, 0.0, 5 / 6, 0.0, 5 / 6, 0.0, 1 / 6)
"""Weights of degree 5, which need every second point only."""
_LAST: Final = len(NODES) - 1
GOLDEN: Final = 0.5 * (3.0 - sqrt(5.0))
FINEST: Final = 1e-9
"""How closely a peak is located, in lengths of the stretch in which it is looked for."""
MOST_PIECES: Final = 64
"""An interval is not cut into more pieces: noise of rounding has no end."""


class Piece(NamedTuple):
    """A part of an interval with the function's values at its points.

    integral    of degree 9; size: that of the absolute value; error: how far a rule of degree 5 is off
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    integral: float
    size: float
    error: float


def _piece(values_at: Values, start: float, end: float, first: float, last: float) -> Piece:
    """A piece whose values at both ends are known."""
    half = 0.5 * (end - start)
    inner = [min(max(start + half * (1.0 + node), start), end) for node in _INNER]
    values = (first, *values_at(inner), last)
    integral = _weigh(_KRONROD, values, half)
    same_sign = min(values) >= 0.0 or max(values) <= 0.0
    size = abs(integral) if same_sign else _weigh(_KRONROD, tuple(map(abs, values)), half)
    return Piece((start, *inner, end), values, integral, size, abs(integral - _weigh(_LOBATTO, values, half)))


def _weigh(weights: tuple[float, ...], values: tuple[float, ...], half: float) -> float:
    """The integral by a rule; exact for constants."""
    first, a, b, c, d, e, last = values
    _, p, q, r, s, t, u = weights
    inner = p * (a - first) + q * (b - first) + r * (c - first) + s * (d - first) + t * (e - first)
    return half * (2.0 * first + (inner + u * (last - first)))


class Peak(NamedTuple):
    """A value and its time; the first of equal ones. At first there is none."""

    value: float = -inf
    time: float = nan


def pieces_of(
    function: Function,
    start: float,
    end: float,
    first: float,
    last: float,
    *,
    relative: float,
    absolute: float,
    values_at: Values | None = None,
) -> list[Piece]:
    """An interval in pieces, in order; one of them where the function is smooth there.

    first, last     the function's values at the ends of the interval
    relative        the errors of all pieces together are at most this fraction of the integral of the absolute value,
    absolute        plus this amount in unit time; unless that would take more than 64 pieces
    values_at       a function for its values at several times at once; None: one by one
    """
    values_at = values_at or partial(map, function)
    pieces = [_piece(values_at, start, end, first, last)]
    size = pieces[0].size
    while sum(piece.error for piece in pieces) > relative * size + absolute * (end - start):
        worst = max(range(len(pieces)), key=lambda k: pieces[k].error)
        piece = pieces[worst]
        middle = piece.times[3]
        if len(pieces) == MOST_PIECES or not piece.times[0] < middle < piece.times[-1]:
            break
        value = piece.values[3]
        pieces[worst : worst + 1] = [
            _piece(values_at, piece.times[0], middle, piece.values[0], value),
            _piece(values_at, middle, piece.times[-1], value, piece.values[-1]),
        ]
        size = sum(piece.size for piece in pieces)
    return pieces


# --- extremes --------------------------------------------------------------------------------------------------------


def greatest(function: Function, pieces: list[Piece], known: Peak, *, is_turned: bool = False) -> Peak:
    """The greatest value in an interval and its time, if it is greater than the known one; else that.

    Where a point is higher than its neighbours, or an end may have something higher beside it, it is located between
    the points by Brent's method.
    is_turned   of the function with its sign changed, as the known value is
    """
    for piece in pieces:
        top, low = max(piece.values), min(piece.values)
        if is_turned:
            top, low = -low, -top
        if top + (top - low) <= known.value:  # between its points a smooth function rises by less than it varies
            continue
        values = tuple(-value for value in piece.values) if is_turned else piece.values
        k = values.index(top)
        peak = Peak(top, piece.times[k])
        if top > low and _has_peak(values, k):
            way = (lambda time: -function(time)) if is_turned else function
            peak = _climb(way, piece.times[max(k - 1, 0)], peak, piece.times[min(k + 1, _LAST)])
        if peak.value > known.value:
            known = peak
    return known


def _slopes_at_start() -> tuple[float, ...]:
    """Weights that give, from the values at the points, the derivative at -1 of the polynomial through them.

    Source: Berrut & Trefethen, Barycentric Lagrange interpolation, SIAM Review 46 (2004), eq. 9.4
    """
    scales = [1.0 / prod(node - other for other in NODES if other != node) for node in NODES]
    rest = [scale / scales[0] / (NODES[0] - node) for scale, node in zip(scales[1:], NODES[1:], strict=True)]
    return (-sum(rest), *rest)


_AT_START: Final = _slopes_at_start()


def _has_peak(values: tuple[float, ...], k: int) -> bool:
    """Whether there is a peak at or beside point `k`, the highest one, and the function does not just end with it."""
    if k == 0:
        return sum(weight * value for weight, value in zip(_AT_START, values, strict=True)) > 0.0
    return k < _LAST or _has_peak(values[::-1], 0)


def _climb(function: Function, low: float, known: Peak, high: float) -> Peak:
    """The peak between `low` and `high`, from a good point in between.

    Source: Brent, Algorithms for minimization without derivatives (1973), chapter 5
    """
    value, time = known
    start, end = low, high
    second = third = time
    at_second = at_third = value
    last = before = 0.0
    while True:
        middle = 0.5 * (low + high)
        tolerance = FINEST * (end - start) + 2.0 * ulp(time)
        if abs(time - middle) <= 2.0 * tolerance - 0.5 * (high - low):
            return Peak(value, time)
        parabolic = _vertex(time - second, time - third, value - at_second, value - at_third)
        is_good = (
            abs(parabolic) < 0.5 * abs(before) and low + 2.0 * tolerance < time + parabolic < high - 2.0 * tolerance
        )
        before = last if is_good else (high - time if time < middle else low - time)
        last = parabolic if is_good else GOLDEN * before
        trial = time + (last if abs(last) >= tolerance else copysign(tolerance, last))
        at_trial = function(trial)
        if at_trial >= value:
            low, high = (time, high) if trial >= time else (low, time)
            third, second, time = second, time, trial
            at_third, at_second, value = at_second, value, at_trial
        else:
            low, high = (low, trial) if trial >= time else (trial, high)
            if at_trial >= at_second or second == time:
                third, second, at_third, at_second = second, trial, at_second, at_trial
            elif at_trial >= at_third or third in (time, second):
                third, at_third = trial, at_trial


def _vertex(near: float, far: float, rise: float, climb: float) -> float:
    """The distance of the vertex of a parabola from a point that is `near` and `far` after two others, with its heights
    above them; infinity if there is none.
    """
    below = 2.0 * (near * climb - far * rise)
    return (far * far * rise - near * near * climb) / below if below != 0.0 else inf
