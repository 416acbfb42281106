"""`sim.integral` while derivatives are needed: a state whose rate is the quantity, which has derivatives as others."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import TYPE_CHECKING, NoReturn

from eventide.analysis.sensitivity.dual import Dual, value_of
from eventide.analysis.sensitivity.events import is_near
from eventide.analysis.sensitivity.views import refuse
from eventide.continuous import Continuous
from eventide.declare import State, state
from eventide.monitor.observers import Observer, Phase

if TYPE_CHECKING:
    from eventide.analysis.sensitivity.dual_simulation import DualSimulation
    from eventide.analysis.sensitivity.tangents import Tangents


def _tangents_of(sim: DualSimulation) -> Tangents:
    assert sim.tangents is not None
    return sim.tangents


class Cumulated(Continuous):
    """The integral of a quantity from when it was made."""

    value: State = state(0.0)
    quantity: Callable[[], float]
    is_dual: Callable[[], bool]
    locate_branches = False

    def equations(self) -> None:
        """Its rate is the quantity; a float for the integration, as the parameters it reads may be dual numbers."""
        found = self.quantity()
        self.rate.value = found if self.is_dual() else value_of(found)


class DualIntegral:
    """Stands for an `Integral`: value and average have derivatives; extremes have none that are known."""

    def __init__(self, sim: DualSimulation, quantity: Callable[[], float], unit: str) -> None:
        tangents = _tangents_of(sim)
        self._sim, self._unit = sim, unit
        tangents.functions.take_in(quantity)
        self._state = Cumulated(sim, quantity=quantity, is_dual=lambda: tangents.is_dual).start()
        self.reset()
        sim.monitor.add_observer(_Comparisons(sim, quantity))

    @property
    def unit_of_value(self) -> str:
        """The unit of the integral, as text."""
        return f"{self._unit} {self._sim.time_unit}".strip()

    def reset(self) -> None:
        """Restart at the present time."""
        self._begun, self._base = self._now(), self._state.value

    def stop(self) -> None:
        """Integrate no longer; what is known stays."""
        self._state.stop()

    @property
    def value(self) -> float | Dual:
        """The integral."""
        return self._state.value - self._base

    @property
    def elapsed(self) -> float | Dual:
        """Time since it was made or last reset."""
        return self._now() - self._begun

    @property
    def average(self) -> float | Dual:
        """The average over time."""
        elapsed = self.elapsed
        return self.value / elapsed if value_of(elapsed) else nan

    def _now(self) -> float | Dual:
        """The time, with its derivatives at an event that moves."""
        tangents = _tangents_of(self._sim)
        now = self._sim.instant
        return Dual(tangents.space, now, tangents.moved) if tangents.moved.any() else now

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(f"the {name} of sim.integral")


class _Comparisons(Observer):
    """Looks at the comparisons of a quantity at the end of each step: what changes between events is not located."""

    def __init__(self, sim: DualSimulation, quantity: Callable[[], object]) -> None:
        self._sim, self._quantity = sim, quantity
        self._outcomes: list[bool] | None = None

    def _observe(self, phase: Phase) -> None:
        tangents = _tangents_of(self._sim)
        with self._sim.events_met.with_time(), tangents.watch() as comparisons:
            self._quantity()
        outcomes = [outcome for _, outcome in comparisons]
        if phase is not Phase.AFTER and self._outcomes not in (None, outcomes):
            # On the way into an event its own comparison has just changed; after it all begin again.
            if not any(is_near(difference, self._sim.instant) for difference, _ in comparisons):
                refuse(
                    "a comparison in the function of sim.integral that changes between events, before time "
                    f"{self._sim.instant!r} (the law of a state whose rate is the quantity locates it)"
                )
            return
        self._outcomes = outcomes
