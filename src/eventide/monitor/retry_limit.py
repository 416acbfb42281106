"""How long `integration_error` may go on repeating or accepting a step without time going on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.errors import SimulationError

if TYPE_CHECKING:
    from eventide.continuous import Variable
    from eventide.simulation import Simulation

MOST: Final = 1000
"""So many errors of integration may be met one after the other ..."""
SAME: Final = 1e-12
"""... within this share of the time (of 1, if that is more)."""


class Patience:
    """Counts errors of integration that are met where time hardly goes on."""

    def __init__(self) -> None:
        self._since = 0.0
        self._count = 0

    def spend(self, variable: Variable, time: float, sim: Simulation) -> None:
        """Note that a step from `time` cannot be made accurately enough.

        Raises SimulationError 1 if `integration_error` has been asked 1,000 times and time has hardly gone on.
        """
        if abs(time - self._since) > SAME * max(1.0, abs(time)):
            self._since, self._count = time, 0
        self._count += 1
        if self._count > MOST:
            raise SimulationError(
                1,
                time,
                f"integration_error was asked {MOST} times about {variable.name}, and time does not go on: repeat a "
                f"step after a change that helps, or accept it with a dt_min (now {sim.dt_min!r}) that can be seen.",
                variable=variable,
            )
