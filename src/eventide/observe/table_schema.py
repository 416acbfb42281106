"""The schema of a dumped table: what is needed, in addition to the values, to return an equal one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy as np

from eventide.errors import InputError, ModelError

if TYPE_CHECKING:
    import pandas as pd

Column: TypeAlias = "pd.Series[Any]"
"""A column of any type; its dtype says which."""

TEXT: Final = ("str", "string", "object")
"""The dtypes of columns of texts. A column of objects is one of texts if it holds nothing else."""

VERSION: Final = 1


@dataclass(frozen=True)
class TableSchema:
    """The description of a table.

    index       the columns that are its index, the first ones; none if the rows are merely counted
    columns     the name of every column, in order, the index included
    dtypes      of each column, as pandas calls them
    attributes  the `attrs` of the DataFrame
    """

    index: list[str]
    columns: list[str]
    dtypes: list[str]
    attributes: dict[str, object]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Self:
        """The schema of a DataFrame.

        Raises ModelError if it cannot be dumped: columns of one name or of other kinds than numbers, Booleans and
        texts, an index without a name, attributes that are no plain data
        """
        index = _index_names(frame)
        flat = flatten(frame)
        if not len(flat.columns):
            raise ModelError("there is nothing to save: the table has no columns")
        _check_names(list(flat.columns))
        dtypes = [_checked_dtype(name, flat[name]) for name in flat.columns]
        return cls(index, list(flat.columns), dtypes, _plain_attributes(frame.attrs))

    def to_json(self) -> str:
        """One line of text."""
        return json.dumps({"version": VERSION, **vars(self)}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes, place: str) -> Self:
        """The schema in a text; `place` is where it was found. Raises InputError if it is none."""
        try:
            found = json.loads(text)
            if found["version"] > VERSION:
                raise InputError(f"{place} was written by a later eventide: update eventide to read it")
            schema = cls(found["index"], found["columns"], found["dtypes"], found["attributes"])
            schema._check()
            return schema
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{place} is no table of eventide: its schema cannot be understood ({error!r})") from None

    def _check(self) -> None:
        """Raise ValueError if no table has such a schema: an unknown type could need any amount of memory."""
        lists: tuple[object, ...] = (self.index, self.columns, self.dtypes)  # as found, and not yet what they should be
        for names in lists:
            if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
                raise ValueError(f"{names!r:.100} is no list of names")
        if len(self.dtypes) != len(self.columns) or len(dict.fromkeys(self.columns)) != len(self.columns):
            raise ValueError("its columns are not told apart, or not each has a type")
        if self.index != self.columns[: len(self.index)] or not isinstance(self.attributes, dict):
            raise ValueError("its index is not its first columns, or its attributes have no names")
        for dtype in self.dtypes:
            if dtype not in TEXT and not is_number(np.dtype(dtype)):
                raise ValueError(f"{dtype!r:.100} is no type of a column")

    @property
    def name(self) -> str:
        """The name of the table, empty if it has none."""
        name = self.attributes.get("name", "")
        return name if isinstance(name, str) else ""

    def unit(self, column: str) -> str:
        """The unit of a column, empty if it has none."""
        units = self.attributes.get("units")
        unit = units.get(column, "") if isinstance(units, Mapping) else ""
        return unit if isinstance(unit, str) else ""

    def description(self, column: str) -> str:
        """The description of a column, empty if it has none."""
        descriptions = self.attributes.get("descriptions")
        text = descriptions.get(column, "") if isinstance(descriptions, Mapping) else ""
        return text if isinstance(text, str) else ""

    def is_text(self, place: int) -> bool:
        """Whether the column at this place holds texts."""
        return self.dtypes[place] in TEXT

    def is_float(self, place: int) -> bool:
        """Whether the column at this place holds floats."""
        return not self.is_text(place) and np.dtype(self.dtypes[place]).kind == "f"

    def restore(self, values: Iterable[object]) -> pd.DataFrame:
        """The table, from the values of each column in order; None is a missing text or NaN."""
        from eventide.libraries import pandas as pd

        data = [_series(column, dtype) for column, dtype in zip(values, self.dtypes, strict=True)]
        if len(dict.fromkeys(map(len, data))) > 1:
            raise InputError(f"the columns have {', '.join(str(len(column)) for column in data)} rows: some are lost")
        frame = pd.DataFrame(dict(enumerate(data)))
        frame.columns = pd.Index(self.columns)
        if self.index:
            frame = frame.set_index(self.index)
        frame.attrs.update(self.attributes)
        return frame


def flatten(frame: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame with its index as first columns, if that has names."""
    return frame.reset_index() if _index_names(frame) else frame


def _index_names(frame: pd.DataFrame) -> list[str]:
    from eventide.libraries import pandas as pd

    names = list(frame.index.names)
    if names == [None]:
        counted = isinstance(frame.index, pd.RangeIndex) and frame.index.start == 0 and frame.index.step == 1
        if counted or frame.empty:
            return []
        raise ModelError("a dump of a DataFrame keeps its index by name: set frame.index.name, or reset_index() it")
    if None in names:
        raise ModelError(f"a dump of a DataFrame keeps its index by name, and the levels of this are called {names!r}")
    if any(name in frame.columns or names.count(name) > 1 for name in names):
        raise ModelError(f"the index {names!r} of the DataFrame has a name that another column has: rename one of them")
    return [str(name) for name in names]


def _check_names(names: list[Any]) -> None:
    for name in names:
        if not isinstance(name, str) or not name or "\0" in name:
            raise ModelError(f"a dump takes columns whose names are texts, not empty, and got {name!r}")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(f"two columns are called {', '.join(map(repr, twice))}: rename one of them before the dump")


def is_number(dtype: np.dtype[np.generic]) -> bool:
    """Whether a dump takes columns of such numbers or Booleans."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8


def _checked_dtype(name: str, column: Column) -> str:
    dtype = column.dtype
    text = str(dtype)
    if isinstance(dtype, np.dtype) and is_number(dtype):
        return text
    if text in TEXT and all(isinstance(value, str) for value in column.dropna()):
        return text
    raise ModelError(
        f"column {name!r} is of dtype {text}: a dump takes numbers of at most 8 bytes, Booleans and texts; "
        f"transform it first, as with frame[{name!r}].astype(str)"
    )


def _plain_attributes(attributes: Mapping[Any, object]) -> dict[str, object]:
    """The attributes, if they come back equal from a text."""
    for key, value in attributes.items():
        try:
            is_plain = isinstance(key, str) and json.loads(json.dumps(value, allow_nan=False)) == value
        except (TypeError, ValueError):
            is_plain = False
        if not is_plain:
            raise ModelError(
                f"attrs[{key!r}] is {value!r}: a dump takes attributes of texts, finite numbers, Booleans, lists and "
                "dicts with texts as keys"
            )
    return dict(attributes)


def _series(values: Any, dtype: str) -> Column:
    from eventide.libraries import pandas as pd

    if dtype in TEXT:
        return pd.Series(values, dtype=dtype)
    if np.dtype(dtype).kind == "f" and not isinstance(values, np.ndarray):
        values = [np.nan if value is None else float(value) for value in values]
    return pd.Series(np.asarray(values, dtype=dtype))
