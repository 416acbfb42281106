"""Pictures of recordings: quantities over time, jumps where events made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from matplotlib.ticker import MaxNLocator

from eventide.errors import ModelError
from eventide.observe import Heading, PopulationRecording, Recording
from eventide.view.canvas import COLOURS, new_figure

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AnyRecording: TypeAlias = Recording | PopulationRecording

CROWD: Final = 6
"""From so many components on, a population is drawn as one crowd in one colour."""

LONGEST_LEGEND: Final = 10


@dataclass(frozen=True)
class Curve:
    """One line of a picture.

    owner, quantity     the two parts of a column's name, as in `ball.height`; a named expression has no owner
    size                how many components share this line, each with a stretch of its own between NaNs
    """

    owner: str
    quantity: str
    heading: Heading
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    size: int = 1


def plot_recording(
    recording: AnyRecording, ax: Axes | None = None, columns: Sequence[str] | None = None, *, time_unit: str = ""
) -> Axes:
    """Draw the columns of a recording over time, in one pair of axes; counts as steps.

    ax          where to draw; None: in a new figure
    columns     names of the columns to draw; None: all
    Returns     the axes; `axes.figure` is the figure
    Raises      KeyError for a column that the recording does not have
    """
    axes = new_figure().subplots() if ax is None else ax
    _draw(axes, list(_curves(recording, columns)))
    _label_time(axes, time_unit)
    return axes


def plot_recordings(recordings: Sequence[AnyRecording], figure: Figure, *, time_unit: str = "") -> None:
    """Draw the default picture of a run: one panel for each unit, counts below, over one axis of time.

    A figure that is too low for its panels grows.
    Raises ModelError if there is nothing to draw.
    """
    panels: dict[tuple[bool, str], list[Curve]] = {}
    for curve in (curve for recording in recordings for curve in _curves(recording, None)):
        panels.setdefault((curve.heading.is_discrete, curve.heading.unit), []).append(curve)
    if not panels:
        raise ModelError("there is nothing to draw: let the model call sim.record(...) before it runs")
    order = sorted(panels, key=lambda kind: kind[0])
    shares = [2.0 if is_discrete else 3.0 for is_discrete, _ in order]
    figure.set_figheight(max(figure.get_figheight(), 0.6 + 0.6 * sum(shares)))
    rows = figure.subplots(len(order), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": shares})[:, 0]
    for axes, kind in zip(rows, order, strict=True):
        _draw(axes, panels[kind])
    _label_time(rows[-1], time_unit)
    figure.align_ylabels(rows)


# --- what is drawn ----------------------------------------------------------------------------------------------------


def _curves(recording: AnyRecording, columns: Sequence[str] | None) -> Iterator[Curve]:
    known = {column.name: column for column in recording.columns}
    for name in known if columns is None else columns:
        if name not in known:
            raise KeyError(f"{recording.name} has no column {name!r}; it has: {', '.join(known)}")
        if isinstance(recording, PopulationRecording):
            yield from _crowd(recording, known[name])
        else:
            owner, _, quantity = name.rpartition(".")
            yield Curve(owner, quantity, known[name], recording.times, recording[name])


def _crowd(recording: PopulationRecording, heading: Heading) -> Iterator[Curve]:
    """A few components as a curve each, many as one that is broken by NaNs."""
    series = recording.series()
    if len(series) < CROWD:
        for label, one in series.items():
            yield Curve(label, heading.name, heading, one.times, one.values[heading.name])
        return
    apart = np.array([np.nan])
    times = [part for one in series.values() for part in (one.times, apart)]
    values = [part for one in series.values() for part in (one.values[heading.name], apart)]
    label = f"{recording.subject.__name__} ({len(series)})"
    yield Curve(label, heading.name, heading, np.concatenate(times), np.concatenate(values), len(series))


# --- how it is drawn --------------------------------------------------------------------------------------------------


def _draw(axes: Axes, curves: list[Curve]) -> None:
    drawn = len(axes.lines)
    for place, (curve, label) in enumerate(zip(curves, _labels(curves), strict=True), start=drawn):
        axes.plot(
            curve.times,
            curve.values,
            color=COLOURS[place % len(COLOURS)],
            linestyle=("-", "--", ":")[place // len(COLOURS) % 3],
            drawstyle="steps-post" if curve.heading.is_discrete else "default",
            linewidth=1.5 if curve.size == 1 else 0.8,
            alpha=1.0 if curve.size == 1 else 0.7,
            zorder=2.5 if curve.size == 1 else 2.0,
            label=label,
        )
    axes.set_ylabel(_axis_label(curves))
    if all(curve.heading.is_discrete for curve in curves):
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.set_ylim(bottom=0.0)
    if len(axes.lines) > 1:
        _add_legend(axes)


def _labels(curves: list[Curve]) -> list[str]:
    """For each curve what tells it from the others: its owner, its quantity, or both."""
    if len({curve.quantity for curve in curves}) == 1:
        return [curve.owner or curve.quantity for curve in curves]
    if len({curve.owner for curve in curves}) == 1:
        return [curve.quantity for curve in curves]
    return [f"{curve.owner} {curve.quantity}".strip() for curve in curves]


def _axis_label(curves: list[Curve]) -> str:
    """The quantities with their units, each named once; of many only the units."""
    units = {(curve.quantity, curve.heading.unit): None for curve in curves}
    if len({unit for _, unit in units}) == 1:
        unit = curves[0].heading.unit
        names = ", ".join(quantity for quantity, _ in units)
        names = names if len(names) <= 36 else "value"
        return f"{names} [{unit}]" if unit else names
    return ", ".join(f"{quantity} [{unit}]" if unit else quantity for quantity, unit in units)


def _add_legend(axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > LONGEST_LEGEND:
        hidden = len(handles) - LONGEST_LEGEND + 1
        handles, labels = handles[: -hidden + 1], [*labels[:-hidden], f"and {hidden} more"]
    axes.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        fontsize=9.5,
    )


def _label_time(axes: Axes, unit: str) -> None:
    axes.set_xlabel(f"time [{unit}]" if unit else "time")
