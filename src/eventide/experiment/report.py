"""What is told of a run: the model, its responses, the account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from eventide.experiment.responses import Statistic
    from eventide.experiment.run import Run

TEXTS: Final = ("statistic", "response", "unit", "meaning", "the run")
"""The columns that hold texts; the others hold numbers."""


def report(run: Run[object], *, for_terminal: bool = False) -> str:
    """The model, its responses and the account of a run, as a text of several tables; as wide as it needs to be.

    for_terminal    with heads in bold where the terminal can
    """
    parts = [repr(run.model)]
    if run.model.__doc__:
        parts.append(run.model.__doc__.strip().splitlines()[0])
    if not run.has_responses:
        parts.append(f"\nNo responses: stopped at {run.account.end_time!r}, before the main program had ended.")
    for heads, rows in _tables(run):
        parts += ["", plain_table(heads, rows, bold=for_terminal)]
    return "\n".join(parts)


def _tables(run: Run[Any]) -> list[tuple[Sequence[str], Sequence[Sequence[str]]]]:
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
    return [table for table in tables if table[1]]


def _figures(statistic: Statistic) -> tuple[str, ...]:
    # A level has a value at every time, and so no count.
    count = getattr(statistic, "count", None)
    moments = (statistic.mean, statistic.stdev, statistic.minimum, statistic.maximum)
    return (*map(readable, moments), "" if count is None else readable(count))


def _value(number: float) -> tuple[str, str, str]:
    return getattr(number, "unit", ""), readable(number), getattr(number, "description", "")


def readable(number: float) -> str:
    """A real number with six significant digits, whole ones in full; "-" for one that the data do not settle."""
    if isinstance(number, bool):
        return "yes" if number else "no"
    if number != number:
        return "-"
    if abs(number) < 1e15 and number == int(number):
        return str(int(number))
    return str(number) if isinstance(number, int) else f"{float(number):.6g}"


def plain_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[str] = TEXTS, *, bold: bool = False
) -> str:
    """A table as a text, as wide as it needs to be; a column that would be empty is left out.

    texts   the columns that stand left; the others stand right
    bold    mark the heads for a terminal
    """
    places = [place for place in range(len(heads)) if any(row[place] for row in rows)]
    widths = [max(len(line[place]) for line in (heads, *rows)) for place in places]

    def line(cells: Sequence[str]) -> str:
        return "   ".join(
            cells[place].ljust(width) if heads[place] in texts else cells[place].rjust(width)
            for place, width in zip(places, widths, strict=True)
        ).rstrip()

    head = f"\x1b[1m{line(heads)}\x1b[0m" if bold else line(heads)
    return "\n".join([head, "─" * (sum(widths) + 3 * (len(widths) - 1)), *map(line, rows)])
