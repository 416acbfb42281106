"""Pictures of sensitivities.

Source: Pannek, Simulation of mechatronic systems, section 4.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eventide.errors import ModelError
from eventide.view.canvas import add_legend, own_axes, theme_of
from eventide.view.quantities import with_unit

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from eventide.analysis.sensitivity import Sensitivity


def plot_sensitivity(found: Sensitivity, output: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the elasticities of all outputs, as a group of bars for each input; or one output's sensitivities over time.

    output      None: all, at their last times
    Raises      KeyError for an output that is not there, ModelError if nothing was varied
    """
    if not found.entries:
        raise ModelError("there is nothing to draw: nothing was varied")
    axes = own_axes(ax)
    return _draw_bars(found, axes) if output is None else _draw_lines(found, output, axes)


def _draw_bars(found: Sensitivity, axes: Axes) -> Axes:
    """Inputs stand on the abscissa, with a bar for each output."""
    theme, table = theme_of(axes), found.elasticities
    # An output of 0 has no elasticity, and an empty place for its bar would look like one that does not change.
    outputs = [name for name in found.outputs if bool(np.isfinite(table.loc[name]).any())]
    width = 0.8 / max(1, len(outputs))
    handles: list[Artist | BarContainer] = []
    for k, name in enumerate(outputs):
        places = np.arange(len(found.inputs)) + (k - (len(outputs) - 1) / 2.0) * width
        colour = theme.colours[k % len(theme.colours)]
        handles.append(axes.bar(places, table.loc[name], width, color=colour, label=name))
    axes.axhline(0.0, linewidth=0.8, color=theme.colours[0], alpha=0.5)
    axes.set_xticks(range(len(found.inputs)), found.inputs)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("change of the output in % for 1 % more")
    add_legend(axes, handles, outputs)
    return axes


def _draw_lines(found: Sensitivity, output: str, axes: Axes) -> Axes:
    """Time stands on the abscissa, with a line for each input."""
    theme, table = theme_of(axes), found.over_time(output)
    handles = []
    for k, name in enumerate(found.inputs):
        colour = theme.colours[k % len(theme.colours)]
        handles += axes.plot(table.index, table[name], color=colour, label=name)
    axes.set_xlabel("time")
    axes.set_ylabel(with_unit(f"sensitivity of {output}", found.units.get(output, "")))
    add_legend(axes, handles, list(found.inputs))
    return axes
