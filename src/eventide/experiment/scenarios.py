"""Scenario analysis: a worst, a base and a best case of a model, and where the verdict on it changes between them.

In: a model, values of its parameters for the three cases, a response and the limit that decides. Out: the table of the
cases; the switching values, at which the response passes the limit on the way from the base case to another; and for
each parameter alone the deviation from the base that can be borne.

Source: Pannek, Simulation of mechatronic systems, definition 4.26.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from eventide.errors import ModelError
from eventide.experiment.analysis import in_its_unit
from eventide.experiment.parameters import show
from eventide.experiment.replication import Replication, made_here
from eventide.experiment.study import Study

if TYPE_CHECKING:
    import pandas as pd

    from eventide.experiment.models import Model

Case: TypeAlias = Literal["worst", "best"]
CASES = ("worst", "base", "best")
HALVINGS = 60
"""The largest number of halvings of a bracket; as a rule the tolerance ends them sooner."""


@dataclass(frozen=True)
class Reading:
    """The mean of a response, and its confidence interval: of one replication the value itself."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class SwitchingValue:
    """A point on the way between two cases at which the mean of a response passes a limit.

    share       of the way from the base case, 0, to the other, 1
    interval    the shares between which the confidence interval of the mean holds the limit; NaN at an end where it
                does so up to the end of the way, and without replications
    values      of the parameters there, by name
    """

    share: float
    interval: tuple[float, float]
    values: Mapping[str, object]

    def __str__(self) -> str:
        low, high = self.interval
        between = "" if isnan(low) and isnan(high) else f", between {max(0.0, low):.4g} and {min(1.0, high):.4g}"
        return f"{_in_words(self.values)}, at {self.share:.4g} of the way{between}"


class Scenarios:
    """Three cases of a model: `ev.Scenarios(pit, base={"gap": 2.5}, worst={"gap": 2.0}, best={"gap": 3.0})`.

    model               a function marked @ev.model
    base, worst, best   the values of the same parameters, by name
    replications        of each case; those of one number have the same random streams in all
    until, entropy      as for `Study`
    level               of confidence intervals
    Raises              ParameterError as a study, ModelError if the cases are not of the same parameters
    """

    def __init__(
        self,
        model: Model[..., object],
        *,
        base: Mapping[str, object],
        worst: Mapping[str, object],
        best: Mapping[str, object],
        replications: int = 1,
        until: float | None = None,
        entropy: int | None = None,
        level: float = 0.95,
    ) -> None:
        self.cases: dict[str, dict[str, Any]] = {"worst": dict(worst), "base": dict(base), "best": dict(best)}
        for name, values in self.cases.items():
            if values.keys() != self.cases["base"].keys():
                raise ModelError(
                    f"the {name} case has values of {', '.join(values) or 'nothing'}, and the base case of "
                    f"{', '.join(base) or 'nothing'}: give the same parameters for all three"
                )
        points = [self.cases[name] for name in CASES]
        self._study = Study(model, points, replications=replications, until=until, entropy=entropy)
        self._until = until
        self.level = level
        self._known: dict[tuple[str, tuple[object, ...]], Reading] = {}
        self._runs: Replication | None = None

    def __repr__(self) -> str:
        cases = [f"{name}: {_in_words(values)}" for name, values in self.cases.items()]
        return f"<Scenarios of {self._study.model!r}; {'; '.join(cases)}>"

    def __str__(self) -> str:
        return f"worst, base and best case\n{self.runs}"

    @property
    def runs(self) -> Replication:
        """The runs of the three cases: worst, base, best."""
        if self._runs is None:
            self._runs = made_here(self._study, keep=False)
        return self._runs

    @property
    def table(self) -> pd.DataFrame:
        """One row for each case: its parameters, and the mean of each response over the replications."""
        from eventide.libraries import pandas as pd

        table = self.runs.table
        names = [*self.cases["base"], *(name for name in self.runs.responses.columns if name in table.columns)]
        rows = [
            table[table["point"] == number][names].mean(numeric_only=True, skipna=False) for number in range(len(CASES))
        ]
        frame = pd.DataFrame(rows, index=pd.Index(CASES, name="case"))
        for name in self.cases["base"]:
            frame[name] = [self.cases[case][name] for case in CASES]
        return frame[names]

    def switching_values(
        self,
        response: str,
        limit: float,
        *,
        towards: Case = "worst",
        scan: int = 8,
        tolerance: float = 1e-6,
    ) -> list[SwitchingValue]:
        """Where the mean of a response passes a limit, on the straight way from the base case to another, in order.

        scan        into how many parts the way is divided first; of several passages in one part one may be missed
        tolerance   of the share
        Raises      ModelError for a case or response that is not there, for a limit that is no finite number, and for
                    parameters that differ and are not real numbers
        """
        names = self._names(towards)
        limit = in_its_unit(self.runs, response, limit)
        _check(limit, scan, tolerance)

        def gap(share: float) -> Reading:
            return self._gap(response, limit, self._between(towards, share, names))

        return [
            SwitchingValue(share, interval, self._between(towards, share, names))
            for share, interval in _passages(gap, scan, tolerance, is_random=self._study.replications > 1)
        ]

    def tolerable(
        self, response: str, limit: float, *, towards: Case = "worst", scan: int = 8, tolerance: float = 1e-6
    ) -> pd.DataFrame:
        """How far each parameter alone may go from the base case towards another until the response passes a limit.

        Returns one row for each parameter that differs: `value` at which the response passes the limit first, and its
        `deviation` from the base case; infinite, with the sign of the direction, if all the way can be borne.
        Arguments and errors are those of `switching_values`.
        """
        from eventide.libraries import pandas as pd

        rows = {}
        limit = in_its_unit(self.runs, response, limit)
        for name in self._names(towards):
            _check(limit, scan, tolerance)

            def gap(share: float, name: str = name) -> Reading:
                return self._gap(response, limit, self._between(towards, share, (name,)))

            base, other = (float(self.cases[case][name]) for case in ("base", towards))
            shares = [share for share, _ in _passages(gap, scan, tolerance, is_random=False)]
            value = base + shares[0] * (other - base) if shares else inf if other > base else -inf
            rows[name] = {"base": base, towards: other, "value": value, "deviation": value - base}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("parameter")

    # --- the way between two cases --------------------------------------------------------------------------------

    def _names(self, towards: str) -> tuple[str, ...]:
        """The parameters that differ between the base case and another, all real numbers."""
        if towards not in ("worst", "best"):
            raise ModelError(f'towards takes "worst" or "best", and got {towards!r}')
        base, other = self.cases["base"], self.cases[towards]
        names = tuple(name for name in base if base[name] != other[name])
        kinds = self._study.model.parameters
        wrong = [n for n in names if isinstance(kinds[n].check(base[n], self._study.model.name), int | str)]
        if wrong or not names:
            what = f"{wrong[0]} is no real number: let it be the same in both" if wrong else "they do not differ"
            raise ModelError(f"there is no way from the base case to the {towards} one: {what}")
        return names

    def _between(self, towards: str, share: float, names: tuple[str, ...]) -> dict[str, object]:
        base, other = self.cases["base"], self.cases[towards]
        return {name: base[name] + share * (other[name] - base[name]) if name in names else base[name] for name in base}

    def _gap(self, response: str, limit: float, values: dict[str, object]) -> Reading:
        """The mean of a response less the limit, of a study of one point, which is made once."""
        key = response, tuple(values.values())
        if key not in self._known:
            study = self._study
            one = Study(
                study.model, [values], replications=study.replications, until=self._until, entropy=study.entropy
            )
            tally = made_here(one, keep=False).tally(response)
            low, high = tally.confidence_interval(self.level) if tally.count > 1 else (tally.mean, tally.mean)
            self._known[key] = Reading(tally.mean, low, high)
        known = self._known[key]
        return Reading(known.mean - limit, known.low - limit, known.high - limit)


