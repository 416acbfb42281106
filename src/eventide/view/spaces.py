"""Pictures in the space of states: point clouds, trajectories, phase portraits with their flow.

Source: Pannek, Simulation of mechatronic systems, definitions 4.12 and 4.14, figure 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from matplotlib.patheffects import withStroke

from eventide.errors import ModelError
from eventide.view.canvas import add_legend, is_narrow, line_style, own_axes, theme_of
from eventide.view.quantities import Data, Quantities, check_some

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from numpy.typing import NDArray

Field: TypeAlias = Callable[..., tuple[object, object]]

ARROWS: Final = 21
"""The number of arrows of a flow in each direction."""

MANY_ROWS: Final = 2000
"""A path of more rows than this, which may cross itself often, is a thin one."""

MOST_MARKERS: Final = 60
"""Up to this number of rows a trajectory shows each as a point."""


def plot_series(
    data: Data, columns: Sequence[str] | None = None, *, linked: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw quantities over time: points, linked in the order of time to trajectories unless `linked` is False.

    data        a recording, or a DataFrame with the time as index; its rows may be in any order
    columns     names of quantities; None: all
    Raises      KeyError for a quantity that is not there
    """
    quantities = Quantities(data)
    names = quantities.chosen(columns)
    check_some(names)
    axes = own_axes(ax)
    order = np.argsort(quantities.times, kind="stable")
    times = quantities.times[order]
    drawn = len(axes.lines)
    for place, name in enumerate(names, start=drawn):
        style = line_style(axes, place)
        if not linked:
            style = {"color": style["color"], "linestyle": "none", "marker": "osD^v"[place % 5]}
        elif len(times) <= MOST_MARKERS:
            style |= {"marker": "osD^v"[place % 5]}
        axes.plot(times, quantities[name][order], **style, markersize=4.5, linewidth=1.5, label=name)
    common = quantities.common_label(names)
    axes.margins(x=0.02)
    axes.set_ylabel(common)
    axes.set_xlabel(quantities.label(quantities.index) if quantities.index else "row")
    if len(axes.lines) > 1:
        handles, _ = axes.get_legend_handles_labels()
        labels = names if common and not drawn else [quantities.label(name) for name in names]
        add_legend(axes, handles, [*(str(line.get_label()) for line in axes.lines[:drawn]), *labels])
    return axes


