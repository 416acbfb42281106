"""How far a study has come, and when it will be done: a bar in a terminal, or in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eventide.experiment.results import Result


def shown(results: Iterable[Result], count: int, name: str, *, wanted: bool | None) -> Iterator[Result]:
    """The same results, each counted by a bar on standard error as it comes by.

    wanted      whether there is a bar; None: where somebody can see it
    """
    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    return _with_bar(results, count, name) if wanted else iter(results)


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
