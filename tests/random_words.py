"""Random models of processes whose variables and attributes are words, which others set from beside."""

from __future__ import annotations

from random import Random
from types import ModuleType
from typing import Any

from random_bodies import run_through

import eventide as ev

HEAD = '''import enum
from types import SimpleNamespace

import eventide as ev


class State(enum.Enum):
    IDLE = 1
    BUSY = 2
    DOWN = 3


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Weekday(enum.IntEnum):
    MONDAY = 0
    TUESDAY = 1


class Loud(str):
    def __eq__(self, other):
        HEARD.append(f"{str(self)} == {other!r}")
        return str(self) == other

    __hash__ = str.__hash__


def fresh(text):
    return "".join([*text])


class Machine:
    def __init__(self):
        self.mode, self.state, self.job, self.count, self.load = "idle", State.IDLE, None, 0, 0.5
        self.kept = fresh("kept")
        self.times = {"idle": 0.5, "red": 1.0, "late": 0.25}


HEARD = []
KINDS, CHOICES = ("idle", "red", "late"), ["late", "idle", "red", "gone"]
TIMES, SERVED, RATES = {}, {}, {}
GAPS = [0.5, 0.25, 1.5]
WORKING = (State.BUSY, State.DOWN, None)
CFG = SimpleNamespace(mean=0.5, word="red")
FRESH = [fresh(word) for word in ("idle", "red", "late", "blue", "gone", "")] + [Loud("red"), Loud("late")]
POOL = [*FRESH, *State, *Colour, *Weekday, None, "idle", "red", "late", 1, True, 0.5, ("red",)]
MACHINES = []


def later(rng, word):
    yield ev.hold(0.25)
    if rng.random() < 0.25:
        return State.DOWN
    return word


def reset():
    HEARD.clear()
    MACHINES[:] = [Machine(), Machine()]
    CHOICES[:] = ["late", "idle", "red", "gone"]
    TIMES.clear()
    TIMES.update(idle=0.5, red=1.0, late=0.25, gone=1.5)
    SERVED.clear()
    SERVED.update({word: 0 for word in (*POOL, "gone")})
    RATES.clear()
    RATES.update({State.IDLE: 0.5, State.BUSY: 1.5, None: 0.25, "red": 0.75})
    CFG.mean = 0.5


def drawn(rng):
    return "red" if rng.random() < 0.5 else None


def told(value):
    """A value, and which of the fresh objects it is."""
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return [told(one) for one in value]
    return repr(value), type(value).__name__, [k for k, one in enumerate(FRESH) if one is value]
'''
MEDDLER = """
def meddler(sim, rng, log, processes):
    for step in iter(range(40)):
        yield ev.hold(rng.choice([0.5, 1.0, 1.75, 4.0]))
        alive = [p for p in processes if not p.terminated]
        one, act = rng.choice(MACHINES), rng.randrange(ACTS)
        if not alive:
            return
        who = rng.choice(alive)
        if act == 0:
            log.append(variables_of(who))
        elif act == 1:
            log.append((sim.time, one.mode, one.state, one.job))
        elif act == 2:
            one.mode = rng.choice(POOL)
        elif act == 3:
            one.state = rng.choice(POOL[8:11])
        elif act == 4:
            one.job = rng.choice(POOL)
        elif act == 5:
            one.mode = rng.choice(FRESH[:4])
        elif act == 6:
            TIMES[rng.choice(FRESH[:4])] = rng.choice([0.5, 0.75, 2.0])
        elif act == 7:
            TIMES.pop(rng.choice(FRESH[:4]), None)
        elif act == 8:
            one.times = dict(TIMES)
        elif act == 9:
            CHOICES[rng.randrange(4)] = rng.choice(FRESH[:4])
        elif act == 10:
            who.interrupt(step)
        elif act == 11:
            CFG.mean = rng.choice([0.25, 1.0, 1])
        elif act == 12:
            one.mode, one.state = "idle", State.IDLE
        elif act == 13:
            RATES[rng.choice(POOL[8:11])] = rng.choice([0.5, 1.25, 1])


def variables_of(process):
    seen = process._generator.gi_frame.f_locals
    return sorted((name, told(value)) for name, value in seen.items() if name in ("k", "s", "w", "n", "x"))
"""


