"""Integrals, averages and extremes of continuous quantities, computed from the interpolants of the steps.

In: each step at its end, and before a state event cuts it, while its interpolant exists. Out: the value at any time of
the run. Points inside steps are read by the same code that recordings use.

Source: Pannek, Simulation of mechatronic systems, Def. 2.16 (cost functional)
"""

from __future__ import annotations

from copy import copy
from math import inf, isfinite, nan, nextafter
from typing import TYPE_CHECKING, Final

from eventide.compilation.branches.windows import warn_of_jump
from eventide.continuous import Variable, system_of
from eventide.declare import Component, count_new
from eventide.errors import ModelError, check_text
from eventide.inputs.base import first_breakpoint, reached_inputs
from eventide.monitor import Observer, Phase
from eventide.monitor.tape import Evaluated, Probe
from eventide.observe.quadrature import Peak, greatest, pieces_of
from eventide.observe.recording_base import Heading
from eventide.observe.subjects import Expression, Group, named_groups
from eventide.statistics import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventide.inputs import Input
    from eventide.observe.quadrature import Function, Values
    from eventide.observe.subjects import Named
    from eventide.simulation import Simulation

SHARE: Final = 0.1
"""The part of the run's tolerances that quadrature may add to the errors of the states."""


class Integral(Observer):
    """The integral of a quantity over time, and where it was least and greatest; made by `sim.integral`.

    name    shown in messages
    unit    of the quantity; that of `value` is this times that of the time

    All begin where it was made, or last reset, and go to the present. Reading them changes nothing. Over no time at all
    they are nan, but for the integral, which is 0. Laws and conditions cannot read them.
    """

    _sees_spans = True

    def __init__(self, sim: Simulation, quantity: Named, *, name: str, unit: str) -> None:
        if sim.active:
            raise ModelError("sim.integral() was called between events: call it before the run or in an event")
        self.sim = sim
        self.name = check_text(name, "name=") or f"integral {count_new(sim, Integral)}"
        if not callable(quantity) and not isinstance(quantity, Component | Expression | Level | Variable):
            raise ModelError(
                f"sim.integral takes a function without arguments, a variable or a level, and got {quantity!r}: "
                "write sim.integral(lambda: ...), so that it can be asked at any time"
            )
        groups = named_groups(self.name, quantity, "integrated")
        heads = [head for group in groups for head in group.heads]
        if len(heads) != 1:
            raise ModelError(f"an integral is of one number, and {self.name} would be of {len(heads)}: take them apart")
        if unit and heads[0].unit and unit != heads[0].unit:
            raise ModelError(
                f"{heads[0].name} is in {heads[0].unit}, and its integral cannot be one of {unit!r}: leave unit= out"
            )
        self.unit = check_text(unit, "unit=") or heads[0].unit
        self._read = groups[0].read
        taken = groups[0].taken
        self._called = [taken.read] if isinstance(taken, Evaluated) else []
        self._reached = reached_inputs(self._called)
        self._inputs: tuple[Input, ...] | None = None  # not looked up since the last event
        if sim.dt_max == inf:
            book, has_inputs = system_of(sim).integrator.analyst.book, bool(self._reached.found())
            for function in self._called:
                warn_of_jump(function, self.name, book, has_inputs=has_inputs)
        self._probe = None if taken is None else Probe(system_of(sim).integrator, taken)
        self._observers = sim._the_monitor.observers
        self._is_looking = False
        self.reset()
        sim._the_monitor.add_observer(self)

    @property
    def unit_of_value(self) -> str:
        """The unit of the integral, as text: that of the quantity, then that of the time."""
        return f"{self.unit} {self.sim.time_unit}".strip()

    def _groups(self) -> tuple[Group, ...]:
        """Its value, as a column of a recording."""
        head = Heading(self.name, self.unit_of_value, description="the integral over time")
        return (Group((head,), lambda: [self.value]),)

    def reset(self) -> None:
        """Restart at the present time."""
        self._course = self._ahead = _Course(self.sim.time)
        self._latest = nan

    def stop(self) -> None:
        """Integrate no longer; what is known stays."""
        self._course = self._known()
        self._observers.remove(self)
        if self._probe is not None:
            self._probe.release()
            self._probe = None

    @property
    def value(self) -> float:
        """The integral [unit * time]."""
        return self._known().total

    @property
    def error(self) -> float:
        """About how far the integral may be off for quadrature, beside the errors of the states [unit * time].

        A generous estimate for smooth quantities; it grows where a quantity jumps between events.
        """
        return self._known().error

    @property
    def elapsed(self) -> float:
        """Time since it was made or last reset."""
        course = self._known()
        return course.reached - course.start

    @property
    def average(self) -> float:
        """The average over time [unit]."""
        course = self._known()
        elapsed = course.reached - course.start
        return course.total / elapsed if elapsed else nan

    @property
    def minimum(self) -> float:
        """The least value [unit], also one between steps or for no time at an event."""
        lowest = self._known().lowest
        return nan if lowest == Peak() else -lowest.value

    @property
    def time_of_minimum(self) -> float:
        """When it was least, first."""
        return self._known().lowest.time

    @property
    def maximum(self) -> float:
        """The greatest value [unit], also one between steps or for no time at an event."""
        highest = self._known().highest
        return nan if highest == Peak() else highest.value

    @property
    def time_of_maximum(self) -> float:
        """When it was greatest, first."""
        return self._known().highest.time

    def __repr__(self) -> str:
        unit = f" of {self.unit}" if self.unit else ""
        return f"<{self.name}{unit}: {self.value!r} over {self.elapsed!r}>"

    # --- looking --------------------------------------------------------------------------------------------------

    def _observe(self, phase: Phase) -> None:
        time = self.sim.time
        if time > self._course.reached:
            self._latest = self._follow(self._course)
        elif phase is Phase.AFTER:
            self._inputs = None
            self._latest = self._value_at(time)
            self._course.meet(self._latest, time)

    def _known(self) -> _Course:
        """The course up to now; between steps a copy of it goes on from the last one, and is forgotten."""
        if self not in self._observers:
            return self._course
        time = self.sim.time
        if self.sim.active and (self._is_looking or not self._observers.integrator.is_observed):
            raise ModelError(
                f"a law or condition reads {self.name}, which looks at the run and must not change it: "
                "let a state of the model have the quantity as its rate"
            )
        if self._course.reached == time:
            return self._course
        if self._ahead.reached != time or self._ahead.start != self._course.start:
            ahead = copy(self._course)
            self._follow(ahead)
            self._ahead = ahead
        return self._ahead

    def _follow(self, course: _Course) -> float:
        """Continue a course to the present time; returns the quantity there.

        One step of each flow, or a part of it, covers the interval, so the flow can be shown at each of its times. What
        an input makes jump there has at the end of a stretch the value before the jump.
        """
        sim, value = self.sim, self._latest
        if value != value:
            value = self._value_at(course.reached)
        while course.reached < sim.time:
            end = min(self._next_jump(course.reached), sim.time)
            last = present = self._value_at(end)
            if self._inputs:
                last = self._value_at(nextafter(end, course.reached))
                course.meet(present, end)
            course.extend(self._value_at, self._values_at, end, value, last, sim)
            value = present
        return value

    def _next_jump(self, time: float) -> float:
        """When an input that the quantity calls is not smooth, after a time."""
        if self._inputs is None:
            known = None if self._probe is None else self._probe.inputs()
            self._inputs = self._reached.found() if known is None else known
        return first_breakpoint(self._inputs, time)

    def _values_at(self, times: Sequence[float]) -> Sequence[float]:
        """The quantity at times that can be shown, at once if the stepper can read it."""
        found = None if self._probe is None else self._probe.at(times)
        if found is None or not all(map(isfinite, found)):
            return [self._value_at(time) for time in times]
        return found

    def _value_at(self, time: float) -> float:
        """The quantity at a time that can be shown."""
        sim = self.sim
        now, self._is_looking, sim.time = sim.time, True, time
        try:
            (value,) = self._read()
        finally:
            self._is_looking, sim.time = False, now
        if not isfinite(value):
            raise ModelError(
                f"{self.name} is an integral of finite numbers, and its quantity was {value!r} at time {time!r}"
            )
        return value


