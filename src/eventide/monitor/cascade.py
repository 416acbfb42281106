"""A model that stops advancing says so: events without end at one instant, or ever closer to one."""

from __future__ import annotations

import warnings
from math import ulp
from typing import TYPE_CHECKING, Any, Final, NoReturn
from weakref import ref

from eventide.continuous.tables import R, Y
from eventide.discrete.conditions import Condition, Trigger, describe_code
from eventide.errors import CascadeWarning, ModelError

if TYPE_CHECKING:
    from eventide.simulation import Simulation

MOST: Final = 1000
"""So many times in a row may one condition fire while time hardly goes on."""
FLOATS: Final = 16
"""Time hardly goes on if it does by so many floats or less, or by 2 dt_min or less."""
RESOLUTION: Final = FLOATS * 2.220446049250313e-16
"""Nor does it, for two conditions that fire in turn, if the states they read move by no more than this share."""
LOOKS: Final = 4
"""So many times it is looked at whether they do, before that is put off for as many events as above."""
STEADY: Final = 8
"""So many times in a row must the intervals shrink by one ratio ..."""
STEADY_IF_FAST: Final = 3
"""... or so many times, if they shrink to less than FAST, as there is no room for more."""
FAST: Final = 0.1
SAME: Final = 0.01
"""How far ratios may differ, as a share, and count as one."""
NEAR: Final = 1e-8
"""The end of the intervals is near when it is ahead by less than this share of the time (of 1, if that is more)."""
KEPT: Final = 4096
"""So many conditions are kept in mind."""


class _Trail:
    """When one condition fired last, how long after the time before, and how steadily the intervals shrink.

    fired       how often, since it was last seen to move on
    crowd       how often in a row it fired while time hardly went on, since the time `since`
    component   refers to whose handler it is, if that has one for the end; what is gone is not kept for this
    """

    __slots__ = (
        "_trigger",
        "code",
        "crowd",
        "fired",
        "interval",
        "is_told",
        "name",
        "ratio",
        "since",
        "steady",
        "time",
    )

    def __init__(self, condition: Condition, time: float) -> None:
        self.name, self.code = condition.key
        # What has fired is not kept alive: it may be the thousandth of its class that has come and gone.
        self._trigger = ref(condition) if isinstance(condition, Trigger) else None
        self.time = self.since = time
        self.interval = 0.0
        self.ratio = 0.0
        self.steady = 0
        self.crowd = self.fired = 0
        self.is_told = False

    @property
    def trigger(self) -> Trigger | None:
        """The handler's place in the list of conditions; None if it is not one, or has gone."""
        return self._trigger() if self._trigger is not None else None

    def lengthen(self, interval: float) -> None:
        """It has fired again."""
        if self.interval > 0.0:
            ratio = interval / self.interval
            is_steady = ratio < 1.0 and abs(ratio - self.ratio) <= SAME * self.ratio
            self.steady = self.steady + 1 if is_steady else 0
            self.ratio = ratio
            if ratio >= 1.0:
                self.is_told = False
        self.interval = interval

    def end(self, near: float) -> float | None:
        """When infinitely many events will have been, if that is steady and near."""
        if not 0.0 < self.ratio < 1.0 or self.steady < (STEADY_IF_FAST if self.ratio < FAST else STEADY):
            return None
        ahead = self.interval * self.ratio / (1.0 - self.ratio)
        return self.time + ahead if 0.0 < ahead < near else None


