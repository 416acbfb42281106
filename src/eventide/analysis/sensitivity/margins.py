"""Conditions that nearly become true: their events are in no derivative, and a small change may bring them.

In: each step of a run with derivatives. Out: how close a comparison of a condition has come to its change, where it
turns back between two ends of a step. Source: the cubic of its values and rates at both ends (Hermite).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.analysis.sensitivity.dual import Dual, UndifferentiableError
from eventide.discrete.conditions.condition import conditions_of
from eventide.monitor.observers import Observer, Phase

if TYPE_CHECKING:
    from eventide.analysis.sensitivity.events import Events
    from eventide.discrete.conditions.condition import Condition

NEAR: Final = 1e3
"""A distance of at most this many tolerances is near."""


class Margins(Observer):
    """Looks at the conditions of one simulation at the end of each step."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._closest: dict[str, tuple[float, float]] = {}
        self._before: tuple[float, dict[tuple[int, int], tuple[float, float]]] = (0.0, {})
        self._kept: list[Condition] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """A line for each condition that has come close."""
        return tuple(
            f"the condition of {name} comes within {margin:.2g} of its change at about time {time:.6g}, and turns "
            "back: the tolerances cannot tell this from touching, and where an input is varied the event may take place"
            for name, (time, margin) in self._closest.items()
        )

    def _observe(self, phase: Phase) -> None:
        """The end of a step, or of an event: its start is where the next look compares with."""
        now, found, names = self._events.sim.instant, *self._look()
        start, before = self._before
        if phase is not Phase.AFTER and now > start:
            for key, (value, speed) in found.items():
                if key in before:
                    self._compare(names[key[0]], start, now, (*before[key], value, speed))
        self._before = now, found

    def _look(self) -> tuple[dict[tuple[int, int], tuple[float, float]], dict[int, str]]:
        """By condition and number of its comparison: left minus right side, and its rate; the names of conditions."""
        found: dict[tuple[int, int], tuple[float, float]] = {}
        names: dict[int, str] = {}
        self._kept = list(conditions_of(self._events.sim))  # while an id is used its object lives
        if self._kept:
            with suppress(UndifferentiableError), self._events.with_time():
                for condition in self._kept:
                    names[id(condition)] = condition.name
                    for k, one in enumerate(self._events.differences(condition)):
                        if isinstance(one, Dual):
                            found[id(condition), k] = one.value, float(one.tangent[-1])
        return found, names

    def _compare(self, name: str, start: float, end: float, ends: tuple[float, float, float, float]) -> None:
        value, speed, later, later_speed = ends
        if not (value * later > 0.0 and value * speed < 0.0 < later * later_speed):
            return
        length = end - start
        rise, first, last = later - value, length * speed, length * later_speed
        # The derivative of the cubic: first + 2 b s + 3 c s**2 for s from 0 to 1.
        b, c = 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise
        for root in np.roots([3.0 * c, 2.0 * b, first]):
            if abs(root.imag) < 1e-12 and 0.0 <= root.real <= 1.0:
                s = float(root.real)
                margin = abs(value + s * (first + s * (b + s * c)))
                known = self._closest.get(name)
                if margin <= NEAR * self._events.tolerance() and (known is None or margin < known[1]):
                    self._closest[name] = start + s * length, margin
