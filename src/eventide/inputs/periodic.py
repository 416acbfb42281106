"""Inputs that change at the instants start + k * period: pulses, noise held over a period, sampled signals."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import cos, floor, inf, lcm, log, pi, sqrt
from typing import TYPE_CHECKING

from eventide.declare.periods import exact_period
from eventide.errors import ModelError
from eventide.inputs.base import Input, as_decimal, check_finite, check_times
from eventide.statistics.intervals import is_whole

if TYPE_CHECKING:
    from eventide.streams.streams import Stream

_PRIME_1 = 67108859.0
_PRIME_2 = 67108763.0
"""The two largest primes below 2**26 at which cubing loses no number: one less is no multiple of 3."""
LARGEST = 2**900
"""The greatest unit of instants, which are floats times it."""
_ROUNDS = 6
_STEP = 14159265.0
"""Added in each round; any number does that is not 0."""


@dataclass(frozen=True)
class Periodic(Input):
    """What changes at start + k * period, k = 0, 1, ..., each instant rounded once.

    Both numbers are read as decimals, so that 0.1 means 1/10; a period may be a fraction as well. Of numbers of so many
    digits that they have no common unit among floats the product is rounded, and the sum.
    """

    period: float | Fraction
    start: float = 0.0
    _origin: float = field(init=False, repr=False, compare=False, default=0.0)
    _stride: float = field(init=False, repr=False, compare=False, default=1.0)
    _unit: float = field(init=False, repr=False, compare=False, default=1.0)

    def __post_init__(self) -> None:
        check_times(self, start=self.start)
        # In units in which all of them are whole: (origin + k * stride) / unit is then one rounding of an exact number.
        exact = {"_stride": exact_period(self.period), "_origin": as_decimal(self.start)} | self._further_instants()
        unit = lcm(*(number.denominator for number in exact.values()))
        if unit > LARGEST or float(exact["_origin"] * unit) / float(unit) != float(self.start):
            unit = 1
        object.__setattr__(self, "_unit", float(unit))
        for name, number in exact.items():
            object.__setattr__(self, name, float(number * unit))

    def _further_instants(self) -> dict[str, Fraction]:
        """Other instants of the first period, by the names of the fields that are to hold them."""
        return {}

    def _instant(self, k: float) -> float:
        """The k-th instant."""
        return (self._origin + k * self._stride) / self._unit

    def _index(self, t: float) -> float:
        """The number of the last instant up to a time, as a float; negative before the first."""
        k = float(floor((t * self._unit - self._origin) / self._stride))
        if self._instant(k + 1.0) <= t:
            return k + 1.0
        if self._instant(k) > t:
            return k - 1.0
        return k

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps."""
        return self._instant(max(self._index(after) + 1.0, 0.0))


@dataclass(frozen=True)
class Pulse(Periodic):
    """`high` for `width` from each instant start + k * period on, `low` otherwise and before.

    count       how many pulses there are
    """

    width: float = 0.0
    high: float = 1.0
    low: float = 0.0
    count: float = inf
    _fall: float = field(init=False, repr=False, compare=False, default=0.0)

    def __post_init__(self) -> None:
        check_times(self, width=self.width)
        check_finite(self, high=self.high, low=self.low)
        if not (self.count == inf or is_whole(self.count, 0)):
            raise ModelError(f"Pulse has count = {self.count!r}: a whole number from 0 on, or inf")
        if not 0.0 < self.width < float(exact_period(self.period)):
            raise ModelError(
                f"Pulse has width = {self.width!r} and period = {self.period!r}: the width is above 0 and below "
                "the period"
            )
        super().__post_init__()

    def _further_instants(self) -> dict[str, Fraction]:
        return {"_fall": as_decimal(self.start) + as_decimal(self.width)}

    def _end(self, k: float) -> float:
        """Where the k-th pulse ends."""
        return (self._fall + k * self._stride) / self._unit

    def __call__(self, t: float) -> float:
        """The value at a time."""
        k = self._index(t)
        # Between whole numbers, as the bounds by which conditions are proved include rounding of k itself.
        return self.high if -0.5 < k < self.count - 0.5 and t < self._end(k) else self.low

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps."""
        k = self._index(after)
        if 0.0 <= k < self.count and after < self._end(k):
            return self._end(k)
        following = max(k + 1.0, 0.0)
        return self._instant(following) if following < self.count else inf


@dataclass(frozen=True)
class HeldNoise(Periodic):
    """Normal random numbers, each held over a period; `mean` before the start.

    The number of the k-th period is a function of k and the two keys alone: reading it in any order, and any
    number of times, gives the same signal. Take the keys from a named stream of the run by `drawn`.

    deviation   standard deviation
    key_1, key_2    whole numbers from 0 to 2**26

    Source      the keyed permutation of cubing modulo a prime, x -> (x + key + constant)**3: Albrecht et al., MiMC,
                ASIACRYPT 2016, here with small primes, whose products are exact in floats, and no secrecy;
                Box & Muller, Ann. Math. Statist. 29 (1958)
    """

    deviation: float = 1.0
    mean: float = 0.0
    key_1: int = 0
    key_2: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_finite(self, deviation=self.deviation, mean=self.mean)
        if self.deviation < 0.0:
            raise ModelError(f"HeldNoise has deviation = {self.deviation!r}: a standard deviation is 0 or more")
        for key in (self.key_1, self.key_2):
            if not (is_whole(key, 0) and key <= 2**26):
                raise ModelError(f"HeldNoise has a key {key!r}: whole numbers from 0 to 2**26 are allowed")

    @classmethod
    def drawn(
        cls,
        stream: Stream,
        period: float | Fraction,
        *,
        deviation: float = 1.0,
        mean: float = 0.0,
        start: float = 0.0,
    ) -> HeldNoise:
        """Noise whose keys are the next two numbers of a stream: another run, another noise."""
        keys = [int(stream.random() * 2**26) for _ in range(2)]
        return cls(period, start, deviation=deviation, mean=mean, key_1=keys[0], key_2=keys[1])

    def __call__(self, t: float) -> float:
        """The value at a time."""
        k = self._index(t)
        if k < 0.0:
            return self.mean
        u = (_scatter(k, float(self.key_1), float(self.key_2), _PRIME_1) + 0.5) / _PRIME_1
        v = (_scatter(k, float(self.key_2), float(self.key_1), _PRIME_2) + 0.5) / _PRIME_2
        return self.mean + self.deviation * sqrt(-2.0 * log(u)) * cos(2.0 * pi * v)


@dataclass(frozen=True)
class Sampled(Periodic):
    """Another input, measured at start + k * period and held in between; before the start, its value there.

    Source      Pannek, Simulation of mechatronic systems, Remark 3.37, debouncing
    """

    source: Input = field(kw_only=True)

    def __call__(self, t: float) -> float:
        """The value at a time."""
        return self.source(self._instant(max(self._index(t), 0.0)))

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps."""
        # At the first instant nothing changes: what is held before it is measured there.
        return self._instant(max(self._index(after) + 1.0, 1.0))


def _scatter(k: float, key: float, other: float, prime: float) -> float:
    """A whole number below a prime that depends on k and the keys in no visible order."""
    x = k % prime
    for r in range(_ROUNDS):
        x = (x + key + _STEP * r) % prime
        x = x * x % prime * x % prime
        x = (x + other) % prime
    return x
