"""Stays in queues and at resources: which process or member waited or held units, from when to when."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from eventide.discrete import Process, Queue, Resource
from eventide.discrete.queue import VALUES
from eventide.errors import ModelError
from eventide.monitor import Observer, Phase
from eventide.observe.distinct_names import DistinctNames

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.discrete import Request
    from eventide.simulation import Simulation

State: TypeAlias = Literal["waits", "holds"]


class Stay(NamedTuple):
    """A stretch of time in which a process waited for or held units of a resource, or a member was in a queue.

    where       the name of the resource or queue
    who         the name of the process or member; of several processes of one name, with a number behind
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

    def __init__(self, sim: Simulation, *places: Resource | Queue[object]) -> None:
        first: object = sim
        if isinstance(first, Resource | Queue):
            raise ModelError(f"an Occupancy takes the simulation first, and got {sim!r}: write ev.Occupancy(sim, ...)")
        for place in places:
            if not isinstance(place, Resource | Queue):
                raise ModelError(f"an Occupancy takes resources and queues, and got {place!r}")
        if not places:
            raise ModelError("an Occupancy takes the resources and queues to look at, and got none")
        self.sim = sim
        self.places = places
        self._frequency = "event"
        self._names = DistinctNames()
        self._ended: list[Stay] = []
        self._present: dict[tuple[int, object, State], Stay] = {}
        sim._the_monitor.add_observer(self)

    def __repr__(self) -> str:
        count = len(self._ended) + len(self._present)
        return f"<{count} stays at {', '.join(place.name for place in self.places)}>"

    @property
    def stays(self) -> tuple[Stay, ...]:
        """The stays until now, by their start, including those that continue."""
        return tuple(sorted((*self._ended, *self._present.values()), key=lambda stay: stay.start))

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame with the fields of `Stay` as columns."""
        from eventide.libraries import pandas as pd

        frame = pd.DataFrame(self.stays, columns=list(Stay._fields))
        frame.attrs["units"] = {"start": self.sim.time_unit, "end": self.sim.time_unit}
        return frame

    def to_vidigi(self) -> pd.DataFrame:
        """The stays as an event log with the columns of vidigi, which animates the paths of entities.

        Its columns are entity_id, event_type ("arrival_departure", "queue", "resource_use", "resource_use_end"), event,
        time, resource_id (the unit of the resource, from 1 on) and pathway. An entity arrives with its first stay and
        departs at the end of its last; of a stay that continues there is no end.
        Source          vidigi's documentation, Event Logging
        """
        from eventide.libraries import pandas as pd

        rows: list[tuple[str, str, str, float, int | None]] = []
        units: dict[str, list[float]] = {}
        last: dict[str, float] = {}
        for stay in self.stays:
            if stay.who not in last:
                rows.append((stay.who, "arrival_departure", "arrival", stay.start, None))
            last[stay.who] = max(last.get(stay.who, stay.start), stay.end if stay.end == stay.end else inf)
            if stay.state == "waits":
                rows.append((stay.who, "queue", f"{stay.where}_wait", stay.start, None))
                continue
            unit = _free_unit(units.setdefault(stay.where, []), stay)
            rows.append((stay.who, "resource_use", f"{stay.where}_begins", stay.start, unit))
            if stay.end == stay.end:
                rows.append((stay.who, "resource_use_end", f"{stay.where}_ends", stay.end, unit))
        rows += [(who, "arrival_departure", "depart", end, None) for who, end in last.items() if end < inf]
        rows.sort(key=lambda row: row[3])
        names = {who: number for number, who in enumerate(last, start=1)}
        frame = pd.DataFrame(
            [(names[who], kind, event, time, unit, "model") for who, kind, event, time, unit in rows],
            columns=["entity_id", "event_type", "event", "time", "resource_id", "pathway"],
        )
        frame["resource_id"] = frame["resource_id"].astype("Int64")
        frame.attrs["entities"] = {number: who for who, number in names.items()}
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

    def _look(self) -> Iterator[tuple[tuple[int, object, State], Stay]]:
        for number, place in enumerate(self.places):
            if isinstance(place, Queue):
                for member in place:
                    who = str(getattr(member, "name", None) or member)
                    # Objects without an identity of their own are distinguished by value, as in the queue.
                    key = (member,) if type(member) in VALUES else id(member)
                    since = place.since(member)
                    if isinstance(member, Process):
                        who = self._names.of(member)
                    yield (number, (key, since), "waits"), Stay(place.name, who, "waits", 1, since, nan)
                continue
            for request in place.waiting:
                yield (number, request, "waits"), self._stay(request, "waits")
            for request in place.users:
                yield (number, request, "holds"), self._stay(request, "holds")

    def _stay(self, request: Request, state: State) -> Stay:
        who = self._names.of(request.process)
        return Stay(request.resource.name, who, state, request.units, request.since, nan)


def _free_unit(ends: list[float], stay: Stay) -> int:
    """The number of the first unit that is free when a stay begins; `ends` tells until when each is held."""
    until = stay.end if stay.end == stay.end else inf
    for place, end in enumerate(ends):
        if end <= stay.start:
            ends[place] = until
            return place + 1
    ends.append(until)
    return len(ends)
