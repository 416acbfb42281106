"""Simulators: what gives x(t) for (t, t0, x0, u(.), p). For one model there may be several, which can be exchanged.

Source: Pannek, Simulation of mechatronic systems, Definition 2.10, Algorithm 7.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, nextafter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from eventide.continuous import Continuous
from eventide.declare import StateVector, state_vector
from eventide.declare.units import in_time_units
from eventide.errors import ModelError
from eventide.experiment.systems.costs import value_of
from eventide.experiment.systems.dynamics import Dynamics, Parameters, Signal, State, System
from eventide.inputs import Input, common_grid
from eventide.inputs.base import reached_inputs
from eventide.methods import DORMAND_PRINCE, Method
from eventide.methods.drive import as_state
from eventide.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from eventide.experiment.systems.costs import Cost
    from eventide.experiment.systems.dynamics import Rate
    from eventide.methods.solution import SolutionMethod

_PRECISION: Final = 1e-10
"""To which costs along an exact solution are integrated, relative and absolute."""


class Case(NamedTuple):
    """What a solution begins with and depends on."""

    start: float
    state: State
    signal: Signal | None
    parameters: Parameters


@dataclass(frozen=True)
class Simulator(ABC):
    """What gives the states of a model."""

    dynamics: Dynamics

    def states(
        self,
        times: Sequence[float],
        start: float,
        state: ArrayLike,
        signal: Signal | None = None,
        parameters: Parameters | None = None,
    ) -> State:
        """The states (m, n) at growing times (m,), none of which is before the start."""
        _check_times(times, start)
        return self._states(times, Case(start, as_state(state), signal, parameters or {}))

    def cost(
        self,
        cost: Cost,
        end: float,
        start: float,
        state: ArrayLike,
        signal: Signal | None = None,
        parameters: Parameters | None = None,
    ) -> float:
        """The integral over time of a cost of the state, from start to end. Source: (2.6)."""
        return self._cost(cost, end, Case(start, as_state(state), signal, parameters or {}))

    @abstractmethod
    def _states(self, times: Sequence[float], case: Case) -> State:
        """The states at times that have been checked."""

    @abstractmethod
    def _cost(self, cost: Cost, end: float, case: Case) -> float:
        """The integral of a cost."""

    def __call__(
        self,
        end: float,
        start: float,
        state: ArrayLike,
        signal: Signal | None = None,
        parameters: Parameters | None = None,
    ) -> State:
        """The state (n,) at the end: Phi(t, t0, x0, u(.), p). Raises ModelError if the end is before the start."""
        found: State = self.states([end], start, state, signal, parameters)[0]
        return found

    def system(self, start: float, state: ArrayLike, parameters: Parameters | None = None) -> System:
        """The model as a map of inputs to outputs, from one initial value on."""

        def of(signal: Signal) -> Signal:
            return lambda t: self.dynamics.observe(t, self(t, start, state, signal, parameters), signal, parameters)

        return of


@dataclass(frozen=True)
class Analytic(Simulator):
    """A solution in closed form.

    solution    Phi(t, t0, x0, u, p), with x0 as an array (n,)
    """

    solution: Callable[[float, float, State, Signal | None, Parameters], ArrayLike]

    def _states(self, times: Sequence[float], case: Case) -> State:
        start, state, signal, parameters = case
        return np.array([as_state(self.solution(t, start, state, signal, parameters)) for t in times])

    def _cost(self, cost: Cost, end: float, case: Case) -> float:
        """The integral, by adaptive quadrature between the instants at which the input is not smooth."""
        from scipy.integrate import quad

        _check_times([end], case.start)
        total = 0.0
        for low, high in pairwise([case.start, *_cuts(case.signal, case.start, end)]):
            total += quad(lambda t: value_of(cost, self(t, *case)), low, high, epsabs=_PRECISION, epsrel=_PRECISION)[0]
        return float(total)


class _Integrating(Simulator):
    """A simulator that integrates the model, and so a cost as one more state. Source: errata to (2.6)."""

    def _cost(self, cost: Cost, end: float, case: Case) -> float:
        """The integral, as one more state of the model: its rate is the cost."""

        def rate(t: float, x: State, u: object, p: Parameters) -> State:
            return np.append(as_state(self.dynamics.rate(t, x[:-1], u, p)), value_of(cost, x[:-1]))

        widened = replace(self, dynamics=Dynamics(rate))
        return float(widened(end, *case._replace(state=np.append(case.state, 0.0)))[-1])


@dataclass(frozen=True)
class Numeric(_Integrating):
    """A solution method applied to the model, from each instant at which the input is not smooth to the next.

    Source      Figure 4.2; Remark 3.37, unified grid
    """

    method: SolutionMethod

    def _states(self, times: Sequence[float], case: Case) -> State:
        """The states: the method goes from each time to the next."""
        here, x, found = case.start, case.state, []
        for time in times:
            for cut in _cuts(case.signal, here, time):
                law = self.dynamics.law(_before(case.signal, cut), case.parameters)
                x = self.method.solve(law, here, x, cut).end
                here = cut
            found.append(x)
        return np.array(found)


@dataclass(frozen=True)
class Stepped(_Integrating):
    """The model as a component of a `Simulation`: its step control, its end of steps where an input jumps.

    method, rel_error, abs_error    as of `Simulation`
    """

    method: Method = DORMAND_PRINCE
    rel_error: float = 1e-6
    abs_error: float = 1e-9

    def _states(self, times: Sequence[float], case: Case) -> State:
        """The states, of one run."""
        sim = Simulation(rel_error=self.rel_error, abs_error=self.abs_error, rng=0)
        sim.method = self.method
        found = []
        sim.run(until=case.start)
        follower = _Follower(
            sim, rate_of=self.dynamics.rate, signal=case.signal, parameters=case.parameters, size=len(case.state)
        )
        follower.x = case.state
        follower.start()
        for time in times:
            sim.run(until=time)
            found.append(np.array(follower.x))
        return np.array(found)


class _Follower(Continuous):
    """A component whose law is a model's."""

    rate_of: Rate
    signal: Signal | None
    parameters: Parameters
    size: int
    x: StateVector = state_vector(0.0, size="size")

    def equations(self) -> None:
        t = self.sim.time
        u = self.signal(t) if self.signal else None
        self.rate.x = as_state(self.rate_of(t, np.array(self.x), u, self.parameters))


def _cuts(signal: Signal | None, start: float, end: float) -> list[float]:
    """The instants after the start at which an input, or one that a signal calls, is not smooth, and the end."""
    return sorted({*common_grid(*_inputs_of(signal), start=start, end=end), end})


def _before(signal: Signal | None, cut: float) -> Signal | None:
    """A signal as it is before a jump, also there."""
    if signal is None or not _inputs_of(signal):
        return signal
    last = nextafter(cut, -inf)
    return lambda t: signal(min(t, last))


def _inputs_of(signal: Signal | None) -> tuple[Input, ...]:
    """The inputs that a signal is made of, as far as its names lead to them."""
    return () if signal is None else reached_inputs((signal,)).found()


def _check_times(times: Sequence[float], start: float) -> None:
    in_time_units([start, *times], None, "a time of a simulator")
    here = start
    for time in times:
        if not time >= here:
            raise ModelError(
                f"states at {list(times)!r} from {start!r} on: times must not decrease or precede the start"
            )
        here = time