class Writer:
    """Writes one generator function."""

    def __init__(self, chance: Random, name: str) -> None:
        self.chance = chance
        self.name = name
        self.depth = 0

    def text(self) -> str:
        """The function."""
        inner = [*self.block(5), f"yield ev.hold({self.one('0.5', 'CFG.mean', 'one.load', '1.0')})"]
        body = ["k, s = w, State.IDLE", "for m in range(150):", *(f"    {line}" for line in inner)]
        lines = "\n".join(f"    {line}" for line in body)
        head = f"def {self.name}(sim, rng, stream, log, one, n, x, w):"
        return f"{head}\n{lines}\n    log.append(('end of {self.name}', sim.time))\n"

    def one(self, *options: str) -> str:
        return self.chance.choice(options)

    def attribute(self) -> str:
        return self.one("one.mode", "one.state", "one.job")

    def constant(self) -> str:
        return self.one('"idle"', '"red"', '"late"', "State.BUSY", "State.IDLE", "None", "Colour.RED", "Colour.BLUE")

    def word(self) -> str:
        simple = (self.constant(), self.constant(), self.one("k", "s", "w"), self.attribute())
        more = (
            "KINDS[n % 3]",
            "CHOICES[n % 4]",
            f"({self.constant()} if {self.test()} else {self.one('k', self.constant())})",
            "CFG.word",
            "rng.choice(CHOICES)",
            "rng.choice(KINDS)",
            "stream.choice(CHOICES)",
            "drawn(rng)",
        )
        return self.one(*simple, *simple, *more)

    def test(self) -> str:
        left, sign = self.one("k", "s", "w", self.attribute(), self.attribute()), self.one("==", "==", "!=")
        return self.one(
            f"{left} {sign} {self.constant()}",
            f"{left} {sign} {self.one('k', 's', self.attribute())}",
            f"{left} is {self.one('', 'not ')}{self.constant() if self.chance.random() < 0.5 else 'w'}",
            f"{left} {self.one('in', 'not in')} ({self.constant()}, {self.constant()})",
            f"{left} in WORKING",
            left,
            f"not {left}",
            f"n {sign} {self.chance.randrange(3)}",
            f"x < 1.0 and {left} {sign} {self.constant()}",
            f"{left} is None or {left} == {self.constant()}",
            "n % 4 in (1, 2)",
        )

    def block(self, count: int) -> list[str]:
        """Some statements."""
        lines: list[str] = []
        for _ in range(self.chance.randrange(1, count + 1)):
            lines += self.statement()
        return lines

    def inside(self) -> list[str]:
        self.depth += 1
        lines = [f"    {line}" for line in self.block(3)]
        self.depth -= 1
        return lines

    def statement(self) -> list[str]:
        if self.depth < 2 and self.chance.random() < 0.4:
            lines = [f"if {self.test()}:", *self.inside()]
            return [*lines, "else:", *self.inside()] if self.chance.random() < 0.4 else lines
        word, name, key = self.word(), self.one("k", "s", "w"), self.one("k", "k", "one.mode", "w")
        text = self.one(
            f"{name} = {word}",
            f"{name} = {word}",
            f"{self.attribute()} = {word}",
            f"{self.attribute()} = {word}",
            f"{name}, {self.attribute()} = {word}, {self.one('k', 's', self.constant())}",
            f"one.mode, one.job = one.job, {word}",
            f"log.append((sim.time, {name}, {self.attribute()}))",
            f"log.append((sim.time, {word}, n))",
            "n += 1",
            "n = n % 7 + 1",
            "x = x * 0.5 + 0.25",
            f"x = TIMES[{key}]" if self.chance.random() < 0.5 else f"x = TIMES.get({key}, 0.75)",
            f"x = one.times.get({key}, 0.5)",
            f"x = RATES.get({self.one('s', 'one.state', 'k')}, 1.0)",
            f"SERVED[{self.one('k', 's', self.attribute())}] += 1",
            "one.count += 1",
            "x = rng.choice(GAPS)",
            f"{name} = yield from later(rng, {self.one('k', 'w', 's')})",
            f"{name} = one.kept",
            "x = CFG.mean + one.load",
            f"yield ev.hold({self.one('x % 2.0', '0.25', 'TIMES.get(k, 0.5)', 'rng.random()')})",
            f"sim.process(story{self.chance.randrange(3)}(sim, rng, stream, log, one, n, x, {name}))"
            if self.chance.random() < 0.3
            else "yield ev.hold(0.5)",
        )
        if text.startswith("sim.process"):
            return ["if n % 9 == 8 and len(log) < 3000:", f"    {text}", "    n += 1"]
        return [text]


def program(seed: int, acts: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    stories = [Writer(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD, *stories, f"ACTS = {acts}", MEDDLER])


def outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int, horizon: float = 60.0) -> list[Any]:
    """All that can be seen of a run of such a model."""
    rng, log = Random(seed), list[Any]()
    module.reset()
    machines = list(module.MACHINES)
    stories = [getattr(module, f"story{k}") for k in range(3)]
    for k in range(7):
        word = [*module.FRESH[:2], "red", None, module.State.DOWN][k % 5]
        sim.process(stories[k % 3](sim, rng, sim.stream("a"), log, machines[k % 2], k % 5, 0.5 * k, word))
    processes = [entry.process for entry in sim.schedule]
    if acts:
        sim.process(module.meddler(sim, Random(seed + 1), log, processes))
    reset, module.reset = module.reset, lambda: None  # type: ignore[assignment]  # of this module
    run_through(sim, module, log, 0.5 * horizon)
    machines[0].mode, machines[1].job = module.FRESH[1], module.FRESH[2]
    run_through(sim, module, log, horizon)
    module.reset = reset  # type: ignore[assignment]  # as above
    frames = [module.variables_of(process) for process in processes if not process.terminated]
    held = [[(name, module.told(value)) for name, value in vars(one).items()] for one in machines]
    tables = [list(module.SERVED.items()), list(module.TIMES.items()), module.CHOICES, module.HEARD]
    return [sim.time, sim.events, rng.random(), module.told(log), frames, held, module.told(tables)]


ACTS = {"alone": 0, "looked at": 2, "meddled with": 14}
"""How many of the acts of a meddler there are, by what it does."""
