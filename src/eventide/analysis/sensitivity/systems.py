"""Sensitivities of x' = f(t, x, u(t), p): of states at chosen times and of a cost, to start, state, input, parameters.

The variational equations S' = f_x S + f_p, with S(t0) = 0 for parameters, the identity for the state and -f(t0, x0) for
the start, are integrated with the model. A closed form is differentiated itself.

Source: Pannek, Simulation of mechatronic systems, Definitions 4.21 and 4.24; Hairer, Norsett & Wanner, Solving ODEs I,
I.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from eventide.analysis.sensitivity.dual import Dual, Space, value_of
from eventide.analysis.sensitivity.functions import Functions
from eventide.analysis.sensitivity.results import Entry, Sensitivity, Way, check_names, check_way, share_for
from eventide.analysis.sensitivity.views import refuse
from eventide.declare.units import in_time_unit, in_time_units
from eventide.errors import ModelError
from eventide.experiment.systems import Analytic, Cost, Dynamics, Numeric, Signal, Simulator, Stepped

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Given: TypeAlias = tuple[float, NDArray[np.float64], object]

SMALLEST: Final = 1e-9
"""Rates that jump by a smaller part of them do not jump."""


@dataclass(frozen=True)
class Point:
    """Where the sensitivities are asked for.

    direction   how the input is varied: u + e * direction
    cost        whose integral from the start on is an output as well; None: only states are
    """

    simulator: Simulator
    times: Sequence[float]
    start: float
    state: NDArray[np.float64]
    signal: Signal | None
    parameters: Mapping[str, Any]
    direction: Signal | None
    cost: Cost | None

    @property
    def values(self) -> dict[str, float]:
        """The inputs that can be varied, with their values: the share of the direction is 0."""
        states = {f"state[{k}]": float(value) for k, value in enumerate(self.state)}
        numbers = {name: value for name, value in self.parameters.items() if isinstance(value, float)}
        varied = {} if self.direction is None else {"signal": 0.0}
        return {"start": self.start, **states, **varied, **numbers}

    def moved(self, name: str, value: float) -> Point:
        """The same with another value of one input."""
        if name == "start":
            return replace(self, start=value)
        if name == "signal":
            signal, direction = self.signal, self.direction
            return replace(self, signal=lambda t: _varied(signal, direction, t, value))
        if name in self.parameters:
            return replace(self, parameters={**self.parameters, name: value})
        state = self.state.copy()
        state[int(name[6:-1])] = value
        return replace(self, state=state)

    def outputs(self) -> list[tuple[str, float, float]]:
        """The states at each time, and the cost to it."""
        given = self.start, self.state, self.signal, self.parameters
        found = []
        for time, state in zip(self.times, self.simulator.states(self.times, *given), strict=True):
            found += [(f"x[{k}]", time, float(value)) for k, value in enumerate(state)]
            if self.cost is not None:
                found.append(("cost", time, self.simulator.cost(self.cost, time, *given)))
        return found


def sensitivity_of_simulator(
    simulator: Simulator,
    wrt: str | Iterable[str] | None = None,
    *,
    at: float | Iterable[float],
    state: ArrayLike,
    start: float = 0.0,
    signal: Signal | None = None,
    parameters: Mapping[str, object] | None = None,
    direction: Signal | None = None,
    cost: Cost | None = None,
    by: Way = "variational",
    step: float | None = None,
) -> Sensitivity:
    """See `sensitivity`."""
    check_way(by)
    given = in_time_units(at, None, "at=")
    times = [float(time) for time in np.atleast_1d(np.asarray(given, dtype=np.float64))]
    x = np.atleast_1d(np.asarray(state, dtype=np.float64))
    point = Point(
        simulator, times, float(in_time_unit(start, None, "start=")), x, signal, dict(parameters or {}), direction, cost
    )
    names = _names(point, wrt)
    if by == "variational":
        entries = _variational(point, names)
    else:
        entries = _differences(point, names, by, step or share_for(getattr(simulator, "rel_error", 0.0), by))
    return Sensitivity(simulator.dynamics.name or type(simulator).__name__, by, tuple(entries))


def _names(point: Point, wrt: str | Iterable[str] | None) -> tuple[str, ...]:
    """The inputs to vary. Raises ModelError for one that is not there, or has no derivative."""
    values = point.values
    if wrt is None:
        return tuple(values)
    asked: list[str] = []
    for name in (wrt,) if isinstance(wrt, str) else tuple(wrt):
        if name == "state":
            asked += [f"state[{k}]" for k in range(len(point.state))]
        elif name in point.parameters and name not in values:
            raise ModelError(
                f"the sensitivity to {name} does not exist: its value {point.parameters[name]!r} is no float, and what "
                "has discrete values cannot be varied continuously; write 2.0 for a number that can"
            )
        elif name == "signal" and point.direction is None:
            raise ModelError("the sensitivity to the signal is one in a direction: give direction=, a function of time")
        else:
            asked.append(name)
    if "start" in asked and point.simulator.dynamics.times.period is not None:
        raise ModelError(
            "the sensitivity to the start does not exist: the model's times are multiples of a period, and not "
            "continuous"
        )
    return check_names(asked, values, point.simulator.dynamics.name or "the model")


def _varied(signal: Signal | None, direction: Signal | None, t: float, share: float) -> object:
    assert direction is not None
    base = 0.0 if signal is None else np.asarray(signal(t), dtype=np.float64)
    moved = base + share * np.asarray(direction(t), dtype=np.float64)
    return moved[()]


# --- variational equations --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluated:
    """What the law came to at one time, state and input, and the comparisons that it made."""

    given: Given
    found: Sequence[float | Dual]
    comparisons: Sequence[tuple[Dual, bool]]

    @property
    def outcomes(self) -> list[bool]:
        """What the comparisons gave."""
        return [outcome for _, outcome in self.comparisons]


class Varied:
    """A model whose state has its sensitivities behind it, those of each component side by side.

    The cost, if there is one, is one more component of the state.
    """

    def __init__(self, point: Point, names: Sequence[str]) -> None:
        self.point = point
        self.names = names
        self.space = Space()
        self.scales = [abs(point.values[name]) or 1.0 for name in names]
        self.size = len(point.state) + (point.cost is not None)
        self.functions = Functions()
        self.functions.take_in(point.simulator.dynamics.rate)
        if point.cost is not None:
            self.functions.take_in(point.cost)
        self.parameters = {name: self.seed(name, value) for name, value in point.parameters.items()}
        self.is_continuous = point.simulator.dynamics.times.period is None
        self._before: Evaluated | None = None

    def seed(self, name: str, value: float) -> Any:
        """A number that is varied, if it is."""
        if name not in self.names:
            return value
        tangent = np.zeros(len(self.names))
        tangent[self.names.index(name)] = self.scales[self.names.index(name)]
        return Dual(self.space, value, tangent)

    def state(self) -> NDArray[np.float64]:
        """The state at the start with its sensitivities."""
        count, rates = len(self.names), None
        first = np.zeros((self.size, 1 + count))
        first[: len(self.point.state), 0] = self.point.state
        for j, name in enumerate(self.names):
            if name.startswith("state["):
                first[int(name[6:-1]), 1 + j] = self.scales[j]
            elif name == "start":
                rates = (
                    self.rate(self.point.start, first.ravel(), self.both(self.point.start), {})
                    if rates is None
                    else rates
                )
                first[:, 1 + j] = -self.scales[j] * rates.reshape(first.shape)[:, 0]
        return first.ravel()

    def both(self, t: float) -> tuple[object, object]:
        """The values of the input and of its direction."""
        signal, direction = self.point.signal, self.point.direction
        return signal(t) if signal is not None else None, direction(t) if direction is not None else None

    def rate(self, t: float, x: NDArray[np.float64], both: tuple[object, object], _: object) -> NDArray[np.float64]:
        """The rates of the state and of its sensitivities."""
        rows = x.reshape(self.size, 1 + len(self.names))
        duals = np.empty(len(self.point.state), dtype=object)
        for k in range(len(duals)):
            duals[k] = Dual(self.space, float(rows[k, 0]), rows[k, 1:])
        given = t, duals, self._input(both)
        found, comparisons = self._laws(given)
        here = Evaluated(given, found, comparisons)
        if self.is_continuous and self._before is not None and here.outcomes != self._before.outcomes:
            self._check_jump(here, self._before)
        self._before = here
        rates = np.zeros_like(rows)
        for k, rate in enumerate(found):
            if isinstance(rate, Dual):
                rates[k, 0], rates[k, 1:] = rate.value, rate.tangent
            else:
                rates[k, 0] = rate
        return rates.ravel()

    def _laws(self, given: Given, forced: Sequence[bool] = ()) -> tuple[list[float | Dual], list[tuple[Dual, bool]]]:
        """The rates of the state, and of the cost, and the comparisons that were made; `forced` is what these give."""
        self.functions.exchange(is_dual=True)
        self.space.forced, self.space.comparisons = list(forced), []
        try:
            rate = self.point.simulator.dynamics.rate(*given, self.parameters)
            found = list(np.atleast_1d(np.asarray(rate)))
            if self.point.cost is not None:
                found.append(self.point.cost(given[1]))
            return found, self.space.comparisons
        finally:
            self.space.forced, self.space.comparisons = [], None
            self.functions.exchange(is_dual=False)

    def _check_jump(self, here: Evaluated, there: Evaluated) -> None:
        """Raise UndifferentiableError if the rates jump where a comparison changes: its time moves with the inputs.

        Where the laws on its two sides meet, as those of `max` do, they differ far less at the change than at the two
        points around it.
        """
        turned = [k for k, (one, other) in enumerate(zip(here.outcomes, there.outcomes, strict=False)) if one != other]
        if not turned or not here.comparisons[turned[0]][0].tangent.any():
            return
        near, far = (abs(one.comparisons[turned[0]][0].value) for one in (here, there))
        share = near / (near + far) if near + far else 0.0
        (t, x, u), (before, left, _) = here.given, there.given
        change = t + share * (before - t), x + share * (left - x), u
        jump, *around = (self._apart(given, here, there) for given in (change, here.given, there.given))
        if jump > max(0.5 * max(around), SMALLEST * max(abs(float(value_of(rate))) for rate in here.found)):
            refuse(f"a comparison in the law at which the rates jump, near time {t!r}")

    def _apart(self, given: Given, here: Evaluated, there: Evaluated) -> float:
        """By how much the laws of two sides differ."""
        one, other = (self._laws(given, side.outcomes)[0] for side in (here, there))
        return max(abs(float(value_of(a)) - float(value_of(b))) for a, b in zip(one, other, strict=True))

    def _input(self, both: tuple[object, object]) -> object:
        value, direction = both
        if "signal" not in self.names:
            return value
        j = self.names.index("signal")
        base = np.asarray(0.0 if value is None else value, dtype=np.float64)
        moved = np.broadcast_to(np.asarray(direction, dtype=np.float64), base.shape)
        found = np.empty(base.shape, dtype=object)
        for place in np.ndindex(base.shape):
            tangent = np.zeros(len(self.names))
            tangent[j] = self.scales[j] * float(moved[place])
            found[place] = Dual(self.space, float(base[place]), tangent)
        return found[()]


def _variational(point: Point, names: Sequence[str]) -> list[Entry]:
    if isinstance(point.simulator, Analytic):
        return _through_the_solution(point, names, point.simulator)
    if not isinstance(point.simulator, Numeric | Stepped):
        raise ModelError(
            f"variational equations need a simulator that integrates, and got a {type(point.simulator).__name__}: "
            'ask for by="central"'
        )
    varied = Varied(point, names)
    # The input and its direction by their names here, where the simulator looks for instants at which they jump.
    signal, direction = point.signal, point.direction
    widened = replace(point.simulator, dynamics=Dynamics(varied.rate, times=point.simulator.dynamics.times))
    both = _pair(signal, direction)
    found = widened.states(point.times, point.start, varied.state(), both, {})
    entries: list[Entry] = []
    for time, row in zip(point.times, found, strict=True):
        table = row.reshape(varied.size, 1 + len(names))
        for k in range(varied.size):
            output = f"x[{k}]" if k < len(point.state) else "cost"
            entries += [
                Entry(output, time, name, point.values[name], float(table[k, 0]), float(table[k, 1 + j]) / scale)
                for j, (name, scale) in enumerate(zip(names, varied.scales, strict=True))
            ]
    return entries


def _pair(signal: Signal | None, direction: Signal | None) -> Signal:
    if signal is None and direction is None:
        return lambda _: (None, None)
    if direction is None:
        return lambda t: (signal(t), None)  # type: ignore[misc]  # it is no None here
    if signal is None:
        return lambda t: (None, direction(t))
    return lambda t: (signal(t), direction(t))


def _through_the_solution(point: Point, names: Sequence[str], simulator: Analytic) -> list[Entry]:
    """The derivatives of a closed form. Raises ModelError for a cost and for the input, which it need not show."""
    if point.cost is not None or "signal" in names:
        raise ModelError('a closed form is differentiated for its states, without the input: ask for by="central"')
    varied = Varied(point, names)
    varied.functions.take_in(simulator.solution)
    state = np.array([varied.seed(f"state[{k}]", float(x)) for k, x in enumerate(point.state)], dtype=object)
    entries: list[Entry] = []
    for time in point.times:
        varied.functions.exchange(is_dual=True)
        try:
            start = varied.seed("start", point.start)
            found = simulator.solution(time, start, state, point.signal, varied.parameters)
        finally:
            varied.functions.exchange(is_dual=False)
        for k, value in enumerate(np.atleast_1d(np.asarray(found))):
            slopes = value.tangent if isinstance(value, Dual) else np.zeros(len(names))
            number = value.value if isinstance(value, Dual) else float(value)
            entries += [
                Entry(f"x[{k}]", time, name, point.values[name], number, float(slopes[j]) / varied.scales[j])
                for j, name in enumerate(names)
            ]
    return entries


# --- differences ------------------------------------------------------------------------------------------------------


def _differences(point: Point, names: Sequence[str], by: Way, step: float) -> list[Entry]:
    """One input at a time. Source: (4.9) to (4.12), corrected."""
    base = point.outputs()
    columns = {name: _slopes(point, name, by, step * (abs(point.values[name]) or 1.0), base) for name in names}
    return [
        Entry(output, time, name, point.values[name], value, columns[name][k])
        for k, (output, time, value) in enumerate(base)
        for name in names
    ]


def _slopes(point: Point, name: str, by: Way, width: float, base: Sequence[tuple[str, float, float]]) -> list[float]:
    """The difference quotients of all outputs with respect to one input."""
    middle = point.values[name]

    def run(value: float) -> NDArray[np.float64]:
        return np.array([number for _, _, number in point.moved(name, value).outputs()])

    here = np.array([number for _, _, number in base])
    if by == "one-sided":
        found = (run(middle + width) - here) / width
    elif name == "start" and isinstance(point.simulator, Stepped) and middle < width:
        # A `Simulation` has no time before 0: three points on one side are as accurate.
        found = (4.0 * run(middle + width) - run(middle + 2.0 * width) - 3.0 * here) / (2.0 * width)
    else:
        found = (run(middle + width) - run(middle - width)) / (2.0 * width)
    slopes: list[float] = found.tolist()
    return slopes
