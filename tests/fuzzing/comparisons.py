"""What comparisons and whole numbers are known to be: over a stretch each is constant, and followed by itself.

`mode` says how laws and conditions are computed: "live" at an instant, where what is close to its level is what it was
known to be; "frozen" in a stretch; "scan" in a stretch as well, where differences are noted;
"observed" within it, by what only looks.
"""

from __future__ import annotations

import math
from typing import Any

from fuzzing import model as m
from fuzzing.exceptions import Skip
from fuzzing.formulas import Formulas

CLOSE = 1e-8
"""Differences smaller than that are taken for zero: which side holds is remembered, not computed."""


class Comparisons:
    """The comparisons of a program.

    owner       the law or condition that is computed; None for a statement
    known       whether each comparison holds; wholes: the whole numbers; gaps, last: the differences
    exchanged   when objects last came to refer to others, or to another order: what is equal in them here may differ
                by rounding elsewhere
    inputs      the functions of the module that depend on the time alone
    """

    time: float
    words: Formulas
    inputs: set[Any]

    def __init__(self) -> None:
        self.known: dict[Any, bool] = {}
        self.wholes: dict[Any, float] = {}
        self.gaps: dict[Any, float] = {}
        self.last: dict[Any, float] = {}
        self.owner: Any = None
        self.mode = "live"
        self.is_reached = False
        self.exchanged = -1.0

    def function(self, e: Any) -> Any:
        """An expression or test of the program as a function of the object to which it belongs."""
        raise NotImplementedError

    def number(self, e: m.Expr, subject: Any) -> float:
        """An expression at this instant, where nothing may be close to call."""
        self.owner = None
        return self.function(e)(subject)

    def truth(self, t: m.Test, subject: Any) -> bool:
        """A test of a statement."""
        self.owner = None
        return bool(self.function(t)(subject))

    def compare(self, site: int, gap: float) -> bool:
        """Whether a comparison holds: by its difference, or as it is known where that is frozen or close."""
        if self.owner is None:
            if abs(gap) <= CLOSE and self.mode != "observed":
                raise Skip("a statement compares what is equal")
            return gap > 0.0
        key = (self.owner, site)
        if self.mode == "frozen":
            return self.known[key]
        if self.mode == "scan":
            self.gaps[key] = gap
            return self.known[key]
        if abs(gap) > CLOSE:
            self.known[key] = gap > 0.0
        elif key not in self.known:
            raise Skip("a condition begins on its level")
        elif abs(self.last.get(key, 0.0)) > 2.0 * CLOSE or self._may_refer_elsewhere(site):
            raise Skip("an event leads onto a level")
        self.last[key] = gap
        return self.known[key]

    def _may_refer_elsewhere(self, site: int) -> bool:
        """Whether a comparison may be of other objects since this event, which are equal here but for rounding."""
        return self.exchanged == self.time and site not in self.words.own

    def whole(self, site: int, value: float) -> float:
        """The greatest whole number below a value; within a stretch what it was, while both its ends are followed."""
        nearest = round(value)
        if self.owner is None:
            if abs(value - nearest) <= CLOSE:
                raise Skip("a statement rounds a whole number")
            return float(math.floor(value))
        key, up, down = (self.owner, site), (self.owner, site, 1.0), (self.owner, site, -1.0)
        if self.mode == "live":
            self.known[up] = self.known[down] = False
            if abs(value - nearest) > CLOSE:
                self.wholes[key] = float(math.floor(value))
            elif key not in self.wholes:
                raise Skip("a condition begins on its level")
            else:
                apart = min(abs(self.last.get(end, 0.0)) for end in (up, down))
                is_far = self.wholes[key] not in {nearest, nearest - 1.0} or apart > 2.0 * CLOSE
                if is_far or self._may_refer_elsewhere(site):
                    raise Skip("an event leads onto a level")
        number = self.wholes[key]
        if self.mode != "frozen":
            found = self.gaps if self.mode == "scan" else self.last
            found[up], found[down] = value - (number + 1.0), number - value
        return number

    def root(self, value: float) -> float:
        """A square root. Its argument is below 0 in trial steps beyond an event, else the program has no solution."""
        if value < 0.0 and self.is_reached:
            raise Skip("a root of what is negative")
        return math.sqrt(max(value, 0.0))

    def apply(self, site: int, function: Any, argument: float) -> float:
        """Call a function of a field; its comparisons belong to who calls it here, those of an input to all."""
        before = self.owner
        if before is not None:
            is_shared = function in self.inputs and argument == self.time
            self.owner = ("law", id(function)) if is_shared else (before, site, id(function))
        try:
            return function(argument)
        finally:
            self.owner = before
