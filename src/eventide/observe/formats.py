"""Tables as files: CSV, JSON and Parquet, written in pieces and read back equal.

In: a schema, which says what each column is, and DataFrames of its columns. Out: files, and tables again. `FORMATS` at
the end lists all formats by the endings of their files; a new one needs a line there and nothing elsewhere.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from eventide.data.tables import MARK
from eventide.errors import InputError
from eventide.libraries import load
from eventide.observe.table_schema import TEXT, TableSchema, flatten

if TYPE_CHECKING:
    from types import ModuleType

    import pandas as pd
Write: TypeAlias = "Callable[[pd.DataFrame], None]"
"""Takes the next rows of a table; they have the columns of its schema."""

MISSING: Final = "\\N"
"""A missing text in a CSV file, where an empty one is empty; a text that begins with a backslash has one more."""


_TRUTHS: Final = {"True": True, "False": False}
_FIELDS: Final = Lock()


# --- CSV --------------------------------------------------------------------------------------------------------------


@contextmanager
def csv_writer(path: Path, schema: TableSchema) -> Iterator[Write]:
    """A CSV file: a line that describes the columns, a header with units, rows."""
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"{MARK}{schema.to_json()}\n")
        # Every text in quotes: one with a bare carriage return would else be two rows to a reader.
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(_header(schema))

        def write(frame: pd.DataFrame) -> None:
            flat = flatten(frame)
            columns = [
                _as_cells(flat[name]) if schema.is_text(place) else flat[name].tolist()
                for place, name in enumerate(schema.columns)
            ]
            writer.writerows(zip(*columns, strict=True))

        yield write


def _header(schema: TableSchema) -> list[str]:
    return [f"{name} [{schema.unit(name)}]" if schema.unit(name) else name for name in schema.columns]


def _as_cells(texts: pd.Series[str]) -> list[str]:
    return [
        MISSING if is_missing else f"\\{text}" if text.startswith("\\") else text
        for text, is_missing in zip(texts.tolist(), texts.isna().tolist(), strict=True)
    ]


def read_csv(path: Path) -> pd.DataFrame:
    """The table in a CSV file; one of other origin as pandas reads it. Raises InputError for one that was changed."""
    from eventide.libraries import pandas as pd

    with path.open(newline="", encoding="utf-8-sig") as file:
        first = file.readline()
        if not first.startswith(MARK):
            if first.startswith(f'"{MARK}'):  # as a cell
                raise InputError(
                    f"{path} is of eventide, and another program has written it again, as a spreadsheet does, with a "
                    "first line that cannot be understood: delete that to read the rest as it is"
                )
            return pd.read_csv(path)
        schema = TableSchema.from_json(first.removeprefix(MARK), str(path))
        with _fields_as_long_as(path.stat().st_size):
            header, *rows = csv.reader(file, strict=True)
    if header != _header(schema):
        raise InputError(
            f"{path} has the columns {header!r:.300}, and by its first line they are {_header(schema)!r:.300}"
        )
    if any(len(row) != len(schema.columns) for row in rows):
        raise InputError(f"{path} has rows of other lengths than the {len(schema.columns)} columns of its first line")
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema.columns)
    return schema.restore(map(_of_cells, columns, schema.dtypes))


@contextmanager
def _fields_as_long_as(size: int) -> Iterator[None]:
    """Raise the limit of Python's reader for fields, which by default refuses texts of more than 131,072 characters."""
    with _FIELDS:  # the limit is one for all threads
        before = csv.field_size_limit(min(max(size, csv.field_size_limit()), 2**31 - 1))
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _of_cells(cells: Sequence[str], dtype: str) -> list[object]:
    if dtype in TEXT:
        return [None if cell == MISSING else cell.removeprefix("\\") for cell in cells]
    if dtype == "bool":
        return [_TRUTHS[cell] for cell in cells]
    # Python's own float is exact, whatever pandas is set to.
    return list(map(float if dtype.startswith("float") else int, cells))


# --- JSON -------------------------------------------------------------------------------------------------------------


@contextmanager
def json_writer(path: Path, schema: TableSchema) -> Iterator[Write]:
    """A JSON file, which is written at once: the schema, then under "data" a list for each column.

    Numbers that are none in JSON are the texts "NaN", "Infinity" and "-Infinity"; a missing text is null.
    """
    yield partial(_write_json, path, schema)


