"""What a program that waits for conditions needs besides, found without eventide: conditions, handlers, a tank, a line.

The order is that of `docs/background/contract-of-time.md`: time events of an instant come first; then, of all that is
true, what has the highest priority, and of equals what came first, or last with `prior`. After each event all is looked
at again, and a handler is armed by what makes its condition false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzzing.errand_reference import Loop

GRID = 0.125
"""Conditions on time become true or false at whole multiples of this alone."""


class Watch:
    """A condition in the list, of a process that waits for it.

    rank    its place among others, the smallest first
    """

    is_armed = True

    def __init__(self, condition: Callable[[], Any], *, priority: float = 0.0, prior: bool = False) -> None:
        self.condition, self.priority, self.prior = condition, priority, prior
        self.rank = (0.0, 0)

    def enter(self, world: Loop, story: Any) -> None:
        """A process, or a branch of what it waits for, waits for it from now on."""
        self.act = lambda: (world.watches.remove(self), story.go_on(True))
        story.let_go = lambda: world.watches.remove(self)
        self.join(world)

    def join(self, world: Loop) -> None:
        """Stand in the list of a world."""
        world.arrivals += 1
        self.rank = (-self.priority, -world.arrivals if self.prior else world.arrivals)
        world.watches.append(self)


class Handler(Watch):
    """A condition at whose beginning a method runs."""

    def __init__(self, owner: Any, method: Callable[..., None], at_start: bool) -> None:
        given = method.when  # type: ignore[attr-defined]  # set by `when`
        super().__init__(lambda: given[0](owner), priority=given[1])
        self.owner, self.method, self.is_armed = owner, method, at_start

    def act(self) -> None:
        """Run it."""
        self.is_armed = False
        self.method(self.owner)


def when(condition: Callable[[Any], Any], priority: float = 0.0, *, at_start: bool = False) -> Callable[..., Any]:
    """Mark a method as a handler."""

    def mark(method: Any) -> Any:
        method.when = (condition, priority, at_start)
        return method

    return mark


class Active:
    """The base of what has handlers."""

    def __init__(self, sim: Loop, **given: Any) -> None:
        self.sim = sim
        vars(self).update(given)

    def start(self) -> Any:
        """Let them run."""
        for method in vars(type(self)).values():
            if hasattr(method, "when"):
                Handler(self, method, method.when[2]).join(self.sim)
        return self


def next_true(watches: list[Any]) -> Any:
    """The first condition in its order that is true; None if none is."""
    return next((one for one in sorted(watches, key=lambda w: w.rank) if one.is_armed and one.condition()), None)


def arm(watches: list[Any]) -> None:
    """Handlers whose conditions are false may run when they become true."""
    for one in watches:
        one.is_armed = one.is_armed or not one.condition()


def grid_before(now: float, end: float) -> float:
    """The next multiple of the grid, if it is before an end; else the end."""
    return min((now // GRID + 1) * GRID, end)


class Drift:
    """What moves beside all else, from 1 on, and upwards."""

    def __init__(self, world: Loop) -> None:
        self.world = world

    @property
    def y(self) -> float:
        """How far it has come."""
        return 1.0 + self.world.time


class Refused(Exception):
    """What is raised where something is asked that cannot be."""


class Portion:
    """Something to be put into a tank or taken out.

    state   "new", "waiting", "granted" (it is carried out at the end of this instant) or "done"
    """

    def __init__(self, tank: Tank, amount: int, line: list[Portion]) -> None:
        if not 0 <= amount <= tank.capacity:
            raise Refused
        self.tank, self.amount, self.line, self.state = tank, amount, line, "new"
        self.is_get = line is tank.gets
        self.story: Any = None

    def is_had_by(self, story: Any) -> bool:
        """Whether it is carried out at once; else it stands in its line."""
        tank, self.story = self.tank, story
        if not self.line and tank.fits(self):
            tank.amount += -self.amount if self.is_get else self.amount
            tank.serve()
            return True
        self.line.append(self)
        story.let_go, self.state = self.give_up, "waiting"
        return False

    def grant(self) -> None:
        """Keep what it takes out, or the space for what it puts in, until the end of this instant."""
        tank = self.tank
        self.line.remove(self)
        self.state = "granted"
        tank.kept += self.amount
        tank.amount -= self.amount if self.is_get else 0
        self.due = tank.world.at(tank.world.time, self.carry_out)

    def carry_out(self) -> None:
        """Its process goes on."""
        self.state = "done"
        self.tank.kept -= self.amount
        self.tank.amount += 0 if self.is_get else self.amount
        self.tank.serve()
        self.story.go_on(self.amount)

    def give_up(self) -> None:
        """Leave the line, or give back what was kept."""
        if self.state == "waiting":
            self.line.remove(self)
        elif self.state == "granted":
            self.due.is_off = True
            self.tank.kept -= self.amount
            self.tank.amount += self.amount if self.is_get else 0
        self.state = "done"
        self.tank.serve()


class Tank:
    """An amount of something, and lines on either side."""

    def __init__(self, world: Loop, capacity: int, initial: int) -> None:
        self.world, self.capacity, self.amount, self.kept = world, capacity, initial, 0
        self.puts: list[Portion] = []
        self.gets: list[Portion] = []

    def put(self, amount: int) -> Portion:
        """Put some in."""
        return Portion(self, amount, self.puts)

    def get(self, amount: int) -> Portion:
        """Take some out."""
        return Portion(self, amount, self.gets)

    @property
    def level(self) -> SimpleNamespace:
        """The amount, as a statistic has it."""
        return SimpleNamespace(value=self.amount)

    def fits(self, portion: Portion) -> bool:
        """Whether a portion is there, or has space."""
        if portion.is_get:
            return portion.amount <= self.amount
        return self.amount + self.kept + portion.amount <= self.capacity

    def serve(self) -> None:
        """Whoever is first in a line and can be served goes on at the end of this instant."""
        for line in (self.gets, self.puts):
            while line and self.fits(line[0]):
                line[0].grant()


class Line:
    """An ordered set."""

    def __init__(self) -> None:
        self.members: list[int] = []

    def into(self, member: int) -> None:
        """Put one at its end."""
        if member in self.members:
            self.members.remove(member)
        self.members.append(member)

    def out(self, member: int) -> None:
        """Take one out."""
        self.members.remove(member)

    @property
    def first(self) -> int | None:
        """Its first member."""
        return self.members[0] if self.members else None

    @property
    def empty(self) -> bool:
        """Whether it has none."""
        return not self.members

    @property
    def length(self) -> SimpleNamespace:
        """How many, as a statistic has it."""
        return SimpleNamespace(value=len(self.members))

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self.members))
