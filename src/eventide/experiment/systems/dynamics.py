"""What is simulated: systems as maps of inputs to outputs, and models of them by an ordinary differential equation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from eventide.declare.periods import Grid, exact_period
from eventide.errors import ModelError
from eventide.methods.drive import Law, as_state

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

State: TypeAlias = "NDArray[np.float64]"
Signal: TypeAlias = Callable[[float], object]
"""A function of time: an input u(t), as those of `ev.inputs`, or an output y(t)."""
System: TypeAlias = Callable[[Signal], Signal]
"""A map of inputs to outputs. Source: Pannek, Simulation of mechatronic systems, Definition 2.1."""
Parameters: TypeAlias = Mapping[str, object]
Rate: TypeAlias = "Callable[[float, State, Any, Parameters], ArrayLike]"
"""f(t, x, u, p): the rates (n,) for the state (n,), the input's value, a number or an array, and the parameters."""


@dataclass(frozen=True)
class TimeSet:
    """The times of a system: all real numbers, or the whole multiples of a period.

    Source      Definitions 2.3 and 3.11: a subgroup of the real numbers under addition
    """

    period: float | Fraction | None = None

    def __contains__(self, time: object) -> bool:
        if not isinstance(time, int | float | Fraction) or not isfinite(time):
            return False
        return self.period is None or float(round(Fraction(time) / exact_period(self.period)) * self._exact) == time

    @property
    def _exact(self) -> Fraction:
        if self.period is None:
            raise ModelError("the time set of all real numbers has no grid: give it a period")
        return exact_period(self.period)

    def grid(self, start: float, count: int) -> list[float]:
        """The instants start + i * period, i = 0 ... count, each rounded once. Raises ModelError without a period."""
        grid = Grid(start, self._exact)
        return [grid.time(i) for i in range(count + 1)]


@dataclass(frozen=True)
class Dynamics:
    """A model x' = rate(t, x, u(t), p), with the output y = output(t, x, u(t), p).

    output      the state itself unless given
    times       when it may be asked for
    Source      Definition 2.7, (4.1), Remark 4.2
    """

    rate: Rate
    output: Rate | None = None
    times: TimeSet = field(default_factory=TimeSet)
    name: str = ""

    @classmethod
    def of_second_order(cls, acceleration: Rate, *, name: str = "") -> Dynamics:
        """The model of q'' = acceleration(t, x, u, p) with x = (q, q'), positions first: it sees both.

        Source      Task 3.2, whose function is given the velocity alone
        """

        def rate(t: float, x: State, u: object, p: Parameters) -> State:
            # No dtype is asked for: derivatives go through it as numbers of another kind.
            return np.concatenate((x[len(x) // 2 :], np.atleast_1d(acceleration(t, x, u, p))))

        return cls(rate, name=name)

    def law(self, signal: Signal | None = None, parameters: Parameters | None = None) -> Law:
        """f(t, x) for one input and one set of parameters."""
        return lambda t, x: self.rate(t, x, signal(t) if signal else None, parameters or {})

    def observe(self, t: float, x: State, signal: Signal | None, parameters: Parameters | None) -> Any:
        """The output y."""
        if self.output is None:
            return x
        return self.output(t, x, signal(t) if signal else None, parameters or {})

    def from_state(self, start: float, state: ArrayLike) -> InitialValueProblem:
        """The same with an initial value."""
        return InitialValueProblem(self, start, tuple(as_state(state).tolist()))


@dataclass(frozen=True)
class InitialValueProblem:
    """A model and the state (n,) in which it is at the start. Source: Definition 3.3."""

    dynamics: Dynamics
    start: float
    state: tuple[float, ...]


def disturbance(system: System, model: System, signal: Signal) -> Signal:
    """What a system's output has that a model's has not: what the model leaves out. Source: Remark 2.8."""
    measured, expected = system(signal), model(signal)
    return lambda t: np.asarray(measured(t)) - np.asarray(expected(t))
