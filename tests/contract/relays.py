"""A relay and what its runs are compared with, as several files of these tests use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev

Make = Callable[..., ev.Simulation]


TIGHT = {"abs_error": 1e-10, "rel_error": 1e-10}


def story(log: Any) -> list[tuple[float, str]]:
    """When who acted."""
    return [(entry.time, entry.who) for entry in log]


def close(*expected: tuple[float, str]) -> list[tuple[Any, str]]:
    return [(pytest.approx(time, abs=1e-9), who) for time, who in expected]


class Relay(ev.Continuous):
    """x' = -sign(x) + drift * t + load."""

    x: ev.State = ev.state(1.0)
    clock: ev.State = ev.state(0.0)
    side: float = -1.0
    gain: float = 1.0
    drift: float = 0.0
    load: float = 0.0
    switches: int = 0

    def equations(self) -> None:
        self.rate.clock = 1.0
        self.rate.x = self.side + self.drift * self.clock + self.load

    @ev.when(lambda self: self.x < 0.0)
    def below(self) -> None:
        self.side = self.gain
        self.switches += 1

    @ev.when(lambda self: self.x > 0.0)
    def above(self) -> None:
        self.side = -self.gain
        self.switches += 1

    sliding = above.slides(below)


class Follower(Relay):
    """Its handler waits for what slides; beside it another member comes."""

    level: float = 0.0
    fired: int = 0
    news: bool = False
    ahead: Follower | None = None

    def equations(self) -> None:
        super().equations()
        if self.ahead is not None:
            self.rate.x += 0.0 * self.ahead.x

    @ev.when(lambda self: self.x + self.level < self.clock * 0.1)
    def falls_behind(self) -> None:
        self.fired += 1
        self.load += 0.03125
        if self.news:
            Follower(self.sim, name="other", load=0.25, x=5.0, level=9.0, ahead=self).start()
