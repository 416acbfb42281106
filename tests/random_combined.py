"""Random models of processes that hold, queue and wait for states beside components that move, and of who meddles."""

from __future__ import annotations

from random import Random
from textwrap import indent
from types import ModuleType
from typing import Any

from random_bodies import HEAD, MEDDLER, Writer, run_through

import eventide as ev

COMPONENTS = """
def push(t):
    return 0.25 if t % 3.0 < 1.5 else -0.25


class Swing(ev.Continuous):
    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)
    k: float = 2.0
    damping: float = 0.05
    hits: int = 0

    def equations(self):
        self.rate.x = self.v
        self.rate.v = {law}

    def is_high(self):
        return self.x > 0.375 + 0.0 * self.k
{handlers}

class Tank(ev.Continuous):
    level: ev.State = ev.state(0.5)
    inflow: float = 0.25
    drain: float = 0.5

    def equations(self):
        self.rate.level = self.inflow - self.drain * self.level{coupling}


class Diver(ev.Process, ev.Continuous):
    depth: ev.State = ev.state(0.0)
    speed: float = 0.5
    turns: int = 0
    lowest: float = 1.0
    log: list

    def equations(self):
        self.rate.depth = self.speed + 0.0625 * MATE.x

    def is_up(self):
        return self.depth < 0.25

    def run(self):
        self.start()
        while True:
            self.speed = 0.5
            yield ev.until(lambda: self.depth > self.lowest)
            self.turns += 1
            self.log.append((self.sim.time, self.turns))
            yield ev.hold(0.25)
            self.speed = -0.5
            yield ev.until(self.is_up)
            if self.turns % 7 == 6:
                yield ev.first_of(deep=ev.until(lambda: self.depth < -0.5), late=ev.hold(0.5))


def starter(sim, log, divers, swing):
    k = 0
    while True:
        yield ev.hold(2.75)
        one = divers[k % len(divers)]
        act = k % 5
        if act == 0:
            one.stop()
        elif act == 1:
            one.start()
        elif act == 2:
            Swing(sim, name=f"swing {{k}}", k=1.0 + 0.125 * k).start()
        elif act == 3:
            found = yield ev.first_of(near=ev.until(lambda: divers[0].depth > swing.x), late=ev.hold(1.5))
            log.append((sim.time, found.name))
        else:
            log.append((sim.time, one.depth, one.turns, one.idle, str(one.why_waiting())))
        k += 1


def rise(swing, level, rank=0.0):
    yield ev.until(lambda: swing.x > level, priority=1)


def is_filled():
    return MATE.x < 0.125


def fall(swing, tank, level, pause):
    target = level - 0.25 * pause
    found = yield ev.first_of(low=ev.until(lambda: swing.x < target), late=ev.hold(2.0))
    if found.name == "low":
        target = swing.v + 0.125
        yield ev.hold(pause)
        yield ev.until(lambda: swing.v < target or tank.level > level)
    return target


class Count:
    def __repr__(self):
        return f"{{self.total}} {{self.share}}"

    def __init__(self):
        self.total = 0
        self.share = 0.5
"""
LAWS = (
    "-self.k * self.x",
    "-self.k * self.x",
    "-self.k * self.x - self.damping * self.v",
    "-self.k * self.x - self.damping * abs(self.v) * self.v",
    "-self.k * self.x if self.x > 0.25 else -0.5 * self.k * self.x",
    "-self.k * self.x + INPUT(self.sim.time)",
    "-self.k * max(self.x, -0.75)",
    "-self.k * sum([self.x])",
    "-self.k * self.x + 0.0 * len(str(self.k))",
)
INPUTS = (
    "ev.inputs.Sine(amplitude=0.25, frequency=0.125)",
    "ev.inputs.Pulse(period=4.0, width=1.5, high=0.25, low=-0.25)",
    "push",
)
HANDLER = """
    @ev.when(lambda self: self.x {sign} {limit})
    def hit{number}(self):
        {act}
"""
ACTS = (
    "self.v *= -0.75", "self.k = 1.5", "self.hits += 1", "self.v += 0.125", "HITS.append(self.x)",
    "HITS.append((self.sim.time, self.v))",
)  # fmt: skip
FIELDS = ("swing.x", "swing.v", "swing.k", "tank.level", "tank.inflow", "swing.hits * 0.5", "count.share")
WATCHERS = (
    """

def watcher(sim, log, swing, tank, desk, rng):
    while True:
        yield ev.until(lambda: swing.x > 0.5)
        {first}
        yield ev.until(lambda: swing.x < -0.25)
        {second}
""",
    """

def watcher(sim, log, swing, tank, desk, rng):
    n, x = 0, 0.25
    while True:
        yield ev.until(lambda: swing.x > 0.5{priority})
        n += 1
        {first}
        yield ev.hold(0.25 * (n % 3))
        for k in range(n % 3):
            yield ev.until(lambda: swing.x < x)
            log.append((sim.time, n, k))
            yield ev.hold(rng.expovariate(4.0))
            {second}
        yield ev.until(lambda: tank.level > 0.125)
""",
    """

def watcher(sim, log, swing, tank, desk, rng):
    n = 0
    while True:
        with desk.request() as place:
            yield place
            try:
                yield ev.until(lambda: swing.v > 0.25{priority})
                {first}
            except ev.Interrupt as cut:
                log.append((sim.time, cut.cause))
        if swing.x > 0.0:
            yield ev.until(lambda swing=swing: swing.x < -0.125)
        n += 1
        {second}
        if n % 5 == 0:
            yield ev.hold(1.5)
""",
    """

def watcher(sim, log, swing, tank, desk, rng):
    while True:
        try:
            yield ev.until(lambda: swing.x > 0.5{priority})
            {first}
            yield ev.hold(0.5)
            yield ev.until(lambda: swing.x < -0.25)
        except ev.Interrupt as cut:
            log.append((sim.time, cut.cause))
            {second}
            yield ev.hold(0.125)
""",
    """

def watcher(sim, log, swing, tank, desk, rng):
    n = 0
    while True:
        yield ev.until(lambda: swing.x > 0.5)
        n += 1
        {first}
        if n % 40 == 0:
            yield ev.until(lambda: swing.x < 0.0)
            {second}
        if n == 400:
            while True:
                yield ev.until(lambda: swing.x < 5.0)
""",
    """

def watcher(sim, log, swing, tank, desk, rng):
    n = 0
    while True:
        found = yield ev.first_of(
            high=ev.until(lambda: swing.x > 0.5),
            filled=ev.until(lambda: tank.level > 0.625{priority}),
            late=ev.hold(0.75),
        )
        {first}
        n += 1
        if found.name == "late":
            continue
        if found.name == "filled":
            log.append((sim.time, n))
            yield ev.hold(0.25)
        try:
            yield ev.first_of(late=ev.hold(0.25 * (n % 4)), low=ev.until(lambda: swing.x < -0.25{priority}))
        except ev.Interrupt as cut:
            log.append((sim.time, cut.cause))
            {second}
        yield ev.until(lambda: swing.v < 0.375)
""",
    """

def watcher(sim, log, swing, tank, desk, rng):
    n = 0
    while True:
        n += 1
        with desk.request() as place:
            found = yield ev.first_of(
                storm=ev.until(lambda: swing.v < -0.25{priority}), served=place, late=ev.hold(0.5)
            )
            if found.name == "served":
                {first}
                try:
                    yield ev.first_of(up=ev.until(lambda: swing.x > 0.25), down=ev.until(lambda: swing.x < -0.25))
                except ev.Interrupt as cut:
                    log.append((sim.time, cut.cause))
                    {second}
        if n % 3 == 0:
            yield ev.hold(rng.expovariate(2.0))
        else:
            yield ev.hold(0.125)
""",
)
HELPED = """

def watcher(sim, log, swing, tank, desk, rng):
    n, low, x = 0, -0.25, 0.0
    while True:
        n += 1
        yield from rise(swing, 0.25 + 0.125 * (n % 3))
        {first}
        try:
            x = yield from fall(swing, tank, low, 0.25)
            log.append((sim.time, x, n))
            low = -0.25 if n % 2 else 0.125
            yield ev.until(lambda: swing.x < low + 0.0625 * n - n * 0.0625{priority})
        except ev.Interrupt as cut:
            log.append((sim.time, cut.cause, low))
            {second}
        with desk.request() as place:
            yield place
            yield from rise(swing, low)
"""
WAKER = """

def waker(sim, rng, others):
    first, second = others
    while True:
        yield ev.hold(rng.expovariate(0.5))
        first.interrupt(1)
        yield ev.hold(0.25)
        if rng.random() < 0.5:
            second.interrupt(2)
"""
SOURCE = """

def visit(sim, log, swing, tank, desk, rng, n, x):
{parts}
    log.append((sim.time, n))


def source(sim, log, swing, tank, desk, rng):
    n = 0
    while n < 90:
        yield ev.hold(rng.expovariate({rate}))
        n += 1
        {made}
"""
VISITS = (
    "yield ev.until(lambda: swing.x > 0.25{priority})",
    "yield ev.until(lambda: tank.level > 0.375)",
    "yield ev.until(lambda: swing.x < x)",
    "yield ev.until(lambda: swing.x < x)\nx = 0.5\nyield ev.until(lambda: swing.x > x{priority})",
    "yield ev.until(swing.is_high)",
    "yield ev.until(is_filled)",
    "yield ev.until(lambda swing=swing: swing.x < -0.125)",
    "yield from rise(swing, 0.25 * x)",
    "other = swing if n % 2 else MATE\nyield ev.until(lambda: other.x > 0.125)",
    "for k in range(n % 3):\n    yield ev.until(lambda: swing.v < x{priority})\n    yield ev.hold(0.25)",
    "with desk.request() as place:\n    yield place\n    yield ev.until(lambda: swing.x > 0.5)\n    swing.v *= 0.9375",
    "with desk.request() as place:\n    yield place\n    yield ev.hold(rng.expovariate(4.0))\n    tank.level *= 0.75",
    "try:\n    yield ev.until(lambda: swing.v > 0.25)\nexcept ev.Interrupt as cut:\n    log.append((cut.cause, n))",
    "got = yield ev.first_of(up=ev.until(lambda: swing.x > 0.5{priority}), late=ev.hold(0.75))\nlog.append(got.name)",
    "yield ev.first_of(up=ev.until(lambda: swing.x > 0.25), down=ev.until(lambda: swing.x < -0.25), late=ev.hold(x))",
    "yield ev.hold(0.25 * (n % 3))",
    "if n % 5 == 0:\n    return",
    "log.append(len(str(n)))",
)
"""What somebody does who comes, and goes again."""
COMING = (
    "sim.process(visit(sim, log, swing, tank, desk, rng, n, 0.125 * (n % 4)))",
    "sim.process(visit(sim, log, swing, tank, desk, rng, n, 0.25))",
    'sim.process(visit(sim, log, swing, tank, desk, rng, n, 0.25), name="visitor")',
    'sim.process(visit(sim, log, swing, tank, desk, rng, n, 0.25), name=f"visitor {n % 3}")',
    (
        "guest = sim.process(visit(sim, log, swing, tank, desk, rng, n, 0.25))\n"
        "        yield ev.hold(0.125)\n        if n % 3 == 0 and not guest.terminated:\n            guest.interrupt(n)"
    ),
)
DEEDS = ("log.append((sim.time, swing.x))", "swing.v *= 0.875", "tank.inflow = 0.375", "swing.k = 1.75", "pass")


