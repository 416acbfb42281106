"""Pictures of tests: the quality of every test and input beside what is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.view.canvas import own_axes, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eventide.verify import Report


def plot_qualities(report: Report, ax: Axes | None = None) -> Axes:
    """Draw a row for each test: a point for each input, at its quality in units of the threshold; a line at 1."""
    axes = own_axes(ax)
    theme = theme_of(axes)
    results = report.results
    for place, result in enumerate(results):
        for passed, colour, marker in ((True, theme.colours[2], "o"), (False, theme.colours[1], "X")):
            shares = [one.quality / one.threshold for one in result.outcomes if one.passed is passed and one.threshold]
            axes.plot(shares, [place] * len(shares), marker, color=colour, markersize=6, alpha=0.8)
    axes.axvline(1.0, color=theme.frame, linestyle="--", linewidth=1.0)
    axes.set_yticks(range(len(results)), [f"{one.test.id} ({report.kind(one.test)})" for one in results])
    axes.set_ylim(len(results) - 0.5, -0.5)
    most = max(one.quality / one.threshold for result in results for one in result.outcomes if one.threshold)
    axes.set_xlim(0.0, 1.06 * max(1.0, most))  # no point lies on the edge
    axes.set_xlabel("quality / threshold")
    axes.set_title(f"{report.system.name}: {'releasable' if report.is_releasable else 'not releasable'}")
    return axes
