"""By how much a statement about a trajectory holds: its robustness, with the time and the comparison that decide.

A comparison has the margin level - quantity (or quantity - level) at each time; "not" has the opposite, "and" the least
of two, "always" the least over its window, "eventually" the greatest, and "until" the greatest of the least. The margin
of the whole, at the start, is the largest number by which all comparisons may be tightened so that the statement still
holds. So it is found: by asking where it holds at a level, on the polynomials that `observe/dense_output.py` proves.
It is as accurate as these, as no operator enlarges an error.

Where an event changes a quantity, it has the value after it; a value between two events of one instant, which holds for
no time, counts where it fails. A window without an end extends as far as what is in it can be decided.
Rejected: signals of margins, operator by operator, which have kinks wherever two of them cross.

Source: Donze & Maler, Robust satisfaction of temporal logic over real-valued signals, FORMATS 2010.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import ModelError
from eventide.verify.curves import Of, of_in_words, path_of
from eventide.verify.qualities import Band, Quality, Score, from_margin, number_in_words
from eventide.verify.temporal import (
    Always,
    Comparison,
    Conjunction,
    Disjunction,
    Eventually,
    Formula,
    Negation,
    Until,
)
from eventide.verify.time_sets import (
    End,
    Interval,
    TimeSet,
    before,
    closed,
    first_in,
    has,
    last_with,
    rest_of,
    shared,
    united,
    without,
)

if TYPE_CHECKING:
    from eventide.observe.piecewise import Floats, PiecewisePolynomial

ROUNDING: Final = 1e-12
"""Margins that differ by less than this part of the largest one are the same."""
HALVINGS: Final = 80
"""How often the bracket of a margin is halved at most."""


def holds(statement: Formula) -> Quality:
    """A statement about a trajectory holds, from its start; the margin is its robustness, and the threshold 1.

    What a model records is judged inside the steps as well, to the run's tolerances; a `Trajectory`, or a pair of times
    and values, is taken to be straight between its points. Raises ModelError for what is no statement, and, of an
    output, if it ends too early, or what is looked at is not there or not finite.
    """
    if not isinstance(statement, Formula):
        raise ModelError(f"holds(...) takes a statement, as always(quantity('x') <= 1.0), and got {statement!r}")

    def assess(output: object, _: Mapping[str, object]) -> Score:
        return score(statement, output)

    names = tuple(dict.fromkeys(one.of for one in comparisons_in(statement) if isinstance(one.of, str)))
    return Quality(str(statement), assess, most=1.0, band=band_of(statement), quantities=names)


def score(statement: Formula, output: object) -> Score:
    """The margin of a statement about an output, and what decides it."""
    monitor = Monitor(statement, {one.of: path_of(output, one.of) for one in comparisons_in(statement)})
    margin, found = monitor.margin()
    if found is None:
        return Score(from_margin(margin), margin)
    comparison, time, sign = found
    value = comparison.level + comparison.side * sign * margin
    sampled = "" if monitor.paths[comparison.of].is_proved else " (sampled)"
    found_there = f"{number_in_words(value, margin)}{sampled}"
    return Score(from_margin(margin), margin, time, of_in_words(comparison.of).strip(), found_there)


def comparisons_in(statement: Formula) -> Iterator[Comparison]:
    """All of them, in their order."""
    if isinstance(statement, Comparison):
        yield statement
    else:
        for part in ("one", "other"):
            if hasattr(statement, part):
                yield from comparisons_in(getattr(statement, part))


def band_of(statement: Formula) -> Band | None:
    """The bounds that a statement sets for one quantity at all times; None if it is not of that form."""
    if isinstance(statement, Conjunction):
        one, other = band_of(statement.one), band_of(statement.other)
        if one is None or other is None or one.of != other.of:
            return None
        return Band(one.of, max(one.low, other.low), min(one.high, other.high), "always")
    if not isinstance(statement, Always) or statement.start > 0.0 or statement.end < inf:
        return None
    if isinstance(statement.one, Conjunction):
        return band_of(Conjunction(Always(statement.one.one, 0.0, inf), Always(statement.one.other, 0.0, inf)))
    if not isinstance(statement.one, Comparison):
        return None
    level = statement.one.level
    return Band(statement.one.of, *((level, inf) if statement.one.side > 0 else (-inf, level)), "always")


class Monitor:
    """Where a statement holds at a level, on the trajectories of its quantities.

    At a level c a comparison holds where its margin is at least c, or, strictly, above it; "not" holds at c where what
    it denies does not hold strictly at -c.
    """

    def __init__(self, statement: Formula, paths: Mapping[Of, PiecewisePolynomial]) -> None:
        self.statement = statement
        self.paths = paths
        self.start = max(path.start for path in paths.values())
        self.end = min(path.end for path in paths.values())
        self._known: dict[tuple[int, float, bool], TimeSet] = {}
        reach = horizon(statement)
        if not self.start + reach <= self.end:
            raise ModelError(
                f"the output ends at {self.end!r}, and `{statement}` looks from {self.start!r} to "
                f"{self.start + reach!r}: run it longer"
            )

    def margin(self) -> tuple[float, tuple[Comparison, float, int] | None]:
        """The margin at the start, and the comparison that decides it, when, and with which sign."""
        levels = self._levels()
        low, high = 0, len(levels)
        while high - low > 1:  # it holds at the least level, and above the greatest it does not
            middle = (low + high) // 2
            low, high = (middle, high) if self._holds(levels[middle]) else (low, middle)
        least = levels[low]
        most = levels[high] if high < len(levels) else least
        finest = ROUNDING * max(abs(levels[0]), abs(levels[-1]))
        if most > least and self._holds(least + finest):
            least = self._between(least, most, finest)
        found = self._decisive(self.statement, (self.start, 0), least - finest, least + finest, strictly=False)
        least += 0.0  # no negative zero
        return least, None if found is None else self._placed(*found, least, finest)

    def _levels(self) -> list[float]:
        """The margins at which stretches of comparisons begin or end, and their opposites, in order."""
        found = [np.zeros(0)]
        for one in comparisons_in(self.statement):
            margins = one.side * (self.paths[one.of].knots()[1] - one.level)
            found += [margins, -margins]
        return np.unique(np.concatenate(found)).tolist()  # type: ignore[no-any-return]  # floats

    def _holds(self, level: float) -> bool:
        self._known.clear()
        return has(self._where(self.statement, level, strictly=False), (self.start, 0))

    def _between(self, least: float, most: float, finest: float) -> float:
        """A margin that no end of a stretch has, by halving: where two comparisons meet, or at the end of a window."""
        for _ in range(HALVINGS):
            middle = least + (most - least) / 2
            if not least < middle < most or most - least <= finest:
                break
            least, most = (middle, most) if self._holds(middle) else (least, middle)
        return least

    # --- where it holds -------------------------------------------------------------------------------------------

    def _domain(self, statement: Formula) -> Interval:
        """The instants at which a statement can be decided."""
        return closed(self.start, last_with(self.end, horizon(statement)))

    def _where(self, statement: Formula, level: float, *, strictly: bool) -> TimeSet:
        key = id(statement), level, strictly
        if key not in self._known:
            self._known[key] = self._found(statement, level, strictly=strictly)
        return self._known[key]

    def _found(self, statement: Formula, level: float, *, strictly: bool) -> TimeSet:
        domain = self._domain(statement)
        if isinstance(statement, Comparison):
            return shared(self._compared(statement, level, strictly=strictly), [domain])
        if isinstance(statement, Negation):
            return rest_of(domain, self._where(statement.one, -level, strictly=not strictly))
        one = self._where(statement.one, level, strictly=strictly)  # type: ignore[attr-defined]  # all others have one
        if isinstance(statement, Always):
            failing = rest_of(self._domain(statement.one), one)
            return rest_of(domain, before(failing, statement.start, statement.end))
        if isinstance(statement, Eventually):
            return shared(before(one, statement.start, statement.end), [domain])
        assert isinstance(statement, Conjunction | Disjunction | Until)
        other = self._where(statement.other, level, strictly=strictly)
        if isinstance(statement, Conjunction):
            return shared(shared(one, other), [domain])
        if isinstance(statement, Disjunction):
            return shared(united([*one, *other]), [domain])
        return shared(_until(one, other, statement), [domain])

    def _compared(self, one: Comparison, level: float, *, strictly: bool) -> TimeSet:
        path, bound = self.paths[one.of], one.level + one.side * level
        intervals = path.stretches.where(bound, one.side, strictly=strictly)

        def failing(times: Floats, values: Floats) -> list[float]:
            heights = one.side * (values - bound)
            return times[heights <= 0.0 if strictly else heights < 0.0].tolist()  # type: ignore[no-any-return]  # floats

        # Where a piece begins, the value is that with which it does, which is that after the event.
        fails = set(failing(path.starts, path.values(path.starts)))  # asked for membership only
        held = [((low, 1 if low in fails else 0), (high, -1 if high in fails else 0)) for low, high in intervals]
        return without(united(held), failing(path.instants[:, 0], path.instants[:, 1]))

    # --- what decides it ------------------------------------------------------------------------------------------

    def _decisive(
        self, statement: Formula, at: End, low: float, high: float, *, strictly: bool, sign: int = 1
    ) -> tuple[Comparison, float, int] | None:
        """The comparison, and when, by which a statement holds at one level and does not at a higher one."""
        if isinstance(statement, Comparison):
            return statement, at[0], sign
        if isinstance(statement, Negation):
            return self._decisive(statement.one, at, -high, -low, strictly=not strictly, sign=-sign)

        def step(part: Formula, when: End | None) -> tuple[Comparison, float, int] | None:
            if when is None:  # rounding hides which it is
                return None
            return self._decisive(part, when, low, high, strictly=strictly, sign=sign)

        def failing(part: Formula) -> TimeSet:
            return rest_of(self._domain(part), self._where(part, high, strictly=strictly))

        if isinstance(statement, Conjunction):
            return step(statement.one if has(failing(statement.one), at) else statement.other, at)
        if isinstance(statement, Disjunction):
            is_first = has(self._where(statement.one, low, strictly=strictly), at)
            return step(statement.one if is_first else statement.other, at)
        assert isinstance(statement, Always | Eventually | Until)
        window = (at[0] + statement.start, at[1]), (at[0] + statement.end, at[1])
        if isinstance(statement, Always):
            return step(statement.one, first_in(failing(statement.one), window))
        if isinstance(statement, Eventually):
            return step(statement.one, first_in(self._where(statement.one, low, strictly=strictly), window))
        first = first_in(failing(statement.one), (at, window[1]))
        meets = first_in(self._where(statement.other, high, strictly=strictly), window)
        if first is not None and meets is not None and has(self._where(statement.one, low, strictly=strictly), first):
            return step(statement.one, first)  # the other comes, too late
        return step(statement.other, first_in(self._where(statement.other, low, strictly=strictly), window))

    def _placed(
        self, one: Comparison, time: float, sign: int, margin: float, finest: float
    ) -> tuple[Comparison, float, int]:
        """The same at the nearest end of a stretch that has this very margin, if there is one: there it turns."""
        times, values = self.paths[one.of].knots()
        alike = np.flatnonzero(np.abs(sign * one.side * (values - one.level) - margin) <= finest)
        if len(alike):
            time = float(times[alike[np.argmin(np.abs(times[alike] - time))]])
        return one, time, sign


def horizon(statement: Formula) -> float:
    """How far after an instant a statement looks."""
    if isinstance(statement, Comparison):
        return 0.0
    parts = [getattr(statement, name) for name in ("one", "other") if hasattr(statement, name)]
    farthest = max(horizon(part) for part in parts)
    if isinstance(statement, Always | Eventually | Until):
        return farthest + (statement.end if statement.end < inf else statement.start)
    return farthest


def _until(one: TimeSet, other: TimeSet, statement: Until) -> TimeSet:
    """Where the other holds later, in the window, and the one up to then."""
    found = list(other) if statement.start == 0.0 else []
    for low, high in one:
        reach = low, (high[0], high[1] + 1)  # the other may begin where the one ends
        meets = before(shared(other, [reach]), statement.start, statement.end)
        found += shared(meets, [(low, high)])
    return united(found)
