"""Queues: ordered sets of any objects, with statistics."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from eventide.declare import Component, check_same_simulation
from eventide.declare.reserved import fix
from eventide.discrete.commands import Sleep, command
from eventide.discrete.processes.process import owner_of
from eventide.errors import ModelError
from eventide.statistics import Level, Tally
from eventide.statistics.level import set_at
from eventide.statistics.ownership import kept
from eventide.statistics.restarts import Restart
from eventide.statistics.tally import adder_of

if TYPE_CHECKING:
    import typing_extensions

    from eventide.discrete.commands import Activity
    from eventide.discrete.world import World

    # A default, so that `Queue` alone is a whole type; Python itself knows this from 3.13 on.
    Member = typing_extensions.TypeVar("Member", default=Any)
else:
    Member = TypeVar("Member")


VALUES: Final = (int, str, float, bool, bytes, complex)
"""Types whose objects have no identity that a user could count on."""


class _Place:
    """Where a member stands: between two others. The queue itself has one, between the last and the first."""

    __slots__ = ("after", "before", "member", "priority", "since")

    before: _Place
    after: _Place

    def __init__(self, member: Any, priority: float, since: float) -> None:
        self.member = member
        self.priority = priority
        self.since = since

    def link(self, before: _Place) -> None:
        self.before, self.after = before, before.after
        before.after.before = self
        before.after = self

    def unlink(self) -> None:
        self.before.after = self.after
        self.after.before = self.before


class Queue(Component, Generic[Member]):
    """An ordered set of any objects. An object may stand in any number of queues.

    Objects are distinguished by identity, numbers and texts by their value.

    To enter, leave and change places takes the same time however long the queue is.

    length      a `Level`: how many members, over time
    waits       a `Tally`: how long the members that left had been in the queue
    entered     how many have come since the last reset
    departed    how many have left since the last reset
    Source      SIMULA 67, class SIMSET: HEAD and LINK
    """

    _waited_for = "write `yield wait(queue)` to stand in it"

    def _complete(self) -> None:
        sim = self.sim
        self._places: dict[object, _Place] = {}
        self._ends = _Place(None, 0.0, 0.0)
        self._ends.before = self._ends.after = self._ends
        self._length = kept(Level(0, clock=sim, name=f"{self.name} length"), self.name)
        self._waits = kept(Tally(f"{self.name} waits", sim.time_unit), self.name)
        if TYPE_CHECKING:  # see `fix`
            self.length, self.waits = self._length, self._waits
        self._add_wait = adder_of(self._waits)
        self.entered = self.departed = 0
        sim._keep_statistics(Restart(self, "reset"))
        super()._complete()

    # --- coming, going, changing places ---------------------------------------------------------------------------

    def into(self, member: Member, *, priority: float = 0.0) -> None:
        """Add an object at the end; with a priority, before all of lower priority. A member is moved there.

        priority    high first, equal ones in the order of their coming
        """
        if isnan(priority):
            raise ModelError(f"into() of {self.name} got NaN: a priority must be a number")
        place = self._taken_out(member, priority)
        before = self._ends.before
        while before is not self._ends and before.priority < priority:
            before = before.before
        self._put(place, before)

    def follow(self, member: Member, other: Member) -> None:
        """Put an object immediately after a member, with its priority. Raises ModelError if `other` is none."""
        neighbour = self._place_of(other)
        if member is not other:
            self._put(self._taken_out(member, neighbour.priority), neighbour)

    def precede(self, member: Member, other: Member) -> None:
        """Put an object immediately before a member, with its priority. Raises ModelError if `other` is none."""
        neighbour = self._place_of(other)
        if member is not other:
            place = self._taken_out(member, neighbour.priority)
            self._put(place, neighbour.before)

    def out(self, member: Member) -> None:
        """Remove a member. Raises ModelError if it is none."""
        self._refuse_between_events()
        place = self._place_of(member)
        del self._places[_key(member)]
        place.unlink()
        self.departed += 1
        set_at(self._length, len(self._places), self.sim.time)
        self._add_wait(self.sim.time - place.since)

    def clear(self) -> None:
        """Remove all members, the first one first."""
        for member in self:
            self.out(member)

    # --- what can be asked ----------------------------------------------------------------------------------------

    @property
    def first(self) -> Member | None:
        """The first member; None if the queue is empty."""
        return self._ends.after.member  # type: ignore[no-any-return]  # a place holds any object

    @property
    def last(self) -> Member | None:
        """The last member; None if the queue is empty."""
        return self._ends.before.member  # type: ignore[no-any-return]  # a place holds any object

    def successor(self, member: Member) -> Member | None:
        """The member after a member; None after the last. Raises ModelError if it is no member."""
        return self._place_of(member).after.member  # type: ignore[no-any-return]  # a place holds any object

    def predecessor(self, member: Member) -> Member | None:
        """The member before a member; None before the first. Raises ModelError if it is no member."""
        return self._place_of(member).before.member  # type: ignore[no-any-return]  # a place holds any object

    @property
    def cardinal(self) -> int:
        """How many members there are; the same as `len(queue)`."""
        return len(self._places)

    @property
    def empty(self) -> bool:
        """Whether there is no member."""
        return not self._places

    def since(self, member: Member) -> float:
        """Since when a member has been one. Raises ModelError if it is none."""
        return self._place_of(member).since

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, member: object) -> bool:
        return _key(member) in self._places

    def __iter__(self) -> Iterator[Member]:
        """The present members, in order; the queue may change during the iteration."""
        members = []
        place = self._ends.after
        while place is not self._ends:
            members.append(place.member)
            place = place.after
        return iter(members)

    def reset(self) -> None:
        """Restart the statistics at the present time; the members stay."""
        self.length.reset()
        self.waits.reset()
        self.entered = self.departed = 0

    def __repr__(self) -> str:
        members = [getattr(member, "name", None) or repr(member) for member in self]
        shown = ", ".join(map(str, members[:5]))
        more = f", and {len(members) - 5} more" if len(members) > 5 else ""
        return f"<{self.name}: {shown}{more}>" if members else f"<{self.name}: empty>"

    # --- kernel ---------------------------------------------------------------------------------------------------

    def _place_of(self, member: object) -> _Place:
        place = self._places.get(_key(member))
        if place is None:
            name = getattr(member, "name", None) or repr(member)
            raise ModelError(f"{name} is not a member of {self.name}: ask `member in queue` before")
        return place

    def _taken_out(self, member: object, priority: float) -> _Place:
        """The place of a member, unlinked; of one that comes in, a new one."""
        self._refuse_between_events()
        place = self._places.get(_key(member))
        if place is None:
            return _Place(member, priority, self.sim.time)
        place.unlink()
        place.priority = priority
        return place

    def _put(self, place: _Place, before: _Place) -> None:
        place.link(before)
        key = _key(place.member)
        if key not in self._places:
            self._places[key] = place
            self.entered += 1
            set_at(self._length, len(self._places), self.sim.time)

    def _refuse_between_events(self) -> None:
        if self.sim.active:
            self.sim._forbid(17, f"a change of {self.name}")


def _key(member: object) -> object:
    """What tells a member from others."""
    return (member,) if type(member) in VALUES else id(member)


fix(Queue, **dict.fromkeys(("length", "waits"), "eventide keeps it, and `reset()` restarts it"))


class Enter:
    """The command to come into a queue and to be passive there."""

    __slots__ = ("priority", "queue")

    def __init__(self, queue: Queue[Any], priority: float) -> None:
        self.queue = queue
        self.priority = priority

    def _execute(self, sim: World, activity: Activity, /) -> None:
        check_same_simulation(sim, self.queue)
        member = owner_of(activity)
        self.queue.into(member, priority=self.priority)
        activity._wait = QueueWait(self.queue, activity, member)


class QueueWait(Sleep):
    """A passive wait in a queue."""

    __slots__ = ("activity", "member", "queue", "since")

    def __init__(self, queue: Queue[Any], activity: Activity, member: object) -> None:
        self.queue = queue
        self.activity = activity
        self.member = member
        self.since: float = queue.sim.time

    def sleeper(self) -> Activity | None:
        """The process, or the branch that stands for it."""
        return self.activity

    def withdraw(self) -> None:
        """Leave the queue, unless the member has been removed already."""
        if self.member in self.queue:
            self.queue.out(self.member)

    def describe(self) -> str:
        """What is waited for."""
        if self.member in self.queue:
            return f"its turn in {self.queue.name} since {self.since!r}"
        return f"its activation by another process, taken out of {self.queue.name}"


@command
def wait(queue: Queue[Any], *, priority: float = 0.0) -> Enter:
    """Command: come into a queue and be passive, until another process activates this one.

    The server takes it out and activates it: `p = queue.first; queue.out(p); p.activate()`. One that is
    interrupted, or gives up in a `first_of`, leaves the queue.
    priority    as in `queue.into`
    Raises TypeError for what is no queue.
    """
    if not isinstance(queue, Queue):
        raise TypeError(
            f"wait takes a Queue, and got {queue!r}: write `yield r.request()` for a resource, `yield signal`"
        )
    return Enter(queue, priority)
