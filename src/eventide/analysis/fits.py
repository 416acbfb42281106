"""What a calibration says: the parameters with their intervals, which of them the data do not settle, residuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.analysis.draws import JointlyDrawn
from eventide.declare.units import in_time_units
from eventide.errors import ModelError
from eventide.experiment.report import readable
from eventide.experiment.results import READINGS, Settings, Task, perform
from eventide.statistics.quantiles import student_quantile

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from eventide.analysis.data import Data
    from eventide.analysis.space import Space
    from eventide.experiment.models import Model

PART: Final = 0.3
"""A parameter takes part in a direction if its share of it is at least this part of the largest one, or more than the
direction of what is no more than noise may itself be off."""


@dataclass(frozen=True)
class Estimate:
    """What data say of parameters.

    table           a row for each parameter: its value, standard error, and the ends of its confidence interval, which
                    is infinite where the data do not settle it
    covariance      of the parameters, (p, p): s^2 (J' J)^-1, with J of the weighted residuals
    singular_values of J, of parameters as shares of their ranges, the largest first
    unidentified    groups of parameters of which the data settle at most combinations: what changes along a singular
                    vector changes the curves by less than can be told. A group of one does not matter at all
    sum_of_squares  of the weighted residuals
    residual_error  s, the standard deviation of a residual of weight 1; NaN of as many values as parameters
    freedom         values less parameters
    Source          Bates & Watts 1988, Nonlinear Regression Analysis, 2.2; Belsley 1991, Conditioning Diagnostics
    """

    table: pd.DataFrame
    covariance: pd.DataFrame
    singular_values: tuple[float, ...]
    unidentified: tuple[tuple[str, ...], ...]
    sum_of_squares: float
    residual_error: float
    freedom: int


def estimated(
    space: Space,
    best: Mapping[str, float],
    residuals: NDArray[np.float64],
    slopes: NDArray[np.float64],
    level: float,
    noise: float,
    size: float,
) -> Estimate:
    """What weighted residuals and their derivatives by coordinates say of the parameters.

    noise   the relative error of the derivatives: what is below this share of the others may be 0
    size    of the weighted curves
    """
    from eventide.libraries import pandas as pd

    names, freedom = list(space.names), len(residuals) - len(space.names)
    total = float(residuals @ residuals)
    error = sqrt(total / freedom) if freedom > 0 else nan
    quantile = student_quantile(float(freedom), 0.5 + 0.5 * level) if freedom > 0 else nan
    # Of columns of one length: a parameter is not lost because another one has a wider range.
    lengths = np.linalg.norm(slopes, axis=0)
    is_seen = lengths > noise * size
    lengths = np.where(is_seen, lengths, 1.0)
    _, values, directions = np.linalg.svd(np.where(is_seen, slopes / lengths, 0.0), full_matrices=False)
    settled = values > noise * values[0]
    # A direction without slope is itself off by the angle that noise makes with the least slope that there is.
    turned = min(PART, noise * values[0] / min(values[settled], default=inf))
    hidden = {name for name, seen in zip(names, is_seen, strict=True) if not seen}
    groups: list[tuple[str, ...]] = [(name,) for name in names if name in hidden]
    for direction, value, is_settled in zip(directions, values, settled, strict=True):
        if not is_settled and is_seen[np.argmax(np.abs(direction))]:
            groups.append(_taking_part(names, direction, turned))
            hidden.update(groups[-1])
        # It is lost, too, if its interval is longer than the ranges.
        elif is_settled and np.max(np.abs(direction / lengths)) * quantile * error > value:
            groups.append(_taking_part(names, direction / lengths, PART))
    scales = np.array([axis.width for axis in space.axes]) / lengths
    inverse = np.where(settled, 1.0 / np.where(settled, values, 1.0) ** 2, 0.0)
    covariance = error**2 * (directions.T * inverse) @ directions * np.outer(scales, scales)
    errors = np.sqrt(np.diag(covariance))
    errors[[name in hidden for name in names]] = inf
    np.fill_diagonal(covariance, errors**2)
    middle = np.array([float(best[name]) for name in names])
    half = quantile * errors
    table = pd.DataFrame(
        {"value": middle, "standard error": errors, "low": middle - half, "high": middle + half},
        index=pd.Index(names, name="parameter"),
    )
    return Estimate(
        table=table,
        covariance=pd.DataFrame(covariance, index=names, columns=names),
        singular_values=tuple(np.linalg.svd(slopes, compute_uv=False).tolist()),
        unidentified=tuple(dict.fromkeys(groups)),
        sum_of_squares=total,
        residual_error=error,
        freedom=freedom,
    )


def _taking_part(names: Sequence[str], direction: NDArray[np.float64], part: float) -> tuple[str, ...]:
    shares = np.abs(direction)
    return tuple(name for name, share in zip(names, shares, strict=True) if share >= part * shares.max())


def joined(frames: Sequence[pd.DataFrame], experiments: Sequence[Data]) -> pd.DataFrame:
    """The tables of several experiments below each other, by "experiment" and "time"; that of one as it is."""
    from eventide.libraries import pandas as pd

    if not experiments[0].name:
        return frames[0]
    whole = pd.concat(dict(zip([one.name for one in experiments], frames, strict=True)), names=["experiment", "time"])
    whole.attrs.update(experiments[0].frame.attrs)
    return whole


@dataclass(frozen=True, eq=False)
class Calibration:
    """The parameters for which a model came closest to data; it prints them with their intervals.

    model           with the best values: `found.model.run()`
    best            these, by name
    estimate        how well they are known: see `Estimate`
    data, fitted    measured values and those of the model, against times; of several experiments by their names first
    weights         by which residuals were multiplied, of the same shape
    experiments     the values of other parameters in each of several experiments, by their names
    by              how derivatives were found: "variational", which is exact, or "central"; note: why, if not as asked
    method, reason  how the values were found, and why that ended
    evaluations, runs, seconds, entropy, history       as of an `Optimum`; what was minimised is the sum of squares
    """

    model: Model[..., object]
    best: Mapping[str, float]
    estimate: Estimate
    data: pd.DataFrame = field(repr=False)
    fitted: pd.DataFrame = field(repr=False)
    weights: NDArray[np.float64] = field(repr=False)
    experiments: Mapping[str, Mapping[str, object]]
    space: Space = field(repr=False)
    replications: int
    by: str
    note: str
    method: str
    reason: str
    entropy: int
    evaluations: int
    runs: int
    seconds: float
    history: pd.DataFrame = field(repr=False)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each parameter: "value", "standard error", "low" and "high" of its confidence interval."""
        return self.estimate.table

    @property
    def covariance(self) -> pd.DataFrame:
        """The estimated covariance of the parameters, by name."""
        return self.estimate.covariance

    @property
    def unidentified(self) -> tuple[tuple[str, ...], ...]:
        """Groups of parameters that the data do not settle; see `Estimate`."""
        return self.estimate.unidentified

    @property
    def residuals(self) -> pd.DataFrame:
        """The model less the data, without weights; NaN where nothing was measured."""
        return self.fitted - self.data

    @property
    def uncertain(self) -> dict[str, JointlyDrawn]:
        """The parameters as they are known now, to go over: `ev.predict(tank, found.uncertain)`.

        Each replication draws all of them together, from the normal distribution of the estimate, moved into the
        ranges. Raises ModelError if the data do not settle them.
        """
        if self.unidentified or not np.isfinite(self.covariance.to_numpy()).all():
            lost = "; ".join(" and ".join(group) for group in self.unidentified) or "how well any of them is known"
            raise ModelError(f"the data do not settle {lost}: nothing can be drawn from their distribution")
        from scipy.stats import norm

        factor = np.linalg.cholesky(self.covariance.to_numpy())
        names = tuple(self.best)
        rows, mean = tuple(map(tuple, factor.tolist())), tuple(self.best.values())
        return {
            axis.name: JointlyDrawn(norm(), None, names, place, mean, rows, (axis.low, axis.high))
            for place, axis in enumerate(self.space.axes)
        }

    def curves(self, times: ArrayLike, experiment: str = "") -> pd.DataFrame:
        """What the calibrated model records at any times, averaged over its replications; a column for each quantity
        of the data.

        experiment      the name of one of several; the first unless given
        Raises          ModelError for a name that none has
        """
        from eventide.analysis.data import recorded_name
        from eventide.libraries import pandas as pd

        model, data = self._of(experiment)
        at = tuple(np.unique(np.asarray(in_time_units(times, model.time_unit, "curves(...)"), dtype=float)).tolist())
        settings = Settings(self.entropy, until=at[-1], readings=at, raises=True)
        tables = [
            perform(model, Task(number, 0, number, {}), settings).tables[READINGS]
            for number in range(self.replications)
        ]
        columns = [recorded_name(str(name), [*tables[0].columns], model.name) for name in data.columns]
        mean = np.mean([table[columns].to_numpy(dtype=float) for table in tables], axis=0)
        return pd.DataFrame(mean, index=tables[0].index, columns=data.columns)

    def _of(self, experiment: str) -> tuple[Model[..., object], pd.DataFrame]:
        """The model and the data of an experiment."""
        if not self.experiments and not experiment:
            return self.model, self.data
        if experiment and experiment not in self.experiments:
            known = ", ".join(self.experiments) or "one without a name"
            raise ModelError(f"there is no experiment {experiment!r}; there is: {known}")
        name = experiment or next(iter(self.experiments))
        own = self.data.loc[[name]].droplevel("experiment").dropna(axis="columns", how="all")
        return self.model(**self.experiments[name]), own

    def plot(self, figure: Figure | None = None) -> Axes:
        """Draw the model's curves against the data, one below the other, with the residuals' spread.

        Returns the uppermost axes.
        """
        from eventide.view import plot_fit

        return plot_fit(self, figure)

    def __str__(self) -> str:
        one = self.estimate
        several = f" of {len(self.experiments)} experiments" if len(self.experiments) > 1 else ""
        lines = [f"{self.model.name} against {int(self.data.count().sum())} values{several}:", ""]
        lines += [self.table.to_string(float_format=_written), ""]
        lines.append(
            f"sum of squares {readable(one.sum_of_squares)}, residual standard deviation "
            f"{readable(one.residual_error)} ({one.freedom} degrees of freedom)"
        )
        lines += [f"the data do not settle {_group(group, self.table)}" for group in self.unidentified]
        ends = self.space.at_ends(self.best)
        if ends:
            lines.append(f"at the end of its range, where intervals mean little: {', '.join(ends)}")
        lines.append(
            f"{self.method}: {self.evaluations} evaluations, {self.runs} runs, {self.seconds:.2f} s, entropy "
            f"{self.entropy}"
        )
        if self.note:
            lines.append(f"derivatives by central differences: {self.note}")
        lines.append(f"ended: {self.reason}")
        return "\n".join(lines)

    __repr__ = __str__  # what a notebook shows


def _written(number: float) -> str:
    return f"{number:.6g}"


def _group(names: Sequence[str], table: pd.DataFrame) -> str:
    if len(names) == 1 and np.isfinite(float(table["standard error"][names[0]])):
        return f"{names[0]}: its interval is longer than its range"
    if len(names) == 1:
        return f"{names[0]}: it hardly changes the curves"
    return f"{' and '.join(names)}: only a combination of them changes the curves"
