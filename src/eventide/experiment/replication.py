"""Replications: the results of one model at several points, and at each as often as is wanted, as one object.

Source: Pannek, Simulation of mechatronic systems, definitions 2.16 and 4.6, remarks 2.18, 4.4 and 4.7
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from eventide.errors import ModelError
from eventide.experiment import tables, told
from eventide.experiment.designs import is_count
from eventide.experiment.results import Result, no_recording, recording_of, table_of
from eventide.statistics import Comparison, Tally, independence, paired, sample_size, welch

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes

    from eventide.experiment.designs import Over
    from eventide.experiment.models import Model
    from eventide.experiment.study import Study

FEWEST: Final = 5
"""Replications of which something can be said."""
HOPELESS: Final = 10
"""If so many runs fail from the start, there will be no others."""


@dataclass(frozen=True)
class Plan:
    """What some replications say of a response, and how many are needed to know it better.

    mean            the point estimate; low, high: its confidence interval
    count           how many replications there are
    needed          how many are needed in all for the half width that was asked for, as far as these can tell
    independence    the chance that independent values look as these do; small ones speak against it, see
                    `eventide.statistics.independence`; NaN below ten replications
    """

    mean: float
    low: float
    high: float
    count: int
    needed: int
    independence: float


class Results(Protocol):
    """Where results are kept, by their numbers."""

    def add(self, result: Result) -> None:
        """Keep one more."""
        ...

    def close(self) -> None:
        """No more come for now."""
        ...

    def missing(self, numbers: range) -> Sequence[int]:
        """Those numbers of which there is no result."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Result: ...

    def __iter__(self) -> Iterator[Result]: ...


class InMemory:
    """Results in a list, in the order of their numbers."""

    def __init__(self) -> None:
        self._results: list[Result] = []

    def add(self, result: Result) -> None:
        """Keep one more."""
        self._results.append(result)

    def close(self) -> None:
        """Put them in order: workers are not."""
        self._results.sort(key=lambda result: result.number)

    def missing(self, numbers: range) -> Sequence[int]:
        """Those numbers of which there is no result."""
        there = {result.number for result in self._results}
        return [number for number in numbers if number not in there]

    def __len__(self) -> int:
        return len(self._results)

    def __getitem__(self, place: int, /) -> Result:
        return self._results[place]

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)


