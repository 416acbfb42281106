"""Random models of processes that are methods and objects of classes, and somebody who changes their attributes."""

from __future__ import annotations

import re
from random import Random
from types import ModuleType
from typing import Any

from random_bodies import HEAD, MEDDLER, Writer, run_through

import eventide as ev

CLASSES = """
class Hall:
    def __init__(self, sim, rng, stream, log, seen, n, x):
        self.sim, self.rng, self.stream, self.log, self.seen = sim, rng, stream, log, seen
        self.n, self.x, self.y, self.open, self.late = n, x, 1.0, True, None
        self.hall = self

    def half(self):
        return 0.5 * self.x


class Tight:
    __slots__ = ("sim", "rng", "stream", "log", "seen", "n", "x", "y", "open", "late", "hall")
    half = Hall.half


class Worker(ev.Process):
    hall: object
    rng: object
    stream: object
    log: list
    seen: list
    n: int
    x: float
    y: float = 1.0
    open: bool = True
    late: float | None = None

    def half(self):
        return 0.25 * self.x


class Other(Worker):
    def half(self):
        return 1.5
"""

TINKER = """
def tinker(sim, rng, log, objects):
    plain = {name: vars(Worker).get(name) for name in ("x", "half", "y")}
    for step in iter(range(30)):
        yield ev.hold(rng.choice([0.75, 1.5, 2.25]))
        one = rng.choice(objects)
        act = rng.randrange(TINKERS)
        if act == 0:
            log.append((one.x, one.y, one.n, one.open, one.late))
        elif act == 1:
            one.x = rng.choice([0.5, 2, 1.5])
        elif act == 2:
            one.n = rng.choice([1, 2, -3, True])
        elif act == 3:
            one.hall = rng.choice(objects)
        elif act == 4:
            one.open = rng.choice([True, False, 1])
        elif act == 5 and hasattr(one, "__dict__"):
            vars(one)["y"] = rng.choice([0.75, 1])
        elif act == 6:
            one.rng = rng.choice([one.rng, objects[0].rng])
        elif act == 7 and one.__class__ in (Worker, Other):
            one.__class__ = rng.choice([Worker, Other])
        elif act == 8:
            Worker.half = rng.choice([plain["half"], lambda self: 0.75])
        elif act == 9 and hasattr(one, "__dict__"):
            one.half = rng.choice([lambda: 0.5, lambda: 2.0])
        elif act == 10 and hasattr(one, "__dict__") and "half" in vars(one):
            del one.half
        elif act == 11:
            one.seen = rng.choice([[], objects[0].seen])
        elif act == 12:
            Worker.y = rng.choice([2.0, 3.0])
        elif act == 13:
            Worker.x = property(lambda self: vars(self)["x"], lambda self, value: vars(self).update(x=value + 0.125))
        elif act == 14 and "x" in vars(Worker):
            del Worker.x
        elif act == 15 and isinstance(one, Worker):
            Worker.__setattr__ = lambda self, name, value: object.__setattr__(self, name, value)
            yield ev.hold(1.5)
            del Worker.__setattr__
    Worker.half = plain["half"]
"""

SHARED = ("rng", "stream", "log", "seen", "sim")