class _Course:
    """What is known of a quantity from a start up to a time.

    total, rest     the integral, and what rounding took from it
    error           what quadrature may have added to it
    highest         the greatest value; lowest: that of the quantity with its sign changed
    """

    __slots__ = ("error", "highest", "lowest", "reached", "rest", "start", "total")

    def __init__(self, time: float) -> None:
        self.start = self.reached = time
        self.total = self.rest = self.error = 0.0
        self.lowest = self.highest = Peak()

    def meet(self, value: float, time: float) -> None:
        """The quantity has a value at a time."""
        if value > self.highest.value:
            self.highest = Peak(value, time)
        if -value > self.lowest.value:
            self.lowest = Peak(-value, time)

    def extend(self, read: Function, values_at: Values, end: float, first: float, last: float, sim: Simulation) -> None:
        """The quantity goes on to `end`, from `first` to `last`, with the values in between that `read` gives."""
        relative, absolute = SHARE * sim.rel_error, SHARE * sim.abs_error
        pieces = pieces_of(
            read, self.reached, end, first, last, relative=relative, absolute=absolute, values_at=values_at
        )
        for piece in pieces:
            increment = piece.integral + self.rest
            total = self.total + increment
            self.rest = increment - (total - self.total)
            self.total = total
            self.error += piece.error
        self.highest = greatest(read, pieces, self.highest)
        self.lowest = greatest(read, pieces, self.lowest, is_turned=True)
        self.reached = end
