"""A counting resource: N units, and requests granted in order of priority and arrival."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from operator import attrgetter, index
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eventide.declare import fix
from eventide.discrete.commands import command, hold
from eventide.discrete.resources.line import GRANTED, NEW, WAITING, Line, check_priority
from eventide.discrete.resources.preemption import PREEMPTED, Preempting, Preemption, resume_hold, suspend_hold
from eventide.discrete.resources.request import SUSPENDED, PreemptingRequest, Request, check_units
from eventide.discrete.resources.station import KEPT, Station
from eventide.errors import Interrupt, ModelError
from eventide.statistics import Level, Tally
from eventide.statistics.level import change_at, set_at
from eventide.statistics.ownership import kept
from eventide.statistics.tally import adder_of

if TYPE_CHECKING:
    from eventide.declare import field
    from eventide.discrete.commands import ProcessGenerator
    from eventide.discrete.processes.process import Process
    from eventide.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the requests of a resource.

    asked       yielded here, or moved here
    served      given back
    reneged     withdrawn before their process had got what it asked for
    preempted   taken away
    moved       changed over to another resource
    """

    asked: int = 0
    served: int = 0
    reneged: int = 0
    preempted: int = 0
    moved: int = 0

    def since(self, before: Counts) -> Counts:
        """What was counted after another count."""
        return Counts(*(now - then for now, then in zip(astuple(self), astuple(before), strict=True)))


Excess: TypeAlias = Literal["finish", "suspend", "preempt"]
EXCESS: Final = ("finish", "suspend", "preempt")
_rank = attrgetter("_priority")


