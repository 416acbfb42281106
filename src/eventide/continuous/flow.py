"""The motion of states that touch each other: one step after another, each with its interpolant."""

from __future__ import annotations

import sys
from math import inf
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous import stepper
from eventide.continuous.methods import ENGLAND, Method
from eventide.continuous.system import System
from eventide.errors import SimulationError

if TYPE_CHECKING:
    from eventide.continuous.methods import Coefficients
    from eventide.simulation import Simulation

LATEST: Final = sys.float_info.max
"""The end of time: the largest finite number."""


def two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum of two numbers and what rounding took from it. Source: Knuth, TAOCP 2, 4.2.2."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


class Flow:
    """One set of states and laws with its own step.

    start, rest     the time at which the present step began, and what rounding took from it
    step            the length of the present step as it was integrated
    next_step       the length to be tried next; 0 before the first
    steps, refused  how many steps were completed, and how many attempts were refused
    """

    def __init__(self, sim: Simulation, system: System, method: Method = ENGLAND) -> None:
        self.sim = sim
        self.system = system
        self.method = method
        self.start = 0.0
        self.rest = 0.0
        self.step = 0.0
        self.next_step = 0.0
        self.steps = 0
        self.refused = 0
        self._end = 0.0
        self._end_rest = 0.0
        self._is_fitted = False
        self._is_at_end = True

    # --- at events ------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """After an event: take the states as they are now for the start, and evaluate the laws there."""
        sim, system = self.sim, self.system
        if sim.time != self.start:
            self.rest = 0.0
        self.start = sim.last_time = sim.time
        self.step = 0.0
        system.prepare()
        stepper.copy(system.arena.rows, system.segments, stepper.Y, stepper.Y0)
        sim.dt = 0.0
        if not system.is_empty:
            system.evaluate(sim.time, 0.0)
        self._choose_next_step()

    def _choose_next_step(self) -> None:
        sim, system = self.sim, self.system
        if system.structure_changed:
            system.structure_changed = False
            if sim.dt_max == inf:
                self.next_step = 0.0
        if self.next_step == 0.0 and sim.dt_max < inf:
            self.next_step = sim.dt_max
        elif self.next_step > 0.0:
            self.next_step = max(sim.dt_min, min(sim.dt_max, self.next_step))

    # --- one step -------------------------------------------------------------------------------------------------

    def integrate(self, limit: float) -> None:
        """Make one step that ends at `limit` or before, of the size that accuracy allows.

        Raises SimulationError 1 if the tolerances cannot be kept with a step of dt_min, 2 if a step cannot advance
        the time, and whatever the laws raise at the smallest step.
        """
        sim, system = self.sim, self.system
        stepper.copy(system.arena.rows, system.segments, stepper.Y, stepper.Y0)
        stepper.copy(system.arena.rows, system.segments, stepper.R, stepper.K)
        sim.last_time = self.start
        remaining = (limit - self.start) - self.rest
        if system.is_empty:
            step = self._empty_step(remaining)
        else:
            if self.next_step == 0.0:
                self.next_step = self._first_step(remaining)
            step = self._step_to_tolerance(min(self.next_step, remaining), limit)
        self.step = step
        self._end, self._end_rest = self._end_of(step, limit)
        self._arrive(self._end, step)
        self._is_fitted, self._is_at_end = False, True
        self.steps += 1

    def _empty_step(self, remaining: float) -> float:
        """The step without laws: to the next event; where conditions wait, at most dt_max, or ever farther."""
        if not len(self.sim._conditions):
            return remaining
        if self.sim.dt_max < inf or remaining < LATEST / 4:
            return min(self.sim.dt_max, remaining)
        self.next_step = max(1.0, 2.0 * self.next_step)
        return min(self.next_step, remaining)

    def _first_step(self, remaining: float) -> float:
        system = self.system
        try:
            estimate = stepper.first_step(
                system.arena.rows,
                system.segments,
                self.method.error_order,
                self.start,
                remaining,
                System.evaluate,
                system,
            )
        except (ArithmeticError, ValueError):
            estimate = min(1e-6, remaining)
        self._return_to_start()
        return max(self.sim.dt_min, min(self.sim.dt_max, estimate))

    def _step_to_tolerance(self, step: float, limit: float) -> float:
        """Try steps, each half as long as the one before, until one is accurate enough; answers its length."""
        while True:
            ratio, slot, failure = self._try(step, limit)
            if ratio >= 1.0:
                self._adapt(step, ratio)
                return step
            half = max(step / 2, self.sim.dt_min)
            if step > self.sim.dt_min and self.start + (self.rest + half) > self.start:
                self.refused += 1
                step = self.next_step = half
                self._return_to_start()
                continue
            self._return_to_start()
            if failure is not None:
                raise failure
            if not self._may_repeat(slot):
                stepper.complete(*self._arguments(step), self._end_of(step, limit)[0], System.evaluate, self.system)
                self._adapt(step, max(ratio, 1.0 / 16.0))
                return step

    def _try(self, step: float, limit: float) -> tuple[float, int, Exception | None]:
        """One attempt: ratio of tolerance to error, the worst slot, and an arithmetic error of the laws if any."""
        arguments = self._arguments(step)
        try:
            ratio, slot = stepper.attempt(*arguments, System.evaluate, self.system)
            if ratio >= 1.0:
                end, _ = self._end_of(step, limit)
                stepper.complete(*arguments, end, System.evaluate, self.system)
        except (ArithmeticError, ValueError) as error:
            return 0.0, -1, error
        return ratio, slot, None

    def _arguments(self, step: float) -> tuple[Any, stepper.Segments, Coefficients, float, float, float]:
        system = self.system
        return (system.arena.rows, system.segments, self.method.coefficients, self.start, self.rest, step)

    def _adapt(self, step: float, ratio: float) -> None:
        """Choose the next step from an accepted one; one that an event cut short tells nothing."""
        if step == self.next_step:
            factor = min(2.0, (ratio / 2.0) ** (1.0 / (self.method.error_order + 1)))
            self.next_step = max(self.sim.dt_min, min(self.sim.dt_max, factor * step))

    def _may_repeat(self, slot: int) -> bool:
        """Ask the model what to do about an accuracy that cannot be had; whether to repeat the step."""
        sim = self.sim
        sim.time, sim.dt = self.start, 0.0
        repeat = slot >= 0 and sim.integration_error(self.system.variable_at(slot))
        check_limits(sim)
        self._start_anew()
        return repeat

    def _start_anew(self) -> None:
        """Begin the step again with whatever variables, tolerances and laws there are now."""
        system = self.system
        system.prepare()
        system.structure_changed = False
        system.evaluate(self.start, 0.0)
        stepper.copy(system.arena.rows, system.segments, stepper.Y, stepper.Y0)
        stepper.copy(system.arena.rows, system.segments, stepper.R, stepper.K)

    def _return_to_start(self) -> None:
        rows, segments = self.system.arena.rows, self.system.segments
        stepper.copy(rows, segments, stepper.Y0, stepper.Y)
        stepper.copy(rows, segments, stepper.K, stepper.R)
        self.sim.time, self.sim.dt = self.start, 0.0

    def _end_of(self, step: float, limit: float) -> tuple[float, float]:
        """The time at the end of a step: exactly `limit` if it lands there."""
        if step >= (limit - self.start) - self.rest:
            return limit, 0.0
        end, rest = two_sum(self.start, self.rest + step)
        if end >= limit:
            return limit, 0.0
        if end == self.start and rest <= self.rest:
            raise SimulationError(2, self.start, f"A step of {step!r} cannot be seen at this time.")
        return end, rest

    # --- inside the step ------------------------------------------------------------------------------------------

    def time_at(self, elapsed: float) -> float:
        """The time when so much of the step has passed."""
        return self._end if elapsed == self.step else self.start + (self.rest + elapsed)

    def elapsed_at(self, time: float) -> float:
        """How much of the step has passed at a time inside it."""
        return self.step if time >= self._end else (time - self.start) - self.rest

    def visit(self, elapsed: float, time: float | None = None) -> None:
        """Bring states, rates and computed values to a point inside the step."""
        system = self.system
        when = self.time_at(elapsed) if time is None else time
        self._is_at_end = False
        if system.is_empty:
            self._arrive(when, elapsed)
            return
        if not self._is_fitted:
            stepper.fit(system.arena.rows, system.segments, self.method.coefficients, self.step)
            self._is_fitted = True
        stepper.interpolate(system.arena.rows, system.segments, self.method.coefficients, elapsed / self.step)
        system.evaluate(when, elapsed)

    def close(self, elapsed: float) -> None:
        """End the step after `elapsed`, at most its length: the next begins there."""
        rows, segments = self.system.arena.rows, self.system.segments
        if elapsed == self.step:
            if not self._is_at_end:
                self._restore_end()
            stepper.copy(rows, segments, stepper.E2, stepper.E0)
            self.start, self.rest = self._end, self._end_rest
        else:
            self.visit(elapsed)
            for lo, hi in segments:
                for slot in range(lo, hi):
                    rows[stepper.E0][slot] = 0.0
            self.start, self.rest = two_sum(self.start, self.rest + elapsed)
        self._arrive(self.start, elapsed)

    def _restore_end(self) -> None:
        rows, segments = self.system.arena.rows, self.system.segments
        if not self.system.is_empty:
            stepper.copy(rows, segments, stepper.Y2, stepper.Y)
            self.system.evaluate(self._end, self.step)
        self._is_at_end = True

    def _arrive(self, time: float, dt: float) -> None:
        self.sim.time, self.sim.dt = time, dt


def check_limits(sim: Simulation) -> None:
    """Raise SimulationError 4 or 5 if the limits of the step are no limits."""
    if sim.dt_min < 0.0:
        raise SimulationError(4, sim.time, f"dt_min is {sim.dt_min!r}; it must be at least 0.")
    if sim.dt_min > sim.dt_max:
        raise SimulationError(5, sim.time, f"dt_min is {sim.dt_min!r} and dt_max {sim.dt_max!r}.")
