"""A run: what came of it, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.experiment.models import Model
    from eventide.experiment.responses import Statistic
    from eventide.observe import PopulationRecording, Recording
    from eventide.simulation import Simulation

R = TypeVar("R")


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


@dataclass(frozen=True, eq=False)
class Run(Generic[R]):
    """One run of a model.

    model           the model with the parameters of this run
    simulation      the simulation as the run left it
    account         what the run took
    statistics      the responses that are statistics, by name, in full
    has_responses   False if the run was stopped before the main program had ended
    """

    model: Model[..., R]
    simulation: Simulation
    account: Account
    statistics: Mapping[str, Statistic]
    has_responses: bool
    _responses: R = field(repr=False)

    @property
    def responses(self) -> R:
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
    def parameters(self) -> Mapping[str, Any]:
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
    def recordings(self) -> tuple[Recording | PopulationRecording, ...]:
        """What was recorded, in the order in which recording began."""
        return tuple(self.simulation.recordings)
