"""Random models of processes that interrupt each other, and take units away, and handle that in many ways."""

from __future__ import annotations

from random import Random
from types import ModuleType
from typing import Any

import random_queues
from random_bodies import HEAD, MEDDLER
from random_queues import SURVEYOR, THROUGH, GoingThrough, Queueing, helpers

import eventide as ev

TELLER = """
import traceback

CAUSES = ("broken", 7, None)


def told(cut):
    cause, chain = cut.cause, []
    if isinstance(cause, ev.Preemption):
        request = cause.request
        cause = ("lost", cause.by.name, cause.by.terminated, request.state, request.since, cause.since)
        cause += (request.process.name, request.units, request.priority, request.resource.name)
    while cut is not None:
        frames = traceback.extract_tb(cut.__traceback__)
        chain.append((repr(type(cut)), [(frame.name, frame.lineno, frame.colno, frame.end_colno) for frame in frames]))
        cut = cut.__context__
    return cause, chain
"""


class Cutting(Queueing):
    """Writes one generator function whose processes interrupt others, and are interrupted."""

    handled = 0

    def text(self) -> str:
        self.wholes.append("m")
        inner = [*self.block(3), *self.block(2), self.hold()]
        lines = ["m = 0", "while m < LIMIT:", "    m += 1", *(f"    {line}" for line in self.tried(inner))]
        head = f"def {self.name}(sim, rng, stream, log, seen, n, x, y, first, second, other):"
        body = "\n".join(f"    {line}" for line in lines)
        return f"{head}\n{body}\n    log.append(('end of {self.name}', sim.time))\n"

    def statement(self) -> list[str]:
        chance = self.chance.random()
        if chance < 0.15:
            return self.on_interrupt()
        if chance < 0.3 and self.depth < 3:
            return self.tried(self.inner())
        return super().statement()

    def inner(self) -> list[str]:
        """The statements of a `try`, most of which wait."""
        return [line.removeprefix("    ") for line in self.inside()] + [self.hold()]

    def on_interrupt(self) -> list[str]:
        c = self.chance
        cause = self.one(
            "", "", "'late'", "None", "m", "n + 1", "x", "cause=n", "True", "CAUSES", "cause='known'", "RATE"
        )
        who = self.one("other", "other", "other", "known") if c.random() < 0.97 else "sim.current"
        lines = [f"{who}.interrupt({cause})"]
        if c.random() < 0.2:
            lines *= 2
        if c.random() < 0.6:
            lines = [f"if rng.random() < {self.one('0.5', '0.2')}:", *(f"    {line}" for line in lines)]
        if c.random() < 0.95:
            lines = ["try:", *(f"    {line}" for line in lines), "except ev.ModelError:", "    pass"]
        return lines

    def on_try(self, number: int) -> list[str]:
        return self.tried(self.inner())

    def tried(self, inner: list[str]) -> list[str]:
        """A `try` around some lines, which handles interrupts on many ways."""
        c = self.chance
        self.handled += 1
        name = self.one("cut", "cut", f"cut{self.handled}")
        kind = self.one(*["ev.Interrupt"] * 6, "Exception", "(ValueError, ev.Interrupt)", "ev.EventideError")
        is_named = c.random() < 0.75
        lines = ["try:", *(f"    {line}" for line in inner)]
        if c.random() < 0.1:
            lines += ["except KeyError:", "    log.append('another')"]
        if c.random() < 0.02:
            return [*lines, self.one("except:", "except BaseException:"), "    raise"]
        lines.append(f"except {kind}{f' as {name}' if is_named else ''}:")
        body: list[str] = []
        for _ in range(c.randrange(1, 4)):
            options = ["y = 0.25", "n = n + 1", "seen.append(sim.time)", self.hold(), f"log.append({self.name!r})"]
            if is_named and kind == "ev.Interrupt":
                options += [
                    f"log.append(told({name}))",
                    f"x = {name}.left",
                    f"x = {name}.left",
                    f"seen.append({name}.left)",
                ]
                options += [f"y = {name}.left or 0.5", f"log.append({name}.left is None)"]
                lost = f"isinstance({name}.cause, ev.Preemption)"
                for unit in self.units:
                    lost += f" and {name}.cause.request {self.one('is', 'is', 'is not')} {unit}"
                options += [f"y = 0.5 if {lost} else 0.25", f"if not ({lost}): y = 0.125"]
            elif is_named:
                options.append(f"log.append((type({name}).__name__, sim.time))")
            body.append(c.choice(options))
        if self.depth < 2 and c.random() < 0.3:
            self.depth += 1
            body += self.inside_lines()
            self.depth -= 1
        if c.random() < 0.05:
            body.append(self.one("raise", "raise ValueError(m)"))
        if self.loops and c.random() < 0.1:
            body.append(self.one("break", "continue"))
        lines += [f"    {line}" for line in body]
        if c.random() < 0.1:
            lines += ["else:", "    y = 0.75"]
        if c.random() < 0.03:
            lines += ["finally:", "    seen.append(2.0)"]
        return lines

    def inside_lines(self) -> list[str]:
        return [line.removeprefix("    ") for line in self.inside()]

    def on_block(self, number: int) -> list[str]:
        """The block of a request, whose units may be taken away."""
        lines = super().on_block(number)
        if "first." in lines[0]:
            return lines
        rank = self.one("", "0.0", "1.0", "2", "n", "rng.random()")
        more = self.one("", "", "", ", preempt=False", ", preempt=True", ", preempt=n > 1")
        at, end = lines[0].index("request(") + 8, lines[0].rindex(")")
        lines[0] = f"{lines[0][:at]}{rank}{more if rank else more[2:]}{lines[0][end:]}"
        return lines


