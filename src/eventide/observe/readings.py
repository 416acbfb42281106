"""Readings: what the recordings of a run hold, at times that are given, exactly and without rows between them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from eventide.monitor import Observer, Phase
from eventide.observe.recording import Recording

if TYPE_CHECKING:
    import pandas as pd

    from eventide.simulation import Simulation


class Readings(Observer):
    """Reads every recorded quantity at some times, from the interpolant of the step that they are in.

    Recordings need no rows there, and the run is the same without it. At an event it reads the values before it.
    times       growing; those that the run does not reach have no row
    """

    _looks_at_will = True

    def __init__(self, sim: Simulation, times: Sequence[float]) -> None:
        self.times = tuple(times)
        self._sim = sim
        self._rows: list[dict[str, float]] = []
        sim._the_monitor.add_observer(self)

    def _next_time(self) -> float:
        return self.times[len(self._rows)] if len(self._rows) < len(self.times) else inf

    def _observe(self, phase: Phase) -> None:
        while self._next_time() <= self._sim.time:
            row: dict[str, float] = {}
            for recording in self._sim.recordings:
                if isinstance(recording, Recording):
                    for name, value in recording.present().items():
                        row.setdefault(name, value)
            self._rows.append(row)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each time that was reached, a column for each recorded quantity; objects of classes have none.

        `attrs["units"]` has the units by column.
        """
        from eventide.libraries import pandas as pd

        index = pd.Index(self.times[: len(self._rows)], name="time", dtype=float)
        frame = pd.DataFrame(self._rows, index=index, dtype=float)
        heads = [head for one in self._sim.recordings if isinstance(one, Recording) for head in one.columns]
        frame.attrs["units"] = {head.name: head.unit for head in reversed(heads)}
        return frame
