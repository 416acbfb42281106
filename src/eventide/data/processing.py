"""Data processing: what pandas does not have ready, on DataFrames as recordings and dumps give them.

To sort, aggregate, transform and complete data pandas is at hand, and keeps units and descriptions in `attrs`:
`frame.sort_index()`, `frame.groupby(...).mean()`, `frame.interpolate()`, `frame.assign(...)`, `frame.to_string()`.

Source: Pannek, Simulation of mechatronic systems, definitions 4.10, 4.11 and 4.17; where their formulas slip (an
interval from the variance, quartiles as means of tails) the usual ones are meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf, nan
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from eventide.declare.units import in_time_units
from eventide.errors import InputError, ModelError
from eventide.statistics import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    import pandas as pd


class HasTable(Protocol):
    """What can be made a DataFrame, as a recording."""

    def to_pandas(self) -> pd.DataFrame:
        """As a DataFrame."""


Table: TypeAlias = "HasTable | pd.DataFrame"


def as_frame(data: Table) -> pd.DataFrame:
    """A DataFrame as it is, anything else as the DataFrame that it makes. Raises ModelError for what makes none."""
    from eventide.libraries import pandas as pd

    to_pandas: Callable[[], pd.DataFrame] | None = getattr(data, "to_pandas", None)
    if to_pandas is not None:
        return to_pandas()
    if not isinstance(data, pd.DataFrame):
        raise ModelError(f"a table is a recording or a DataFrame, and got a {type(data).__name__}: {data!r:.100}")
    return data


def summarise(data: Table, *, level: float = 0.95, k: float = 1.5) -> pd.DataFrame:
    """The statistical properties of each column of numbers: one row for each column.

    count, missing          finite values, and the others, which count nowhere else
    mean, variance, stdev   the sample variance with divisor n - 1; NaN where the data do not settle it
    low, high               the confidence interval of the mean, Student's, for independent values only
    minimum, q1, median, q3, maximum    quartiles are quantiles of type 7 (Hyndman & Fan 1996)
    outliers                values outside Tukey's fence, as `outliers(values, k=k)` finds them
    """
    from eventide.libraries import pandas as pd

    frame = as_frame(data)
    numbers = frame.select_dtypes(include="number", exclude="timedelta")
    # By place: two columns may have one name.
    rows = [_statistics(column.to_numpy(dtype=float), level, k) for _, column in numbers.items()]
    summary = pd.DataFrame(rows, index=numbers.columns.rename("column"))
    summary.attrs.update(frame.attrs)
    return summary


def _statistics(values: npt.NDArray[np.float64], level: float, k: float) -> dict[str, float]:
    finite = values[np.isfinite(values)]
    tally = Tally()
    for value in finite:
        tally.add(value)
    low, high = tally.confidence_interval(level)
    return {
        "count": tally.count,
        "missing": len(values) - len(finite),
        "mean": tally.mean,
        "variance": tally.variance,
        "stdev": tally.stdev,
        "low": low,
        "high": high,
        **{
            name: tally.quantile(q)
            for name, q in (("minimum", 0.0), ("q1", 0.25), ("median", 0.5), ("q3", 0.75), ("maximum", 1.0))
        },
        "outliers": int(np.count_nonzero(outliers(finite, k=k))),
    }


def fence(values: npt.ArrayLike, *, k: float = 1.5) -> tuple[float, float]:
    """Tukey's fence: q1 - k (q3 - q1) and q3 + k (q3 - q1), with quartiles of type 7; NaN without finite values.

    k           1.5, or 3 for what is far out
    Raises      ModelError unless k > 0
    Source      Tukey 1977, Exploratory Data Analysis
    """
    if not k > 0.0:
        raise ModelError(f"a fence takes k > 0, as 1.5 or 3, and got {k!r}")
    numbers = np.asarray(values, dtype=float)
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return nan, nan
    q1, q3 = np.quantile(finite, [0.25, 0.75])
    return float(q1 - k * (q3 - q1)), float(q3 + k * (q3 - q1))


def outliers(values: npt.ArrayLike, *, k: float = 1.5) -> npt.NDArray[np.bool_]:
    """For each value whether it lies outside Tukey's fence; infinite ones do, NaN does not."""
    low, high = fence(values, k=k)
    numbers = np.asarray(values, dtype=float)
    found: npt.NDArray[np.bool_] = (numbers < low) | (numbers > high) | np.isinf(numbers)
    return found


def tail_means(values: npt.ArrayLike, *, share: float = 0.25) -> tuple[float, float]:
    """The means of the lowest and of the highest values, the given share of them each, rounded down.

    These are no quartiles: for a normal distribution they lie twice as far out.
    Raises ModelError unless the share is in (0, 0.5] and gives one value at least, and for NaN among the values
    """
    numbers = np.sort(np.asarray(values, dtype=float))
    if np.isnan(numbers).any():
        raise ModelError("tail_means takes numbers, and some are NaN: leave them out first")
    count = int(share * len(numbers))
    if not 0.0 < share <= 0.5 or not count:
        raise ModelError(
            f"tail_means takes a share in (0, 0.5] that is one value at least, and got {share!r} of {len(numbers)}"
        )
    return float(np.mean(numbers[:count])), float(np.mean(numbers[-count:]))


# --- whether the data can be used -------------------------------------------------------------------------------------


