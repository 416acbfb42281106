"""Random models whose events fall on exactly the same times: crossings, jumps of inputs, holds, requests, recordings.

Everything has a time on a grid of powers of two, so that order alone decides what is seen. What comes out is all that a
model leaves, and all that was observed of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from random_bodies import simulation, taken

import eventide as ev

END = 12.0
PUSH = ev.inputs.Pulse(1.0, start=0.5, width=0.5, high=1.0, low=-1.0)
GATE = ev.inputs.Pulse(0.75, start=0.25, width=0.25)


class Box(ev.Continuous):
    x: ev.State = 0.0
    q: ev.Computed = ev.computed()
    up: float = 1.0
    top: float = 0.5
    low: float = 0.0
    change: float = 3.0
    turns: int = 0
    kind: str = "a"
    notes: list[int] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.q = 1.0 if self.sim.time < self.change else 2.0
        self.rate.x = self.up


class Pushed(Box):
    """Inputs jump, and so does a computed value of which a handler waits."""

    def equations(self) -> None:
        self.q = GATE(self.sim.time)
        self.rate.x = PUSH(self.sim.time) * self.up

    @ev.when(lambda self: self.q > 0.5)
    def jump(self) -> None:
        self.turns += 1


class Dark(Box):
    """Laws that cannot be read."""

    def equations(self) -> None:
        self.q = [1.0 if self.sim.time < self.change else 2.0][-1]
        self.rate.x = sum(map(float, [self.up]))

    @ev.when(lambda self: self.x >= self.top)
    def turn(self) -> None:
        self.up = -abs(self.up)
        self.turns += 1

    @ev.when(lambda self: self.x <= self.low)
    def back(self) -> None:
        self.up = abs(self.up)


class Turned(Box):
    """Handlers turn it; one of them is Python's at times, and moves a jump of the law to a time of the grid."""

    @ev.when(lambda self: self.x >= self.top)
    def turn(self) -> None:
        self.up = -abs(self.up)
        self.turns += 1

    @ev.when(lambda self: self.x <= self.low)
    def back(self) -> None:
        self.up = abs(self.up)
        if self.kind == "b":
            self.notes.append(self.turns)
        self.change = self.sim.time + 1.25


class Seen(ev.Reporter):
    of: Callable[[], Any]
    rows: list[tuple[Any, ...]] = ev.field(default_factory=list)

    def report(self) -> None:
        self.rows.append((self.sim.time, self.of()))


class Store:
    stock: int = 0


def ticker(period: float, step: int, store: Store) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(period)
        store.stock = (store.stock + step) % 5


def user(period: float, desk: ev.Resource) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(period)
        with desk.request() as wanted:
            yield wanted
            yield ev.hold(0.25)


def waiter(box: Box) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: box.x >= box.top)
        box.up = -abs(box.up)
        yield ev.until(lambda: box.x <= box.low)
        box.up = abs(box.up)


def counter(period: float, box: Box, store: Store, gaps: ev.Tally, stock: ev.Level) -> ev.ProcessGenerator:
    """Statistics of what others change at these times."""
    while True:
        yield ev.hold(period)
        gaps.add(box.x)
        stock.set(store.stock)


def maker(at: float, box: Box, made: list[Box]) -> ev.ProcessGenerator:
    """Another box with the values that this one has at a time of the grid."""
    yield ev.hold(at)
    other = type(box)(box.sim, x=box.x, up=box.up, top=box.top, low=box.low, change=box.change, name=f"{box.name}'")
    made.append(other.start())
    if type(box) in (Box, Pushed):
        box.sim.process(waiter(other))


