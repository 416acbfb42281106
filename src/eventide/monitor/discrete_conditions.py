"""Waits for conditions that only events change: they have neither guard nor flow, and are tested after events.

In: waits that begin while nothing moves. Out: the first that is true, in the order of the condition list. Invariant:
none of them has read the clock, or a state, when it was tested last, so its outcome is the same until the next event.
One that does is the stepper's from then on, as are all once something moves. To see that the clock is read, the
simulation is meanwhile of a class where the time is a property. Processes that are rows have events meanwhile if none
of them can change what is read (`compilation/plain_reads.py`).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from contextlib import suppress
from math import nan
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from eventide.compilation.plain_reads import plain_reads
from eventide.continuous.error_context import is_condition_true
from eventide.declare import Component
from eventide.discrete.conditions.condition import conditions_of
from eventide.discrete.conditions.until import StateWait
from eventide.discrete.world import World
from eventide.engine.zeno import MOST
from eventide.monitor.cascade import refuse_instant
from eventide.reading.source import CannotLower

if TYPE_CHECKING:
    from eventide.compilation.plain_reads import PlainReads
    from eventide.continuous.plans import Analyst
    from eventide.discrete.conditions.condition import Condition
    from eventide.simulation import Simulation

MOST_READ: Final = 32
"""With more waits rows have no events: before each event in Python what all of them read would be looked at."""
STANDS: Final = 128
"""With fewer events between two waits processes do not become rows: each stop for Python takes as long as some 20."""
CLOCK: Final[Any] = World.__dict__["time"]
"""The descriptor of the slot of the time."""


class _Watched:
    """Stands before the class of a simulation, which does not hear of the class that is made of both."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Nothing is told to the other class, which may register those made of it, or ask for more."""

    @property
    def time(self) -> float:
        """The time; that it is read is noted."""
        conditions_of(self).discrete.is_clock_read = True  # type: ignore[arg-type, attr-defined]  # of a simulation with a monitor
        time: float = CLOCK.__get__(self)
        return time

    @time.setter
    def time(self, time: float) -> None:
        CLOCK.__set__(self, time)


class DiscreteConditions:
    """The waits of one simulation for conditions that only events change.

    is_clock_read   whether the present test has read the clock, or a state
    waits       with their keys: by priority, then by rank; latest: the event in which one last began, or None
    has_read    those that have read the clock, or a state, when they were tested last
    """

    __slots__ = (
        "_analyst", "_at", "_fired", "_known", "_moving", "_reads", "_sim", "_watched",
        "has_read", "is_clock_read", "latest", "waits",
    )  # fmt: skip

    def __init__(self, sim: Simulation, analyst: Analyst) -> None:
        self._sim, self._analyst = sim, analyst
        self._known: dict[int, object] = {}  # the code of conditions that were searched for strangers, by id
        self._reads: dict[int, PlainReads | None] = {}  # what these read, by the same
        self._watched: dict[type, type] = {}
        self.is_clock_read = False
        self._moving: dict[int, object] = {}  # the code of conditions that are the stepper's, by id
        self._at = nan
        self._fired: dict[StateWait, int] = {}  # how often each has fired at that time
        self.waits: list[tuple[float, float, StateWait]] = []
        self.latest: int | None = None
        self.has_read: list[StateWait] = []

    def takes(self, condition: Condition) -> bool:
        """Whether a condition that begins to be waited for while nothing moves is tested here."""
        return type(condition) is StateWait and id(condition.code) not in self._moving

    def add(self, wait: StateWait) -> None:
        """A wait begins, or begins again. Raises ModelError if it is for an object of another simulation."""
        if id(wait.code) not in self._known or any(self._is_strange(one) for one in _closed_over(wait)):
            self._analyst.check_home(wait)
            self._known[id(wait.code)] = wait.code
        wait.is_discrete = True
        self.latest = self._sim.events
        insort(self.waits, (-wait.priority, wait.rank, wait))

    def _is_strange(self, one: object) -> bool:
        return isinstance(one, Component) and one.sim is not self._sim

    def remove(self, wait: StateWait) -> None:
        """A wait has ended, or is withdrawn."""
        wait.is_discrete = False
        del self.waits[bisect_left(self.waits, (-wait.priority, wait.rank))]

    def give(self, wait: StateWait) -> None:
        """A wait becomes the stepper's, and so will others for the same condition."""
        self.remove(wait)
        self._moving[id(wait.code)] = wait.code

    def first(self) -> StateWait | None:
        """The first wait whose condition is true now; an error of a condition gets a note of whose it is."""
        sim = self._sim
        kind, now = type(sim), sim.time
        self.is_clock_read = False
        self.has_read.clear()
        try:
            sim.__class__ = self._watched.get(kind) or self._class_of(kind)
            for _, _, wait in self.waits:
                is_true = is_condition_true(wait, now)
                if self.is_clock_read:
                    self.is_clock_read = False
                    self.has_read.append(wait)
                if is_true:
                    return wait
        finally:
            sim.__class__ = kind
        return None

    @property
    def are_rare(self) -> bool:
        """Whether so many events have passed since one began that it may pay to let rows have the next ones."""
        return self.latest is None or self._sim.events - self.latest >= STANDS

    def is_any_true(self) -> bool:
        """Whether a condition is true now, or raises an error, which is met where its event is looked for."""
        sim, current = self._sim, self._sim.current
        sim.active, sim.current = True, None
        try:
            return self.first() is not None
        except Exception:  # noqa: BLE001  # whatever a user's condition raises
            return True
        finally:
            sim.active, sim.current = False, current

    def are_plain(self) -> bool:
        """Whether all of them read nothing but plain attributes now, so that rows may set others meanwhile."""
        if len(self.waits) > MOST_READ:
            return False
        for _, _, wait in self.waits:
            reads, function = self._reads_of(wait), wait.function
            if reads is None or not isinstance(function, FunctionType) or not reads.are_plain(function, wait.arguments):
                return False
        return True

    @property
    def names_read(self) -> set[str]:
        """The attributes that those read of which that is known."""
        found = (self._reads_of(wait) for _, _, wait in self.waits[:MOST_READ])
        return {name for reads in found if reads is not None for name in reads.names}

    def _reads_of(self, wait: StateWait) -> PlainReads | None:
        code = id(wait.code)
        if code not in self._reads:
            self._reads[code] = None
            if isinstance(wait.function, FunctionType):
                with suppress(CannotLower):  # its text cannot be had
                    tree = self._analyst.book.definition(wait.function).tree
                    self._reads[code] = plain_reads(tree, wait.function.__code__)
        return self._reads[code]

    def note_firing(self, wait: StateWait) -> None:
        """The event of a wait is next. Raises ModelError if time stands still meanwhile."""
        fired, time = self._fired, self._sim.time
        if time != self._at:
            self._at = time
            fired.clear()
        count = fired[wait] = fired.get(wait, 0) + 1
        if count > MOST:
            refuse_instant(time, {one.name: times for one, times in fired.items() if times > MOST // 2})

    def _class_of(self, kind: type[Simulation]) -> type[Simulation]:
        """A class like that of the simulation, of which the time is a property that tells that it was read."""
        members = {"__slots__": (), "__module__": kind.__module__}
        made: type[Simulation] = type.__new__(type(kind), kind.__name__, (_Watched, kind), members)
        self._watched[kind] = made
        return made


def _closed_over(wait: StateWait) -> list[object]:
    """What a condition is called with, and the contents of its cells."""
    found = list(wait.arguments)
    for cell in getattr(wait.function, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # it is empty
            continue
    return found
