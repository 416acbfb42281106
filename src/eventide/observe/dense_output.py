"""Dense output: a quantity at all times of a run, as polynomials with a proved bound of their error.

In: each step while its interpolant exists. Out: a `PiecewisePolynomial`. A quantity that a condition could be proved
about is enclosed by the same mechanism (`engine/taylor_models.py`), part by part, halved until polynomial and quantity
differ by at most a tenth of the run's tolerances; so a peak of any width is found. What cannot be enclosed is sampled:
functions that cannot be read, those of states that are stepped apart from each other, and of states that laws assign.

Invariant: it changes no step and no event.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, isfinite, nan, nextafter
from types import FunctionType
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.compilation.branches.windows import warn_of_jump
from eventide.continuous import Variable, system_of
from eventide.continuous.components.member import flow_of, layout_of
from eventide.continuous.flows.flow import Flow
from eventide.discrete.conditions.condition import Condition
from eventide.engine.codes import BESIDE, DEGREE, EXPRESSION, LEAST, MODEL, MOST, NOISE, STATE, UNSURE
from eventide.engine.records import GuardRecord
from eventide.engine.sampling import elapsed_at
from eventide.engine.stepper import HUGE
from eventide.engine.taylor_models import enclose_expression, is_moved
from eventide.errors import ModelError
from eventide.inputs import common_grid
from eventide.inputs.base import reached_inputs
from eventide.monitor import Observer, Phase
from eventide.monitor.tape import Evaluated, Moving
from eventide.observe.piecewise import PiecewisePolynomial, joined
from eventide.observe.quadrature import NODES
from eventide.observe.recording import Recording

if TYPE_CHECKING:
    from eventide.engine.records import Arrays
    from eventide.observe.population import PopulationRecording
    from eventide.observe.subjects import Group
    from eventide.simulation import Simulation

SHARE: Final = 0.1
"""The part of the run's tolerances by which a polynomial may differ from the quantity."""
MOST_PARTS: Final = 4096
"""A step is not enclosed in more parts: the rest of it is sampled."""
NARROWEST: Final = 2.0**-40
"""A narrower part of a step is not halved: there the quantity jumps or bends, or has no value at a point."""
MOST_SAMPLED: Final = 64
"""A step is not sampled in more parts."""
_INVERSE: Final = np.linalg.inv(np.vander(NODES, increasing=True))
"""From the values at the nodes to the coefficients of the polynomial through them."""
_BETWEEN: Final = tuple((one + other) / 2 for one, other in pairwise(NODES))
"""Where that is compared with the quantity."""

Part = tuple[float, float, Sequence[float]]


class _Level(Condition):
    """A quantity compared with zero: a condition without a wait, so that it is enclosed as conditions are."""

    __slots__ = ("of",)
    is_switch = True  # nothing waits for it

    def __init__(self, of: DenseOutput, test: Callable[[], bool]) -> None:
        super().__init__(test, 0.0)
        self.of = of

    @property
    def sim(self) -> Simulation:
        return self.of.sim

    @property
    def owner(self) -> object:
        return self.of

    @property
    def name(self) -> str:
        return self.of.name


