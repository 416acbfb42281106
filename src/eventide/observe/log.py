"""The log of a run: what happened when and why, what it changed, and which processes it released.

While a log is active it replaces the monitor and the class of the event list, so that a run without one pays nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import Enum
from math import inf
from os import PathLike
from typing import TYPE_CHECKING, Final, NamedTuple, overload

import numpy as np

from eventide.continuous import Continuous, system_of
from eventide.continuous.components.member import layout_of, slots_of
from eventide.declare.showing import public_dir
from eventide.discrete.conditions.when import Trigger
from eventide.discrete.inside import generator_of, is_running, notice_of, wait_of
from eventide.discrete.periodic import Timer
from eventide.discrete.processes.endings import Ending, Interruption
from eventide.discrete.processes.process import Process, owner_of
from eventide.discrete.processes.reasons import what_is_awaited
from eventide.discrete.trace import name_of, tell_of_events
from eventide.errors import ModelError
from eventide.observe.distinct_names import DistinctNames
from eventide.observe.files import whole_file
from eventide.reading.description import describe_function

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous import Flow, Integrator
    from eventide.continuous.components.member import Member
    from eventide.continuous.storage.slot_storage import Occupant, Slab
    from eventide.discrete.calendar import Entry as Listed
    from eventide.discrete.calendar import Notice
    from eventide.discrete.trace import Occurrence
    from eventide.simulation import Simulation

MICROSECONDS: Final = 1e6
MOST_DIGITS: Final = 17
"""With this number of digits no two floats have the same text."""


class Change(NamedTuple):
    """A state, parameter or mode that an event has written: its name, its value before and after."""

    name: str
    before: float | str | Enum
    after: float | str | Enum

    def __str__(self) -> str:
        """With six digits, or as many as distinguish the values; texts and members of enumerations as in code."""
        before, after = self.before, self.after
        if isinstance(before, str | Enum) or isinstance(after, str | Enum):
            return f"{self.name}: {_in_code(before)} -> {_in_code(after)}"
        digits = next((n for n in range(6, MOST_DIGITS) if f"{before:.{n}g}" != f"{after:.{n}g}"), MOST_DIGITS)
        return f"{self.name}: {before:.{digits}g} -> {after:.{digits}g}"


class Entry(NamedTuple):
    """An event.

    time        its time
    kind        "state event", "handler", "period", "hold", "activation", "interrupt", "end", or "grant" of what was
                waited for
    who         the process or handler
    why         its cause, in words, as in `sim.trace`
    condition   the condition that became true, for a state event or handler, else empty
    wrote       the numbers, Booleans, texts and members of enumerations of continuous components that it changed
    released    the processes whose events it placed in the event list, in order
    cause       the number of the entry that placed it there; None for a hold, a condition, or the time before the log
    """

    time: float
    kind: str
    who: str
    why: str
    condition: str = ""
    wrote: tuple[Change, ...] = ()
    released: tuple[str, ...] = ()
    cause: int | None = None

    def __str__(self) -> str:
        parts = [f"{self.time:>12.6g}  {self.who}: {self.why}"]
        if self.condition:
            parts.append(f"condition {self.condition}")
        parts += map(str, self.wrote)
        if self.released:
            parts.append(f"released {', '.join(self.released)}")
        return "; ".join(parts)


class Wait(NamedTuple):
    """A stretch in which a process waited: from when to when, and for what."""

    who: str
    start: float
    end: float
    what: str


class EventLog(Sequence[Entry]):
    """The events of a run in their order; made by `sim.log()`, it begins there. Print it for reading.

    waits   what processes have waited for between their events
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self._beginning = sim.time
        self.waits: list[Wait] = []
        self._entries: list[Entry] = []
        self._names = DistinctNames()
        self._cases: tuple[list[str], list[str]] = [], []
        """Of each entry and of each wait whose it is, by a name that no other process has."""
        self._is_open = False
        self._activity: object = None
        self._actors: list[Process] = []
        self._released: list[str] = []
        self._causes: dict[int, tuple[Notice | None, int]] = {}
        self._since: dict[int, tuple[Process, float, str]] = {}
        self._slots = _Slots(sim)
        tell_of_events(sim, self)

    __dir__ = public_dir

    # --- as a sequence --------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        self._close()
        return self._entries[index]

    def __iter__(self) -> Iterator[Entry]:
        self._close()
        return iter(self._entries)

    def __str__(self) -> str:
        none = f"no events since this log began, at time {self._beginning:.6g}"
        return "\n".join(str(entry) for entry in self) or none

    def __repr__(self) -> str:
        return f"<log of {len(self)} events>"

    def _close(self) -> None:
        """Complete the last event, so that the log can be read after a run."""
        if not is_running(self.sim):
            self.end()

    # --- as a recorder ---------------------------------------------------------------------------------------------

    def begin(self, notice: Notice, occurrence: Occurrence) -> None:
        """An event begins: the wait that it ends is over."""
        activity = notice[3]
        process = owner_of(activity)
        self._is_open, self._activity = True, activity
        self._actors, self._released = [] if process is None else [process], []
        kind, condition = self._kind_and_condition(activity, occurrence.why, process)
        placed, cause = self._causes.pop(id(activity), (None, None))
        cause = cause if placed is notice else None
        self._entries.append(Entry(occurrence.time, kind, occurrence.who, occurrence.why, condition, (), (), cause))
        self._cases[0].append(occurrence.who if process is None else self._names.of(process))
        if process is not None:
            self._end_wait(process, occurrence.time)
        self._slots.begin()

    def _kind_and_condition(self, activity: object, why: str, process: Process | None) -> tuple[str, str]:
        if isinstance(activity, Trigger):
            return "handler", describe_function(activity.function)
        if isinstance(activity, Timer):
            return "period", ""
        if isinstance(activity, Interruption):
            return ("end" if isinstance(activity, Ending) else "interrupt"), ""
        if "condition true" in why:
            return "state event", self._since[id(process)][2] if id(process) in self._since else ""
        if "hold ended" in why:
            return "hold", ""
        return ("grant" if "got " in why else "activation"), ""

    def end(self) -> None:
        """The event has ended: complete its entry, and store what its participants wait for now."""
        if not self._is_open:
            return
        self._is_open = False
        self._entries[-1] = self._entries[-1]._replace(
            wrote=(*self._slots.changes(), *self._slots.changed_modes()), released=tuple(self._released)
        )
        for process in self._actors:
            if generator_of(process) is not None:
                self._since[id(process)] = process, self.sim.time, _awaited(process)

    def _end_wait(self, process: Process, time: float) -> None:
        _, start, what = self._since.pop(id(process), (None, 0.0, ""))
        if what and time > start:
            self.waits.append(Wait(process.name, start, time, what))
            self._cases[1].append(self._names.of(process))

    def note(self, activity: Listed) -> None:
        """The event has given `activity` a place in the event list."""
        if self._is_open and activity is not self._activity:
            owner = owner_of(activity)
            if owner is None or not any(owner is actor for actor in self._actors) or isinstance(activity, Interruption):
                self._causes[id(activity)] = notice_of(activity), len(self._entries) - 1
                self._released.append(name_of(activity))

    def hand_over(self, process: Process) -> None:
        """The event goes on with a process that was activated directly."""
        self._released.append(process.name)
        self._end_wait(process, self.sim.time)
        self._actors.append(process)

    # --- as a file ------------------------------------------------------------------------------------------------

    def to_perfetto(self, path: str | PathLike[str], *, microseconds: float = MICROSECONDS) -> None:
        """Write the log as a trace in Chrome's format, which https://ui.perfetto.dev opens.

        Each process and handler is a track, also where several processes have one name; waits are slices, events are
        instants, and arrows lead from a process to those that it released.
        microseconds    the length of a unit of simulated time in the file; a million: as if it were a second
        Raises          ModelError unless that is above 0 and finite
        Source          Google, Trace Event Format, 2016
        """
        _check_length(microseconds, "microseconds=")
        self._close()
        tracks: dict[str, int] = {}
        of_entries, of_waits = ([tracks.setdefault(name, len(tracks) + 1) for name in names] for names in self._cases)
        events: list[dict[str, object]] = [
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": name}}
            for name, tid in tracks.items()
        ]
        for wait, track in zip(self.waits, of_waits, strict=True):
            slice_ = _mark("X", wait.what, "wait", track, wait.start * microseconds)
            events.append({**slice_, "dur": (wait.end - wait.start) * microseconds})
        for number, (entry, track) in enumerate(zip(self._entries, of_entries, strict=True)):
            at = entry.time * microseconds
            what = _mark("i", entry.why, entry.kind, track, at)
            events.append({**what, "s": "t", "args": _details(number, entry)})
            if entry.cause is not None:
                source = self._entries[entry.cause]
                arrow = {"id": number, "bp": "e"}
                events.append(
                    _mark("s", "releases", "cause", of_entries[entry.cause], source.time * microseconds) | arrow
                )
                events.append(_mark("f", "releases", "cause", track, at) | arrow)
        with whole_file(path) as unfinished, unfinished.open("w", encoding="utf-8") as file:
            json.dump({"traceEvents": events, "displayTimeUnit": "ms"}, file, indent=0)

    def to_xes(
        self, path: str | PathLike[str], *, start: str = "2000-01-01T00:00:00+00:00", seconds: float = 1.0
    ) -> None:
        """Write the log as an event stream for process mining (pm4py, ProM, Disco).

        Each process and handler is a trace, also where several processes have one name; each event has its cause as
        activity; what was waited for is an activity with a start and an end.
        start       the date and time of time 0
        seconds     the length of a unit of simulated time, as 60.0 for minutes
        Raises      ModelError unless that is above 0 and finite, InputError for dates that are none
        Source      IEEE 1849-2016, eXtensible Event Stream
        """
        _check_length(seconds, "seconds=")
        self._close()
        from eventide.observe.event_streams import write_xes

        write_xes(self._entries, self.waits, self._cases, path, start, seconds)


