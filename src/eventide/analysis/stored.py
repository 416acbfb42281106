"""Runs of a store as they are read without their model: to be looked at, not to go on."""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from eventide.errors import InputError
from eventide.experiment.designs import Points, drawn
from eventide.experiment.in_memory import InMemory
from eventide.experiment.replication import Replication
from eventide.experiment.results import Settings, Task
from eventide.experiment.store import Row, read_card, read_file, result_of

if TYPE_CHECKING:
    import pandas as pd

    from eventide.experiment.study import Study


@dataclass(frozen=True)
class StoredModel:
    """What a store tells of its model.

    values      of the parameters that are the same in all runs
    time_unit   of its simulations
    until       the time at which its runs stop, unless the study was told another
    """

    name: str
    description: str
    values: Mapping[str, object]
    time_unit: str | None
    until: float | None

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"


@dataclass(frozen=True)
class StoredStudy:
    """What a store tells of its study; `about` has what it says besides.

    count       how many runs there are when all are made; of a search, how many there are
    """

    model: StoredModel
    points: Points
    replications: int
    settings: Settings
    count: int
    about: Mapping[str, object] = field(default_factory=dict)

    @property
    def entropy(self) -> int:
        """The entropy of all runs."""
        return self.settings.entropy

    def __len__(self) -> int:
        return self.count


def stored(folder: str | PathLike[str]) -> Replication:
    """The runs in the folder of a study or of a search, whatever is there so far.

    They are read without the model: parameters that are neither numbers nor texts are texts, and nothing can be run.
    Raises      InputError for a folder that holds no runs, MissingLibraryError without pyarrow
    """
    path = Path(folder)
    stores = [path] if (path / "study.json").exists() else sorted(one.parent for one in path.glob("batch-*/study.json"))
    if not stores:
        raise InputError(f"{path} holds no runs: it is no folder that a study had as store=")
    batches = [_batch_of(store) for store in stores]
    if not any(batch.rows for batch in batches):
        raise InputError(f"{path} holds a study, and none of its runs has ended yet")
    study = _study_of(batches)
    results, first_run, first_point = InMemory(), 0, 0
    for batch in batches:
        for row, units, tables in batch.rows:
            task = Task(first_run + row["run"], first_point + row["point"], row["replication"], {})
            results.add(result_of(row, units, tables, task, _parameters_in(row), study.entropy))
        first_run += max((row["run"] + 1 for row, _, _ in batch.rows), default=0)
        first_point += batch.points
    results.close()
    return Replication(cast("Study", study), results)


_Row: TypeAlias = "tuple[Row, Mapping[str, Mapping[str, str]], Sequence[pd.DataFrame]]"


@dataclass(frozen=True)
class _Batch:
    """What is in one folder.

    rows    of each run once: what is told of it, the units of that, the tables of all runs of its file
    """

    card: Mapping[str, str]
    about: Row
    rows: Sequence[_Row]

    @property
    def points(self) -> int:
        """How many points it has."""
        return int(self.card["points"])


def _batch_of(folder: Path) -> _Batch:
    rows: dict[int, _Row] = {}
    for path in sorted(folder.glob("runs-*.parquet")):
        if ".table-" not in path.name:
            told, units, tables = read_file(folder, path.stem)
            for row in told:
                rows.setdefault(row["run"], (row, units, tables))
    about = folder / "about.json"
    return _Batch(
        read_card(folder / "study.json"),
        json.loads(about.read_text()) if about.exists() else {},
        [rows[run] for run in sorted(rows)],
    )


def _parameters_in(row: Mapping[str, object]) -> dict[str, object]:
    return {name.removeprefix("parameter."): value for name, value in row.items() if name.startswith("parameter.")}


def _study_of(batches: Sequence[_Batch]) -> StoredStudy:
    """The study whose runs these are; the batches of a search are one after the other."""
    card, about = batches[0].card, batches[0].about
    points: list[dict[str, object]] = []
    rows = [row for batch in batches for row, _, _ in batch.rows]
    everywhere = [_parameters_in(row) for row in rows]
    differing = [name for name in everywhere[0] if len({repr(one.get(name)) for one in everywhere}) > 1]
    by_chance = [name for name in about.get("drawn", ()) if name in everywhere[0]]
    chosen = [name for name in about.get("set", differing) if name in everywhere[0]]
    for batch in batches:
        first: dict[int, dict[str, object]] = {}
        for row, _, _ in batch.rows:
            first.setdefault(row["point"], _parameters_in(row))
        points += [{name: first[k][name] for name in chosen} if k in first else {} for k in range(batch.points)]
    values = {name: value for name, value in everywhere[0].items() if name not in {*chosen, *by_chance}}
    end, until = (
        None if told in {"", "None"} else float(told) for told in (about.get("until", ""), card.get("until", ""))
    )
    model = StoredModel(card["model"], about.get("description", ""), values, about.get("time_unit"), end)
    at = literal_eval(card.get("at", "None"))
    settings = Settings(int(card["entropy"]), until, literal_eval(card.get("record", "()")), at)
    is_search, replications = len(batches) > 1, about.get("replications", 1)
    if not is_search:
        replications = max(replications, 1 + max(row["replication"] for row in rows))
    count = len(rows) if is_search else len(points) * replications
    chances = dict.fromkeys(by_chance, drawn(_Unknown()))
    return StoredStudy(model, Points(tuple(points), chances), replications, settings, count, about)


class _Unknown:
    """Stands for a distribution of which only the values that were drawn are known."""

    def ppf(self, q: object, /) -> object:
        """Refused."""
        raise InputError("a store does not know the distributions from which its parameters were drawn")
