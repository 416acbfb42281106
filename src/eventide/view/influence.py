"""Pictures of uncertainty: bands of a prediction over time, and which parameters matter over all of their ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eventide.view.canvas import add_legend, line_style, own_axes, theme_of
from eventide.view.quantities import with_unit
from eventide.view.spreads import mixed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer


def plot_bands(bands: pd.DataFrame, ax: Axes | None = None, *, time_unit: str = "") -> Axes:
    """Draw the median of a prediction over time in its bands, as `Prediction.bands` gives them.

    bands       a row for each time, a column for each share; `attrs` has the quantity's "name" and "unit"
    """
    axes = own_axes(ax)
    style = line_style(axes, 0)
    shares = [float(share) for share in bands.columns]
    lower = [share for share in shares if share < 0.5]
    handles: list[Artist | BarContainer] = []
    for place in range(len(lower)):  # the widest band lies below the others
        ends = bands.iloc[:, place], bands.iloc[:, len(shares) - 1 - place]
        colour = mixed(style["color"], theme_of(axes).ground, 0.2 + 0.3 * place / max(1, len(lower) - 1))
        handles.append(axes.fill_between(bands.index, *ends, color=colour, linewidth=0))
    handles += axes.plot(bands.index, bands[0.5], linewidth=1.8, **style)
    labels = [*(f"{100.0 * (1.0 - 2.0 * share):.4g} % of runs" for share in lower), "median"]
    add_legend(axes, handles, labels)
    axes.set_xlabel(with_unit("time", time_unit))
    axes.set_ylabel(with_unit(str(bands.attrs.get("name", "value")), bands.attrs.get("unit", "")))
    return axes


def plot_influence(indices: pd.DataFrame, response: str, ax: Axes | None = None) -> Axes:
    """Draw the indices of one response, as `GlobalSensitivity` has them: a row for each parameter."""
    axes = own_axes(ax)
    return _bars(indices, response, axes) if "first" in indices else _effects(indices, response, axes)


def _bars(indices: pd.DataFrame, response: str, axes: Axes) -> Axes:
    """Of each parameter the share of the variance that it has alone, and in all, with their intervals."""
    theme, places = theme_of(axes), np.arange(len(indices))
    handles: list[Artist | BarContainer] = []
    for place, name in enumerate(("first", "total")):
        handles.append(
            axes.bar(
                places + 0.4 * place - 0.2, indices[name], 0.38, yerr=indices[f"+- {name}"],
                color=theme.colours[place], ecolor=theme.ink, error_kw={"linewidth": 1.2, "capsize": 3},
            )
        )  # fmt: skip
    axes.set_xticks(places, [str(name) for name in indices.index])
    axes.grid(visible=False, axis="x")
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.set_ylabel(f"share of the variance of {response}")
    add_legend(axes, handles, ["alone", "in all"])
    return axes


def _effects(indices: pd.DataFrame, response: str, axes: Axes) -> Axes:
    """Of each parameter how strong its effects are, and how much they depend on the others."""
    theme = theme_of(axes)
    axes.errorbar(
        indices["mu*"], indices["sigma"], xerr=indices["+- mu*"], linestyle="", marker="o", markersize=6,
        color=theme.colours[0], ecolor=theme.colours[0], elinewidth=1.0,
    )  # fmt: skip
    for name, row in indices.iterrows():
        axes.annotate(
            str(name), (row["mu*"], row["sigma"]), xytext=(6, 4), textcoords="offset points", color=theme.ink,
            fontsize=9.5,
        )  # fmt: skip
    axes.margins(0.12)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.set_xlabel(f"mu*: mean strength of the effects on {response}")
    axes.set_ylabel("sigma: how much they vary")
    return axes
