"""How a run begins and ends: a clock that nobody has set, a condition that it waits for, `sim.stop()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from eventide.discrete.conditions.until import until as wait_until
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.discrete.world import World


def wait_for(condition: Callable[[], object]) -> object:
    """The process that a run waits for if it is to end when a condition is true."""
    yield wait_until(condition)


class Halt:
    """The entry at the front of the event list that stops a run; it is no event."""

    __slots__ = ("_notice", "sim")
    _receiver = _value = _wait = None
    name = reason = "sim.stop()"

    def __init__(self, sim: World) -> None:
        self.sim = sim
        self._notice: Notice | None = None

    def _resume(self) -> NoReturn:
        raise StopIteration

    def _finish(self, result: object) -> bool:
        """The run is over, whatever it was waiting for."""
        self.sim._calendar.void += 1
        self.sim._is_halted = True
        return True


def check_clock(world: World, rested: tuple[float, float]) -> None:
    """Raise ModelError if the clock was set since the last run, whose end left it at this time, with this dt."""
    for name, before in zip(("time", "dt"), rested, strict=True):
        if getattr(world, name) != before:
            raise ModelError(
                f"sim.{name} was set, from {before!r} to {getattr(world, name)!r}, and the clock is eventide's: "
                "run(until=...) brings it forward, and the steps of equations are at most sim.dt_max"
            )
