"""Random models of processes that make others, which queue and end, and somebody who looks at all of them."""

from __future__ import annotations

import ast
from random import Random
from types import ModuleType
from typing import Any

from random_bodies import HEAD, MEDDLER, run_through
from random_queues import SURVEYOR, Queueing

import eventide as ev

WATCHER = """
def watcher(sim, rng, stream, log, seen, first, second):
    for step in iter(range(40)):
        yield ev.hold(rng.choice([0.5, 1.25, 3.0]))
        act = rng.randrange(GLANCES)
        if act == 0:
            sim.process(kid0(sim, rng, stream, log, seen, 1, 0.5, 1.0, first, second), name="made by the watcher")
            continue
        if act == 1:
            log.append((sim.time, sim.events, [p.name for p in sim.processes]))
            continue
        if act == 2:
            log.append([(entry.time, entry.name) for entry in sim.schedule])
            continue
        alive = [p for p in sim.processes if p is not sim.current]
        if not alive:
            return
        who = rng.choice(alive)
        if act == 3:
            log.append((who.name, who.idle or who.event_time, who.why_waiting().rpartition("/")[2]))
        elif act == 4:
            log.append(variables_of(who))
        elif act == 5 and who._generator.gi_suspended:
            who.interrupt(step)
        elif act == 6:
            who.end()
        elif act == 7:
            yield who
            log.append(("joined", who.name, sim.time))
        elif act == 8 and not who.idle:
            sim.process(kid1(1, sim, rng, 0.25, stream, first, second, log, seen)).reactivate(after=who)
        elif act == 9 and not who.idle:
            sim.process(kid2(sim, True, rng, stream, log, seen, 1, first, second)).reactivate(before=who)
        elif act == 10:
            sim.stop()
"""

HEADS = (
    "(sim, rng, stream, log, seen, n, x, y, first, second)",
    '(n, sim, rng, x, stream, first, second, log, seen, y=1.5, word="plain")',
    "(sim, b, rng, stream, log, seen, n, first, second, x=0.25, y=2.0)",
)
"""The arguments of each of the functions whose processes others make."""


def named(command: str) -> str:
    """The same wait for all of several things, where the processes are made before it."""
    tree = ast.parse(command)
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call))
    made: list[str] = []
    for word in call.keywords:
        if "sim.process" in ast.unparse(word.value):
            made.append(f"made_{word.arg} = {ast.unparse(word.value)}")
            word.value = ast.Name(f"made_{word.arg}", ast.Load())
    return "; ".join([*made, ast.unparse(tree)])


class Making(Queueing):
    """Writes one generator function whose processes make others."""

    depth_of = "n % 2"
    """What a process hands on, so that what it makes does not make others without end."""
    guard = "x < 2.0"

    def text(self) -> str:
        made = [f"sim.process({self.call()})" for _ in range(self.chance.randrange(1, 3))]
        self.wholes.append("m")
        body = [*made, *self.block(2), self.hold()]
        lines = "\n".join(f"        {line}" for line in body)
        head = f"def {self.name}(sim, rng, stream, log, seen, n, x, y, first, second):\n    m = 0"
        return f"{head}\n    while m < 25:\n        m += 1\n{lines}\n"

    def statement(self) -> list[str]:
        if self.chance.random() < 0.15:
            return self.on_making()
        return super().statement()

    def hold(self) -> str:
        if not self.guard.startswith("n") and self.chance.random() < 0.15:
            found = self.one(f"yield sim.process({self.call()})", f"yield ev.all_of({self.gathered()})")
            if found.startswith("yield sim") and Random(f"{self.name} {found}").random() < 0.5:
                return f"child = {found.removeprefix('yield ')}; yield child"
            return named(found) if found.startswith("yield ev") and Random(found).random() < 0.5 else found
        if self.chance.random() < 0.4:
            return super().hold()
        return self.one(
            f"yield ev.hold({self.chance.choice([0.25, 0.5, 1.5])})",
            "yield ev.hold(rng.expovariate(1.5))",
            "yield ev.hold(stream.negexp(2.0))",
            f"yield ev.hold(min(abs({self.chance.choice(self.floats)}), 5.0))",
        )

    def gathered(self) -> str:
        """What a wait for all of several things waits for."""
        things = (self.one(f"sim.process({self.call()})", "ev.hold(1.25)", "ev.hold(rng.random())") for _ in range(3))
        return ", ".join(
            f"{word}={thing}" for word, thing in zip("abc"[: self.chance.randrange(1, 4)], things, strict=False)
        )

    def on_making(self) -> list[str]:
        """A statement that makes a process."""
        made = self.call()
        if self.chance.random() < 0.3:
            drawn = "{int(9.0 * rng.random())} drawn"
            texts = "{n} of them", "{{no}} {n + 1}", "{-n}", drawn, "{n}{x}", "{x}", "{n:3d}", "{n!r}"
            names = repr("known"), repr(""), *(f"f{text!r}" for text in (*texts, *texts[:3]))
            made = f"{made}, name={self.one(*names)}"
        text = f"sim.process({made})"
        if self.chance.random() < 0.05:
            text = f"log.append({text}.name)"
        lines = [text]
        if self.chance.random() < 0.2:
            lines = [f"for f{self.loops} in range({self.chance.randrange(3)}):", f"    {text}"]
        return lines if not self.guard else [f"if {self.guard}:", *(f"    {line}" for line in lines)]

    def float(self) -> str:
        """An argument; some cannot be evaluated in rows after others have been drawn."""
        simple = self.one(self.chance.choice(self.floats), "0.5", "1.25", "rng.random()", "stream.uniform(0.1, 2.0)")
        return self.real() if self.chance.random() < 0.15 else simple

    def on_items(self, number: int) -> list[str]:
        return super().on_items(number) if self.chance.random() < 0.2 else self.on_for(number)

    def log(self) -> str:
        return f"seen.append({self.real()})" if self.chance.random() < 0.9 else super().log()

    def call(self) -> str:
        """A call of one of the functions."""
        n = self.depth_of
        kid = self.chance.randrange(3)
        if kid == 0:
            return f"kid0(sim, rng, stream, log, seen, {n}, {self.float()}, {self.float()}, first, second)"
        if kid == 1:
            more = self.one("", f", {self.float()}", f", y={self.float()}", ", word='other'", f", {self.float()}, None")
            return f"kid1({n}, sim, rng, {self.float()}, stream, first, {self.one('first', 'second')}, log, seen{more})"
        more = self.one("", "", f", y={self.float()}, x={self.float()}", f", {self.float()}")
        if self.chance.random() < 0.05:
            more = f", {self.whole()}"
        flag = self.one("True", "False", f"{self.chance.choice(self.floats)} > 1.0", "n != 1")
        return f"kid2(sim, {flag}, rng, stream, log, seen, {n}, second, first{more})"


