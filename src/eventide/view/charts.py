"""Charts of what happened when: Gantt charts of queues and resources, marks at events."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Final, TypedDict

import numpy as np
from matplotlib.patches import Patch

from eventide.errors import ModelError
from eventide.observe import Occupancy, PopulationRecording, Recording
from eventide.view.canvas import add_legend, own_axes, theme_of
from eventide.view.quantities import AnyRecording, with_unit

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from eventide.observe import Stay

LONGEST_NAME: Final = 22
MOST_NAMES: Final = 40
"""Of more bars in a row than this, the names are left out."""


def plot_gantt(occupancy: Occupancy, ax: Axes | None = None) -> Axes:
    """Draw a Gantt chart of waits and holds at resources and queues: one line for each process or member.

    The first ones are at the top. Bars that wait are hatched, bars that hold are full, with a colour for each
    resource or queue; one that continues is open to the right.
    Raises      ModelError if there was no stay yet
    """
    stays = occupancy.stays
    if not stays:
        raise ModelError("there is nothing to draw: nobody has waited or held anything yet")
    axes = own_axes(ax)
    theme = theme_of(axes)
    now = occupancy.sim.time
    rows = {who: number for number, who in enumerate(dict.fromkeys(stay.who for stay in stays))}
    places = [place.name for place in occupancy.places]
    for stay in stays:
        _draw_bar(axes, stay, rows[stay.who], theme.colours[places.index(stay.where) % len(theme.colours)], now)
    if len(axes.get_yticks()) and len(rows) <= MOST_NAMES:
        axes.set_yticks(range(len(rows)), [_shortened(who) for who in rows])
        axes.tick_params(axis="y", length=0)
    else:
        axes.set_ylabel(f"{len(rows)} in the order of their coming")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(min(stay.start for stay in stays), max(now, *(stay.start for stay in stays)))
    axes.set_xlabel(with_unit("time", occupancy.sim.time_unit))
    axes.grid(visible=False, axis="y")
    seen = dict.fromkeys((stay.where, stay.state) for stay in sorted(stays, key=lambda s: places.index(s.where)))
    colours = {where: theme.colours[places.index(where) % len(theme.colours)] for where, _ in seen}
    handles = [Patch(**_look(axes, colours[where], state)) for where, state in seen]
    add_legend(axes, handles, [f"{state}: {where}" for where, state in seen])
    return axes


def _draw_bar(axes: Axes, stay: Stay, row: int, colour: str, now: float) -> None:
    goes_on = isnan(stay.end)
    end = now if goes_on else stay.end
    axes.barh(row, end - stay.start, left=stay.start, height=0.64, **_look(axes, colour, stay.state))
    if goes_on:
        axes.plot([end], [row], ">", color=colour, markersize=5.0, clip_on=False)


class _Look(TypedDict, total=False):
    facecolor: str
    edgecolor: str
    linewidth: float
    hatch: str


def _look(axes: Axes, colour: str, state: str) -> _Look:
    if state == "holds":
        return {"facecolor": colour, "edgecolor": colour, "linewidth": 0.6}
    return {"facecolor": theme_of(axes).ground, "edgecolor": colour, "linewidth": 0.8, "hatch": "//////"}


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def mark_events(
    ax: Axes,
    events: AnyRecording | npt.ArrayLike,
    labels: Sequence[str] | str = "",
) -> Axes:
    """Draw a thin upright line at each event, behind the data.

    ax          axes over time
    events      times, or a recording: then those events that left two rows in it
    labels      one for each event, written along its line, or one for all, which goes to the legend
    Raises      ModelError if there are labels for some events only
    """
    if isinstance(events, Recording | PopulationRecording):
        times = np.unique(events.times[events.sides == -1])
        after = np.unique(events.times[events.sides == 1])
        times = np.intersect1d(times, after)
    else:
        times = np.atleast_1d(np.asarray(events, dtype=float))
    one_label = isinstance(labels, str)
    if not one_label and len(labels) != len(times):
        raise ModelError(f"mark_events got {len(labels)} labels for {len(times)} events: give one for each, or one")
    theme = theme_of(ax)
    for number, time in enumerate(times):
        label = labels if one_label and labels and number == 0 else None
        ax.axvline(time, color=theme.frame, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5, label=label)
        if not one_label:
            ax.annotate(
                labels[number],
                (time, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(-2, -3),
                textcoords="offset points",
                rotation=90,
                ha="right",
                va="top",
                fontsize=8.5,
                color=theme.ink,
            )
    if one_label and labels and len(times):
        add_legend(ax, *ax.get_legend_handles_labels())
    return ax
