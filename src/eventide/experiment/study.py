"""Studies: a model run over many points, each as often as is wanted, on all cores.

The same bits come from any workers. What `study.run(...)` takes for those that are no processes of its own:

    loky    executor=loky.get_reusable_executor(8), workers=8
    dask    executor=client.get_executor(), workers=8
    MPI     executor=mpi4py.futures.MPIPoolExecutor(), workers=31; `mpiexec -n 32 python -m mpi4py.futures study.py`
    Ray     executor=OnRay(), workers=8, of `class OnRay:` with
            `def submit(self, task, *given): return ray.remote(task).remote(*given).future()`
    Slurm   shard=(k, 100), store=folder in each of a hundred jobs; or `eventide study FILE ... --store DIR
            --shard $SLURM_ARRAY_TASK_ID/100`, and once without `--shard` for the whole

Any object will do whose `submit` returns futures of `concurrent.futures`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, Never

from eventide.declare.units import in_time_unit
from eventide.errors import ModelError
from eventide.experiment import workers as work
from eventide.experiment.arguments import check_end, check_folder, reading_times, recording_names, refuse_unknown
from eventide.experiment.designs import MOST_POINTS, Over, Point, fitting, is_count, is_positive, points_of
from eventide.experiment.in_memory import InMemory
from eventide.experiment.models import Model
from eventide.experiment.progress import shown
from eventide.experiment.replication import Replication, Running
from eventide.experiment.results import Result, Settings, Task
from eventide.reading.dropped_commands import warn_of_outer_generators
from eventide.streams.uniforms import entropy_from

if TYPE_CHECKING:
    import numpy.typing as npt


class Study:
    """A model, the points for which it is to be run, and how often for each.

    `ev.Study(pit, over={"pits": [8, 10, 12], "gap": [2.0, 2.5]}, replications=30, entropy=1).run()`: the table of what
    came of it, with its pictures.

    model           a function marked @ev.model
    over            values of its parameters by name, of which each is taken with each; a distribution there is drawn
                    anew for every replication (see `ev.designs.drawn`); or a design, as `ev.designs.latin_hypercube`;
                    or a list of points, each with its values by name
    replications    of each point; those of one number have the same random streams at all points
    until           the time at which runs stop, if the model does not say
    record          the names of the recordings whose tables are kept; True: of all
    at              the times at which these are read; None: their own rows. NaN where a main program has ended before
    entropy         of all random streams, designs and draws, an int from 0 on; fresh unless given
    time_limit      of each run, in seconds of wall time; one that takes longer fails with TimeoutError
    antithetic      whether replications come in pairs: the second has 1 - u for each uniform u that the streams and
                    drawn parameters of the first have, so that the two err to different sides and their mean varies
                    less; `stream.rng` is not mirrored. Statistics are then of the means of pairs. Run 2 k + 1 alone is
                    `model.run(replication=2 * k, antithetic=True)`
    Raises          ParameterError for an unknown parameter or a value that is not of its kind, ModelError for what is
                    no model, for no points, for times behind the end and if nothing says when a run stops
    """

    def __init__(
        self,
        model: Model[..., object],
        over: Over = None,
        *,
        replications: int = 1,
        until: float | None = None,
        record: bool | str | Iterable[str] = False,
        at: npt.ArrayLike | None = None,
        entropy: int | None = None,
        time_limit: float | None = None,
        antithetic: bool = False,
        **unknown: Never,
    ) -> None:
        self.model = _checked_model(model)
        refuse_unknown("a study", type(self).__init__, unknown)
        if not is_count(replications):
            raise ModelError(f"{model.name} is replicated a whole number of times from 1 on, and got {replications!r}")
        time_limit = in_time_unit(time_limit, "s", "time_limit=")
        if time_limit is not None and not is_positive(time_limit):
            raise ModelError(f"a study takes a time_limit > 0 in seconds, and got {time_limit!r}")
        until = check_end(until, "a study", model.time_unit)
        if not isinstance(antithetic, bool):
            raise ModelError(f"a study takes antithetic= as True or False, and got {antithetic!r}")
        if antithetic and replications % 2:
            raise ModelError(
                f"antithetic replications come in pairs, and {replications} are no pairs: give an even number"
            )
        self.replications = replications
        self.has_own_entropy = entropy is not None
        self.over = _kept(over)
        times = reading_times(at, model.until if until is None else until, model.time_unit)
        if entropy is not None and not is_count(entropy, 0):
            raise ModelError(f"a study takes entropy= as a whole number from 0 on, and got {entropy!r}")
        self.settings = Settings(
            entropy_from(entropy), until, recording_names(record), times, time_limit, antithetic=antithetic
        )
        self.points = points_of(model, self.over, self.entropy)
        if replications > 1:
            warn_of_outer_generators(model.function, model.name)
        self.task(0)  # values that cannot be drawn are found here
        for point in self.points.values:
            model(**{**point, **self._drawn(0)}).check_ready(until)

    @property
    def entropy(self) -> int:
        """The entropy of all random streams, designs and draws."""
        return self.settings.entropy

    def __len__(self) -> int:
        """How many runs there are."""
        return len(self.points.values) * self.replications

    def task(self, number: int) -> Task:
        """The run of this number: all points once, then all of them again for the next replication."""
        replication, point = divmod(number, len(self.points.values))
        return Task(number, point, replication, {**self.points.values[point], **self._drawn(replication)})

    def _drawn(self, replication: int) -> Point:
        numbers = self.settings.numbers_of(replication)
        return {
            name: fitting(self.model, name, chance.value(name, self.entropy, *numbers))
            for name, chance in self.points.drawn.items()
        }

    def run(
        self,
        *,
        workers: int | None = None,
        executor: Executor | None = None,
        store: str | PathLike[str] | None = None,
        shard: tuple[int, int] | None = None,
        keep: bool = False,
        progress: bool | None = None,
        until_half_width: Mapping[str, float] | None = None,
        relative: bool = False,
        most: int = 10_000,
        **unknown: Never,
    ) -> Replication:
        """Make all runs; the same results in the same order, whatever makes them.

        workers     processes; 1: this one alone, for debugging; None: all cores as soon as that is worth while. With
                    an executor: how many it has
        executor    any of `concurrent.futures`; of loky, dask, MPI and Ray see the docstring of this module
        store       a folder in which results are kept as they come; if it has some of this very study, these are not
                    made again
        shard       (3, 100): only the third of a hundred parts, for one of a hundred jobs on a cluster, with one store
                    for all, from which `run` without it then has the whole
        keep        whether each result has its whole run, with the simulation; only in this process
        progress    whether a bar is shown; None: in a terminal
        until_half_width, relative, most    {"waiting": 0.5}: to continue after that, with at most `most` runs of
                    each point, until half the 95 % confidence interval of the mean of a response is that short, or that
                    part of the mean, at all points; see `Replication.extend_until`
        An error of a run is kept as its result, with the line that repeats it alone; see `Replication.failures`. A run
        in whose middle a process of `workers` dies, as for want of memory, is made again in one of its own; if two of
        these die too, this is its error.
        Raises      ModelError if all of the first ten runs fail, if the model cannot be sent, or for another store;
                    MissingLibraryError for a store without pyarrow
        """
        refuse_unknown("the run of a study", type(self).run, unknown)
        study, kept = self, None
        if store is not None:
            check_folder(store)
            from eventide.experiment.store import Store

            kept = Store(store)
            study = kept.adopt(self)
        replication = Replication(study, InMemory() if kept is None else kept)
        if shard is not None and until_half_width:
            raise ModelError("a shard is a part of a known number of runs: give until_half_width= without shard=")
        options: Running = {"workers": workers, "executor": executor, "keep": keep, "progress": progress}
        replication.make(shard=shard, **options)
        replication.extend_until_all(until_half_width or {}, relative=relative, most=most, **options)
        return replication

    def replicated(self, count: int) -> Study:
        """The same study with `count` replications."""
        return self._with(replications=count)

    def of_entropy(self, entropy: int) -> Study:
        """The same study with another entropy."""
        return self._with(entropy=entropy)

    def _with(self, **changes: object) -> Study:
        one = self.settings
        told: dict[str, Any] = {
            "replications": self.replications,
            "until": one.until,
            "record": True if one.record is None else one.record,
            "at": one.at,
            "entropy": one.entropy,
            "time_limit": one.time_limit,
            "antithetic": one.antithetic,
        }
        study = Study(self.model, self.over, **{**told, **changes})
        study.settings = replace(study.settings, readings=one.readings, ends=one.ends)
        return study

    def results(
        self,
        numbers: Sequence[int],
        *,
        workers: int | None = None,
        executor: Executor | None = None,
        keep: bool = False,
        raises: bool = False,
        progress: bool | None = None,
    ) -> Iterator[Result]:
        """The results of the runs of these numbers, as they come; arguments as for `run`."""
        if workers is not None and not is_count(workers):
            raise ModelError(f"a study takes a whole number of workers from 1 on, and got {workers!r}")
        if executor is not None and not hasattr(executor, "submit"):
            raise ModelError(
                f"a study takes an executor with submit(), as those of concurrent.futures, and got {executor!r}"
            )
        if keep and (executor is not None or workers not in {None, 1}):
            raise ModelError("keep=True keeps the simulations, which stay in this process: write workers=1 with it")
        settings = replace(self.settings, keeps=keep, raises=raises)
        tasks = map(self.task, numbers)
        if executor is not None:
            found = work.by(executor, self.model, tasks, settings, workers or work.cores(), len(numbers))
        elif workers == 1 or keep:
            found = work.here(self.model, tasks, settings)
        elif workers is None:
            found = work.here_or_beside(self.model, tasks, settings, len(numbers))
        else:
            found = work.beside(self.model, tasks, settings, workers, len(numbers))
        return shown(found, len(numbers), self.model.name, wanted=progress)

    def __repr__(self) -> str:
        points, replications = len(self.points.values), self.replications
        return (
            f"<Study of {self.model!r}: {points} point{'s' * (points > 1)} x {replications} replication"
            f"{'s' * (replications > 1)} = {len(self)} runs, entropy {self.entropy}>"
        )


def _checked_model(model: object) -> Model[..., object]:
    if isinstance(model, Model):
        return model
    advice = ": write @ev.model above it" if callable(model) else ""
    raise ModelError(f"a study is of a model, and got {getattr(model, '__name__', model)!r}{advice}")


def _kept(over: object) -> Any:
    """The same as it is now, which can be gone over again: of a generator only once, of a list until it is changed."""
    if isinstance(over, Mapping):
        return {
            name: _listed(values) if isinstance(values, list | Iterator) else values for name, values in over.items()
        }
    return (
        [dict(one) if isinstance(one, dict) else one for one in _listed(over)] if isinstance(over, Iterable) else over
    )


def _listed(values: Iterable[object]) -> list[object]:
    return list(islice(values, MOST_POINTS + 1))
