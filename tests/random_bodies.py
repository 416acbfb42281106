"""Random models of processes that hold, draw, count and loop, and somebody who looks at them and meddles."""

from __future__ import annotations

import itertools
import sys
import traceback
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import eventide as ev

HEAD = "import math\nimport eventide as ev\n\nLIMIT = 400\nRATE = 1.25\n\n\ndef twice(x):\n    return 2.0 * x\n\n"


class Writer:
    """Writes one generator function.

    floats, wholes, truths  its variables of each type that have values for certain
    """

    def __init__(self, chance: Random, name: str) -> None:
        self.chance = chance
        self.name = name
        self.floats, self.wholes, self.truths = ["x", "y"], ["n"], []
        self.counts = itertools.count()
        self.depth = 0
        self.loops = 0

    def text(self) -> str:
        """The function."""
        if self.chance.random() < 0.8:
            self.wholes.append("m")
            inner = [*self.block(3), self.hold()]
            body = ["m = 0", "while m < LIMIT:", "    m += 1", *(f"    {line}" for line in inner)]
        else:
            body = [*self.block(5), "yield ev.hold(1.0)"]
        lines = "\n".join(f"    {line}" for line in body)
        head = f"def {self.name}(sim, rng, stream, log, seen, n, x, y):"
        return f"{head}\n{lines}\n    log.append(('end of {self.name}', sim.time))\n"

    def one(self, *options: str) -> str:
        return self.chance.choice(options)

    def real(self) -> str:
        c = self.chance
        return self.one(
            c.choice(self.floats),
            c.choice(self.floats),
            repr(c.choice([0.0, 0.25, 1.0, 2.5, 3.0])),
            f"({c.choice(self.floats)} {self.one('+', '-', '*')} {c.choice(self.floats)}) * 0.5",
            f"abs({c.choice(self.floats)})",
            f"{c.choice(self.wholes)} * 0.5",
            f"max({c.choice(self.floats)}, {c.choice(self.floats)})",
            f"math.sqrt(abs({c.choice(self.floats)}))",
            f"twice({c.choice(self.floats)})",
            f"float({c.choice(self.wholes)})",
            "sim.time",
            "rng.random()",
            "RATE",
            f"{c.choice(self.floats)} / ({c.choice(self.wholes)} - 7)",
            f"({c.choice(self.floats)} if {self.test()} else 0.75)",
        )

    def whole(self) -> str:
        c = self.chance
        return self.one(
            c.choice(self.wholes),
            str(c.randrange(-3, 9)),
            f"{c.choice(self.wholes)} {self.one('+', '-', '*')} {c.randrange(1, 5)}",
            f"{c.choice(self.wholes)} {self.one('%', '//')} {c.randrange(1, 5)}",
            f"int(min(abs({c.choice(self.floats)}), 99.0))",
        )

    def test(self) -> str:
        c = self.chance
        return self.one(
            f"{c.choice(self.floats)} {self.one('<', '>=', '!=')} {c.choice(self.floats)}",
            f"{c.choice(self.wholes)} {self.one('<', '==', '>')} {c.randrange(4)}",
            f"0 <= {c.choice(self.wholes)} < {c.randrange(1, 6)}",
            f"not {c.choice(self.floats)} > 1.0",
            f"({c.choice(self.wholes)} > 1 and {c.choice(self.floats)} < 4.0)",
            c.choice(self.truths) if self.truths else "True",
            f"{c.choice(self.wholes)}",
        )

    def hold(self) -> str:
        c = self.chance
        return self.one(
            f"yield ev.hold({c.choice([0.25, 0.5, 1.0, 1.5])})",
            f"yield {c.choice([0.25, 0.5, 1.0])}",
            "yield ev.hold(rng.expovariate(1.5))",
            "yield ev.hold(rng.uniform(0.5, 1.5))",
            "yield ev.hold(stream.negexp(2.0))",
            "yield ev.hold(stream.uniform(0.0, 2.0))",
            "yield ev.hold(stream.exponential(RATE))",
            f"yield ev.hold(min(abs({c.choice(self.floats)}), 5.0))",
            "yield ev.hold(0.0)",
            f"yield ev.hold({c.choice([0.5, 1.0])}, priority={c.choice([-1, 0, 2])})",
            f"yield {c.choice([1, 2])}",
            f"yield ev.hold({c.choice([1, 2])})",
        )

    def log(self) -> str:
        c = self.chance
        return self.one(
            f"seen.append({self.real()})",
            "seen.append(sim.time)",
            f"log.append(({self.name!r}, sim.time, {c.choice(self.wholes)}, {c.choice(self.floats)}))",
            f"log.append({c.choice(self.wholes)})",
        )

    def block(self, count: int) -> list[str]:
        """Some statements."""
        lines: list[str] = []
        for _ in range(self.chance.randrange(1, count + 1)):
            lines += self.statement()
        return lines

    def inside(self) -> list[str]:
        """The indented statements of a block; what they give values to may have none behind it."""
        kept = [*self.floats], [*self.wholes], [*self.truths]
        self.depth += 1
        lines = [f"    {line}" for line in self.block(3)]
        self.depth -= 1
        self.floats, self.wholes, self.truths = kept
        return lines

    def statement(self) -> list[str]:
        c, number = self.chance, next(self.counts)
        kinds = ["real", "whole", "truth", "hold", "hold", "log", "augmented", "swap"]
        if self.depth < 2:
            kinds += ["if", "if", "for", "for", "try", "items"]
        if self.loops:
            kinds += ["leave"]
        kind = c.choice(kinds)
        return getattr(self, f"on_{kind}")(number)  # type: ignore[no-any-return]

    def on_real(self, number: int) -> list[str]:
        text = self.real()
        name = self.one(self.chance.choice(self.floats), f"f{number}")
        if name not in self.floats:
            self.floats.append(name)
        return [f"{name} = {text}"]

    def on_whole(self, number: int) -> list[str]:
        text = self.whole()
        self.wholes.append(f"i{number}")
        return [f"i{number} = {text}"]

    def on_truth(self, number: int) -> list[str]:
        text = self.chance.choice(
            [f"{self.chance.choice(self.floats)} > 1.0", "True", f"not {self.chance.choice(self.wholes)} < 2"]
        )
        self.truths.append(f"b{number}")
        return [f"b{number} = {text}"]

    def on_hold(self, number: int) -> list[str]:
        return [self.hold()]

    def on_log(self, number: int) -> list[str]:
        return [self.log()]

    def on_augmented(self, number: int) -> list[str]:
        c = self.chance
        return [
            self.one(f"{c.choice(self.floats)} *= 0.5", f"{c.choice(self.floats)} += {c.choice(self.wholes)} * 0.25")
        ]

    def on_swap(self, number: int) -> list[str]:
        return ["x, y = y, x"]

    def on_if(self, number: int) -> list[str]:
        lines = [f"if {self.test()}:", *self.inside()]
        return [*lines, "else:", *self.inside()] if self.chance.random() < 0.5 else lines

    def on_for(self, number: int) -> list[str]:
        c = self.chance
        self.loops += 1
        items = self.one(f"{c.randrange(4)}", f"{self.whole()} % 4", f"1, {c.randrange(6)}", f"{c.randrange(6)}, 0, -2")
        self.wholes.append(f"k{number}")
        lines = [f"for k{number} in range({items}):", *self.inside()]
        self.wholes.remove(f"k{number}")
        self.loops -= 1
        return [*lines, "else:", "    y = 0.125"] if c.random() < 0.2 else lines

    def on_items(self, number: int) -> list[str]:
        self.loops += 1
        lines = [f"for f{number} in (0.5, 1.5):", *self.inside()]
        self.loops -= 1
        return lines

    def on_leave(self, number: int) -> list[str]:
        return [f"if {self.test()}:", f"    {self.one('break', 'continue')}"]

    def on_try(self, number: int) -> list[str]:
        return [
            "try:",
            *self.inside(),
            "except ev.Interrupt as cut:",
            f"    log.append(('cut', {self.name!r}, sim.time, cut.left))",
        ]


