"""Render the two-column tables of docstrings as definition lists.

A docstring of eventide lists arguments and attributes in two columns, names on the left and what they are on the
right, a continued line below the right column:

    capacity    the most that it holds
    puts, gets  those who put and get: each with `queue` (a `Level`),
                `waits` (a `Tally`) and `waiting`

In: the lines of a docstring. Out: the same lines, each such paragraph as a definition list of reStructuredText.
"""

from __future__ import annotations

import re
from typing import Any

ROW = re.compile(r"^(?P<name>\S+(?: \S+)*?) {2,}(?P<text>\S.*)$")
CODE = re.compile(r"(`[^`]*`)")


def escape(line: str) -> str:
    """The line with its bars as bars: reStructuredText takes |x| for the name of a substitution."""
    return "".join(part if part.startswith("`") else part.replace("|", "\\|") for part in CODE.split(line))


def as_definitions(lines: list[str]) -> list[str]:
    """The lines of a docstring with its tables as definition lists.

    A row begins at the margin and has two blanks or more after its name; lines that are indented continue it. What
    else begins at the margin ends the table.
    """
    result: list[str] = []
    in_table = False
    for line in map(escape, lines):
        row = ROW.match(line)
        if row:
            result += [*([] if in_table else [""]), f"``{row['name']}``", f"    {row['text']}"]
            in_table = True
        elif in_table and line.startswith(" "):
            result.append(f"    {line.strip()}")
        else:
            result += ["", line] if in_table and line else [line]
            in_table = False
    return result


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""

    def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        lines[:] = as_definitions(lines)

    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True}
