"""Results: what comes back of one run of a study, small enough to be sent and kept by the thousand."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from traceback import TracebackException
from typing import TYPE_CHECKING, Any

from eventide.errors import ModelError
from eventide.experiment.limits import time_limit

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from eventide.experiment.models import Model
    from eventide.experiment.run import Account, Run
    from eventide.observe import PopulationRecording, Recording


@dataclass(frozen=True)
class Task:
    """One run that is to be made.

    number          in the study, from 0 on; point and replication follow from it
    values          of the parameters that differ from run to run
    """

    number: int
    point: int
    replication: int
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Settings:
    """What all runs of a study have in common.

    record          the names of the recordings of which the tables are kept; None: of all
    at              the times at which they are read; None: their own rows
    time_limit      of one run, in seconds of wall time
    keeps           whether whole runs are kept, which cannot be sent
    raises          whether an error of a run goes up, and is not kept as its result
    """

    entropy: int
    until: float | None = None
    record: tuple[str, ...] | None = ()
    at: tuple[float, ...] | None = None
    time_limit: float | None = None
    keeps: bool = False
    raises: bool = False


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
    def of(cls, error: Exception, model: Model[..., Any], task: Task, settings: Settings) -> Failure:
        """What is kept of an error."""
        number = f", replication={task.replication}" if task.replication else ""
        until = "" if settings.until is None else f", until={settings.until!r}"
        return cls(
            type(error).__name__,
            str(error),
            tuple(getattr(error, "__notes__", ())),
            "".join(TracebackException.from_exception(error).format()),
            f"{model!r}.run(entropy={settings.entropy}{number}{until})",
            error if _can_be_sent(error) else None,
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


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
    """

    number: int
    point: int
    replication: int
    parameters: Mapping[str, Any]
    entropy: int
    responses: Mapping[str, Any]
    is_whole: bool
    account: Account | None
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    failure: Failure | None = None
    run: Run[Any] | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        values = {**vars(self), "parameters": dict(self.parameters), "run": None}
        return Result, tuple(values.values())


def perform(model: Model[..., Any], task: Task, settings: Settings) -> Result:
    """Make one run; an error of it is its result, unless it is to go up."""
    own = model(**task.values)
    sim = own.simulation(settings.entropy, task.replication)
    known = task.number, task.point, task.replication, own.values, settings.entropy
    try:
        with time_limit(sim, settings.time_limit):
            run = own.run_in(sim, until=settings.until)
        tables = _tables(run, settings)
    except Exception as error:
        if settings.raises:
            raise
        return Result(*known, {}, False, None, failure=Failure.of(error, own, task, settings))
    responses = run.responses if run.has_responses else {}
    result = Result(*known, responses, run.has_responses, run.account, tables)
    return replace(result, run=run) if settings.keeps else result


def _tables(run: Run[Any], settings: Settings) -> dict[str, pd.DataFrame]:
    names = [one.name for one in run.recordings] if settings.record is None else settings.record
    return {name: table_of(recording_of(run, name), settings.at) for name in names}


def recording_of(run: Run[Any], name: str) -> Recording | PopulationRecording:
    """A recording of a run by its name; without one the first. Raises ModelError if there is none."""
    for recording in run.recordings:
        if name in {"", recording.name}:
            return recording
    raise ModelError(no_recording(run.model.name, name, [recording.name for recording in run.recordings]))


def no_recording(model: str, name: str, known: list[str]) -> str:
    """What is said of a recording that is not there."""
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
    return recording.at(at, before=before)