class CombinedWriter(Writer):
    """Writes processes that read and write what moves, and wait for it.

    wishes      how often they do so, among their statements
    """

    def __init__(self, chance: Random, name: str, wishes: tuple[str, ...]) -> None:
        super().__init__(chance, name)
        self.wishes = wishes

    def text(self) -> str:
        """The function."""
        return super().text().replace("n, x, y):", "n, x, y, swing, tank, count, desk):", 1)

    def statement(self) -> list[str]:
        if self.wishes and self.chance.random() < 0.3:
            return getattr(self, f"on_{self.chance.choice(self.wishes)}")(0)  # type: ignore[no-any-return]
        return super().statement()

    def on_reads(self, number: int) -> list[str]:
        name = self.chance.choice(self.floats)
        return [f"{name} = {self.chance.choice(FIELDS)}"]

    def on_tells(self, number: int) -> list[str]:
        field = self.chance.choice(FIELDS)
        return [
            self.one(f"log.append({field})", f"seen.append({field})", f"seen.append({field} * 0.5 + {self.real()})")
        ]

    def on_tests(self, number: int) -> list[str]:
        return [f"if {self.chance.choice(FIELDS)} > {self.chance.choice([0.0, 0.25, 1.0])}:", *self.inside()]

    def on_writes(self, number: int) -> list[str]:
        value = repr(self.chance.choice([0.25, 0.5, 1.0]))
        return [
            self.one(
                f"swing.v = {value}",
                f"swing.v *= -{value}",
                f"swing.x = min(swing.x, {value})",
                f"tank.level += {value} * 0.5",
                f"tank.level = min(tank.level * 0.5, {value})",
            )
        ]

    def on_sets(self, number: int) -> list[str]:
        value = repr(self.chance.choice([0.25, 0.5, 1.0]))
        return [
            self.one(
                f"tank.inflow = {value}", f"swing.k = 1.0 + {value}", "swing.hits += 1", "count.total += 1",
                "tank.drain = 0.25 + 0.5 * count.share", f"count.share = {value}",
            )
        ]  # fmt: skip

    def on_waits(self, number: int) -> list[str]:
        condition = self.one("swing.x > 0.25", "swing.x < -0.25", "tank.level > 0.375", "swing.v < 0.0", "swing.x > x")
        return [
            self.one(
                f"yield ev.until(lambda: {condition})",
                f"if (yield ev.until(lambda: {condition}, prior=True)): seen.append(swing.x)",
                "got = yield ev.until(swing.is_high, priority=1)",
                "got = yield ev.until(is_filled)",
                f"yield from rise(swing, {self.chance.choice(self.floats)})",
                f"{self.chance.choice(self.floats)} = yield from fall(swing, tank, x, 0.25)",
                f"yield ev.first_of(a=ev.until(lambda: {condition}), b=ev.hold(1.5))",
                f"yield ev.until(lambda: {condition}, priority={self.chance.choice([-1, 1])})",
            )
        ]

    def on_times(self, number: int) -> list[str]:
        return ["until = sim.time + 0.5", "yield ev.until(lambda: sim.time >= until)"]

    def on_asks(self, number: int) -> list[str]:
        return ["with desk.request() as place:", "    yield place", *self.inside()]

    def on_stops(self, number: int) -> list[str]:
        return [
            self.one(
                "tank.stop()", "tank.start()", "tank.start()", "sim.until_priority = 1.0 - sim.until_priority",
                "log.append([str(wait) for wait in sim.waits])",
            )
        ]  # fmt: skip


