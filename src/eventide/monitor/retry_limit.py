"""The limit for `integration_error`: how often it may repeat or accept a step without time advancing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.errors import SimulationError

if TYPE_CHECKING:
    from eventide.continuous import Variable
    from eventide.simulation import Simulation

MOST: Final = 1000
"""The largest number of consecutive integration errors ..."""
SAME: Final = 1e-12
"""... within this fraction of the time (of 1, if that is more)."""


class RetryLimit:
    """Counts integration errors while time barely advances."""

    def __init__(self) -> None:
        self._since = 0.0
        self._count = 0

    def spend(self, variable: Variable, time: float, sim: Simulation) -> None:
        """Note that a step from `time` cannot be made accurately enough.

        Raises SimulationError 1 if `integration_error` was called 1,000 times while time barely advanced.
        """
        if abs(time - self._since) > SAME * max(1.0, abs(time)):
            self._since, self._count = time, 0
        self._count += 1
        if self._count > MOST:
            raise SimulationError(
                1,
                time,
                f"integration_error was called {MOST} times for {variable.name}, and time does not advance: repeat a "
                f"step after a change that helps, or accept it with a larger dt_min (now {sim.dt_min!r}).",
                variable=variable,
            )
