"""Firing histories: how often conditions fired recently, and how their intervals shrink, to detect Zeno behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.engine.memory.growable_arrays import float_table
from eventide.engine.records import HistoryRecord
from eventide.engine.zeno import MOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.discrete.conditions.condition import Condition

MOST_HISTORIES: Final = 4096
"""The most histories that are kept of conditions that are not waited for."""


class FiringHistory:
    """One history, to look at.

    name, code  whose condition it is, and its code
    serial      the number of its first firing among those of all; 0 if it has not fired
    time        when it fired last; interval, ratio, steady: how long after the time before, by which factor that has
                shrunk, and how often in a row by that factor
    slope       the rate of its event function as it fired, before what that changed; NaN without one
    crowd       how often in a row it fired while time hardly went on, since the time `since`
    """

    def __init__(self, name: str, code: object, history: HistoryRecord, number: int) -> None:
        self.name = name
        self.code = code
        self.serial, self.time, self.since = history.serial[number], history.fired_at[number], history.since[number]
        self.interval, self.ratio = history.interval[number], history.ratio[number]
        self.steady, self.crowd = int(history.steady[number]), int(history.crowd[number])
        self.slope = history.slope[number]
        self._history, self._number = history, number

    @property
    def identity(self) -> tuple[str, object]:
        """As of a condition."""
        return self.name, self.code

    def go_on(self, *, looks: int) -> None:
        """Time and states have advanced; after `looks` checks it is not checked again for a while."""
        history, number = self._history, self._number
        history.crowd[number], history.since[number] = 0.0, self.time
        if history.passed[number] > MOST + looks:
            history.passed[number] = 0.0

    def stay(self) -> None:
        """The states have hardly moved."""
        self.crowd += 1
        self._history.crowd[self._number] += 1.0

    def tell(self) -> None:
        """It has been warned of."""
        self._history.told[self._number] = 1.0

    def end(self) -> None:
        """It begins again when it fires next."""
        self._history.floats[self._number] = 0.0


class FiringHistories:
    """The histories of one simulation: how often each condition fired recently, a row for each.

    A history belongs to the name of the waiting process or object and the code of the condition. It continues when a
    process waits again for the same condition, and when another object takes the name.

    floats  the table; `history` names its columns
    """

    def __init__(self, on_growth: Callable[[], None]) -> None:
        self.history = HistoryRecord()
        self.floats = float_table(self.history, on_growth)
        # Code is compared by identity: to hash it takes long, and equal code may stand in several places.
        self._numbers: dict[int, dict[str, int]] = {}
        # By number; in lists, as what would be an object for each history is one more for the collector to visit.
        self._names: list[str] = []
        self._codes: list[object] = []
        self._users: list[int] = []
        self._unused: dict[int, None] = {}

    def follow(self, condition: Condition) -> int:
        """The history of a condition that is waited for from now on."""
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
        """A condition with this history is waited for no longer."""
        self._users[number] -= 1
        if self._users[number]:
            return
        if self.history.serial[number] == 0.0:
            self._drop(number)
            return
        self._unused[number] = None
        if len(self._unused) > MOST_HISTORIES:
            for other in list(self._unused)[: MOST_HISTORIES // 2]:
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
        """Whether a condition with this history has fired more than once."""
        history = self.history
        return bool(history.interval[number] > 0.0 or history.crowd[number] > 0.0)

    def at(self, number: int) -> FiringHistory:
        """The history of a number."""
        return FiringHistory(self._names[number], self._codes[number], self.history, number)

    def all(self) -> list[FiringHistory]:
        """All that have fired, in the order in which they fired first."""
        histories = [self.at(number) for numbers in self._numbers.values() for number in numbers.values()]
        return sorted((history for history in histories if history.serial > 0.0), key=lambda history: history.serial)
