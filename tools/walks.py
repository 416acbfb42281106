"""How far one thing goes through the code: functions, files and changes of room of five walks.

A walk is one thing that happens in a small model: a wait is placed, its event is located, it takes place again, a unit
is requested, an event is recorded. Counted are the functions of eventide that Python calls meanwhile, each once, their
files, and how often a call goes from one room to another. Nothing is compiled meanwhile. Run as a script, this prints a
table; `--list NAME` prints the functions of one walk in the order of their first calls.

make walks
make walks ARGS="--list placed"
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import eventide as ev
from eventide.monitor import monitor

LIBRARY = Path(ev.__file__).parent


class Tank(ev.Continuous):
    """A level that rises or falls; a handler turns it when it is full."""

    level: ev.State = ev.state(0.0)
    flow: float = 1.0

    def equations(self) -> None:
        self.rate.level = self.flow

    @ev.when(lambda self: self.level >= 2.0)
    def full(self) -> None:
        self.flow = -1.0


@dataclass
class Walk:
    """What was called: each function once, in the order of first calls, and the changes of room."""

    functions: dict[tuple[str, str], None] = field(default_factory=dict)
    changes: int = 0

    @property
    def files(self) -> list[str]:
        """The files of these functions, in the order in which they are first met."""
        return list(dict.fromkeys(file for file, _ in self.functions))

    def begin(self) -> None:
        """Count from now on."""
        sys.setprofile(self.note)

    def end(self) -> None:
        """Count no more."""
        sys.setprofile(None)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Count a call, as `sys.setprofile` tells of it."""
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(str(LIBRARY)):
            return
        file = str(Path(code.co_filename).relative_to(LIBRARY))
        self.functions[file, code.co_qualname] = None
        caller = frame.f_back
        if caller is not None and caller.f_code.co_filename.startswith(str(LIBRARY)):
            self.changes += _room(Path(caller.f_code.co_filename).relative_to(LIBRARY)) != _room(Path(file))


def _room(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def placed() -> Walk:
    """A process comes to an `until` for the first time; the wait is placed, and time goes on by a step."""
    walk = Walk()
    sim = ev.Simulation()
    tank = Tank(sim).start()

    def control() -> ev.ProcessGenerator:
        yield ev.hold(1.5)
        walk.begin()
        yield ev.until(lambda: tank.level <= 1.0)

    def stop() -> ev.ProcessGenerator:
        yield ev.hold(1.6)
        walk.end()

    sim.process(control())
    sim.process(stop())
    sim.run(until=2.0)
    return walk


def located() -> Walk:
    """The first event of a wait is located inside a step, and its process goes on."""
    return _between(events=1, is_recorded=False)


def steady() -> Walk:
    """A process that has waited for the same thing many times waits again, and its event takes place."""
    return _between(events=10, is_recorded=False)


def recorded() -> Walk:
    """The same, with a recording that keeps the rows before and after the event."""
    return _between(events=10, is_recorded=True)


def _between(events: int, *, is_recorded: bool) -> Walk:
    """From the event of another process to an event of a wait that is the N-th of its kind."""
    walk = Walk()
    sim = ev.Simulation()
    tank = Tank(sim).start()
    if is_recorded:
        sim.record(tank, every=100.0)

    def control() -> ev.ProcessGenerator:
        for number in range(1, events + 1):
            yield ev.until(lambda: tank.level >= 1.0)
            if number == events:
                walk.end()
            tank.level = 0.0
            if number == events - 1:
                walk.begin()

    def first() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        if events == 1:
            walk.begin()

    sim.process(first())
    sim.process(control())
    sim.run(until=events + 0.5)
    return walk


def requested() -> Walk:
    """A process requests the free unit of a resource and goes on with it."""
    walk = Walk()
    sim = ev.Simulation()
    desk = ev.Resource(sim)

    def customer() -> ev.ProcessGenerator:
        for number in range(2):
            yield ev.hold(1.0)
            if number == 1:
                walk.begin()
            with desk.request() as place:
                yield place
                walk.end()

    sim.process(customer())
    sim.run(until=3.0)
    return walk


@dataclass(frozen=True)
class Limit:
    """A walk, and the most functions and files that it may touch."""

    walk: Callable[[], Walk]
    functions: int
    files: int


LIMITS = {
    "placed": Limit(placed, 60, 15),
    "located": Limit(located, 40, 12),
    "steady": Limit(steady, 20, 8),
    "requested": Limit(requested, 17, 7),
    "recorded": Limit(recorded, 35, 10),
}


def walks() -> dict[str, Walk]:
    """All walks, each after one that has compiled what it needs. A profiler does not keep code from being native."""
    monitor.is_traced = lambda: False  # type: ignore[assignment]  # what is counted is what happens without a profiler
    for limit in LIMITS.values():
        limit.walk()
    return {name: limit.walk() for name, limit in LIMITS.items()}


def main(arguments: list[str]) -> int:
    """Print the walks; returns 1 if one is longer than its limit."""
    parser = ArgumentParser(prog="walks", description=__doc__.partition("\n")[0])
    parser.add_argument("--list", choices=list(LIMITS), help="print the functions of one walk")
    chosen = parser.parse_args(arguments).list
    found = walks()
    if chosen:
        for file, function in found[chosen].functions:
            print(f"{file:50} {function}")
        return 0
    print(f"{'walk':10} {'functions':>14} {'files':>10} {'changes of room':>16}")
    for name, walk in found.items():
        limit = LIMITS[name]
        functions, files = f"{len(walk.functions)} of {limit.functions}", f"{len(walk.files)} of {limit.files}"
        print(f"{name:10} {functions:>14} {files:>10} {walk.changes:>16}")
    return int(any(len(w.functions) > LIMITS[n].functions or len(w.files) > LIMITS[n].files for n, w in found.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
