"""Who waited in a queue or held units of a resource, from when to when."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from eventide.discrete import Queue, Resource
from eventide.discrete.queue import VALUES
from eventide.errors import ModelError
from eventide.monitor import Observer, Phase

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.discrete import Request
    from eventide.simulation import Simulation

State: TypeAlias = Literal["waits", "holds"]


class Stay(NamedTuple):
    """A stretch of time that somebody waited for, or held, units of a resource, or stood in a queue.

    where       the name of the resource or queue
    who         the name of the process or member
    state       "waits" or "holds"
    units       how many
    start, end  from when to when; the end of one that goes on is NaN
    """

    where: str
    who: str
    state: State
    units: int
    start: float
    end: float


class Occupancy(Observer):
    """Notes all stays at some resources and queues from now on; looking changes nothing.

    Stays of no duration are left out. A look at every event takes time in proportion to those who are there.
    Example: `log = ev.Occupancy(sim, desk, row); sim.run(); log.plot()`
    """

    def __init__(self, sim: Simulation, *places: Resource | Queue[Any]) -> None:
        for place in places:
            if not isinstance(place, Resource | Queue):
                raise ModelError(f"an Occupancy takes resources and queues, and got {place!r}")
        if not places:
            raise ModelError("an Occupancy takes the resources and queues to look at, and got none")
        self.sim = sim
        self.places = places
        self._frequency = "event"
        self._ended: list[Stay] = []
        self._present: dict[tuple[int, Any, State], Stay] = {}
        sim._the_monitor.add_observer(self)

    @property
    def stays(self) -> tuple[Stay, ...]:
        """The stays so far, by their start, those that go on included."""
        return tuple(sorted((*self._ended, *self._present.values()), key=lambda stay: stay.start))

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame with the fields of `Stay` as columns."""
        import pandas as pd

        frame = pd.DataFrame(self.stays, columns=list(Stay._fields))
        frame.attrs["units"] = {"start": self.sim.time_unit, "end": self.sim.time_unit}
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a Gantt chart; answers the axes."""
        from eventide.view import plot_gantt

        return plot_gantt(self, ax)

    def _observe(self, phase: Phase) -> None:
        if phase is not Phase.AFTER:
            return
        now = self.sim.time
        seen = dict(self._look())
        for key in [key for key in self._present if key not in seen]:
            stay = self._present.pop(key)
            if now > stay.start:
                self._ended.append(stay._replace(end=now))
        for key, stay in seen.items():
            self._present.setdefault(key, stay)

    def _look(self) -> Iterator[tuple[tuple[int, Any, State], Stay]]:
        for number, place in enumerate(self.places):
            if isinstance(place, Queue):
                for member in place:
                    who = str(getattr(member, "name", None) or member)
                    # What has no identity of its own is told apart by its value, as the queue does.
                    key = (member,) if type(member) in VALUES else id(member)
                    since = place.since(member)
                    yield (number, (key, since), "waits"), Stay(place.name, who, "waits", 1, since, nan)
                continue
            for request in place.waiting:
                yield (number, request, "waits"), _stay(request, "waits")
            for request in place.users:
                yield (number, request, "holds"), _stay(request, "holds")


def _stay(request: Request, state: State) -> Stay:
    return Stay(request.resource.name, request.process.name, state, request.units, request.since, nan)
