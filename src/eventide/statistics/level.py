"""Level: statistics of a number that holds until it changes, weighted by time."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import nan
from sys import float_info
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from eventide.declare.reserved import fix
from eventide.declare.showing import public_dir
from eventide.declare.units import PLAIN, has_unit, in_unit
from eventide.errors import check_number, check_text, refuse_too_large
from eventide.statistics.moments import Moments
from eventide.statistics.ownership import Copied, refuse_kept

LARGEST: Final = float_info.max
NUMBERS: Final = (int, float, Fraction, np.number)

MOST_VALUES = 10_000
"""The largest number of distinct values that are counted one by one; beyond it only moments are kept."""


class Clock(Protocol):
    """Anything with a time; a Simulation, as a rule."""

    @property
    def time(self) -> float:
        """The present time."""
        ...


class Level(Copied):
    """Mean, spread and shares, over time, of a quantity that jumps: SIMULA's accum.

    initial   value at the start [unit]
    clock     object whose attribute `time` is the present time, never going back
    name      shown in messages
    unit      unit of the values, shown in messages

    Statistics run from the creation, or the last reset, to the present. Reading them
    changes nothing. Over no time at all they are nan.

    Source    SIMULA Standard (SS 63 61 14), class SIMULATION, procedure accum
    """

    __slots__ = (
        "_changed",
        "_clock",
        "_folded",
        "_held",
        "_is_told_apart",
        "_keeper",
        "_start",
        "_value",
        "name",
        "unit",
    )
    __dir__ = public_dir

    _start: float  # when the statistics begin
    _changed: float  # when the present value was set
    _keeper: str  # the name of the component that alone sets it; empty for one of the user's

    def __init__(self, initial: float = 0.0, *, clock: Clock, name: str = "", unit: str = "") -> None:
        self.name = check_text(name, "name=")
        self.unit = check_text(unit, "unit=")
        self._clock = clock
        if has_unit(initial):
            initial = in_unit(initial, unit, self._label())
        self._keeper = ""
        if not -LARGEST <= check_number(initial, "initial=") <= LARGEST:
            raise self._not_finite("initial value", initial)
        self._value = initial
        self.reset()

    def __bool__(self) -> bool:
        raise self._no_number("asked whether it is true")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NUMBERS):
            raise self._no_number(f"compared with {other!r}")
        return self is other

    __hash__ = object.__hash__

    def _no_number(self, use: str) -> TypeError:
        return TypeError(
            f"{self._label()} is a Level, which has statistics over time, and was {use}: take its `.value`, the number "
            "that it has now, or write `is None`"
        )

    if TYPE_CHECKING:  # see `fix`

        @property
        def value(self) -> float:
            """The present value [unit]."""

    def set(self, value: float) -> None:
        """Set the level to `value` [unit] from now on; one with another unit, as a `Quantity`, is converted.

        Raises  ValueError when it is nan or infinite, ModelError for the level of a resource, container, store or
                queue, and for a unit that cannot be converted
        """
        if self._keeper:
            refuse_kept(self._keeper, self._label(), f"set to {value!r}", "sim.level()")
        if value.__class__ not in PLAIN and has_unit(value):
            value = in_unit(value, self.unit, self._label())
        try:
            is_finite = -LARGEST <= value <= LARGEST
        except TypeError:
            check_number(value, "Level.set")
            raise
        if not is_finite:
            raise self._not_finite("set", value)
        now = self._clock.time
        try:
            self._held[self._value] += now - self._changed
        except KeyError:
            self._hold_first(now - self._changed)
        self._changed = now
        self._value = value

    def change(self, difference: float) -> None:
        """Raise the level by `difference` [unit] now; it falls where that is negative.

        Raises  ValueError when the new value is nan or infinite
        """
        if difference.__class__ not in PLAIN and has_unit(difference):
            difference = in_unit(difference, self.unit, self._label())
        self.set(self._value + difference)

    def reset(self) -> None:
        """Restart the statistics at the present time; the value stays."""
        self._start = self._changed = self._clock.time
        # How long each value was held up to the last change: every statistic comes from it.
        self._held: dict[float, float] = {}
        self._folded = Moments()
        self._is_told_apart = True

    @property
    def elapsed(self) -> float:
        """Time since the creation or the last reset [time of the clock]."""
        return self._clock.time - self._start

    @property
    def integral(self) -> float:
        """Integral of the level over the elapsed time [unit * time]."""
        return self._moments().total

    @property
    def mean(self) -> float:
        """Mean over time [unit]."""
        return self._moments().mean

    @property
    def variance(self) -> float:
        """Mean square distance from the mean, over time [unit**2]."""
        moments = self._moments()
        return moments.variance(moments.weight)

    @property
    def stdev(self) -> float:
        """Square root of the variance [unit]."""
        moments = self._moments()
        return moments.stdev(moments.weight)

    @property
    def minimum(self) -> float:
        """Least value so far [unit], also one that held for no time."""
        return self._moments().minimum

    @property
    def maximum(self) -> float:
        """Greatest value so far [unit], also one that held for no time."""
        return self._moments().maximum

    def time_at(self, value: float) -> float:
        """For how long the level was exactly `value` [time of the clock].

        Raises  ValueError when the level took more than 10,000 different values
        """
        if not self._is_told_apart:
            raise ValueError(
                f"{self._label()} took more than {MOST_VALUES} different values: the time at each is not kept;"
                " ask for mean and variance, or set() it rounded"
            )
        return self._held_by_now().get(value, 0.0)

    def fraction(self, value: float) -> float:
        """The fraction of the elapsed time, 0 to 1, in which the level was exactly `value`.

        Raises  ValueError when the level took more than 10,000 different values
        """
        elapsed = self.elapsed
        return self.time_at(value) / elapsed if elapsed else nan

    def __deepcopy__(self, memo: dict[int, object]) -> Level:
        copied = Level(clock=self._clock)  # the same clock, which is that of a simulation
        for name in Level.__slots__:
            setattr(copied, name, getattr(self, name))
        copied._held = dict(self._held)
        copied._keeper = ""
        return copied

    def _held_by_now(self) -> dict[float, float]:
        present = self._clock.time - self._changed
        return {**self._held, self._value: self._held.get(self._value, 0.0) + present}

    def _moments(self) -> Moments:
        return self._folded.combined(_moments_of(self._held_by_now()))

    def _hold_first(self, duration: float) -> None:
        """Enter the value as one not held before; fold the others when there are too many."""
        if len(self._held) == MOST_VALUES:
            self._folded = self._folded.combined(_moments_of(self._held))
            self._is_told_apart = False
            self._held.clear()
        self._held[self._value] = duration

    def _label(self) -> str:
        return f"level {self.name!r}" if self.name else "a level"

    def _not_finite(self, what: str, value: float) -> ValueError:
        if isinstance(value, int):
            refuse_too_large(value, f"{self._label()}: {what}")
        return ValueError(f"{self._label()}: {what} {value!r}: a level is a finite number")

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        mean = f", mean {self.mean:.6g}{unit}" if self.elapsed else ""
        return f"<Level {self.name!r}: {self._value!r}{unit}{mean}>"


def values_of(levels: Iterable[Level]) -> list[float]:
    """The present value of each, in a fifth of the time that asking for `value` takes."""
    return [level._value for level in levels]


def set_at(level: Level, value: float, now: float) -> None:
    """As `level.set(value)`, in half the time, for a caller that knows the present time and a finite value."""
    try:
        level._held[level._value] += now - level._changed
    except KeyError:
        level._hold_first(now - level._changed)
    level._changed = now
    level._value = value


def change_at(level: Level, difference: float, now: float) -> None:
    """As `level.change(difference)`, in half the time, for a caller that knows the present time and finite values."""
    value = level._value
    try:
        level._held[value] += now - level._changed
    except KeyError:
        level._hold_first(now - level._changed)
    level._changed = now
    level._value = value + difference


def set_in_turn(level: Level, values: Iterable[float], times: Iterable[float]) -> None:
    """As `set_at` for each of some finite values, at these times."""
    held, value, changed = level._held, level._value, level._changed
    for following, now in zip(values, times, strict=True):
        if value in held:
            held[value] += now - changed
        else:
            level._value = value
            level._hold_first(now - changed)
        value, changed = following, now
    level._value, level._changed = value, changed


class LevelState(NamedTuple):
    """What a level has kept: its value, since when, and for how long it had each value before."""

    value: float
    changed: float
    held: dict[float, float]


def state_of(level: Level) -> LevelState | None:
    """What a level has kept; None if its values are no longer told apart."""
    return LevelState(level._value, level._changed, level._held) if level._is_told_apart else None


def set_state(level: Level, state: LevelState) -> None:
    """Let a level go on from what it would have kept if it had been told of each change."""
    level._value, level._changed, level._held = state


def _moments_of(held: dict[float, float]) -> Moments:
    return Moments.of(np.array(list(held), dtype=float), np.array(list(held.values())))


fix(Level, value="level.set(value) sets it from now on, level.change(difference) raises it")
