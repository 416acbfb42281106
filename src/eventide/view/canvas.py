"""Figures with the style of the house, and how they become files.

Figures are objects of their own: nothing here opens a window or changes the library's global settings, so pictures can
be made without a screen and in several threads. Only where pyplot would show them anyway are they given to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.colors import Colormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.text import Text

from eventide.errors import ModelError
from eventide.observe import whole_file
from eventide.view.palette import DARK, LIGHT, STROKES, Tones

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.typing import LineStyleType

NARROW: Final = 4.5
"""A narrower figure, in inches, is set in a column: legends beside the axes move above them."""


@dataclass(frozen=True)
class Theme(Tones):
    """The colours of a figure.

    map     for magnitudes: matplotlib's viridis without the end that could not be seen on the ground
    """

    map: Colormap


def _part_of_viridis(low: float, high: float) -> Colormap:
    return ListedColormap(colormaps["viridis"](np.linspace(low, high, 256)), name="eventide")


THEMES: Final = {
    "light": Theme(**vars(LIGHT), map=_part_of_viridis(0.82, 0.0)),
    "dark": Theme(**vars(DARK), map=_part_of_viridis(0.22, 1.0)),
}
ThemeName: TypeAlias = Literal["light", "dark"]

DOTS_PER_INCH: Final = 150
"""Of a saved picture: sharp when shown at its size in inches on a dense screen."""

_UNDATED: Final[dict[str, dict[str, object]]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
}
"""For each kind of file the entries that would differ from day to day or from version to version."""

_SETTINGS = Lock()


class HouseFigure(Figure):
    """A figure whose axes have the style of the house, however they are added."""

    def __init__(self, *args: Any, theme: Theme = THEMES["light"], **options: Any) -> None:
        self.theme = theme
        super().__init__(*args, **{**options, "facecolor": theme.ground})  # pyplot gives a colour of its own

    def add_subplot(self, *args: object, **options: object) -> Axes:
        """Add axes in a grid, in style."""
        return _style(super().add_subplot(*args, **options), self.theme)

    def add_axes(self, *args: Any, **options: Any) -> Axes:
        """Add axes at a place, in style."""
        return _style(super().add_axes(*args, **options), self.theme)


def new_figure(width: float = 7.0, height: float = 4.5, *, theme: ThemeName = "light") -> Figure:
    """An empty figure of a size in inches, to which axes are added by `subplots` and its like.

    theme       "light" or "dark"
    Raises      ModelError for another theme
    """
    if theme not in THEMES:
        raise ModelError(f"a figure takes the theme {' or '.join(map(repr, THEMES))}, and got {theme!r}")
    return HouseFigure(figsize=(width, height), layout="constrained", theme=THEMES[theme])


def shown_figure(width: float = 7.0, height: float = 4.5) -> Figure:
    """An empty figure that is shown as those of pyplot are, where there is a screen.

    That is in a notebook, at the end of the cell, and in a program that has imported pyplot: `plt.show()` and
    sphinx-gallery find it. Elsewhere it is as `new_figure` makes it, and pyplot is not loaded.
    """
    if "matplotlib.pyplot" not in sys.modules and not _is_notebook():
        return new_figure(width, height)
    from matplotlib import pyplot as plt

    return plt.figure(figsize=(width, height), FigureClass=HouseFigure, layout="constrained", theme=THEMES["light"])


def _is_notebook() -> bool:
    """Whether this program is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def theme_of(axes: Axes) -> Theme:
    """The theme of the figure in which axes are; the light one for a figure that was not made here."""
    return getattr(axes.get_figure(root=True), "theme", THEMES["light"])


class Stroke(TypedDict, total=False):
    """How a line is drawn, for `Axes.plot` and its like."""

    color: str
    linestyle: LineStyleType
    marker: str


