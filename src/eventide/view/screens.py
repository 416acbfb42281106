"""Where a watch is shown: in the notebook that runs the model, or on a page of this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from eventide.errors import ModelError
from eventide.libraries import load
from eventide.view.notebook import Cell
from eventide.view.page import Page

if TYPE_CHECKING:
    from eventide.observe.watching import Screen, Watch, Where


def screen_for(watch: Watch, where: Where | None = None, port: int = 0) -> Screen:
    """A screen for a watch.

    where       "notebook" or "page"; None: the notebook if this is one, else a page
    port        of the page; 0: any that is free
    Raises      ModelError for another place, or a notebook that is none; MissingLibraryError without IPython
    """
    if where not in {None, "notebook", "page"}:
        raise ModelError(f'sim.watch(where=...) takes "notebook" or "page", and got {where!r}')
    if where == "notebook" or (where is None and _is_notebook()):
        _check_notebook()
        return Cell(watch)
    page = Page(watch, port)
    # The address is no result of the run, and cannot be guessed.
    print(f"watch the run at {page.address}", file=sys.stderr, flush=True)  # noqa: T201  # it is meant for people
    return page


def _shell() -> object:
    """The shell of IPython in which this runs, if there is one."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _is_notebook() -> bool:
    """Whether what is displayed can be seen and changed: in a kernel, which a shell in a terminal is not."""
    return hasattr(_shell(), "kernel")


def _check_notebook() -> None:
    if not _is_notebook():
        load("IPython", "notebook", 'sim.watch(where="notebook"), unlike where="page",')
        raise ModelError(
            'this is no notebook, so nothing can be shown in it: sim.watch(..., where="page") opens a page'
        )
