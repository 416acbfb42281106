"""The warm-up of a run: how much at its start is left out, as the run was not steady yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.statistics.intervals import checked, is_whole

if TYPE_CHECKING:
    import numpy.typing as npt

FIVE: Final = 5
"""Values that MSER-5 takes together."""


def mser5(series: npt.ArrayLike) -> int:
    """How many values at the start of a series are to be left out, as the run was not steady yet: MSER-5.

    Values are taken together by five; left out are as many as make the standard error of the mean of the others least,
    at most half of them.
    Raises  ValueError if there are fewer than ten values, or some are not finite
    Source  White, Cobb & Spratt 2000, A comparison of five steady-state truncation heuristics, Proc. WSC
    """
    numbers = checked(series, 0.5)
    count = len(numbers) // FIVE
    if count < 2:
        raise ValueError(f"mser5(...) takes ten values at least, and got {len(numbers)}")
    means = numbers[: count * FIVE].reshape(count, FIVE).mean(axis=1)
    # Of those from each place on: sums from the end. The mean of what is never left out is taken off, so that they have
    # no digits of a start that is far away.
    centred = (means - means[count // 2 :].mean())[::-1]
    left = np.arange(1, count + 1)
    totals, squares = np.cumsum(centred), np.cumsum(centred**2)
    errors = ((squares - totals**2 / left) / left**2)[::-1]
    return FIVE * int(np.argmin(errors[: count // 2 + 1]))


def moving_average(series: npt.ArrayLike, window: int) -> npt.NDArray[np.float64]:
    """The series smoothed as in Welch's plot: from where the curve is level the run is steady.

    Each value is the mean of 2 window + 1 values around it, near the start of as many as there are before it on both
    sides; the last `window` values have none, so (n - window,) come out.
    series      best the mean over replications at each place: (n,), or (replications, n), whose mean is taken
    window      from 0 on, at most a quarter of the values
    Raises      ValueError for another window, and for values that are not finite
    Source      Welch 1983, in Lavenberg, Computer performance modeling handbook; Law 2015, 9.5.1
    """
    table = np.asarray(series, dtype=np.float64)
    if table.ndim not in (1, 2) or not table.size:
        raise ValueError(
            f"moving_average(...) takes a series or a table of runs, and got an array of shape {table.shape}"
        )
    means = checked(table.mean(axis=0) if table.ndim == 2 else table, 0.5)
    count = len(means)
    if not is_whole(window, 0) or window > count // 4:
        raise ValueError(
            f"moving_average(..., window={window!r}): a window is a whole number from 0 to a quarter of the values, "
            f"{count // 4} here"
        )
    sums = np.concatenate(([0.0], np.cumsum(means - means.mean())))
    places = np.arange(count - window)
    reach = np.minimum(places, window)
    smoothed: npt.NDArray[np.float64] = means.mean() + (sums[places + reach + 1] - sums[places - reach]) / (
        2 * reach + 1
    )
    return smoothed
