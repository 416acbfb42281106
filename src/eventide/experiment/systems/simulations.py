"""Simulations: one or more simulators, evaluated on sets of ends, starts, states, inputs and parameters.

Source: Pannek, Simulation of mechatronic systems, Definition 2.13, Definition 4.6, Algorithm 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eventide.errors import ModelError
from eventide.experiment.systems.costs import Assessment, Cost
from eventide.experiment.systems.dynamics import Parameters, Signal, TimeSet

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from eventide.experiment.systems.simulators import Simulator


class Case(NamedTuple):
    """A simulator and what it is given."""

    simulator: str
    end: float
    start: float
    state: ArrayLike
    signal: Signal | None
    parameters: Parameters


@dataclass(frozen=True)
class Replication:
    """What came of the cases of a simulation, in their order.

    times           one array (m,) for each case: its sampling instants, the start and the end
    trajectories    one array (m, n) for each case: the states at these
    """

    cases: tuple[Case, ...]
    times: tuple[NDArray[np.float64], ...]
    trajectories: tuple[NDArray[np.float64], ...]
    simulators: Mapping[str, Simulator] = field(repr=False)

    def __len__(self) -> int:
        """How many cases there are."""
        return len(self.cases)

    @property
    def ends(self) -> tuple[NDArray[np.float64], ...]:
        """The last state (n,) of each case."""
        return tuple(states[-1] for states in self.trajectories)

    @property
    def inputs(self) -> pd.DataFrame:
        """What each case was made from, by `run`; like that of an `ev.Replication`, so that it can be saved."""
        from eventide.libraries import pandas as pd

        rows = []
        for case in self.cases:
            state = {f"x0[{k}]": float(value) for k, value in enumerate(np.ravel(case.state))}
            signal = "" if case.signal is None else getattr(case.signal, "__name__", repr(case.signal))
            known = {"simulator": case.simulator, "start": float(case.start), "end": float(case.end), "signal": signal}
            rows.append({**known, **state, **case.parameters})
        frame = pd.DataFrame(rows, index=pd.RangeIndex(len(rows), name="run"))
        frame.attrs["name"] = "inputs"
        return frame

    def states(self) -> pd.DataFrame:
        """The states of each case, in columns `x[0]`, `x[1]`, ..., by `run` and `time`."""
        from eventide.libraries import pandas as pd

        frames = {
            run: pd.DataFrame(states, index=pd.Index(times, name="time"), columns=_names_of(states.shape[1]))
            for run, (times, states) in enumerate(zip(self.times, self.trajectories, strict=True))
        }
        frame = pd.concat(frames, names=["run"])
        frame.attrs["name"] = "states"
        return frame

    def assess(self, **costs: Cost) -> Assessment:
        """The integral of each cost along the trajectory of each case."""
        rows = [
            [self.simulators[case.simulator].cost(cost, *case[1:]) for cost in costs.values()] for case in self.cases
        ]
        return Assessment(tuple(costs), np.array(rows, dtype=np.float64).reshape(len(rows), len(costs)))


def _names_of(size: int) -> list[str]:
    return [f"x[{k}]" for k in range(size)]


@dataclass(frozen=True)
class Simulations:
    """One or more simulators of like states, and the sets on whose product they are evaluated.

    A case whose end is before its start is left out.
    period      at which states are kept between start and end; None: only those two are
    Raises      ModelError if a set is empty, or an end or start is no finite time
    """

    simulators: Mapping[str, Simulator]
    ends: Sequence[float]
    starts: Sequence[float]
    states: Sequence[ArrayLike]
    signals: Sequence[Signal | None] = (None,)
    parameters: Sequence[Parameters] = ({},)
    period: float | Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("simulators", "ends", "starts", "states", "signals", "parameters"):
            if not len(getattr(self, name)):
                raise ModelError(f"a simulation over no {name}: each set has one member at least")
        for name in ("ends", "starts"):
            never = [time for time in getattr(self, name) if not isfinite(time)]
            if never:
                raise ModelError(f"Simulations(...) takes {name} that are finite times, and got {never[0]!r}")

    def cases(self) -> Iterator[Case]:
        """All of them; what is named last changes first."""
        sets = (self.simulators, self.ends, self.starts, self.states, self.signals, self.parameters)
        return (case for case in (Case(*members) for members in product(*sets)) if case.end >= case.start)

    def run(self) -> Replication:
        """Go through all cases, each from its start to its end and no further."""
        cases, times, states = tuple(self.cases()), [], []
        for case in cases:
            instants = self._instants(case)
            times.append(np.array(instants))
            states.append(self.simulators[case.simulator].states(instants, *case[2:]))
        return Replication(cases, tuple(times), tuple(states), self.simulators)

    def _instants(self, case: Case) -> list[float]:
        if self.period is None or case.end == case.start:
            return [case.start, case.end][case.end == case.start :]
        times = TimeSet(self.period)
        count = int((case.end - case.start) / float(self.period)) + 1
        return [time for time in times.grid(case.start, count) if time < case.end] + [case.end]