class Resource(Station):
    """A number of units that processes hold for a while.

    in_use      a `Level`: units held, over time
    queue       a `Level`: requests waiting, over time
    supply      a `Level`: the capacity, over time
    waits       a `Tally`: how long granted requests had waited (zero for those served at once)

    Requests are served by priority (high first), then in the order of asking; none overtakes, so that one for
    several units is not starved by small ones. A request takes free units when it is yielded, without an event;
    units given back pass on at once, and the next process continues at the end of the present instant.
    """

    _waited_for = "write `with r.request() as place: yield place`, or `yield from r.use(duration)`"
    _is_preemptive = False
    """Whether requests may take units of users of lower priority."""

    if TYPE_CHECKING:
        # As a field it is known to checkers as an argument of subclasses, too.
        capacity: int = field(default=1, kw_only=False)
    else:

        @property
        def capacity(self) -> int:
            """How many units there are. Lowering it lets work in progress finish: as `set_capacity(n)`."""
            return self._capacity

        @capacity.setter
        def capacity(self, capacity: int) -> None:
            self.set_capacity(capacity)

    def __init__(self, sim: Simulation, capacity: int = 1, *, name: str = "") -> None:
        self._attach(sim, name)
        self._capacity = check_capacity(capacity, self.name)
        self._largest = max(self._capacity, 1)
        self._held = 0
        self._is_preemptive = type(self)._is_preemptive  # on the object, where it is found faster
        self._is_plain = True
        self._line: Line[Request] = Line()
        self._users: dict[Request, None] = {}
        self._suspended: list[Request] = []
        self._in_use = kept(Level(0, clock=sim, name=f"{self.name} in use"), self.name)
        self._queue = kept(Level(0, clock=sim, name=f"{self.name} queue"), self.name)
        self._supply = kept(Level(self._capacity, clock=sim, name=f"{self.name} capacity"), self.name)
        self._waits = kept(Tally(f"{self.name} waits", sim.time_unit), self.name)
        self._add_wait = adder_of(self._waits)
        if TYPE_CHECKING:  # see `fix`
            self.in_use, self.queue, self.supply, self.waits = self._in_use, self._queue, self._supply, self._waits
        self._asked = self._reneged = self._preempted = self._moved = 0
        self._before = Counts()
        self._keep_statistics()

    # --- what a model does with it --------------------------------------------------------------------------------

    @command
    def request(self, priority: float = 0.0, units: int = 1) -> Request:
        """A request, to be yielded: `with r.request() as place: yield place`.

        priority    high first; equal ones in the order of asking
        units       how many
        Raises ModelError if there never were that many units.
        """
        request = Request()
        request.station = self
        request.state = NEW
        request.since = self.sim.time
        if priority == 0.0 and units == 1:
            request._priority, request.units = 0.0, 1  # of the types that `_check` gives others
        else:
            request._priority, request.units = priority, units
            self._check(request)
        return request

    def use(
        self, duration: float, priority: float = 0.0, units: int = 1, *, resume: bool = False
    ) -> ProcessGenerator[None]:
        """Request units, hold for `duration`, give them back: `yield from r.use(2.0)`.

        resume      continue for the rest of `duration`, at its old place in the line, whenever the units are taken away
        """
        left = hold(duration)
        with self.request(priority, units) as request:
            while True:
                yield request
                try:
                    yield left
                    return
                except Interrupt as cut:
                    if not (resume and isinstance(cut.cause, Preemption) and cut.cause.request is request):
                        raise
                    if not cut.left:
                        return
                    left = cut.left

    def set_capacity(self, capacity: int, *, excess: Excess = "finish") -> None:
        """Change the number of units from now on: requests that wait are granted what is there.

        excess      what becomes of units in use beyond `capacity`, those of lowest priority and latest first:
                    "finish": they are given back when their work is done;
                    "suspend": the hold of their process stands still and continues when there is capacity again, before
                    other requests (other waits than for a time are not stopped);
                    "preempt": they are taken away, their process gets an `Interrupt` with a `Preemption` as cause
        """
        self.sim._forbid(17, f"set_capacity() of {self.name}")
        check_excess(excess, f"set_capacity(excess=...) of {self.name}")
        self._capacity = check_capacity(capacity, self.name)
        self._is_plain = False
        self._largest = max(self._capacity, self._largest)
        set_at(self._supply, self._capacity, self.sim.time)
        if excess != "finish":
            for user in self._losers():
                if self._held <= self._capacity:
                    break
                if excess == "preempt":
                    self._take_away(user, None)
                else:
                    self._suspend(user)
        self._serve()

    # --- what can be asked ----------------------------------------------------------------------------------------

    @property
    def available(self) -> int:
        """The number of free units."""
        return max(self._capacity - self._held, 0)

    @property
    def users(self) -> tuple[Request, ...]:
        """The requests that hold units, in the order of getting them."""
        return tuple(self._users)

    @property
    def waiting(self) -> tuple[Request, ...]:
        """The requests that wait, in the order in which they are to be served; their number is `queue.value`."""
        return tuple(self._line)

    @property
    def suspended(self) -> tuple[Request, ...]:
        """The requests whose work is suspended, in the order in which it will resume."""
        return tuple(reversed(self._suspended))

    @property
    def utilisation(self) -> float:
        """Units in use over units there were, both averaged over time; nan if there were none.

        Work that continues after the capacity was lowered counts as use, so that it may exceed 1.
        """
        supply = self._supply.integral
        return self._in_use.integral / supply if supply else float("nan")

    @property
    def counts(self) -> Counts:
        """What became of the requests since the last reset."""
        return self._counted.since(self._before)

    def reset_statistics(self) -> None:
        """Restart all statistics at the present time."""
        for statistic in (self._in_use, self._queue, self._supply, self._waits):
            statistic.reset()
        self._before = self._counted

    # --- granting and taking away ---------------------------------------------------------------------------------

    @property
    def _counted(self) -> Counts:
        present = self._line.count + len(self._users) + len(self._suspended)
        served = self._asked - self._reneged - self._preempted - self._moved - present
        return Counts(self._asked, served, self._reneged, self._preempted, self._moved)

    def _check(self, request: Request) -> None:
        self._is_plain = False
        request._priority = check_priority(request._priority, self)
        if request.units != 1:
            request.units = check_units(request.units, self)

    def _can_grant(self, request: Request) -> bool:
        """Whether the request that is next can have its units now; units of others are taken away if need be."""
        if self._held + request.units <= self._capacity:
            return not self._suspended
        return self._is_preemptive and request.preempts and self._make_room(request)

    def _grant(self, request: Request) -> None:
        """Give a request its units; it has left the line."""
        now = self.sim.time
        request.state = GRANTED
        self._held += request.units
        self._users[request] = None
        set_at(self._in_use, self._held, now)
        self._add_wait(now - request.since)
        request.since = now

    def _give_back(self, request: Request) -> None:
        """Take units back from a request, which is no longer in the state of having them."""
        users, line, now = self._users, self._line, self.sim.time
        del users[request]
        if self._is_plain:  # what `line.first` and `line.take` do, without the calls
            plain = line.plain
            successor = plain.popleft() if plain else None
            while successor is not None and successor.state is not WAITING:
                line.stale -= 1
                successor = plain.popleft() if plain else None
        else:
            successor = self._next_for_one_unit(request)
        if successor is not None:
            # The most frequent case: one unit passes from hand to hand, and as many as before are in use.
            successor.state = GRANTED
            users[successor] = None
            add_wait = self._add_wait
            add_wait(now - successor.since)
            successor.since = now
            change_at(self._queue, -1, now)
            activity = successor._activity
            activity._value = successor
            self.sim._calendar.schedule_last(now, activity)
            if self._is_preemptive and line.count:
                self._serve()  # the request that is first in line now may take units away
            return
        self._held = held = self._held - request.units
        set_at(self._in_use, held, now)
        if line.count or self._suspended:
            self._serve()

    def _next_for_one_unit(self, request: Request) -> Request | None:
        """Remove from the line and return the request that gets a released unit; None if that needs a full search."""
        if request.units != 1 or self._held > self._capacity or self._suspended:
            return None
        successor = self._line.first()
        if successor is None or successor.units != 1:
            return None
        self._line.take(successor)
        return successor

    def _forgo(self, request: Request) -> None:
        """A request that waited is withdrawn; those behind it may now be next."""
        self._reneged += 1
        self._line.drop(request)
        self._serve()

    def _serve(self) -> None:
        sim, line, suspended = self.sim, self._line, self._suspended
        while suspended and self._held + suspended[-1].units <= self._capacity:
            self._continue(suspended.pop())
        while (request := line.first()) is not None and self._can_grant(request):
            line.take(request)
            self._grant(request)
            sim._wake(request._activity, request)
        set_at(self._queue, line.count, self.sim.time)

    def _losers(self) -> list[Request]:
        """The users in the order in which they lose their units: lowest priority first, then the latest."""
        return sorted(reversed(self._users), key=_rank)  # noqa: C414  # a stable sort: equal ones stay reversed

    def _make_room(self, request: Request) -> bool:
        """Take units away from users of lower priority, if that is enough for a request; from none otherwise."""
        missing = self._held + request.units - self._capacity
        victims = []
        for user in self._losers():
            if user._priority >= request._priority:
                break
            if user.process is not request.process:
                victims.append(user)
                missing -= user.units
                if missing <= 0:
                    for victim in victims:
                        self._take_away(victim, request.process)
                    return True
        return False

    def _take_away(self, user: Request, by: Process | None) -> None:
        """Take the units of a user away, and notify its process."""
        if self._relieve(user):
            user.state = PREEMPTED
            self._preempted += 1
            user._loss = Preempting(user, by)
            user._loss._schedule()

    def _suspend(self, user: Request) -> None:
        """Suspend the work of a user."""
        if self._relieve(user):
            user.state = SUSPENDED
            self._suspended.append(user)
            suspend_hold(user)

    def _relieve(self, user: Request) -> bool:
        """Take the units of a user; whether its process knew that it had them.

        One that did not goes back to where it stood in the line, as if nothing had happened.
        """
        del self._users[user]
        self._held -= user.units
        set_at(self._in_use, self._held, self.sim.time)
        activity = user._activity
        if activity._wait is not user:
            return True
        activity._notice = None
        activity._value = None
        user.state = WAITING
        user.since = self.sim.time
        self._line.restore(user)
        return False

    def _continue(self, user: Request) -> None:
        """Resume the work of a user."""
        user.state, user.since = GRANTED, self.sim.time
        self._held += user.units
        self._users[user] = None
        set_at(self._in_use, self._held, user.since)
        resume_hold(user)

    def __repr__(self) -> str:
        standing = f", {len(self._suspended)} suspended" if self._suspended else ""
        return f"<{self.name}: {self._held} of {self._capacity} in use{standing}, {self._line.count} waiting>"


