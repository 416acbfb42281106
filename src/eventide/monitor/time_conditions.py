"""The times at which conditions on time alone become true, each the float at which the condition holds."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf
from types import CodeType
from typing import TYPE_CHECKING

from eventide.reading.time_conditions import solve, straight_steps

if TYPE_CHECKING:
    from eventide.discrete.conditions.condition import Condition
    from eventide.reading.time_conditions import Source, Steps
    from eventide.simulation import Simulation


class Instants:
    """The times at which conditions on time alone become true.

    varying     those that read what an event may change
    heap        their times; it may still hold past ones and those of removed conditions
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self._steps: dict[int, tuple[CodeType, Steps | None]] = {}
        self._due: dict[Condition, float] = {}
        self.varying: dict[Condition, tuple[Source, ...]] = {}
        self.heap: list[tuple[float, int, Condition]] = []
        self._serial = count()

    def add(self, condition: Condition) -> bool:
        """Look at a condition that is waited for from now on; whether it may be one on time alone."""
        code = getattr(condition.function, "__code__", None)
        if code is None:
            return False
        known = self._steps.get(id(code))
        if known is None:
            known = self._steps[id(code)] = code, straight_steps(code)
        if known[1] is None:
            return False
        self.sim._changes.note()
        self._solve(condition)
        return True

    def remove(self, condition: Condition) -> None:
        """A condition is not waited for any longer."""
        self._due.pop(condition, None)
        self.varying.pop(condition, None)

    def renew(self) -> None:
        """Solve again those that read what an event may have changed."""
        for condition, sources in list(self.varying.items()):
            for read, value in sources:
                now = read()
                if now is not value and not (type(now) is float and now == value):
                    self._solve(condition)
                    break

    def _solve(self, condition: Condition) -> None:
        steps = self._steps[id(condition.function.__code__)][1]
        assert steps is not None
        solution = solve(condition.function, condition.arguments, self.sim, steps)
        self.remove(condition)
        if solution.sources:
            self.varying[condition] = solution.sources
        if solution.time is not None:
            self._due[condition] = solution.time
            heappush(self.heap, (solution.time, next(self._serial), condition))

    def next_after(self, time: float) -> float:
        """The next instant after `time` at which one becomes true; infinity if there is none."""
        heap = self.heap
        while heap and (heap[0][0] <= time or self._due.get(heap[0][2]) != heap[0][0]):
            heappop(heap)
        return heap[0][0] if heap else inf

    def at(self, time: float) -> Iterator[Condition]:
        """Those that become true at an instant."""
        return (condition for condition, due in self._due.items() if due == time)