def _write_json(path: Path, schema: TableSchema, frame: pd.DataFrame) -> None:
    flat = flatten(frame)
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"eventide table": {schema.to_json()},\n"data": {{')
        for place, name in enumerate(schema.columns):
            values: list[object] = flat[name].tolist()
            if schema.is_float(place):
                values = [_as_json(value) for value in flat[name].tolist()]
            elif schema.is_text(place):
                values = [text if isinstance(text, str) else None for text in values]
            file.write(f"{',' if place else ''}\n{json.dumps(name, ensure_ascii=False)}: ")
            json.dump(values, file, ensure_ascii=False, allow_nan=False)
        file.write("\n}}\n")


def _as_json(value: float) -> float | str:
    if value - value == 0.0:
        return value
    return "NaN" if value != value else "Infinity" if value > 0.0 else "-Infinity"


def _of_json(values: list[object], schema: TableSchema, place: int) -> list[object]:
    """The values of a column; raises TypeError if one is not of its kind, which numpy would make fit."""
    kinds: tuple[type, ...] = (int,)
    if schema.is_text(place):
        kinds = str, type(None)
    elif schema.is_float(place):
        kinds = float, int, str
    elif schema.dtypes[place] == "bool":
        kinds = (bool,)
    wrong = [value for value in values if type(value) not in kinds]
    if wrong:
        raise TypeError(f"{wrong[0]!r:.100} in the column {schema.columns[place]!r}")
    return values


def read_json(path: Path) -> pd.DataFrame:
    """The table in a JSON file of eventide. Raises InputError if it is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        schema = TableSchema.from_json(json.dumps(found["eventide table"]), str(path))
        return schema.restore(_of_json(found["data"][name], schema, place) for place, name in enumerate(schema.columns))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is no table of eventide: {error!r}") from None


# --- Parquet ----------------------------------------------------------------------------------------------------------


@contextmanager
def parquet_writer(path: Path, schema: TableSchema) -> Iterator[Write]:
    """A Parquet file; pandas reads it equal too, and every reader finds unit and description with each column."""
    pa = load("pyarrow", "parquet", "a Parquet file")
    parquet = load("pyarrow.parquet", "parquet", "a Parquet file")
    arrow_schema = _schema(pa, schema)
    with parquet.ParquetWriter(path, arrow_schema) as writer:

        def write(frame: pd.DataFrame) -> None:
            flat = flatten(frame)
            arrays = [
                pa.array(flat[name], type=kind, from_pandas=True)
                if schema.is_text(place)
                else pa.array(flat[name].to_numpy(), type=kind, from_pandas=False)
                for place, (name, kind) in enumerate(zip(schema.columns, arrow_schema.types, strict=True))
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=arrow_schema))

        yield write


def _schema(pa: ModuleType, schema: TableSchema) -> Any:
    fields = []
    for place, (name, dtype) in enumerate(zip(schema.columns, schema.dtypes, strict=True)):
        kind = pa.string() if schema.is_text(place) else pa.from_numpy_dtype(dtype)
        said = {"unit": schema.unit(name), "description": schema.description(name)}
        fields.append(pa.field(name, kind, metadata={key: text for key, text in said.items() if text} or None))
    empty = schema.restore([] for _ in schema.columns)
    empty.attrs = {}
    for_pandas = pa.Schema.from_pandas(empty).metadata
    attributes = json.dumps(schema.attributes, ensure_ascii=False)
    return pa.schema(fields, {**for_pandas, "PANDAS_ATTRS": attributes, "eventide": schema.to_json()})


def read_parquet(path: Path) -> pd.DataFrame:
    """The table in a Parquet file; one of other origin as pandas reads it."""
    from eventide.libraries import pandas as pd

    parquet = load("pyarrow.parquet", "parquet", "a Parquet file")
    with parquet.ParquetFile(path) as file:
        text = (file.schema_arrow.metadata or {}).get(b"eventide")
        if text is None:
            return pd.read_parquet(path)
        schema = TableSchema.from_json(text, str(path))
        table = file.read()
    return schema.restore(
        column.to_pylist() if schema.is_text(place) else column.to_numpy()
        for place, column in enumerate(table.itercolumns())
    )


# --- all of them ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Format:
    """How tables are kept in a file.

    writer      begins a file for tables of a schema, and gives what takes their rows
    read        gives the table of a file back
    is_streamed whether rows may come piece by piece
    """

    writer: Callable[[Path, TableSchema], AbstractContextManager[Write]]
    read: Callable[[Path], pd.DataFrame]
    is_streamed: bool = True


FORMATS: Final[dict[str, Format]] = {
    ".csv": Format(csv_writer, read_csv),
    ".json": Format(json_writer, read_json, is_streamed=False),
    ".parquet": Format(parquet_writer, read_parquet),
}
"""The formats by the endings of their files."""
