"""Sources: callables without arguments that give the next number from data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from math import isfinite
from typing import Generic, TypeVar

from eventide.errors import to_float
from eventide.streams.weights import in_their_order

T = TypeVar("T")


def in_order(values: Iterable[T], name: str, use: str) -> tuple[T, ...]:
    """The values as a tuple.

    Raises  TypeError for a set: its order differs from process to process
    """
    if isinstance(values, (set, frozenset)):
        raise TypeError(f"stream {name!r}: {use} of a set: a set has no order to rely on; give sorted(values)")
    return tuple(values)


class Trace(Generic[T]):
    """Gives recorded values one after the other, at each call and by iteration."""

    __slots__ = ("_cycle", "_rest", "count", "name")

    def __init__(self, name: str, values: Iterable[T], cycle: bool) -> None:
        recorded = in_order(values, name, "trace()")
        if not recorded:
            raise ValueError(f"stream {name!r}: trace([]): there must be a value to give")
        self.name = name
        self.count = len(recorded)
        self._cycle = cycle
        self._rest = chain.from_iterable(repeat(recorded) if cycle else (recorded,))

    def __call__(self) -> T:
        """The next value.

        Raises  LookupError when all were given
        """
        for value in self._rest:
            return value
        raise LookupError(
            f"stream {self.name!r}: all {self.count} values of its trace were given:"
            " give more, make it with cycle=True to begin again, or loop with"
            " 'for value in trace', which ends with the values"
        )

    def __iter__(self) -> Iterator[T]:
        """The values that are left, shared with the calls."""
        return self._rest

    def __repr__(self) -> str:
        again = ", again and again" if self._cycle else ""
        return f"<Trace {self.name!r}: {self.count} values{again}>"


class Empirical:
    """Draws from the broken line through sorted data.

    Source  Law 2015, Simulation Modeling and Analysis, section 6.2.4
    """

    __slots__ = ("_data", "_random", "name")

    def __init__(self, name: str, data: Iterable[float], random: Callable[[], float]) -> None:
        self.name = name
        self._data = sorted(to_float(value, f"stream {name!r}: empirical()") for value in in_their_order(data))
        self._random = random
        if len(self._data) < 2 or not all(map(isfinite, self._data)):
            raise ValueError(
                f"stream {name!r}: empirical() of {len(self._data)} numbers: give at least two, all finite"
            )

    def __call__(self) -> float:
        """The next number."""
        place = self._random() * (len(self._data) - 1)
        k = int(place)
        low = self._data[k]
        return low + (place - k) * (self._data[k + 1] - low)

    def __repr__(self) -> str:
        low, high = self._data[0], self._data[-1]
        return f"<Empirical {self.name!r}: {len(self._data)} numbers from {low:g} to {high:g}>"
