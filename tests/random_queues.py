"""Random models of processes that queue for resources, and somebody who looks at these and meddles."""

from __future__ import annotations

from random import Random
from types import ModuleType
from typing import Any

from random_bodies import HEAD, MEDDLER, Writer, run_through

import eventide as ev

SURVEYOR = """
# The variable of a request that is over has no value in a generator that comes home: nothing in its text reads it.
HIDDEN += ("unit", *(f"u{k}" for k in range(300)))


def surveyor(sim, rng, log, resources):
    for step in iter(range(40)):
        yield ev.hold(rng.choice([0.75, 1.5, 4.0]))
        one = rng.choice(resources)
        look = rng.randrange(LOOKS)
        if look == 0:
            log.append((one.queue.value, one.in_use.mean, one.waits.count, one.available))
        elif look == 1:
            log.append(([r.process.name for r in one.users], [(r.process.name, r.since, r.state) for r in one.waiting]))
        elif look == 2:
            log.append((repr(one), one.counts, one.utilisation))
        elif look == 3:
            rng.choice([one.reset_statistics, one.waits.reset, one.queue.reset, lambda: one.waits.add(1.5)])()
        elif look == 4:
            one.set_capacity(rng.choice([1, 2, 3]))
        elif look == 5 and one.waiting:
            one.waiting[0].priority = rng.choice([0.0, 2.0])
        elif look == 6 and one.waiting:
            one.waiting[-1].move(rng.choice(resources))
        elif look == 7:
            with one.request(rng.choice([0.0, 1.0])) as place:
                yield place
                yield 0.25
        elif look == 8 and one.users:
            log.append(one.users[0].process.why_waiting().rpartition("/")[2])
        elif look == 9 and one.waiting:
            one.waiting[0].process.interrupt(step)
"""


class Queueing(Writer):
    """Writes one generator function whose processes request units.

    units       the variables of the requests in whose blocks it writes
    """

    units: tuple[str, ...] = ()

    def text(self) -> str:
        return super().text().replace("n, x, y):", "n, x, y, first, second):", 1)

    def statement(self) -> list[str]:
        if self.depth < 3 and self.chance.random() < 0.3:
            return self.on_block(next(self.counts))
        return super().statement()

    def whole(self) -> str:
        if self.chance.random() < 0.8:
            return super().whole()
        who = self.one("first", "second", "shared")
        counts = "{0}.available", "{0}.in_use.value", "{0}.queue.value", "len({0}.waiting)", "len({0}.users)"
        return self.one(*counts, "{0}.capacity - {0}.available", "min({0}.queue.value, 2)").format(who)

    def test(self) -> str:
        if self.chance.random() < 0.8:
            return super().test()
        return self.one(f"{self.whole()} > 0", "not first.available", "second.queue.value < 1 and shared.in_use.value")

    def on_block(self, number: int) -> list[str]:
        """The block of a request."""
        name = self.one(f"u{number}", f"u{number}", "unit")
        given = self.one("", "", "1.0", "priority=2", self.real(), "units=1", "-0.5, 1", "units=1 + n % 2")
        who = self.one("first", "first", "second", "second", "shared")
        self.units += (name,)
        before = self.inside() if self.chance.random() < 0.3 else []
        after = [*self.inside(), *self.inside()] if self.chance.random() < 0.8 else []
        self.units = self.units[:-1]
        told = [f"    log.append(({name}.state, {name}.since))"] if self.chance.random() < 0.1 else []
        wait = [f"    yield {name}"] if self.chance.random() < 0.95 else []
        return [f"with {who}.request({given}) as {name}:", "    pass", *before, *wait, *told, *after]


PATIENCE = """
# Where nothing in the text reads the variable of an outcome it has no value in a generator that comes home.
HIDDEN += ("unit", *(f"got{k}" for k in range(300)))
"""


