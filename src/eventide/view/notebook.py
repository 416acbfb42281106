"""Watching in a notebook: one output of a cell, updated in place."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

from eventide.libraries import load
from eventide.view.panels import curves_as_html

if TYPE_CHECKING:
    from eventide.observe.watching import Watch

PAUSE: Final = 0.25
"""Seconds between two pictures at least,"""
SHARE: Final = 0.05
"""and the largest fraction of the time that is spent on drawing."""


class Cell:
    """The output of the cell in which it was made.

    It is changed by the thread in which the run goes, so that nothing is ever shown of a model that moves meanwhile.
    """

    address = ""

    def __init__(self, watch: Watch) -> None:
        shown = load("IPython.display", "notebook", "watching a run in a notebook")
        self._watch = watch
        self._html = shown.HTML
        self._handle = shown.display(shown.HTML(self._draw()), display_id=True)
        self._next = 0.0

    def _draw(self) -> str:
        return curves_as_html(self._watch.snapshot())

    def notice(self, *, is_at_rest: bool) -> None:
        """Redraw if it is time to, and where the run pauses."""
        begun = perf_counter()
        if is_at_rest or begun >= self._next:
            self._handle.update(self._html(self._draw()))
            now = perf_counter()
            self._next = now + max(PAUSE, (now - begun) / SHARE)

    def close(self) -> None:
        """Draw what there is for the last time."""
        self.notice(is_at_rest=True)
