"""FiringHistories: how often conditions have fired of late, followed by the stepper."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.guards import guards
from eventide.engine import zeno


class Wait:
    """As much of a condition as histories need."""

    def __init__(self, name: str, code: Any) -> None:
        self.identity = name, code


def some_code() -> None:
    """Whose code some conditions have."""


CODE = some_code.__code__


def followed() -> guards.FiringHistories:
    return guards.FiringHistories(lambda: None)


def fire(kept: guards.FiringHistories, number: int, time: float) -> None:
    """As the stepper notes it."""
    history = kept.history
    if history.serial[number] == 0.0:
        history.serial[number] = 1 + np.count_nonzero(history.serial)
    history.fired_at[number] = time


@given(st.floats(min_value=1e-290, max_value=sys.float_info.max / 2), st.booleans())
def test_spacing_is_that_to_the_next_larger_float(size: float, is_negative: bool) -> None:
    assert zeno.spacing_at(-size if is_negative else size) == math.ulp(size)


def test_spacing_at_nothing_is_none() -> None:
    assert zeno.spacing_at(0.0) == 0.0


def test_conditions_of_one_name_and_code_share_a_trail() -> None:
    kept = followed()
    one = kept.follow(Wait("ball", CODE))
    other = kept.follow(Wait("ball", test_spacing_at_nothing_is_none.__code__))
    again = kept.follow(Wait("ball", CODE))
    assert (one == again, one != other) == (True, True)


def test_a_trail_is_kept_when_nobody_waits() -> None:
    kept = followed()
    number = kept.follow(Wait("ball", CODE))
    fire(kept, number, 3.0)
    kept.leave(number)
    assert kept.follow(Wait("ball", CODE)) == number
    assert (kept.at(number).time, kept.at(number).name) == (3.0, "ball")


def test_a_trail_that_never_fired_is_not_kept() -> None:
    kept = followed()
    kept.leave(kept.follow(Wait("ball", CODE)))
    assert (kept._numbers, kept._unused, kept._codes) == ({}, {}, [None])


def test_of_too_many_trails_that_nobody_waits_on_the_latest_half_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "MOST_HISTORIES", 4)
    kept = followed()
    used = kept.follow(Wait("used", CODE))
    fire(kept, used, -1.0)
    for k in range(5):
        number = kept.follow(Wait(f"ball {k}", CODE))
        fire(kept, number, float(k))
        kept.leave(number)
    assert [history.name for history in kept.all()] == ["used", "ball 2", "ball 3", "ball 4"]


class Level(ev.Continuous):
    level: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.level = 1.0


def test_who_waits_again_for_another_number_or_object_waits_for_that() -> None:
    sim = ev.Simulation(rng=1)
    one, other = Level(sim).start(), Level(sim, level=-0.25).start()
    times = []

    def one_wait(tank: Level, awaited: float) -> ev.ProcessGenerator:
        # Nobody gives these names another value: that would be looked for after each event.
        yield ev.until(lambda: tank.level >= awaited)

    def waiting() -> ev.ProcessGenerator:
        for tank, awaited in [(one, 1.0), (other, 1.0), (other, 2.0), (one, 4.0)]:
            yield from one_wait(tank, awaited)
            times.append((sim.time, tank is other))

    sim.process(waiting())
    sim.run(until=10.0)
    wanted = [(1.0, False), (1.25, True), (2.25, True), (4.0, False)]
    assert [which for _, which in times] == [which for _, which in wanted]
    assert [time for time, _ in times] == pytest.approx([time for time, _ in wanted], abs=1e-9)