class DenseOutput(Observer):
    """One recorded quantity over the run from now on.

    group, place        what is read, and the number of the quantity in it
    """

    _sees_spans = True

    def __init__(self, sim: Simulation, group: Group, place: int = 0) -> None:
        self.sim = sim
        self.name = group.heads[place].name
        self._group, self._place = group, place
        self._is_discrete = group.heads[place].is_discrete
        self._integrator = system_of(sim).integrator
        test = None if self._is_discrete else _comparison(group, place)
        self._level = None if test is None else _Level(self, test)
        self._called = [group.taken.read] if isinstance(group.taken, Evaluated) else []
        self._inputs = reached_inputs(self._called)
        self._reached = sim.time
        self._parts: list[Part] = []
        self._borders: list[list[float]] = []
        self._latest = nan
        self._instants: list[tuple[float, float]] = []
        self._error, self._is_proved = 0.0, True
        sim._the_monitor.add_observer(self)

    def result(self) -> PiecewisePolynomial | None:
        """What is known by now; None if no time has passed."""
        if not self._parts:
            return None
        instants = np.array(self._instants).reshape(-1, 2)
        # The last value of an instant is that with which the next piece begins.
        lasts = np.append(instants[1:, 0] > instants[:-1, 0], len(instants) > 0 and instants[-1, 0] < self._reached)
        instants = instants[~lasts] if len(instants) else instants
        borders = np.array(self._borders)
        return PiecewisePolynomial(*joined(self._parts), borders, instants, self._error, self._is_proved)

    def forget(self) -> None:
        """Let go what is known until now."""
        self._parts.clear()
        self._borders.clear()
        self._instants.clear()

    def stop(self) -> None:
        """Find no more."""
        self.sim._the_monitor.observers.remove(self)
        if self._level is not None and self._level.row >= 0:
            self._integrator.guards.let_go(self._level)

    def _observe(self, phase: Phase) -> None:
        time, value = self.sim.time, self._value_at(self.sim.time)
        if time > self._reached:
            inputs = () if self._is_discrete else self._inputs.found()
            jumps = common_grid(*inputs, start=self._reached, end=time)
            for jump in jumps:
                before, after = self._value_at(nextafter(jump, self._reached)), self._value_at(jump)
                self._extend(nextafter(jump, self._reached), jump, before)
                self._latest = after
            if self._reached < time:
                self._extend(time, time, value)
        else:
            self._instants.append((time, value))
        self._latest = value

    def _extend(self, last: float, end: float, value: float) -> None:
        """Go on to `end`, by the quantity up to `last`, which is the same or the float before, where it has a value."""
        known = len(self._parts)
        if self._reached < last:
            self._cover(self._reached, last)
        else:
            self._parts.append((last, last, (value,)))
        self._parts[-1] = self._parts[-1][0], end, self._parts[-1][2]
        self._borders += [[nan, nan] for _ in self._parts[known:]]
        self._borders[known][0], self._borders[-1][1] = self._latest, value
        self._reached = end

    def _value_at(self, time: float) -> float:
        """The quantity at a time that can be shown. Raises ModelError if it is not finite."""
        sim = self.sim
        now, sim.time = sim.time, time
        try:
            value = self._group.read()[self._place]
        finally:
            sim.time = now
        if not isfinite(value):
            raise ModelError(
                f"{self.name} is judged between events, where it has to be finite: it is {value!r} at {time!r}"
            )
        return value

    # --- one step, or a part of it --------------------------------------------------------------------------------

    def _cover(self, start: float, end: float) -> None:
        if self._is_discrete:
            self._parts.append((start, end, (self._value_at(end),)))
            return
        flows = self._flows()
        parts = self._enclose(flows, start, end) if flows else None
        if parts is None:
            if self._is_proved:
                self._warn_of_jumps()
            self._is_proved = False
            self._sample(start, end)
        else:
            self._parts += parts

    def _warn_of_jumps(self) -> None:
        """Warn where what is sampled from now on may jump by the time."""
        has_inputs = bool(self._inputs.found())
        for function in self._called if self.sim.dt_max == inf else ():
            warn_of_jump(function, self.name, self._integrator.analyst.book, has_inputs=has_inputs)

    def _flows(self) -> list[Flow]:
        """The flows in whose steps the quantity can be enclosed; none if it cannot be."""
        level, integrator = self._level, self._integrator
        if level is None:
            return []
        if level.row < 0:
            integrator.guards.hold(level)
        elif not integrator.analyst.is_condition_current(level, level.plan):
            integrator.guards.let_go(level)
            integrator.guards.hold(level)
        plan = level.plan
        if plan.is_opaque or plan.pattern.certificate < 0:
            return []
        integrator.guards.guard.certificate[level.row] = plan.pattern.certificate
        touched = [flow_of(one) for one in plan.touches]
        moving = list(dict.fromkeys(flow for flow in touched if isinstance(flow, Flow)))
        flows = moving or list(integrator.flows.values())[:1]  # of time alone: any flow knows that
        return [] if any(flow.assigns or flow.is_empty for flow in flows) else flows

    def _enclose(self, flows: list[Flow], start: float, end: float) -> list[Part] | None:
        """What is proved from `start` to `end`, each part with its polynomial; None if that cannot be done."""
        assert self._level is not None
        integrator, sim, c = self._integrator, self.sim, self._level.row
        now = sim.time
        for sim.time in (start + (end - start) / 2, end):  # the interpolants are made where they are needed first
            for flow in flows:
                flow.show()
        sim.time = now
        answer = integrator.analyst.answer(self._level)
        a, numbers = integrator.memory.views(), [flow.number for flow in flows]
        if answer is None or not all(_covers(a, f, start, end) for f in numbers):
            return None
        for k, value in enumerate(answer[GuardRecord.place_of("still") :]):
            a.guard.still[c, k] = value
        found, waiting = _Proof(self.sim, self._error), [(start, end)]
        for _ in range(2 * MOST_PARTS):
            low, high = waiting.pop()
            middle = 0.5 * (low + high)
            is_narrow = high - low <= NARROWEST * (end - start) or not low < middle < high
            if found.take(a, _enclose_part(a, c, numbers, low, high), low, high, is_narrow=is_narrow):
                if not waiting:
                    self._error = found.error
                    return found.parts
            elif is_narrow:
                return None
            else:
                waiting += [(middle, high), (low, middle)]
        return None

    def _sample(self, start: float, end: float) -> None:
        """Take polynomials through samples, halved until they agree with more of them."""
        relative, absolute = SHARE * self.sim.rel_error, SHARE * self.sim.abs_error
        waiting, count = [(start, end)], 1
        while waiting:
            low, high = waiting.pop()
            values = [self._value_at(_place(low, high, node)) for node in NODES]
            coefficients = _INVERSE @ values
            off = max(
                abs(float(np.polynomial.polynomial.polyval(s, coefficients)) - self._value_at(_place(low, high, s)))
                for s in _BETWEEN
            )
            middle = 0.5 * (low + high)
            is_fine = off <= relative * max(map(abs, values)) + absolute
            if is_fine or count >= MOST_SAMPLED or not low < middle < high:
                self._parts.append((low, high, coefficients.tolist()))
                self._error = max(self._error, off)
            else:
                waiting += [(middle, high), (low, middle)]
                count += 1


