"""Studies: a model run over many points, each as often as is wanted, on all cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from eventide.discrete.random.uniforms import entropy_from
from eventide.errors import ModelError
from eventide.experiment import workers as work
from eventide.experiment.designs import Over, Point, fitting, is_count, is_positive, points_of
from eventide.experiment.models import Model
from eventide.experiment.progress import shown
from eventide.experiment.replication import InMemory, Replication
from eventide.experiment.results import Result, Settings, Task

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
    at              the times at which these are read; None: their own rows
    entropy         of all random streams, designs and draws, an int from 0 on; fresh unless given
    time_limit      of each run, in seconds of wall time; one that takes longer fails with TimeoutError
    Raises          ParameterError for an unknown parameter or a value that is not of its kind, ModelError for what is
                    no model, for no points and if nothing says when a run stops
    """

    def __init__(
        self,
        model: Model[..., Any],
        over: Over = None,
        *,
        replications: int = 1,
        until: float | None = None,
        record: bool | str | Iterable[str] = False,
        at: npt.ArrayLike | None = None,
        entropy: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.model = _checked_model(model)
        if not is_count(replications):
            raise ModelError(f"{model.name} is replicated a whole number of times from 1 on, and got {replications!r}")
        if time_limit is not None and not is_positive(time_limit):
            raise ModelError(f"a study takes a time_limit > 0 in seconds, and got {time_limit!r}")
        self.replications = replications
        self.has_own_entropy = entropy is not None
        self.over = over if isinstance(over, Sequence) or over is None or hasattr(over, "keys") else _kept(over)
        self.settings = Settings(entropy_from(entropy), until, _names(record), _times(at), time_limit)
        self.points = points_of(model, self.over, self.entropy)
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
        return {
            name: fitting(self.model, name, chance.value(name, self.entropy, replication))
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
    ) -> Replication:
        """Make all runs; the same results in the same order, whoever makes them.

        workers     processes; 1: this one alone, for debugging; None: all cores as soon as that is worth while. With
                    an executor: how many it has
        executor    any of `concurrent.futures`, of loky, of MPI (`mpi4py.futures`); of dask `client.get_executor()`
        store       a folder in which results are kept as they come; if it has some of this very study, these are not
                    made again
        shard       (3, 100): only the third of a hundred parts, for one of a hundred jobs on a cluster, with one store
                    for all, from which `run` without it then has the whole
        keep        whether each result has its whole run, with the simulation; only in this process
        progress    whether a bar is shown; None: in a terminal
        An error of a run is kept as its result, with the line that repeats it alone; see `Replication.failures`.
        Raises      ModelError if all of the first ten runs fail, if the model cannot be sent, or for another store;
                    MissingLibraryError for a store without pyarrow
        """
        study, kept = self, None
        if store is not None:
            from eventide.experiment.store import Store

            kept = Store(store)
            study = kept.adopt(self)
        replication = Replication(study, InMemory() if kept is None else kept)
        replication.make(shard=shard, workers=workers, executor=executor, keep=keep, progress=progress)
        return replication

    def replicated(self, count: int) -> Study:
        """The same study with so many replications."""
        return self._with(replications=count)

    def of_entropy(self, entropy: int) -> Study:
        """The same study with another entropy."""
        return self._with(entropy=entropy)

    def _with(self, **changes: Any) -> Study:
        one = self.settings
        told: dict[str, Any] = {
            "replications": self.replications,
            "until": one.until,
            "record": True if one.record is None else one.record,
            "at": one.at,
            "entropy": one.entropy,
            "time_limit": one.time_limit,
        }
        return Study(self.model, self.over, **{**told, **changes})

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
            found = work.by(executor, self.model, tasks, settings, workers or work.cores())
        elif workers == 1 or keep:
            found = work.here(self.model, tasks, settings)
        elif workers is None:
            found = work.here_or_beside(self.model, tasks, settings, len(numbers))
        else:
            found = work.beside(self.model, tasks, settings, workers)
        return shown(found, len(numbers), self.model.name, wanted=progress)

    def __repr__(self) -> str:
        points, replications = len(self.points.values), self.replications
        return (
            f"<Study of {self.model!r}: {points} point{'s' * (points > 1)} x {replications} replication"
            f"{'s' * (replications > 1)} = {len(self)} runs, entropy {self.entropy}>"
        )


def _checked_model(model: Any) -> Model[..., Any]:
    if isinstance(model, Model):
        return model
    advice = ": write @ev.model above it" if callable(model) else ""
    raise ModelError(f"a study is of a model, and got {getattr(model, '__name__', model)!r}{advice}")


def _kept(over: Any) -> Any:
    """What can be gone over again: a generator of points only once."""
    return list(over) if isinstance(over, Iterable) else over


def _names(record: bool | str | Iterable[str]) -> tuple[str, ...] | None:
    if isinstance(record, bool):
        return None if record else ()
    return (record,) if isinstance(record, str) else tuple(record)


def _times(at: npt.ArrayLike | None) -> tuple[float, ...] | None:
    import numpy as np

    return None if at is None else tuple(np.asarray(at, dtype=float).ravel().tolist())
