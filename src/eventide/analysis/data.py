"""Data that a model is compared with: columns of measured values against times, with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.errors import ModelError
from eventide.observe.frames import SIDES

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from eventide.observe import Recording


JUMP: Final = 1e-9
"""What changes by more than this part of the largest value from one float of time to the next has jumped."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """What was measured in one of several experiments, for `calibrate`.

    data            as for `calibrate`
    parameters      the values for which it was made, of parameters that are not calibrated: inputs, initial values
    weights, deviations     as for `calibrate`; without both those that it is given hold
    name            in what is told of it; its number unless given
    """

    data: pd.DataFrame | Recording
    parameters: Mapping[str, object] = field(default_factory=dict)
    weights: Mapping[str, ArrayLike] | None = None
    deviations: Mapping[str, ArrayLike] | None = None
    name: str = ""


@dataclass(frozen=True)
class Data:
    """Measured values and their weights.

    name        of the experiment; parameters: the values for which it was made
    frame       a row for each time, a column for each quantity; NaN where nothing was measured
    weights     of the same shape: by what residuals are multiplied
    times       each time once, growing
    rows        for each row of the frame the place of its time in `times`
    readings    the times at which the model is read: behind those of several values there is the next float as well
    """

    frame: pd.DataFrame
    weights: NDArray[np.float64]
    times: tuple[float, ...]
    rows: NDArray[np.intp]
    readings: tuple[float, ...]
    name: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def weights_as_frame(self) -> pd.DataFrame:
        """The weights as a table like that of the values."""
        from eventide.libraries import pandas as pd

        return pd.DataFrame(self.weights, index=self.frame.index, columns=self.frame.columns)

    @property
    def is_there(self) -> NDArray[np.bool_]:
        """Where something was measured."""
        there: NDArray[np.bool_] = ~np.isnan(self.frame.to_numpy(dtype=float))
        return there

    @property
    def count(self) -> int:
        """How many values were measured."""
        return int(self.is_there.sum())

    def columns_in(self, known: list[str], model: str) -> list[str]:
        """For each column of the data the recorded quantity that it is; raises as `recorded_name`."""
        return [recorded_name(str(name), known, model) for name in self.frame.columns]

    def check_units(self, units: Mapping[str, str], columns: Sequence[str], time_unit: str) -> None:
        """Raise ModelError if the data tell of another unit than the model has, for the times or one of `columns`."""
        own = self.frame.attrs.get("units")
        own = own if isinstance(own, Mapping) else {}
        known = {
            "time": time_unit,
            **{str(n): units.get(c, "") for n, c in zip(self.frame.columns, columns, strict=True)},
        }
        for name, unit in known.items():
            told = own.get(name, "")
            if told and unit and told != unit:
                raise ModelError(
                    f"{name} of the data is in {told}, and of the model in {unit}: convert it, and set "
                    f"data.attrs['units'][{name!r}] to {unit!r}"
                )

    def before_events(self, read: NDArray[np.float64], model: str) -> NDArray[np.float64]:
        """Of what was read of a model, a row for each of `readings`, the rows for `times`.

        Raises ModelError if the model jumps at a time of several values: nothing says of which side each is.
        """
        first = np.searchsorted(self.readings, self.times)
        for row in np.flatnonzero(np.diff(first, append=len(self.readings)) == 2):
            there = self.is_there[self.rows == row].sum(axis=0) > 1
            largest = np.nanmax(np.abs(self.frame.to_numpy(dtype=float)), axis=0, initial=0.0)
            jumps = np.abs(read[first[row] + 1] - read[first[row]]) > JUMP * largest
            for column in np.flatnonzero(there & jumps).tolist():
                raise ModelError(
                    f"{model} has an event at {self.times[row]!r} that changes {self.frame.columns[column]}, and the "
                    "data have several values for this time, of one side or both: keep those before it, as "
                    "`data[~data.index.duplicated()]` does with what was recorded, or give the recording itself"
                )
        return read[first]

    def residuals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted differences of a model's values (one row for each of `times`) from the data, one after the other."""
        away = self.weights * (values[self.rows] - self.frame.to_numpy(dtype=float))
        chosen: NDArray[np.float64] = away[self.is_there]
        return chosen

    def weighted(self, slopes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same for derivatives of a model's values, of shape (times, columns, parameters)."""
        chosen: NDArray[np.float64] = (self.weights[..., np.newaxis] * slopes[self.rows])[self.is_there]
        return chosen


def recorded_name(name: str, known: list[str], model: str) -> str:
    """The recorded quantity of a name, or the only one whose name ends so: "level" for "tank.level".

    Raises ModelError where there is none, or more than one
    """
    alike = [other for other in known if other == name] or [other for other in known if other.endswith(f".{name}")]
    if len(alike) != 1:
        what = f"it may be {' or '.join(alike)}" if alike else f"it records: {', '.join(known) or 'nothing'}"
        raise ModelError(f"{name!r} is no recorded quantity of {model}; {what}. Record it by sim.record(...)")
    return alike[0]


def experiments_of(
    told: Any,
    weights: Mapping[str, ArrayLike] | None,
    deviations: Mapping[str, ArrayLike] | None,
) -> list[Data]:
    """Data as they are given to `calibrate`: of one experiment or of several. Raises ModelError for what is none."""
    if isinstance(told, Experiment):
        told = [told]
    if not isinstance(told, Sequence) or not told or not all(isinstance(one, Experiment) for one in told):
        return [data_of(Experiment(told, {}, weights, deviations))]
    names = [one.name or str(number) for number, one in enumerate(told)]
    if len(set(names)) < len(names):
        raise ModelError(f"experiments have names of their own, and got {', '.join(names)}")
    found = []
    for name, one in zip(names, told, strict=True):
        has_own = one.weights is not None or one.deviations is not None
        own, errors = (one.weights, one.deviations) if has_own else (weights, deviations)
        try:
            found.append(data_of(Experiment(one.data, one.parameters, own, errors, name)))
        except ModelError as error:
            error.add_note(f"in the experiment {name}")
            raise
    return found


def data_of(experiment: Experiment) -> Data:
    """The data of one experiment. Raises ModelError for what is none."""
    told = _frame_of(experiment.data)
    if not told.index.is_monotonic_increasing and any(map(np.ndim, _all_of(experiment))):
        raise ModelError(
            "weights and deviations of each value are in the order of the times, and the rows of the data are in "
            "another: sort both, or the data by data.sort_index()"
        )
    frame = told.sort_index(kind="stable")
    values = frame.to_numpy(dtype=float)
    if not len(frame) or not values.size or np.isnan(values).all():
        raise ModelError("there are no data: a table has a row for each time and a column for each quantity")
    if np.isinf(values).any():
        raise ModelError("the data have infinite values: take them out, or write NaN where nothing was measured")
    if not isinstance(experiment.parameters, Mapping):
        raise ModelError(
            f'an experiment takes parameters by name, as {{"inflow": 2.0}}, and got {experiment.parameters!r}'
        )
    times, rows = np.unique(frame.index.to_numpy(dtype=float), return_inverse=True)
    weights = _numbers_by_column("weights", experiment.weights, frame)
    deviations = _numbers_by_column("deviations", experiment.deviations, frame)
    for name in experiment.weights or {}:
        if name in (experiment.deviations or {}):
            raise ModelError(f"{name} has weights and deviations: give one of them, a weight is 1 / deviation")
    if (deviations == 0.0).any():
        raise ModelError("a deviation is above 0: nothing is measured exactly")
    behind = times[np.bincount(rows) > 1]
    readings = np.unique(np.concatenate([times, np.nextafter(behind, np.inf)]))
    return Data(
        frame, weights / deviations, tuple(times.tolist()), rows, tuple(readings.tolist()), experiment.name,
        dict(experiment.parameters),
    )  # fmt: skip


def _frame_of(told: object) -> pd.DataFrame:
    from eventide.libraries import pandas as pd

    recorded: pd.DataFrame | None = None
    if hasattr(told, "to_pandas"):  # a recording
        recorded = told.to_pandas()
    elif isinstance(told, pd.DataFrame) and "side" in told.columns and told["side"].isin(SIDES).all():  # a dump of one
        recorded = told.drop(columns="side")
    if recorded is not None:
        # Of the two sides of an event the first: a calibration compares the values before events.
        told = recorded[~recorded.index.duplicated(keep="first")]
    if isinstance(told, pd.Series) and told.name is not None:
        told = told.to_frame()
    if not isinstance(told, pd.DataFrame):
        raise ModelError(
            "data are a DataFrame of columns against times, or a recording, or several ev.Experiment of these, and got "
            f"{type(told).__name__}"
        )
    frame = told.set_index("time") if "time" in told.columns else told
    if len(frame) and isinstance(frame.index, pd.RangeIndex) and frame.index.name is None:
        raise ModelError(
            "data are numbers against times, and this table has the numbers of its rows alone, not their times: give "
            "it a column 'time'; or rename_axis('time') where these are the times"
        )
    if frame.index.dtype.kind in "mM":
        raise ModelError(
            "data are numbers against times from 0 on, in the time unit of the model, and the times of this table are "
            f"{frame.index.dtype}: convert them, as (index - index[0]) / pd.Timedelta('1s')"
        )
    try:
        frame = frame.set_axis(frame.index.to_numpy(dtype=float), axis=0).rename_axis("time").astype(float)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"data are numbers against times, with these as index or in a column 'time': {error}"
        ) from None
    times = frame.index.to_numpy()
    if not (np.isfinite(times) & (times >= 0.0)).all():
        raise ModelError("data have a time from 0 on in each row: runs begin at 0")
    return frame


def _all_of(experiment: Experiment) -> list[ArrayLike]:
    """What is given as weights and deviations."""
    given = (experiment.weights, experiment.deviations)
    return [value for one in given if isinstance(one, Mapping) for value in one.values()]


def _numbers_by_column(what: str, given: object, frame: pd.DataFrame) -> NDArray[np.float64]:
    """Weights or deviations of the shape of the data: one for a column, or one for each of its values."""
    found = np.ones(frame.shape)
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise ModelError(f'{what}= takes numbers by column, as {{"height": 10.0}}, and got {given!r}')
    for name, values in given.items():
        if name not in frame.columns:
            raise ModelError(f"{what}= names {name!r}, and the data have {', '.join(map(str, frame.columns))}")
        try:
            found[:, frame.columns.get_loc(name)] = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(
                f"{what} of {name} are one number, or one for each of the {len(frame)} rows in the order of their "
                f"times, and got {values!r}"
            ) from None
    if not (np.isfinite(found) & (found >= 0.0)).all():
        raise ModelError(f"{what} are finite numbers from 0 on")
    return found
