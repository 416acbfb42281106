"""Calibration: values of a model's parameters for which its curves come closest to data, and how well they are known.

Residuals are read from the steps themselves at the times of the data, so recordings need no rows there. The Jacobian
comes from the variational equations where the model allows it, else from central differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, nan
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from eventide.analysis.data import Data, Experiment, experiments_of
from eventide.analysis.evaluations import Evaluation, Evaluator, How, SpentError
from eventide.analysis.fits import Calibration, Estimate, estimated, joined
from eventide.analysis.minimising import MethodName, check_search, checked_model, checked_options, searched
from eventide.analysis.search import UNLIMITED, method_for
from eventide.analysis.sensitivity.dual import UndifferentiableError
from eventide.analysis.sensitivity.models import sensitivity_of_model
from eventide.analysis.sensitivity.results import share_for
from eventide.analysis.space import Space, space_of
from eventide.errors import ModelError, to_float
from eventide.experiment.results import READINGS
from eventide.streams.uniforms import entropy_from

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from eventide.experiment.models import Model
    from eventide.experiment.results import Result
    from eventide.observe import Recording

    Array: TypeAlias = NDArray[np.float64]

LEAST_SQUARES = "least squares"
SMALL: Final = 0.1
"""A value that is a smaller share of its range is small beside it."""


def calibrate(
    model: Model[..., object],
    data: pd.DataFrame | Recording | Sequence[Experiment],
    over: Mapping[str, tuple[float, float]],
    *,
    weights: Mapping[str, ArrayLike] | None = None,
    deviations: Mapping[str, ArrayLike] | None = None,
    start: Mapping[str, float] | None = None,
    method: MethodName | Literal["least squares"] = "least squares",
    by: Literal["variational", "central"] = "variational",
    replications: int = 1,
    evaluations: int = 200,
    tolerance: float = 1e-8,
    level: float = 0.95,
    entropy: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    store: str | PathLike[str] | None = None,
    time_limit: float | None = None,
    options: Mapping[str, object] | None = None,
) -> Calibration:
    """The values of parameters for which what a model records comes closest to data, and how well they are known.

    `ev.calibrate(tank, measured, over={"inflow": (0.1, 2.0), "loss": (0.0, 1.0)}, entropy=1)`.
    data            a DataFrame with the times as index or in a column "time", and a column for each quantity that the
                    model records, of its name ("tank.level") or the end of it ("level"); NaN where nothing was
                    measured; or a recording. At an event the values before it are meant, and several for its time are
                    refused if it changes them. Runs end at the last time.
                    Or several `ev.Experiment`, each with values of other parameters: what is calibrated is the same in
                    all of them
    over            (low, high) for each parameter, all of type float
    weights         of the columns, or of each value in the order of the times: residuals are multiplied by them
    deviations      standard deviations of the measurements, as weights are given: residuals are divided by them
    start           as for `minimise`
    method          "least squares" from the start (trust region reflective, within the ranges); or one of those of
                    `minimise`, to search widely first; least squares go on from what it has found
    by              how least squares find derivatives: from the variational equations, which are exact, or by central
                    differences; where the former do not go through, a note of the result says why
    replications    of each point, over which the curves are averaged
    evaluations     the most points; after a wide search, as many again for the least squares
    tolerance       least squares end when they change the sum, or the parameters, by less than this share
    level           of confidence intervals
    options         of `scipy.optimize.least_squares`, or of the wide search
    workers, executor, store, entropy, time_limit      as for `minimise`
    Raises          ModelError for data, ranges or methods that are none, for fewer values than parameters, and if the
                    model fails at the start
    Source          Bates & Watts 1988, Nonlinear Regression Analysis; Branch, Coleman & Li 1999, SIAM J. Sci. Comp. 21
    """
    space = space_of(checked_model(model), over)
    check_search(replications, tolerance, level, store, entropy)
    measured = experiments_of(data, weights, deviations)
    _check(model, space, measured)
    wide = None if method == LEAST_SQUARES else method_for(space, method, evaluations)
    ends = tuple((one.readings[-1], one.readings) for one in measured)
    how = How(
        replications, max(end for end, _ in ends), entropy_from(entropy), evaluations, workers, executor, store,
        time_limit, tuple(one.parameters for one in measured), ends,
    )  # fmt: skip
    x = space.start(model, start)
    return _Fit(model, space, measured, by).calibration(how, wide, x, tolerance, level, checked_options(options))


def _check(model: Model[..., object], space: Space, experiments: Sequence[Data]) -> None:
    if not space.is_real:
        name = next(axis.name for axis in space.axes if not axis.is_real)
        raise ModelError(f"{name} is no real number with a range, and only these are calibrated: minimise() over it")
    for one in experiments:
        model(**one.parameters)
        for name in space.names:
            if name in one.parameters:
                raise ModelError(
                    f"{name} is calibrated, and the experiment {one.name} sets it to {one.parameters[name]!r}: leave "
                    "out one of the two"
                )
    count = sum(one.count for one in experiments)
    if count < len(space.axes):
        raise ModelError(f"{count} measured values do not settle {len(space.axes)} parameters")


class _Fit:
    """What a calibration asks of the runs of a point: residuals, their sum of squares, their derivatives.

    by      how derivatives are found: "variational" until that is refused, then "central"; note: why
    """

    def __init__(self, model: Model[..., object], space: Space, data: Sequence[Data], by: str) -> None:
        if by not in {"variational", "central"}:
            raise ModelError(f"by= takes 'variational' or 'central', and got {by!r}")
        self.model, self.space, self.data, self.by = model, space, data, by
        self.note = ""
        self.size = float(np.linalg.norm(self.of_all([np.zeros((len(one.times), one.frame.shape[1])) for one in data])))
        """Of the weighted data."""
        self._columns: list[list[str]] = []

    def calibration(
        self, how: How, wide: str | None, start: Array, tolerance: float, level: float, options: dict[str, object]
    ) -> Calibration:
        """Search widely if that is asked for, go down from what was found, and tell how well it is known."""
        begun = perf_counter()
        with Evaluator(self.model, self.measure, how) as evaluator:
            if wide is not None:
                searched(evaluator, wide, self.space, start, 1e-3, options)
                start, options = self.space.coordinates(evaluator.best.point), {}
                evaluator.how = replace(how, evaluations=2 * how.evaluations)
            reason = self.descend(evaluator, start, tolerance, options)
            best = evaluator.best
            evaluator.how = replace(how, evaluations=UNLIMITED)  # the last Jacobian is part of the answer
            values = {name: to_float(value, name) for name, value in best.point.items()}
            estimate = self.estimate(evaluator, best, values, level)
        return Calibration(
            model=self.model(**best.point),
            best=values,
            estimate=estimate,
            data=joined([one.frame for one in self.data], self.data),
            fitted=joined(self.frames(best), self.data),
            weights=joined([one.weights_as_frame for one in self.data], self.data).to_numpy(dtype=float),
            experiments={one.name: one.parameters for one in self.data if one.name},
            space=self.space,
            replications=how.replications,
            by=self.by,
            note=self.note,
            method=LEAST_SQUARES if wide is None else f"{wide}, {LEAST_SQUARES}",
            reason=reason,
            entropy=how.entropy,
            evaluations=len(evaluator.done),
            runs=evaluator.runs,
            seconds=perf_counter() - begun,
            history=evaluator.history(),
        )

    # --- residuals ------------------------------------------------------------------------------------------------

    def values(self, results: Sequence[Result]) -> list[Array]:
        """For each experiment the curves at the times of its data, averaged over replications: (times, columns)."""
        tables: list[list[pd.DataFrame]] = [[] for _ in self.data]
        for result in results:
            tables[result.point % len(self.data)].append(result.tables[READINGS])
        for one, own in zip(self.data, tables, strict=True):
            reached = min(len(table) for table in own)
            if reached < len(one.readings):
                raise ModelError(
                    f"the data go on to {one.times[-1]!r}, and a run of {self.model.name} ended before "
                    f"{one.readings[reached]!r}: leave out what comes after its end"
                )
        if not self._columns:
            for one, own in zip(self.data, tables, strict=True):
                self._columns.append(one.columns_in([*own[0].columns], self.model.name))
                one.check_units(own[0].attrs.get("units", {}), self._columns[-1], self.model.time_unit)
        return [
            np.mean([one.before_events(table[columns].to_numpy(dtype=float), self.model.name) for table in own], axis=0)
            for one, columns, own in zip(self.data, self._columns, tables, strict=True)
        ]

    def of_all(self, values: Sequence[Array]) -> Array:
        """The weighted residuals of all experiments, one after the other."""
        return np.concatenate([one.residuals(own) for one, own in zip(self.data, values, strict=True)])

    def measure(self, results: Sequence[Result]) -> tuple[float, float]:
        """The sum of squares of the weighted residuals."""
        residuals = self.of_all(self.values(results))
        return float(residuals @ residuals), nan

    def residuals(self, evaluation: Evaluation) -> Array:
        """The weighted residuals; infinite where a run has failed."""
        if evaluation.message:
            return np.full(sum(one.count for one in self.data), inf)
        return self.of_all(self.values(evaluation.results))

    def frames(self, evaluation: Evaluation) -> list[pd.DataFrame]:
        """The curves as tables like those of the data."""
        from eventide.libraries import pandas as pd

        return [
            pd.DataFrame(own[one.rows], index=one.frame.index, columns=one.frame.columns)
            for one, own in zip(self.data, self.values(evaluation.results), strict=True)
        ]

    # --- least squares --------------------------------------------------------------------------------------------

    def descend(self, evaluator: Evaluator, start: Array, tolerance: float, options: Mapping[str, Any]) -> str:
        """Go down to a least sum of squares; why it ended."""
        from scipy.optimize import least_squares

        def at(x: Array) -> Evaluation:
            return evaluator([self.space.point(x)])[0]

        first = at(start)
        if first.message:
            raise ModelError(f"the model fails at the start, {first.point}, with {first.message}: give another start=")

        def residuals(x: Array) -> Array:
            return self.residuals(at(x))

        def jacobian(x: Array) -> Array:
            return self.jacobian(evaluator, at(x))

        chosen = {"x_scale": "jac", "ftol": tolerance, "xtol": tolerance, "gtol": tolerance, **options}
        try:
            found = least_squares(residuals, start, jacobian, bounds=(0.0, 1.0), **chosen)
        except SpentError:
            return f"all {evaluator.how.evaluations} evaluations were made"
        return {
            0: "the library made as many steps as it allows",
            1: "the sum of squares has no slope",
            2: f"the sum of squares changes by less than {tolerance:g} of it",
            3: f"the parameters change by less than {tolerance:g} of them",
            4: f"the sum of squares and the parameters change by less than {tolerance:g} of them",
        }[found.status]

    def jacobian(self, evaluator: Evaluator, evaluation: Evaluation) -> Array:
        """The derivatives of the weighted residuals by the coordinates: (values, parameters)."""
        if self.by == "variational" and evaluator.how.replications > 1:
            self._give_way("the curves are means over replications")
        if self.by == "variational":
            try:
                return self._exact(evaluator, evaluation)
            except UndifferentiableError as error:
                self._give_way(str(error))
        return self._differences(evaluator, evaluation)

    def _give_way(self, why: str) -> None:
        self.by, self.note = "central", why

    def _exact(self, evaluator: Evaluator, evaluation: Evaluation) -> Array:
        """By the variational equations. Raises UndifferentiableError where they do not go through."""
        names = self.space.names
        parts = []
        for one, columns in zip(self.data, self._columns, strict=True):
            own = self.model(**one.parameters, **evaluation.point)
            found = sensitivity_of_model(own, names, at=one.times, until=one.times[-1], entropy=evaluator.how.entropy)
            places = {time: row for row, time in enumerate(one.times)}
            slopes = np.full((len(one.times), len(columns), len(names)), nan)
            for entry in found.entries:
                if entry.output in columns and entry.time in places:
                    place = columns.index(entry.output), names.index(entry.input)
                    slopes[places[entry.time], *place] = entry.sensitivity
            missing = [name for k, name in enumerate(columns) if not np.isfinite(slopes[:, k]).all()]
            if missing:
                raise UndifferentiableError(f"{missing[0]} is no state of a component at all times of the data")
            parts.append(one.weighted(slopes) * np.array([axis.width for axis in self.space.axes]))
        exact: Array = np.concatenate(parts)
        return exact

    def _differences(self, evaluator: Evaluator, evaluation: Evaluation) -> Array:
        """By central differences; one-sided at the ends of a range. All runs have the same random numbers.

        They are over a share of the range, and of a parameter that is small beside its range over one of its value as
        well: of the two the latter counts if they differ by more than the errors of the runs.
        """
        x = self.space.coordinates(evaluation.point)
        error = evaluator.model.simulation().rel_error
        step = share_for(error, "central")
        found = self._over(evaluator, evaluation, x, np.full(len(x), step))
        sizes = np.abs([to_float(value, name) for name, value in evaluation.point.items()])
        shares = sizes / np.array([axis.width for axis in self.space.axes])
        small = (shares > 0.0) & (shares < SMALL)
        if small.any():
            steps = step * np.where(small, shares, 1.0)
            near = self._over(evaluator, evaluation, x, steps)
            differs = np.linalg.norm(near - found, axis=0) > error * self.size / steps
            found[:, differs] = near[:, differs]
        return found

    def _over(self, evaluator: Evaluator, evaluation: Evaluation, x: Array, steps: Array) -> Array:
        """Differences over these steps of the coordinates."""
        ends = []
        for k, step in enumerate(steps):
            high, low = x.copy(), x.copy()
            high[k], low[k] = min(x[k] + step, 1.0), max(x[k] - step, 0.0)
            ends += [high, low]
        found = evaluator([self.space.point(end) for end in ends])
        for one in found:
            if one.message:
                raise ModelError(f"the model fails beside {evaluation.point}, with {one.message}: narrow the ranges")
        columns = [
            (self.residuals(found[2 * k]) - self.residuals(found[2 * k + 1])) / (ends[2 * k][k] - ends[2 * k + 1][k])
            for k in range(len(x))
        ]
        return np.column_stack(columns)

    def estimate(self, evaluator: Evaluator, best: Evaluation, values: Mapping[str, float], level: float) -> Estimate:
        """What the data say of the parameters."""
        slopes = self.jacobian(evaluator, best)
        error = evaluator.model.simulation().rel_error
        noise = 10.0 * error if self.by == "variational" else 10.0 * error ** (2.0 / 3.0)
        return estimated(self.space, values, self.residuals(best), slopes, level, noise, self.size)
