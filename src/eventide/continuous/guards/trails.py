"""Trails: how often a condition has fired of late, and how its intervals shrink, to detect Zeno behaviour.

A trail belongs to the name of the waiting process or object and the code of the condition. It continues when a process
waits again for the same condition, and when another object takes the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.continuous.storage.growable_arrays import float_table
from eventide.engine.records import TrailRecord
from eventide.engine.zeno import MOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.discrete.conditions.condition import Condition

KEPT: Final = 4096
"""The most trails that are kept of conditions that are not waited for."""


class Trail:
    """One trail, to look at.

    name, code  whose condition it is, and its code
    serial      the number of its first firing among those of all; 0 if it has not fired
    time        when it fired last; interval, ratio, steady: how long after the time before, by which factor that has
                shrunk, and how often in a row by that factor
    crowd       how often in a row it fired while time hardly went on, since the time `since`
    """

    def __init__(self, name: str, code: object, trail: TrailRecord, number: int) -> None:
        self.name = name
        self.code = code
        self.serial, self.time, self.since = trail.serial[number], trail.fired_at[number], trail.since[number]
        self.interval, self.ratio = trail.interval[number], trail.ratio[number]
        self.steady, self.crowd = int(trail.steady[number]), int(trail.crowd[number])
        self._trail, self._number = trail, number

    @property
    def identity(self) -> tuple[str, object]:
        """As of a condition."""
        return self.name, self.code

    def go_on(self, *, looks: int) -> None:
        """Time has advanced, and the states with it; after `looks` checks this is believed for a while."""
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
        """It begins again when it fires next."""
        self._trail.floats[self._number] = 0.0


class Trails:
    """The trails of one simulation: a row for each.

    floats  the table; `trail` names its columns
    """

    def __init__(self, on_growth: Callable[[], None]) -> None:
        self.trail = TrailRecord()
        self.floats = float_table(self.trail, on_growth)
        # Code is compared by identity: to hash it takes long, and equal code may stand in several places.
        self._numbers: dict[int, dict[str, int]] = {}
        # By number; in lists, as what would be an object for each trail is one more for the collector to visit.
        self._names: list[str] = []
        self._codes: list[object] = []
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