class MethodWriter(Writer):
    """Writes one generator method, most of whose variables are attributes."""

    def __init__(self, chance: Random, name: str) -> None:
        super().__init__(chance, name)
        self.floats += ["self.x", "self.y", "self.hall.x", "self.x"]
        self.wholes += ["self.n", "self.hall.n"]
        self.truths += ["self.open"]

    def text(self) -> str:
        body = ["m = 0", "while m < LIMIT:", "    m += 1"]
        inner = [*self.block(4), self.hold()]
        lines = "\n".join(f"        {line}" for line in [*body, *(f"    {line}" for line in inner)])
        local = [name for name in SHARED if self.chance.random() < 0.3]
        begin = "".join(f"        {name} = self.{name}\n" for name in local)
        for name in SHARED:
            if name not in local:
                lines = re.sub(rf"(?<![\w.]){name}\b(?=\.|,)", f"self.{name}", lines)
        head = f"    def {self.name}(self, n, x, y):\n"
        if self.name == "run":
            head = "    def run(self):\n        n, x, y = 3, self.x, 1.0\n"
        return f"{head}{begin}{lines}\n        self.log.append(('end of {self.name}', self.sim.time))\n"

    def on_augmented(self, number: int) -> list[str]:
        one = self.chance.choice(["self.x", "self.y", "self.hall.x", "x"])
        more = self.one(
            f"{one} *= 0.5", "self.n += 1", f"{one} += {self.real()}", "self.hall.n = (self.hall.n + 1) % 9"
        )
        return [more]

    def on_whole(self, number: int) -> list[str]:
        if self.chance.random() < 0.3:
            return [f"{self.one('self.n', 'self.hall.n')} = {self.whole()} % 7"]
        return super().on_whole(number)

    def on_truth(self, number: int) -> list[str]:
        if self.chance.random() < 0.4:
            return [f"{self.one('self.open', 'self.hall.open')} = {self.test()}"]
        return super().on_truth(number)

    def on_swap(self, number: int) -> list[str]:
        return [self.one("self.x, self.y = self.y, self.x", "x, self.y = self.x, x", "self.late = self.sim.time")]

    def on_log(self, number: int) -> list[str]:
        if self.chance.random() < 0.25:
            return ["if self.late is not None:", "    self.seen.append(self.late)"]
        return super().on_log(number)

    def real(self) -> str:
        return self.one("self.half()", "self.hall.half()") if self.chance.random() < 0.08 else super().real()


def program(seed: int, acts: int, tinkers: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    stories = [MethodWriter(chance, f"story{k}").text() for k in range(2)]
    classes = CLASSES.replace("class Tight", "\n".join(stories) + "\n\nclass Tight", 1)
    classes = classes.replace("class Other", MethodWriter(chance, "run").text() + "\n\nclass Other", 1)
    hidden = 'HIDDEN += ("self",)\n'
    given = "Tight.story0, Tight.story1 = Hall.story0, Hall.story1"
    return "\n\n".join([HEAD, classes, given, f"ACTS = {acts}", f"TINKERS = {tinkers}", MEDDLER, TINKER, hidden])


def outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int, tinkers: int, horizon: float = 40.0) -> Any:
    """All that can be seen of a run of such a model."""
    rng, log, seen = Random(seed), [], []
    halls = [module.Hall(sim, rng, sim.stream("one"), log, seen, k, 0.5 * k) for k in range(2)]
    halls.append(module.Tight())
    module.Hall.__init__(halls[2], sim, rng, sim.stream("two"), log, seen, 2, 0.5)
    for k in range(6):
        sim.process(getattr(halls[k % 3], f"story{k % 2}")(k, 0.25 * k, 1.0))
    workers = []
    for k in range(4):
        kind = module.Other if k == 3 else module.Worker
        own = Random(k) if k % 2 else rng
        workers.append(
            kind(sim, hall=halls[k % 2], rng=own, stream=sim.stream("one"), log=log, seen=seen, n=k, x=0.5 * k)
        )
        workers[-1].activate(delay=0.5 * k)
    objects = [*halls, *workers]
    processes = [entry.process for entry in sim.schedule]
    if acts:
        sim.process(module.meddler(sim, Random(seed + 1), log, processes))
    if tinkers:
        sim.process(module.tinker(sim, Random(seed + 2), log, objects))
    run_through(sim, module, log, horizon, most=40)
    states = [(p.name, p.terminated, p.idle or p.event_time, p.why_waiting()) for p in processes]
    frames = [module.variables_of(process) for process in processes if not process.terminated]
    held = [(one.x, one.y, one.n, one.open, one.late, one.__class__.__name__) for one in objects]
    orders = [[*vars(one)] for one in objects if hasattr(one, "__dict__")]
    return repr(
        [sim.time, sim.events, rng.random(), sim.stream("one").random(), log, seen, states, frames, held, orders]
    )
