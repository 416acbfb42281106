"""Welch's plot: from where the smoothed mean over replications is level, the warm-up is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import ModelError
from eventide.statistics import moving_average, mser5
from eventide.view.canvas import add_legend, own_axes, theme_of
from eventide.view.quantities import with_unit

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

PART: Final = 20
"""The window on one side is one part in this many of the values, unless it is given."""
FEWEST: Final = 10
"""Values of which a warm-up can be seen."""


def plot_warm_up(
    series: npt.ArrayLike,
    *,
    window: int | None = None,
    times: npt.ArrayLike | None = None,
    label: str = "",
    unit: str = "",
    time_unit: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a series or the mean of several, its moving average, and where MSER-5 would cut it.

    series          the values of one run (n,), or of several (replications, n)
    window          of the moving average, as `eventide.statistics.moving_average` takes it; None: a twentieth
    times           of the values; None: they are numbered
    label, unit     of the values; time_unit: of the times
    Raises          ModelError for fewer than ten values, or as many times as there are not values; ValueError for
                    values that are not finite
    Source          Welch 1983; White 1997
    """
    table = np.atleast_2d(np.asarray(series, dtype=np.float64))
    count = table.shape[-1]
    places = np.arange(count) if times is None else np.asarray(times, dtype=np.float64).ravel()
    if table.ndim != 2 or count < FEWEST or len(places) != count:
        raise ModelError(
            f"Welch's plot takes ten values or more of each run, and a time for each: got an array of shape "
            f"{table.shape} and {len(places)} times"
        )
    means = table.mean(axis=0)
    smooth = moving_average(means, count // PART if window is None else window)
    cut = mser5(means)
    axes = own_axes(ax)
    theme = theme_of(axes)
    runs = "mean of runs" if len(table) > 1 else "values"
    handles = axes.plot(places, means, linewidth=0.8, alpha=0.5, color=theme.colours[0])
    handles += axes.plot(places[: len(smooth)], smooth, linewidth=1.8, color=theme.colours[1])
    handles.append(axes.axvline(float(places[cut]), color=theme.frame, linestyle="--", linewidth=1.0))
    add_legend(axes, handles, [runs, "moving average", "MSER-5"])
    axes.set_xlabel("number of the value" if times is None else with_unit("time", time_unit))
    axes.set_ylabel(with_unit(label, unit))
    return axes
