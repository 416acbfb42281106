"""Stores: folders in which the results of a study are kept as they come, so that what was killed goes on.

A folder has `study.json`, which tells whose results these are, `about.json`, which tells readers of them, and Parquet
files of about a second of work each. Each file is written beside and moved in whole; what an earlier process left half
written is swept away. Two processes may work on one store: what both have made is equal, and counted once.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import lru_cache
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from uuid import uuid4

from eventide.errors import InputError, ModelError
from eventide.experiment.fingerprint import described, described_values, fingerprint
from eventide.experiment.responses import Quantity
from eventide.experiment.results import Failure, Result, Task
from eventide.experiment.run import Account
from eventide.libraries import load
from eventide.observe import sweep, whole_file

if TYPE_CHECKING:
    import pandas as pd

    from eventide.experiment.study import Study

FORMAT: Final = 1
"""Of `study.json` and the files beside it."""
SECONDS: Final = 1.0
"""Of work are in one file at least; later ones may take a hundredth of all that was done, so that they stay few."""
RUNS: Final = 2_000
"""Of a file at most."""
MOST_ROWS: Final = 2**24
"""More than the rows of any file."""
MOST_BITS: Final = 63
"""Of a whole number in a file, beside its sign."""
FILES_KEPT: Final = 4
"""The files that are kept in memory while results are read."""


Row: TypeAlias = Mapping[str, Any]
"""What a file tells of one run: numbers, texts and Booleans, by name."""


class Store:
    """The results of a study in a folder.

    Raises      MissingLibraryError without pyarrow, InputError if the path is that of a file
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        load("pyarrow", "parquet", "a store")
        self.folder = Path(folder).absolute()  # a model may change the working directory
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder} is a file: a store is a folder of its own")
        self._study: Study | None = None
        self._waiting: list[Result] = []
        self._begun = self._flushed = monotonic()
        self._places = _Places()
        self._read = lru_cache(FILES_KEPT)(lambda stem: read_file(self.folder, stem))

    def adopt(self, study: Study) -> Study:
        """The study whose results are here: this very one, with the store's entropy unless it was given its own.

        Raises ModelError if they are of another one, and says what differs.
        """
        card = self.folder / "study.json"
        if not card.exists():
            if self.folder.is_dir() and any(not path.name.startswith(".") for path in self.folder.iterdir()):
                raise InputError(f"{self.folder} is no store, and not empty: give a folder of its own")
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                _write_first(card, json.dumps(_card_of(study), indent=1))
            except OSError as error:
                raise InputError(
                    f"{self.folder} cannot be a store: {error.strerror or error}; give a folder that can be written"
                ) from error
        there = read_card(card)
        if not study.has_own_entropy:
            study = study.of_entropy(int(there["entropy"]))
        _check_same(self.folder, there, _card_of(study))
        self._study = study
        sweep(self.folder)
        self._find()
        with self._noting():
            _write(self.folder / "about.json", json.dumps(_about(study), indent=1).encode())
        return study

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Let an error of the system say what there is."""
        try:
            yield
        except OSError as error:
            error.add_note(
                f"{self.folder} cannot be written; it has {len(self)} of the runs, from which the same study goes on"
            )
            raise

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
        with self._noting():
            self._write_all(results)
        self._flushed = monotonic()

    def _write_all(self, results: Sequence[Result]) -> None:
        if results:
            stem = f"runs-{results[0].number:08d}-{uuid4().hex[:12]}"
            # The runs come last: they say that the tables beside them are whole.
            for number, kind in enumerate(_alike_tables(results)):
                _write(self.folder / f"{stem}.table-{number}.parquet", _tables_as_bytes(*kind))
            _write(self.folder / f"{stem}.parquet", _runs_as_bytes(results))
            for row, result in enumerate(results):
                self._places.add(result.number, stem, row)

    # --- reading --------------------------------------------------------------------------------------------------

    def missing(self, numbers: range) -> Sequence[int]:
        """Those numbers of which there is no result yet."""
        # A range takes no room, and mostly there is nothing yet.
        return [number for number in numbers if number not in self._places] if len(self._places) else numbers

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Result]:
        return (self._result(*self._places[number]) for number in self._places)

    def __getitem__(self, place: int, /) -> Result:
        return self._result(*self._places[self._places.number_at(place)])

    def _find(self) -> None:
        """Which runs there are, and in which row of which file."""
        parquet = load("pyarrow.parquet", "parquet", "a store")
        assert self._study is not None
        for path in sorted(self.folder.glob("runs-*.parquet")):
            if ".table-" not in path.name:
                with readable(path):
                    numbers = parquet.read_table(path, columns=["run"])["run"].to_pylist()
                for row, number in enumerate(numbers):
                    if number < len(self._study):
                        self._places.add(number, path.stem, row)

    def _result(self, stem: str, row: int) -> Result:
        rows, units, tables = self._read(stem)
        return self._made(rows[row], units, tables)

    def _made(self, row: Row, units: Mapping[str, Mapping[str, str]], tables: Sequence[pd.DataFrame]) -> Result:
        """The result of which a row tells."""
        assert self._study is not None
        task = self._study.task(row["run"])
        values = self._study.model(**task.values).values
        return result_of(row, units, tables, task, values, self._study.entropy)


class _Places:
    """By its number, which row of which file has the result of a run: in eight bytes, as there may be a million."""

    def __init__(self) -> None:
        self._stems: list[str] = []
        self._at = array("q")
        self._count = 0

    def add(self, number: int, stem: str, row: int) -> None:
        """Note where a result is, unless it is known from another file."""
        if number >= len(self._at):
            self._at.extend([-1] * (number + 1 - len(self._at)))
        if self._at[number] < 0:
            if not self._stems or self._stems[-1] != stem:
                self._stems.append(stem)
            self._at[number] = (len(self._stems) - 1) * MOST_ROWS + row
            self._count += 1

    def number_at(self, place: int) -> int:
        """The number of the run that comes at some place, in the order of the numbers. Raises IndexError as a list."""
        if self._count == len(self._at):
            return range(self._count)[place]
        return list(self)[place]

    def __contains__(self, number: int) -> bool:
        return number < len(self._at) and self._at[number] >= 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        return (number for number, at in enumerate(self._at) if at >= 0)

    def __getitem__(self, number: int) -> tuple[str, int]:
        file, row = divmod(self._at[number], MOST_ROWS)
        return self._stems[file], row


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
    arrow = load("pyarrow", "parquet", "a store")
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


def _row_of(result: Result) -> dict[str, object]:
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


def _failure_of(told: Row) -> Failure:
    return Failure(**{**told, "notes": tuple(told["notes"])})


_TOLD: Final = ("kind", "message", "notes", "traceback", "replay")


def _scalar(value: object) -> object:
    """A parameter as a file can have it: what is no number of 64 bits and no text as Python writes it."""
    is_plain = isinstance(value, bool | int | float | str) and type(value).__module__ == "builtins"
    return value if is_plain and not (isinstance(value, int) and value.bit_length() > MOST_BITS) else repr(value)


def _bare(value: object) -> object:
    return float(value) if isinstance(value, float) else value


def _alike(values: list[object]) -> list[object]:
    """The values of a column, of one kind: numbers as floats where some are, else as texts where some are."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2:
        return values
    kind: Any = float if kinds <= {bool, int, float} else str
    return [None if value is None else kind(value) for value in values]


