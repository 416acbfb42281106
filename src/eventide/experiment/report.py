"""What is told of a run: the model, its responses, the account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from eventide.experiment.responses import Statistic
    from eventide.experiment.run import Run

TEXTS: Final = ("statistic", "response", "unit", "meaning", "the run")
"""The columns that hold texts; the others hold numbers."""


def report(run: Run[Any], *, for_terminal: bool = False) -> str:
    """The model, its responses and the account of a run, as a text of several tables; as wide as it needs to be.

    for_terminal    with heads in bold where the terminal can
    """
    from rich.console import Console

    console = Console(
        force_terminal=for_terminal,
        width=10_000,  # a narrow terminal may break a line, but no number is ever cut
        markup=False,
        emoji=False,
        highlight=False,
    )
    with console.capture() as captured:
        _tell(run, console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _tell(run: Run[Any], console: Console) -> None:
    console.print(repr(run.model))
    if run.model.__doc__:
        console.print(run.model.__doc__.strip().splitlines()[0])
    if not run.has_responses:
        console.print(f"\nNo responses: stopped at {run.account.end_time!r}, before the main program had ended.")
    for table in _tables(run):
        console.print()
        console.print(table)


def _tables(run: Run[Any]) -> list[Table]:
    statistics = [(name, statistic.unit, *_figures(statistic)) for name, statistic in run.statistics.items()]
    responses = run.responses if run.has_responses else {}
    numbers = [(name, *_value(value)) for name, value in responses.items() if name not in run.statistics]
    account = [
        (field.name.replace("_", " "), readable(getattr(run.account, field.name))) for field in fields(run.account)
    ]
    tables: list[tuple[Sequence[str], Sequence[Sequence[str]]]] = [
        (("statistic", "unit", "mean", "st. dev.", "min", "max", "count"), statistics),
        (("response", "unit", "value", "meaning"), numbers),
        (("the run", ""), account),
    ]
    return [_table(heads, rows) for heads, rows in tables if rows]


def _figures(statistic: Statistic) -> tuple[str, ...]:
    # A level has a value at every time, and so no count.
    count = getattr(statistic, "count", None)
    moments = (statistic.mean, statistic.stdev, statistic.minimum, statistic.maximum)
    return (*map(readable, moments), "" if count is None else readable(count))


def _value(number: Any) -> tuple[str, str, str]:
    return getattr(number, "unit", ""), readable(number), getattr(number, "description", "")


def readable(number: Any) -> str:
    """A real number with six significant digits, whole ones in full; "-" for one that the data do not settle."""
    if isinstance(number, bool):
        return "yes" if number else "no"
    if number != number:
        return "-"
    if abs(number) < 1e15 and number == int(number):
        return str(int(number))
    return str(number) if isinstance(number, int) else f"{float(number):.6g}"


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[str]) -> str:
    """A table as a text, as wide as it needs to be; the columns `texts` stand left, the others right."""
    from rich.console import Console

    console = Console(width=10_000, markup=False, emoji=False, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(_table(heads, rows, texts))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[str] = TEXTS) -> Table:
    """A table whose columns are as wide as needed; those that would be empty are left out, numbers stand right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    places = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    for place in places:
        table.add_column(heads[place], justify="left" if heads[place] in texts else "right")
    for row in rows:
        table.add_row(*(row[place] for place in places))
    return table
