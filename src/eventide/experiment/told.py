"""What is told of a replication: how much there is, the means of the responses, what failed."""

from __future__ import annotations

from html import escape
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Final

from eventide.experiment.report import readable
from eventide.experiment.tables import COUNTS, failures, mean_column, not_finite, stopped, summary, units_of

if TYPE_CHECKING:
    import pandas as pd

    from eventide.experiment.replication import Replication

FAILURES: Final = 3
"""Up to this many failures are listed; more are counted."""
BESIDE: Final = 4
"""Up to this many points, or as many as there are responses, stand side by side in columns; more below each other."""


def headline(replication: Replication) -> str:
    """One line on what there is."""
    study = replication.study
    points, count = len(study.points.values), len(replication)
    failed = sum(result.failure is not None for result in replication)
    pairs = ", in antithetic pairs" * study.settings.antithetic
    of = f", {failed} of them failed" if failed else ""
    return (
        f"<Replication of {study.model.name}: {points} point{'s' * (points != 1)} x {study.replications}, "
        f"{count} run{'s' * (count != 1)}{pairs}{of}, entropy {study.entropy}>"
    )


def told(replication: Replication) -> str:
    """The headline, the mean of each response at each point with its interval, and what failed."""
    lines = [headline(replication)]
    if units_of(replication):
        lines += ["", means(replication).to_string()]
    lines += [text for note in notes(replication) for text in ("", note)]
    failed = [(result.number, result.failure) for result in replication if result.failure is not None]
    for number, failure in failed[:FAILURES]:
        lines += ["", f"run {number} failed: {failure}", f"    {failure.replay}"]
    if len(failed) > FAILURES:
        lines += ["", f"and {len(failed) - FAILURES} more: .failures lists them"]
    return "\n".join(lines)


def told_as_html(replication: Replication) -> str:
    """The same for a notebook."""
    table = means(replication).to_html() if units_of(replication) else ""
    noted = "".join(f"<p>{escape(note)}</p>" for note in notes(replication))
    failed = failures(replication)
    return f"<p>{escape(headline(replication))}</p>{table}{noted}{failed.to_html() if len(failed) else ''}"


def notes(replication: Replication) -> list[str]:
    """A line for each response that has no mean, as it is not finite in some runs, or one of some runs alone, as others
    did not answer it; one for runs without responses, as they were stopped; and one for replications that are all the
    same.
    """
    found = [
        f"{name} is not finite in {len(numbers)} of {len(replication)} runs, first in run {numbers[0]}: "
        "it has no mean at their points; .table has all values"
        for name, numbers in not_finite(replication).items()
    ]
    whole = [result.responses for result in replication if result.is_whole]
    for name in units_of(replication):
        count = sum(name in responses for responses in whole)
        if count < len(whole):
            found.append(f"{name} was answered by {count} of {len(whole)} runs: its means are of these alone")
    cut = stopped(replication)
    if cut:
        found.append(
            f"{len(cut)} of {len(replication)} runs were stopped before their main program had ended, first run "
            f"{cut[0].number}: there are no means at their points, for the runs that ended in time are no sample of "
            "all; give a later until="
        )
    first = {result.point: result.responses for result in reversed(list(replication))}
    if len(first) < len(whole) and all(result.responses == first[result.point] for result in replication):
        found.append(
            "all replications of a point gave the same: what they draw, if they do, does not depend on the entropy and "
            'the number of the replication, as draws from sim.stream("name") do'
        )
    return found


def means(replication: Replication, level: float = 0.95) -> pd.DataFrame:
    """The mean of each response at each point, as texts, with half its confidence interval to two digits."""
    numbers = summary(replication, level)
    units = units_of(replication)
    texts = numbers[[]].copy()
    for name, unit in units.items():
        halves = numbers.get(f"+- {name}")
        cells = [
            with_interval(mean, float("nan") if halves is None else halves.iloc[place])
            for place, mean in enumerate(numbers[mean_column(name)])
        ]
        texts[f"{name} [{unit}]" if unit else mean_column(name)] = cells
    for name in COUNTS:
        if name in numbers:
            texts[name] = [str(count) for count in numbers[name]]
    if not replication.study.points.varied:
        texts.index = ["mean"]
    return texts.T if len(texts) <= max(BESIDE, len(units)) else texts


def with_interval(mean: float, half: float) -> str:
    """A mean and half its confidence interval, "7.85 +- 0.50": the half to two digits, the mean to as many places."""
    if not (isfinite(mean) and isfinite(half)):
        return readable(mean)
    if half == 0.0:
        return readable(mean)
    decimals = 1 - floor(log10(half))
    if not -3 < decimals < 9:
        return f"{mean:.6g} +- {half:.2g}"
    return f"{mean:.{max(decimals, 0)}f} +- {half:.{max(decimals, 0)}f}"