def find_faults(
    data: Table,
    *,
    limits: Mapping[str, tuple[float, float]] | None = None,
    increasing: Sequence[str] = (),
) -> pd.DataFrame:
    """What is corrupt, inaccurate or incomplete: one row for each column and kind of fault, none if all is well.

    Looked for are missing values and infinite ones, rows that are repeated as a whole and what is asked for:
    limits          for columns, or levels of the index, by name: the least and the greatest value allowed
    increasing      columns, or levels of the index, in which no number may fall below the one before, whatever is
                    missing between them
    Returns         the columns `column` (empty for repeated rows), `fault`, `count`, `first` (the first row, from 0)
    Raises          ModelError for a name that is not there, or there twice, for limits that are none, and for a text
                    that is to be compared
    """
    from eventide.libraries import pandas as pd

    frame = as_frame(data)
    flat = frame.reset_index() if any(name is not None for name in frame.index.names) else frame
    limits, increasing = limits or {}, (increasing,) if isinstance(increasing, str) else increasing
    unknown = [name for name in (*limits, *increasing) if list(flat.columns).count(name) != 1]
    if unknown:
        raise ModelError(f"there is no column {unknown[0]!r} to check, or more than one; the columns are "
                         f"{', '.join(map(str, flat))}")  # fmt: skip
    found = [("", "repeated row", flat.duplicated().to_numpy())]
    for place, name in enumerate(flat.columns):
        column = flat.iloc[:, place]
        found.append((name, "missing", column.isna().to_numpy()))
        if column.dtype.kind in "fO":
            infinite = np.isinf if column.dtype.kind == "f" else _infinite_objects
            found.append((name, "infinite", np.asarray(infinite(column.to_numpy()))))
        if name in limits:
            found.append((name, "outside {!r} to {!r}".format(*limits[name]), _are_outside(column, limits[name])))
        if name in increasing:
            found.append((name, "falls", _fall(column)))
    faults = [(name, fault, int(is_bad.sum()), int(is_bad.argmax())) for name, fault, is_bad in found if is_bad.any()]
    return pd.DataFrame(faults, columns=["column", "fault", "count", "first"])


def _infinite_objects(values: npt.NDArray[np.object_]) -> npt.NDArray[np.bool_]:
    """Which of some objects are infinite numbers."""
    return np.array([isinstance(value, float) and isinf(value) for value in values], dtype=bool)


def _are_outside(column: pd.Series, limits: tuple[float, float]) -> npt.NDArray[np.bool_]:
    """Where a column is outside of limits; what is missing is not."""
    low, high = limits
    if None in limits or not low <= high:
        raise ModelError(f"limits of {column.name!r} are its least and its greatest value, and got {limits!r}")
    is_there, values = _comparable(column)
    is_outside = np.zeros(len(column), dtype=bool)
    is_outside[is_there] = (values < low) | (values > high)
    return is_outside


def _fall(column: pd.Series) -> npt.NDArray[np.bool_]:
    """Where a value is below the one before it that is not missing."""
    is_there, values = _comparable(column)
    falls = np.zeros(len(column), dtype=bool)
    falls[np.flatnonzero(is_there)[1:]] = values[1:] < values[:-1]
    return falls


def _comparable(column: pd.Series) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Which values of a column are there, and these. Raises ModelError if there is a text among them."""
    is_there = column.notna().to_numpy()
    known = column[is_there]
    text = next((value for value in known if isinstance(value, str)), None)
    if text is not None:
        raise ModelError(f"column {column.name!r} holds the text {text!r}, and numbers are compared: use pd.to_numeric")
    return is_there, known.to_numpy()


def validate(
    data: Table,
    *,
    limits: Mapping[str, tuple[float, float]] | None = None,
    increasing: Sequence[str] = (),
) -> None:
    """Raise InputError, which lists them, if `find_faults` finds any."""
    faults = find_faults(data, limits=limits, increasing=increasing)
    if not faults.empty:
        told = [
            f"{column or 'the table'}: {fault}, {count} of them, the first in row {first}"
            for column, fault, count, first in faults.to_numpy().tolist()
        ]
        raise InputError(f"the data cannot be used as they are: {'; '.join(told)}")


# --- other instants ---------------------------------------------------------------------------------------------------


def sample(
    times: npt.ArrayLike, values: npt.ArrayLike, at: npt.ArrayLike, *, before: bool = False, held: bool = False
) -> npt.NDArray[np.float64]:
    """The values of a recorded curve at other times: straight between rows, with its jumps.

    times, values   (n,) of a curve, ascending; two equal times are the two sides of an event
    at              (m,) any times; NaN comes out for those before the first or after the last row
    before          at an event the value before it, not the one after
    held            the value is kept from row to row instead of going straight: for counts
    Raises          ModelError for times that fall or are NaN, and unless there is one value for each
    """
    t, x, wanted = (np.asarray(a, dtype=float) for a in (times, values, in_time_units(at, None, "at=")))
    if t.ndim != 1 or x.shape != t.shape:
        raise ModelError(f"sample(...) takes one value for each time, and got arrays of shapes {t.shape} and {x.shape}")
    if np.isnan(t).any() or (np.diff(t) < 0.0).any():
        raise ModelError("sample(...) takes times that do not fall, and here they do, or some are NaN: sort them first")
    if not t.size:
        return np.full(wanted.shape, nan)
    left = np.searchsorted(t, wanted, side="right") - 1
    right = np.searchsorted(t, wanted, side="left")
    inside = (left >= 0) & (right < t.size)
    left, right = np.clip(left, 0, t.size - 1), np.clip(right, 0, t.size - 1)
    exact = right if before else left
    is_exact = t[exact] == wanted
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(held, 0.0, (wanted - t[left]) / (t[right] - t[left]))
        is_level = (share == 0.0) | (x[left] == x[right])  # also where both are infinite
        between = np.where(is_level, x[left], x[left] + share * (x[right] - x[left]))
    return np.where(inside, np.where(is_exact, x[exact], between), nan)