Kind: TypeAlias = "tuple[str, dict[str, int], dict[int, pd.DataFrame]]"
"""The name of a recording, which table of its run it is in each of some runs, and its rows there, by run."""


def _alike_tables(results: Sequence[Result]) -> list[Kind]:
    """The tables of each recording, apart where columns, their kinds or units differ from run to run."""
    found: dict[object, Kind] = {}
    for result in results:
        for place, (name, table) in enumerate(result.tables.items()):
            form = name, tuple(table.columns), tuple(table.dtypes), repr(table.attrs)
            _, places, tables = found.setdefault(form, (name, {}, {}))
            places[str(result.number)], tables[result.number] = place, table
    return list(found.values())


def _tables_as_bytes(name: str, places: Mapping[str, int], tables: Mapping[int, pd.DataFrame]) -> bytes:
    """A Parquet file with tables of one recording, below each other, by run."""
    from io import BytesIO

    from eventide.libraries import pandas as pd

    whole = pd.concat(tables, names=["run"])
    whole.attrs.update({**next(iter(tables.values())).attrs, "recording": name, "places": places})
    buffer = BytesIO()
    whole.to_parquet(buffer, engine="pyarrow")  # pandas writes `attrs`; pyarrow's own conversion does so from 22 only
    return buffer.getvalue()


def _of_run(tables: Sequence[pd.DataFrame], run: int) -> dict[str, pd.DataFrame]:
    """The tables of one run by the names of their recordings, in their order; some may have no rows."""
    found: dict[int, tuple[str, pd.DataFrame]] = {}
    for table in tables:
        told = dict(table.attrs)
        name, place = told.pop("recording"), told.pop("places").get(str(run))
        if place is not None:
            rows = (table.loc[[run]] if run in table.index else table.iloc[:0]).droplevel("run")
            rows.attrs = told
            found[place] = name, rows
    return dict(found[place] for place in sorted(found))


