"""Replications: the runs of one model for several inputs, and for each as often as is wanted, as one object.

Source: Pannek, Simulation of mechatronic systems, definitions 2.16 and 4.6, remarks 2.18, 4.4 and 4.7
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eventide.discrete.random.uniforms import entropy_from
from eventide.errors import ModelError
from eventide.statistics import Tally, independence, sample_size

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from eventide.experiment.models import Model
    from eventide.experiment.run import Run
    from eventide.observe import PopulationRecording, Recording


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


class Replication(Sequence["Run[Any]"]):
    """The runs of a model for several inputs, each with its inputs, states and responses; made by `Model.replicate`.

    The numbers `run` from 0 on tell them apart. Replications of one input have independent random streams; those of one
    number under different inputs have the same, so that inputs are compared under the same chance.
    entropy     of the random streams of all of them
    """

    def __init__(
        self, model: Model[..., Any], inputs: Sequence[Mapping[str, Any]], entropy: int, until: float | None
    ) -> None:
        self.model = model
        self.entropy = entropy
        self._models = [model(**given) for given in inputs]
        if not self._models:
            raise ModelError(f"{model.name} has no inputs to be replicated for: give one at least")
        self._until = until
        self._runs: list[Run[Any]] = []
        self._place: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, run: Any) -> Any:
        return self._runs[run]

    def __iter__(self) -> Iterator[Run[Any]]:
        return iter(self._runs)

    def extend(self, count: int) -> None:
        """Make so many more replications of each input; an error of one leaves those before it."""
        first = max((number for _, number in self._place), default=-1) + 1
        for number in range(first, first + count):
            for place, model in enumerate(self._models):
                run = model.run(entropy=self.entropy, replication=number, until=self._until)
                self._runs.append(run)
                self._place.append((place, number))

    # --- as tables ------------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> pd.DataFrame:
        """What each run was made from: `input` and `replication`, its numbers, then the parameters."""
        rows = [
            {"input": place, "replication": number, **run.parameters}
            for run, (place, number) in zip(self._runs, self._place, strict=True)
        ]
        return self._table("inputs", rows)

    @property
    def responses(self) -> pd.DataFrame:
        """What each run answered: the assessment, if a response is a cost functional such as `sim.integral(...)`.

        Its statistics are those of pandas: `mean()`, `cov()`, `quantile(0.9)`. Raises ModelError if a run was stopped
        before it answered.
        """
        frame = self._table("responses", [run.responses for run in self._runs])
        first = self._runs[0].responses if self._runs else {}
        frame.attrs["units"] = {name: getattr(value, "unit", "") for name, value in first.items()}
        return frame

    def states(self, recording: str = "") -> pd.DataFrame:
        """What one recording of every run holds: the rows as its `to_pandas` gives them, by `run` and `time`.

        recording   its name, which is the same in all runs; without one the first
        Raises      ModelError if a run has none of that name
        """
        return self._joined([self._recording(run, recording).to_pandas() for run in self._runs])

    def at(self, times: npt.ArrayLike, recording: str = "", *, before: bool = False) -> pd.DataFrame:
        """The states of every run at the same times, by `run` and `time`, as `Recording.at` gives them.

        Raises ModelError if a run has no such recording, or one of a class, whose objects differ from run to run.
        """
        found = []
        for run in self._runs:
            one = self._recording(run, recording)
            if not hasattr(one, "at"):
                raise ModelError(
                    f"{one.name} is the recording of a class: its objects differ from run to run, use states()"
                )
            found.append(one.at(times, before=before))
        return self._joined(found)

    def _recording(self, run: Run[Any], name: str) -> Recording | PopulationRecording:
        for recording in run.recordings:
            if name in {"", recording.name}:
                return recording
        known = ", ".join(recording.name for recording in run.recordings) or "none"
        raise ModelError(f"{run.model.name} has no recording {name!r}; it has: {known}")

    def _table(self, name: str, rows: list[Any]) -> pd.DataFrame:
        import pandas as pd

        frame = pd.DataFrame(rows, index=pd.RangeIndex(len(rows), name="run"))
        frame.attrs["name"] = name
        return frame

    def _joined(self, frames: list[pd.DataFrame]) -> pd.DataFrame:
        import pandas as pd

        whole = pd.concat(frames, keys=range(len(frames)), names=["run"])
        whole.attrs.update(frames[0].attrs)
        return whole

    # --- planning -------------------------------------------------------------------------------------------------

    def tally(self, response: str, *, input: int = 0) -> Tally:  # noqa: A002  # the word for it
        """The values of a response in the replications of one input, to ask for their mean, interval and quantiles.

        Raises ModelError for a response or input that is not there
        """
        if not 0 <= input < len(self._models):
            raise ModelError(f"there is no input {input!r}: {self.model.name} was replicated for {len(self._models)}")
        found = Tally(response)
        for run, (place, _) in zip(self._runs, self._place, strict=True):
            if place == input:
                known = ", ".join(run.responses) or "none"
                if response not in run.responses:
                    raise ModelError(f"{self.model.name} has no response {response!r}; it has: {known}")
                found.add(float(run.responses[response]))
        return found

    def plan(
        self,
        response: str,
        half_width: float,
        *,
        relative: bool = False,
        level: float = 0.95,
        input: int = 0,  # noqa: A002  # see `tally`
    ) -> Plan:
        """What is known of the mean of a response, and how many replications it takes to know it so closely.

        half_width  half the length that its confidence interval may have; relative: in parts of the true mean
        level       of the interval
        Raises      ModelError as `tally`, with fewer than two replications, or for a half width that is none
        Source      Law, Simulation modeling and analysis, 5th ed. (2015), 9.4.1
        """
        tally = self.tally(response, input=input)
        if tally.count < 2:
            raise ModelError(
                f"a plan needs two replications of an input at least, and there is {tally.count}: extend() them"
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


def replicate(
    model: Model[..., Any],
    count: int,
    *,
    inputs: Iterable[Mapping[str, Any]] | None,
    entropy: int | None,
    until: float | None,
) -> Replication:
    """Run a model `count` times for each of some inputs."""
    if count < 1:
        raise ModelError(f"{model.name} is replicated once at least, and got {count!r}")
    replication = Replication(model, [{}] if inputs is None else list(inputs), entropy_from(entropy), until)
    replication.extend(count)
    return replication
