"""Inputs given by their values at certain times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal, TypeAlias

from eventide.declare.units import in_time_units
from eventide.errors import ModelError, check_number, to_float
from eventide.inputs.base import Input, check_finite

if TYPE_CHECKING:
    from typing import Self

Ends: TypeAlias = Literal["not-a-knot", "natural", "clamped"]


@dataclass(frozen=True)
class _Table(Input):
    """Values at growing times; before the first and after the last time the value is theirs."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        name = type(self).__name__
        in_time_units(self.times, None, f"{name}.times")
        for what in ("times", "values"):
            given = getattr(self, what)
            if isinstance(given, str | Mapping | AbstractSet):
                raise ModelError(f"{name} takes {what} as a list of numbers in their order, and got {given!r}")
            labelled = ((number, f"{name}.{what}[{i}]") for i, number in enumerate(given))
            object.__setattr__(self, what, tuple(to_float(check_number(n, label), label) for n, label in labelled))
        count = len(self.times)
        if count != len(self.values) or count < 2:
            raise ModelError(f"{name} has {count} times and {len(self.values)} values: as many of both, two at least")
        for i in range(count):
            check_finite(self, **{f"times[{i}]": self.times[i], f"values[{i}]": self.values[i]})
            if i and not self.times[i - 1] < self.times[i]:
                raise ModelError(f"{name} has time {self.times[i]!r} after {self.times[i - 1]!r}: times grow strictly")

    @classmethod
    def of(cls, source: Input, times: Iterable[float]) -> Self:
        """A table of another input, measured at some times; its values between them are ignored."""
        instants = tuple(times)
        return cls(instants, tuple(source(t) for t in instants))

    def _bends(self, i: int) -> bool:
        """Whether the signal or its slope jumps at the i-th time."""
        raise NotImplementedError

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps."""
        first = place(self.times, after) + 1 if after >= self.times[0] else 0
        return next((self.times[i] for i in range(first, len(self.times)) if self._bends(i)), inf)


@dataclass(frozen=True)
class HeldTable(_Table):
    """Each value is held until the next time (zero-order hold)."""

    def __call__(self, t: float) -> float:
        """The value at a time."""
        if t < self.times[0]:
            return self.values[0]
        return self.values[place(self.times, t)]

    def _bends(self, i: int) -> bool:
        return i > 0 and self.values[i] != self.values[i - 1]


@dataclass(frozen=True)
class LinearTable(_Table):
    """Straight lines between the values."""

    _only_bends = True

    def __call__(self, t: float) -> float:
        """The value at a time."""
        if t <= self.times[0]:
            return self.values[0]
        if t >= self.times[-1]:
            return self.values[-1]
        i = place(self.times, t)
        share = (t - self.times[i]) / (self.times[i + 1] - self.times[i])
        return self.values[i] + share * (self.values[i + 1] - self.values[i])

    def _slope(self, i: int) -> float:
        """The slope after the i-th time; 0 outside."""
        if i < 0 or i >= len(self.times) - 1:
            return 0.0
        return (self.values[i + 1] - self.values[i]) / (self.times[i + 1] - self.times[i])

    def _bends(self, i: int) -> bool:
        return self._slope(i - 1) != self._slope(i)


@dataclass(frozen=True)
class CubicTable(_Table):
    """A cubic spline through the values: slope and curvature have no jump between the first and the last time.

    ends        "not-a-knot": the first two pieces are one cubic, and the last two; "natural": no curvature at the ends;
                "clamped": no slope there, so that it is smooth everywhere
    """

    _only_bends = True
    ends: Ends = "not-a-knot"
    _cubes: tuple[float, ...] = field(init=False, repr=False, compare=False, default=())
    _squares: tuple[float, ...] = field(init=False, repr=False, compare=False, default=())
    _slopes: tuple[float, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        from scipy.interpolate import CubicSpline

        super().__post_init__()
        if self.ends not in {"not-a-knot", "natural", "clamped"}:
            raise ModelError(f"CubicTable has ends = {self.ends!r}: 'not-a-knot', 'natural' and 'clamped' are known")
        spline = CubicSpline(self.times, self.values, bc_type=self.ends)
        for name, coefficients in zip(("_cubes", "_squares", "_slopes"), spline.c.tolist(), strict=False):
            object.__setattr__(self, name, tuple(coefficients))

    def __call__(self, t: float) -> float:
        """The value at a time."""
        if t <= self.times[0]:
            return self.values[0]
        if t >= self.times[-1]:
            return self.values[-1]
        i = place(self.times, t)
        d = t - self.times[i]
        return ((self._cubes[i] * d + self._squares[i]) * d + self._slopes[i]) * d + self.values[i]

    def _bends(self, i: int) -> bool:
        return self.ends != "clamped" and i in {0, len(self.times) - 1}


def place(times: tuple[float, ...], t: float) -> int:
    """The number of the last of the times that is not after t, by bisection; t is not before the first."""
    low, high = 0, len(times)
    while high - low > 1:
        middle = (low + high) // 2
        if times[middle] <= t:
            low = middle
        else:
            high = middle
    return low