class Leaving(Queueing):
    """Writes one generator function whose processes give up some of their requests."""

    def on_block(self, number: int) -> list[str]:
        lines = super().on_block(number)
        name = self.units_of(lines[0])
        wait = f"    yield {name}"
        if wait not in lines or self.chance.random() < 0.2:
            return lines
        time = self.one(
            "0.25", "0.5", "1.0", "rng.expovariate(2.0)", "abs(x) % 2.0", "0.0", "stream.uniform(0.25, 1.0)"
        )
        got, k = f"got{number}", lines.index(wait)
        told = self.one(f"log.append(({got}.name, sim.time))", f"seen.append(sim.time + ({got}.name == 'served'))")
        if self.chance.random() < 0.5:
            asked = f"served={name}, gave_up=ev.hold({time})", f"gave_up={time}, served={name}, late=ev.hold(2)"
            wait = f"    {got} = yield ev.first_of({self.one(*asked)})"
            test = self.one(f"if {got}.name == 'gave_up':", f"if {got}.name != 'served':", f"if not {name}.granted:")
            gone = ["    " + test, f"        {told}", *(["        pass"] if self.chance.random() < 0.5 else [])]
            kept = lines[k + 1 :] or ["    pass"]
            return [*lines[:k], wait, *gone, "    else:", *(f"    {line}" for line in kept)]
        request = lines[0].removeprefix("with ").rpartition(" as ")[0]
        asked = f"served={request}, gave_up=ev.hold({time})", f"gave_up={time}, served={request}, late=ev.hold(2)"
        kept = [line for line in lines[2:] if not line.startswith(f"    log.append(({name}.")]
        block = [f"with {got}.value:", "    pass", *[line for line in kept if line != f"    yield {name}"]]
        inside = [f"if {got}.name == 'served':", *(f"    {line}" for line in block), "else:", f"    {told}"]
        return [f"{got} = yield ev.first_of({self.one(*asked)})", *inside]

    @staticmethod
    def units_of(head: str) -> str:
        """The variable of a request."""
        return head.rpartition(" as ")[2].removesuffix(":")


def program_leaving(seed: int, acts: int, looks: int) -> str:
    """The text of a model whose processes give up."""
    chance = Random(seed)
    stories = [Leaving(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD, *stories, f"ACTS = {acts}\nLOOKS = {looks}", MEDDLER, SURVEYOR + PATIENCE])


ARRANGER = """
def length(one):
    return one.in_use.value + one.queue.value


def arranger(sim, rng):
    for step in iter(range(30)):
        yield ev.hold(rng.choice([0.75, 3.0, 6.0]))
        act = rng.randrange(5)
        if act == 0:
            desks.reverse()
        elif act == 1 and len(desks) > 1:
            desks.pop()
        elif act == 2:
            desks.append(shared)
        elif act == 3:
            pair.desks = list(pair.desks)


class Pair:
    def __init__(self, *desks):
        self.desks = desks


HIDDEN += ("unit", *(f"u{k}" for k in range(300)))
"""


class Choosing(Leaving):
    """Writes one generator function whose processes choose among resources."""

    def on_block(self, number: int) -> list[str]:
        lines = super().on_block(number)
        head = lines[0] if lines[0].startswith("with ") else ""
        if not head or self.chance.random() < 0.2:
            return lines
        name, asked = self.units_of(lines[0]), lines[0][lines[0].index(".request") :]
        keys = (
            "length",
            "length",
            "lambda one: one.available",
            "lambda one: one.queue.value * 2 - n % 2",
            "lambda _: 1.5",
        )
        which = f"{self.one('min', 'min', 'max')}({self.one('desks', 'desks', 'pair.desks')}, key={self.one(*keys)})"
        before, end = [], []
        if self.chance.random() < 0.3:
            before, which = [f"best{number} = {which}"], f"best{number}"
            end = [f"seen.append(1.0 if best{number} is None else 2.0)"]
        told = [f"    place = {name}.resource", "    log.append(place)"] if self.chance.random() < 0.4 else []
        return [*before, f"with {which}{asked}", *lines[1:], *(told if f"    yield {name}" in lines else []), *end]


def program_choosing(seed: int, acts: int, looks: int) -> str:
    """The text of a model whose processes choose."""
    chance = Random(seed)
    stories = [Choosing(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD, *stories, f"ACTS = {acts}\nLOOKS = {looks}", MEDDLER, SURVEYOR + PATIENCE, ARRANGER])


THROUGH = """

class Box:
    def __init__(self, desk):
        self.desk, self.count, self.share = desk, 0, 0.5

    def visit(self, sim, x, *, times=1):
        for k in range(times):
            self.count += 1
            yield from self.desk.use(self.share + k * 0.25, x)
        return sim.time * self.share

    def look(self):
        yield ev.hold(0.25)
        self.share = min(self.share * 1.25, 2.0)
        return self.count


# Also those of the generators that one is in the middle of.
HIDDEN += ("self", "request", "box")


def variables_of(process):
    generator, found = process._generator, []
    while generator is not None:
        seen = generator.gi_frame.f_locals
        found += sorted((name, repr(value)) for name, value in seen.items() if name not in HIDDEN)
        generator = getattr(generator.gi_yieldfrom, "inner", generator.gi_yieldfrom)
    return found
"""


