"""Solution methods: from a law and an initial value to the states over an interval, without a simulation.

A `SolutionMethod` is either a `OneStep` method, which goes from one state to the next (`Explicit`, `Implicit`,
`Adaptive`), or `Multiscale`, which applies such methods from sampling instant to sampling instant.

Source: Pannek, Simulation of mechatronic systems, Algorithms 1 to 6 and Figures 3.4 to 3.8, corrected.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from eventide.declare.periods import Grid, exact_period
from eventide.declare.units import in_time_units
from eventide.errors import ModelError
from eventide.methods.drive import Law, State, as_state, one_step, solve, stage_rates, tableau_of
from eventide.methods.method import Method
from eventide.methods.tableau import Tableau

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SHORTER: Final = 0.2
LONGER: Final = 5.0
"""Bounds of the ratio of the next step of an adaptive method to the present one."""
Options: TypeAlias = dict[str, Any]
"""What a solution method passes on by name: the iteration, its tolerance, how often."""
_WHOLE: Final = 1e-9
"""An interval shorter than a whole number of periods by less than this counts as that number."""


class Trajectory(NamedTuple):
    """States (m, n) at times (m,)."""

    times: State
    states: State

    @property
    def end(self) -> State:
        """The last state (n,)."""
        last: State = self.states[-1]
        return last


class SolutionMethod(ABC):
    """What gives the states from a start to an end."""

    @abstractmethod
    def solve(self, law: Law, start: float, state: ArrayLike, end: float) -> Trajectory:
        """The trajectory from `state` at `start` to `end`, both ends included, the last exactly.

        Raises ModelError if the end lies before the start, or the method cannot go on
        """


class OneStep(SolutionMethod):
    """A method that makes the next state of the last one alone."""

    @abstractmethod
    def step(self, law: Law, time: float, state: ArrayLike, length: float) -> State:
        """The state (n,) after one step."""


@dataclass(frozen=True)
class _Fixed(OneStep):
    """Steps of one length; the last is shortened to end on time."""

    method: Method | Tableau
    length: float
    options: Options = field(default_factory=dict)

    def __post_init__(self) -> None:
        in_time_units(self.length, None, "a step")
        if not 0.0 < self.length < inf:
            raise ModelError(f"{self.method.name} with steps of {self.length!r}: a step is a finite time above 0")

    def step(self, law: Law, time: float, state: ArrayLike, length: float) -> State:
        """The state (n,) after one step."""
        return one_step(self.method, law, time, state, length, **self.options)

    def solve(self, law: Law, start: float, state: ArrayLike, end: float) -> Trajectory:
        """The states at start + j * length and at the end."""
        return Trajectory(*solve(self.method, law, start, state, end, self.length, **self.options))


class Explicit(_Fixed):
    """An explicit tableau with steps of one length. Source: Algorithm 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not tableau_of(self.method).is_explicit:
            raise ModelError(f"{self.method.name} is no explicit tableau: `Implicit` solves for its stages")


class Implicit(_Fixed):
    """Any tableau with steps of one length; its stages are solved for.

    options     of that, see `one_step`: solver, tolerance, iterations
    Source      Algorithms 2 and 3
    """


@dataclass(frozen=True)
class Adaptive(OneStep):
    """An embedded pair that chooses its steps: the solution of higher order goes on, the error of the lower is kept.

    The error is the largest difference of the two in a component. A step whose error is not below `tolerance`, or is
    NaN, is repeated; the next is h * safety * (tolerance / error)**(1 / (p + 1)), p being the lower order, within
    `SHORTER` and `LONGER` times h.
    first       length of the first step; None: the whole interval
    least       a step that would have to be shorter is an error
    Raises      ModelError if the tableau is no pair, or a number is not of its kind
    Source      Theorem 3.35, Algorithm 4
    """

    method: Method | Tableau
    tolerance: float = 1e-6
    safety: float = 0.9
    least: float = 0.0
    first: float | None = None
    options: Options = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not any(tableau_of(self.method).error):
            raise ModelError(f"{self.method.name} has no embedded solution: an adaptive method needs a pair")
        in_time_units((self.least, self.first), None, "a step")
        if not 0.0 < self.tolerance < inf:
            raise ModelError(f"a tolerance of {self.tolerance!r}: it is a finite number above 0")
        if not 0.0 < self.safety < 1.0:
            raise ModelError(f"a safety factor of {self.safety!r}: it lies between 0 and 1")

    def step(self, law: Law, time: float, state: ArrayLike, length: float) -> State:
        """The state (n,) after one step, whatever its error."""
        in_time_units((time, length), None, "step(...)")
        return self._attempt(law, time, as_state(state), length)[0]

    def solve(self, law: Law, start: float, state: ArrayLike, end: float) -> Trajectory:
        """The states at the ends of the steps.

        Raises ModelError if a step would have to be shorter than `least`, or than what advances the time
        """
        _check_interval(start, end)
        time, y = start, as_state(state)
        times, states = [time], [y]
        length = end - start if self.first is None else self.first
        while time < end:
            is_last = time + length >= end
            length = end - time if is_last else length
            reached, error = self._attempt(law, time, y, length)
            if error <= self.tolerance:
                time, y = end if is_last else time + length, reached
                times.append(time)
                states.append(y)
            length *= self._factor(error)
            if time < end and (length < self.least or not time + length > time):
                raise ModelError(
                    f"{self.method.name} needs a step of {length:.3g} at time {time!r} for a tolerance of "
                    f"{self.tolerance!r}: the least that is allowed is {self.least!r}; raise the tolerance, or look "
                    "for a rate that is not finite"
                )
        return Trajectory(np.array(times), np.array(states))

    def _factor(self, error: float) -> float:
        if not isfinite(error):
            return SHORTER
        if error == 0.0:
            return LONGER
        order = tableau_of(self.method).error_order
        return float(min(max(self.safety * (self.tolerance / error) ** (1.0 / (order + 1)), SHORTER), LONGER))

    def _attempt(self, law: Law, time: float, state: State, length: float) -> tuple[State, float]:
        """The state after a step, and the largest error of a component; both solutions are of the same stages."""
        tableau = tableau_of(self.method)
        rates = stage_rates(tableau, law, time, state, length, **self.options)
        reached: State = state + length * (tableau.arrays[2] @ rates)
        if tableau.needs_end:
            rates = np.vstack([rates, law(time + length, reached)])
        weights = np.array([float(weight) for weight in tableau.error[: len(rates)]])
        error: State = length * (weights @ rates[: len(weights)])
        return reached, float(np.max(np.abs(error)))


