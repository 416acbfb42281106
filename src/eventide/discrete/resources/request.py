"""A request of a process for units of a resource, from its start to the release."""

from __future__ import annotations

from operator import index
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, cast

from eventide.declare import check_same_simulation
from eventide.discrete.resources.line import GRANTED, NEW, WAITING, Line, StationRequest
from eventide.discrete.resources.preemption import PREEMPTED
from eventide.errors import ModelError
from eventide.reading.description import listed
from eventide.statistics.level import change_at, set_at

if TYPE_CHECKING:
    from eventide.discrete.commands import Activity
    from eventide.discrete.resources.preemption import Preempting
    from eventide.discrete.resources.resource import Resource
    from eventide.discrete.world import World

RELEASED: Final = "released"
WITHDRAWN: Final = "withdrawn"
SUSPENDED: Final = "suspended"


class Request(StationRequest):
    """A request for units of a resource: yield it to wait for them, leave its `with` block to give them back.

    One whose units were taken away may be yielded again: it then stands in line where it stood before.

    units       how many
    state       "new", then "waiting" or "granted"; "suspended" while its work stands still; at the end "released",
                "preempted" (the units were taken away) or "withdrawn" (it left without having been served)
    """

    # Made by `Resource.request`: a call of the class without an __init__ takes a third of the time.
    __slots__ = ("_loss", "units")
    preempts = False

    units: int
    _loss: Preempting | None
    """The event in which its process will learn that the units were taken away; None once it knows or need not."""

    @property
    def resource(self) -> Resource:
        """The resource for which it waits, or whose units it has."""
        return cast("Resource", self.station)

    def withdraw(self) -> None:
        """Leave the line, or give back what was granted, as one that was not served; no effect once it is over.

        It is for the process that asked. Raises ModelError while that process waits at its `yield`.
        """
        self._check_call("withdraw")
        if self.state == WAITING:
            self.state = WITHDRAWN
            self.resource._forgo(self)
        elif self.state in (GRANTED, SUSPENDED):
            self.resource._reneged += 1
            self._hand_in(WITHDRAWN)
        elif self.state == PREEMPTED:
            self._loss = None

    def release(self) -> None:
        """Give the units back: the next in line gets them, and continues at the end of the present instant.

        No effect if they were taken away. Raises ModelError if they were never granted, or given back already.
        """
        self._check_call("release")
        if self.state in (GRANTED, SUSPENDED):
            self._hand_in(RELEASED)
        elif self.state == PREEMPTED:
            self._loss = None
        else:
            raise ModelError(
                f"release() of a request of {self.resource.name} that is {self.state}: "
                "only one that was granted has something to give back"
            )

    def move(self, resource: Resource) -> None:
        """Move a waiting request to the line of another resource, where it is the last of its priority.

        The process continues to wait; `resource` says what it got. Raises ModelError if it is not waiting.
        """
        old = self.resource
        old.sim._forbid(17, f"move() of a request of {old.name}")
        if self.state != WAITING:
            raise ModelError(
                f"move() of a request of {old.name} that is {self.state}: only one that waits can change lines"
            )
        check_same_simulation(old.sim, resource)
        check_units(self.units, resource)
        old._line.remove(self)
        old._moved += 1
        resource._is_plain = False
        self.station = resource
        self.since = resource.sim.time
        resource._asked = self._number = resource._asked + 1
        resource._line.push(self)
        resource._serve()
        old._serve()

    def describe(self) -> str:
        """What is waited for."""
        what = "a unit" if self.units == 1 else f"{self.units} units"
        return f"{what} of {self.resource.name} since {self.since!r}{self._held_by()}"

    def _held_by(self) -> str:
        users = [user.process for user in self.resource.users if user is not self]
        names = [f"{user.name}{', which has ended' if user.terminated else ''}" for user in users]
        return f", held by {listed(names)}" if names else ""

    @property
    def _line(self) -> Line[Request]:
        return self.resource._line

    def _execute(self, sim: World, activity: Activity, /) -> object:
        resource = self.station
        if self.state is not NEW or resource.sim is not sim:
            return self._execute_again(sim, activity)
        resource._asked = self._number = resource._asked + 1
        self._activity = activity
        self.since = now = sim.time
        held, is_plain = resource._held + self.units, resource._is_plain
        # Where all requests are alike, one waits only if all units are in use: a free unit goes to the newcomer.
        if held <= resource._capacity and (is_plain or not (resource._line.count or resource._suspended)):
            self.state = GRANTED
            resource._held = held
            resource._users[self] = None
            set_at(resource._in_use, held, now)
            add_wait = resource._add_wait
            add_wait(0.0)
            activity._value = self
            return activity
        self.state = WAITING
        if is_plain:  # what `line.push` does, without the call
            resource._line.plain.append(self)
        else:
            resource._line.push(self)
            if (held <= resource._capacity or resource._is_preemptive) and self._gets_ahead(activity):
                return activity
        change_at(resource._queue, 1, now)
        activity._wait = self
        return None

    def _execute_again(self, sim: World, activity: Activity) -> object:
        """Stand in line after a preemption, before those that asked later."""
        resource = self.resource
        check_same_simulation(sim, resource)
        if self.state != PREEMPTED:
            raise ModelError(
                f"a request of {resource.name} was yielded that is {self.state} already: make a new one with request()"
            )
        resource._asked += 1
        self._loss = None
        self._activity = activity
        self.since = sim.time
        self.state = WAITING
        resource._line.restore(self)
        if self._gets_ahead(activity):
            return activity
        set_at(resource._queue, resource._line.count, resource.sim.time)
        activity._wait = self
        return None

    def _gets_ahead(self, activity: Activity) -> bool:
        """Whether it is granted at once although others wait or all units are in use: its rank decides."""
        resource, line = self.resource, self._line
        if line.first() is not self or not resource._can_grant(self):
            return False
        line.take(self)
        resource._grant(self)
        activity._value = self
        resource._serve()  # it may have taken the units of a process that had more than it needs
        return True

    def _check_call(self, verb: str) -> None:
        if self.state == NEW:
            return
        sim = self.resource.sim
        if sim.active:
            sim._forbid(17, f"{verb}() of a request of {self.resource.name}")
        if self._activity is not None and self._activity._wait is self:
            raise ModelError(
                f"{verb}() of a request of {self.resource.name} for which {self.process.name} is waiting: "
                "interrupt(cause) that process, or move(resource) the request to another line"
            )

    def _hand_in(self, state: str) -> None:
        was_suspended = self.state == SUSPENDED
        self.state = state
        if was_suspended:
            self.resource._suspended.remove(self)
            self.resource._serve()  # none overtook it, and it may have needed more than others do
        else:
            self.resource._give_back(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # A generator closed because its simulation was dropped must schedule nothing.
        if kind is not GeneratorExit:
            state = self.state
            if state is GRANTED:
                self.state = RELEASED
                self.station._give_back(self)
            elif state == NEW:
                self._miss_yield(kind)
            elif state == SUSPENDED:
                self._hand_in(RELEASED)
            else:
                self.withdraw()

    def _miss_yield(self, kind: type[BaseException] | None) -> None:
        now = self.resource.sim.time
        if kind is None and now > self.since:
            raise ModelError(
                f"a request of {self.resource.name} was made at {self.since!r} and its `with` block ended at {now!r}, "
                "but it was never yielded: write `with r.request() as unit: yield unit`"
            )

    def __repr__(self) -> str:
        who = f" by {self.process.name}" if self.process is not None else ""
        since = f" since {self.since!r}" if self.state in (WAITING, GRANTED) else ""
        return f"<request of {self.resource.name}{who}: {self.state}{since}>"


class PreemptingRequest(Request):
    """A request that may take the units of users of lower priority."""

    __slots__ = ()
    preempts = True


def check_units(units: int, resource: Resource) -> int:
    """A number of units asked for; ModelError if it is not whole and positive, or more than there ever were."""
    try:
        wanted = index(units)
    except TypeError:
        wanted = 0
    if wanted < 1 or isinstance(units, bool):
        raise ModelError(f"a request of {resource.name} is for a whole number of units, 1 or more, and got {units!r}")
    if wanted > resource._largest:
        raise ModelError(
            f"a request for {wanted} units of {resource.name}, which never had more than {resource._largest}: "
            "ask for fewer, or raise its capacity first"
        )
    return wanted