WISHES: tuple[tuple[str, ...], ...] = (
    (),
    ("asks",),
    ("reads", "tells", "tests"),
    ("reads", "tells", "tests", "writes", "sets"),
    ("asks", "reads", "tells", "writes", "sets"),
    ("reads", "writes", "waits"),
    ("asks", "tells", "sets", "waits", "times"),
    ("reads", "tells", "tests", "writes", "sets", "waits", "asks", "stops", "times"),
)
"""What processes of one model may do besides, from those that never touch what moves to those that do all."""


TOLD = (
    ("lambda: swing.x > 0.5", "lambda: swing.x > 0.5 and COUNT.share < 0.75"),
    ("lambda: swing.x > 0.25", "lambda: swing.x > 0.5 * COUNT.share"),
    ("lambda: tank.level > 0.375", "lambda: tank.level > 0.375 and COUNT.total % 3 < 2"),
    ("lambda: swing.x < -0.25", "lambda: swing.x < -0.25 or COUNT.share > 0.75"),
)
"""What becomes of conditions in some models."""


def combined_program(seed: int, acts: int) -> str:
    """The text of a model."""
    chance = Random(f"combined {seed}")
    handlers = [
        HANDLER.format(
            sign=chance.choice("<>"), limit=chance.choice((-0.5, 0.25, 0.625)), number=k, act=chance.choice(ACTS)
        )
        for k in range(chance.choice((0, 0, 1, 2)))
    ]
    head = COMPONENTS.format(
        law=chance.choice(LAWS), handlers="".join(handlers), coupling=chance.choice(("", "", " + 0.0625 * MATE.x"))
    )
    wishes = chance.choice(WISHES)
    stories = [CombinedWriter(chance, f"story{k}", wishes).text() for k in range(3)]
    given = [f"INPUT = {chance.choice(INPUTS)}", "HITS = []", "MATE = None", f"ACTS = {acts}"]
    given += [f"DIVERS = {chance.choice((0, 0, 1, 2))}", f"STARTS = {chance.random() < 0.5}"]
    given += [f"WAKES = {chance.random() < 0.4}"]
    given += [f"WATCHERS = {chance.choice((0, 1, 2, 3))}", f"RECORDS = {chance.choice((0, 0, 1, 2))}"]
    watcher = chance.choice((*WATCHERS, HELPED, HELPED)).format(
        first=chance.choice(DEEDS), second=chance.choice(DEEDS), priority=chance.choice(("", ", priority=1"))
    )
    if Random(f"told {seed}").random() < 0.35:  # conditions read what processes set in a plain object
        given.append("COUNT = Count()")
        for before, after in TOLD:
            stories, watcher = [one.replace(before, after) for one in stories], watcher.replace(before, after)
    visits = _visits(Random(f"visits {seed}"))
    return "\n\n".join(
        [
            HEAD,
            head,
            "\n".join(given),
            *stories,
            watcher,
            WAKER,
            visits,
            MEDDLER,
            'HIDDEN = (*HIDDEN, "place", "found")',
        ]
    )