Inner: TypeAlias = Method | Tableau | OneStep
Choice: TypeAlias = Callable[[int, float, State], Inner]
"""The method for an interval, by its number from 0 on, its start and the state there."""


@dataclass(frozen=True)
class Multiscale(SolutionMethod):
    """From sampling instant to sampling instant, t0 + k * period, in inner steps of period / parts.

    Every sampling instant is an instant of the fine grid, to the bit: instants are fractions of the period, rounded
    once; a float period is read by its decimal form. The last interval is shorter if the end says so.
    method      a tableau; a one-step method, which has steps of its own; or a function that chooses for each interval
    options     of implicit stages, see `one_step`
    Raises      ModelError if the period is no positive number, or parts no whole number above 0
    Source      Definition 3.38, Algorithm 6, whose count of intervals is one too many
    """

    method: Inner | Choice
    period: float | Fraction
    parts: int = 1
    options: Options = field(default_factory=dict)

    def __post_init__(self) -> None:
        exact_period(self.period)
        if not self.parts >= 1 or int(self.parts) != self.parts:
            raise ModelError(f"a period in {self.parts!r} parts: a whole number above 0 is needed")

    @property
    def length(self) -> float:
        """The length of an inner step."""
        return float(exact_period(self.period) / self.parts)

    def grid(self, start: float, intervals: int) -> list[float]:
        """The instants of the fine grid; every `parts`-th is a sampling instant."""
        in_time_units(start, None, "start=")
        fine = Grid(start, exact_period(self.period) / self.parts)
        return [fine.time(j) for j in range(intervals * self.parts + 1)]

    def solve(self, law: Law, start: float, state: ArrayLike, end: float) -> Trajectory:
        """The states on the fine grid up to the end."""
        _check_interval(start, end)
        steps = Fraction(end - start) / exact_period(self.period) * self.parts
        whole = int(steps)
        times = self.grid(start, whole // self.parts + 1)[: whole + 1]
        if steps - whole > Fraction(_WHOLE):
            times.append(end)
        times[-1] = end
        return self._go(law, state, times)

    def over(self, law: Law, start: float, state: ArrayLike, intervals: int) -> Trajectory:
        """The states on the fine grid over exactly `intervals` periods: intervals * parts steps."""
        return self._go(law, state, self.grid(start, intervals))

    def _go(self, law: Law, state: ArrayLike, instants: list[float]) -> Trajectory:
        times, states = [instants[0]], [as_state(state)]
        for k, first in enumerate(range(0, len(instants) - 1, self.parts)):
            inner = instants[first : first + self.parts + 1]
            method = self._choose(k, inner[0], states[-1])
            if isinstance(method, OneStep):
                piece = method.solve(law, inner[0], states[-1], inner[-1])
                times += piece.times[1:].tolist()
                states += list(piece.states[1:])
                continue
            for here, there in itertools.pairwise(inner):
                times.append(there)
                states.append(one_step(method, law, here, states[-1], there - here, **self.options))
        return Trajectory(np.array(times), np.array(states))

    def _choose(self, interval: int, time: float, state: State) -> Inner:
        if isinstance(self.method, Method | Tableau | OneStep):
            return self.method
        return self.method(interval, time, state)


def solution_method(
    method: Method | Tableau, *, step: float | None = None, tolerance: float | None = None, **options: Any
) -> OneStep:
    """The one-step method of a tableau: `Adaptive` to a tolerance, else `Explicit` or `Implicit` with a fixed step.

    options     of `Adaptive`: safety, least, first; of an implicit tableau's stages: see `one_step`
    Raises      ModelError unless either a step or a tolerance is given
    Source      Algorithm 5
    """
    if (step is None) == (tolerance is None):
        raise ModelError(f"{method.name} takes step= or tolerance=, one of them; got {step!r} and {tolerance!r}")
    if tolerance is not None:
        control = {name: options.pop(name) for name in ("safety", "least", "first") if name in options}
        return Adaptive(method, tolerance, options=options, **control)
    assert step is not None, "that is what is left"
    kind = Explicit if tableau_of(method).is_explicit else Implicit
    return kind(method, step, options)


def _check_interval(start: float, end: float) -> None:
    in_time_units((start, end), None, "solve(...)")
    if not start <= end < inf:
        raise ModelError(f"from {start!r} to {end!r}: the end is finite and not before the start")
