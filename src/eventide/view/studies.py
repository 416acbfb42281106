"""Pictures of a replication: boxes of a response at each point, its mean over two parameters, main effects, fans.

Source: Pannek, Simulation of mechatronic systems, definition 4.19, section 4.3; Box, Hunter & Hunter 2005, Statistics
for Experimenters, chapter 5, for main effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import pandas as pd

from eventide.errors import ModelError
from eventide.experiment.analysis import told_of_stopped
from eventide.experiment.tables import label_of, parameter_columns, stopped
from eventide.observe import Recording
from eventide.view.canvas import add_legend, line_style, own_axes, theme_of
from eventide.view.quantities import with_unit
from eventide.view.spreads import plot_boxes
from eventide.view.warm_up import plot_warm_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from numpy.typing import NDArray

    from eventide.experiment import Replication

Kind = Literal["box", "heat", "effects", "fan", "warm-up"]
KINDS: Final = ("box", "heat", "effects", "fan", "warm-up")

LEVELS: Final = 8
"""A parameter of more values than these is cut into groups of like size."""
GROUPS: Final = 6
"""So many."""
NUMBERS: Final = 60
"""A map of more cells than these has no numbers in them."""
LETTERS: Final = 50
"""More than these below an axis are written aslant."""
GRID: Final = 201
"""Recordings of runs that were kept whole are read at so many times."""
FANS: Final = 6
"""More points than these cannot be told apart in one fan chart."""


@dataclass(frozen=True)
class _Asked:
    """One response of a replication, and the parameters that it is drawn against.

    table       a row for each run that has the response
    """

    table: pd.DataFrame
    response: str
    unit: str
    by: tuple[str, ...]

    @property
    def label(self) -> str:
        return with_unit(self.response, self.unit)


def plot_study(
    replication: Replication,
    response: str | None = None,
    *,
    kind: Kind | None = None,
    by: str | Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one response of a replication, as `Replication.plot` tells."""
    if kind is not None and kind not in KINDS:
        raise ModelError(f"a study is drawn as {', '.join(KINDS)}, and got kind={kind!r}")
    table = replication.table
    for name, column in parameter_columns(replication).items():
        if name not in replication.study.points.drawn:
            table[column] = [label_of(result.parameters[name]) for result in replication]
    recorded = _recorded(replication)
    if response is not None and response not in table:
        alike = [name for name in recorded if name.endswith(f".{response}")]
        response = alike[0] if len(alike) == 1 and response not in recorded else response
    if kind == "fan" or (kind is None and response in recorded and response not in table):
        return _fan(replication, recorded, response, own_axes(ax))
    if kind == "warm-up":
        return _warm_up(replication, recorded, response, ax)
    asked = _asked(replication, table, response, by)
    if kind is None:
        kind = "box" if len(asked.by) < 2 else "heat" if len(asked.by) == 2 and _is_grid(asked) else "effects"
    return {"box": _boxes, "heat": _heat, "effects": _effects}[kind](asked, own_axes(ax))


def _asked(
    replication: Replication, table: pd.DataFrame, response: str | None, by: str | Sequence[str] | None
) -> _Asked:
    units = table.attrs["units"]
    names = list(units)
    if not names:
        failed = ": all of its runs failed, as .failures tells" if len(replication.failures) else ""
        raise ModelError(f"{replication.model.name} has no responses to be drawn{failed}")
    cut = stopped(replication)
    if cut:
        raise ModelError(told_of_stopped(replication, cut[0]))
    if response is None:
        response = names[0]
    if response not in names:
        if response in _recorded(replication):
            raise ModelError(f"{response} is recorded over time: it is drawn by kind='fan' and kind='warm-up'")
        if any(response in table for table in replication[0].tables.values()):
            raise ModelError(f"{response} was recorded at times that differ from run to run: give the study at=[...]")
        there = ", ".join([*names, *_recorded(replication)])
        raise ModelError(f"{replication.model.name} has no response {response!r}; it has: {there}")
    own = {"point", "replication", "error", *names}
    known = [str(name) for name in table.columns if name not in own and table[name].nunique() > 1]
    chosen = known if by is None else [by] if isinstance(by, str) else list(by)
    for name in chosen:
        if name not in table.columns:
            raise ModelError(f"no parameter {name!r} differs in this study; there are: {', '.join(known) or 'none'}")
    return _Asked(table.dropna(subset=[response]), response, units[response], tuple(chosen))