def line_style(axes: Axes, place: int) -> Stroke:
    """Colour and stroke of the line with this number, from 0."""
    colours = theme_of(axes).colours
    return {"color": colours[place % len(colours)], "linestyle": STROKES[place // len(colours) % len(STROKES)]}


def is_narrow(axes: Axes) -> bool:
    """Whether the figure is set in a column."""
    figure = axes.get_figure(root=True)
    return figure is not None and figure.get_figwidth() < NARROW


def own_axes(ax: Axes | None, **options: object) -> Axes:
    """The axes to draw in: those that were given, or new ones in a new figure. Raises TypeError for what are none."""
    if ax is not None:
        if not hasattr(ax, "get_figure"):
            raise TypeError(f"ax takes axes to draw in, and got {ax!r}: columns are named as `columns=['tank.level']`")
        return ax
    axes: Axes = shown_figure().add_subplot(**options)
    return axes


def save(drawn: Figure | Axes, path: str | PathLike[str]) -> None:
    """Write a figure, or that of the axes that a plot returns, to a file; equal figures give equal files.

    The ending of its name says of which kind it is. Raises ModelError if that is none of .pdf, .png and .svg, or if
    there is no figure.
    """
    figure = drawn.get_figure(root=True) if hasattr(drawn, "get_figure") else drawn
    if not isinstance(figure, Figure):
        raise ModelError(f"view.save takes a figure, or axes as `recording.plot()` returns them, and got {drawn!r}")
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in _UNDATED:
        raise ModelError(f"a picture cannot be saved as {str(target)!r}: its name must end in {', '.join(_UNDATED)}")
    with settings(), whole_file(target) as unfinished:
        ink_words(figure)
        figure.savefig(unfinished, format=kind[1:], dpi=DOTS_PER_INCH, metadata=_UNDATED[kind])


@contextmanager
def settings() -> Iterator[None]:
    """The block in which a picture is written: the names of an SVG's parts are random without a salt, which only a
    global setting gives.
    """
    with _SETTINGS, rc_context({"svg.hashsalt": "eventide"}):
        yield


def ink_words(figure: Figure) -> None:
    """Give texts that were left black the ink of the figure's theme."""
    theme = getattr(figure, "theme", THEMES["light"])
    for text in figure.findobj(Text):
        colour = text.get_color()
        if isinstance(colour, str) and colour == "black":
            text.set_color(theme.ink)


def add_legend(axes: Axes, handles: Sequence[Artist | BarContainer], labels: list[str], title: str = "") -> None:
    """A legend outside of the data: beside the axes, in a narrow figure above them.

    In axes of the user's, in a figure that makes no room for what stands outside of them, it is inside: else it is cut.
    """
    size = 8.5 if is_narrow(axes) else 9.5
    home, place = _legend_place(axes, labels)
    legend = home.legend(
        handles,
        labels,
        title=title or None,
        fontsize=size,
        title_fontsize=size,
        alignment="left",
        labelcolor=theme_of(axes).ink,
        **{"frameon": False, **place},
    )
    legend.get_title().set_color(theme_of(axes).ink)
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_alpha(1.0)


def _legend_place(axes: Axes, labels: list[str]) -> tuple[Any, dict[str, object]]:
    """The axes of a legend, and its place."""
    figure = axes.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is None:
        frame = {"frameon": True, "framealpha": 0.8, "facecolor": axes.get_facecolor(), "edgecolor": "none"}
        return axes, {"loc": "upper right", **frame}
    if figure is None or not is_narrow(axes):
        return axes, {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    # In columns of the widest: a letter of this size takes about 0.07 inches, what stands before it 0.55.
    widest = 0.55 + 0.07 * max(map(len, labels))
    columns = {"ncols": max(1, min(len(labels), int(figure.get_figwidth() / widest))), "columnspacing": 1.2}
    if len(figure.axes) > 1:
        return axes, {"loc": "lower left", "bbox_to_anchor": (0.0, 1.01), "borderaxespad": 0.0, **columns}
    for legend in figure.legends:  # of what was drawn before in the same axes
        legend.remove()
    return figure, {"loc": "outside upper center", **columns}


def _style(axes: Axes, theme: Theme) -> Axes:
    """A light grid behind the lines, no frame above and to the right, colours for everyone."""
    axes.set_prop_cycle(color=theme.colours)
    axes.set_facecolor(theme.ground)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color=theme.grid, linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(theme.frame)
    axes.tick_params(color=theme.frame, labelsize=9.5, labelcolor=theme.ink)
    for axis in _axes_of(axes):
        axis.label.set_fontsize(10.5)
        axis.label.set_color(theme.ink)
    axes.title.set_fontsize(11.5)
    axes.title.set_color(theme.ink)
    if axes.name == "3d":
        _style_space(axes, theme)
    else:
        axes.margins(x=0.01)
    return axes


def _axes_of(axes: Axes) -> list[Any]:
    return [axis for axis in (axes.xaxis, axes.yaxis, getattr(axes, "zaxis", None)) if axis is not None]


def _style_space(axes: Axes, theme: Theme) -> None:
    """Walls as light as the ground, and a thin grid on them."""
    for axis in _axes_of(axes):
        axis.set_pane_color(theme.ground)
        axis.line.set_color(theme.frame)
        axis._axinfo["grid"].update(color=theme.grid, linewidth=0.6)  # the grid of space has no public setting
