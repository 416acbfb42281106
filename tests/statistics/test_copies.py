"""A copy of a statistic goes on by itself, as one that was told the same from the start."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from types import SimpleNamespace
from typing import Any

import pytest

from eventide import statistics

clock = SimpleNamespace(time=0.0)


def level() -> statistics.Level:
    clock.time = 0.0
    return statistics.Level(clock=clock)


def set_level(level: statistics.Level, value: float) -> None:
    clock.time += 1.0
    level.set(value)


def quantiles(sketch: statistics.QuantileSketch) -> list[float]:
    return [sketch.quantile(q / 10) for q in range(11)]


CASES: dict[str, tuple[Callable[[], Any], Callable[[Any, float], None], Callable[[Any], object]]] = {
    "tally": (statistics.Tally, statistics.Tally.add, repr),
    "tally of moments": (lambda: statistics.Tally(keep=False), statistics.Tally.add, repr),
    "histogram": (lambda: statistics.Histogram(0.0, 10.0, 5), statistics.Histogram.add, lambda one: list(one.counts)),
    "level": (level, set_level, repr),
    "sketch": (statistics.QuantileSketch, statistics.QuantileSketch.add, quantiles),
    "batches": (statistics.RunningBatches, statistics.RunningBatches.add, lambda one: [one.count, one.mean]),
}


@pytest.mark.slow
@pytest.mark.parametrize("copied", [copy, deepcopy])
@pytest.mark.parametrize("case", CASES)
def test_a_copy_goes_on_by_itself(case: str, copied: Callable[[Any], Any]) -> None:
    make, tell, read = CASES[case]

    def told(*values: float) -> object:
        one = make()
        for value in values:
            tell(one, value)
        return read(one)

    first, others, more = [1.0, 2.0, 4.0] * 900, [3.0, 7.0] * 700, [9.0, 5.0] * 400
    expected = told(*first, *others), told(*first, *more)
    one = make()
    for value in first:
        tell(one, value)
    another, time = copied(one), clock.time
    for value in others:
        tell(one, value)
    found = read(one)
    clock.time = time
    for value in more:
        tell(another, value)
    assert (found, read(another)) == expected