def _file_of(table: object) -> bytes:
    from io import BytesIO

    parquet = load("pyarrow.parquet", "parquet", "a store")
    buffer = BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def _with_unit(value: float, told: Mapping[str, str]) -> float:
    if "unit" not in told:
        return value
    return Quantity(value, unit=told["unit"], description=told["description"])


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raise InputError, with what to do, if a file of a store cannot be read."""
    try:
        yield
    except (KeyError, OSError, ValueError) as error:
        raise InputError(
            f"{path} cannot be read, as something else has written there or cut it off ({error}): take it out of the "
            "folder, and the same study makes its runs again"
        ) from error


Read: TypeAlias = "tuple[list[dict[str, Any]], dict[str, dict[str, str]], list[pd.DataFrame]]"


def read_file(folder: Path, stem: str) -> Read:
    """The rows of a file of runs, the units of its columns, and the tables of the recordings beside it."""
    from eventide.libraries import pandas as pd

    parquet = load("pyarrow.parquet", "parquet", "a store")
    with readable(folder / f"{stem}.parquet"):
        read = parquet.read_table(folder / f"{stem}.parquet")
    units = {
        field.name: {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        for field in read.schema
    }
    tables = []
    for path in sorted(folder.glob(f"{stem}.table-*.parquet")):
        with readable(path):
            tables.append(pd.read_parquet(path))
    return read.to_pylist(), units, tables


def result_of(
    row: Row,
    units: Mapping[str, Mapping[str, str]],
    tables: Sequence[pd.DataFrame],
    task: Task,
    values: Mapping[str, object],
    entropy: int,
) -> Result:
    """The result of which a row of a file tells; parameters are not taken from there, as texts stand for some."""
    responses = {
        name.removeprefix("response."): _with_unit(value, units[name])
        for name, value in row.items()
        if name.startswith("response.") and value is not None
    }
    failure = _failure_of(json.loads(row["failure"])) if row["failure"] else None
    account, own = None, {}
    if failure is None:
        kept = {one.name: row[f"account.{one.name}"] for one in fields(Account) if one.name != "entropy"}
        account = Account(**kept, entropy=entropy)
        own = _of_run(tables, row["run"])
    known = task.number, task.point, task.replication, values, entropy
    return Result(*known, responses, row["is_whole"], account, own, failure)


# --- whose results these are ------------------------------------------------------------------------------------------


def _card_of(study: Study) -> dict[str, str]:
    """All that decides the runs of a study but how many replications there are, as texts by name."""
    from importlib.metadata import version

    points = [described_values(study.model(**point).values, study.model) for point in study.points.values]
    values = study.task(0).values
    drawn = [f"{name}: {values[name]!r} {described(one, study.model)}" for name, one in study.points.drawn.items()]
    table = "\n".join([*points, *drawn])
    one = study.settings
    read = {"readings": repr(one.readings)} if one.readings else {}
    if one.ends:
        read["ends"] = repr(one.ends)
    paired = {"antithetic": "True"} if one.antithetic else {}
    return {
        "format": str(FORMAT),
        "eventide": version("eventide-sim"),
        "model": study.model.name,
        "code": fingerprint(study.model),
        "entropy": str(study.entropy),
        "points": str(len(points)),
        "run table": blake2b(table.encode(), digest_size=16).hexdigest(),
        "until": repr(one.until),
        "record": repr(one.record),
        "at": repr(one.at),
        "time_limit": repr(one.time_limit),
        **read,
        **paired,
    }


def _about(study: Study) -> dict[str, object]:
    """What a reader wants to know of a study, and what nothing else in the folder says."""
    import platform
    from importlib.metadata import version

    points = study.points
    return {
        "description": (study.model.__doc__ or "").strip().partition("\n\n")[0],
        "set": list(dict.fromkeys(name for point in points.values for name in point)),
        "drawn": list(points.drawn),
        "time_unit": study.model.simulation().time_unit,
        "until": "" if study.model.until is None else repr(study.model.until),
        "replications": study.replications,
        "versions": {"eventide": version("eventide-sim"), **{name: version(name) for name in ("numpy", "scipy")}}
        | {"python": platform.python_version()},
        "platform": platform.platform(),
    }


_MEANING: Final = {
    "code": "the code of the model has changed, or a value that it refers to",
    "run table": "the values at the points differ",
    "format": "it was written by another version of eventide",
}


def _check_same(folder: Path, there: Mapping[str, str], here: Mapping[str, str]) -> None:
    for name in dict.fromkeys([*here, *there]):
        if there.get(name) != here.get(name):
            why = _MEANING.get(name, f"its {name} is {there.get(name)}, and here it is {here.get(name)}")
            raise ModelError(f"{folder} holds another study: {why}; give the store a folder of its own")


def read_card(path: Path) -> dict[str, str]:
    """What `study.json` says, by name. Raises InputError for a file that is none."""
    try:
        card = json.loads(path.read_text())
        return {str(name): str(value) for name, value in card.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{path} cannot be read: it is no card of a store ({error})") from error
