"""Pictures of how values are spread: box plots and histograms.

Source: Pannek, Simulation of mechatronic systems, definition 4.19; Tukey 1977, Exploratory Data Analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eventide.data import outliers
from eventide.errors import ModelError
from eventide.statistics import Histogram, Tally
from eventide.view.canvas import add_legend, own_axes, theme_of
from eventide.view.quantities import Data, Quantities, check_some, with_unit

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes


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
    drawn = axes.bxp(
        [_box(quantities[name], k) for name in names],
        positions=range(len(names)),
        widths=min(0.5, 0.12 * (len(names) + 1)),
        patch_artist=True,
        boxprops={"linewidth": 1.2},
        medianprops={"linewidth": 2.0},
        whiskerprops={"linewidth": 1.2},
        capprops={"linewidth": 1.2},
        flierprops={"marker": "o", "markersize": 4.5, "markeredgewidth": 1.2},
    )
    for place in range(len(names)):
        colour = theme.colours[place % len(theme.colours)]
        drawn["boxes"][place].set(facecolor=mixed(colour, theme.ground, 0.25), edgecolor=colour)
        drawn["medians"][place].set_color(colour)
        drawn["fliers"][place].set(markeredgecolor=colour, markerfacecolor="none")
        for line in (*drawn["whiskers"][2 * place : 2 * place + 2], *drawn["caps"][2 * place : 2 * place + 2]):
            line.set_color(colour)
    units = {quantities.unit(name) for name in names}
    axes.set_xticks(range(len(names)), names if len(units) == 1 else [quantities.label(name) for name in names])
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylabel(with_unit("value", units.pop()) if len(units) == 1 else "value")
    axes.grid(visible=False, axis="x")
    return axes


def _box(values: npt.NDArray[np.float64], k: float) -> dict[str, object]:
    """The numbers of one box."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        nothing = dict.fromkeys(("med", "q1", "q3", "whislo", "whishi"), np.nan)
        return {**nothing, "fliers": finite}
    is_out = outliers(finite, k=k)
    q1, median, q3 = np.quantile(finite, [0.25, 0.5, 0.75])
    inside = finite[~is_out]
    return {
        "q1": q1,
        "med": median,
        "q3": q3,
        # Between two far groups no value may lie inside the box on one side: a whisker then has no length.
        "whislo": min(q1, inside.min()),
        "whishi": max(q3, inside.max()),
        "fliers": finite[is_out],
    }


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


def mixed(colour: str, ground: str, share: float) -> tuple[float, ...]:
    """A colour mixed with the background; unlike a transparent one it hides the grid."""
    from matplotlib.colors import to_rgb

    return tuple(share * c + (1.0 - share) * g for c, g in zip(to_rgb(colour), to_rgb(ground), strict=True))
