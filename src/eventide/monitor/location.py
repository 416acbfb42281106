"""The search for the first instant of a step at which a condition is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.discrete.conditions import Condition, Trigger

if TYPE_CHECKING:
    from eventide.continuous import Flow
    from eventide.discrete.conditions import ConditionList

HALVINGS: Final = 60
"""How often the first sample is moved towards the start of a step in search of a point where a trigger is false."""


class Search:
    """The conditions that may fire in one step, and from where on each may."""

    def __init__(self, flow: Flow, conditions: ConditionList, dt_min: float) -> None:
        self.flow = flow
        self.conditions = conditions
        self.dt_min = dt_min
        self._armed_from: list[tuple[Condition, float]] = []

    def first(self) -> float | None:
        """How much of the step passes until a condition is true; None if none is at its end.

        The answer is on the true side: some condition is true there and none was at most dt_min earlier. With
        dt_min = 0 these are neighbouring floats.
        Source: Helsgaun, COMBINEDSIMULATION manual, 2.1 and 3.29.12, corrected so that it ends and holds at its end.
        """
        self._collect()
        if not self._armed_from:
            return None
        low, high = 0.0, self.flow.step
        while high - low > self.dt_min:
            middle = max(low + (high - low) / 2, self.dt_min)
            if not self._is_between(low, middle, high):
                break
            if self._is_due(middle):
                high = middle
            else:
                low = middle
        self._arm(high)
        return high

    def _collect(self) -> None:
        """Test all conditions at the end of the step; those that may have fired inside it are candidates."""
        hidden: list[Trigger] = []
        for condition in self.conditions:
            is_true = bool(condition.test())
            if type(condition) is Trigger and not condition.armed:
                if is_true:
                    hidden.append(condition)
                else:
                    condition.armed = True
            elif is_true:
                self._armed_from.append((condition, 0.0))
        for trigger in hidden:
            self._uncover(trigger)

    def _uncover(self, trigger: Trigger) -> None:
        """A trigger that was true at the start and is true at the end may have been false between.

        A flight shorter than the step begins and ends on the surface: its trace is looked for ever nearer to the start.
        """
        elapsed = self.flow.step
        for _ in range(HALVINGS):
            elapsed /= 2
            if not self._is_between(0.0, elapsed, self.flow.step):
                return
            self.flow.visit(elapsed)
            if not trigger.test():
                self._armed_from.append((trigger, elapsed))
                return

    def _is_between(self, low: float, middle: float, high: float) -> bool:
        """Whether `middle` lies strictly between the others, also as a time."""
        when = self.flow.time_at
        return low < middle < high and when(low) < when(middle) < when(high)

    def _is_due(self, elapsed: float) -> bool:
        self.flow.visit(elapsed)
        return any(elapsed > start and condition.test() for condition, start in self._armed_from)

    def _arm(self, elapsed: float) -> None:
        for condition, start in self._armed_from:
            if type(condition) is Trigger and start < elapsed:
                condition.armed = True
