"""The evaluations of a search: each point as often as was asked for, under the same chance, by any executor.

In: points, some at a time. Out: for each an evaluation, in the same order, with the same bits whoever has made the
runs. All points have the same random streams (common random numbers), so the mean over n replications is a function of
the point alone, and a method for such functions may search it.

Source: Kleywegt, Shapiro & Homem-de-Mello 2002, SIAM J. Optim. 12 (sample average approximation)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf, isfinite, nan, sqrt
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from eventide.errors import ModelError
from eventide.experiment.designs import is_count
from eventide.experiment.fingerprint import exact
from eventide.experiment.processes import processes
from eventide.experiment.study import Study
from eventide.experiment.workers import WORTHWHILE, cores

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike
    from types import TracebackType

    import pandas as pd

    from eventide.experiment.models import Model
    from eventide.experiment.replication import Running
    from eventide.experiment.results import Result

Measure: TypeAlias = "Callable[[Sequence[Result]], tuple[float, float]]"
"""The runs of a point -> its value and the standard error of that; NaN where there is none."""
HOPELESS = 10
"""If this many points fail from the start, no others are evaluated."""


class SpentError(Exception):
    """As many points were evaluated as were allowed."""


@dataclass(frozen=True)
class Evaluation:
    """What the runs at one point came to.

    number      of the evaluation, from 0 on
    point       the values of the parameters that are varied
    value       what is to be small; infinite if a run failed, or answered no finite number
    error       the standard error of the value; NaN of one run
    failed      how many runs failed
    message     the first error, or ""; replay: the line that repeats that run alone
    """

    number: int
    point: Mapping[str, object]
    value: float
    error: float
    failed: int
    message: str
    replay: str
    results: Sequence[Result]


@dataclass(frozen=True)
class How:
    """How the runs of a search are made; as for `Study` and `Study.run`.

    cases       values of other parameters: at each point a run is made for each of them
    ends        of their runs, in this order: see `Settings.ends`
    """

    replications: int
    until: float | None
    entropy: int
    evaluations: int
    workers: int | None = None
    executor: Executor | None = None
    store: str | PathLike[str] | None = None
    time_limit: float | None = None
    cases: tuple[Mapping[str, object], ...] = ({},)
    ends: tuple[tuple[float, tuple[float, ...]], ...] = ()


class Evaluator:
    """Evaluates points, keeps what they came to, and no point is run twice; to be used in a `with` block.

    done        all evaluations, in order
    runs        how many runs were made
    """

    def __init__(self, model: Model[..., object], measure: Measure, how: How) -> None:
        if not is_count(how.evaluations):
            raise ModelError(f"a search takes a whole number of evaluations from 1 on, and got {how.evaluations!r}")
        if how.workers is not None and not is_count(how.workers):
            raise ModelError(f"a search takes a whole number of workers from 1 on, and got {how.workers!r}")
        self.model, self.measure, self.how = model, measure, how
        self.done: list[Evaluation] = []
        self.runs = 0
        self._known: dict[str, Evaluation] = {}
        self._batches = 0
        self._seconds = 0.0
        self._timed = 0
        self._executor = how.executor
        self._block = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._block.__exit__(kind, error, trace)

    def __call__(self, points: Sequence[Mapping[str, object]]) -> list[Evaluation]:
        """The evaluations of some points. Raises SpentError when as many were made as were allowed."""
        keys = list(map(exact, points))  # texts, as a choice may be a list, and 1 and True are two
        new = {key: point for key, point in zip(keys, points, strict=True) if key not in self._known}
        left = self.how.evaluations - len(self.done)
        chosen = dict(list(new.items())[:left])
        if chosen:
            found = self._run(list(chosen.values()), range(self.how.replications))
            for (key, point), results in zip(chosen.items(), found, strict=True):
                evaluation = self._evaluation(point, results)
                self._known[key] = evaluation
                self.done.append(evaluation)
            self._give_up()
        if len(new) > left:
            raise SpentError
        return [self._known[key] for key in keys]

    def fresh(self, point: Mapping[str, object]) -> Evaluation:
        """A point with replications that no search has seen, whose mean is therefore not too good."""
        count = self.how.replications
        return self._evaluation(point, self._run([point], range(count, 2 * count))[0])

    @property
    def best(self) -> Evaluation:
        """The evaluation of the least value, the first of equal ones."""
        return min(self.done, key=lambda evaluation: evaluation.value)

    def _evaluation(self, point: Mapping[str, object], results: Sequence[Result]) -> Evaluation:
        failures = [result.failure for result in results if result.failure is not None]
        message, replay = (str(failures[0]), failures[0].replay) if failures else ("", "")
        value, error = (inf, nan) if failures else self.measure(results)
        if not failures and not isfinite(value):
            message, value, error = f"the value is {value}", inf, nan
        return Evaluation(len(self.done), point, value, error, len(failures), message, replay, results)

    def _give_up(self) -> None:
        """Raise ModelError if nothing but failures has come of the first points."""
        if self.best.value == inf and len(self.done) >= min(HOPELESS, self.how.evaluations):
            first = self.done[0]
            raise ModelError(
                f"the first {len(self.done)} points of the search have all failed, one of them with {first.message}"
                + f"; repeat it by {first.replay}" * bool(first.replay)
            ) from (first.results[0].failure.error if first.results[0].failure else None)

    # --- the runs ---------------------------------------------------------------------------------------------------

    def _run(self, points: Sequence[Mapping[str, object]], replications: range) -> list[list[Result]]:
        """The results of each point, in the order of their replications, and of these in that of the cases."""
        how = self.how
        count = len(how.cases)
        runs = [{**case, **point} for point in points for case in how.cases]
        study = Study(
            self.model, runs, replications=replications.stop, until=how.until, entropy=how.entropy,
            time_limit=how.time_limit,
        )  # fmt: skip
        study.settings = replace(study.settings, ends=how.ends)
        numbers = range(replications.start * len(points) * count, replications.stop * len(points) * count)
        start = perf_counter()
        found = sorted(self._results(study, numbers), key=lambda result: result.number)
        if self.runs:  # the first batch compiles, and tells nothing of the others
            self._seconds += perf_counter() - start
            self._timed += len(found)
        self.runs += len(found)
        by_point: list[list[Result]] = [[] for _ in points]
        for result in found:
            by_point[result.point // count].append(result)
        return by_point

    def _results(self, study: Study, numbers: range) -> Sequence[Result]:
        options: Running = {"progress": False, **self._who(len(numbers))}
        if self.how.store is None:
            return list(study.results(numbers, **options))
        from eventide.experiment.store import Store

        # A search asks for the same points again, so the batches of one that was killed are found by their numbers.
        kept = Store(Path(self.how.store) / f"batch-{self._batches:05d}")
        self._batches += 1
        study = kept.adopt(study)
        try:
            for result in study.results(kept.missing(numbers), **options):
                kept.add(result)
        finally:
            kept.close()
        return list(kept)

    def _who(self, count: int) -> Running:
        """What makes the runs of all batches: its processes are started once."""
        how = self.how
        if self._executor is None and count > 1 and (how.workers or self._is_worthwhile()) and how.workers != 1:
            self._executor = self._block.enter_context(processes(how.workers or cores()))
        if count == 1:
            return {"workers": 1}
        if self._executor is None:  # a batch that is long alone starts processes of its own
            return {"workers": how.workers}
        return {"executor": self._executor, "workers": how.workers}

    def _is_worthwhile(self) -> bool:
        if not self._timed or cores() == 1:
            return False
        to_come = (self.how.evaluations - len(self.done)) * self.how.replications * len(self.how.cases)
        return self._seconds / self._timed * to_come > WORTHWHILE

    # --- as a table -------------------------------------------------------------------------------------------------

    def history(self) -> pd.DataFrame:
        """A row for each evaluation."""
        from eventide.libraries import pandas as pd

        rows = [
            {
                **one.point,
                "value": one.value,
                "standard error": one.error,
                "failed": one.failed,
                "error": one.message,
                "replay": one.replay,
            }
            for one in self.done
        ]
        frame = pd.DataFrame(rows, index=pd.RangeIndex(len(rows), name="evaluation"))
        frame.attrs["name"] = "history"
        return frame


def mean_of(values: Sequence[float]) -> tuple[float, float]:
    """The mean of some values and its standard error, NaN of one value."""
    array = np.array(values, dtype=float)
    if not np.isfinite(array).all():
        return (float(array[~np.isfinite(array)][0]), nan)
    return float(array.mean()), float(array.std(ddof=1)) / sqrt(len(array)) if len(array) > 1 else nan
