"""Firing histories: how often conditions fired recently, and how their intervals shrink, to detect Zeno behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.engine.zeno import MOST

if TYPE_CHECKING:
    from eventide.engine.records import HistoryRecord


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
