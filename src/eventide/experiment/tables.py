"""The tables of a replication: what differs from run to run, what was answered, what failed, means with intervals."""

from __future__ import annotations

import platform
from collections.abc import Hashable
from importlib.metadata import version
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from eventide.errors import ModelError
from eventide.experiment import analysis
from eventide.libraries import load
from eventide.statistics import Tally

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import xarray as xr
    from numpy.typing import NDArray

    from eventide.experiment.replication import Replication
    from eventide.experiment.results import Result

Variable: TypeAlias = "tuple[tuple[str, ...], NDArray[np.float64], dict[str, str]]"
"""The dimensions of a labelled array, its values, and what is told of it: its unit."""

OWN: Final = ("run", "point", "replication", "error")
"""The columns that every table may have: a parameter or response of that name has one more word."""
COUNTS: Final = ("count", "failed", "stopped")
"""The same of tables of means: how many runs answered, failed, and were stopped before they could answer."""


def tidy(replication: Replication) -> pd.DataFrame:
    """A row for each run."""
    names = parameter_columns(replication)
    has_failed = any(result.failure for result in replication)
    rows = []
    for result in replication:
        row: dict[str, object] = {"point": result.point, "replication": result.replication}
        row.update({column: result.parameters[name] for name, column in names.items()})
        row.update({_response_column(name): _plain(value) for name, value in result.responses.items()})
        rows.append(row | ({"error": str(result.failure) if result.failure else ""} if has_failed else {}))
    frame = _framed(replication, rows, "results")
    if has_failed:
        frame["error"] = frame.pop("error")
    frame.attrs["units"] = {_response_column(name): unit for name, unit in units_of(replication).items()}
    frame.attrs["provenance"] = provenance(replication)
    return frame


def parameter_columns(replication: Replication) -> dict[str, str]:
    """The parameters that differ, each with its column, which is another one if a response has its name."""
    answered = responses_of(replication)
    return {
        name: f"parameter {name}" if name in OWN or name in answered else name
        for name in replication.study.points.varied
    }


def _response_column(name: str) -> str:
    return f"response {name}" if name in OWN else name


def _plain(value: object) -> object:
    """A number without its unit."""
    return float(value) if isinstance(value, float) else value


def responses_of(replication: Replication) -> dict[str, float]:
    """The responses that runs have answered, each with its first value."""
    return replication.answered


def units_of(replication: Replication) -> dict[str, str]:
    """The unit of each response."""
    return {name: getattr(value, "unit", "") for name, value in responses_of(replication).items()}


def inputs(replication: Replication) -> pd.DataFrame:
    """What each run was made from."""
    rows = [
        {"point": result.point, "replication": result.replication}
        | {f"parameter {name}" if name in OWN else name: value for name, value in result.parameters.items()}
        for result in replication
    ]
    return _framed(replication, rows, "inputs")


def responses(replication: Replication) -> pd.DataFrame:
    """What each run answered."""
    for result in stopped(replication):
        raise ModelError(analysis.told_of_stopped(replication, result))
    frame = _framed(replication, [dict(result.responses) for result in replication], "responses")
    frame.attrs["units"] = units_of(replication)
    return frame


def stopped(replication: Replication) -> list[Result]:
    """The runs that were stopped before their main program had ended, and so answered nothing."""
    return [result for result in replication if not result.is_whole and result.failure is None]


def failures(replication: Replication) -> pd.DataFrame:
    """A row for each run that failed."""
    from eventide.libraries import pandas as pd

    failed = [(result, result.failure) for result in replication if result.failure is not None]
    return pd.DataFrame(
        {
            "point": [result.point for result, _ in failed],
            "replication": [result.replication for result, _ in failed],
            "error": [str(failure) for _, failure in failed],
            "replay": [failure.replay for _, failure in failed],
        },
        index=pd.Index([result.number for result, _ in failed], dtype="int64", name="run"),
    )


def not_finite(replication: Replication) -> dict[str, list[int]]:
    """The responses that are not finite in some runs, with the numbers of these."""
    found: dict[str, list[int]] = {}
    for result in replication:
        for name, value in result.responses.items():
            if not isfinite(float(value)):
                found.setdefault(name, []).append(result.number)
    return found


def _framed(replication: Replication, rows: list[dict[str, object]], name: str) -> pd.DataFrame:
    from eventide.libraries import pandas as pd

    numbers = [result.number for result in replication]
    is_plain = numbers == list(range(len(numbers)))
    index: pd.Index[int] = pd.RangeIndex(len(rows)) if is_plain else pd.Index(numbers)
    frame = pd.DataFrame(rows, index=index.rename("run"))
    frame.attrs["name"] = name
    return frame


def provenance(replication: Replication) -> dict[str, str]:
    """What it takes to make the same once more, as texts."""
    study = replication.study
    until = study.model.until if study.settings.until is None else study.settings.until
    constant = {name: value for name, value in study.model.values.items() if name not in study.points.varied}
    return {
        "model": study.model.name,
        "parameters": ", ".join(f"{name}={value!r}" for name, value in constant.items()),
        "points": str(len(study.points.values)),
        "replications": str(study.replications),
        "entropy": str(study.entropy),
        **({"antithetic": "pairs of replications"} if study.settings.antithetic else {}),
        "until": "" if until is None else repr(until),
        "eventide": version("eventide-sim"),
        "numpy": version("numpy"),
        "python": platform.python_version(),
    }


# --- means ------------------------------------------------------------------------------------------------------------


