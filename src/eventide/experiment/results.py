"""Results: what comes back of one run of a study, small enough to be sent and kept by the thousand."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from traceback import TracebackException
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.declare.units import in_time_units
from eventide.errors import ModelError
from eventide.experiment.limits import time_limit
from eventide.experiment.parameters import contents, refuse_changed, show

READINGS: Final = "readings"
"""The name of the table of readings."""

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from eventide.experiment.models import Model
    from eventide.experiment.run import Account, Run
    from eventide.observe import PopulationRecording, Recording
    from eventide.observe.piecewise import PiecewisePolynomial
    from eventide.observe.readings import Readings
    from eventide.simulation import Simulation

MOST_ITEMS: Final = 1_000
"""Of an array in the line that repeats a run."""


@dataclass(frozen=True)
class Task:
    """One run that is to be made.

    number          in the study, from 0 on; point and replication follow from it
    values          of the parameters that differ from run to run
    """

    number: int
    point: int
    replication: int
    values: Mapping[str, object]


@dataclass(frozen=True)
class Settings:
    """What all runs of a study have in common.

    record          the names of the recordings of which the tables are kept; None: of all
    at              the times at which they are read; None: their own rows
    dense           the names of the recorded quantities that are kept at all times, between the rows as well
    time_limit      of one run, in seconds of wall time
    readings        times at which what is recorded is read from the steps themselves, for the table `READINGS`
    ends            `until` and `readings` of the points in turn, where these differ
    antithetic      whether replications come in pairs of which the second mirrors the random numbers of the first
    keeps           whether whole runs are kept, which cannot be sent
    raises          whether an error of a run goes up, and is not kept as its result
    """

    entropy: int
    until: float | None = None
    record: tuple[str, ...] | None = ()
    at: tuple[float, ...] | None = None
    time_limit: float | None = None
    readings: tuple[float, ...] = ()
    ends: tuple[tuple[float, tuple[float, ...]], ...] = ()
    antithetic: bool = False
    keeps: bool = False
    raises: bool = False
    dense: tuple[str, ...] = ()

    def at_point(self, point: int) -> Settings:
        """Those of the runs of one point."""
        if not self.ends:
            return self
        until, readings = self.ends[point % len(self.ends)]
        return replace(self, until=until, readings=readings)

    def numbers_of(self, replication: int) -> tuple[int, bool]:
        """The replication whose random numbers a replication has, and whether it has them mirrored."""
        is_mirrored = self.antithetic and replication % 2 == 1
        return replication - is_mirrored, is_mirrored


@dataclass(frozen=True)
class Failure:
    """The error of a run.

    kind, message, notes    the name of its class, its text and its notes
    traceback               as Python prints it
    replay                  the line that repeats the run alone
    error                   the error itself, if it can be sent
    """

    kind: str
    message: str
    notes: tuple[str, ...]
    traceback: str
    replay: str
    error: Exception | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, error: BaseException, model: Model[..., object], task: Task, settings: Settings) -> Failure:
        """What is kept of an error."""
        return cls(
            type(error).__name__,
            str(error),
            tuple(getattr(error, "__notes__", ())),
            "".join(TracebackException.from_exception(error).format()),
            line_of(model, task, settings),
            error if isinstance(error, Exception) and _can_be_sent(error) else None,
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


def line_of(model: Model[..., object], task: Task, settings: Settings) -> str:
    """The line of Python that makes a run of a study alone; of a model that has the values of the task."""
    replication, is_mirrored = settings.numbers_of(task.replication)
    number = f", replication={replication}" if replication else ""
    number += ", antithetic=True" * is_mirrored
    until = "" if settings.until is None else f", until={settings.until!r}"
    return f"{_call_of(model)}.run(entropy={settings.entropy}{number}{until})"


def _call_of(model: Model[..., object]) -> str:
    """A model with its values as it can be pasted: an array by its items, with the import that this takes."""
    arrays = {
        name: f"numpy.array({value.tolist()!r}, {value.dtype.str!r})"
        for name, value in model.values.items()
        if type(value).__name__ == "ndarray" and value.size <= MOST_ITEMS
    }
    values = ", ".join(f"{name}={arrays.get(name) or show(value)}" for name, value in model.values.items())
    return f"{'import numpy; ' * bool(arrays)}{model.name}({values})"


def _can_be_sent(error: Exception) -> bool:
    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)
    except Exception:  # noqa: BLE001  # errors of other people's classes may fail in any way when they are made again
        return False


@dataclass(frozen=True, eq=False)
class Result:
    """What came of one run.

    number, point, replication      of the run in its study, from 0 on
    parameters      the value of every parameter, by name
    entropy         of the study: the same model, parameters, entropy and replication give the same run
    responses       what the model answered, by name; nothing if the run failed, or was stopped before its main program
                    had ended
    is_whole        whether the run came to its end
    account         what the run took; None if it failed
    tables          of the recordings that were asked for, by their names
    failure         the error of the run, or None
    run             the run with its simulation, if it was to be kept
    dense           the quantities that were asked for at all times, by name
    """

    number: int
    point: int
    replication: int
    parameters: Mapping[str, Any]
    entropy: int
    responses: Mapping[str, float]
    is_whole: bool
    account: Account | None
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    failure: Failure | None = None
    run: Run[object] | None = field(default=None, repr=False)
    dense: Mapping[str, PiecewisePolynomial] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        values = {**vars(self), "parameters": dict(self.parameters), "run": None}
        return Result, tuple(values.values())


def perform(model: Model[..., Any], task: Task, settings: Settings) -> Result:
    """Make one run; an error of it is its result, unless it is to go up."""
    own, settings = model(**task.values), settings.at_point(task.point)
    replication, is_mirrored = settings.numbers_of(task.replication)
    sim = own.simulation(settings.entropy, replication, antithetic=is_mirrored)
    known = task.number, task.point, task.replication, own.values, settings.entropy
    readings, before = _readings(sim, settings.readings), {name: contents(one) for name, one in own.values.items()}
    dense = None
    if settings.dense:
        from eventide.observe.dense_output import DenseOutputs

        dense = sim.dense_outputs = DenseOutputs(sim, settings.dense)
    try:
        with time_limit(sim, settings.time_limit):
            run = own.run_in(sim, until=settings.until)
        refuse_changed(own.values, before, own.name)
        tables = _tables(run, settings)
        if readings is not None:
            tables[READINGS] = readings.to_pandas()
    except (Exception, SystemExit) as error:  # a model that calls sys.exit ends its own run
        if settings.raises:
            raise
        return Result(*known, {}, False, None, failure=Failure.of(error, own, task, settings))
    responses = run.responses if run.has_responses else {}
    known_at_all_times = {} if dense is None else dense.results()
    result = Result(*known, responses, run.has_responses, run.account, tables, dense=known_at_all_times)
    return replace(result, run=run) if settings.keeps else result


def _readings(sim: Simulation, times: tuple[float, ...]) -> Readings | None:
    if not times:
        return None
    from eventide.observe.readings import Readings  # a discrete model loads no continuous room

    return Readings(sim, times)


def _tables(run: Run[object], settings: Settings) -> dict[str, pd.DataFrame]:
    names = [one.name for one in run.recordings] if settings.record is None else settings.record
    return {name: table_of(recording_of(run, name), settings.at) for name in names}


def recording_of(run: Run[object], name: str) -> Recording | PopulationRecording:
    """A recording of a run by its name; without one the first. Raises ModelError if there is none, or two have it."""
    names = [recording.name for recording in run.recordings]
    if name and names.count(name) > 1:
        raise ModelError(
            f"{run.model.name} has {names.count(name)} recordings {name!r}: give each a name of its own, as "
            f"sim.record(..., name={name + ' 2'!r})"
        )
    for recording in run.recordings:
        if name in {"", recording.name}:
            return recording
    raise ModelError(no_recording(run.model.name, name, names))


def no_recording(model: str, name: str, known: list[str]) -> str:
    """What is said of a recording that is not there."""
    if not known:
        return f"{model} has no recordings: it records by sim.record(...)"
    return f"{model} has no recording {name!r}; it has: {', '.join(known) or 'none'}"


def table_of(
    recording: Recording | PopulationRecording, at: npt.ArrayLike | None = None, *, before: bool = False
) -> pd.DataFrame:
    """The rows of a recording, or what it says at some times; ModelError for these of a class."""
    if at is None:
        return recording.to_pandas()
    if not hasattr(recording, "at"):
        raise ModelError(
            f"{recording.name} is the recording of a class: its objects differ from run to run, use states()"
        )
    times = in_time_units(at, recording.sim.time_unit, "at(...)")
    return recording.at(np.atleast_1d(np.asarray(times, dtype=float)), before=before)