class Replication(Sequence[Result]):
    """The results of a model at several points, each with its inputs, states and responses; of `Study.run`.

    The numbers `run` from 0 on tell them apart. Replications of one point have independent random streams; those of one
    number at different points have the same, so that points are compared under the same chance.
    study       what was asked for
    """

    def __init__(self, study: Study, results: Results) -> None:
        self.study = study
        self._results = results

    @property
    def model(self) -> Model[..., Any]:
        """The model that was run."""
        return self.study.model

    @property
    def entropy(self) -> int:
        """The entropy of all random streams."""
        return self.study.entropy

    def __len__(self) -> int:
        return len(self._results)

    def __getitem__(self, run: Any) -> Any:
        return [self._results[k] for k in range(len(self))[run]] if isinstance(run, slice) else self._results[run]

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    def extend(self, count: int, **options: Any) -> None:
        """Make so many more replications of each point; an error of a run goes up, and leaves those before it.

        options     `workers`, `executor`, `keep` and `progress`, as for `Study.run`
        """
        if not is_count(count, 0):
            raise ModelError(
                f"{self.model.name} is extended by a whole number of replications from 0 on, and got {count!r}"
            )
        is_kept = len(self) > 0 and self[0].run is not None
        self.study = self.study.replicated(self.study.replications + count)
        self.make(raises=True, **{"workers": 1, "keep": is_kept, **options})

    def extend_until(
        self,
        response: str,
        half_width: float,
        *,
        relative: bool = False,
        level: float = 0.95,
        most: int = 10_000,
        **options: Any,
    ) -> None:
        """Make more replications of all points until the mean of a response is known so closely at each of them.

        half_width, relative, level     as for `plan`, which is asked again after each doubling at most
        most        replications of each point
        options     as for `extend`
        Raises      ModelError if more than `most` would be needed, and as `plan` does
        Source      Law 2015, 9.4.1; an interval that has stopped the runs holds the mean a little less often
        """  # fmt: skip
        self.extend(max(0, FEWEST - self.study.replications), **options)
        while True:
            plans = [
                self.plan(response, half_width, relative=relative, level=level, point=point)
                for point in range(len(self.study.points.values))
            ]
            needed, count = max(plan.needed for plan in plans), self.study.replications
            if all(plan.needed <= plan.count for plan in plans):
                return
            if needed > most or count >= most:
                raise ModelError(
                    f"it takes about {needed} replications to know {response} to {half_width!r}, and most={most}: "
                    "allow more, or a wider interval"
                )
            self.extend(max(1, min(needed - count, count, most - count)), **options)

    def compare(
        self, response: str, first: int = 0, second: int = 1, *, level: float = 0.95, is_paired: bool = True
    ) -> Comparison:
        """How much the mean of a response at one point is above that at another, with its confidence interval.

        first, second       the numbers of the points
        is_paired           whether replications of one number are compared with each other, as they have the same
                            random streams; False: by Welch, as if they were independent
        Raises              ModelError for a response or a point that is not there, or fewer than two replications
        """
        tallies = [self.tally(response, point=point) for point in (first, second)]
        values: list[Any] = [tally.values for tally in tallies]
        if is_paired:
            there = [
                {result.replication: result.responses[response] for result in self._whole() if result.point == point}
                for point in (first, second)
            ]
            both = sorted(there[0].keys() & there[1].keys())
            values = [[float(one[number]) for number in both] for one in there]
        if min(map(len, values)) < 2:
            raise ModelError(
                f"a comparison takes two replications at least, and there is {min(map(len, values))}: extend()"
            )
        return (paired if is_paired else welch)(values[0], values[1], level)

    def make(self, *, raises: bool = False, shard: tuple[int, int] | None = None, **options: Any) -> None:
        """Make those runs of the study of which there is no result; see `Study.run`."""
        part, parts = (1, 1) if shard is None else shard
        if not 1 <= part <= parts:
            raise ModelError(f"a shard is (3, 100), the third of a hundred parts, and got {shard!r}")
        numbers, failed = self._results.missing(range(part - 1, len(self.study), parts)), 0
        try:
            for result in self.study.results(numbers, raises=raises, **options):
                self._results.add(result)
                failed += result.number < HOPELESS and result.failure is not None
                if failed == HOPELESS:
                    self._give_up(result)
        except KeyboardInterrupt as error:
            error.add_note(f"{len(self)} of {len(self.study)} runs were made; with store= a study goes on from there")
            raise
        finally:
            self._results.close()

    def _give_up(self, result: Result) -> None:
        failure = result.failure
        assert failure is not None
        raise ModelError(
            f"the first {HOPELESS} runs of {self.model.name} have all failed, one of them with {failure}; "
            f"repeat it by {failure.replay}"
        ) from failure.error

    # --- as tables ------------------------------------------------------------------------------------------------

    @property
    def table(self) -> pd.DataFrame:
        """A row for each run: point and replication, the parameters that differ, the responses, the error if there is
        one. Units are in `attrs["units"]`; how to make it again in `attrs["provenance"]`.
        """
        return tables.tidy(self)

    @property
    def inputs(self) -> pd.DataFrame:
        """What each run was made from: `point` and `replication`, its numbers, then all parameters."""
        return tables.inputs(self)

    @property
    def responses(self) -> pd.DataFrame:
        """What each run answered, NaN where it failed: the assessment, if a response is a cost functional.

        Its statistics are those of pandas: `mean()`, `cov()`, `quantile(0.9)`. Raises ModelError if a run was stopped
        before it answered.
        """
        return tables.responses(self)

    @property
    def failures(self) -> pd.DataFrame:
        """A row for each run that failed: its error, and the line that repeats it alone.

        `replication[run].failure` has its traceback and its notes.
        """
        return tables.failures(self)

    def summary(self, level: float = 0.95) -> pd.DataFrame:
        """A row for each point: for each response the mean and, after "+-", half its confidence interval; the count.

        A response that is not finite in some run of a point has NaN there.
        level       of the intervals, Student's
        """
        return tables.summary(self, level)

    def to_xarray(self) -> xr.Dataset:
        """The responses by `point` and `replication`, and by `time` the recordings, if the study reads them `at` times.

        Raises MissingLibraryError without xarray.
        """
        return tables.dataset(self)

    def plot(
        self,
        response: str | None = None,
        *,
        kind: Literal["box", "heat", "effects", "fan"] | None = None,
        by: str | Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """A picture of one response: boxes of it at each point, a map of its mean over two parameters, the main effect
        of each parameter; or a fan of the quantiles of a recorded quantity over time.

        response    its name, or that of a recorded quantity; None: the first
        kind        None: a fan for what is recorded; boxes for one parameter, a map for two, effects for more
        by          the parameters; None: all that differ
        Raises      ModelError for a name that is not there, or what cannot be drawn so
        """
        from eventide.view import plot_study

        return plot_study(self, response, kind=kind, by=by, ax=ax)

    def states(self, recording: str = "") -> pd.DataFrame:
        """What one recording of every run holds: the rows as its `to_pandas` gives them, by `run` and `time`.

        recording   its name, which is the same in all runs; without one the first
        Raises      ModelError if a run has none of that name
        """
        return self._joined({result.number: self._table(result, recording) for result in self._whole()})

    def at(self, times: npt.ArrayLike, recording: str = "", *, before: bool = False) -> pd.DataFrame:
        """The states of every run at the same times, by `run` and `time`, as `Recording.at` gives them.

        Raises ModelError if the runs were not kept, if one has no such recording, or one of a class, whose objects
        differ from run to run.
        """
        found = {}
        for result in self._whole():
            if result.run is None:
                raise ModelError(
                    "at(...) reads whole runs, and these were not kept: give keep=True, or the study at=..."
                )
            found[result.number] = table_of(recording_of(result.run, recording), times, before=before)
        return self._joined(found)

    def _whole(self) -> Iterator[Result]:
        return (result for result in self if result.failure is None)

    def _table(self, result: Result, recording: str) -> pd.DataFrame:
        if result.run is not None:
            return table_of(recording_of(result.run, recording))
        for name, table in result.tables.items():
            if recording in {"", name}:
                return table
        known = list(result.tables)
        advice = "" if known else "; the study keeps those that record=... names"
        raise ModelError(no_recording(self.model.name, recording, known) + advice)

    def _joined(self, frames: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
        import pandas as pd

        if not frames:
            raise ModelError(f"{self.model.name} has no run that came to its end")
        whole = pd.concat(frames, names=["run"])
        whole.attrs.update(next(iter(frames.values())).attrs)
        return whole

    # --- planning -------------------------------------------------------------------------------------------------

    def tally(self, response: str, *, point: int = 0) -> Tally:
        """The values of a response in the replications of one point, to ask for their mean, interval and quantiles.

        Runs that failed are left out. Raises ModelError for a response or point that is not there, and for a
        response that is not finite.
        """
        if not 0 <= point < len(self.study.points.values):
            count = len(self.study.points.values)
            raise ModelError(f"there is no point {point!r}: {self.model.name} was run at {count}, from 0 on")
        found = Tally(response)
        for result in self._whole():
            if result.point == point:
                known = ", ".join(result.responses) or "none"
                if response not in result.responses:
                    raise ModelError(f"{self.model.name} has no response {response!r}; it has: {known}")
                value = float(result.responses[response])
                if not isfinite(value):
                    raise ModelError(
                        f"{response} of {self.model.name} is {value!r} in run {result.number}, at point {point}: "
                        "statistics take finite numbers; .table has all values, from which some can be left out"
                    )
                found.add(value)
        return found

    def plan(
        self,
        response: str,
        half_width: float,
        *,
        relative: bool = False,
        level: float = 0.95,
        point: int = 0,
    ) -> Plan:
        """What is known of the mean of a response, and how many replications it takes to know it so closely.

        half_width  half the length that its confidence interval may have; relative: in parts of the true mean
        level       of the interval
        Raises      ModelError as `tally`, with fewer than two replications, or for a half width that is none
        Source      Law, Simulation modeling and analysis, 5th ed. (2015), 9.4.1
        """
        tally = self.tally(response, point=point)
        if tally.count < 2:
            raise ModelError(
                f"a plan needs two replications of a point at least, and there is {tally.count}: extend() them"
            )
        mean, wanted = tally.mean, half_width
        if relative:
            # The mean is itself an estimate, off by as much: half_width / (1 + half_width) of it is on the safe side.
            wanted = half_width / (1.0 + half_width) * abs(mean)
        if not wanted > 0.0:
            raise ModelError(
                f"a plan takes half_width > 0, and got {half_width!r}"
                + (f" of a mean of {mean!r}: give it in the unit of {response}, without relative=True" * relative)
            )
        low, high = tally.confidence_interval(level)
        needed = sample_size(tally.stdev, wanted, level=level)
        return Plan(mean, low, high, tally.count, needed, independence(tally.values))

    def __repr__(self) -> str:
        return told.headline(self)

    def __str__(self) -> str:
        return told.told(self)

    def _repr_html_(self) -> str:
        return told.told_as_html(self)


def replicate(
    model: Model[..., Any],
    count: int,
    *,
    over: Over,
    entropy: int | None,
    until: float | None,
) -> Replication:
    """Run a model `count` times at each of some points, here; the runs are kept."""
    from eventide.experiment.study import Study

    study = Study(model, over, replications=count, until=until, entropy=entropy)
    replication = Replication(study, InMemory())
    replication.make(workers=1, keep=True, raises=True, progress=False)
    return replication
