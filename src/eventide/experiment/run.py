"""A run: what came of it, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Generic, Self, SupportsIndex, TypeVar, overload

from eventide.declare.showing import as_html
from eventide.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eventide.experiment.models import Model
    from eventide.experiment.responses import Statistic
    from eventide.observe import PopulationRecording, Recording
    from eventide.simulation import Simulation

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Account:
    """What a run took.

    events          events that took place
    steps           steps of integration that were completed
    refused_steps   steps that were tried and were not accurate enough
    evaluations     how often the laws were executed
    state_events    state events that were located or found due
    end_time        the time at which the run stopped
    entropy         of its random streams: the same model, parameters and entropy give the same run
    """

    events: int
    steps: int
    refused_steps: int
    evaluations: int
    state_events: int
    end_time: float
    entropy: int

    @classmethod
    def of(cls, sim: Simulation) -> Self:
        """The account of a simulation up to now."""
        # To ask for the monitor makes one; a model without states, reporters and conditions has none and needs none.
        monitor = sim.monitor if "_the_monitor" in vars(sim) else None
        return cls(
            events=sim.events,
            steps=monitor.steps if monitor else 0,
            refused_steps=monitor.refused if monitor else 0,
            evaluations=monitor.system.evaluations if monitor else 0,
            state_events=monitor.state_events if monitor else 0,
            end_time=sim.time,
            entropy=sim.entropy,
        )


MOST_SHOWN: Final = 4


class Recordings(tuple["Recording | PopulationRecording", ...]):
    """Recordings, found by number or by name."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> Recording | PopulationRecording: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[Recording | PopulationRecording, ...]: ...
    def __getitem__(self, key: SupportsIndex | slice | str, /) -> object:
        """The recording of that number or name. Raises ModelError for a name that none has, or more than one."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        names = [recording.name for recording in self]
        if names.count(key) == 1:
            return super().__getitem__(names.index(key))
        if key in names:
            raise ModelError(f"there are {names.count(key)} recordings {key!r}: give the number of one, of {names!r}")
        near = get_close_matches(key, names, n=1)
        meant = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names) or 'none'}"
        raise ModelError(f"there is no recording {key!r}; {meant}")


@dataclass(frozen=True, eq=False, repr=False)
class Run(Generic[R_co]):
    """One run of a model.

    model           the model with the parameters of this run
    simulation      the simulation as the run left it
    account         what the run took
    statistics      the responses that are statistics, by name, in full
    has_responses   False if the run was stopped before the main program had ended
    """

    model: Model[..., R_co]
    simulation: Simulation
    account: Account
    statistics: Mapping[str, Statistic]
    has_responses: bool
    _responses: R_co = field(repr=False)

    @property
    def responses(self) -> R_co:
        """What the model answered, by name.

        Raises ModelError if the run was stopped before the main program had ended
        """
        if not self.has_responses:
            raise ModelError(
                f"this run of {self.model.name} has no responses: it was stopped at time {self.account.end_time!r}, "
                "before its main program had ended; give a later until=, or none"
            )
        return self._responses

    @property
    def parameters(self) -> Mapping[str, object]:
        """The value of every parameter, by name."""
        return self.model.values

    @property
    def entropy(self) -> int:
        """The entropy of the run's random streams."""
        return self.account.entropy

    @property
    def replication(self) -> int:
        """The number of this run among those of the same entropy."""
        return self.simulation.replication

    @property
    def recordings(self) -> Recordings:
        """What was recorded, in the order in which recording began; `recordings["ride"]` is the one of that name."""
        return Recordings(self.simulation.recordings)

    def plot(self) -> Axes:
        """Draw what was recorded: a panel for each unit over one axis of time; returns the uppermost axes.

        A notebook shows the figure. A model with a picture of its own draws that.
        Raises ModelError if nothing was recorded.
        """
        from eventide.view import plot_recordings, shown_figure

        if self.model.drawing is None and not self.recordings:
            raise ModelError(
                f"{self.model.name} has recorded nothing to draw: let it call sim.record(...) before it runs"
            )
        figure = shown_figure()
        if self.model.drawing is None:
            plot_recordings(self.recordings, figure, time_unit=self.simulation.time_unit)
        else:
            self.model.drawing(self, figure)
        return figure.axes[0] if figure.axes else figure.add_subplot()

    def __repr__(self) -> str:
        told = [f"{name} {value!s}" for name, value in self._shown()[:MOST_SHOWN]]
        return f"<Run of {self.model!r}: {', '.join(told) or 'no responses'}; {self._cost()}>"

    def __str__(self) -> str:
        from eventide.experiment.report import report

        return report(self)

    def _repr_html_(self) -> str:
        return as_html(self._shown(), ("response", "value"), title=repr(self.model), notes=[self._cost()])

    def _shown(self) -> list[tuple[str, str]]:
        from eventide.experiment.report import readable

        responses = self._responses if self.has_responses and isinstance(self._responses, Mapping) else {}
        return [(name, f"{readable(value)} {getattr(value, 'unit', '')}".rstrip()) for name, value in responses.items()]

    def _cost(self) -> str:
        account = self.account
        end = "" if self.has_responses else ", before its main program had ended"
        return f"{account.events} events and {account.steps} steps until time {account.end_time:.6g}{end}"
