"""Qualities: how well an output satisfies what is asked, as a number from 0 on of which more is better.

Source: Pannek, Simulation of mechatronic systems, Definition 5.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isnan, nextafter
from typing import Any, Literal, SupportsFloat, TypeAlias

from eventide.errors import ModelError

Output: TypeAlias = Any
"""What a model gives and a quality judges: a number, a curve, a run; the functions of users say of which type it is."""


@dataclass(frozen=True)
class Score:
    """The quality of one output.

    value       from 0 on, more is better
    margin      how far the worst point is on the right side of its bound, in the unit of what is judged; below 0 it is
                on the wrong side; None if there is no bound
    time        of the worst point; None if the output has no times
    place       which of several things is at its worst, in words
    found       what was found there, in words
    """

    value: float
    margin: float | None = None
    time: float | None = None
    place: str = ""
    found: str = ""


@dataclass(frozen=True)
class Band:
    """What a quality asks of one quantity, so that two requirements can be compared.

    when        "always", "finally" or "once"
    """

    of: object
    low: float
    high: float
    when: Literal["always", "finally", "once"]


@dataclass(frozen=True)
class Quality:
    """A function of an output and the input that it belongs to.

    name        in words, as it stands in reports
    assess      (output, input by name) -> a `Score` or a number
    threshold   what is asked unless a requirement says otherwise
    most        the largest value that it may take
    band        what it asks, where that is a band
    quantities  the recorded quantities of a model that it judges between the rows as well, by name
    """

    name: str
    assess: Callable[[Output, Mapping[str, object]], Score | float] = field(repr=False)
    threshold: float = 1.0
    most: float = inf
    band: Band | None = None
    quantities: tuple[str, ...] = ()

    def __call__(self, output: object, inputs: Mapping[str, object] | None = None) -> Score:
        """The quality of an output. Raises ModelError if it is no number from 0 to `most`."""
        found = self.assess(output, inputs or {})
        score = found if isinstance(found, Score) else Score(self._number(found))
        if not 0.0 <= score.value <= self.most:
            most = "" if self.most == inf else f" and at most {self.most!r}"
            raise ModelError(
                f"the quality {self.name!r} of an output is {score.value!r}: a quality is at least 0{most}, and more "
                "is better; an error becomes one by Quality.from_error"
            )
        return score

    def _number(self, found: SupportsFloat | str) -> float:
        try:
            return float("" if isinstance(found, str) else found)
        except (TypeError, ValueError):
            raise ModelError(f"the quality {self.name!r} of an output is {found!r}: a quality is one number") from None

    @classmethod
    def of(cls, name: str, function: Callable[[Output], float], *, threshold: float) -> Quality:
        """One's own: a number of at least 0 for an output."""
        return cls(name, lambda output, _: function(output), threshold)

    @classmethod
    def indicator(cls, name: str, holds: Callable[[Output], bool]) -> Quality:
        """1 where a statement holds of an output, else 0."""
        return cls(name, lambda output, _: 1.0 if holds(output) else 0.0, 1.0, 1.0)

    @classmethod
    def from_error(cls, name: str, error: Callable[[Output], float], *, bound: float) -> Quality:
        """1/(1 + e) of an error e of at least 0; the threshold is where e is the bound.

        Raises      ModelError for an error or a bound below 0
        """
        if not bound >= 0.0:
            raise ModelError(f"the error {name!r} is given the bound {bound!r}: a bound is at least 0")

        def assess(output: object, _: Mapping[str, object]) -> Score:
            found = float(error(output))
            if found < 0.0:
                raise ModelError(f"the error {name!r} of an output is {found!r}: an error is at least 0")
            margin = -inf if isnan(found) else bound - found
            return Score(_of_error(found, bound), margin, found=f"error {number_in_words(found, margin)}")

        return cls(name, assess, 1.0 / (1.0 + bound), 1.0)


def _of_error(error: float, bound: float) -> float:
    """1/(1 + e), on the side of the threshold on which the error is of its bound, whatever is rounded."""
    threshold, value = 1.0 / (1.0 + bound), 0.0 if isnan(error) else 1.0 / (1.0 + error)
    return max(value, threshold) if error <= bound else min(value, nextafter(threshold, 0.0))


def number_in_words(value: float, margin: float) -> str:
    """A number with six digits, or as many as tell it from the bound that it misses by a margin below 0."""
    text = f"{value:.6g}"
    if -inf < margin < 0.0:
        bounds = value + margin, value - margin
        digits = 7
        while digits <= 17 and any(f"{bound:.{digits - 1}g}" == text for bound in bounds):
            text, digits = f"{value:.{digits}g}", digits + 1
    return text


def from_margin(margin: float) -> float:
    """1 where a margin is at least 0, and less by what is missing: 1/(1 + shortfall). Not a number gives 0."""
    if margin >= 0.0:
        return 1.0
    return 0.0 if isnan(margin) else min(1.0 / (1.0 - margin), nextafter(1.0, 0.0))
