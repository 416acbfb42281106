"""Putting into a container or store and getting out of it: commands that wait until they can be carried out.

One that had to wait is granted first: what it takes, or the space that it needs, is kept for it. It is carried out in
an event of its own at the end of the present instant, so that until then it can be withdrawn without a trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from eventide.declare import check_same_simulation
from eventide.discrete.commands import Handover
from eventide.discrete.resources.line import GRANTED, NEW, WAITING, Line, Wish, check_priority
from eventide.discrete.resources.station import Station
from eventide.errors import ModelError
from eventide.statistics import Level, Tally

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.discrete.world import World
    from eventide.simulation import Simulation

DONE: Final = "done"
WITHDRAWN: Final = "withdrawn"


class Transfer(Wish):
    """A put or a get, to be yielded.

    state       "new", "waiting", "granted" (it is carried out at the end of the present instant), "done" or "withdrawn"
    """

    __slots__ = ("_notice", "_value", "_wait")
    _story = None

    station: Depot
    _notice: Notice | None

    def __init__(self, station: Depot, priority: float) -> None:
        self.station = station
        self.state = NEW
        self.since = station.sim.time
        self._priority = check_priority(priority, station.name)
        self._activity = self._place = self._notice = self._value = self._wait = None

    @property
    def name(self) -> str:
        """What it is and whose, for messages."""
        whose = f" of {self.process.name}" if self.process is not None else ""
        return f"the {self._what} {self.station.name}{whose}"

    def withdraw(self) -> None:
        """Leave the line; a get that has been carried out gives back what it got, a put stays what it is.

        It is for the process that asked. Raises ModelError while that process waits at its `yield`.
        """
        if self.state not in (WAITING, GRANTED, DONE):
            return
        self.station.sim._forbid(17, f"withdraw() of {self.name}")
        if self._activity._wait is self:
            raise ModelError(f"withdraw() of {self.name}, which waits for it: interrupt(cause) that process")
        before, self.state = self.state, WITHDRAWN
        if before == WAITING:
            self._side.drop(self)
        elif before == GRANTED:
            self.station.sim._calendar.discard(self)
            self._give_up()
        else:
            self._undo()
        self.station._serve()

    def describe(self) -> str:
        """What is waited for."""
        raise NotImplementedError

    def _execute(self, sim: World, activity: Any, /) -> Any:
        station, side = self.station, self._side
        check_same_simulation(sim, station)  # type: ignore[arg-type]  # every World is a Simulation
        if self.state != NEW:
            raise ModelError(f"{self.name} was yielded that is {self.state} already: make a new one")
        self._activity = activity
        self._number = side.next_number()
        self.since = sim.time
        self.state = WAITING
        side.line.push(self)
        if self._is_next() and self._take():
            side.grant(self)
            self.state = DONE
            activity._value = self._carry_out()
            station._serve()
            return activity
        side.show()
        activity._wait = self
        return None

    def _grant(self) -> None:
        """Let it be carried out at the end of the present instant; it has taken what it needs."""
        self._side.grant(self)
        sim = self.station.sim
        sim._calendar.schedule(sim.time, sim.time, self)

    def _resume(self, value: Any, /) -> Any:
        activity = self._activity
        self.state = DONE
        activity._wait = None
        activity._value = self._carry_out()
        self.station._serve()
        return Handover(activity)

    # --- what a kind of transfer has to say -----------------------------------------------------------------------

    _what = ""
    """How it is called in messages."""

    @property
    def _side(self) -> Side[Any]:
        raise NotImplementedError

    @property
    def _line(self) -> Line[Any]:
        return self._side.line

    def _is_next(self) -> bool:
        """Whether it may be tried now, as far as the line is concerned."""
        return self._side.line.first() is self

    def _take(self) -> bool:
        """Reserve what it needs; False if that is not there."""
        raise NotImplementedError

    def _carry_out(self) -> Any:
        """Do it, and answer what the process is to get."""
        raise NotImplementedError

    def _give_up(self) -> None:
        """Let go of what was reserved."""
        raise NotImplementedError

    def _undo(self) -> None:
        """Give back what was got."""

    def __repr__(self) -> str:
        return f"<{self.name.removeprefix('the ')}: {self.state} since {self.since!r}>"


Kind = TypeVar("Kind", bound=Transfer)


class Side(Generic[Kind]):
    """One side of a container or store: those who wait to put, or to get.

    queue       a `Level`: how many wait, over time
    waits       a `Tally`: how long those had waited whose turn came (zero for those served at once)
    """

    __slots__ = ("_asked", "line", "queue", "waits")

    def __init__(self, sim: Simulation, name: str) -> None:
        self.line: Line[Kind] = Line()
        self.queue = Level(0, clock=sim, name=f"{name} queue")
        self.waits = Tally(name=f"{name} waits")
        self._asked = 0

    @property
    def waiting(self) -> tuple[Kind, ...]:
        """Those who wait, in the order in which their turn comes; their number is `queue.value`."""
        return tuple(self.line)

    def next_number(self) -> int:
        """The number of the next one who asks."""
        self._asked += 1
        return self._asked

    def grant(self, transfer: Kind) -> None:
        """The turn of one who stands in the line has come."""
        transfer.state = GRANTED
        now = self.queue._clock.time
        self.waits.add(now - transfer.since)
        transfer.since = now
        self.drop(transfer)

    def drop(self, transfer: Kind) -> None:
        """Let one leave the line whose state says that it does not wait any more."""
        self.line.drop(transfer)
        self.show()

    def show(self) -> None:
        """Bring the statistics of the line up to date."""
        self.queue.set(self.line.count)

    def reset(self) -> None:
        """Begin the statistics anew at the present time."""
        self.queue.reset()
        self.waits.reset()


class Depot(Station):
    """What containers and stores have in common: two sides, and a level between them.

    puts, gets  the two sides, each with `queue`, `waits` and `waiting`
    level       a `Level`: how much is in it, over time; what was granted to a get has left it
    """

    def _open(self, sim: Simulation, level: float) -> None:
        self.puts: Side[Any] = Side(sim, f"{self.name} puts")
        self.gets: Side[Any] = Side(sim, f"{self.name} gets")
        self.level = Level(level, clock=sim, name=f"{self.name} level")
        self._kept: Any = 0
        self._promises = 0
        self._keep_statistics()

    def _keep(self, amount: Any) -> None:
        """Keep space for one who was granted: for what it will put in, or for what it will take out."""
        self._kept += amount
        self._promises += 1

    def _free(self, amount: Any) -> None:
        """Keep that space no longer."""
        self._promises -= 1
        # Begun anew at zero, so that rounding leaves nothing behind.
        self._kept = self._kept - amount if self._promises else 0

    def _statistics(self) -> Iterable[Side[Any] | Level | Tally]:
        return (self.puts, self.gets, self.level)

    def reset_statistics(self) -> None:
        """Begin all statistics anew at the present time; what is in it and who waits stays."""
        for statistic in self._statistics():
            statistic.reset()

    def _waiting_text(self) -> str:
        return f"{self.puts.line.count} putting, {self.gets.line.count} getting"