def _is_grid(asked: _Asked) -> bool:
    """Whether each value of two parameters comes with each of the other."""
    first, second = asked.by
    pairs = asked.table[[first, second]].drop_duplicates()
    return len(pairs) == asked.table[first].nunique() * asked.table[second].nunique()


def _boxes(asked: _Asked, axes: Axes) -> Axes:
    """A box for each point, or for each group of values where there are many."""
    if not asked.by:
        columns = {asked.response: asked.table[asked.response].to_numpy(dtype=float)}
    elif len(asked.by) == 1:
        groups = _groups(asked.table[asked.by[0]])
        columns = {label: asked.table.loc[chosen, asked.response].to_numpy(float) for label, _, chosen in groups}
    else:
        columns = {
            ", ".join(map(_shown, values)): rows[asked.response].to_numpy(dtype=float)
            for values, rows in asked.table.groupby(list(asked.by), sort=False)
        }
    longest = max(len(values) for values in columns.values())
    padded = {name: np.append(values, np.full(longest - len(values), np.nan)) for name, values in columns.items()}
    plot_boxes(pd.DataFrame(padded), ax=axes)
    axes.set_ylabel(asked.label)
    axes.set_xlabel(", ".join(asked.by))
    if sum(len(label) + 1 for label in padded) > LETTERS:
        axes.tick_params(axis="x", rotation=45)
    return axes


def _groups(values: pd.Series[float]) -> list[tuple[str, float, pd.Series[bool]]]:
    """For each value, or each group of values of a parameter: what it is called, its mean, which rows have it."""
    distinct = values.drop_duplicates().tolist()
    is_number = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    if is_number:
        distinct.sort()
    if len(distinct) <= LEVELS or not is_number:
        return [(_shown(value), float(place), values == value) for place, value in enumerate(distinct)]
    number = pd.qcut(values, GROUPS, labels=False, duplicates="drop")
    parts = [number == part for part in range(int(number.max()) + 1)]
    return [(_shown(float(values[rows].mean())), float(place), rows) for place, rows in enumerate(parts)]


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _heat(asked: _Asked, axes: Axes) -> Axes:
    """The mean over two parameters, as coloured cells with their numbers."""
    if len(asked.by) != 2:
        raise ModelError(f"a heat map is over two parameters, and got {', '.join(asked.by) or 'none'}: name them by=")
    across, up = asked.by
    means = asked.table.pivot_table(index=up, columns=across, values=asked.response, aggfunc="mean")
    theme = theme_of(axes)
    numbers = means.to_numpy(dtype=float)
    mesh = axes.pcolormesh(numbers, cmap=theme.map, edgecolors=theme.ground, linewidth=1.5)
    axes.set_xticks(np.arange(len(means.columns)) + 0.5, [_shown(value) for value in means.columns])
    axes.set_yticks(np.arange(len(means.index)) + 0.5, [_shown(value) for value in means.index])
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(visible=False)
    figure = axes.get_figure()
    assert figure is not None
    bar = figure.colorbar(mesh, ax=axes)
    bar.set_label(f"mean {asked.label}", color=theme.ink)
    bar.ax.tick_params(colors=theme.ink)
    bar.outline.set_visible(False)
    if numbers.size <= NUMBERS:
        _write_numbers(numbers, mesh, axes)
    return axes


def _write_numbers(numbers: NDArray[np.float64], mesh: ScalarMappable, axes: Axes) -> None:
    """Each number in its cell, in black or white, whichever is read better on it."""
    for (row, column), number in np.ndenumerate(numbers):
        if np.isfinite(number):
            red, green, blue, _ = mesh.to_rgba(np.array([number]))[0]
            is_light = 0.3 * red + 0.6 * green + 0.1 * blue > 0.5
            axes.text(
                column + 0.5, row + 0.5, f"{number:.3g}", ha="center", va="center", fontsize=9,
                color="#111111" if is_light else "#ffffff",
            )  # fmt: skip


def _effects(asked: _Asked, axes: Axes) -> Axes:
    """The mean at each value of each parameter over all others, side by side, and the mean of all as a line."""
    if not asked.by:
        raise ModelError("main effects are of parameters, and none differs in this study")
    theme, left = theme_of(axes), 0.0
    ticks: list[float] = []
    labels: list[str] = []
    axes.axhline(float(asked.table[asked.response].mean()), color=theme.frame, linewidth=1.0, linestyle=":")
    for place, name in enumerate(asked.by):
        groups = _groups(asked.table[name])
        at = [left + where for _, where, _ in groups]
        means = [float(asked.table.loc[rows, asked.response].mean()) for _, _, rows in groups]
        axes.plot(at, means, marker="o", markersize=5, linewidth=1.6, **line_style(axes, place))
        middle = 0.5 * (at[0] + at[-1])
        axes.annotate(
            name, (middle, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 4), textcoords="offset points",
            ha="center", va="bottom", color=theme.ink, fontsize=9.5,
        )  # fmt: skip
        ticks += at
        labels += [label for label, _, _ in groups]
        left = at[-1] + 1.6
    axes.set_xticks(ticks, labels, rotation=45 if sum(len(label) + 1 for label in labels) > LETTERS else 0)
    axes.set_ylabel(f"mean {asked.label}")
    axes.grid(visible=False, axis="x")
    return axes


