"""How often a condition has fired of late, and how its intervals shrink: what tells that a model stops advancing.

A trail belongs to whoever waits, by name, and the code of the condition: it goes on when a process waits again for the
same thing, and when another object takes the name. `note_firing` is also translated to native code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from eventide.continuous.growing import float_table
from eventide.continuous.location import SPACING
from eventide.continuous.records import Arrays, TrailRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.discrete.conditions import Condition

MOST: Final = 1000
"""So many times in a row may one condition fire while time hardly goes on."""
FLOATS: Final = 16
"""Time hardly goes on if it does by so many floats or less, or by 2 dt_min or less."""
SUSPECT: Final = 2
"""ALERT when a condition has fired so often that it is to be looked at whether its states move at all."""
STEADILY: Final = 8
"""So many times in a row must the intervals shrink by one ratio ..."""
STEADILY_IF_FAST: Final = 3
"""... or so many times, if they shrink to less than FAST, as there is no room for more."""
FAST: Final = 0.1
SAME: Final = 0.01
"""How far ratios may differ, as a share, and count as one."""
NEAR: Final = 1e-8
"""The end of the intervals is near when it is ahead by less than this share of the time (of 1, if that is more)."""
PATIENCE: Final = 1000.0
"""Where they have shrunk so often in a row their ratio tends to 1: the end is near NEARER times as far for each."""
NEARER: Final = 0.1
KEPT: Final = 4096
"""So many trails are kept in mind of what is not waited for."""


def note_firing(a: Arrays, c: int, time: float) -> None:
    """A condition fires: ALERT tells whether it has done so too often while time hardly went on, or is about to.

    Where it has fired 1,000 times while time went on, whoever looks at it ends the crowd, or lets it grow.
    """
    a.run.alert = 0
    t = a.guard.trail[c]
    if a.trail.serial[t] == 0.0:
        a.run.firings += 1
        a.trail.serial[t] = a.run.firings
        a.trail.fired_at[t] = time
        a.trail.since[t] = time
        return
    interval = time - a.trail.fired_at[t]
    a.trail.fired_at[t] = time
    if interval <= max(2.0 * a.run.dt_min, FLOATS * spacing_at(time)):
        a.trail.crowd[t] += 1.0
        if a.trail.crowd[t] >= MOST:
            a.run.alert = 1
    else:
        a.trail.passed[t] += 1.0
        if a.trail.passed[t] > MOST:
            a.run.alert = SUSPECT
        else:
            a.trail.crowd[t] = 0.0
            a.trail.since[t] = time
    if interval > 0.0:
        lengthen(a, t, interval)
    if ahead_of(a, t, time) > 0.0 and a.trail.told[t] == 0.0:
        a.run.alert = 1


def spacing_at(time: float) -> float:
    """How far it is from a float to the next larger one; 0 among the very smallest."""
    size = abs(time)
    return (size + size * (0.55 * SPACING)) - size


def lengthen(a: Arrays, t: int, interval: float) -> None:
    """A trail goes on after an interval."""
    if a.trail.interval[t] > 0.0:
        before, ratio = a.trail.ratio[t], interval / a.trail.interval[t]
        is_steady = ratio < 1.0 and abs(ratio - before) <= SAME * before
        a.trail.steady[t] = a.trail.steady[t] + 1.0 if is_steady else 0.0
        a.trail.ratio[t] = ratio
        if ratio >= 1.0:
            a.trail.told[t] = 0.0
    a.trail.interval[t] = interval


def ahead_of(a: Arrays, t: int, time: float) -> float:
    """How far ahead infinitely many events will have been; 0 if intervals do not shrink steadily, or that is far."""
    ratio = a.trail.ratio[t]
    if not 0.0 < ratio < 1.0 or a.trail.steady[t] < (STEADILY_IF_FAST if ratio < FAST else STEADILY):
        return 0.0
    ahead = a.trail.interval[t] * ratio / (1.0 - ratio)
    near = NEAR * max(1.0, abs(time))
    if a.trail.steady[t] >= PATIENCE:
        near *= NEARER * a.trail.steady[t]
    near = max(10.0 * a.run.dt_min, near)
    return ahead if ahead < near else 0.0


class Trail:
    """One trail, to look at.

    name, code  whose condition it is, and its code
    serial      the number of its first firing among those of all; 0 if it has not fired
    time        when it fired last; interval, ratio, steady: how long after the time before, by which factor that has
                shrunk, and how often in a row by that factor
    crowd       how often in a row it fired while time hardly went on, since the time `since`
    """

    def __init__(self, name: str, code: Any, trail: TrailRecord, number: int) -> None:
        self.name = name
        self.code = code
        self.serial, self.time, self.since = trail.serial[number], trail.fired_at[number], trail.since[number]
        self.interval, self.ratio = trail.interval[number], trail.ratio[number]
        self.steady, self.crowd = int(trail.steady[number]), int(trail.crowd[number])
        self._trail, self._number = trail, number

    @property
    def identity(self) -> tuple[str, Any]:
        """As of a condition."""
        return self.name, self.code

    def go_on(self, *, looks: int) -> None:
        """Time has gone on, and the states with it; after so many looks that is believed for a while."""
        trail, number = self._trail, self._number
        trail.crowd[number], trail.since[number] = 0.0, self.time
        if trail.passed[number] > MOST + looks:
            trail.passed[number] = 0.0

    def stay(self) -> None:
        """The states have hardly moved."""
        self.crowd += 1
        self._trail.crowd[self._number] += 1.0

    @property
    def is_told(self) -> bool:
        """Whether it has been warned of."""
        return bool(self._trail.told[self._number])

    def tell(self) -> None:
        """It has been warned of."""
        self._trail.told[self._number] = 1.0

    def end(self) -> None:
        """It begins anew when it fires next."""
        self._trail.floats[self._number] = 0.0


class Trails:
    """The trails of one simulation: a row for each.

    floats  the table; `trail` names its columns
    """

    def __init__(self, on_growth: Callable[[], None]) -> None:
        self.trail = TrailRecord()
        self.floats = float_table(self.trail, on_growth)
        # Code is told apart by identity: to hash it takes long, and equal code may stand in several places.
        self._numbers: dict[int, dict[str, int]] = {}
        # By number; in lists, as what would be an object for each trail is one more for the collector to visit.
        self._names: list[str] = []
        self._codes: list[Any] = []
        self._users: list[int] = []
        self._unused: dict[int, None] = {}

    def follow(self, condition: Condition) -> int:
        """The trail of a condition that is waited for from now on."""
        name, code = condition.identity
        numbers = self._numbers.get(id(code))
        if numbers is None:
            numbers = self._numbers[id(code)] = {}
        number = numbers.get(name)
        if number is None:
            number = numbers[name] = self.floats.allocate()
            if number == len(self._names):
                self._names.append(name)
                self._codes.append(code)
                self._users.append(1)
            else:
                self._names[number], self._codes[number], self._users[number] = name, code, 1
            return number
        if not self._users[number]:
            del self._unused[number]
        self._users[number] += 1
        return number

    def leave(self, number: int) -> None:
        """A condition with this trail is waited for no longer."""
        self._users[number] -= 1
        if self._users[number]:
            return
        if self.trail.serial[number] == 0.0:
            self._drop(number)
            return
        self._unused[number] = None
        if len(self._unused) > KEPT:
            for other in list(self._unused)[: KEPT // 2]:
                del self._unused[other]
                self._drop(other)

    def _drop(self, number: int) -> None:
        code = id(self._codes[number])
        numbers = self._numbers[code]
        del numbers[self._names[number]]
        if not numbers:
            del self._numbers[code]
        self._names[number], self._codes[number] = "", None
        self.floats.release(number)

    def has_gone_on(self, number: int) -> bool:
        """Whether a condition with this trail has fired more than once."""
        trail = self.trail
        return bool(trail.interval[number] > 0.0 or trail.crowd[number] > 0.0)

    def at(self, number: int) -> Trail:
        """The trail of a number."""
        return Trail(self._names[number], self._codes[number], self.trail, number)

    def all(self) -> list[Trail]:
        """All that have fired, in the order in which they fired first."""
        trails = [self.at(number) for numbers in self._numbers.values() for number in numbers.values()]
        return sorted((trail for trail in trails if trail.serial > 0.0), key=lambda trail: trail.serial)