MEDDLER = """
def meddler(sim, rng, log, processes):
    for step in iter(range(60)):
        yield ev.hold(rng.choice([0.5, 1.0, 1.75]))
        alive = [p for p in processes if not p.terminated]
        if not alive:
            return
        who = rng.choice(alive)
        act = rng.randrange(ACTS)
        if act == 0:
            log.append(who.why_waiting().rpartition("/")[2])
        elif act == 1:
            log.append(who.idle or who.event_time)
        elif act == 2 and who.event_time > sim.time:
            who.interrupt(step)
        elif act == 3:
            log.append([(entry.time, entry.name) for entry in sim.schedule])
        elif act == 4:
            log.append([p.name for p in sim.processes])
        elif act == 5:
            log.append((sim.peek(), sim.events, sim.current.name))
        elif act == 6:
            who.reactivate(delay=rng.choice([0.0, 0.5]))
        elif act == 7:
            sim.trace = log.append if sim.trace is None else None
        elif act == 8:
            sim.stop()
        elif act == 9:
            log.append(sim.next_time_event(who) and sim.next_time_event(who).name)
        elif act == 10:
            who.end()
        elif act == 11:
            log.append(variables_of(who))
        elif act == 12:
            who.reactivate(before=rng.choice(alive))
        elif act == 13:
            who.reactivate(delay=0.5, priority=rng.choice([-1, 1]))


def variables_of(process):
    seen = process._generator.gi_frame.f_locals
    return sorted((name, repr(value)) for name, value in seen.items() if name not in HIDDEN)


HIDDEN = ("sim", "rng", "stream", "log", "seen", ".entry", "cut")
"""


