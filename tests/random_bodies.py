"""Random models of processes that hold, draw, count and loop, and somebody who looks at them and meddles."""

from __future__ import annotations

import itertools
import re
import sys
import traceback
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from bodies.early import SOON

import eventide as ev
from eventide.migration.bodies import Bodies


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Processes go away after a few events."""
    for owner, name, value in SOON:
        patch.setattr(owner, name, value)


def simulation(compiles: Any, *, native: bool = False, **settings: Any) -> ev.Simulation:
    """A simulation whose rows run as native code, or as Python."""
    sim = ev.Simulation(rng=7, compile=compiles, **settings)
    if not native:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    return sim


def taken(sim: ev.Simulation) -> int:
    """How many events of rows there were."""
    return 0 if sim._migration is None else sim._migration.taken


def made(sim: ev.Simulation) -> int:
    """How many processes were made in rows."""
    return 0 if sim._migration is None or sim._migration._memory is None else int(sim._migration._memory.run.made)


def run_through(sim: ev.Simulation, module: ModuleType, log: list[Any], horizon: float, *, most: int = 30) -> None:
    """Run a model to a time, and log with what lines and notes each error comes that it meets, of `most` at most."""
    module.reset()
    for _ in range(most):
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


HEAD = """import math
from collections import defaultdict, deque

import eventide as ev

LIMIT = 400
RATE = 1.25
TABLE = [0.5, 1.0, 2.5]
FLOATS, COUNTS, PARTS, STEPS = [], [], [], (0.5, 0.25, 1.5)
KINDS, TALLY, MARKS, LINES, QUEUE, SUMS = ("a", "b", "c"), {}, set(), {}, deque(), defaultdict(int)
PAIRS, ROUTES, WAYS, LINKS, THREES = [], {}, [], {}, []


def twice(x):
    return 2.0 * x


def pause(x):
    before = x
    yield ev.hold(x * 0.25)
    x += 1
    yield ev.hold(before * 0.125)
    return x * 0.5


class Part:
    def __init__(self, size):
        self.size, self.used, self.late = size, 0, False

    def __eq__(self, other):
        return repr(self) == repr(other)

    def __repr__(self):
        return f"part of {self.size}, {self.used} {self.late}"


def reset():
    FLOATS[:], COUNTS[:], PARTS[:] = [0.5, 0.25, 1.5], [3, 1, 2], [Part(0.25), Part(0.5), Part(1.0)]
    for one in (TALLY, MARKS, LINES, QUEUE, SUMS, ROUTES, LINKS):
        one.clear()
    TALLY.update(a=1, b=0.5, c=True)
    LINES.update({0: [], 1: [0.5]})
    PAIRS[:] = [(0.5, 1), (1, 2), (0.25, 3)]
    ROUTES.update(a=[(0.25, 1), (0.5, 4)], b=[(1.5, 2)], c=[(0.125, 0), (2, 1), (0.5, 5)])
    WAYS[:] = [*ROUTES.values()][:2]
    THREES[:] = [(0.5, 1, "a"), (1.5, 2, "b"), (0.25, 3, "a c")]
    LINKS.update({0: WAYS[1], 1: WAYS[0], -2: tuple(PAIRS)})


def contents():
    others = [PAIRS, ROUTES, WAYS, LINKS, THREES]
    return [list(TALLY.items()), sorted(map(repr, MARKS)), LINES, list(QUEUE), dict(SUMS), others]

