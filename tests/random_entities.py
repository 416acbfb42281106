"""Random models of processes that make objects, hand them over, keep them in stores and read and set what they have."""

from __future__ import annotations

from random import Random

HEAD = """import itertools
import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum

import eventide as ev

LIMIT, WORDS = 2.5, ("a", "b", "c")


class State(Enum):
    NEW = 1
    OLD = 2


def reset():
    global COUNTER
    COUNTER = itertools.count(5)
    for kind in (Item0, Item1, Item2):
        kind.ids = itertools.count()


class Counted:
    ids = itertools.count()

    def __repr__(self):
        return f"item {self.n}"
"""

SETTING = (
    "self.n, self.x = n, x",
    "self.w = w",
    "self.serial = next(COUNTER)",
    "self.own = next(self.ids)",
    "self.state = State.NEW",
    "self.done = None",
    "self.items = []",
    "self.queue = deque()",
    "self.twice: float = 2.0 * x + n",
    "self.label = f'{w} {n}'",
    "self.place = o",
    "self.pair = (n, [x, w])",
    "self.born = s.time",
    "self.late = s.time + x",
    "self.mark = x if n % 2 else -x",
    "self.share = round(abs(x) / (1 + n * n), 9)",
    "self.is_large = x > LIMIT or n > 90",
    "self.rank = n\n        self.other = self.rank + 1",
    "if n % 3 == 0:\n            self.third = x\n        else:\n            self.third = float(n)",
)
"""Of these a constructor has some, after those that set what is read everywhere."""

DATACLASS = """@dataclass
class Item{number}({base}):
    n: int
    x: float
    w: str
    done: float | None = None
    born: float = 0.5
    items: list = field(default_factory=list)
    more: int = 3
"""

STATEMENTS = (
    "e = {make}\ntold.append((e.n, e.x, sim.time))",
    "yield shelf.put({make})",
    "got = yield shelf.get()\ntold.append((got.n, got.x))\nyield ev.hold(0.01 * got.n + 0.1)\ngot.x = sim.time",
    "sim.process({child}({make}))",
    "e = {make}\nsim.process({child}(e))",
    "kept.append({make})",
    "e = {make}\ne.x += 1.5\ne.done = sim.time\nkept.append(e)",
    "if rng.random() < 0.4:\n    e = {make}\n    kept.append(e)",
    "e = {make}\nyield ev.hold(0.2)\ntold.append((e.n, e.w == 'a', e.x))",
    "for k in range(3):\n    kept.append({make})",
    "e = {make}\nwith desks[e.w].request() as turn:\n    yield turn\n    yield ev.hold(0.1)\n    told.append(e.n)",
    "e = {make}\nf = e\nf.n = f.n + 1\ntold.append(e.n)",
    "told.append((sim.time, {make}.n))",
    "x = rng.expovariate(1.0)\nif x > 0.5:\n    e = {make}\n    x = e.x\nyield ev.hold(0.1 + 0.01 * x)",
)

CHILDREN = """    def serve(e):
        with desks[e.w].request() as turn:
            yield turn
            yield ev.hold(0.05 + 0.001 * e.n)
        e.done = sim.time
        told.append((e.n, e.x, e.done))

    def wait(e):
        e.x = e.x + 1.0
        yield ev.hold(0.3)
        if e.n % 2 == 0:
            kept.append(e)
        told.append(e.x)

    def patient(e):
        with desks[e.w].request() as turn:
            got = yield ev.first_of(turn=turn, out=ev.hold(0.4))
            if got.name == "out":
                e.n = -1
                told.append(("lost", e.x))
                return
            yield ev.hold(0.3)
        yield shelf.put(e)
"""

FRAME = """

def model(sim, rng, told, kept):
    shelf = ev.Store(sim, capacity=20)
    desks = {{"a": ev.Resource(sim, 1), "b": ev.Resource(sim, 2), "c": ev.Resource(sim, 3)}}
{children}
{stories}
    processes = [{starts}]

    def meddle():
        for k in range({acts}):
            yield ev.hold(rng.expovariate(0.2))
            act = rng.randrange(7)
            p = processes[rng.randrange(len(processes))]
            if act == 0:
                p.interrupt("meddled")
            elif act == 1:
                told.append((p.name, p.idle))
            elif act == 2:
                told.append([(one.name, one.idle) for one in sim.processes])
            elif act == 3:
                told.append([(one.n, one.x) for one in shelf.items])
            elif act == 4:
                told.append([sorted(vars(one)) for one in kept[-3:]])
            elif act == 5:
                told.append(str(p.why_waiting()))
            else:
                kept.clear()

    sim.process(meddle())
"""

STORY = """
    def story{number}():
        n, x, w = {number}, 0.5, "a"
        while True:
            try:
                yield ev.hold(rng.expovariate({rate}))
                n += 1
                x = rng.uniform(0.0, 4.0)
                w = rng.choice(WORDS)
{body}
            except ev.Interrupt as cut:
                told.append(("cut", cut.left))
"""


def program(seed: int, acts: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    classes, makes = [], []
    for number in range(3):
        base = chance.choice(("Counted", "Counted", "Counted"))
        if chance.random() < 0.35:
            classes.append(DATACLASS.format(number=number, base=base))
            makes.append((f"Item{number}(n, x, w)", f"Item{number}(x=x, w=w, n=n, born=sim.time)"))
            continue
        chosen = chance.sample(SETTING[2:], chance.randrange(1, 7))
        body = "\n".join(f"        {line}" for line in (*SETTING[:2], *chosen))
        classes.append(f"class Item{number}({base}):\n    def __init__(self, n, x, w, s=None, o=None):\n{body}\n")
        given = f"Item{number}(n, x, w, s=sim, o={{}})"
        makes.append((given.format("shelf"), given.format("[n, x]"), f"Item{number}(n * 2, x + 0.25, w='b', s=sim)"))
    stories = []
    for number in range(chance.randrange(2, 5)):
        lines = []
        for statement in chance.sample(STATEMENTS, chance.randrange(1, 4)):
            make = chance.choice(chance.choice(makes))
            lines.append(statement.format(make=make, child=chance.choice(("serve", "wait", "patient"))))
        body = "\n".join(f"                {line}" for line in "\n".join(lines).splitlines())
        stories.append(STORY.format(number=number, rate=chance.choice((0.5, 1.0, 2.0)), body=body))
    starts = ", ".join(f"sim.process(story{number}())" for number in range(len(stories)))
    frame = FRAME.format(children=CHILDREN, stories="".join(stories), starts=starts, acts=acts)
    return "\n\n".join([HEAD, *classes]) + frame
