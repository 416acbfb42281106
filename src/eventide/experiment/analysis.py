"""What replications say of the responses of a model: intervals, comparisons, the best point, control variates.

In: a replication. Out: tables and numbers; for a selection also more replications of the points that may be the best.
The independent observations of a point are its replications, or the means of its antithetic pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from eventide.declare.units import in_own_unit, plain_number
from eventide.errors import ModelError, check_boolean
from eventide.experiment.arguments import check_level
from eventide.experiment.designs import is_count, is_positive
from eventide.experiment.processes import processes
from eventide.statistics import (
    Comparison,
    Controlled,
    KimNelson,
    compare_several,
    controlled,
    independence,
    mean_interval,
    paired,
    quantile_interval,
    sample_size,
    variance_interval,
    welch,
)
from eventide.statistics.intervals import is_share

if TYPE_CHECKING:
    import pandas as pd

    from eventide.experiment.replication import Replication, Running
    from eventide.experiment.results import Result

FEWEST = 5
"""Replications of which something can be said."""
GROWTH = 5
"""While the best is sought, the replications of the survivors grow by one part in this many at a time."""


DOUBTFUL: Final = 0.01
"""A chance that is smaller is told."""


@dataclass(frozen=True)
class Selection:
    """The point that was selected as the best.

    point           its number; values: of its parameters, by name
    mean            of the response there, over all its replications
    probability     with which it is the best, if the best is better than all others by the indifference at least
    indifference    the difference that was worth detecting
    replications    of the points that were left last
    eliminated      for each other point, after how many replications
    """

    point: int
    values: Mapping[str, object]
    mean: float
    probability: float
    indifference: float
    replications: int
    eliminated: Mapping[int, int]

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        others = ", ".join(f"{point} after {count}" for point, count in self.eliminated.items()) or "none"
        return (
            f"point {self.point} ({values}) is the best, with probability {self.probability:g} if by "
            f"{self.indifference:g} at least: mean {self.mean:.6g}; left out: {others}"
        )


@dataclass(frozen=True)
class Plan:
    """What some replications say of a response, and how many are needed to know it better.

    mean            the point estimate; low, high: its confidence interval
    count           how many replications there are
    needed          how many are needed in all for the half width that was asked for, as far as these can tell
    independence    the chance that independent values look as these do; small ones speak against it, see
                    `eventide.statistics.independence`; NaN below ten replications
    """

    mean: float
    low: float
    high: float
    count: int
    needed: int
    independence: float

    def __str__(self) -> str:
        doubt = f"; the values do not look independent (chance {self.independence:.2g})"
        return (
            f"mean {self.mean:.6g}, between {self.low:.6g} and {self.high:.6g} after {self.count} replications; "
            f"{self.needed} are needed in all{doubt if self.independence < DOUBTFUL else ''}"
        )


def in_its_unit(replication: Replication, response: str, number: float) -> float:
    """A number in the unit of a response. Raises ModelError for one whose unit cannot be converted to that."""
    return in_own_unit(number, getattr(replication.answered.get(response), "unit", ""), response)


def plan(
    replication: Replication, response: str, half_width: float, level: float, point: int, *, relative: bool
) -> Plan:
    """What is known of the mean of a response, and how many replications it takes to know it so closely."""
    check_level(level)
    check_boolean(relative, "relative=")
    told = plain_number(half_width, "relative=True") if relative else in_its_unit(replication, response, half_width)
    tally = replication.tally(response, point=point)
    if tally.count < 2:
        raise ModelError(
            f"a plan needs two replications of a point at least, and there is {tally.count}: extend() them"
        )
    mean, wanted = tally.mean, told
    if relative and is_positive(told):
        # The mean is itself an estimate, off by as much: half_width / (1 + half_width) of it is on the safe side.
        wanted = half_width / (1.0 + half_width) * abs(mean)
    if not is_positive(wanted):
        raise ModelError(
            f"a plan takes half_width > 0, and got {half_width!r}"
            + (f" of a mean of {mean!r}: give it in the unit of {response}, without relative=True" * relative)
        )
    low, high = tally.confidence_interval(level)
    each = _in_one(replication)
    needed = sample_size(tally.stdev, wanted, level=level) * each
    return Plan(mean, low, high, tally.count * each, needed, independence(tally.values))


def _in_one(replication: Replication) -> int:
    """How many replications one independent observation takes."""
    return 2 if replication.study.settings.antithetic else 1


def extend_until(
    replication: Replication,
    response: str,
    half_width: float,
    most: int,
    options: Running,
    *,
    relative: bool,
    level: float,
) -> None:
    """Make more replications until the mean of a response is known so closely at each point."""
    if not is_count(most):
        raise ModelError(f"extend_until takes most= as a whole number of replications from 1 on, and got {most!r}")
    with kept_workers(options) as kept:
        each = _in_one(replication)
        replication.extend(max(0, FEWEST * each - replication.study.replications), **kept)
        while True:
            plans = [
                plan(replication, response, half_width, level, point, relative=relative)
                for point in range(len(replication.study.points.values))
            ]
            needed, count = max(one.needed for one in plans), replication.study.replications
            if all(one.needed <= one.count for one in plans):
                return
            if needed > most or count >= most:
                raise ModelError(
                    f"it takes about {needed} replications to know {response} to {half_width!r}, and most={most}: "
                    "allow more, or a wider interval"
                )
            more = max(1, min(needed - count, count, most - count))
            replication.extend(more + more % each, **kept)


def observed(replication: Replication, response: str, point: int) -> dict[int, float]:
    """The independent observations of a response at a point: by replication, or of antithetic pairs the means."""
    name, count = replication.model.name, len(replication.study.points.values)
    if not is_count(point, 0) or point >= count:
        raise ModelError(f"there is no point {point!r}: {name} was run at {count}, from 0 on")
    found: dict[int, float] = {}
    failed = None
    for result in replication:
        if result.point == point and result.failure is not None:
            failed = result.failure
        elif result.point == point and not result.is_whole:
            raise ModelError(told_of_stopped(replication, result))
        elif result.point == point:
            known = ", ".join(result.responses) or "none"
            if response not in result.responses:
                raise ModelError(f"{name} has no response {response!r}; it has: {known}")
            value = float(result.responses[response])
            if not isfinite(value):
                raise ModelError(
                    f"{response} of {name} is {value!r} in run {result.number}, at point {point}: "
                    "statistics take finite numbers; .table has all values, from which some can be left out"
                )
            found[result.replication] = value
    if failed and not found:
        raise ModelError(f"all runs of {name} at point {point} failed, the last with {failed}: .failures has them all")
    return observations(found, antithetic=replication.study.settings.antithetic)


def told_of_stopped(replication: Replication, result: Result) -> str:
    """What is said where the responses are needed of a run that was stopped."""
    time = result.account.end_time if result.account else nan
    return (
        f"run {result.number} of {replication.model.name} has no responses: it was stopped at time {time!r}, before "
        "its main program had ended; give a later until=, or none"
    )


def observations(values: Mapping[int, float], *, antithetic: bool) -> dict[int, float]:
    """The independent observations in values by replication: of antithetic pairs that are whole the means, by pair."""
    if not antithetic:
        return dict(values)
    pairs = dict.fromkeys(number // 2 for number in sorted(values))
    return {
        pair: 0.5 * (values[2 * pair] + values[2 * pair + 1])
        for pair in pairs
        if 2 * pair in values and 2 * pair + 1 in values
    }


def intervals(
    replication: Replication, response: str, of: Literal["mean", "variance"] | float, level: float, *, is_normal: bool
) -> pd.DataFrame:
    """A row for each point: the estimate, its interval, and how many replications there are."""
    from eventide.libraries import pandas as pd

    check_level(level)
    is_share = isinstance(of, float | np.floating) and 0.0 < of < 1.0
    if of not in ("mean", "variance") and not is_share:
        raise ModelError(f'intervals are of the "mean", the "variance" or a share as 0.9, and got of={of!r}')
    if replication.study.settings.antithetic and of != "mean":
        raise ModelError(
            f"the two of an antithetic pair depend on each other: they tell the mean of {response} only; for its other "
            "statistics run the study without antithetic=True"
        )
    rows = []
    for point in range(len(replication.study.points.values)):
        tally = replication.tally(response, point=point)
        if of == "mean":
            estimate, ends = tally.mean, mean_interval(tally.values, level, is_normal=is_normal)
        elif of == "variance":
            estimate, ends = tally.variance, variance_interval(tally.values, level, is_normal=is_normal)
        else:
            estimate, ends = tally.quantile(float(of)), quantile_interval(tally.values, float(of), level)
        rows.append({"estimate": estimate, "low": ends[0], "high": ends[1], "count": tally.count})
    return pd.DataFrame(rows, index=replication.summary(level).index)


def compare(
    replication: Replication, response: str, points: tuple[int, int], level: float, *, is_paired: bool
) -> Comparison:
    """How much the mean of a response at the first point is above that at the second."""
    check_level(level)
    check_boolean(is_paired, "compare(is_paired=)")
    there = [replication.observed(response, point) for point in points]
    values = [list(one.values()) for one in there]
    if is_paired:
        both = sorted(there[0].keys() & there[1].keys())
        values = [[one[number] for number in both] for one in there]
    if min(map(len, values)) < 2:
        raise ModelError(
            f"a comparison takes two replications at least, and there is {min(map(len, values))}: extend()"
        )
    return (paired if is_paired else welch)(values[0], values[1], level)


def comparisons(
    replication: Replication, response: str, against: int | None, level: float, *, is_paired: bool
) -> pd.DataFrame:
    """A row for each pair of points: their difference, with intervals that hold together."""
    from eventide.libraries import pandas as pd

    check_level(level)
    points = range(len(replication.study.points.values))
    if len(points) < 2 or not (against is None or (is_count(against, 0) and against < len(points))):
        raise ModelError(
            f"comparisons take two points or more, and against= the number of one: {replication.model.name} was run at "
            f"{len(points)}, from 0 on, and got against={against!r}"
        )
    found = [replication.observed(response, point) for point in points]
    if is_paired:
        common = [number for number in found[0] if all(number in other for other in found)]
        found = [{number: one[number] for number in common} for one in found]
    fewest = min(map(len, found))
    if fewest < 2:
        raise ModelError(f"a comparison takes two replications at least, and there is {fewest}: extend()")
    compared = compare_several([list(one.values()) for one in found], against=against, level=level, is_paired=is_paired)
    return pd.DataFrame(
        [
            {"first": one, "second": other, "difference": told.difference, "low": told.low, "high": told.high,
             "is_significant": told.is_significant}
            for (one, other), told in compared.items()
        ]
    )  # fmt: skip


def with_controls(
    replication: Replication, response: str, controls: Mapping[str, float], level: float, point: int
) -> Controlled:
    """The mean of a response at a point, corrected by other responses whose means are known."""
    check_level(level)
    if not _are_means(controls):
        raise ModelError(
            f'controls are the true means of other responses, as {{"service mean": 1.0}}, and got {controls!r}'
        )
    if response in controls:
        raise ModelError(f"{response} is no control of itself: controls are other responses, whose true mean is known")
    found = replication.observed(response, point)
    others = {name: replication.observed(name, point) for name in controls}
    try:
        return controlled(
            list(found.values()),
            {
                name: ([values[number] for number in found], in_its_unit(replication, name, controls[name]))
                for name, values in others.items()
            },
            level,
        )
    except ValueError as error:
        raise ModelError(f"{response} of {replication.model.name} cannot be controlled: {error}") from None


def _are_means(value: object) -> bool:
    """Whether a value has numbers by name."""
    return isinstance(value, Mapping) and all(isinstance(mean, int | float) for mean in value.values())


def select_best(
    replication: Replication, response: str, procedure: KimNelson, most: int, options: Running
) -> Selection:
    """The best point by a procedure that has not begun; more replications of the survivors are made."""
    if not is_count(most):
        raise ModelError(f"select_best takes most= as a whole number of replications from 1 on, and got {most!r}")
    each = _in_one(replication)
    count = 0
    with kept_workers(options) as kept:
        while not procedure.is_done:
            more = max(1, count // GROWTH) if count else procedure.first  # whatever the workers, as the mean is of all
            wanted = min(count + more, most // each)
            if wanted <= count or wanted < procedure.first:
                raise ModelError(
                    f"points {', '.join(map(str, procedure.survivors))} are left after {count * each} replications, "
                    f"and most={most}: allow more, or a larger indifference than {procedure.indifference!r}"
                )
            replication.extend_points(procedure.survivors, wanted * each, **kept)
            procedure.add(_rows(replication, response, procedure.survivors, range(count, wanted)))
            count = wanted
    best = procedure.best
    return Selection(
        best,
        dict(replication.study.points.values[best]),
        replication.tally(response, point=best).mean,
        procedure.probability,
        procedure.indifference,
        procedure.count * each,
        {point: number * each for point, number in procedure.eliminated.items()},
    )


@contextmanager
def kept_workers(options: Running) -> Iterator[Running]:
    """The options of `extend`, with one executor for all calls in the block: processes take a second to begin."""
    workers = options.get("workers")
    if options.get("executor") is not None or not is_count(workers, 2) or options.get("keep"):
        yield options
        return
    with processes(int(workers)) as executor:  # type: ignore[arg-type]  # a count
        yield {**options, "executor": executor}


def _rows(replication: Replication, response: str, points: Sequence[int], numbers: range) -> list[list[float]]:
    """Some observations of some points, in rows by their numbers."""
    found = [replication.observed(response, point) for point in points]
    for point, one in zip(points, found, strict=True):
        for number in numbers:
            if number not in one:
                raise ModelError(
                    f"point {point} of {replication.model.name} has no {response} in replication {number}, as a run "
                    "failed: .failures tells why; to select the best every run is needed"
                )
    return [[one[number] for one in found] for number in numbers]


def procedure_for(
    replication: Replication, indifference: float, probability: float, first: int, *, maximise: bool
) -> KimNelson:
    """The procedure for the points of a replication. Raises ModelError for arguments that are not allowed."""
    points = len(replication.study.points.values)
    is_right = points >= 2 and is_count(first, 2) and is_positive(indifference) and indifference < inf
    if not is_right or not is_share(probability) or probability <= 1.0 / points:
        raise ModelError(
            f"the best of two points or more is selected, with indifference > 0, a probability above 1 / points and "
            f"below 1, and first= from 2 on: got {points} points, indifference={indifference!r}, "
            f"probability={probability!r} and first={first!r}"
        )
    return KimNelson(points, indifference, probability=probability, first=first, maximise=maximise)
