"""Stays in queues and at resources: which process or member waited or held units, from when to when."""

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
    """A stretch of time in which a process waited for or held units of a resource, or a member was in a queue.

    where       the name of the resource or queue
    who         the name of the process or member
    state       "waits" or "holds"
    units       how many
    start, end  its times; the end is NaN while the stay continues
    """

    where: str
    who: str
    state: State
    units: int
    start: float
    end: float


class Occupancy(Observer):
    """Records all stays at some resources and queues from now on, without changing anything.

    Stays without duration are left out. The cost of each event is proportional to the number of present processes.
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
        """The stays until now, by their start, including those that continue."""
        return tuple(sorted((*self._ended, *self._present.values()), key=lambda stay: stay.start))

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame with the fields of `Stay` as columns."""
        import pandas as pd

        frame = pd.DataFrame(self.stays, columns=list(Stay._fields))
        frame.attrs["units"] = {"start": self.sim.time_unit, "end": self.sim.time_unit}
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a Gantt chart; returns the axes."""
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
                    # Objects without an identity of their own are distinguished by value, as in the queue.
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