# --- over time --------------------------------------------------------------------------------------------------------


def _recorded(replication: Replication) -> dict[str, str]:
    """The quantities that can be read at common times, each with its recording."""
    found: dict[str, str] = {}
    if replication.study.settings.at is None:
        for recordings in _kept(replication, "")[:1]:
            for one in recordings:
                found.update({column.name: one.name for column in one.columns if column.name not in found})
        return found
    for result in replication:
        for recording, table in result.tables.items():
            found.update({str(column): recording for column in table.columns if column not in found})
        if found:
            break
    return found


def _kept(replication: Replication, name: str) -> list[list[Recording]]:
    """Of each run that was kept whole, the recordings of objects; with a name those called so."""
    runs = [result.run for result in replication if result.failure is None and result.run is not None]
    return [[one for one in run.recordings if isinstance(one, Recording) and name in {"", one.name}] for run in runs]


def _states(replication: Replication, recording: str) -> pd.DataFrame:
    """A recording of all runs at common times: those of the study, or a grid over the time that all runs have."""
    if replication.study.settings.at is not None:
        return replication.states(recording)
    times = [one.times for (one, *_) in _kept(replication, recording) if len(one.times)]
    grid = np.linspace(max(own[0] for own in times), min(own[-1] for own in times), GRID)
    return replication.at(grid, recording)


def _checked_name(recorded: dict[str, str], name: str | None, kind: str) -> str:
    """The quantity that is asked for, or the first. Raises ModelError if there is none."""
    if not recorded:
        raise ModelError(f'{kind} needs recordings at common times: give the study record="..." and at=[...]')
    if name is not None and name not in recorded:
        raise ModelError(f"no {name!r} is recorded; there are: {', '.join(recorded)}")
    return next(iter(recorded)) if name is None else name


def _warm_up(replication: Replication, recorded: dict[str, str], name: str | None, ax: Axes | None) -> Axes:
    """Welch's plot over the replications of the first point."""
    name = _checked_name(recorded, name, "Welch's plot")
    states = _states(replication, recorded[name])
    first = [result.number for result in replication if result.point == 0 and result.failure is None]
    table = states[name].unstack("time").loc[first]
    units = states.attrs.get("units", {})
    return plot_warm_up(
        table.to_numpy(dtype=float), times=table.columns.to_numpy(dtype=float), label=name, unit=units.get(name, ""),
        time_unit=units.get("time", ""), ax=ax,
    )  # fmt: skip


def _fan(replication: Replication, recorded: dict[str, str], name: str | None, axes: Axes) -> Axes:
    """The median over time, and the bands in which half and nine tenths of the replications are, for each point."""
    name = _checked_name(recorded, name, "a fan")
    states = _states(replication, recorded[name])
    points = {result.number: result.point for result in replication}
    of_point = states.index.get_level_values("run").map(points)
    handles, labels = [], []
    shown = range(min(FANS, len(replication.study.points.values)))
    for point in shown:
        rows = states.loc[of_point == point, name].groupby(level="time")
        # NaN where a run has ended: those that go on are no sample of all.
        low, below, median, above, high = (rows.agg(np.quantile, share) for share in (0.05, 0.25, 0.5, 0.75, 0.95))
        style = line_style(axes, point)
        for lower, upper, alpha in ((low, high, 0.15), (below, above, 0.3)):
            axes.fill_between(median.index, lower, upper, color=style["color"], alpha=alpha, linewidth=0)
        handles += axes.plot(median.index, median, linewidth=1.8, **style)
        values = replication.study.points.values[point]
        labels.append(", ".join(f"{key} = {_shown(value)}" for key, value in values.items()) or "median")
    if len(handles) > 1:
        add_legend(axes, handles, labels)
    units = states.attrs.get("units", {})
    axes.set_xlabel(with_unit("time", units.get("time", "")))
    axes.set_ylabel(with_unit(name, units.get(name, "")))
    return axes
