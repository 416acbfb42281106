"""Pictures of methods: where in the complex plane a step is stable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from eventide.errors import ModelError
from eventide.methods import Method, Tableau, stability_function
from eventide.view.canvas import add_legend, line_style, own_axes, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 401
"""Points of the grid in either direction."""


def plot_stability(
    methods: Sequence[Method | Tableau],
    *,
    real: tuple[float, float] = (-6.0, 3.0),
    imaginary: tuple[float, float] = (-5.0, 5.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw the border of each method's region of stability, |R(z)| = 1 for z = step times eigenvalue.

    Explicit methods are stable inside of their border, A-stable ones on the left of theirs, which may be the imaginary
    axis. The legend marks A-stable ones.
    real, imaginary     the part of the plane that is shown
    Raises              ModelError if no method is given, or a side of the plane has no length
    """
    if not methods or not (real[0] < real[1] and imaginary[0] < imaginary[1]):
        raise ModelError(
            f"{len(methods)} methods, real parts {real!r}, imaginary parts {imaginary!r}: a method and two sides that "
            "grow are needed"
        )
    axes = own_axes(ax)
    x, y = np.linspace(*real, POINTS), np.linspace(*imaginary, POINTS)
    handles, labels = [], []
    for place, method in enumerate(methods):
        function = stability_function(method.tableau if isinstance(method, Method) else method)
        style = line_style(axes, place)
        with np.errstate(divide="ignore", invalid="ignore"):  # the grid may meet a pole
            distance = function.region(x, y) - 1.0
        axes.contour(x, y, distance, levels=[0.0], colors=[style["color"]], linestyles=[style["linestyle"]])
        handles.append(Line2D([], [], **style))
        labels.append(f"{method.name} (A-stable)" if function.is_a_stable else method.name)
    for line in (axes.axhline, axes.axvline):
        line(0.0, color=theme_of(axes).ink, linewidth=0.6)
    axes.set_aspect("equal", anchor="W")  # the legend is on the right
    axes.set_xlabel("real part of step times eigenvalue")
    axes.set_ylabel("imaginary part of step times eigenvalue")
    add_legend(axes, handles, labels)
    return axes
