"""What a program of processes does, found without eventide: `ev`, `sim` and the desks of a loop of its own."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Generator
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from fuzzing.condition_reference import (
    Active,
    Drift,
    Line,
    Portion,
    Refused,
    Tank,
    Watch,
    arm,
    grid_before,
    next_true,
    when,
)
from fuzzing.errands import Errands
from fuzzing.exceptions import Skip

MOST_EVENTS = 4000

Commands = Generator[Any, Any, Any]


class Interrupt(Exception):
    """What an interrupt throws into a process. left: of the time for which it was to hold; None in another wait."""

    def __init__(self, cause: object, left: float | None) -> None:
        super().__init__(cause)
        self.cause, self.left = cause, left


class Due:
    """What is due at a time, unless it is called off."""

    def __init__(self, time: float, number: int, act: Callable[[], None]) -> None:
        self.time, self.number, self.act = time, number, act
        self.is_off = False

    def __lt__(self, other: Due) -> bool:
        return (self.time, self.number) < (other.time, other.number)


class Story:
    """A process.

    joined      who waits for its end; result: what it returns there
    held        the end of its present hold
    let_go      ends what it waits for
    """

    def __init__(self, world: Loop, generator: Commands) -> None:
        word = generator.__name__
        world.made[word] += 1
        self.name = f"{word} {world.made[word]}"
        self.world = world
        self.generator = generator
        self.terminated = False
        self.result: Any = None
        self.joined: list[Story] = []
        self.held: Due | None = None
        self.let_go: Callable[[], None] = lambda: None
        self.has_begun = False
        world.alive[self] = None
        world.in_front(self.step)

    def wake(self, value: Any = None) -> None:
        """Go on at the end of this instant."""
        due = self.world.at(self.world.time, lambda: self.step(value))
        self.held = due if value is None else None  # as if it held for no time
        self.let_go = lambda: setattr(due, "is_off", True)

    def step(self, value: Any = None, error: Exception | None = None) -> None:
        """Go on to what has to be waited for."""
        world = self.world
        world.current, self.held, self.has_begun, self.let_go = self, None, True, lambda: None
        while True:
            try:
                command = self.generator.send(value) if error is None else self.generator.throw(error)
            except StopIteration as end:
                self.result = end.value
                break
            value = error = None
            if isinstance(command, Wish | Portion):
                if not command.is_had_by(self):
                    return
                value = command if isinstance(command, Wish) else command.amount
            elif isinstance(command, Watch):
                command.enter(world, self)
                return
            elif isinstance(command, dict):
                value = self.choose(command)
                if value is None:
                    return
            elif isinstance(command, Story):
                if not command.terminated:
                    command.joined.append(self)
                    self.let_go = lambda command=command: command.joined.remove(self)
                    return
                value = command.result
            else:
                self.held = due = world.at(world.time + command, self.step)
                self.let_go = lambda due=due: setattr(due, "is_off", True)
                return
        self.terminated = True
        del world.alive[self]
        for other in self.joined:
            other.wake(self.result)

    def go_on(self, value: Any) -> None:
        """What it has waited for has come."""
        self.step(value)

    def choose(self, commands: dict[str, Any]) -> SimpleNamespace | None:
        """Wait for the first of several; what has come, if that is there at once."""
        branches: list[Branch] = []
        self.let_go = lambda: [branch.let_go() for branch in branches]  # type: ignore[assignment,return-value]  # as it is
        for word, command in commands.items():
            branch = Branch(self, word, branches)
            branches.append(branch)
            if isinstance(command, Watch):
                command.enter(self.world, branch)
            elif not isinstance(command, Wish | Portion):
                branch.come_at(self.world.time + command)
            elif command.is_had_by(branch):  # type: ignore[arg-type]  # it stands for its process
                return branch.won(command if isinstance(command, Wish) else command.amount)
        return None

    def interrupt(self, cause: object = None) -> None:
        """Throw an interrupt into it, in front of this instant."""
        if self.terminated or not self.has_begun or self is self.world.current:
            raise Refused
        self.world.in_front(lambda: self._cut(cause))

    def _cut(self, cause: object) -> None:
        if not self.terminated:
            left = None if self.held is None else self.held.time - self.world.time
            self.let_go()
            self.step(error=Interrupt(cause, left))


class Branch:
    """One of the things for the first of which a process waits; all are in a list."""

    def __init__(self, story: Story, word: str, others: list[Branch]) -> None:
        self.story, self.word, self.others = story, word, others
        self.let_go: Callable[[], None] = lambda: None

    def come_at(self, time: float, value: Any = None) -> None:
        """It comes at a time, if nothing else has come before."""
        due = self.story.world.at(time, lambda: self.go_on(value))
        self.let_go = lambda: setattr(due, "is_off", True)

    def go_on(self, value: Any) -> None:
        """It has come."""
        self.story.step(self.won(value))

    def wake(self, value: Any = None) -> None:
        """It comes at the end of this instant, unless something else comes before."""
        self.come_at(self.story.world.time, value)

    def won(self, value: Any) -> SimpleNamespace:
        """It is the first."""
        for other in self.others:
            if other is not self:
                other.let_go()
        return SimpleNamespace(name=self.word, value=value)


class Loop:
    """The clock, what is due, and the processes that have not ended."""

    def __init__(self) -> None:
        self.time = 0.0
        self.events = 0
        self.current: Story | None = None
        self.alive: dict[Story, None] = {}
        self.made: Counter[str] = Counter()
        self.watches: list[Watch] = []
        self.arrivals = 0
        self._due: list[Due] = []
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

    def at(self, time: float, act: Callable[[], None]) -> Due:
        """Something comes at a time, behind all that is due then."""
        due = Due(time, next(self._numbers), act)
        heapq.heappush(self._due, due)
        return due

    def run(self, end: float) -> None:
        """Let happen what is due before the end."""
        while (act := self._next(end)) is not None:
            self.events += 1
            if self.events > MOST_EVENTS:
                raise Skip("too many events")
            self._place, self.current = 0, None
            act()
        self.time = end

    def _next(self, end: float) -> Callable[[], object] | None:
        """What happens next: what is in front, what is due now, what is true, what is due first; None before an end."""
        while self.time < end:
            while self._due and self._due[0].is_off:
                heapq.heappop(self._due)
            arm(self.watches)
            if self._front:
                return self._front.pop(0)
            if self._due and self._due[0].time == self.time:
                return heapq.heappop(self._due).act
            if (watch := next_true(self.watches)) is not None:
                return watch.act
            due = min(self._due[0].time, end) if self._due else end
            self.time = grid_before(self.time, due) if self.watches else due
        return None


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
        story.let_go = self.give_up
        return False

    def give_up(self) -> None:
        """Leave the line, or give the units back; those behind may have them."""
        if self.is_granted:
            self.desk.held -= self.units
        elif self in self.desk.line:
            self.desk.line.remove(self)
        self.is_granted = False
        self.desk.serve()

    @property
    def granted(self) -> bool:
        """Whether it has its units."""
        return self.is_granted

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.is_granted and kind is not GeneratorExit:  # which comes when all is over
            self.give_up()


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

    @property
    def available(self) -> int:
        """How many units are free."""
        return self.units - self.held

    @property
    def in_use(self) -> SimpleNamespace:
        """How many are not, as a statistic has it."""
        return SimpleNamespace(value=self.held)

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

    def serve(self) -> None:
        """Whoever is first in line and has room goes on at the end of this instant."""
        while self.line and self.has_room(self.line[0]):
            wish = self.grant_first()
            wish.story.wake(wish)
            call_off = wish.story.let_go
            wish.story.let_go = lambda wish=wish, call_off=call_off: (call_off(), wish.give_up())

    def grant_first(self) -> Wish:
        """The first in line has its units."""
        wish = self.line.pop(0)
        wish.is_granted = True
        self.held += wish.units
        self.waits.append(self.world.time - wish.since)
        return wish


class Load:
    """A number that holds until it changes, and for how long it had each of its values."""

    def __init__(self, world: Loop) -> None:
        self.world, self.value, self.since = world, 0, 0.0
        self.held: dict[int, float] = {}

    def set(self, value: int) -> None:
        """Set it."""
        now = self.world.time
        self.held[self.value] = self.held.get(self.value, 0.0) + (now - self.since)
        self.value, self.since = value, now

    def change(self, difference: int) -> None:
        """Add to it."""
        self.set(self.value + difference)


def follow(program: Errands) -> dict[str, Any]:
    """All that can be seen of a run of a program. Raises Skip if it is too long."""
    words = {"hold": float, "first_of": dict, "until": Watch, "when": when}
    kinds = {"Continuous": Active, "Interrupt": Interrupt, "ModelError": Refused}
    names: dict[str, Any] = {"ev": SimpleNamespace(**words, **kinds)}
    world, rng = Loop(), Random(program.seed)
    rg = names["rg"] = np.random.default_rng(program.seed)
    names |= {"load": Load(world), "tank": Tank(world, 4, 1), "line": Line(), "drift": Drift(world)}
    exec(compile(program.text, f"<errands {program.seed}>", "exec"), names)  # noqa: S102  # it was written here
    desks = [Desk(world, units) for units in program.units]
    log: list[Any] = []
    seen: list[float] = []
    names |= {"log": log, "seen": seen, "desk0": desks[0], "desk1": desks[1]}
    names["begin"](world, rng, log, seen, *desks)
    for time in program.pauses:
        world.run(time)
        names["between"](world, rng, log, seen, *desks)
    world.run(program.end)
    return {
        "log": log,
        "seen": seen,
        "events": world.events,
        "processes": [story.name for story in world.alive],
        "desks": [(desk.held, desk.asked, len(desk.line), desk.waits) for desk in desks],
        "load": [names["load"].value, *names["load"].held.items()],
        "tank": names["tank"].amount,
        "line": list(names["line"]),
        "next numbers": [rng.random(), rg.random()],
    }