fix(Resource, is_preemptive="make a PreemptiveResource", **dict.fromkeys(("in_use", "queue", "supply", "waits"), KEPT))


class PreemptiveResource(Resource):
    """A resource whose requests take the units of users of lower priority, the lowest and latest first.

    The process that loses its unit gets an `Interrupt` at its `yield`: its `cause` is a `Preemption`, its `left` what
    was left of a hold that was cut short. It may yield its request again, and stands in line where it stood before.
    """

    _is_preemptive = True

    @command
    def request(self, priority: float = 0.0, units: int = 1, *, preempt: bool = True) -> Request:
        """As for any resource; with `preempt=False` it waits for its turn by priority and takes nothing away."""
        request = PreemptingRequest() if preempt else Request()
        request.station = self
        request.state = NEW
        request.since = self.sim.time
        request._priority = priority
        request.units = units
        self._check(request)
        return request


def check_capacity(capacity: int, name: str) -> int:
    """A number of units; ModelError if it is not whole or negative."""
    try:
        units = index(capacity)
    except TypeError:
        units = -1
    if units < 0 or isinstance(capacity, bool):
        raise ModelError(f"the capacity of {name} is a whole number of units, 0 or more, and got {capacity!r}")
    return units


def check_excess(excess: Excess, what: str) -> Excess:
    """A word for what becomes of work in progress; ModelError if it is none."""
    if excess not in EXCESS:
        raise ModelError(f"{what} takes one of {', '.join(EXCESS)}, and got {excess!r}")
    return excess
