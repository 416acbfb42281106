"""Figures with the style of the house, and how they become files.

Figures are objects of their own: nothing here opens a window or changes the library's global settings, so pictures can
be made without a screen and in several threads.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from matplotlib import rc_context
from matplotlib.figure import Figure

from eventide.errors import ModelError
from eventide.observe import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart with every kind of colour vision. Source: Okabe & Ito 2008, Color Universal Design; their yellow is left
out, which is too pale for a line on white."""

DOTS_PER_INCH: Final = 150
"""Of a saved picture: sharp when shown at its size in inches on a dense screen."""

_UNDATED: Final[dict[str, dict[str, Any]]] = {
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
}
"""For each kind of file the entries that would differ from day to day or from version to version."""

_SETTINGS = Lock()


class HouseFigure(Figure):
    """A figure whose axes have the style of the house, however they are added."""

    def add_subplot(self, *args: Any, **options: Any) -> Axes:
        """Add axes in a grid, in style."""
        return _dress(super().add_subplot(*args, **options))

    def add_axes(self, *args: Any, **options: Any) -> Axes:
        """Add axes at a place, in style."""
        return _dress(super().add_axes(*args, **options))


def new_figure(width: float = 7.0, height: float = 4.5) -> Figure:
    """An empty figure of a size in inches, to which axes are added by `subplots` and its like."""
    return HouseFigure(figsize=(width, height), layout="constrained", facecolor="white")


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure to a file, of the kind that its ending says; equal figures give equal files.

    Raises ModelError if the ending is none of .pdf, .png and .svg.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in _UNDATED:
        raise ModelError(f"a picture cannot be saved as {str(target)!r}: its name must end in {', '.join(_UNDATED)}")
    # The names of an SVG's parts are random without a salt, which only a global setting gives.
    with _SETTINGS, rc_context({"svg.hashsalt": "eventide"}), whole_file(target) as unfinished:
        figure.savefig(unfinished, format=kind[1:], dpi=DOTS_PER_INCH, metadata=_UNDATED[kind])


def _dress(axes: Axes) -> Axes:
    """A light grid behind the lines, no frame above and to the right, colours for everyone."""
    axes.set_prop_cycle(color=COLOURS)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color="#d9d9d9", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color("#4d4d4d")
    axes.tick_params(color="#4d4d4d", labelsize=9.5)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_fontsize(10.5)
    axes.title.set_fontsize(11.5)
    axes.margins(x=0.01)
    return axes
