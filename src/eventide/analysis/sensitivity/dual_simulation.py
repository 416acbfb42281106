"""A simulation whose model code computes with dual numbers: what it comes to has its derivatives with it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from eventide.analysis.sensitivity.dual import Dual
from eventide.analysis.sensitivity.events import Events
from eventide.analysis.sensitivity.integrals import DualIntegral
from eventide.analysis.sensitivity.tangents import Companion, Conductor, Tangents
from eventide.analysis.sensitivity.views import Unseen, refuse
from eventide.compilation import make_integrator
from eventide.continuous import System, Variable
from eventide.declare.units import in_time_unit
from eventide.discrete.calendar import AT_END
from eventide.discrete.conditions.condition import conditions_of
from eventide.discrete.inside import calendar_of
from eventide.monitor.discrete_conditions import CLOCK
from eventide.monitor.guarded_conditions import WatchedConditions
from eventide.monitor.left_out import ForgottenComponents
from eventide.simulation import Simulation

if TYPE_CHECKING:
    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.layout import Layout
    from eventide.continuous.components.member import Member
    from eventide.continuous.storage.slot_storage import Slab, _Lone
    from eventide.discrete.commands import Activity
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.conditions.until import StateWait, Until


_OURS: Final = "eventide."


class DualSystem(System):
    """The states of such a simulation: each component made has companions for its derivatives."""

    def __init__(self, sim: DualSimulation) -> None:
        super().__init__(sim, make_integrator)
        give_slab = self.storage.give_slab

        def give(owner: Member, layout: Layout | _Lone) -> Slab:
            if isinstance(owner, Variable):
                refuse("loose variables: declare states of a component")
            return give_slab(owner, layout)

        self.storage.give_slab = give  # type: ignore[method-assign]  # of this simulation alone

    def adopt(self, component: Continuous, own: dict[str, object]) -> None:
        """Give a new component its slots, and its companion."""
        super().adopt(component, own)
        if isinstance(component, Companion | Conductor):
            return
        self.sim.tangents.adopt(component)  # type: ignore[attr-defined]  # a DualSimulation makes this system


class DualConditions(WatchedConditions):
    """The conditions of such a simulation: they are told of the numbers that stand in them as plain floats."""

    __slots__ = ()

    def _is_at_rest(self) -> bool:
        return False  # `Events` are told of the guard of each

    def _watch(self, condition: Condition) -> None:
        with _with_floats(self._integrator.sim):
            super()._watch(condition)

    def resume(self, wait: StateWait, test: Callable[[], object], priority: float, prior: bool) -> bool:
        """Wait again for what was waited for before."""
        with _with_floats(self._integrator.sim):
            return super().resume(wait, test, priority, prior)

    def take_up(self, wait: StateWait, until: Until) -> bool:
        """The same where only its rank is new."""
        with _with_floats(self._integrator.sim):
            return super().take_up(wait, until)


@contextmanager
def _with_floats(sim: object) -> Iterator[None]:
    """Meanwhile dual numbers may become plain floats."""
    assert isinstance(sim, DualSimulation)
    assert sim.tangents is not None
    space = sim.tangents.space
    was_open, space.is_open = space.is_open, False
    try:
        yield
    finally:
        space.is_open = was_open


class Guide:
    """Stands before the monitor: it is told of each event before the model's code is."""

    def __init__(self, sim: DualSimulation) -> None:
        self.sim = sim
        self.monitor = sim.monitor
        conditions_of(sim).__class__ = DualConditions

    def advance(self, horizon: float) -> object:
        """Bring the model to its next event, as the monitor does."""
        events, calendar = self.sim.events_met, calendar_of(self.sim)
        events.leave()
        notice = calendar.first()
        called = self.monitor.advance(horizon)
        if called is AT_END:
            events.enter(None, None)
        elif called is None:
            events.enter(notice, None)
        else:
            events.enter(None, self.monitor.integrator.chosen)
        return called

    def __getattr__(self, name: str) -> object:
        return getattr(self.monitor, name)


class DualSimulation(Simulation):
    """A simulation in which some numbers are dual.

    instant     the time as a float; `time` is a dual number for a model's code, where it depends on what is varied
    """

    def __init__(self, count: int, **options: Any) -> None:
        self.tangents: Tangents | None = None
        super().__init__(**options, compile=False, stepping="together")
        self.tangents = Tangents(self, count)
        self.events_met = Events(self.tangents)

    @property
    def instant(self) -> float:
        """The time."""
        time: float = CLOCK.__get__(self)
        return time

    @property
    def time(self) -> Any:
        """The time; only the model sees its derivatives."""
        now, tangents = CLOCK.__get__(self), self.tangents
        if tangents is None or not tangents.is_dual:
            return now
        asks = sys._getframe(1).f_globals.get("__name__", _OURS)
        if asks.startswith(_OURS):
            if tangents.moved.any() and asks in _CLOCKS:
                refuse(f"averages over time of {asks.rsplit('.', 1)[-1]}s, at an event that depends on what is varied")
            return now
        if tangents.clock_moves:
            tangent = np.zeros(tangents.count + 1)
            tangent[-1] = 1.0
            return Dual(tangents.space, now, tangent)
        return Dual(tangents.space, now, tangents.moved) if tangents.moved.any() else now

    @time.setter
    def time(self, time: float) -> None:
        CLOCK.__set__(self, time)

    @property
    def _continuum(self) -> System:
        made = self.__dict__.get("_made")
        if made is None:
            made = self.__dict__["_made"] = DualSystem(self)
            self._forgotten.besides = ForgottenComponents(made)
        return made

    @property
    def _hook(self) -> Any:
        if self.tangents is None:
            return None
        guide = self.__dict__.get("_guide")
        if guide is None:
            guide = self.__dict__["_guide"] = Guide(self)
        return guide

    @_hook.setter
    def _hook(self, hook: object) -> None:
        """Each event is told of, whether there is anything that moves or not."""

    def _hold(self, activity: Activity, duration: object, priority: float = 0.0) -> None:
        if isinstance(duration, Dual):
            duration = cast("Dual", in_time_unit(duration, self.time_unit, f"the hold of {activity.name}"))
            self.events_met.durations[activity] = duration.tangent
            duration = duration.value
        super()._hold(activity, duration, priority)

    def record(self, *subjects: object, **options: object) -> Any:
        """Record nothing: what a model makes of its recordings has no derivatives."""
        return Unseen("recordings")

    def integral(self, quantity: object, *, name: str = "", unit: str = "") -> Any:
        """A state whose rate is the quantity; of others than functions it is refused when it is read."""
        if self.tangents is None or not callable(quantity):
            return Unseen("sim.integral of what is no function (write sim.integral(lambda: ...))")
        return DualIntegral(self, quantity, unit)

    def close(self) -> None:
        """The names that were exchanged in the modules of the model are what they were."""
        assert self.tangents is not None
        self.tangents.functions.exchange(is_dual=False)


_CLOCKS: Final = frozenset({"eventide.statistics.level"})
"""Modules that weigh values by the time for which they last."""
