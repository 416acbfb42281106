"""Tables in databases, by SQLAlchemy: SQLite without a server, PostgreSQL and others by their URL.

A further table, `eventide_tables`, holds what a table was before it became SQL. Everything that a dump does is one
transaction, so that a reader sees the old table or the new one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import InputError, ModelError
from eventide.libraries import load
from eventide.observe.table_schema import Column, TableSchema, flatten

if TYPE_CHECKING:
    import sqlite3
    from types import ModuleType

    import pandas as pd
    import sqlalchemy as sa
    from sqlalchemy.engine import Connection, Engine

    from eventide.observe.formats import Write

HEADS: Final = "eventide_tables"
ROW: Final = "row number"
"""The column that keeps the order of the rows, for a table in a database has none."""

BATCH: Final = 10_000
"""The number of rows sent at a time."""


def _library() -> ModuleType:
    return load("sqlalchemy", "sql", "a dump to a database")


@contextmanager
def _engine(url: str, *, begin: str) -> Iterator[Engine]:
    """An engine for the block; `begin` is how SQLite begins a transaction.

    Raises ModelError if the URL is none, ModuleNotFoundError if the driver of the database is not installed.
    """
    sqlalchemy = _library()
    try:
        engine: Engine = sqlalchemy.create_engine(url)
    except sqlalchemy.exc.ArgumentError:
        raise ModelError(
            f"what begins with {url.partition(':')[0]!r} is no URL of a database that is known: "
            "write one like sqlite:///runs.db or postgresql+psycopg://user@host/name"
        ) from None
    except ModuleNotFoundError as error:
        error.add_note(f"the driver of {url.partition(':')[0]} is not installed: install it beside eventide-sim[sql]")
        raise
    if engine.dialect.name == "sqlite":
        _let_sqlite_undo(sqlalchemy, engine, begin)
    try:
        yield engine
    finally:
        engine.dispose()


def _let_sqlite_undo(sqlalchemy: ModuleType, engine: Engine, words: str) -> None:
    """Include the creation of tables in a transaction of SQLite; its driver leaves that outside."""

    def leave_to_us(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(words)

    sqlalchemy.event.listen(engine, "connect", leave_to_us)
    sqlalchemy.event.listen(engine, "begin", begin)


# --- writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def sql_writer(url: str, table: str, schema: TableSchema) -> Iterator[Write]:
    """A table of a database; at the end of the block it takes the place of an older one of eventide.

    Raises ModelError if there is a table of that name that is not of eventide: it stays as it is; InputError if the
    database takes nothing now
    """
    if not table or "\0" in table:
        raise ModelError('a table in a database needs a name: save(data, url, table="...")')
    if table == HEADS:
        raise ModelError(f"{HEADS} is where eventide keeps what it knows of its tables: choose another name")
    sqlalchemy = _library()
    with _engine(url, begin="BEGIN IMMEDIATE") as engine, ExitStack() as transaction:
        try:
            connection = transaction.enter_context(engine.begin())
        except sqlalchemy.exc.DBAPIError as error:
            advice = ": what streams to it holds it to its end, so give each stream a file of its own"
            raise InputError(
                f"{engine.url!r} cannot be written: {error.orig}{advice if 'locked' in str(error.orig) else ''}"
            ) from error
        heads = _heads(sqlalchemy)
        heads.create(connection, checkfirst=True)
        present = sqlalchemy.inspect(connection).has_table(table)
        is_ours = connection.scalar(sqlalchemy.select(heads.c.head).where(heads.c.name == table)) is not None
        if present and not is_ours:
            raise ModelError(
                f"{engine.url!r} has a table {table!r} that was not dumped by eventide: it stays as it is; "
                "choose another name, or drop it first"
            )
        longest = engine.dialect.max_identifier_length
        if len(table.encode()) > longest:  # PostgreSQL would cut it, and take two names for one
            raise ModelError(f"the name of a table has {longest} bytes at most in this database, and got {table!r}")
        columns = physical_names([ROW, *schema.columns], longest, engine.dialect.name)
        made = _table(sqlalchemy, table, columns, schema)
        if present:
            made.drop(connection)
        connection.execute(sqlalchemy.delete(heads).where(heads.c.name == table))
        made.create(connection)
        yield _inserter(connection, made, schema)
        connection.execute(
            sqlalchemy.insert(heads), {"name": table, "head": schema.to_json(), "columns": json.dumps(columns)}
        )


def _heads(sqlalchemy: ModuleType) -> sa.Table:
    text = sqlalchemy.Text()
    return sqlalchemy.Table(  # type: ignore[no-any-return]  # the library is loaded late
        HEADS,
        sqlalchemy.MetaData(),
        sqlalchemy.Column("name", sqlalchemy.String(255), primary_key=True),
        sqlalchemy.Column("head", text, nullable=False),
        sqlalchemy.Column("columns", text, nullable=False),
    )


def _table(sqlalchemy: ModuleType, name: str, columns: list[str], schema: TableSchema) -> sa.Table:
    """The table; its columns go by numbers in code and by their names, quoted, in the database."""
    types = [_type(sqlalchemy, schema, place) for place in range(len(schema.columns))]
    return sqlalchemy.Table(  # type: ignore[no-any-return]  # the library is loaded late
        sqlalchemy.sql.quoted_name(name, quote=True),
        sqlalchemy.MetaData(),
        sqlalchemy.Column(
            sqlalchemy.sql.quoted_name(columns[0], quote=True),
            sqlalchemy.BigInteger(),
            key="row",
            primary_key=True,
            autoincrement=False,
        ),
        *(
            sqlalchemy.Column(sqlalchemy.sql.quoted_name(column, quote=True), kind, key=f"c{place}")
            for place, (column, kind) in enumerate(zip(columns[1:], types, strict=True))
        ),
    )


def _type(sqlalchemy: ModuleType, schema: TableSchema, place: int) -> object:
    if schema.is_text(place):
        return sqlalchemy.Text()
    dtype = np.dtype(schema.dtypes[place])
    if dtype.kind == "b":
        return sqlalchemy.Boolean()
    if dtype.kind == "f":
        return sqlalchemy.Double()
    return sqlalchemy.BigInteger()


def _inserter(connection: Connection, table: sa.Table, schema: TableSchema) -> Write:
    count = 0

    def write(frame: pd.DataFrame) -> None:
        nonlocal count
        flat = flatten(frame)
        keys = ["row", *(f"c{place}" for place in range(len(schema.columns)))]
        for start in range(0, len(flat), BATCH):
            part = flat.iloc[start : start + BATCH]
            for name in schema.columns:
                _check_fits(name, part[name])
            columns = [_as_parameters(part[name], is_text=schema.is_text(i)) for i, name in enumerate(schema.columns)]
            rows = zip(range(count, count + len(part)), *columns, strict=True)
            connection.execute(table.insert(), [dict(zip(keys, row, strict=True)) for row in rows])
            count += len(part)

    return write


def _check_fits(name: str, column: pd.Series[int]) -> None:
    """Raise ModelError for whole numbers that no database holds."""
    if column.dtype == np.uint64 and len(column) and int(column.max()) >= 2**63:
        raise ModelError(
            f"column {name!r} holds {int(column.max())}: a database takes whole numbers below 2**63; "
            f"transform it first, as with frame[{name!r}].astype(str), or dump it to a file"
        )


def _as_parameters(column: Column, *, is_text: bool) -> list[object]:
    values: list[object] = column.tolist()
    return [value if isinstance(value, str) else None for value in values] if is_text else values


def physical_names(names: list[str], longest: int, dialect: str) -> list[str]:
    """The names of columns in a database: their own, where it can distinguish them.

    SQLite takes `a` and `A` for one name, PostgreSQL cuts long ones: such columns get a number.
    """
    taken: set[str] = set()  # only for membership tests of names
    found = []
    for name in names:
        attempt, number = _cut(name, longest, ""), 1
        while (attempt.lower() if dialect == "sqlite" else attempt) in taken:
            number += 1
            attempt = _cut(name, longest, f" ({number})")
        taken.add(attempt.lower() if dialect == "sqlite" else attempt)
        found.append(attempt)
    return found


def _cut(name: str, longest: int, ending: str) -> str:
    """A name shortened to a number of bytes."""
    return name.encode()[: longest - len(ending)].decode(errors="ignore") + ending


# --- reading ----------------------------------------------------------------------------------------------------------


def read_sql(url: str, table: str) -> pd.DataFrame:
    """A table of a database; one that was not dumped by eventide as pandas reads it.

    table       its name; empty: the only one that eventide has dumped
    Raises      InputError if there is none, or the name is needed
    """
    sqlalchemy = _library()
    with _engine(url, begin="BEGIN") as engine:
        _check_there(engine)
        with engine.connect() as connection:
            return _read(sqlalchemy, connection, table)


def _check_there(engine: Engine) -> None:
    """Raise InputError for a file of SQLite that does not exist: to connect would make one."""
    database = engine.url.database
    if (
        engine.dialect.name == "sqlite"
        and database not in {None, "", ":memory:"}
        and not Path(database or "").is_file()
    ):
        raise InputError(f"{database} does not exist: name a database to read")


def _read(sqlalchemy: ModuleType, connection: Connection, table: str) -> pd.DataFrame:
    from eventide.libraries import pandas as pd

    url = connection.engine.url
    inspector = sqlalchemy.inspect(connection)
    heads = _heads(sqlalchemy)
    ours = {}
    if inspector.has_table(HEADS):
        rows = connection.execute(sqlalchemy.select(heads).order_by(heads.c.name))
        ours = {row.name: (row.head, row.columns) for row in rows}
    if not table:
        if len(ours) != 1:
            known = ", ".join(ours) or "none"
            raise InputError(f'{url!r}: which table? Give table="..."; eventide dumped there: {known}')
        table = next(iter(ours))
    if table not in ours or not inspector.has_table(table):
        if not inspector.has_table(table):
            ours.pop(table, None)
            known = ", ".join([*ours, *(n for n in inspector.get_table_names() if n not in {*ours, HEADS})])
            raise InputError(f"{url!r} has no table {table!r}; it has: {known or 'none'}")
        return pd.read_sql_table(table, connection)
    schema = TableSchema.from_json(ours[table][0], f"{url!r}, table {table!r},")
    made = _table(sqlalchemy, table, json.loads(ours[table][1]), schema)
    wanted = [made.c[f"c{place}"] for place in range(len(schema.columns))]
    found = connection.execute(sqlalchemy.select(*wanted).order_by(made.c.row)).all()
    columns = list(zip(*found, strict=True)) if found else [()] * len(schema.columns)
    return schema.restore(list(column) for column in columns)