def _in_words(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={show(value)}" for name, value in values.items())


def _check(limit: float, scan: int, tolerance: float) -> None:
    if not isfinite(limit) or scan < 1 or not 0.0 < tolerance < 1.0:
        raise ModelError(
            "a limit is a finite number, a scan has at least one part and a tolerance lies between 0 and 1: "
            f"got limit={limit!r}, scan={scan!r}, tolerance={tolerance!r}"
        )


def _passages(
    gap: Callable[[float], Reading], scan: int, tolerance: float, *, is_random: bool
) -> list[tuple[float, tuple[float, float]]]:
    """The shares at which the mean gap changes its sign, each with those at which the ends of its interval do."""
    shares = [number / scan for number in range(scan + 1)]
    found = []
    for before, after in pairwise(shares):
        if (gap(before).mean < 0.0) == (gap(after).mean < 0.0):
            continue
        share = _bisected(lambda s: gap(s).mean, before, after, tolerance)
        one, other = nan, nan
        if is_random:
            one, other = (_nearest(gap, end, share, shares, tolerance) for end in ("low", "high"))
        found.append((share, (one, other) if other > one or one != one else (other, one)))
    return found


def _nearest(gap: Callable[[float], Reading], end: str, share: float, shares: list[float], tolerance: float) -> float:
    """The share nearest to a passage at which one end of the interval changes its sign; NaN if it does not."""
    brackets = [
        pair for pair in pairwise(shares) if (getattr(gap(pair[0]), end) < 0.0) != (getattr(gap(pair[1]), end) < 0.0)
    ]
    roots = [_bisected(lambda s: float(getattr(gap(s), end)), low, high, tolerance) for low, high in brackets]
    return min(roots, key=lambda root: abs(root - share), default=nan)


def _bisected(value: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Where a value changes its sign between two shares, by bisection: it may jump there."""
    is_low = value(low) < 0.0
    for _ in range(HALVINGS):
        if high - low <= tolerance:
            break
        middle = (low + high) / 2
        low, high = (middle, high) if (value(middle) < 0.0) == is_low else (low, middle)
    return (low + high) / 2
