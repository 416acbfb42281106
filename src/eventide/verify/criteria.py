"""Ready qualities. Each has a margin, and the time and place of the worst point; what is not a number is the worst.

What a model records is judged at all times, inside the steps as well; of any other output what it holds.
The quality is 1 where the margin is at least 0, and 1/(1 + shortfall) below; the threshold is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, isnan
from typing import TYPE_CHECKING

import numpy as np

from eventide.declare.units import in_time_unit, plain_number
from eventide.errors import ModelError
from eventide.verify.curves import Curve, Of, curve_of, of_in_words
from eventide.verify.qualities import Band, Quality, Score, from_margin, number_in_words

if TYPE_CHECKING:
    from numpy.typing import NDArray


def error_below(bound: float, expected: object, of: Of = None) -> Quality:
    """The largest difference from what is expected is at most a bound.

    expected    a number or an array like the output, or a function of the inputs by name that returns it
    """
    plain_number(bound, "error_below(bound=...)")
    _check(bound >= 0.0, f"error_below takes a bound from 0 on, and got {bound!r}")

    def assess(output: object, inputs: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        wanted = np.asarray(expected(**inputs) if callable(expected) else expected, dtype=float)
        shape, count = curve.values.shape, curve.values.size
        is_like = wanted.shape in {shape, curve.values.squeeze().shape} or (
            curve.times is None and wanted.size == count
        )
        if wanted.size > 1 and not is_like:
            raise ModelError(
                f"the output has {count} numbers, in the shape {shape}, and {wanted.size} are expected, in the shape "
                f"{wanted.shape}"
            )
        errors = np.abs(curve.values - wanted.reshape(shape if wanted.size > 1 else ()))
        margins = bound - errors

        def told(row: int, column: int) -> str:
            return f"error {number_in_words(errors[row, column], margins[row, column])}"

        return _worst(curve, margins, told)

    return Quality(f"error at most {bound:g}", assess, most=1.0, quantities=_recorded(of))


def stays_within(low: float = -inf, high: float = inf, of: Of = None, *, unit: str = "") -> Quality:
    """A quantity lies between two bounds, always; without one of them the other alone counts.

    unit    of the bounds, for words
    """
    _check_plain(low, high, "stays_within")
    _check(low <= high, f"stays_within takes low <= high, and got {low!r} and {high!r}")
    _check(low > -inf or high < inf, "stays_within takes low= or high=, or both, and got neither")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        return _worst(curve, _inside(curve.values, low, high))

    return Quality(
        f"{of_in_words(of)}{_bounds(low, high, unit, 'within ')}",
        assess,
        most=1.0,
        quantities=_recorded(of),
        band=Band(of, low, high, "always"),
    )


def reaches_within(low: float, high: float, time: float, of: Of = None, *, unit: str = "") -> Quality:
    """A quantity lies between two bounds at some time not later than `time` after the start; the margin is the best."""
    time = in_time_unit(time, None, "reaches_within(time=...)")
    _check_plain(low, high, "reaches_within")
    _check(low <= high, f"reaches_within takes low <= high, and got {low!r} and {high!r}")
    _check(time >= 0.0, f"reaches_within takes a time from 0 on, and got {time!r}")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        curve = curve.cut_at(float(curve.timed()[0]) + time)
        times = curve.timed()
        margins = _inside(curve.column()[times <= times[0] + time], low, high)
        if np.isnan(margins).any():
            return _worst(curve, margins[:, None])
        middle, most = 0.5 * (low + high), 0.5 * (high - low)
        crossing = _crossing(curve, middle, float(times[0]) + time) if isfinite(middle) else None
        if crossing is not None:
            return Score(from_margin(most), most, crossing, curve.place(0), number_in_words(middle, most))
        best = int(np.argmax(margins))
        return _score(curve, float(margins[best]), best, 0)

    name = f"{of_in_words(of)}reaches {_bounds(low, high, unit)} within {time:g}"
    return Quality(name, assess, most=1.0, quantities=_recorded(of), band=Band(of, low, high, "once"))


def _check_plain(low: float, high: float, name: str) -> None:
    for bound in (low, high):
        plain_number(bound, f"a bound of {name}")


def _crossing(curve: Curve, level: float, end: float) -> float | None:
    """The first time up to `end` at which a quantity known at all times passes a level between its turns and jumps."""
    if curve.path is None:
        return None
    known = set(curve.timed().tolist())
    ends = (time for interval in curve.path.stretches.where(level, 1, strictly=False) for time in interval)
    return next((time for time in ends if time <= end and time not in known), None)


def settles(low: float, high: float, time: float, of: Of = None, *, unit: str = "") -> Quality:
    """A quantity lies between two bounds from `time` after the start on, until the end."""
    time = in_time_unit(time, None, "settles(time=...)")
    _check_plain(low, high, "settles")
    _check(low <= high, f"settles takes low <= high, and got {low!r} and {high!r}")
    _check(0.0 <= time < inf, f"settles takes a finite time from 0 on, and got {time!r}")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        curve = curve.cut_at(float(curve.timed()[0]) + time)
        times = curve.timed()
        if not times[-1] >= times[0] + time:
            raise ModelError(
                f"the output ends at {float(times[-1])!r}: whether it has settled by {time!r} cannot be seen"
            )
        first = int(np.searchsorted(times, times[0] + time))
        # Where an event is at this very time its value is that after it; what was before it is past.
        first += bool((times[first : first + 2] == times[0] + time).sum() == 2)
        rest = Curve(times[first:], curve.column()[first:, None], curve.names)
        return _worst(rest, _inside(rest.values, low, high))

    name = f"{of_in_words(of)}{_bounds(low, high, unit, 'in ')} from {time:g} on"
    return Quality(name, assess, most=1.0, quantities=_recorded(of), band=Band(of, low, high, "finally"))


def overshoot(share: float, target: float, of: Of = None) -> Quality:
    """A quantity goes beyond its target by at most a share of the way to it from where it begins."""
    plain_number(target, "overshoot(target=...)")
    _check(share >= 0.0, f"overshoot takes a share from 0 on, and got {share!r}")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        values = curve.column()
        way = target - values[0]
        if way == 0.0:
            raise ModelError(f"the quantity begins at its target {target!r}: it has no way of which to take a share")
        beyond = (values - target) / way
        return _worst(curve, (share - beyond)[:, None], lambda row, _: f"{beyond[row]:.6g} of the way beyond")

    return Quality(
        f"{of_in_words(of)}overshoots {target:g} by at most {share:g}", assess, most=1.0, quantities=_recorded(of)
    )


def energy_never_grows(of: Of = None, tolerance: float = 0.0) -> Quality:
    """A quantity is never above its least value so far by more than a tolerance."""
    plain_number(tolerance, "energy_never_grows(tolerance=...)")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        values = curve.column()
        rises = values - np.minimum.accumulate(values)
        return _worst(curve, (tolerance - rises)[:, None], lambda row, _: f"has grown by {rises[row]:.6g}")

    return Quality(f"{of_in_words(of)}never grows", assess, most=1.0, quantities=_recorded(of))


def invariant(of: Of = None, tolerance: float = 0.0) -> Quality:
    """A quantity stays what it was at the start, up to a tolerance."""
    plain_number(tolerance, "invariant(tolerance=...)")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        drifts = np.abs(curve.values - curve.values[:1])
        return _worst(curve, tolerance - drifts, lambda row, column: f"has moved by {drifts[row, column]:.6g}")

    return Quality(f"{of_in_words(of)}stays what it is", assess, most=1.0, quantities=_recorded(of))


def throughput(least: float, of: Of = None) -> Quality:
    """A rate is at least so large: a response as it is, a counter over time by what it gains per unit of time."""
    plain_number(least, "throughput(least=...)")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        curve = curve_of(output, of)
        values = curve.column()
        rate = float(values[-1])
        if curve.times is not None:
            rate = float((values[-1] - values[0]) / (curve.times[-1] - curve.times[0]))
        return _score(curve, rate - least, len(values) - 1, 0, f"{rate:.6g} per unit of time")

    return Quality(f"{of_in_words(of)}at least {least:g} per unit of time", assess, most=1.0, quantities=_recorded(of))


def _bounds(low: float, high: float, unit: str, between: str = "") -> str:
    """Bounds as people write them."""
    after = f" {unit}" if unit else ""
    if low == -inf:
        return f"at most {high:g}{after}"
    return f"at least {low:g}{after}" if high == inf else f"{between}[{low:g}, {high:g}]{after}"


def _inside(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    # An infinite bound is none: of an infinite value its distance would be no number.
    below = values - low if low > -inf else np.where(np.isnan(values), values, inf)
    above = high - values if high < inf else np.where(np.isnan(values), values, inf)
    margins: NDArray[np.float64] = np.minimum(below, above)
    return margins


def _worst(curve: Curve, margins: NDArray[np.float64], found: Callable[[int, int], str] | None = None) -> Score:
    """The least margin, or the first that is not a number, with its time and place."""
    if margins.size == 0:
        raise ModelError("the output has no rows that could be judged")
    nans = np.isnan(margins)
    row, column = np.unravel_index(int(np.argmax(nans) if nans.any() else np.argmin(margins)), margins.shape)
    text = "" if found is None else found(int(row), int(column))
    return _score(curve, float(margins[row, column]), int(row), int(column), text)


def _score(curve: Curve, margin: float, row: int, column: int, found: str = "") -> Score:
    time = None if curve.times is None else float(curve.times[row])
    told = found or number_in_words(curve.values[row, column], margin)
    return Score(from_margin(margin), -inf if isnan(margin) else margin, time, curve.place(column), told)


def _recorded(of: Of) -> tuple[str, ...]:
    """What is to be known at all times."""
    return (of,) if isinstance(of, str) else ()


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise ModelError(message)
