"""Dumps: recordings and tables to files and databases, and back.

In: a recording or DataFrame. Out: a file or table from which `load` returns an equal one.

Source: Pannek, Simulation of mechatronic systems, definition 4.8.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from eventide.data.tables import MARK
from eventide.errors import EventideError, InputError, ModelError
from eventide.libraries import load as load_library
from eventide.observe.files import whole_file
from eventide.observe.formats import FORMATS
from eventide.observe.recording_base import RecordingBase
from eventide.observe.sql import read_sql, sql_writer
from eventide.observe.table_schema import TableSchema

if TYPE_CHECKING:
    import pandas as pd

    from eventide.observe.formats import Write

DATABASES: Final = (".db", ".sqlite", ".sqlite3")
"""Endings of files that are SQLite databases."""

KINDS: Final = ", ".join((*FORMATS, *DATABASES))
"""The endings of all files that are known, in words."""


@runtime_checkable
class Tabular(Protocol):
    """A result that is one table."""

    def to_pandas(self) -> pd.DataFrame:
        """Its table."""


def save(
    data: RecordingBase | Tabular | pd.DataFrame, where: str | PathLike[str], *, table: str = "", ending: str = ""
) -> None:
    """Write a recording or a DataFrame to a file or a database, from which `load` gives it back equal.

    Of sensitivities their table is written.
    Values, dtypes, index and attributes (units, descriptions) come back; of a recording also, in the column `side`,
    on which side of an event each row is. SQLite alone makes 0.0 of -0.0. What was there before is replaced at the end,
    as a whole.

    where       a file that ends in .csv, .json, .parquet, or .db for SQLite; or the URL of a database as SQLAlchemy
                understands it, for instance postgresql+psycopg://user@host/name
    table       its name in a database; the name of the recording, or `attrs["name"]`, if it is not given
    ending      the format of a file whose name does not end in it, as in save(trace, "/dev/stdout", ending=".csv")
    Raises      ModelError if it is neither, or cannot be kept: columns of one name, or of other kinds than numbers,
                Booleans and texts; or if a table of that name in a database is not eventide's own
    """
    if ending and ending not in (*FORMATS, *DATABASES):
        raise ModelError(f"ending= takes one of {KINDS}, and got {ending!r}")
    kind = ending or _kind(where)
    frame = data.to_pandas(sides=True) if isinstance(data, RecordingBase) else _checked_frame(data)
    schema = TableSchema.of(frame)
    with _writing(kind, where, table, schema) as write:
        write(frame)


def load(where: str | PathLike[str], *, table: str = "") -> pd.DataFrame:
    """The table that `save` has written, as a DataFrame that is equal to the one that was dumped.

    A CSV or Parquet file, or a table of a database, that something else has written is read as pandas does.
    where       as for `save`
    table       its name in a database; not needed if eventide dumped one only
    Raises      InputError if there is none, or it is damaged
    """
    kind = _kind(where)
    if kind == "url":
        return read_sql(os.fspath(where), table)
    path = Path(where)
    if not path.is_file():
        raise InputError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}: name a file to read")
    try:
        return read_sql(_url(path), table) if kind in DATABASES else FORMATS[kind].read(path)
    except EventideError:
        raise
    except Exception as error:  # each library has its own errors for what is damaged, and some have none
        raise InputError(f"{path} cannot be read: it is damaged, or no table ({error!r:.300})") from error


def begin_stream(frame: pd.DataFrame, where: str | PathLike[str], table: str) -> AbstractContextManager[Write]:
    """Begin to write rows like those of `frame` piece by piece; see `RecordingBase.stream_to`."""
    kind = _kind(where)
    if kind in FORMATS and not FORMATS[kind].is_streamed:
        some = " or ".join(ending for ending, one in FORMATS.items() if one.is_streamed)
        raise ModelError(f"rows cannot be streamed to {where}: such a file is written at once; take {some}")
    return _writing(kind, where, table, TableSchema.of(frame))


def _checked_frame(data: object) -> pd.DataFrame:
    from eventide.libraries import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, Tabular) and type(data).__module__.startswith("eventide."):
        return data.to_pandas()
    tables = [name for name in ("inputs", "responses", "states") if hasattr(type(data), name)]
    advice = f": save its tables one by one, {', '.join(tables)}" if tables else ""
    raise ModelError(f"only a recording or a DataFrame can be saved, and got a {type(data).__name__}{advice}")


@contextmanager
def _writing(kind: str, where: str | PathLike[str], table: str, schema: TableSchema) -> Iterator[Write]:
    if kind in FORMATS:
        with whole_file(where) as unfinished, FORMATS[kind].writer(unfinished, schema) as write:
            yield write
        return
    url = os.fspath(where) if kind == "url" else _url(Path(where))
    with sql_writer(url, table or schema.name, schema) as write:
        yield write


def has_format(where: str | PathLike[str]) -> bool:
    """Whether the name of a file has a known ending, or it is the URL of a database."""
    text = os.fspath(where)
    return "://" in text or Path(text).suffix.lower() in (*FORMATS, *DATABASES)


def is_ours(path: Path) -> bool:
    """Whether a file of text is a CSV file that eventide has written: it tells of its columns itself."""
    with path.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()


def _kind(where: str | PathLike[str]) -> str:
    """The ending of a path, or "url". Raises ModelError if nothing is known of it."""
    text = os.fspath(where)
    if has_format(text):
        return "url" if "://" in text else Path(text).suffix.lower()
    raise ModelError(
        f"{text!r} can be neither saved to nor loaded from: its name must end in {KINDS}, or be the URL of a database"
    )


def _url(path: Path) -> str:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}")
    sqlalchemy = load_library("sqlalchemy", "sql", "a database")
    url: str = sqlalchemy.URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)
    return url
