"""Inputs given by one formula, or by several in sequence."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, pi, sin

from eventide.declare.units import in_time_unit
from eventide.errors import ModelError
from eventide.inputs.base import Input, check_finite, check_times


@dataclass(frozen=True)
class Step(Input):
    """`before` until the instant `at`, `height` from there on."""

    at: float = 0.0
    height: float = 1.0
    before: float = 0.0

    def __post_init__(self) -> None:
        check_times(self, at=self.at)
        check_finite(self, height=self.height, before=self.before)

    def __call__(self, t: float) -> float:
        """The value at a time."""
        return self.height if t >= self.at else self.before

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps."""
        return self.at if after < self.at and self.height != self.before else inf


@dataclass(frozen=True)
class Ramp(Input):
    """`initial` until `start`, then rising by `slope` each second until `end`, constant after it."""

    _only_bends = True
    slope: float = 1.0
    start: float = 0.0
    end: float = inf
    initial: float = 0.0

    def __post_init__(self) -> None:
        check_times(self, start=self.start)
        in_time_unit(self.end, None, "Ramp.end")
        check_finite(self, slope=self.slope, initial=self.initial)
        if not self.start < self.end:
            raise ModelError(f"Ramp from {self.start!r} to {self.end!r}: its end comes after its start")

    def __call__(self, t: float) -> float:
        """The value at a time."""
        if t <= self.start:
            return self.initial
        if t < self.end:
            return self.initial + self.slope * (t - self.start)
        return self.initial + self.slope * (self.end - self.start)

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps."""
        if self.slope == 0.0:
            return inf
        return self.start if after < self.start else self.end if after < self.end else inf


@dataclass(frozen=True)
class Sine(Input):
    """offset + amplitude * sin(2 pi frequency t + phase); frequency in Hz, phase in radians."""

    amplitude: float = 1.0
    frequency: float = 1.0
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_times(self, frequency=self.frequency)
        check_finite(self, amplitude=self.amplitude, phase=self.phase, offset=self.offset)

    def __call__(self, t: float) -> float:
        """The value at a time."""
        return self.offset + self.amplitude * sin(2.0 * pi * self.frequency * t + self.phase)


@dataclass(frozen=True)
class Chirp(Input):
    """A sine whose frequency [Hz] goes from `low` to `high` during `duration`, evenly in time, and stays there.

    It is 0 until `start`; phase and frequency have no jump where the sweep ends.
    """

    low: float
    high: float
    duration: float
    amplitude: float = 1.0
    start: float = 0.0

    def __post_init__(self) -> None:
        check_times(self, low=self.low, high=self.high, start=self.start, duration=self.duration)
        check_finite(self, amplitude=self.amplitude)
        if not self.duration > 0.0:
            raise ModelError(f"Chirp has duration = {self.duration!r}: a time above 0 is needed")

    def __call__(self, t: float) -> float:
        """The value at a time."""
        elapsed = t - self.start
        if elapsed <= 0.0:
            return 0.0
        if elapsed < self.duration:
            cycles = elapsed * (self.low + 0.5 * (self.high - self.low) * elapsed / self.duration)
        else:
            cycles = 0.5 * (self.low + self.high) * self.duration + self.high * (elapsed - self.duration)
        return self.amplitude * sin(2.0 * pi * cycles)

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps."""
        return self.start if after < self.start else inf