class Cascade:
    """Watches the state events of one run."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self._trails: dict[Any, _Trail] = {}
        self._suspects: dict[Any, tuple[float, list[float], Condition]] = {}

    def note(self, condition: Condition) -> Condition:
        """Note that a condition fires; answers who is to fire in its place, which as a rule is itself.

        If it fires 1,000 times in a row while time hardly goes on, or in turn with another condition of the same states
        while these hardly move (which is looked at from the 1,000th time on), or if its intervals shrink geometrically
        towards a time just ahead (Zeno), the handler that `accumulates` gave to it, or to one that fires in turn with
        it, is next. Without one ModelError is raised, which names conditions, window and remedy; with cascades="warn"
        the last kind is a warning.
        """
        time = self.sim.time
        key = condition.key
        if key is None:
            key = condition.key = condition.identity
        trail = self._trails.get(key)
        if trail is None:
            if len(self._trails) >= KEPT:
                self._forget()
            self._trails[key] = _Trail(condition, time)
            return condition
        interval, trail.time = time - trail.time, time
        if interval <= max(2.0 * self.sim.dt_min, FLOATS * ulp(time)):
            trail.crowd += 1
        else:
            trail.fired += 1
            if trail.fired > MOST and self._hardly_moves(condition, time):
                trail.crowd += 1
            else:
                trail.crowd, trail.since = 0, time
                if trail.fired > MOST + LOOKS:
                    trail.fired = 0
        if interval > 0.0:
            trail.lengthen(interval)
        if trail.crowd >= MOST:
            return self._settle(trail, time) or self._refuse(trail, time)
        end = trail.end(max(10.0 * self.sim.dt_min, NEAR * max(1.0, abs(time)))) if trail.steady else None
        if end is None or trail.is_told:
            return condition
        return self._settle(trail, end) or self._tell(trail, end, condition)

    def _hardly_moves(self, condition: Condition, time: float) -> bool:
        """Whether another condition of the same states has fired just before, as these were on its side by rounding.

        That they are on their way back is part of it: who fires together on the way through a level moves on.
        """
        motion = self.sim._continuum.motion
        moving = motion.watches.flow_of(condition).slots
        slots = tuple(slot for slot in condition.plan.looks_at if slot in moving)
        if not slots:
            return False
        numbers, rates = motion.arena.rows[Y], [motion.arena.rows[R][slot] for slot in slots]
        before, rates_before, other = self._suspects.get(slots, (time, rates, condition))
        self._suspects[slots] = time, rates, condition
        if other is condition or not self._is_back(other, rates_before, rates):
            return False
        size, rate = max(abs(numbers[slot]) for slot in slots), max(map(abs, rates))
        located = 2.0 * self.sim.dt_min * (rate + max(map(abs, rates_before)))
        return bool(rate * (time - before) <= RESOLUTION * size + located)

    def _is_back(self, other: Condition, before: list[float], now: list[float]) -> bool:
        """Whether the states are leaving the side of a condition that has fired; if that is over, by the rates."""
        measured = self.sim._continuum.motion.measure(other)
        if measured is not None:
            return measured[1] < 0.0
        return sum(one * two for one, two in zip(before, now, strict=True)) < 0.0

    def _forget(self) -> None:
        """Keep the half that fired last in mind."""
        self._suspects.clear()
        latest = sorted(self._trails.items(), key=lambda item: item[1].time)[-KEPT // 2 :]
        self._trails = dict(latest)

    def _cycle(self, trail: _Trail) -> list[tuple[Any, _Trail]]:
        """Those that fire in turn with one: since it fired the time before, or as often as it has in a crowd."""
        if trail.crowd >= MOST:
            return [(key, t) for key, t in self._trails.items() if t.time >= trail.since and t.crowd >= MOST // 2]
        return [(key, t) for key, t in self._trails.items() if t.time >= trail.time - trail.interval]

    def _settle(self, trail: _Trail, end: float) -> Condition | None:
        """Let the handler for the end of the cycle be next, its own first; None if there is none."""
        cycle = self._cycle(trail)
        for other in [trail, *(t for _, t in cycle)]:
            trigger = other.trigger
            if trigger is not None and trigger.settler is not None:
                trigger.end = end
                for key, _ in cycle:
                    del self._trails[key]
                return trigger
        return None

    def _tell(self, trail: _Trail, end: float, condition: Condition) -> Condition:
        """Raise or warn of events that come ever closer to a time."""
        names = ", ".join(t.name for _, t in self._cycle(trail) if t is not trail)
        text = (
            f"{trail.name} fires ever faster{f', in turn with {names}' if names else ''}: its last "
            f"{trail.steady + 2} intervals shrank by the factor {trail.ratio:.6g} each, to {trail.interval:.3g}, and "
            f"would end at time {end!r} after infinitely many events. Say what is then, by @handler.accumulates or "
            'handler.accumulates(ev.rest("velocity")), or let the handler end the motion when it has become small'
        )
        if self.sim.cascades != "warn":
            raise ModelError(text)
        warnings.warn(CascadeWarning(text), stacklevel=2)
        trail.is_told = True
        return condition

    def _refuse(self, trail: _Trail, time: float) -> NoReturn:
        """Raise the error of events without end where time hardly goes on."""
        cycle = [t for _, t in self._cycle(trail)]
        names = ", ".join(f"{t.name} ({t.crowd + 1} times)" for t in cycle)
        window = f"from {trail.since!r} to {time!r}"
        if len(cycle) == 2:
            one, other = (f"{t.name} [{describe_code(t.code)}]" for t in cycle)
            raise ModelError(
                f"chatter across a surface: {one} and {other} fire in turn, {trail.crowd + 1} times each {window}, as "
                "what follows each leads back to the other. Give them a band: let one fire at a level above that of "
                "the other. Or let one lead to the motion along the surface, with equations of its own"
            )
        if trail.since == time:
            raise ModelError(
                f"time does not go beyond {time!r}: {names} fired at this instant. A condition of `until` "
                "that is true now is due now: make it false before waiting for it again, for example by "
                "`and self.velocity < 0`, or wait for `crosses(...)`"
            )
        raise ModelError(
            f"time hardly goes on: {names} fired {window}. Let what follows each event lead away from its condition"
        )