def program(seed: int, acts: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    stories = [Writer(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD, *stories, f"ACTS = {acts}", MEDDLER])


def load(text: str, folder: Path, name: str) -> ModuleType:
    """A module of that text, in a file of its own."""
    file = folder / f"{name}.py"
    file.write_text(text)
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module
    exec(compile(text, str(file), "exec", dont_inherit=True), module.__dict__)  # noqa: S102  # it is a module
    return module


def outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int, horizon: float = 60.0) -> list[Any]:
    """All that can be seen of a run of such a model."""
    rng, log, seen = Random(seed), [], []
    stories = [getattr(module, f"story{k}") for k in range(3)]
    for k in range(12):
        stream = sim.stream(f"stream {k % 2}")
        made = sim.process(stories[k % 3](sim, rng, stream, log, seen, k % 5, 0.5 * k, 1.0))
        log.append(made.name)
    processes = list(sim.processes) + list(sim.never_begun)
    processes = [entry.process for entry in sim.schedule]
    if acts:
        sim.process(module.meddler(sim, Random(seed + 1), log, processes))
    for _ in range(30):
        try:
            sim.run(until=horizon)
        except Exception as error:  # noqa: BLE001  # whatever the program raises
            frames = traceback.extract_tb(error.__traceback__)
            # CPython 3.11 tells another line of a variable without a value once code is warm: two instructions are one.
            is_told = not isinstance(error, UnboundLocalError)
            lines = [(frame.name, is_told and frame.lineno) for frame in frames if frame.filename == module.__file__]
            log.append((repr(error), lines, is_told and getattr(error, "__notes__", None)))
        if sim.time >= horizon:
            break
    frames = [module.variables_of(process) for process in processes if not process.terminated]
    states = [(p.name, p.terminated, p.idle or p.event_time, p.why_waiting()) for p in processes]
    return [sim.time, sim.events, rng.random(), sim.stream("stream 0").random(), log, seen, states, frames]