"""


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
        pairs = Random(f"{self.name} pairs {number}")  # as below
        if pairs.random() < 0.3:
            return self.on_pairs(number, pairs) if pairs.random() < 0.8 else self.on_unpacked(number, pairs)
        own = Random(f"{self.name} {number}")  # so that all else of the program stays what it is
        items = own.choice(["(0.5, 1.5)", "FLOATS", "FLOATS", "COUNTS", "PARTS", "PARTS"])
        other = Random(f"{self.name} counted {number}")
        source = "STEPS" if items == "FLOATS" and other.random() < 0.3 else items
        is_counted, start = other.random() < 0.4, other.choice(["", "", ", 2", ", start=1", ", -3"])
        names, source = (
            (f"c{number}, f{number}", f"enumerate({source}{start})") if is_counted else (f"f{number}", source)
        )
        self.loops += 1
        lines = [f"for {names} in {source}:", *self.inside()]
        self.loops -= 1
        deeds = {
            "FLOATS": ("x = f{0} * 0.5", "seen.append(f{0})", "yield ev.hold(f{0} * 0.25)"),
            "COUNTS": ("n = f{0}", "x = f{0} * 0.25"),
            "PARTS": (
                "f{0}.used += 1",
                "f{0}.size = abs(x) * 0.5",
                "x = f{0}.size + 0.125",
                "f{0}.late = x > 1.0",
                "log.append((sim.time, f{0}.used, f{0}.size))",
                "yield ev.hold(f{0}.size % 0.5)",
            ),
        }.get(items, ("pass",))
        lines[1:1] = [f"    {own.choice(deeds).format(number)}" for _ in range(2)]
        if is_counted:
            lines[1:1] = [f"    {other.choice(('n = c{0}', 'x = c{0} * 0.125', 'log.append(c{0})')).format(number)}"]
        if own.random() < 0.25:
            lines.append(f"if len(FLOATS) < 6 {own.choice(['and', 'or'])} x > 2.0:")
            lines.append(
                "    " + own.choice(["FLOATS.append(0.125)", "FLOATS[1] = 0.75", "COUNTS[0] = 2", "PARTS.reverse()"])
            )
        elif own.random() < 0.3:
            lines += ["else:", "    y = 0.25"]
        return lines

    def on_pairs(self, number: int, own: Random) -> list[str]:
        """A loop that unpacks what a list has, which may be chosen."""
        source = own.choice(["PAIRS", "PAIRS", "ROUTES[KINDS[n % 3]]", "ROUTES['b']", "WAYS[n % 2]", "LINKS[n % 2]"])
        source = own.choice(["zip(FLOATS, COUNTS)", "zip(STEPS, COUNTS)"]) if own.random() < 0.2 else source
        names, is_counted = f"f{number}, w{number}", own.random() < 0.4
        head = f"for c{number}, ({names}) in enumerate({source}):" if is_counted else f"for {names} in {source}:"
        self.loops += 1
        lines = [head, *self.inside()]
        self.loops -= 1
        deeds = ["x = f{0} * 0.5", "n = w{0} % 7", "seen.append(f{0})", "y = w{0} * 0.25", "yield ev.hold(f{0} * 0.25)"]
        deeds += ["yield from pause(f{0})", "x = yield from pause(f{0})"]
        lines[1:1] = [f"    {own.choice(deeds).format(number)}" for _ in range(2)]
        if own.random() < 0.3:
            changes = ["PAIRS[1] = (0.75, 2)", "PAIRS.append((1, 1))", "ROUTES['a'] = [*PAIRS]", "WAYS.reverse()"]
            changes += ["FLOATS.append(0.25)", "COUNTS.append(2)", "FLOATS[0] = 1.25"] if "zip" in source else []
            changes += ["LINKS[n % 3] = WAYS[0]", "LINKS[0] = LINKS.pop(0)"]
            lines += [f"if len(PAIRS) < 6 and x > {own.choice((0.5, 1.5))}:", f"    {own.choice(changes)}"]
        elif own.random() < 0.3:
            lines += ["else:", "    y = 0.25"]
        return lines

    def on_unpacked(self, number: int, own: Random) -> list[str]:
        """What a list has at a place, or what is drawn from it, is unpacked."""
        source = own.choice(
            ["PAIRS[n % 3]", "rng.choice(PAIRS)", "rng.choice(THREES)", "THREES[int(3.0 * rng.random())]"]
        )
        source = own.choice([source, source, "rng.choices(THREES, STEPS)[0]", "rng.choices(PAIRS[0:3], k=1)[0]"])
        names = f"f{number}, w{number}, z{number}" if "THREES" in source else f"f{number}, w{number}"
        deeds = ["x = f{0} * 0.5", "n = w{0} % 7", "seen.append(f{0})", "y = w{0} * 0.25", "yield from pause(f{0})"]
        deeds += ["seen.append((z{0}, w{0}))", "x = 0.5 if z{0} == 'b' else 1.5"] if "THREES" in source else []
        lines = [f"{names} = {source}", *(own.choice(deeds).format(number) for _ in range(3))]
        return [*lines, "if x > 1.5:", "    THREES.reverse()"] if own.random() < 0.3 else lines

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


HIDDEN = ("sim", "rng", "stream", "log", "seen", ".entry", ".given", "cut", "child", "made_a", "made_b", "made_c")
"""


