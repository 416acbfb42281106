"""Replications: the results of one model at several points, and at each as often as is wanted, as one object.

Source: Pannek, Simulation of mechatronic systems, definitions 2.16 and 4.6, remarks 2.18, 4.4 and 4.7
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypedDict, overload

from eventide.errors import ModelError
from eventide.experiment import analysis, tables, told
from eventide.experiment.arguments import part_of
from eventide.experiment.designs import is_count
from eventide.experiment.in_memory import InMemory, Results
from eventide.experiment.results import Result, no_recording, recording_of, table_of
from eventide.statistics import Tally

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike
    from typing import Unpack

    import numpy.typing as npt
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes

    from eventide.experiment.analysis import Plan, Selection
    from eventide.experiment.designs import Over
    from eventide.experiment.models import Model
    from eventide.experiment.study import Study
    from eventide.statistics import Comparison, Controlled


class Running(TypedDict, total=False):
    """Of the options of `Study.run`, those that `extend` takes."""

    workers: int | None
    executor: Executor | None
    keep: bool
    progress: bool | None


EXTENDING: Final = tuple(Running.__annotations__)
"""Their names."""
HOPELESS: Final = 10
"""If this many runs fail from the start, no others are made."""


class Replication(Sequence[Result]):
    """The results of a model at several points, each with its inputs, states and responses; of `Study.run`.

    The numbers `run` from 0 on tell them apart. Replications of one point have independent random streams; those of one
    number at different points have the same, so that points are compared under the same chance.
    study       what was asked for
    raises      whether an error of a run goes up, and is not kept as its result
    """

    def __init__(self, study: Study, results: Results, *, raises: bool = False) -> None:
        self.study = study
        self._results = results
        self._raises = raises
        self._answered: tuple[int, dict[str, float]] = (0, {})

    @property
    def model(self) -> Model[..., object]:
        """The model that was run."""
        return self.study.model

    @property
    def entropy(self) -> int:
        """The entropy of all random streams."""
        return self.study.entropy

    @property
    def answered(self) -> dict[str, float]:
        """The responses that runs have answered, each with its first value: they may differ from run to run."""
        if self._answered[0] != len(self):
            found: dict[str, float] = {}
            for result in self:
                found.update({name: value for name, value in result.responses.items() if name not in found})
            self._answered = len(self), found
        return self._answered[1]

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, run: int) -> Result: ...

    @overload
    def __getitem__(self, run: slice) -> list[Result]: ...

    def __getitem__(self, run: int | slice) -> Result | list[Result]:
        return [self._results[k] for k in range(len(self))[run]] if isinstance(run, slice) else self._results[run]

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    def extend(self, count: int, **options: Unpack[Running]) -> None:
        """Make `count` more replications of each point; a run that fails is kept, or its error propagates, as before.

        options     `workers`, `executor`, `keep` and `progress`, as for `Study.run`
        """
        if not is_count(count, 0):
            raise ModelError(
                f"{self.model.name} is extended by a whole number of replications from 0 on, and got {count!r}"
            )
        options = self._options(options)
        self.study = self.study.replicated(self.study.replications + count)
        self.make(**options)

    def _options(self, options: Running) -> Running:
        """The options of `extend` as `make` takes them. Raises ModelError for others."""
        for name in options:
            if name not in EXTENDING:
                raise ModelError(f"extend takes {', '.join(EXTENDING)} besides, and got {name}=")
        is_kept = len(self) > 0 and self[0].run is not None
        return {"workers": 1, "keep": is_kept, **options}

    def extend_points(self, points: Sequence[int], count: int, **options: Unpack[Running]) -> None:
        """Make the replications of some points that are missing until there are `count` of each.

        options     as for `extend`, which also makes those that other points lack then
        """
        options = self._options(options)
        if count > self.study.replications:
            self.study = self.study.replicated(count)
        self.make(points=points, count=count, **options)

    def extend_until(
        self,
        response: str,
        half_width: float,
        *,
        relative: bool = False,
        level: float = 0.95,
        most: int = 10_000,
        **options: Unpack[Running],
    ) -> None:
        """Make more replications of all points until the mean of a response is known so closely at each of them.

        half_width, relative, level     as for `plan`, which is asked again after each doubling at most
        most        replications of each point
        options     as for `extend`
        Raises      ModelError if more than `most` would be needed, and as `plan` does
        Source      Law 2015, 9.4.1; an interval that has stopped the runs holds the mean a little less often
        """  # fmt: skip
        analysis.extend_until(self, response, half_width, most, self._options(options), relative=relative, level=level)

    def extend_until_all(
        self,
        half_widths: Mapping[str, float],
        *,
        relative: bool = False,
        most: int = 10_000,
        **options: Unpack[Running],
    ) -> None:
        """Make more replications until the mean of each of several responses is known as closely as is asked.

        half_widths         by response; other arguments as for `extend_until`
        """
        if not isinstance(half_widths, Mapping):
            raise ModelError(
                f'until_half_width takes half widths by response, as {{"waiting": 0.5}}, and got {half_widths!r}'
            )
        before = -1
        while self.study.replications > before:  # the replications for one may have made the interval of another longer
            before = self.study.replications
            for response, half_width in half_widths.items():
                self.extend_until(response, half_width, relative=relative, most=most, **options)

    def compare(
        self, response: str, first: int = 0, second: int = 1, *, level: float = 0.95, is_paired: bool = True
    ) -> Comparison:
        """How much the mean of a response at one point is above that at another, with its confidence interval.

        first, second       the numbers of the points
        is_paired           whether replications of one number are compared with each other, as they have the same
                            random streams; False: by Welch, as if they were independent
        Raises              ModelError for a response or a point that is not there, or fewer than two replications
        """
        return analysis.compare(self, response, (first, second), level, is_paired=is_paired)

    def comparisons(
        self, response: str, *, against: int | None = 0, level: float = 0.95, is_paired: bool = True
    ) -> pd.DataFrame:
        """How much the means of a response differ between several points: intervals that all hold together.

        One row for each pair: `first`, `second`, `difference`, `low`, `high`, `is_significant`.
        against     the number of the point that all others are compared with; None: each pair of points
        is_paired   as for `compare`
        Raises      ModelError as `compare`
        Source      Bonferroni's inequality; Law 2015, 10.3
        """
        return analysis.comparisons(self, response, against, level, is_paired=is_paired)

    def select_best(
        self,
        response: str,
        indifference: float,
        *,
        maximise: bool = True,
        probability: float = 0.95,
        first: int = 10,
        most: int = 10_000,
        **options: Unpack[Running],
    ) -> Selection:
        """Select the point where the mean of a response is best; more replications are made of those that may be it.

        Points are eliminated one by one as they fall behind under common random numbers. The best is selected with the
        promised probability if it is better than all others by the indifference; else one as good but for that.
        indifference    the smallest difference worth detecting, in the unit of the response
        maximise        whether the largest mean is the best
        probability     of a correct selection, above 1 / points
        first           replications (of antithetic ones pairs) that tell the variances, ten or more
        most            replications of each point
        options         as for `extend`
        Raises          ModelError for arguments that are not allowed, if a run failed, and if `most` do not suffice
        Source          Kim & Nelson 2001, ACM TOMACS 11; see `eventide.statistics.KimNelson`
        """
        indifference = analysis.in_its_unit(self, response, indifference)
        procedure = analysis.procedure_for(self, indifference, probability, first, maximise=maximise)
        return analysis.select_best(self, response, procedure, most, options)

    def make(
        self,
        *,
        shard: tuple[int, int] | None = None,
        points: Sequence[int] | None = None,
        count: int | None = None,
        **options: Unpack[Running],
    ) -> None:
        """Make those runs of the study of which there is no result; see `Study.run`.

        points, count       only `count` replications of these points
        """
        part, parts = (1, 1) if shard is None else part_of(shard)
        width = len(self.study.points.values)
        end = len(self.study) if count is None else count * width
        numbers, failed = self._results.missing(range(part - 1, end, parts)), 0
        if points is not None:
            numbers = [number for number in numbers if number % width in points]
        try:
            for result in self.study.results(numbers, raises=self._raises, **options):
                self._results.add(result)
                failed += result.number < HOPELESS and result.failure is not None
                if failed == HOPELESS:
                    self._give_up(result)
        except KeyboardInterrupt as error:
            self._results.close()  # what waits to be written counts as well
            folder = getattr(self._results, "folder", None)
            where = "with store= a study goes on" if folder is None else f"they are in {folder}; the same study goes on"
            error.add_note(f"{len(self)} of {len(self.study)} runs were made; {where} from there")
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
        kind: Literal["box", "heat", "effects", "fan", "warm-up"] | None = None,
        by: str | Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """A picture of one response: boxes of it at each point, a map of its mean over two parameters, the main effect
        of each parameter; or a fan of the quantiles of a recorded quantity over time; or Welch's plot of its warm-up at
        the first point: the mean over replications, its moving average, and where MSER-5 would cut it.

        response    its name, or that of a recorded quantity; None: the first
        kind        None: a fan for what is recorded; boxes for one parameter, a map for two, effects for more
        by          the parameters; None: all that differ
        Raises      ModelError for a name that is not there, or what cannot be drawn so
        """
        from eventide.view import plot_study

        return plot_study(self, response, kind=kind, by=by, ax=ax)

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write a page of its own, which loads nothing: what was run, the means with their intervals, figures for light
        and dark screens, and each failure with the line that repeats it. `eventide report FOLDER` makes it of a store.

        Raises OSError if it cannot be written
        """
        from eventide.view import write_study_page

        write_study_page(self, path)

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
        if not known:
            raise ModelError(
                f"the runs of {self.model.name} kept no recordings: the study keeps those that record= names"
            )
        raise ModelError(no_recording(self.model.name, recording, known))

    def _joined(self, frames: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
        from eventide.libraries import pandas as pd

        if not frames:
            raise ModelError(f"{self.model.name} has no run that came to its end")
        whole = pd.concat(frames, names=["run"])
        whole.attrs.update(next(iter(frames.values())).attrs)
        return whole

    # --- planning -------------------------------------------------------------------------------------------------

    def tally(self, response: str, *, point: int = 0) -> Tally:
        """The values of a response in the replications of one point, to ask for their mean, interval and quantiles.

        Of antithetic pairs they are the means, which are independent of each other. Runs that failed are left out.
        Raises ModelError as `observed`.
        """
        found = Tally(response)
        for value in self.observed(response, point).values():
            found.add(value)
        return found

    def observed(self, response: str, point: int = 0) -> dict[int, float]:
        """The independent observations of a response at a point: by replication, or of antithetic pairs the means.

        Runs that failed are left out. Raises ModelError for a response or point that is not there, and for a
        response that is not finite.
        """
        return analysis.observed(self, response, point)

    def intervals(
        self,
        response: str,
        of: Literal["mean", "variance"] | float = "mean",
        *,
        level: float = 0.95,
        is_normal: bool = True,
    ) -> pd.DataFrame:
        """A row for each point: the mean, the variance or a quantile of a response, `low` and `high` of its confidence
        interval, and the `count` of observations.

        of          "mean", "variance", or the share of a quantile, as 0.9, whose interval holds for any distribution
        is_normal   of the mean: Student's interval, else corrected for skewed values; of the variance: by chi-square,
                    else by the bootstrap
        Raises      ModelError as `tally`, and for other statistics of antithetic pairs than the mean
        """
        return analysis.intervals(self, response, of, level, is_normal=is_normal)

    def controlled(
        self, response: str, controls: Mapping[str, float], *, level: float = 0.95, point: int = 0
    ) -> Controlled:
        """The mean of a response, corrected by other responses that went with it and whose true means are known.

        `runs.controlled("wait", {"service mean": 1.0})`: where services happened to be long, waits were, too.
        controls    the true mean of each response that controls, by name
        Raises      ModelError as `tally`; for fewer than two replications more than controls, and for controls that
                    are constant or follow from each other
        Source      Lavenberg & Welch 1981, Manage. Sci. 27; see `eventide.statistics.controlled`
        """
        return analysis.with_controls(self, response, controls, level, point)

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
        return analysis.plan(self, response, half_width, level, point, relative=relative)

    def __repr__(self) -> str:
        return told.headline(self)

    def __str__(self) -> str:
        return told.told(self)

    def _repr_html_(self) -> str:
        return told.told_as_html(self)


def replicate(
    model: Model[..., object],
    count: int,
    *,
    over: Over,
    entropy: int | None,
    until: float | None,
    antithetic: bool = False,
) -> Replication:
    """Run a model `count` times at each of some points, here; the runs are kept."""
    from eventide.experiment.study import Study

    study = Study(model, over, replications=count, until=until, entropy=entropy, antithetic=antithetic)
    return made_here(study, keep=True)


def made_here(study: Study, *, keep: bool) -> Replication:
    """All runs of a study, made in this process; an error of a run goes up."""
    replication = Replication(study, InMemory(), raises=True)
    replication.make(workers=1, keep=keep, progress=False)
    return replication