class Kid(Making):
    """Writes one of the functions whose processes others make."""

    depth_of = "n - 1"
    guard = "n > 0"

    def text(self) -> str:
        number = int(self.name[3:])
        if number == 2:
            self.truths.append("b")
        body = [*self.block(3), self.hold()]
        if self.chance.random() < 0.5:
            body = [f"for turn in range({self.chance.randrange(1, 3)}):", *(f"    {line}" for line in body)]
        if self.chance.random() < 0.15:
            body.append(f"log.append(('end of {self.name}', sim.time, {'word' if number == 1 else 'n'}))")
        lines = "\n".join(f"    {line}" for line in body)
        return f"def {self.name}{HEADS[number]}:\n{lines}\n"


def program(
    seed: int, acts: int, looks: int, glances: int, writers: tuple[type[Queueing], type[Queueing]] | None = None
) -> str:
    """The text of a model; `writers` write who makes others, and who is made."""
    chance, (making, made) = Random(seed), writers or (Making, Kid)
    stories = [making(chance, f"story{k}").text() for k in range(2)]
    kids = [made(chance, f"kid{k}").text() for k in range(3)]
    said = f"ACTS = {acts}\nLOOKS = {looks}\nGLANCES = {glances}"
    hidden = 'HIDDEN += ("turn", "first", "second")\n'
    return "\n\n".join([HEAD, *kids, *stories, said, MEDDLER, SURVEYOR, hidden, WATCHER])


def outcome(
    sim: ev.Simulation, module: ModuleType, seed: int, acts: int, looks: int, glances: int, horizon: float = 12.0
) -> Any:
    """All that can be seen of a run of such a model."""
    rng, log, seen = Random(seed), [], []
    resources = [ev.Resource(sim, 2), ev.Resource(sim, 3), ev.Resource(sim, 2, name="shared")]
    module.shared = resources[2]  # type: ignore[attr-defined]  # the model's own
    for k in range(4):
        stream, story = sim.stream(f"stream {k % 2}"), getattr(module, f"story{k % 2}")
        sim.process(story(sim, rng, stream, log, seen, k % 5, 0.5 * k, 1.0, *resources[:2]))
    processes = [entry.process for entry in sim.schedule]
    if acts:
        sim.process(module.meddler(sim, Random(seed + 1), log, processes))
    if looks:
        sim.process(module.surveyor(sim, Random(seed + 2), log, resources))
    if glances:
        sim.process(module.watcher(sim, Random(seed + 3), sim.stream("stream 0"), log, seen, *resources[:2]))
    run_through(sim, module, log, horizon, most=60)
    alive = sim.processes
    states = [(p.name, p.idle or p.event_time, p.why_waiting(), p._anchor, module.variables_of(p)) for p in alive]
    counts = [(label, kind.count) for label, kind in sorted(sim._kinds.items()) if kind.count]
    schedule = [(entry.time, entry.name) for entry in sim.schedule]
    found = [sim.time, sim.events, rng.random(), sim.stream("stream 0").random(), log, seen, states, counts, schedule]
    for one in resources:
        levels = [(list(level._held.items()), level._value, level._changed) for level in (one.in_use, one.queue)]
        held = [(r.process.name, r.since, r.state, r.priority, r.units) for r in (*one.users, *one.waiting)]
        found.append([one.counts, list(one.waits.values), *levels, held, one._held, one.queue.mean])
    return found
