"""Pictures of how values are spread: box plots and histograms.

Source: Pannek, Simulation of mechatronic systems, definition 4.19; Tukey 1977, Exploratory Data Analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from matplotlib.patches import Polygon

from eventide.data import outliers
from eventide.errors import ModelError
from eventide.statistics import Histogram, Tally
from eventide.view.canvas import add_legend, own_axes, theme_of
from eventide.view.quantities import Data, Quantities, check_some, with_unit

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

Colour: TypeAlias = tuple[float, ...]


def plot_boxes(data: Data, columns: Sequence[str] | None = None, *, k: float = 1.5, ax: Axes | None = None) -> Axes:
    """Draw one box plot for each quantity.

    A line at the median, a box between the quartiles (quantiles of type 7), whiskers to the furthest values inside
    Tukey's fence, points for the outliers. Values that are missing or infinite are left out.
    data        a recording or a DataFrame
    columns     names of quantities; None: all
    k           of the fence
    Raises      KeyError for a quantity that is not there
    """
    quantities = Quantities(data)
    names = quantities.chosen(columns)
    check_some(names)
    axes = own_axes(ax)
    theme = theme_of(axes)
    for place, name in enumerate(names):
        colour = theme.colours[place % len(theme.colours)]
        half = 0.5 * min(0.5, 0.12 * (len(names) + 1))
        _draw_box(axes, place, half, _box(quantities[name], k), colour, mixed(colour, theme.ground, 0.25))
    units = {quantities.unit(name) for name in names}
    axes.set_xticks(range(len(names)), names if len(units) == 1 else [quantities.label(name) for name in names])
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylabel(with_unit("value", units.pop()) if len(units) == 1 else "value")
    axes.grid(visible=False, axis="x")
    return axes


class Box(NamedTuple):
    """The numbers of one box: its ends and the line in it, the ends of the whiskers, what is beyond these."""

    low: float
    median: float
    high: float
    least: float
    greatest: float
    beyond: npt.NDArray[np.float64]


def _box(values: npt.NDArray[np.float64], k: float) -> Box:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return Box(nan, nan, nan, nan, nan, finite)
    is_out = outliers(finite, k=k)
    low, median, high = np.quantile(finite, [0.25, 0.5, 0.75])
    inside = finite[~is_out]
    # Between two far groups no value may lie inside the box on one side: a whisker then has no length.
    return Box(low, median, high, min(low, inside.min()), max(high, inside.max()), finite[is_out])


def _draw_box(axes: Axes, place: int, half: float, box: Box, colour: str, ground: Colour) -> None:
    """Draw one box, half as wide as that. Matplotlib's own boxes load pyplot, which chooses a screen."""
    left, right = place - half, place + half
    corners = [(left, box.low), (right, box.low), (right, box.high), (left, box.high)]
    axes.add_artist(Polygon(corners, facecolor=ground, edgecolor=colour, linewidth=1.2, zorder=2.0))
    for start, end in ((box.low, box.least), (box.high, box.greatest)):
        axes.plot([place, place], [start, end], color=colour, linewidth=1.2)
    for end in (box.least, box.greatest):
        axes.plot([place - 0.5 * half, place + 0.5 * half], [end, end], color=colour, linewidth=1.2)
    axes.plot([left, right], [box.median, box.median], color=colour, linewidth=2.0, zorder=2.1)
    axes.plot(
        np.full(box.beyond.size, place),
        box.beyond,
        linestyle="none",
        marker="o",
        markersize=4.5,
        markeredgewidth=1.2,
        markeredgecolor=colour,
        markerfacecolor="none",
    )


def plot_histogram(
    data: Histogram | Tally | npt.ArrayLike,
    *,
    bins: int | str | Sequence[float] = "auto",
    name: str = "",
    unit: str = "",
    density: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many values fall into each bin.

    data        a `Histogram` with bins of its own, a `Tally` that keeps its values, or values; NaN is left out
    bins        their number or edges, or a rule of numpy's: "auto" takes the finer of Sturges and Freedman-Diaconis
    name, unit  of the values, where the data do not know them
    density     the fraction for each unit of width instead of the count
    Values outside the range of a histogram are counted in a legend.
    """
    axes = own_axes(ax)
    theme = theme_of(axes)
    colour = theme.colours[len(axes.patches) and 1]
    outside = ""
    if isinstance(data, Histogram):
        edges, heights = np.array(data.edges), data.density if density else data.counts
        if data.underflow or data.overflow:
            outside = f"{data.underflow} below, {data.overflow} above"
    else:
        values = data.values if isinstance(data, Tally) else np.asarray(data, dtype=float).ravel()
        values = values[np.isfinite(values)]
        if not values.size:
            raise ModelError("there is nothing to draw: the histogram got no finite value")
        heights, edges = np.histogram(values, bins=bins, density=density)
    if isinstance(data, Histogram | Tally):
        name, unit = name or data.name, unit or data.unit
    patches = axes.stairs(
        heights, edges, fill=True, facecolor=mixed(colour, theme.ground, 0.45), edgecolor=colour, linewidth=1.0
    )
    axes.vlines(edges[1:-1], 0.0, np.minimum(heights[1:], heights[:-1]), color=colour, linewidth=0.6)
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel(with_unit(name or "value", unit))
    axes.set_ylabel(with_unit("density", f"1/{unit}" if unit else "") if density else "count")
    axes.grid(visible=False, axis="x")
    if outside:
        add_legend(axes, [patches], [outside])
    return axes


def mixed(colour: str, ground: str, share: float) -> Colour:
    """A colour mixed with the background; unlike a transparent one it hides the grid."""
    from matplotlib.colors import to_rgb

    return tuple(share * c + (1.0 - share) * g for c, g in zip(to_rgb(colour), to_rgb(ground), strict=True))