def plot_cloud(
    data: Data, x: str, y: str, z: str | None = None, *, colour_by: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the rows as points over two quantities, or in the space of three.

    colour_by   a quantity, such as the time, that the colours show; None: one colour
    ax          axes to draw in, of projection "3d" for three quantities; None: new ones
    Raises      KeyError for a quantity that is not there, ModelError for flat axes and three quantities
    """
    quantities, axes = _space(data, x, y, z, ax)
    places = [quantities[name] for name in (x, y, z) if name is not None]
    look: dict[str, object] = {"s": 22, "linewidths": 0.4, "edgecolors": theme_of(axes).ground}
    scatter: Any = axes.scatter  # in space it takes a third place
    if colour_by is None:
        scatter(*places, color=line_style(axes, len(axes.collections))["color"], alpha=0.9, **look)
    else:
        points = scatter(*places, c=quantities[colour_by], cmap=theme_of(axes).map, **look)
        _add_scale(axes, points, quantities.label(colour_by))
    return axes


def plot_trajectory(data: Data, x: str, y: str, z: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the path of a system through the plane of two quantities or the space of three, in the order of time.

    The start is a hollow point and the end a full one.
    ax          axes to draw in, of projection "3d" for three quantities; None: new ones
    Raises      KeyError for a quantity that is not there, ModelError for flat axes and three quantities
    """
    quantities, axes = _space(data, x, y, z, ax)
    order = np.argsort(quantities.times, kind="stable")
    path = [quantities[name][order] for name in (x, y, z) if name is not None]
    # Over a flow, which is blue and green, paths begin with the second colour.
    _draw_path(axes, path, len(axes.lines) // 3 + bool(axes.collections))
    return axes


def plot_phase(
    field: Field,
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    trajectories: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = (),
    labels: tuple[str, str] = ("x", "y"),
    ax: Axes | None = None,
) -> Axes:
    """Draw a phase portrait: the flow as arrows of one length, coloured by its magnitude, and trajectories through it.

    field           gives the rates (dx, dy) at a point (x, y), as numbers or for whole arrays
    x, y            from where to where the flow is drawn
    trajectories    pairs of arrays, each the x and the y of one; `plot_trajectory(data, ..., ax=axes)` adds others
    labels          what the axes are called, with units
    """
    (left, right), (low, high) = x, y
    if not (left < right and low < high):
        raise ModelError(f"a phase portrait takes x and y from less to more, and got {x!r} and {y!r}")
    axes = own_axes(ax)
    width, height = np.meshgrid(np.linspace(left, right, ARROWS), np.linspace(low, high, ARROWS))
    dx, dy = _rates(field, width, height)
    # Directions as the eye sees them: both axes are as long as they are drawn.
    across, up = dx / (right - left), dy / (high - low)
    length = np.hypot(across, up)
    length[length == 0.0] = np.inf
    arrows = axes.quiver(
        width,
        height,
        across / length,
        up / length,
        np.hypot(dx, dy),
        cmap=theme_of(axes).map,
        angles="uv",
        pivot="mid",
        scale=1.15 * ARROWS,
        width=0.0035,
    )
    _add_scale(axes, arrows, "magnitude of the flow")
    for number, path in enumerate(trajectories):
        _draw_path(axes, [np.asarray(part, dtype=float) for part in path], number + 1)
    axes.set(xlim=x, ylim=y, xlabel=labels[0], ylabel=labels[1])
    axes.grid(visible=False)
    return axes


def _rates(
    field: Field, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The rates at all points; one by one if the field cannot take arrays."""
    try:
        dx, dy = (np.broadcast_to(np.asarray(part, dtype=float), x.shape) for part in field(x, y))
    except (TypeError, ValueError):  # the functions of math, or a choice between cases
        rates = np.array([field(*point) for point in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)])
        dx, dy = rates[:, 0].reshape(x.shape), rates[:, 1].reshape(x.shape)
    return dx, dy


def _space(data: Data, x: str, y: str, z: str | None, ax: Axes | None) -> tuple[Quantities, Axes]:
    """The quantities, and axes that are called after them."""
    quantities = Quantities(data)
    for name in (x, y, z):
        if name is not None:
            _ = quantities[name]
    axes = own_axes(ax, **({} if z is None else {"projection": "3d"}))
    if (axes.name == "3d") != (z is not None):
        raise ModelError(
            'three quantities need axes in space, and two flat ones: figure.add_subplot(projection="3d"), or no ax='
        )
    axes.set_xlabel(quantities.label(x))
    axes.set_ylabel(quantities.label(y))
    axes.margins(0.05)
    if z is not None:
        if is_narrow(axes):
            axes.set_box_aspect(None, zoom=0.82)  # type: ignore[call-arg]  # in space: room for the labels
            axes.locator_params(nbins=4)
        axes.set_zlabel(quantities.label(z))  # type: ignore[attr-defined]  # axes in space have it
    return quantities, axes


def _draw_path(axes: Axes, path: list[npt.NDArray[np.float64]], number: int) -> None:
    colour = line_style(axes, number)["color"]
    width = 1.5 if len(path[0]) <= MANY_ROWS else 0.8
    # Over a flow it has a margin of the ground's colour, for the arrows may have its own.
    halo = [withStroke(linewidth=width + 2.0, foreground=theme_of(axes).ground)] if axes.collections else None
    axes.plot(*path, color=colour, linewidth=width, zorder=3, path_effects=halo)
    for part, fill in ((slice(0, 1), theme_of(axes).ground), (slice(-1, None), colour)):
        ends = [coordinate[part] for coordinate in path]
        axes.plot(*ends, "o", color=colour, markerfacecolor=fill, markersize=5.5, markeredgewidth=1.5, zorder=4)


def _add_scale(axes: Axes, drawn: ScalarMappable, label: str) -> None:
    """A scale of colours beside the axes, in a narrow figure above them."""
    figure, theme = axes.figure, theme_of(axes)
    place: dict[str, Any] = {"pad": 0.12, "shrink": 0.75} if axes.name == "3d" else {"pad": 0.02}
    if is_narrow(axes):
        place["location"] = "top"
    scale = figure.colorbar(drawn, ax=axes, aspect=30, **place)
    scale.set_label(label, color=theme.ink, fontsize=9.5)
    scale.ax.tick_params(color=theme.frame, labelsize=8.5, labelcolor=theme.ink)
    scale.outline.set_visible(False)
    scale.ax.grid(visible=False)
