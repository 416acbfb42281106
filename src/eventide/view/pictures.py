"""Pictures of recordings: quantities over time, jumps where events made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.ticker import MaxNLocator

from eventide.errors import ModelError
from eventide.observe import Heading, PopulationRecording
from eventide.view.canvas import add_legend, line_style, own_axes, shown_figure, theme_of
from eventide.view.quantities import WIDEST_LABEL, AnyRecording, with_unit

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CROWD: Final = 6
"""From this number of components on, a population is drawn as one crowd in one colour."""

LONGEST_LEGEND: Final = 10
LONG: Final = 8
"""From this number of items on, a vector is drawn as a map over time and place."""
MOST_ROWS: Final = 2000
"""The most rows that a map shows: more than a picture has columns of points."""


@dataclass(frozen=True)
class Curve:
    """One line of a picture.

    owner, quantity     the two parts of its name, as in `ball.height`; a named expression has no owner
    size                the number of components in this line, each with a stretch of its own between NaNs
    """

    owner: str
    quantity: str
    name: str
    heading: Heading
    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    size: int = 1


def plot_recording(
    recording: AnyRecording,
    ax: Axes | None = None,
    columns: Sequence[str] | None = None,
    *,
    time_unit: str | None = None,
) -> Axes:
    """Draw the columns of a recording over time: a panel for each unit, counts as steps, long vectors as maps.

    ax          where to draw all of them, as lines; None: in a new figure, which a notebook shows
    columns     names of the columns to draw; None: all
    time_unit   None: that of the simulation
    Returns     the axes, the uppermost of several; `axes.figure` is the figure
    Raises      KeyError for a column that the recording does not have, TypeError for what are no axes or no list
    """
    unit = recording.sim.time_unit if time_unit is None else time_unit
    curves = list(_curves(recording, columns))
    if ax is not None or not curves:
        axes = own_axes(ax)
        _draw(axes, curves)
        _label_time(axes, unit)
        return axes
    figure = shown_figure()
    _draw_panels(curves, figure, unit)
    return figure.axes[0]


def plot_recordings(recordings: Sequence[AnyRecording], figure: Figure, *, time_unit: str = "") -> None:
    """Draw the default picture of a run: one panel for each unit, counts below, over one axis of time.

    A figure that is too low for its panels grows.
    Raises ModelError if there is nothing to draw.
    """
    curves = [curve for recording in recordings for curve in _curves(recording, None)]
    if not curves:
        raise ModelError("there is nothing to draw: let the model call sim.record(...) before it runs")
    _draw_panels(curves, figure, time_unit)


def _draw_panels(curves: list[Curve], figure: Figure, time_unit: str) -> None:
    """Draw curves in panels over one axis of time: those of a unit together, each long vector as a map, then counts."""
    vectors: dict[str, list[Curve]] = {}
    for curve in curves:
        if curve.size == 1 and curve.name.endswith("]"):
            vectors.setdefault(curve.name.rpartition("[")[0], []).append(curve)
    maps = {name: items for name, items in vectors.items() if len(items) >= LONG}
    in_maps = {id(curve) for items in maps.values() for curve in items}
    panels: dict[tuple[bool, str], list[Curve]] = {}
    for curve in curves:
        if id(curve) not in in_maps:
            panels.setdefault((curve.heading.is_discrete, curve.heading.unit), []).append(curve)
    lines = [items for (is_discrete, _), items in panels.items() if not is_discrete]
    counts = [items for (is_discrete, _), items in panels.items() if is_discrete]
    shares = [3.0] * (len(lines) + len(maps)) + [2.0] * len(counts)
    figure.set_figheight(max(figure.get_figheight(), 0.6 + 0.6 * sum(shares)))
    rows = figure.subplots(len(shares), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": shares})[:, 0]
    for axes, items in zip(rows[: len(lines)], lines, strict=True):
        _draw(axes, items)
    for axes, (name, items) in zip(rows[len(lines) :], maps.items(), strict=False):
        _draw_map(axes, name, items)
    for axes, items in zip(rows[len(lines) + len(maps) :], counts, strict=True):
        _draw(axes, items)
    _label_time(rows[-1], time_unit)
    figure.align_ylabels(rows)


# --- what is drawn ----------------------------------------------------------------------------------------------------


def _curves(recording: AnyRecording, columns: Sequence[str] | None) -> Iterator[Curve]:
    known = {column.name: column for column in recording.columns}
    if isinstance(columns, str):
        raise TypeError(f"columns takes a list of names, and got {columns!r}: write `columns=[{columns!r}]`")
    for name in columns or ():
        if name not in known:
            raise KeyError(f"{recording.name} has no column {name!r}; it has: {', '.join(known)}")
    chosen = [known[name] for name in (known if columns is None else columns)]
    if isinstance(recording, PopulationRecording):
        yield from _population(recording, chosen)
        return
    times = recording.times
    for column in chosen:
        owner, _, quantity = column.name.rpartition(".")
        yield Curve(owner, quantity, column.name, column, times, recording[column.name])


def _population(recording: PopulationRecording, columns: list[Heading]) -> Iterator[Curve]:
    """A few components as a curve each, many as one that is broken by NaNs."""
    series = recording.series()
    for column in columns:
        if len(series) < CROWD:
            for label, one in series.items():
                yield Curve(label, column.name, f"{label}.{column.name}", column, one.times, one.values[column.name])
            continue
        gap = np.array([np.nan])
        times = [part for one in series.values() for part in (one.times, gap)]
        values = [part for one in series.values() for part in (one.values[column.name], gap)]
        crowd = f"{recording.subject.__name__} ({len(series)})"
        whole = f"{crowd}: {column.name}"
        yield Curve(crowd, column.name, whole, column, np.concatenate(times), np.concatenate(values), len(series))


# --- how it is drawn --------------------------------------------------------------------------------------------------


def _draw(axes: Axes, curves: list[Curve]) -> None:
    if not curves:
        return  # no component of the class was ever active
    drawn = len(axes.lines)
    labels = [curve.name for curve in curves] if drawn else _labels(curves)
    for place, (curve, label) in enumerate(zip(curves, labels, strict=True), start=drawn):
        is_alone = curve.size == 1
        axes.plot(
            curve.times,
            curve.values,
            **line_style(axes, place),
            drawstyle="steps-post" if curve.heading.is_discrete else "default",
            linewidth=1.5 if is_alone else 0.8,
            alpha=1.0 if is_alone else 0.7,
            zorder=2.5 if is_alone else 2.0,
            label=label,
        )
    if not any(len(curve.times) for curve in curves):
        axes.text(0.5, 0.5, "no rows: no run since this began", ha="center", va="center", transform=axes.transAxes)
    present, added = axes.get_ylabel() if drawn else "", _axis_label(curves)
    axes.set_ylabel(present if added in present else ", ".join(filter(None, (present, added))))
    if all(curve.heading.is_discrete for curve in curves):
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.set_ylim(bottom=0.0)
    if len(axes.lines) > 1:
        _add_legend(axes, "" if drawn else _common_owner(curves))


def _draw_map(axes: Axes, name: str, items: list[Curve]) -> None:
    """A vector over time and place, its values as colours: each row lasts until the next."""
    times = items[0].times
    chosen = np.unique(np.linspace(0, len(times) - 1, min(len(times), MOST_ROWS)).astype(int))
    values = np.array([item.values[chosen] for item in items])
    edges = np.arange(len(items) + 1) - 0.5
    mesh = axes.pcolormesh(times[chosen], edges, values[:, :-1], cmap=theme_of(axes).map, rasterized=True)
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.colorbar(mesh, ax=axes, label=with_unit(name, items[0].heading.unit))
    axes.grid(visible=False)
    axes.set_ylabel("item")
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))


def _labels(curves: list[Curve]) -> list[str]:
    """For each curve what distinguishes it from the others: its owner, its quantity, or both."""
    if len({curve.quantity for curve in curves}) == 1:
        return [curve.owner or curve.quantity for curve in curves]
    if len({curve.owner for curve in curves}) == 1:
        return [curve.quantity for curve in curves]
    return [curve.name for curve in curves]


def _common_owner(curves: list[Curve]) -> str:
    """Whose quantities they are, if they are different ones of one owner; else nothing."""
    owners = {curve.owner for curve in curves}
    return owners.pop() if len(owners) == 1 < len({curve.quantity for curve in curves}) else ""


def _axis_label(curves: list[Curve]) -> str:
    """The quantities with their units; of too many only the unit they share."""
    if len(curves) == 1:
        return with_unit(curves[0].name, curves[0].heading.unit)
    units = {curve.quantity: curve.heading.unit for curve in curves}
    if len(set(units.values())) > 1:
        return ", ".join(with_unit(quantity, unit) for quantity, unit in units.items())
    names = ", ".join(units)
    return with_unit(names if len(names) <= WIDEST_LABEL else "value", curves[0].heading.unit)


def _add_legend(axes: Axes, title: str) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > LONGEST_LEGEND:
        hidden = len(handles) - LONGEST_LEGEND + 1
        handles = handles[:LONGEST_LEGEND]
        labels = [*labels[: LONGEST_LEGEND - 1], f"and {hidden} more"]
    add_legend(axes, handles, labels, title)


def _label_time(axes: Axes, unit: str) -> None:
    axes.set_xlabel(with_unit("time", unit))