def _check_length(given: float, what: str) -> None:
    if not 0.0 < given < inf:
        raise ModelError(f"{what} takes the length of a unit of time, which is above 0 and finite, and got {given!r}")


def _awaited(process: Process) -> str:
    """What a process waits for, for a slice; a hold by its end."""
    notice = notice_of(process)
    if notice is not None and wait_of(process) is None:
        return f"hold until {notice[0]!r}"
    return what_is_awaited(process)


def _mark(kind: str, name: str, category: str, track: int, at: float) -> dict[str, object]:
    return {"ph": kind, "name": name, "cat": category, "pid": 1, "tid": track, "ts": at}


def _details(number: int, entry: Entry) -> dict[str, object]:
    details: dict[str, object] = {"event": number}
    if entry.condition:
        details["condition"] = entry.condition
    if entry.wrote:
        details["wrote"] = {change.name: [_plain(change.before), _plain(change.after)] for change in entry.wrote}
    if entry.released:
        details["released"] = list(entry.released)
    return details


def _plain(value: float | str | Enum) -> float | str:
    """A value as JSON knows it: what is not finite as text."""
    if isinstance(value, str | Enum):
        return value if type(value) is str else _in_code(value)
    return value if np.isfinite(value) else repr(value)


def _in_code(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


class _Slots:
    """The states and parameters before an event, to find what it has written.

    Reading advances the states of a flow to the present, which is no change: they are compared with their values when
    the event ended the flow's step.
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self._integrator: Integrator | None = None
        self._before: NDArray[np.float64] | None = None
        self._counts = np.ones(0, dtype=bool)
        self._occupants: dict[Slab, Occupant] = {}
        self._with_modes: list[Occupant] = []
        """Those of objects with modes."""
        self._modes: list[tuple[Continuous, list[object]]] = []

    def begin(self) -> None:
        """Store all values."""
        if "_continuum" not in self.sim.__dict__:
            return
        system = system_of(self.sim)
        if self._integrator is None:
            self._integrator = system.integrator
            self._integrator.on_touch = self._note_opening
        self._before = system.storage.table[0].copy()
        occupants = dict(system.storage.occupants)
        if occupants != self._occupants:
            self._occupants, self._with_modes = occupants, list(filter(_has_modes, occupants.values()))
        owners = [owner for occupant in self._with_modes if isinstance(owner := occupant(), Continuous)]
        self._modes = [(owner, _modes_of(owner)) for owner in owners]
        self._counts = np.ones(len(self._before), dtype=bool)
        self._counts[list(system.active)] = False
        for flow in self._integrator.touched:
            self._counts[list(flow.slots)] = True

    def _note_opening(self, flow: Flow) -> None:
        if self._before is not None:
            slots = [slot for slot in flow.slots if slot < len(self._before) and not self._counts[slot]]
            self._before[slots] = system_of(self.sim).storage.table[0, slots]
            self._counts[slots] = True

    def changes(self) -> Iterator[Change]:
        """What has been written since `begin`, that of the oldest object first."""
        if self._before is None:
            return
        storage = system_of(self.sim).storage
        before, self._before = self._before, None
        after = storage.table[0, : len(before)]
        changed = np.flatnonzero((after != before) & self._counts)
        if not len(changed):
            return
        blocks = sorted(
            (first, age, number, occupant)
            for age, (slab, occupant) in enumerate(storage.occupants.items())
            for number, (first, _) in enumerate(slab.blocks())
            if self._occupants.get(slab) is occupant
        )
        places = np.searchsorted([first for first, *_ in blocks], changed, side="right") - 1
        written = zip(changed.tolist(), places.tolist(), strict=True)
        found = sorted((*blocks[place][1:3], slot, place) for slot, place in written if place >= 0)
        for *_, slot, place in found:
            name = _name_of_slot(blocks[place][-1](), slot)
            if name:
                yield Change(name, float(before[slot]), float(after[slot]))

    def changed_modes(self) -> Iterator[Change]:
        """The modes that have been set to others since `begin`, that of the oldest object first."""
        watched, self._modes = self._modes, []
        for owner, before in watched:
            for name, old, new in zip(layout_of(owner).modes, before, _modes_of(owner), strict=True):
                if isinstance(old, str | Enum) and isinstance(new, str | Enum) and old != new:
                    yield Change(f"{owner.name}.{name}", old, new)


def _has_modes(occupant: Occupant) -> bool:
    owner = occupant()
    return isinstance(owner, Continuous) and bool(layout_of(owner).modes)


def _modes_of(owner: Continuous) -> list[object]:
    return [owner.__dict__.get(name) for name in layout_of(owner).modes]


def _name_of_slot(owner: Member | None, slot: int) -> str:
    """How a slot is called; empty for one of a vector, for one that laws set, and for none."""
    if not isinstance(owner, Continuous):
        return "" if owner is None or slot != slots_of(owner)[0] else str(owner.name)
    layout = layout_of(owner)
    names = (*layout.states, *layout.parameters)
    return next((f"{owner.name}.{name}" for name in names if layout.slot(owner, name) == slot), "")