class _Proof:
    """The parts of a step in which a quantity is known, and the largest error of their polynomials."""

    def __init__(self, sim: Simulation, error: float) -> None:
        self.parts: list[Part] = []
        self.error = error
        self._relative, self._absolute = SHARE * sim.rel_error, SHARE * sim.abs_error

    def take(self, a: Arrays, at: int, low: float, high: float, *, is_narrow: bool) -> bool:
        """Take the enclosure at a place if it is close enough, or the part cannot be halved; whether it was."""
        m = a.models
        size = max(-m[at + LEAST], m[at + MOST])
        if m[at + UNSURE] != 0.0 or not size < HUGE:
            return False
        is_close = m[at + BESIDE] <= self._relative * size + self._absolute
        if is_close:  # what bends or jumps within a narrow part lies between its values on both sides
            self.error = max(self.error, m[at + BESIDE] + m[at + NOISE])
        if is_close or is_narrow:
            self.parts.append((low, high, [m[at + k] for k in range(a.method.sizes[DEGREE] + 1)]))
        return bool(is_close or is_narrow)


class DenseOutputs:
    """The quantities of a run of which dense output is wanted: each is found when it is recorded."""

    def __init__(self, sim: Simulation, names: Sequence[str]) -> None:
        self._sim = sim
        self._names = names
        self._found: dict[str, DenseOutput] = {}

    def take(self, recording: Recording | PopulationRecording) -> None:
        """Something is recorded from now on."""
        if not isinstance(recording, Recording):
            return
        for group in recording.groups:
            for place, head in enumerate(group.heads):
                if head.name in self._names and head.name not in self._found:
                    self._found[head.name] = DenseOutput(self._sim, group, place)

    def results(self) -> dict[str, PiecewisePolynomial]:
        """What there is of each."""
        results = {name: one.result() for name, one in self._found.items()}
        return {name: one for name, one in results.items() if one is not None}


def _covers(a: Arrays, f: int, start: float, end: float) -> bool:
    """Whether an interval lies in the present step of a flow."""
    return bool(0.0 < a.flow.step[f] < HUGE and a.flow.start[f] <= start < end <= a.flow.end[f])


def _enclose_part(a: Arrays, c: int, flows: list[int], start: float, end: float) -> int:
    """Enclose the expression of a comparison over a part of the present steps of some flows; returns its place."""
    shares = {f: [elapsed_at(a, f, time) / a.flow.step[f] for time in (start, end)] for f in flows}
    place = a.guard.certificate[c]
    for k in range(a.lists[place]):
        word, f = place + 2 + EXPRESSION * k, flows[0]
        if a.lists[word] == STATE:
            slot = a.index[a.guard.index[c] + a.lists[word + 1]] + a.lists[word + 2]
            f = next((one for one in flows if is_moved(a, one, slot)), f)
        enclose_expression(a, c, f, word, k * MODEL, max(shares[f][0], 0.0), min(shares[f][1], 1.0))
    return int(a.lists[place + 2 + EXPRESSION * a.lists[place]]) * MODEL


def _place(low: float, high: float, s: float) -> float:
    return min(max(low + (high - low) * ((1.0 + s) / 2.0), low), high)


def _comparison(group: Group, place: int) -> Callable[[], bool] | None:
    """A function that compares the quantity with zero, which the compiler can read; None if there is none."""
    if isinstance(group.taken, Evaluated):
        read = group.taken.read
        return (lambda: read() > 0.0) if isinstance(read, FunctionType) else None
    if not isinstance(group.taken, Moving):
        return None
    (owner,), item = group.taken.owners, "owner.state"
    if not isinstance(owner, Variable):
        name, number = layout_of(owner).name_of(owner, group.taken.slots[place])
        item = f"owner.{name}" if number is None else f"owner.{name}[{number}]"
    return _written(item)(owner)


def _written(item: str) -> Callable[[object], Callable[[], bool]]:
    """What makes the comparison of an item of its argument; its text stands where the compiler looks for it."""
    file, text = f"<eventide {item}>", f"def comparison(owner):\n    return lambda: {item} > 0.0\n"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, Callable[[object], Callable[[], bool]]] = {}
    exec(compile(text, file, "exec"), names)  # noqa: S102  # our own text
    return names["comparison"]
