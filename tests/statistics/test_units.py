"""Values with a unit are brought to that of the statistic that gets them, or refused."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

import eventide as ev

pytest.importorskip("pint")

CLOCK = SimpleNamespace(time=0.0)


def hours(value: float) -> ev.Quantity:
    return ev.Quantity(value, unit="h")


def test_values_with_units_are_converted() -> None:
    tally, level = ev.Tally(unit="min"), ev.Level(hours(1.0), clock=CLOCK, unit="min")
    histogram = ev.Histogram(0.0, 120.0, 4, unit="min")
    found = [level.value]
    for value in (hours(1.5), ev.Quantity(5.0, unit="min"), ev.Quantity(6.0), 7):
        tally.add(value)
        histogram.add(value)
        level.set(value)
        found.append(level.value)
    level.change(hours(-0.5))
    assert [found, level.value, list(tally.values), list(histogram.counts)] == [
        [60.0, 90.0, 5.0, 6.0, 7],
        -23.0,
        [90.0, 5.0, 6.0, 7.0],
        [3, 0, 0, 1],
    ]


TELL: dict[str, tuple[str, Callable[[], object]]] = {
    "tally": ("tally 'w'", lambda: ev.Tally("w", "m").add(hours(1.0))),
    "histogram": ("histogram 'w'", lambda: ev.Histogram(0.0, 1.0, 1, name="w", unit="m").add(hours(1.0))),
    "level": ("level 'w'", lambda: ev.Level(clock=CLOCK, name="w", unit="m").set(hours(1.0))),
    "change": ("level 'w'", lambda: ev.Level(clock=CLOCK, name="w", unit="m").change(hours(1.0))),
    "initial": ("level 'w'", lambda: ev.Level(hours(1.0), clock=CLOCK, name="w", unit="m")),
}


@pytest.mark.parametrize("what", TELL)
def test_units_that_cannot_be_converted_are_refused(what: str) -> None:
    whose, tell = TELL[what]
    with pytest.raises(ev.ModelError, match=f"^{whose} is in m, and got 1.0 h, which cannot be converted"):
        tell()
