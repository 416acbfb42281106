"""Tables of input data: named columns of a CSV file as arrays, checked line by line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import InputError, ModelError

if TYPE_CHECKING:
    from os import PathLike

    import numpy.typing as npt


def read_table(
    path: str | PathLike[str], columns: Sequence[str], *, increasing: str | None = None
) -> dict[str, npt.NDArray[np.float64]]:
    """Columns of a CSV file by name, each an array with a number for every row.

    path        of a file in UTF-8 whose first line names the columns, best with their units: `position_m`
    columns     the names of those to read; the file may have more
    increasing  the one of them in which every number must exceed the one before
    Raises      InputError if the file cannot be read, a column is missing, a cell is no finite number or the numbers
                do not increase; it names file, line and column, what was found and what is allowed
    """
    if increasing is not None and increasing not in columns:
        raise ModelError(f"read_table: increasing={increasing!r} is none of the columns that it reads")
    table = _Table(Path(path), tuple(columns))
    try:
        with table.path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            table.read(([cell.strip() for cell in cells], reader.line_num) for cells in reader)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: it should be a CSV file with {_named(columns)}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is no CSV file in UTF-8: {error}") from None
    if increasing is not None:
        table.check_increasing(increasing)
    return {name: np.array(data, dtype=float) for name, data in table.data.items()}


MARK: Final = "# eventide table: "
"""What a table begins with that `ev.save` has written."""


@dataclass
class _Table:
    """A table on its way from a file: the numbers of each column, and the line of each row."""

    path: Path
    columns: tuple[str, ...]
    lines: list[int] = field(default_factory=list)
    data: dict[str, list[float]] = field(default_factory=dict)

    def read(self, rows: Iterable[tuple[list[str], int]]) -> None:
        """Take in the header and the rows; blank lines count as none, and so does the first one of `ev.save`."""
        filled = ((cells, line) for cells, line in rows if any(cells) and not cells[0].startswith(MARK))
        header, _ = next(filled, ([], 0))
        places = {name: self._place(header, name) for name in self.columns}
        self.data = {name: [] for name in self.columns}
        for cells, line in filled:
            if len(cells) > len(header):
                raise InputError(f"{self.path}, line {line}: {len(cells)} cells where the header has {len(header)}")
            self.lines.append(line)
            for name, place in places.items():
                self.data[name].append(self._number(cells[place] if place < len(cells) else "", name, line))
        if not self.lines:
            raise InputError(f"{self.path} has a header and no rows: every row gives {_named(self.columns)}")

    def _place(self, header: list[str], name: str) -> int:
        if header.count(name) == 1:
            return header.index(name)
        if not header:
            raise InputError(f"{self.path} is empty: it should be a CSV file with {_named(self.columns)}")
        found = "has no" if name not in header else "has more than one"
        raise InputError(f"{self.path} {found} column {name}; its columns are {', '.join(header)}")

    def _number(self, cell: str, name: str, line: int) -> float:
        try:
            number = float(cell)
        except ValueError:
            number = float("nan")
        # Python reads 1_000 as a number; a file that says so has more likely lost a separator.
        if not isfinite(number) or "_" in cell:
            found = repr(cell) if cell else "an empty cell"
            raise InputError(
                f"{self.path}, line {line}: {name} is {found}; allowed is a finite number, as 0.25 or 1e-3"
            )
        return number

    def check_increasing(self, name: str) -> None:
        """Raise InputError at the first number that does not exceed the one before."""
        values = self.data[name]
        for row in range(1, len(values)):
            if values[row] <= values[row - 1]:
                raise InputError(
                    f"{self.path}, line {self.lines[row]}: {name} must increase, and {values[row]!r} comes after "
                    f"{values[row - 1]!r} in line {self.lines[row - 1]}"
                )


def _named(columns: Sequence[str]) -> str:
    word = "the column" if len(columns) == 1 else "the columns"
    return f"{word} {', '.join(columns)}"