def _visits(chance: Random) -> str:
    """Who comes and goes, in two of three models."""
    parts = list(chance.sample(VISITS, chance.randrange(1, 5)))
    text = "\n".join(parts).format(priority=chance.choice(("", ", priority=1"))) or "yield ev.hold(x)"
    made = chance.choice(COMING) if chance.random() < 0.67 else "n = 90"
    return SOURCE.format(parts=indent(text, "    "), rate=chance.choice((0.5, 2.0, 8.0)), made=made)


def combined_outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int, cuts: int = 0) -> list[Any]:
    """All that can be seen of a run of such a model, in some pieces."""
    rng, log, seen, horizon = Random(seed), [], [], 40.0
    module.HITS.clear()
    module.MATE = swing = module.Swing(sim, name="swing").start()
    module.COUNT = count = module.Count()
    tank, desk = module.Tank(sim, name="tank").start(), ev.Resource(sim, 2, name="desk")
    stories = [getattr(module, f"story{k}") for k in range(3)]
    for k in range(9):
        stream = sim.stream(f"stream {k % 2}")
        sim.process(stories[k % 3](sim, rng, stream, log, seen, k % 5, 0.5 * k, 1.0, swing, tank, count, desk))
    watchers = [
        sim.process(module.watcher(sim, log, swing, tank, desk, rng), name=f"watcher {k}")
        for k in range(module.WATCHERS)
    ]
    divers = [module.Diver(sim, name=f"diver {k}", log=log).activate(delay=0.5 * k) for k in range(module.DIVERS)]
    if divers and module.STARTS:
        sim.process(module.starter(sim, log, divers, swing))
    sim.process(module.source(sim, log, swing, tank, desk, rng))
    if module.WAKES and len(watchers) > 1:
        sim.process(module.waker(sim, rng, watchers[:2]))
    processes = [entry.process for entry in sim.schedule]
    recordings = [sim.record(swing, tank, every=(0.5, "event")[k]) for k in range(module.RECORDS)]
    recordings += [sim.record(desk, every="event") for _ in recordings[:1]]
    if acts:
        sim.process(module.meddler(sim, Random(seed + 1), log, processes))
    ends = sorted(Random(seed + cuts).uniform(0.0, horizon) for _ in range(cuts))
    for end in (*ends, horizon):
        run_through(sim, module, log, end)
        log.append((sim.time, sim.events, swing.x, tank.level))
    frames = [module.variables_of(process) for process in processes if not process.terminated]
    states = [(p.name, p.terminated, p.idle or p.event_time, p.why_waiting()) for p in processes]
    moved = [*((one.depth, one.speed, one.turns) for one in divers)]
    moved += [swing.x, swing.v, swing.k, swing.hits, tank.level, tank.inflow, count.total, count.share]
    steps = [sim.monitor.steps, sim.monitor.refused, sim.monitor.state_events]
    rows = [[list(one.times), list(one.sides), *(list(one[c.name]) for c in one.columns)] for one in recordings]
    tallies = [desk.waits.count, desk.waits.mean, desk.utilisation]
    return [
        sim.time,
        sim.events,
        rng.random(),
        log,
        seen,
        list(module.HITS),
        states,
        frames,
        moved,
        steps,
        rows,
        tallies,
    ]
