"""Statements about trajectories: signal temporal logic. What they mean, and by how much, is in `robustness.py`.

`always(quantity("car.travel") <= 0.08)`; `(level >= 1.0).implies(within(0.5, level <= 0.2))`. Times count from the
instant at which a statement is made, the outermost from the start of the run.

Source: Maler & Nickovic, Monitoring temporal properties of continuous signals, FORMATS 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, NoReturn, SupportsFloat

from eventide.declare.units import in_time_unit, plain_number
from eventide.errors import ModelError
from eventide.verify.curves import Of, of_in_words


class Formula:
    """A statement about a trajectory at each of its times; `&`, `|`, `~` and `implies` join statements."""

    def __and__(self, other: Formula) -> Formula:
        return Conjunction(self, _formula(other))

    def __or__(self, other: Formula) -> Formula:
        return Disjunction(self, _formula(other))

    def __invert__(self) -> Formula:
        return Negation(self)

    def implies(self, other: Formula) -> Formula:
        """Wherever this holds the other does."""
        return Disjunction(Negation(self), _formula(other))

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"`{self}` is a statement about all of a run, and neither true nor false by itself: join statements by &, "
            "| and ~, and write (low <= q) & (q <= high) or q.between(low, high) for low <= q <= high"
        )


@dataclass(frozen=True, eq=False)
class Comparison(Formula):
    """A quantity is at least (side 1) or at most (-1) a level."""

    of: Of
    side: Literal[-1, 1]
    level: float

    def __str__(self) -> str:
        return f"{of_in_words(self.of)}at {'least' if self.side > 0 else 'most'} {self.level:g}"


@dataclass(frozen=True, eq=False)
class Negation(Formula):
    """A statement does not hold."""

    one: Formula

    def __str__(self) -> str:
        return f"not ({self.one})"


@dataclass(frozen=True, eq=False)
class Pair(Formula):
    """A statement made of two."""

    one: Formula
    other: Formula


class Conjunction(Pair):
    """Both hold."""

    def __str__(self) -> str:
        return f"({self.one}) and ({self.other})"


class Disjunction(Pair):
    """One of them holds, or both."""

    def __str__(self) -> str:
        if isinstance(self.one, Negation):
            return f"({self.one.one}) implies ({self.other})"
        return f"({self.one}) or ({self.other})"


@dataclass(frozen=True, eq=False)
class Lasting(Formula):
    """A statement about another from `start` to `end` later."""

    one: Formula
    start: float
    end: float

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()}{_window(self)} ({self.one})"


class Always(Lasting):
    """It holds at all of these times."""


class Eventually(Lasting):
    """It holds at one of these times."""


@dataclass(frozen=True, eq=False)
class Until(Pair):
    """The other holds at some time from `start` to `end` later, and the one at all times before that."""

    start: float
    end: float

    def __str__(self) -> str:
        return f"({self.one}) until{_window(self)} ({self.other})"


Windowed = Lasting | Until


class Compared:
    """A quantity over time, to be compared with a number; made by `quantity`."""

    def __init__(self, of: Of) -> None:
        self.of = of

    def __le__(self, level: float) -> Formula:
        return Comparison(self.of, -1, _number(level))

    def __ge__(self, level: float) -> Formula:
        return Comparison(self.of, 1, _number(level))

    __lt__ = __le__
    __gt__ = __ge__

    def between(self, low: float, high: float) -> Formula:
        """It lies between two numbers."""
        return (self >= low) & (self <= high)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a quantity is hardly ever equal to a number: write q.between(low, high)")

    __hash__ = None  # type: ignore[assignment]  # what has no equality has no hash

    def __repr__(self) -> str:
        return f"<quantity {of_in_words(self.of).strip()}>"


def quantity(of: Of = None) -> Compared:
    """A quantity over time, to be compared with numbers: `quantity("tank.level") <= 3.0`.

    of      the name of what a model records, the number of a state, a function of the output; None: the output itself
    """
    return Compared(of)


def always(statement: Formula, start: float = 0.0, end: float = inf) -> Formula:
    """A statement holds from `start` to `end` later, at all times; without an end until that of the run."""
    return Always(_formula(statement), *_checked_window(start, end))


def eventually(statement: Formula, start: float = 0.0, end: float = inf) -> Formula:
    """A statement holds at some time from `start` to `end` later; without an end until that of the run."""
    return Eventually(_formula(statement), *_checked_window(start, end))


def within(time: float, statement: Formula) -> Formula:
    """A statement holds at some time not more than `time` later."""
    return Eventually(_formula(statement), *_checked_window(0.0, time))


def until(one: Formula, other: Formula, start: float = 0.0, end: float = inf) -> Formula:
    """The other statement holds at some time from `start` to `end` later, and the one at all times before that."""
    return Until(_formula(one), _formula(other), *_checked_window(start, end))


def _formula(given: object) -> Formula:
    if isinstance(given, Formula):
        return given
    raise ModelError(
        f"statements are made of statements, and got {given!r}: compare a quantity, as quantity('tank.level') <= 3.0"
    )


def _number(level: SupportsFloat | str) -> float:
    plain_number(level, "a comparison with a quantity")
    try:
        number = float("" if isinstance(level, str) else level)
    except (TypeError, ValueError):
        raise ModelError(f"a quantity is compared with a number, and got {level!r}") from None
    if not isfinite(number):
        raise ModelError(f"a quantity is compared with a finite number, and got {level!r}")
    return number


def _checked_window(start: float, end: float) -> tuple[float, float]:
    start, end = in_time_unit(start, None, "a window"), in_time_unit(end, None, "a window")
    if not 0.0 <= start <= end or start == inf:
        raise ModelError(f"a window begins at 0 or later and does not end before that; got {start!r} to {end!r}")
    return float(start), float(end)


def _window(formula: Windowed) -> str:
    if formula.end < inf:
        is_short = formula.start == 0.0 and not isinstance(formula, Always)
        return f" within {formula.end:g}" if is_short else f" from {formula.start:g} to {formula.end:g}"
    return f" from {formula.start:g} on" if formula.start > 0.0 else ""
