"""The monitor: it brings the model from one event to the next.

Source: Helsgaun, COMBINEDSIMULATION manual, section 2 and appendix C, their two versions reconciled in DESIGN.md.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from eventide.continuous import Flow, System, check_limits
from eventide.continuous.flow import LATEST
from eventide.errors import SimulationError
from eventide.monitor.location import Search
from eventide.monitor.observers import Observer, Observers, Phase

if TYPE_CHECKING:
    from eventide.discrete.conditions import Condition
    from eventide.simulation import Simulation


class Monitor:
    """What a simulation does between two events.

    state_events    how many state events were located or found due
    """

    def __init__(self, sim: Simulation, system: System) -> None:
        self.sim = sim
        self.system = system
        self.flow = Flow(sim, system)
        self.observers = Observers()
        self.state_events = 0

    # --- from event to event --------------------------------------------------------------------------------------

    def advance(self, horizon: float) -> bool:
        """Bring the model to its next event, which is then first in the event list; False if there is none before."""
        sim = self.sim
        if self._has_nothing_to_do():
            sim._vigil = None
            return True
        sim.active = True
        try:
            check_limits(sim)
            self._after_event()
            while True:
                due = sim._calendar.next_time()
                if due <= sim.time:
                    return True
                if sim.time >= horizon:
                    return False
                condition = sim._conditions.first_due()
                if condition is not None:
                    self.state_events += 1
                    condition.fire(sim)
                    return True
                limit = min(due, horizon)
                if limit == inf:
                    if not self._has_prospect():
                        return False
                    limit = LATEST
                self._step(limit)
                if sim.time >= LATEST:
                    raise SimulationError(7, sim.time, "No condition has become true.")
        finally:
            sim.active = False

    def refresh(self) -> None:
        """Evaluate all laws and run all reporters at the present instant; arms no condition."""
        self.sim.active = True
        try:
            self.flow.settle()
            self.observers.observe_all(Phase.AFTER, self.sim.time)
        finally:
            self.sim.active = False

    def _after_event(self) -> None:
        self.flow.settle()
        self.observers.observe_all(Phase.AFTER, self.sim.time)
        self.sim._conditions.arm()

    def _step(self, limit: float) -> None:
        """Integrate one step, look for state events in it, let observers look, and end it."""
        sim, flow = self.sim, self.flow
        flow.integrate(limit)
        elapsed = self._first_state_event()
        is_event = elapsed is not None
        if elapsed is None:
            elapsed = flow.step
        self._observe_inside(elapsed)
        flow.close(elapsed)
        if is_event or sim.time >= limit:
            self.observers.observe_all(Phase.BEFORE, sim.time)
        else:
            self.observers.observe_grid(sim.time)
            self.observers.observe_step()

    def _first_state_event(self) -> float | None:
        conditions = self.sim._conditions
        return Search(self.flow, conditions, self.sim.dt_min).first() if len(conditions) else None

    def _observe_inside(self, elapsed: float) -> None:
        """Let periodic observers look at their instants strictly inside the part of the step that stands."""
        end = self.flow.time_at(elapsed)
        while (time := self.observers.next_time()) < end:
            self.flow.visit(self.flow.elapsed_at(time), time)
            self.observers.observe_grid(time)

    # --- whether anything can happen ------------------------------------------------------------------------------

    def _has_nothing_to_do(self) -> bool:
        return self.system.is_empty and not len(self.sim._conditions) and not len(self.observers)

    def _has_prospect(self) -> bool:
        """Whether a condition may become true although no time event is due and no end is set.

        Raises SimulationError 7 if a run begins with active states and nothing that could ever end it.
        """
        conditions = self.sim._conditions
        if any(self._may_become_true(condition) for condition in conditions):
            return True
        nobody_waits = self.sim.main is None and self.sim._goal is None
        if not self.system.is_empty and nobody_waits and self.sim._is_at_start:
            raise SimulationError(
                7, self.sim.time, "States are active, and no event can end this run: give run(until=...) a time."
            )
        return False

    def _may_become_true(self, condition: Condition) -> bool:
        return not self.system.is_empty or _reads_time(condition.test)

    # --- observers ------------------------------------------------------------------------------------------------

    def add_observer(self, observer: Observer) -> None:
        """Let an observer look from now on."""
        self.observers.add(observer, self.sim.time)
        self.sim._watch()


def _reads_time(test: object) -> bool:
    """Whether a condition's code mentions the time, so that it may become true as time goes by."""
    code = getattr(test, "__code__", None)
    return code is None or "time" in code.co_names
