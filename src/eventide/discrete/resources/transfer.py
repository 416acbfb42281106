"""Putting into a container or store and getting out of it: commands that wait until they can be carried out.

One that has to wait is granted first: what it is to get, or the space that it needs, is kept for it. It is carried out
in an event of its own at the end of the present instant, so that until then it can be withdrawn without a trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from eventide.declare import check_same_simulation, fix
from eventide.discrete.commands import Handover
from eventide.discrete.processes.process import Process
from eventide.discrete.resources.line import GRANTED, NEW, WAITING, Line, StationRequest, check_priority
from eventide.discrete.resources.station import KEPT, Station
from eventide.errors import ModelError
from eventide.reading.lines import is_result_dropped
from eventide.statistics import Level, Tally
from eventide.statistics.level import set_at
from eventide.statistics.ownership import kept
from eventide.statistics.tally import adder_of

if TYPE_CHECKING:
    from fractions import Fraction

    from eventide.discrete.calendar import Notice
    from eventide.discrete.commands import Activity
    from eventide.discrete.world import World
    from eventide.simulation import Simulation
    from eventide.statistics.restarts import HasReset

DONE: Final = "done"
WITHDRAWN: Final = "withdrawn"


Amount: TypeAlias = "float | Fraction"  # added exactly, if whole numbers and fractions


class Transfer(StationRequest):
    """A put or a get, to be yielded.

    state       "new", "waiting", "granted" (it is carried out at the end of the present instant), "done" or "withdrawn"
    amount      how much; of things 1
    """

    # Made by the station, as a call of a class without an __init__ takes a third of the time.
    __slots__ = ("_notice",)
    _receiver = _value = _wait = None

    station: Inventory
    amount: Amount
    _notice: Notice | None

    @property
    def name(self) -> str:
        """Its kind and owner, for messages."""
        whose = f" of {self.process.name}" if self.process is not None else ""
        return f"the {self._what} {self.station.name}{whose}"

    def withdraw(self) -> None:
        """Leave the line; a get that has been carried out gives back what it got, a put stays what it is.

        It is for the process that asked. Raises ModelError while that process waits at its `yield`.
        """
        before = self.state
        if before not in (WAITING, GRANTED, DONE):
            return
        sim = self.station.sim
        sim._forbid(17, f"withdraw() of {self.name}")
        if before != DONE and self._activity._wait is self:
            raise ModelError(f"withdraw() of {self.name}, which waits for it: interrupt(cause) that process")
        self.state = WITHDRAWN
        if before == WAITING:
            self._side.drop(self)
        elif before == GRANTED:
            self._notice = None
            self.station._free(self)
            self._undo()
        else:
            self._undo()
        self.station._serve()

    def _execute(self, sim: World, activity: Activity, /) -> object:
        if self.state is not NEW or self.station.sim is not sim:
            self._refuse(sim)
        self._activity = activity
        if self._is_done_at_once(activity):
            self.state = DONE
            return activity
        if self._gets_ahead():
            activity._value = self._answer()
            return activity
        activity._wait = self
        return None

    def _gets_ahead(self) -> bool:
        """Stand in line; whether its rank lets it be carried out nevertheless."""
        side, station = self._side, self.station
        self.since = station.sim.time
        side.join(self)
        if side.line.first() is not self or not self._take():
            return False
        side.grant(self)
        self.state = DONE
        station._free(self)
        self._carry_out()
        station._serve()
        return True

    def _grant(self) -> None:
        """Schedule it for the end of the present instant; what it needs is reserved."""
        self._side.grant(self)
        sim = self.station.sim
        sim._calendar.schedule(sim.time, sim.time, self)

    def _resume(self) -> object:
        activity, station = self._activity, self.station
        self.state = DONE
        activity._wait = None
        station._free(self)
        self._carry_out()
        station._serve()
        answer = self._answer()
        if isinstance(activity, Process):
            station.sim.current = activity
            return activity._receiver.send(answer)
        activity._value = answer
        return Handover(activity)

    def _refuse(self, sim: World) -> None:
        check_same_simulation(sim, self.station)
        raise ModelError(f"{self.name} was yielded that is {self.state} already: make a new one")

    # --- what a kind of transfer has to say -----------------------------------------------------------------------

    _what = ""
    """How it is called in messages."""

    @property
    def _side(self) -> AnySide:
        raise NotImplementedError

    @property
    def _line(self) -> Line[Any]:
        return self._side.line

    def _is_done_at_once(self, activity: Activity) -> bool:
        """Carry it out at once if none waits before it and nothing is missing; returns whether it was."""
        raise NotImplementedError

    def _take(self) -> bool:
        """Reserve what it is to get and the space that it needs; False if that is not there."""
        raise NotImplementedError

    def _carry_out(self) -> None:
        """Do what there is left to do."""

    def _undo(self) -> None:
        """Give back what was got."""

    def _answer(self) -> object:
        """What the process is to get."""
        raise NotImplementedError

    def __repr__(self) -> str:
        since = f" since {self.since!r}" if self.state == WAITING else ""
        return f"<{self.name.removeprefix('the ')}: {self.state}{since}>"


Kind = TypeVar("Kind", bound=Transfer)


class Side(Generic[Kind]):
    """One side of a container or store: the puts, or the gets, that wait.

    queue       a `Level`: how many wait, over time
    waits       a `Tally`: how long those had waited whose turn came (zero for those served at once)
    """

    __slots__ = ("_clock", "_joined", "add_wait", "line", "queue", "waits")

    def __init__(self, sim: Simulation, name: str) -> None:
        self.line: Line[Kind] = Line()
        self.queue = kept(Level(0, clock=sim, name=f"{name} queue"), name)
        self.waits = kept(Tally(f"{name} waits", sim.time_unit), name)
        self.add_wait = adder_of(self.waits)
        self._clock = sim
        self._joined = 0

    @property
    def waiting(self) -> tuple[Kind, ...]:
        """Those that wait, in the order of their turns; their number is `queue.value`."""
        return tuple(self.line)

    def join(self, transfer: Kind) -> None:
        """Add one to the line."""
        self._joined = transfer._number = self._joined + 1
        transfer.state = WAITING
        self.line.push(transfer)
        set_at(self.queue, self.line.count, self._clock.time)

    def grant(self, transfer: Kind) -> None:
        """The turn of one in the line has come."""
        transfer.state = GRANTED
        now = self._clock.time
        self.add_wait(now - transfer.since)
        self.drop(transfer)

    def drop(self, transfer: Kind) -> None:
        """Remove one from the line that no longer waits, according to its state."""
        self.line.drop(transfer)
        set_at(self.queue, self.line.count, self._clock.time)

    def reset(self) -> None:
        """Restart the statistics at the present time."""
        self.queue.reset()
        self.waits.reset()


AnySide: TypeAlias = Side[Any]
"""The side of a station, whatever is asked for there."""


Some = TypeVar("Some", bound=Transfer)


class Inventory(Station):
    """What containers and stores have in common: two sides, and a level between them.

    puts, gets  the two sides, each with `queue`, `waits` and `waiting`
    level       a `Level`: how much is in it, over time; what was granted to a get has left it
    """

    _waited_for = "yield its get(...) or put(...)"
    _from_start = ""
    """What gives it things from the start, in code."""
    if TYPE_CHECKING:
        _capacity: Amount

    def _open(self, sim: Simulation, level: float, unit: str = "") -> None:
        self._puts: AnySide = Side(sim, f"{self.name} puts")
        self._gets: AnySide = Side(sim, f"{self.name} gets")
        self._level = kept(Level(level, clock=sim, name=f"{self.name} level", unit=unit), self.name)
        if TYPE_CHECKING:  # see `fix`
            self.puts, self.gets, self.level = self._puts, self._gets, self._level
        self._kept: Amount = 0
        """Space reserved by grants: for pending puts, and by gets that have not taken out yet."""
        self._promises = 0
        self._keep_statistics()

    def _check_capacity(self, capacity: Amount) -> Amount:
        """`capacity`, which is one; ModelError if it is none."""
        raise NotImplementedError

    @property
    def capacity(self) -> Amount:
        """The most that it holds. Raised, it lets puts that wait have their turn; lowered, it takes nothing away."""
        return self._capacity

    @capacity.setter
    def capacity(self, capacity: Amount) -> None:
        self.sim._forbid(17, f"to set the capacity of {self.name}")
        self._capacity = self._check_capacity(capacity)
        self._serve()

    def _make(self, transfer: Some, priority: float) -> Some:
        transfer.station = self
        transfer.state = NEW
        transfer.since = self.sim.time
        transfer._priority = 0.0 if priority == 0.0 else check_priority(priority, self)
        if not self.sim._is_running and is_result_dropped():
            raise ModelError(
                f"the {transfer._what} {self.name} is a command, and nobody carries it out before a run: let a process "
                f"yield it; what is there from the start is given as {self._from_start}"
            )
        return transfer

    def _keep(self, amount: Amount) -> None:
        self._kept += amount
        self._promises += 1

    def _free(self, transfer: Transfer) -> None:
        self._promises -= 1
        # Restarted at zero, so that rounding leaves nothing behind.
        self._kept = self._kept - transfer.amount if self._promises else 0

    def _statistics(self) -> Iterable[HasReset]:
        return (self.puts, self.gets, self.level)

    def reset_statistics(self) -> None:
        """Restart all statistics at the present time; contents and waiting commands stay."""
        for statistic in self._statistics():
            statistic.reset()

    def _waiting_text(self) -> str:
        return f"{self.puts.line.count} putting, {self.gets.line.count} getting"


fix(Inventory, **dict.fromkeys(("puts", "gets", "level"), KEPT))