class GoingThrough(Queueing):
    """Writes one generator function that goes through others by `yield from`.

    helpers     the names of these that it may call
    """

    helpers: tuple[str, ...] = ("helper0", "helper1", "helper2")

    def text(self) -> str:
        return super().text().replace("first, second):", "first, second, box):", 1)

    def statement(self) -> list[str]:
        return self.on_passage(next(self.counts)) if self.chance.random() < 0.25 else super().statement()

    def on_passage(self, number: int) -> list[str]:
        """A statement that goes through a function."""
        c = self.chance
        time = self.one("0.5", "rng.expovariate(2.0)", f"abs({c.choice(self.floats)}) % 3.0", "1", self.real())
        given = self.one("", "", "", ", 1.0", ", priority=n", ", units=2", ", -0.5, 1", ", resume=True")
        calls = [f"{self.one('first', 'second', 'shared')}.use({time}{given})"] * 3
        calls += [f"box.visit(sim, {self.real()}{self.one('', ', times=2', ', times=n')})", "box.look()"]
        if self.helpers:
            arguments = f"{self.whole()}, {self.real()}, {c.choice(self.floats)}, first, second, box"
            calls += [f"{c.choice(self.helpers)}(sim, rng, stream, log, seen, {arguments})"] * 4
        call = f"yield from {c.choice(calls)}"
        if c.random() < 0.5:
            return [call]
        name = self.one(f"p{number}", c.choice(self.floats))
        return [f"{name} = {call}", f"log.append({name})", f"{name} = {self.one('0.5', 'x', 'float(n)')}"]


class Helper(GoingThrough):
    """Writes a function that others go through."""

    def text(self) -> str:
        self.helpers = self.helpers[: int(self.name[-1])]
        body = [*self.block(3), self.hold(), *(self.block(2) if self.chance.random() < 0.5 else [])]
        if self.chance.random() < 0.3:
            body += [f"if {self.test()}:", f"    return {self.real()}", *self.block(2)]
        if self.chance.random() < 0.8:
            body.append(self.one(f"return {self.real()}", f"return {self.real()}", f"return {self.whole()}", "return"))
        lines = "\n".join(f"    {line}" for line in body)
        return f"def {self.name}(sim, rng, stream, log, seen, n, x, y, first, second, box):\n{lines}\n"


def helpers(chance: Random) -> list[str]:
    """The functions that others go through."""
    return [Helper(chance, f"helper{k}").text() for k in range(3)]


def program_through(seed: int, acts: int, looks: int) -> str:
    """The text of a model whose processes go through other functions."""
    chance = Random(seed)
    texts = helpers(chance)
    texts += [GoingThrough(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD, *texts, f"ACTS = {acts}\nLOOKS = {looks}", MEDDLER, SURVEYOR + THROUGH])


def program(seed: int, acts: int, looks: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    stories = [Queueing(chance, f"story{k}").text() for k in range(3)]
    return "\n\n".join([HEAD, *stories, f"ACTS = {acts}\nLOOKS = {looks}", MEDDLER, SURVEYOR])


def outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int, looks: int, horizon: float = 60.0) -> Any:
    """All that can be seen of a run of such a model."""
    rng, log, seen = Random(seed), [], []
    resources = [ev.Resource(sim, 2), ev.Resource(sim, 3), ev.Resource(sim, 2, name="shared")]
    module.shared = resources[2]  # type: ignore[attr-defined]  # the model's own
    box = [module.Box(resources[0])] if hasattr(module, "Box") else []
    for k in range(10):
        stream, story = sim.stream(f"stream {k % 2}"), getattr(module, f"story{k % 3}")
        sim.process(story(sim, rng, stream, log, seen, k % 5, 0.5 * k, 1.0, *resources[:2], *box))
    processes = [entry.process for entry in sim.schedule]
    if acts:
        sim.process(module.meddler(sim, Random(seed + 1), log, processes))
    if looks:
        sim.process(module.surveyor(sim, Random(seed + 2), log, resources))
    if hasattr(module, "arranger"):
        vars(module).update(desks=resources[:2] + resources[2:], pair=module.Pair(*resources[:2]))
        if looks:
            sim.process(module.arranger(sim, Random(seed + 3)))
    found = seen_of(sim, module, processes, resources, rng, log, seen, horizon)
    log[:] = [entry.name if isinstance(entry, ev.Resource) else entry for entry in log]
    return found


def seen_of(
    sim: ev.Simulation,
    module: ModuleType,
    processes: list[ev.Process],
    resources: list[ev.Resource],
    rng: Random,
    log: list[Any],
    seen: list[Any],
    horizon: float,
) -> Any:
    """Run a model to a time, whatever errors it meets; all that can be seen of that."""
    run_through(sim, module, log, horizon)
    states = [(p.name, p.terminated, p.idle or p.event_time, p.why_waiting()) for p in processes]
    found = [sim.time, sim.events, rng.random(), sim.stream("stream 0").random(), log, seen, states]
    for one in resources:
        levels = [(list(level._held.items()), level._value, level._changed) for level in (one.in_use, one.queue)]
        held = [(r.process.name, r.since, r.state, r.priority, r.units) for r in (*one.users, *one.waiting)]
        found.append([one.counts, list(one.waits.values), *levels, held, one._held, one.queue.mean])
    return found