@dataclass
class Model:
    """A random model. boxes, store, desk: what moves; rows: everything observed."""

    sim: ev.Simulation
    random: Random
    boxes: list[Box] = field(default_factory=list)
    store: Store = field(default_factory=Store)
    observed: list[Callable[[], list[tuple[Any, ...]]]] = field(default_factory=list)

    def build(self, kinds: list[type[Box]], periods: list[float], stays: list[float]) -> None:
        """Make what moves."""
        one, sim, store = self.random, self.sim, self.store
        for k in range(one.randint(1, 3)):
            box = one.choice(kinds)(
                sim,
                up=one.choice([0.25, 0.5, 1.0, 1.0]),
                top=one.choice([0.5, 0.25, 1.0]),
                change=one.choice([1.0, 2.5, 3.25, 1e9]),
                kind=one.choice("aab"),
                name=f"box {k}",
            )
            self.boxes.append(box.start())
        self.desk = ev.Resource(sim, 1)
        for _ in range(one.randint(1, 3)):
            sim.process(ticker(one.choice(periods), one.randint(1, 3), store))
        for _ in range(one.randint(0, 2)):
            sim.process(user(one.choice(stays), self.desk))
        for box in self.boxes:
            if type(box) in (Box, Pushed):
                sim.process(waiter(box))
        self.gaps, self.stock = sim.tally("gaps"), sim.level("stock")
        if one.random() < 0.5:
            sim.process(counter(one.choice([0.25, 0.5]), one.choice(self.boxes), store, self.gaps, self.stock))
        if one.random() < 0.4:
            sim.process(maker(one.choice([1.0, 2.0, 2.5]), one.choice(self.boxes), self.boxes))

    def add_up(self, quantity: Any) -> None:
        """An integral over the whole run."""
        found = self.sim.integral(quantity)
        self.observed.append(lambda: [(END, found.value, found.average, found.minimum, found.maximum)])

    def observe(self, most: int) -> None:
        """Some observers, of the first kinds; from the seventh on Python looks at each event."""
        one, sim, store = self.random, self.sim, self.store
        for _ in range(one.randint(1, 4)):
            every: Any = one.choice([0.25, 0.5, 1.0, "event", 0.125, 0.3])
            box, what = one.choice(self.boxes), one.randrange(most)
            if what == 6:
                seen = Seen(sim, of=lambda box=box: (box.x, box.q, box.turns, store.stock), every=every).start()
                self.observed.append(lambda seen=seen: seen.rows)
            elif what == 7:
                self.add_up(lambda box=box: box.x * 2.0 + store.stock)
            elif what == 8:
                self.add_up(self.stock)
            else:
                if what == 0:
                    rows = sim.record(v=lambda box=box: box.x * 2.0 + store.stock, every=every)
                elif what == 1:
                    rows = sim.record(Box, every=every)
                elif what == 2:
                    rows = sim.record(box, every=every)
                elif what == 3:
                    rows = sim.record(w=lambda: store.stock, n=lambda box=box: box.turns, every=every)
                elif what == 4:
                    rows = sim.record(q=self.desk.queue, every=every)
                else:
                    rows = sim.record(z=lambda box=box: box.q + box.up, every=every)
                self.observed.append(lambda rows=rows: [*rows.to_pandas().reset_index().itertuples(False, None)])

    def left(self) -> list[Any]:
        """What the model leaves."""
        states = [(box.name, box.x, box.q, box.up, box.turns, box.change, box.notes) for box in self.boxes]
        counts = [self.gaps.count, self.gaps.mean, self.stock.mean, self.stock.value, self.store.stock]
        return [states, counts, self.desk.queue.mean, self.sim.time]


@dataclass
class Outcome:
    """What a run left, what was observed, its events, and how many of them were those of rows."""

    left: list[Any]
    observed: list[list[tuple[Any, ...]]]
    events: int
    of_rows: int


def outcome(
    seed: int, compiles: Any, *, native: bool = True, is_observed: bool = True, cuts: tuple[float, ...] = (4.5,)
) -> Outcome:
    """Run the model of a seed, in pieces that end at some times. Seeds tell its kind by their remainders.

    2 of 4  laws that cannot be read;  2 of 3  observers for which Python looks at each event;  1 of 2  dyadic holds;
    4 of 5  all flows step together
    """
    one = Random(seed)
    stepping, method = "together" if seed % 5 == 4 else "apart", one.choice(["england", "dop853", "radau"])
    model = Model(simulation(compiles, native=native, stepping=stepping, method=method), one)
    if seed % 2:
        periods, stays = [0.125, 0.25, 0.0625, 0.1], [0.25, 0.125, 0.2]
    else:
        periods, stays = [0.03, 0.07, 0.0417], [0.17, 0.0913]
    model.build([Turned, Turned, Box, Pushed, Dark] if seed % 4 == 2 else [Turned, Box, Pushed], periods, stays)
    if is_observed:
        model.observe(9 if seed % 3 == 2 else 6)
    for end in (*cuts, END):
        model.sim.run(until=end)
    return Outcome(model.left(), [of() for of in model.observed], model.sim.events, taken(model.sim))


def is_cut_freely(seed: int) -> bool:
    """Whether its steps do not end where runs end: flows step apart, and their laws can be read."""
    return seed % 4 != 2 and seed % 5 != 4
