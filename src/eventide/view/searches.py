"""Pictures of searches: the values that were evaluated, and a calibrated model against its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.view.canvas import add_legend, line_style, own_axes, shown_figure, theme_of
from eventide.view.quantities import with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    from eventide.analysis import Calibration, Optimum

SMOOTH: Final = 300
"""Times at which a model's curve is drawn."""


def plot_search(found: Optimum, ax: Axes | None = None) -> Axes:
    """Draw the value of each evaluation as a point, failed ones left out, and the best until then as a line."""
    axes = own_axes(ax)
    theme, values = theme_of(axes), found.history["value"].to_numpy(dtype=float)
    numbers = np.arange(1, len(values) + 1)
    finite = np.isfinite(values)
    points = axes.plot(
        numbers[finite], values[finite], linestyle="", marker="o", markersize=4, color=theme.colours[0], alpha=0.6
    )
    best = np.minimum.accumulate(values)
    reached = np.isfinite(best)
    lines = axes.step(numbers[reached], best[reached], where="post", linewidth=1.8, color=theme.colours[1])
    axes.set_xlabel("evaluation")
    axes.set_ylabel(found.response)
    add_legend(axes, [*points, *lines], ["each point", "the best until then"])
    return axes


def plot_fit(found: Calibration, figure: Figure | None = None) -> Axes:
    """Draw each quantity of the data as points, with the curve of the calibrated model: of each experiment.

    Returns the uppermost axes.
    """
    names = list(map(str, found.data.columns))
    figure = figure or shown_figure(7.0, 1.6 + 2.4 * len(names))
    units = found.data.attrs.get("units", {})
    panels: NDArray[np.object_] = figure.subplots(len(names), sharex=True, squeeze=False)[:, 0]
    experiments = [*found.experiments] or [""]
    shown: dict[str, Line2D] = {}
    for number, experiment in enumerate(experiments):
        data = found.data.loc[experiment] if experiment else found.data
        times = data.index.to_numpy(dtype=float)
        smooth = found.curves(np.union1d(np.linspace(times[0], times[-1], SMOOTH), times), experiment)
        for place, (name, axes) in enumerate(zip(names, panels, strict=True)):
            if name not in smooth:
                continue
            style = line_style(axes, number if experiment else place)
            ink = style["color"] if experiment else theme_of(axes).ink
            points = axes.plot(times, data[name], linestyle="", marker="o", markersize=4.5, color=ink)
            lines = axes.plot(smooth.index, smooth[name], linewidth=1.8, **style)
            labels = [experiment] if experiment else ["model", "data"]
            for label, line in zip(labels, [*lines, *points], strict=False):
                shown.setdefault(label, line)
    for name, axes in zip(names, panels, strict=True):
        axes.set_ylabel(with_unit(name, units.get(name, "")))
    add_legend(panels[0], list(shown.values()), list(shown), "experiment" if found.experiments else "")
    unit = found.model.simulation().time_unit
    panels[-1].set_xlabel(with_unit("time", unit or ""))
    uppermost: Axes = panels[0]
    return uppermost
