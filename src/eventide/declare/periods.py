"""Regular instants that do not drift: the k-th is `anchor + k * period`, with the period a fraction, rounded once."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final, SupportsFloat

from eventide.declare.units import in_time_unit
from eventide.errors import ModelError, to_float

_FIRST: Final = 0


def exact_period(period: SupportsFloat | None = None, hz: SupportsFloat | None = None) -> Fraction:
    """A period as an exact fraction: a float is read by its decimal form (0.1 is 1/10), `hz=200` is 1/200.

    Raises TypeError if neither or both are given, ModelError if the result is not a positive finite number.
    """
    return _known_period(period) if type(period) is float and hz is None else _exact_period(period, hz)


def _exact_period(period: SupportsFloat | None, hz: SupportsFloat | None = None) -> Fraction:
    given = period if hz is None else hz
    if given is None or (period is not None and hz is not None):
        raise TypeError("give a period or hz=, one of them")
    what = "a period" if hz is None else "hz="
    exact = exact_number(given, what, "a period is a positive number")
    if exact <= 0:
        raise ModelError(f"a period is a positive number, and got {given!r}")
    to_float(exact, what)
    made = exact if hz is None else 1 / exact
    to_float(made, what)
    return made


_known_period: Final = lru_cache(maxsize=256)(_exact_period)  # a process asks for the same one again and again


def exact_number(value: SupportsFloat, what: str, takes: str = "") -> Fraction:
    """A number as an exact fraction, a float by its decimal form; ModelError if it is none, or not finite.

    what    whose it is, as a message begins; takes: what that says is taken
    """
    in_time_unit(value, None, what)
    try:
        if isinstance(value, Fraction):
            return value
        return Fraction(Decimal(repr(value) if isinstance(value, str) else str(value)))  # of a NumPy number: its digits
    except (ArithmeticError, ValueError):
        raise ModelError(f"{takes or f'{what} takes finite numbers'}, and got {value!r}") from None


class Grid:
    """The instants `anchor + offset + k * period`, k = 0, 1, ...

    first, step, scale  whole numbers, which Python is quick to divide: the k-th is (first + k * step) / scale
    """

    __slots__ = ("first", "scale", "step")

    def __init__(self, anchor: float, period: Fraction, offset: Fraction = Fraction(0)) -> None:
        first = Fraction(anchor) + offset
        self.scale = lcm(first.denominator, period.denominator)
        self.first = first.numerator * (self.scale // first.denominator)
        self.step = period.numerator * (self.scale // period.denominator)

    def time(self, index: int) -> float:
        """The instant number `index`, rounded once."""
        return (self.first + index * self.step) / self.scale

    def index_after(self, time: float) -> int:
        """The number of the first instant strictly after `time`."""
        numerator, denominator = time.as_integer_ratio()
        passed = numerator * self.scale - self.first * denominator
        index = max(passed // (self.step * denominator), _FIRST)
        while self.time(index) <= time:
            index += 1
        return index


@lru_cache(maxsize=1024)
def grid_of(anchor: float, numerator: int, denominator: int) -> Grid:
    """The grid of a period that is such a fraction, which processes ask for again and again."""
    return Grid(anchor, Fraction(numerator, denominator))
