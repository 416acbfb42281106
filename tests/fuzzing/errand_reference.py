"""What a program of processes does, found without eventide: `ev`, `sim` and the desks of a loop of its own."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Generator
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any, Self

from fuzzing.errands import Errands
from fuzzing.reference import Skip

MOST_EVENTS = 4000

Commands = Generator[Any, Any, Any]


class Story:
    """A process. waits: who waits for its end."""

    def __init__(self, world: Loop, generator: Commands) -> None:
        word = generator.__name__
        world.made[word] += 1
        self.name = f"{word} {world.made[word]}"
        self.world = world
        self.generator = generator
        self.has_ended = False
        self.waits: list[Story] = []
        world.alive[self] = None
        world.in_front(lambda: self.step(None))

    def step(self, value: Any) -> None:
        """Go on to what has to be waited for."""
        world = self.world
        while True:
            try:
                command = self.generator.send(value)
            except StopIteration:
                break
            if isinstance(command, Wish):
                if not command.is_had_by(self):
                    return
                value = command
            elif isinstance(command, Story):
                if not command.has_ended:
                    command.waits.append(self)
                    return
                value = None
            else:
                world.at(world.time + command, lambda: self.step(None))
                return
        self.has_ended = True
        del world.alive[self]
        for other in self.waits:
            world.at(world.time, lambda other=other: other.step(None))


class Loop:
    """The clock, what is due, and the processes that have not ended."""

    def __init__(self) -> None:
        self.time = 0.0
        self.events = 0
        self.alive: dict[Story, None] = {}
        self.made: Counter[str] = Counter()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._front: list[Callable[[], None]] = []
        self._place = 0
        self._numbers = count()

    @property
    def processes(self) -> list[Story]:
        """Those that have not ended, in the order of their making."""
        return list(self.alive)

    def process(self, generator: Commands) -> Story:
        """Make a process; it begins in front of this instant, behind what the same event has put there."""
        return Story(self, generator)

    def in_front(self, act: Callable[[], None]) -> None:
        """Something comes before all else of this instant."""
        self._front.insert(self._place, act)
        self._place += 1

    def at(self, time: float, act: Callable[[], None]) -> None:
        """Something comes at a time, behind all that is due then."""
        heapq.heappush(self._due, (time, next(self._numbers), act))

    def run(self, end: float) -> None:
        """Let happen what is due before the end."""
        while self._front or (self._due and self._due[0][0] < end):
            self.events += 1
            if self.events > MOST_EVENTS:
                raise Skip("too many events")
            if self._front:
                act = self._front.pop(0)
            else:
                self.time, _, act = heapq.heappop(self._due)
            self._place = 0
            act()
        self.time = end


class Wish:
    """A request."""

    def __init__(self, desk: Desk, priority: float, units: int) -> None:
        self.desk, self.priority, self.units = desk, priority, units
        self.since = desk.world.time
        self.is_granted = False
        self.story: Any = None

    def is_had_by(self, story: Story) -> bool:
        """Whether a process that yields it has its units at once; else it stands in line."""
        desk, self.story, self.since = self.desk, story, self.desk.world.time
        desk.asked += 1
        desk.line.append(self)
        desk.line.sort(key=lambda wish: -wish.priority)  # equal ones stay as they came
        if desk.line[0] is self and desk.has_room(self):
            desk.grant_first()
            return True
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.is_granted and kind is not GeneratorExit:  # which comes when all is over
            self.desk.held -= self.units
            while self.desk.line and self.desk.has_room(self.desk.line[0]):
                wish = self.desk.grant_first()
                self.desk.world.at(self.desk.world.time, lambda wish=wish: wish.story.step(wish))


class Desk:
    """A number of units."""

    def __init__(self, world: Loop, units: int) -> None:
        self.world, self.units, self.held, self.asked = world, units, 0, 0
        self.line: list[Wish] = []
        self.waits: list[float] = []

    @property
    def waiting(self) -> list[Wish]:
        """Those in line."""
        return self.line

    def request(self, priority: float = 0.0, units: int = 1) -> Wish:
        """A request, to be yielded."""
        return Wish(self, priority, units)

    def use(self, duration: float) -> Commands:
        """Have a unit for some time."""
        with self.request() as wish:
            yield wish
            yield duration

    def has_room(self, wish: Wish) -> bool:
        """Whether there are units for a request."""
        return self.held + wish.units <= self.units

    def grant_first(self) -> Wish:
        """The first in line has its units."""
        wish = self.line.pop(0)
        wish.is_granted = True
        self.held += wish.units
        self.waits.append(self.world.time - wish.since)
        return wish


def follow(program: Errands) -> dict[str, Any]:
    """All that can be seen of a run of a program. Raises Skip if it is too long."""
    names: dict[str, Any] = {"ev": SimpleNamespace(hold=float)}
    exec(compile(program.text, f"<errands {program.seed}>", "exec"), names)  # noqa: S102  # it was written here
    world, rng = Loop(), Random(program.seed)
    desks = [Desk(world, units) for units in program.units]
    log: list[Any] = []
    seen: list[float] = []
    names["begin"](world, rng, log, seen, *desks)
    world.run(program.end)
    return {
        "log": log,
        "seen": seen,
        "events": world.events,
        "processes": [story.name for story in world.alive],
        "desks": [(desk.held, desk.asked, len(desk.line), desk.waits) for desk in desks],
        "next number": rng.random(),
    }