def summary(replication: Replication, level: float) -> pd.DataFrame:
    """A row for each point; a response that is not finite in all of its runs has no mean there.

    Nor has any where a run was stopped before it could answer: those that came to their end first are no sample of all.
    """
    import numpy as np

    from eventide.libraries import pandas as pd

    points = replication.study.points.values
    names = list(responses_of(replication))
    answered: list[dict[str, dict[int, float]]] = [{name: {} for name in names} for _ in points]
    failed = [0] * len(points)
    cut = [0] * len(points)
    for result in stopped(replication):
        cut[result.point] += 1
    for result in replication:
        failed[result.point] += result.failure is not None
        for name, value in result.responses.items():
            answered[result.point][name][result.replication] = float(value)
    found = [{name: Tally(name) for name in names} for _ in points]
    for tallies, at_point in zip(found, answered, strict=True):
        for name, values in at_point.items():
            for value in analysis.observations(values, antithetic=replication.study.settings.antithetic).values():
                tallies[name].add(value)
    has_intervals = replication.study.replications > 1
    rows = []
    for tallies, is_cut in zip(found, cut, strict=True):
        row: dict[str, float] = {}
        for name, tally in tallies.items():
            is_finite = not is_cut and tally.count > 0 and bool(np.isfinite(tally.values).all())
            low, high = tally.confidence_interval(level) if is_finite else (nan, nan)
            row[mean_column(name)] = tally.mean if is_finite else nan
            if has_intervals:
                row[f"+- {name}"] = 0.5 * (high - low)
        rows.append(row)
    frame = pd.DataFrame(rows, index=_point_index(replication))
    frame["count"] = [max(map(len, at_point.values()), default=0) for at_point in answered]
    for name, numbers in (("failed", failed), ("stopped", cut)):
        if any(numbers):
            frame[name] = numbers
    frame.attrs["units"] = {mean_column(name): unit for name, unit in units_of(replication).items()}
    return frame


def mean_column(name: str) -> str:
    """The column of `summary` that has the means of a response."""
    return f"response {name}" if name in COUNTS else name


def _point_index(replication: Replication) -> pd.Index[Any]:
    """The points by the values of what is set at any of them, or by number where nothing is."""
    from eventide.libraries import pandas as pd

    points = replication.study.points.values
    names = list(dict.fromkeys(name for point in points for name in point))
    if not names:
        return pd.RangeIndex(len(points), name="point")
    plain = replication.model.values
    rows = [tuple(label_of(point.get(name, plain.get(name))) for name in names) for point in points]
    return pd.MultiIndex.from_tuples(rows, names=names)


def label_of(value: Any) -> Any:
    """A value as a label of a row: what cannot be one, as an array, and None, which is none to pandas, as a text."""
    return value if isinstance(value, Hashable) and value is not None else repr(value)


# --- labelled arrays --------------------------------------------------------------------------------------------------


def dataset(replication: Replication) -> xr.Dataset:
    """The responses by point and replication, recordings also by time."""
    import numpy as np

    xarray = load("xarray", "xarray", "a labelled dataset")
    study = replication.study
    shape = len(study.points.values), study.replications
    units, has_time = units_of(replication), study.settings.at is not None and study.settings.record != ()
    columns = {name: f"response {name}" if name == "time" and has_time else _response_column(name) for name in units}
    variables: dict[str, Variable] = {
        column: (("point", "replication"), np.full(shape, nan), {"units": units[name]} if units[name] else {})
        for name, column in columns.items()
    }
    for result in replication:
        for name, value in result.responses.items():
            variables[columns[name]][1][result.point, result.replication] = value
    coordinates: dict[str, object] = {"point": np.arange(shape[0]), "replication": np.arange(shape[1])}
    for name, column in parameter_columns(replication).items():
        coordinates[column] = _coordinate(replication, name, shape)
    if study.settings.at is not None and has_time:
        coordinates["time"] = np.array(study.settings.at)
        variables |= _over_time(replication, (*shape, len(study.settings.at)))
    labelled: xr.Dataset = xarray.Dataset(variables, coordinates, provenance(replication))
    return labelled


def _coordinate(replication: Replication, name: str, shape: tuple[int, int]) -> object:
    """The values of a parameter, by point, or by point and replication if they are drawn."""
    import numpy as np

    if name not in replication.study.points.drawn:
        default = replication.model.values.get(name)
        given = [point.get(name, default) for point in replication.study.points.values]
        values = [value if value is None else label_of(value) for value in given]
        # As an array made here: a sequence among the values would be taken for more dimensions.
        labels = np.empty(len(values), dtype=object)
        labels[:] = values
        return ("point", labels if any(isinstance(value, tuple) for value in values) else values)
    drawn: NDArray[np.float64] = np.full(shape, nan)
    for result in replication:
        drawn[result.point, result.replication] = result.parameters[name]
    return (("point", "replication"), drawn)


def _over_time(replication: Replication, shape: tuple[int, int, int]) -> dict[str, Variable]:
    """What the recordings hold, by their columns; these are told apart by the recording where two have one name."""
    import numpy as np

    found: dict[str, Variable] = {}
    for result in replication:
        for recording, table in result.tables.items():
            units = table.attrs.get("units", {})
            for column in table.columns:
                is_double = any(column in other.columns for name, other in result.tables.items() if name != recording)
                name = f"{recording}.{column}" if is_double or column in result.responses else str(column)
                if name not in found:
                    unit = units.get(column, "")
                    found[name] = ("point", "replication", "time"), np.full(shape, nan), {"units": unit} if unit else {}
                found[name][1][result.point, result.replication] = table[column].to_numpy(dtype=float)
    return found
