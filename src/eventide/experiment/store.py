"""Stores: folders in which the results of a study are kept as they come, so that what was killed goes on.

A folder has `study.json`, which tells whose results these are, and Parquet files of about a second of work each. Each
file is written beside and moved in whole; what an earlier process left half written is swept away. Two processes may
work on one store: what both have made is equal, and counted once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from eventide.errors import InputError, ModelError
from eventide.experiment.fingerprint import fingerprint
from eventide.experiment.responses import Quantity
from eventide.experiment.results import Failure, Result
from eventide.experiment.run import Account
from eventide.observe import sweep, whole_file
from eventide.observe.libraries import load

if TYPE_CHECKING:
    from eventide.experiment.study import Study

FORMAT: Final = 1
"""Of `study.json` and the files beside it."""
SECONDS: Final = 1.0
"""Of work are in one file at least; later ones may take a hundredth of all that was done, so that they stay few."""
RUNS: Final = 2_000
"""Of a file at most."""
FILES_KEPT: Final = 4
"""So many files are kept in memory while results are read."""


class Store:
    """The results of a study in a folder.

    Raises      MissingLibraryError without pyarrow, InputError if the path is that of a file
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        load("pyarrow", "parquet", "a store")
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder} is a file: a store is a folder of its own")
        self._study: Study | None = None
        self._waiting: list[Result] = []
        self._begun = self._flushed = monotonic()
        self._places: dict[int, tuple[str, int]] = {}
        self._read = lru_cache(FILES_KEPT)(self._read_file)

    def adopt(self, study: Study) -> Study:
        """The study whose results are here: this very one, with the store's entropy unless it was given its own.

        Raises ModelError if they are of another one, and says what differs.
        """
        card = self.folder / "study.json"
        if not card.exists():
            if self.folder.is_dir() and any(not path.name.startswith(".") for path in self.folder.iterdir()):
                raise InputError(f"{self.folder} is no store, and not empty: give a folder of its own")
            self.folder.mkdir(parents=True, exist_ok=True)
            _write_first(card, json.dumps(_card_of(study), indent=1))
        there = _read_card(card)
        if not study.has_own_entropy:
            study = study.of_entropy(int(there["entropy"]))
        _check_same(self.folder, there, _card_of(study))
        self._study = study
        sweep(self.folder)
        self._find()
        return study

    # --- writing --------------------------------------------------------------------------------------------------

    def add(self, result: Result) -> None:
        """Keep one more; it is in a file a second later, or after `close`."""
        self._waiting.append(result)
        now = monotonic()
        if now - self._flushed > max(SECONDS, 0.01 * (now - self._begun)) or len(self._waiting) >= RUNS:
            self._flush()

    def close(self) -> None:
        """Write what is there."""
        self._flush()

    def _flush(self) -> None:
        results, self._waiting = sorted(self._waiting, key=lambda result: result.number), []
        if results:
            stem = f"runs-{results[0].number:08d}-{uuid4().hex[:12]}"
            # The runs come last: they say that the tables beside them are whole.
            for place, name in enumerate(dict.fromkeys(name for result in results for name in result.tables)):
                _write(self.folder / f"{stem}.table-{place}.parquet", _tables_as_bytes(results, name))
            _write(self.folder / f"{stem}.parquet", _runs_as_bytes(results))
            for row, result in enumerate(results):
                self._places.setdefault(result.number, (stem, row))
        self._flushed = monotonic()

    # --- reading --------------------------------------------------------------------------------------------------

    def missing(self, numbers: range) -> Sequence[int]:
        """Those numbers of which there is no result yet."""
        return [number for number in numbers if number not in self._places]

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Result]:
        return (self._result(*self._places[number]) for number in sorted(self._places))

    def __getitem__(self, place: int, /) -> Result:
        return self._result(*self._places[sorted(self._places)[place]])

    def _find(self) -> None:
        """Which runs there are, and in which row of which file."""
        parquet: Any = load("pyarrow.parquet", "parquet", "a store")
        assert self._study is not None
        for path in sorted(self.folder.glob("runs-*.parquet")):
            if ".table-" not in path.name:
                for row, number in enumerate(parquet.read_table(path, columns=["run"])["run"].to_pylist()):
                    if number < len(self._study):
                        self._places.setdefault(number, (path.stem, row))

    def _result(self, stem: str, row: int) -> Result:
        rows, units, tables = self._read(stem)
        told = rows[row]
        own = {} if told["failure"] else {name: _of_run(table, told["run"]) for name, table in tables.items()}
        return self._made(told, units, own)

    def _read_file(self, stem: str) -> tuple[list[dict[str, Any]], dict[str, dict[str, str]], dict[str, Any]]:
        import pandas as pd

        parquet: Any = load("pyarrow.parquet", "parquet", "a store")
        read = parquet.read_table(self.folder / f"{stem}.parquet")
        units = {
            field.name: {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
            for field in read.schema
        }
        tables = {}
        for path in sorted(self.folder.glob(f"{stem}.table-*.parquet")):
            table = pd.read_parquet(path)
            tables[table.attrs.pop("recording")] = table
        return read.to_pylist(), units, tables

    def _made(self, row: Mapping[str, Any], units: Mapping[str, Any], tables: Mapping[str, Any]) -> Result:
        """The result of which a row tells."""
        assert self._study is not None
        task = self._study.task(row["run"])
        responses = {
            name.removeprefix("response."): _with_unit(value, units[name])
            for name, value in row.items()
            if name.startswith("response.") and value is not None
        }
        failure = _failure_of(json.loads(row["failure"])) if row["failure"] else None
        account = None
        if failure is None:
            kept = {one.name: row[f"account.{one.name}"] for one in fields(Account) if one.name != "entropy"}
            account = Account(**kept, entropy=self._study.entropy)
        values = self._study.model(**task.values).values
        known = task.number, task.point, task.replication, values, self._study.entropy
        return Result(*known, responses, row["is_whole"], account, tables, failure)


# --- rows and files ---------------------------------------------------------------------------------------------------


def _write(path: Path, content: bytes) -> None:
    """Write a file beside its place, and move it there as a whole."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(content)


def _write_first(path: Path, text: str) -> None:
    """Write a file as a whole, unless another process has been first."""
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    beside.write_text(text)
    try:
        os.link(beside, path)
    except FileExistsError:
        pass
    finally:
        beside.unlink()


def _runs_as_bytes(results: Sequence[Result]) -> bytes:
    """A Parquet file with a row for each run; parameters, responses and accounts stand in columns of their own."""
    arrow: Any = load("pyarrow", "parquet", "a store")
    rows = [_row_of(result) for result in results]
    names = dict.fromkeys(name for row in rows for name in row)
    arrays = [arrow.array(_alike([row.get(name) for row in rows])) for name in names]
    units: dict[str, dict[str, str]] = {}
    for result in results:
        for name, value in result.responses.items():
            if isinstance(value, Quantity):
                units[f"response.{name}"] = {"unit": value.unit, "description": value.description}
    told = [arrow.field(name, array.type, metadata=units.get(name)) for name, array in zip(names, arrays, strict=True)]
    return _file_of(arrow.table(arrays, schema=arrow.schema(told)))


def _row_of(result: Result) -> dict[str, Any]:
    failure = result.failure
    told = "" if failure is None else json.dumps({name: getattr(failure, name) for name in _TOLD})
    account = {} if result.account is None else asdict(result.account)
    account.pop("entropy", None)
    return {
        "run": result.number,
        "point": result.point,
        "replication": result.replication,
        **{f"parameter.{name}": _scalar(value) for name, value in result.parameters.items()},
        **{f"response.{name}": _bare(value) for name, value in result.responses.items()},
        "is_whole": result.is_whole,
        **{f"account.{name}": value for name, value in account.items()},
        "failure": told,
    }


def _failure_of(told: Mapping[str, Any]) -> Failure:
    return Failure(**{**told, "notes": tuple(told["notes"])})


_TOLD: Final = ("kind", "message", "notes", "traceback", "replay")


def _scalar(value: Any) -> Any:
    """A parameter as a file can have it: what is no number and no text as Python writes it."""
    return (
        value if isinstance(value, bool | int | float | str) and type(value).__module__ == "builtins" else repr(value)
    )


def _bare(value: Any) -> Any:
    return float(value) if isinstance(value, float) else value


def _alike(values: list[Any]) -> list[Any]:
    """The values of a column, of one kind: numbers as floats where some are, else as texts where some are."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2:
        return values
    kind: Any = float if kinds <= {bool, int, float} else str
    return [None if value is None else kind(value) for value in values]


def _tables_as_bytes(results: Sequence[Result], name: str) -> bytes:
    """A Parquet file with the tables of one recording, below each other, by run."""
    import pandas as pd

    arrow: Any = load("pyarrow", "parquet", "a store")
    there = {result.number: result.tables[name] for result in results if name in result.tables}
    whole = pd.concat(there, names=["run"])
    whole.attrs.update({**next(iter(there.values())).attrs, "recording": name})
    return _file_of(arrow.Table.from_pandas(whole))


def _of_run(table: Any, run: int) -> Any:
    rows = table.xs(run, level="run")
    rows.attrs.update(table.attrs)
    return rows


def _file_of(table: Any) -> bytes:
    from io import BytesIO

    parquet: Any = load("pyarrow.parquet", "parquet", "a store")
    buffer = BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def _with_unit(value: Any, told: Mapping[str, str]) -> Any:
    if "unit" not in told:
        return value
    return Quantity(value, unit=told["unit"], description=told["description"])


# --- whose results these are ------------------------------------------------------------------------------------------


def _card_of(study: Study) -> dict[str, str]:
    """All that decides the runs of a study but how many replications there are, as texts by name."""
    from importlib.metadata import version

    points = [repr(study.model(**point).values) for point in study.points.values]
    table = "\n".join([*points, *(f"{name}: {study.task(0).values[name]!r}" for name in study.points.drawn)])
    one = study.settings
    return {
        "format": str(FORMAT),
        "eventide": version("eventide"),
        "model": study.model.name,
        "code": fingerprint(study.model),
        "entropy": str(study.entropy),
        "points": str(len(points)),
        "run table": blake2b(table.encode(), digest_size=16).hexdigest(),
        "until": repr(one.until),
        "record": repr(one.record),
        "at": repr(one.at),
        "time_limit": repr(one.time_limit),
    }


_MEANING: Final = {
    "code": "the code of the model has changed",
    "run table": "the values at the points differ",
    "format": "it was written by another version of eventide",
}


def _check_same(folder: Path, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    for name, value in here.items():
        if there.get(name) != value:
            why = _MEANING.get(name, f"its {name} is {there.get(name)}, and here it is {value}")
            raise ModelError(f"{folder} holds another study: {why}; give the store a folder of its own")


def _read_card(path: Path) -> dict[str, str]:
    try:
        card = json.loads(path.read_text())
        return {str(name): str(value) for name, value in card.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{path} cannot be read: it is no card of a store ({error})") from error
