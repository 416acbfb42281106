"""How far a study has come, and when it will be done: a bar in a terminal, or in the output of a notebook's cell."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from html import escape
from time import localtime, perf_counter, strftime, time
from typing import TYPE_CHECKING, Final, Protocol

from eventide.libraries import load

if TYPE_CHECKING:
    from eventide.experiment.results import Result

PATIENCE: Final = 0.5
"""Seconds after which a notebook shows a bar: what is done sooner needs none."""
PAUSE: Final = 0.25
"""Seconds between two pictures of it at least."""


def shown(results: Iterable[Result], count: int, name: str, *, wanted: bool | None) -> Iterator[Result]:
    """The same results, each counted by a bar as it comes by: in a notebook's cell, else on standard error.

    wanted      whether there is a bar; None: where it can be seen
    """
    in_notebook = _is_notebook()
    if wanted is None:
        wanted = in_notebook or (sys.stderr is not None and sys.stderr.isatty())
    if not wanted:
        return iter(results)
    return (_in_notebook if in_notebook else _with_bar)(results, count, name)


def _with_bar(results: Iterable[Result], count: int, name: str) -> Iterator[Result]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[failures]}"),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    failures = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=count, failures="")
        for result in results:
            failures += result.failure is not None
            bar.update(task, advance=1, failures=f"{failures} failed" if failures else "")
            yield result


# --- in a notebook ----------------------------------------------------------------------------------------------------


def _is_notebook() -> bool:
    """Whether what is displayed can be seen and changed: in a kernel of Jupyter, not in a shell in a terminal."""
    module = sys.modules.get("IPython")
    return module is not None and hasattr(module.get_ipython(), "kernel")


class _Handle(Protocol):
    """What has been displayed, to be replaced by something newer."""

    def update(self, picture: object, /) -> None: ...


def _in_notebook(results: Iterable[Result], count: int, name: str) -> Iterator[Result]:
    shown = load("IPython.display", "notebook", "a bar in a notebook")
    begun, done, failures = perf_counter(), 0, 0
    handle: _Handle | None = None
    next_picture = begun + PATIENCE
    try:
        for result in results:
            done += 1
            failures += result.failure is not None
            now = perf_counter()
            if now >= next_picture:
                next_picture = now + PAUSE
                picture = shown.HTML(as_html(name, done, count, failures, now - begun))
                if handle is None:
                    handle = shown.display(picture, display_id=True)
                else:
                    handle.update(picture)
            yield result
    finally:
        if handle is not None:
            handle.update(shown.HTML(as_html(name, done, count, failures, perf_counter() - begun)))


def as_html(name: str, done: int, count: int, failures: int, seconds: float) -> str:
    """A bar, with the time at which the study will be done as far as the runs that are made tell."""
    told = [f"{done} of {count} runs"]
    if failures:
        told.append(f"{failures} failed")
    told.append(f"{_duration(seconds)} so far" if done < count else f"in {_duration(seconds)}")
    if done < count:
        left = seconds / max(done, 1) * (count - done)
        told.append(f"about {_duration(left)} left, until {strftime('%H:%M:%S', localtime(time() + left))}")
    return f'<div>{escape(name)} <progress value="{done}" max="{count}"></progress> {", ".join(told)}</div>'


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