class CuttingThrough(GoingThrough, Cutting):
    """Writes one whose processes go through other functions as well."""


def program_through(seed: int, acts: int, looks: int) -> str:
    """The text of a model whose processes go through other functions."""
    chance = Random(seed)
    return program(seed, acts, looks, CuttingThrough, helpers(chance)) + THROUGH


def program(seed: int, acts: int, looks: int, writer: type[Cutting] = Cutting, called: list[str] | None = None) -> str:
    """The text of a model."""
    chance = Random(seed)
    stories = [*(called or []), *(writer(chance, f"story{k}").text() for k in range(3))]
    said = f"ACTS = {acts}\nLOOKS = {looks}"
    hidden = 'HIDDEN += ("other", "first", "second", *(f"cut{k}" for k in range(99)))\n'
    return "\n\n".join([HEAD.replace("LIMIT = 400", "LIMIT = 60"), TELLER, *stories, said, MEDDLER, SURVEYOR, hidden])


def outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int, looks: int, horizon: float = 40.0) -> Any:
    """All that can be seen of a run of such a model."""
    rng, log, seen = Random(seed), [], []
    resources = [ev.Resource(sim, 2), ev.PreemptiveResource(sim, 2), ev.PreemptiveResource(sim, 1, name="shared")]
    names: Any = module
    names.shared = resources[2]
    names.box = hasattr(module, "Box") and names.Box(resources[1])
    processes: list[ev.Process] = []
    other: Any = sim.process(1.5 for _ in range(20))
    for k in range(9):
        stream, story = sim.stream(f"stream {k % 2}"), getattr(module, f"story{k % 3}")
        other = sim.process(story(sim, rng, stream, log, seen, k % 5, 0.5 * k, 1.0, *resources[:2], other))
        processes.append(other)
    names.known = processes[4]
    if acts:
        sim.process(names.meddler(sim, Random(seed + 1), log, processes))
    if looks:
        sim.process(names.surveyor(sim, Random(seed + 2), log, resources))
    found = random_queues.seen_of(sim, module, processes, resources, rng, log, seen, horizon)
    return [repr(part) for part in found]  # before generators that are given up come to `finally`