def program(seed: int, acts: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    stories = [Writer(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD, *stories, f"ACTS = {acts}", MEDDLER])


ENTRIES = (
    "({0}, n, 'told', None)",
    "[n > 1, ({0}, -n)]",
    "[round({0}, 2), n]",
    'f"{{{0}:.3f}} and {{n!r}}"',
    "TABLE[n % len(TABLE)] + {0}",
    "n",
)
"""What is appended in the place of a number, made of that number."""
ITEMS = (
    "TALLY[n % 4] = {0}",
    "TALLY[KINDS[n % 3]] += {0}",
    "TALLY[KINDS[n % 3]] *= 0.5",
    "TALLY[n % 5] = KINDS[n % 3], ({0}, n)",
    "MARKS.add((n % 5, {0} > 1.0))",
    "MARKS.discard((n % 5, True))",
    "LINES[n % 3].append(({0}, n))",
    "LINES[n % 2][0] = {0}",
    "QUEUE.append({0})",
    "QUEUE.appendleft((sim.time, KINDS[n % 3]))",
    "SUMS[n % 6] += 1",
    "SUMS[KINDS[n % 3], n > 2] -= n",
    "x = TALLY[KINDS[n % 3]] * 0.5",
    "x = TALLY.get(n % 6, 0.5)",
    "n = SUMS[n % 4] + len(MARKS) + len(QUEUE)",
    "x = 1.5 if KINDS[n % 2] in TALLY and n % 9 not in SUMS else {0}",
    "x = LINES[1][0]",
)
"""What is done with containers in its place."""


def varied(text: str) -> str:
    """The same model, in which some numbers are appended to lists with others."""
    chance, other = Random(len(text)), Random(f"items {len(text)}")

    def vary(found: re.Match[str]) -> str:
        if other.random() < 0.5:
            return f"{found[1].partition('s')[0]}{other.choice(ITEMS).format(found[2])}"
        entry = chance.choice(ENTRIES).format(found[2]) if chance.random() < 0.4 else found[2]
        return f"{found[1]}({entry})"

    return re.sub(r"(?m)^( *(?:self\.)?seen\.append)\((.*)\)$", vary, text)


def load(text: str, folder: Path, name: str) -> ModuleType:
    """A module of that text, in a file of its own."""
    text, file = varied(text) if text.startswith(HEAD) else text, folder / f"{name}.py"
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
    run_through(sim, module, log, horizon)
    frames = [module.variables_of(process) for process in processes if not process.terminated]
    states = [(p.name, p.terminated, p.idle or p.event_time, p.why_waiting()) for p in processes]
    rest = [log, seen, states, frames, module.contents()]
    return [sim.time, sim.events, rng.random(), sim.stream("stream 0").random(), *rest]


ACTS = {"alone": 0, "looked at": 6, "meddled with": 14}
"""How many of the acts of a meddler there are, by what it does."""


RICH_HEAD = """
from functools import partial

BOX = [3.0]
GAPS = [0.25 + 0.5 * (k % 5) for k in range(5000)]


def scaled(x, by=2.0, *, shift=0.0):
    return by * x + shift


def checked(x, most=3.0):
    y = x * 0.5
    if y > most:
        raise ValueError(f"{y} is more than {most}")
    return y


def steep(x):
    if x > 1.0:
        return x * x
    return x
"""


class RichWriter(Writer):
    """Writes more kinds of statements: functions with defaults, cells, tallies, errors, `finally`, names that go."""

    def text(self) -> str:
        """The function, inside another whose variables it shares."""
        plain = super().text().replace("\n\n", "\n")
        lines = [f"    {line}" if line else line for line in plain.splitlines()]
        lines.insert(1, "        nonlocal shared, total")
        made = [f"def make_{self.name}(told, tally, shared, total, other):", *lines, f"    return {self.name}"]
        return "\n".join(made) + f"\n\n\n{self.name} = None\n"

    def real(self) -> str:
        c = self.chance
        if c.random() < 0.5:
            return super().real()
        one, other = c.choice(self.floats), c.choice(self.floats)
        return self.one(
            f"scaled({one})",
            f"scaled({one}, {c.choice([0.5, 1.0])})",
            f"checked({one})",
            f"checked(most=99.0, x={one})",
            f"steep({one})",
            "shared",
            "total * 0.5",
            f"-{one}",
            f"max({one}, {other}, 0.0)",
            f"min({one}, {other}, -0.0)",
            f"math.exp(-abs({one}))",
            f"math.log(abs({one}) + 0.5)",
            f"math.log({one})",
            f"math.sin({one})",
            f"math.atan({one} * 0.25)",
            f"{one} ** 2",
            f"{one} % 1.0",
            f"float(int(min(abs({one}), 1e6)) % 7)",
            f"{one} / {other}",
            f"bool({c.choice(self.wholes)}) * 0.5",
            "rng.gauss(2.0, 0.25)",
            "rng.triangular(0.0, 2.0, 0.5)",
            "rng.lognormvariate(0.0, 0.5)",
            "stream.normal(1.0, 0.5)",
            "stream.triangular(0.0, 1.0, 3.0)",
            "BOX[0]",
            "other.time",
        )

    def whole(self) -> str:
        c = self.chance
        if c.random() < 0.6:
            return super().whole()
        one = c.choice(self.wholes)
        return self.one(
            f"-{one}",
            f"abs({one})",
            f"{one} * {one} % 1000",
            f"-{one} // 3",
            f"-{one} % 5",
            f"max({one}, 2)",
            f"int({one} > 1)",
            f"round({c.choice(self.floats)}) % 7",
            f"{one} * 4611686018427387904 % 11",
            "rng.randrange(5)",
            "len(seen) % 3",
        )

    def test(self) -> str:
        c = self.chance
        if c.random() < 0.6:
            return super().test()
        return self.one(
            f"{c.choice(self.floats)} <= {c.choice(self.floats)} < 4.0",
            f"{c.choice(self.wholes)} == {c.choice(self.floats)}",
            f"{c.choice(self.wholes)} % 2 == 0 or {c.choice(self.floats)} > 2.0",
            f"sim.time > {c.choice([10.0, 30.0])}",
            "rng.random() < 0.5",
            "shared > 2.0 and not total > 9",
            "seen",
        )

    def log(self) -> str:
        return super().log() if self.chance.random() < 0.6 else self.one(
            f"told({self.real()})", f"tally.add({self.real()})", "told(sim.time)", "tally.add(sim.time)"
        )  # fmt: skip

    def statement(self) -> list[str]:
        if self.chance.random() < 0.65:
            return super().statement()
        c, number = self.chance, next(self.counts)
        kinds = ["cells", "double", "gone", "other_type", "checks", "annotated", "chain", "gap"]
        if self.depth < 2:
            kinds += ["while_loop", "finally_block", "catches", "deep_if", "counted"]
        return getattr(self, f"on_{c.choice(kinds)}")(number)  # type: ignore[no-any-return]

    def on_cells(self, number: int) -> list[str]:
        return [self.one("shared += 0.5", "total = total + 1", "shared = 1.0", "total = (total + 1) % 13")]

    def on_double(self, number: int) -> list[str]:
        return [f"x = y = {self.real()}"]

    def on_gone(self, number: int) -> list[str]:
        return [f"g{number} = {self.real()}", self.hold(), f"seen.append(g{number})", f"del g{number}"]

    def on_other_type(self, number: int) -> list[str]:
        value = self.one("None", "'text'", "1", "2.5", "True", "[1.0]")
        return [f"o{number} = {value}", self.hold(), f"o{number} = {self.real()}", f"log.append(o{number})"]

    def on_checks(self, number: int) -> list[str]:
        return [f"assert {self.test()} or True, 'wrong'"]

    def on_annotated(self, number: int) -> list[str]:
        text = self.real()
        self.floats.append(f"a{number}")
        return [f"a{number}: float = {text}"]

    def on_chain(self, number: int) -> list[str]:
        return [f"n, x = ({self.whole()}) % 9, {self.real()}"]

    def on_gap(self, number: int) -> list[str]:
        return [f"yield ev.hold(GAPS[{self.chance.choice(self.wholes)} % 5])"]

    def on_while_loop(self, number: int) -> list[str]:
        self.loops += 1
        inner = self.inside()
        self.loops -= 1
        lines = [f"w{number} = 0", f"while w{number} < {self.chance.randrange(1, 5)}:", f"    w{number} += 1", *inner]
        return [*lines, "else:", "    x = 0.25"] if self.chance.random() < 0.3 else lines

    def on_finally_block(self, number: int) -> list[str]:
        return ["try:", *self.inside(), "finally:", f"    log.append(('finally', {number}, sim.time))"]

    def on_catches(self, number: int) -> list[str]:
        return [
            "try:",
            *self.inside(),
            "except (ValueError, ArithmeticError) as wrong:",
            f"    log.append(({self.name!r}, {number}, sim.time, repr(wrong)))",
            *(["else:", f"    x = {number % 7}.5"] if self.chance.random() < 0.3 else []),
        ]

    def on_deep_if(self, number: int) -> list[str]:
        return [f"if {self.test()}:", *self.inside(), f"elif {self.test()}:", *self.inside(), "else:", "    y = 1.5"]

    def on_counted(self, number: int) -> list[str]:
        self.loops += 1
        lines = [f"for _ in range({self.chance.randrange(1, 5)}):", *self.inside()]
        self.loops -= 1
        return lines


CHANGER = """

def changer(sim, rng, told, tally, desk):
    global RATE, LIMIT, twice, scaled
    plain = twice, scaled
    for step in iter(range(20)):
        yield ev.hold(rng.choice([1.0, 2.25, 3.5]))
        act = rng.randrange(10)
        if act == 0:
            RATE = rng.choice([0.75, 1.25, 2])
        elif act == 1:
            LIMIT = rng.choice([400, 30, 10**6])
        elif act == 2:
            twice = rng.choice([plain[0], lambda x: 0.5 * x, abs])
        elif act == 3:
            scaled.__defaults__ = (rng.choice([2.0, 0.5, 1]),)
        elif act == 4:
            scaled.__kwdefaults__ = {"shift": rng.choice([0.0, 0.25])}
        elif act == 5:
            tally.reset()
        elif act == 6:
            BOX[0] = rng.random()
        elif act == 7:
            sim.reset_statistics()
        elif act == 8:
            desk.append(tally.count)
        elif act == 9:
            math.sqrt = rng.choice([math.sqrt, PLAIN_SQRT])
    twice, scaled = plain
    scaled.__defaults__, scaled.__kwdefaults__ = (2.0,), {"shift": 0.0}


PLAIN_SQRT = math.sqrt
"""


def rich_program(seed: int, acts: int) -> str:
    """The text of a model of the richer kind."""
    chance = Random(seed)
    stories = [RichWriter(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD + RICH_HEAD, *stories, f"ACTS = {acts}", MEDDLER, CHANGER])


def rich_outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int) -> str:
    """All that can be seen of a run of such a model, as text: what `finally` logs when it is given up comes later."""
    told: list[float] = []
    notes: list[Any] = []
    tally, other = sim.tally("told"), ev.Simulation()
    other.run(until=2.5)
    vars(module)["HIDDEN"] = (*module.HIDDEN, "told", "tally", "other", "plain", "desk")
    for k in range(3):
        make = getattr(module, f"make_story{k}")
        setattr(module, f"story{k}", make(told.append, tally, 1.0 * k, k, other))
    sim.process(module.changer(sim, Random(seed + 2), told, tally, notes))
    found = outcome(sim, module, seed, acts)
    cells = [[cell.cell_contents for cell in getattr(module, f"story{k}").__closure__ or ()] for k in range(3)]
    numbers = [[value for value in values if type(value) in (int, float)] for values in cells]
    return repr([*found, told, notes, tally.count, tally.count and tally.mean, numbers])
