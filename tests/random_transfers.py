"""Random models of processes that use containers and stores, and somebody who looks at these and meddles."""

from __future__ import annotations

import re
from random import Random
from types import ModuleType
from typing import Any

import random_interrupts
from random_bodies import run_through
from random_interrupts import Cutting

import eventide as ev

MEDDLING = """\
        elif look == 6 and side.waiting:
            side.waiting[0].priority = rng.choice([0.0, 2.0])
        elif look == 7 and side.waiting:
            side.waiting[-1].process.interrupt(step)
        elif look == 8 and side.waiting:
            log.append(side.waiting[0].process.why_waiting().rpartition("/")[2])
        elif look == 9 and side.waiting:
            side.waiting[0].process.end()
"""
"""What is done to those that wait, whatever for."""

INSPECTOR = (
    """
def inspector(sim, rng, log, tanks):
    for step in iter(range(40)):
        yield ev.hold(rng.choice([0.75, 1.5, 4.0]))
        one = rng.choice(tanks)
        side = rng.choice([one.gets, one.puts])
        look = rng.randrange(LOOKS)
        if look == 0:
            log.append((one.amount, one.level.mean, side.queue.value, side.waits.count, one.capacity))
        elif look == 1:
            log.append([(t.process.name, t.since, t.state, t.amount, t.priority) for t in side.waiting])
        elif look == 2:
            log.append((repr(one), [repr(t) for t in side.waiting]))
        elif look == 3:
            rng.choice([one.reset_statistics, side.reset, one.level.reset, side.waits.reset, side.queue.reset])()
        elif look == 4:
            yield one.put(rng.choice([1, 2, 0]))
        elif look == 5:
            yield ev.first_of(got=one.get(2, priority=rng.choice([0, 1])), gave_up=0.5)
"""
    + MEDDLING
    + """        elif look == 10:
            taken = one.get(1)
            yield ev.first_of(got=taken, gave_up=1.0)
            taken.withdraw()
        elif look == 11:
            one.capacity = rng.choice([6, 8.5, 20])
        elif look == 12:
            one.level.set(rng.choice([one.level.value, 3.0]))
"""
)


KEEPER = (
    """
def keeper(sim, rng, log, stores):
    for step in iter(range(40)):
        yield ev.hold(rng.choice([0.75, 1.5, 4.0]))
        one = rng.choice(stores)
        side = rng.choice([one.gets, one.puts])
        look = rng.randrange(LOOKS)
        if look == 0:
            log.append((one.items, one.level.value, one.level.mean, one.stays.count, side.queue.mean, one.capacity))
        elif look == 1:
            log.append([(t.process.name, t.since, t.state, t.priority) for t in side.waiting])
        elif look == 2:
            log.append((repr(one), [repr(t) for t in side.waiting], len(one.items)))
        elif look == 3:
            rng.choice([one.reset_statistics, side.reset, one.level.reset, one.stays.reset, side.queue.reset])()
        elif look == 4:
            new = {"numbers": 7, "shelf": 0.5, "tokens": one, "jobs": Slim(2)}[one.name]
            yield ev.first_of(put=one.put(new), late=0.5)
        elif look == 5:
            got = yield ev.first_of(got=one.get(priority=rng.choice([0, 1])), gave_up=0.5)
            log.append(got.value)
"""
    + MEDDLING
    + """        elif look == 10:
            taken = one.get()
            yield ev.first_of(got=taken, gave_up=1.0)
            taken.withdraw()
        elif look == 11 and one.capacity < 9:
            one.capacity = rng.choice([2, 4, 6])
        elif look == 12:
            log.append((yield ev.first_of(got=one.get(lambda item: item != 7), gave_up=1.5)).name)
"""
)


BRINGER = """
def bringer(sim, rng, stream):
    n = 0
    while True:
        yield ev.hold(stream.exponential(0.5))
        n += 1
        if len(numbers.items) < 3:
            yield numbers.put(n, 1)
        if shelf.level.value < 2:
            yield shelf.put(sim.time)
        if tokens.level.value == 0:
            yield tokens.put(sim)
        if jobs.level.value == 0:
            yield jobs.put(rng.choice([Job, Job, Job, Slim, Odd])(n))
"""


FEEDER = """
def feeder(sim, rng):
    while True:
        yield ev.hold(rng.expovariate(2.0))
        if fuel.amount < 4.0:
            yield fuel.put(1.5)
        elif fuel.amount > 6.0:
            yield fuel.get(2)
        if parts.amount < 3:
            yield parts.put(2)
        if boxes.amount < 2.0:
            yield boxes.put(1.25, 1)
"""


JOBS = """
class Job:
    late = False

    def __init__(self, n):
        self.n, self.x = n, 0.5 * n


class Odd(Job):
    def __getattribute__(self, name):
        return 7 if name == "n" else object.__getattribute__(self, name)


class Slim:
    __slots__ = ("n", "x", "late")

    def __init__(self, n):
        self.n, self.x, self.late = n, 1.5, True
"""


HIDDEN = """
# Where nothing in the text reads the variable of an outcome but for its name it has no value in a generator.
HIDDEN += tuple(f"got{k}" for k in range(300))
"""


class Transferring(Cutting):
    """Writes one generator function whose processes fill and empty containers."""

    def statement(self) -> list[str]:
        return self.on_transfer() if self.chance.random() < 0.35 else super().statement()

    def on_block(self, number: int) -> list[str]:
        return super().on_block(number) if self.chance.random() < 0.25 else self.on_transfer()

    def hold(self) -> str:
        moves = "fuel.get(0.5)", "fuel.put(1.25)", "parts.put(1)", "parts.get(n % 3)", "boxes.get(1)"
        return f"yield {self.one(*moves)}" if self.chance.random() < 0.2 else super().hold()

    def on_transfer(self) -> list[str]:
        """A put or a get."""
        tank = self.one("fuel", "fuel", "parts", "parts", "boxes")
        whole = "1", "2", f"{self.chance.choice(self.wholes)} % 4", "3, -1", "2, priority=1", "amount=1", "n % 2, 0.5"
        real = "0.5", "1.25", "stream.uniform(0.5, 2.0)", f"abs({self.real()}) % 3.0, {self.real()}", "1, n"
        given = self.one(*(whole if tank == "parts" else (*whole[:3], *real)))
        if self.chance.random() < 0.4:
            return self.on_store()
        if self.chance.random() < 0.04:
            given = self.one("0.5", "-1", "99", "'much'")
        act = f"{tank}.{self.one('put', 'get')}({given})"
        kind = self.chance.random()
        if kind < 0.25 and tank != "parts":
            return self.impatient(act)
        if kind < 0.35:
            return [f"log.append((yield {act}))"]
        draws = "rng.expovariate(1.0)", "stream.uniform(0.25, 2.0)", "rng.random() * 4.0"
        if kind < 0.6:
            return [f"x = {self.one(*draws)}", f"yield fuel.{self.one('put', 'get')}(x)"]
        return [f"yield {act}"]

    def on_store(self) -> list[str]:
        """A put into a store, or a get."""
        kind, rank = (
            self.one("numbers", "numbers", "shelf", "shelf", "tokens"),
            self.one("", "", "priority=n % 2", "priority=1.5"),
        )
        item = (
            self.whole()
            if kind == "numbers"
            else self.real()
            if kind == "shelf"
            else self.one("known", "'word'", "sim", "log", "None", "object()", "object()")
        )
        if self.chance.random() < 0.2:
            return self.on_job(rank)
        put = f"{kind}.put({item}{rank and ', '}{rank})"
        get = f"{kind}.get({rank})" if self.chance.random() < 0.96 else f"{kind}.get(lambda item: item is not None)"
        choice = self.chance.random()
        if choice < 0.2:
            return self.impatient(self.one(put, get))
        if choice < 0.25:
            return [f"log.append((yield {self.one(put, get)}))"]
        if choice < 0.35:
            name = {"shelf": "x", "numbers": "n", "tokens": "token"}[kind]
            other = self.one("object()", "object()", "None") if kind == "tokens" else item
            one, two = self.chance.sample([f"(yield {get})", other], 2)
            chosen = f"{one} if {self.test()} else {two}"
            return [
                self.one(f"{name} = {chosen}", f"{name} = {chosen}", f"(yield {put}) if {self.test()} else {other}")
            ]
        if choice < 0.55:
            return [f"yield {put}"]
        if choice < 0.65:
            return [f"yield {get}"]
        if kind == "tokens":
            token = self.one("token", "token", "other_token")
            more = self.one(
                f"log.append((sim.time, repr({token})[:5]))",
                f"yield tokens.put({token})",
                f"seen.append(1.0 if {token} is None else 2.0)",
                "",
            )
            return [f"{token} = yield {get}", *([more] if more else [])]
        return [f"{'x' if kind == 'shelf' else 'n'} = yield {get}"]

    def on_job(self, rank: str) -> list[str]:
        """A process takes an object, reads and sets what it has, and puts it back."""
        deeds = (
            "job.n += 1",
            f"job.x = {self.real()}",
            f"x = job.x * {self.real()}",
            f"n = job.n + {self.whole()}",
            f"job.late = {self.test()}",
            "log.append((sim.time, job.n, job.x))",
            "yield ev.hold(abs(job.x) % 1.5)",
            "n = 3 if job.late else n",
            "job.n, job.x = job.n + 1, job.n * 0.5",
            f"job.done = {self.real()}",
            "job.x = 'word'",
        )
        chosen = self.chance.choices(deeds, [4] * (len(deeds) - 2) + [1, 0.3], k=self.chance.randint(1, 4))
        return [f"job = yield jobs.get({rank})", *chosen, f"yield jobs.put(job{rank and ', '}{rank})"]

    def impatient(self, act: str) -> list[str]:
        """A put or a get that is given up."""
        time = self.one("0.25", "ev.hold(0.5)", "rng.expovariate(2.0)", "0.0", "stream.uniform(0.25, 1.0)")
        things = [f"moved={act}", f"late={time}"]
        if self.chance.random() < 0.2:
            things.append(self.one("later=1.0", "other=fuel.get(0.5)", "place=first.request()"))
        if self.units and self.chance.random() < 0.3:
            things.append(f"served={self.units[-1]}")
        self.chance.shuffle(things)
        wait = f"yield ev.first_of({', '.join(things)})"
        if self.chance.random() < 0.2:
            return [wait]
        name = f"got{next(self.counts)}"
        told = self.one(f"log.append(({name}.name, sim.time))", f"seen.append(sim.time + ({name}.name == 'moved'))")
        return [f"{name} = {wait}", f"if {name}.name {self.one('==', '!=')} 'moved':", f"    {told}"]

    def real(self) -> str:
        amounts = (
            "fuel.amount",
            "fuel.level.value",
            "fuel.capacity - fuel.amount",
            "boxes.amount * 0.5",
            "parts.level.value",
        )
        return self.one(*amounts) if self.chance.random() < 0.05 else super().real()

    def whole(self) -> str:
        return (
            self.one("parts.amount", "int(fuel.amount)", "parts.capacity - 2")
            if self.chance.random() < 0.1
            else super().whole()
        )


def program(seed: int, acts: int, looks: int) -> str:
    """The text of a model."""
    return "\n\n".join(
        [random_interrupts.program(seed, acts, looks, Transferring), INSPECTOR, KEEPER, BRINGER, FEEDER, JOBS, HIDDEN]
    )


def seen_of(tank: ev.Container) -> list[Any]:
    """All that a container has kept."""
    found: list[Any] = [repr(tank.amount), tank.level._held, tank.level._changed, tank.level.mean, tank._kept == 0]
    for side in (tank.gets, tank.puts):
        waiting = [(t.process.name, t.since, repr(t.amount), t.priority, t._number) for t in side.waiting]
        found += [waiting, list(side.waits.values), list(side.queue._held.items()), side.queue._changed, side._joined]
    return found


def kept_by(store: ev.Store) -> list[Any]:
    """All that a store has kept."""
    found: list[Any] = [
        re.sub("object at 0x[0-9a-f]+", "object", repr(store.items))[:200],
        list(store.level._held.items()),
        store.level._changed,
        store._kept == 0,
    ]
    found += [store._arrived, list(store.stays.values), [entry[:3] for entry in store._content]]
    for side in (store.gets, store.puts):
        waiting = [(t.process.name, t.since, t.priority, t._number, t.state) for t in side.waiting]
        found += [waiting, list(side.waits.values), list(side.queue._held.items()), side.queue._changed, side._joined]
    return found


def outcome(sim: ev.Simulation, module: ModuleType, seed: int, acts: int, looks: int, horizon: float = 40.0) -> Any:
    """All that can be seen of a run of such a model."""
    rng, log, seen = Random(seed), [], []
    resources = [ev.Resource(sim, 2), ev.PreemptiveResource(sim, 2), ev.PreemptiveResource(sim, 1, name="shared")]
    tanks = [
        ev.Container(sim, 8.5, 4.0, name="fuel"),
        ev.Container(sim, 6, 3, name="parts"),
        ev.Container(sim, name="boxes"),
    ]
    stores = [ev.Store(sim, 4, [0.5], name="shelf"), ev.Store(sim, items=[3], name="numbers")]
    stores.append(ev.Store(sim, 3, [None], name="tokens"))
    stores.append(ev.Store(sim, 6, [module.Job(k) for k in range(3)], name="jobs"))
    vars(module).update({store.name: store for store in stores})
    vars(module).update(shared=resources[2], fuel=tanks[0], parts=tanks[1], boxes=tanks[2])
    processes: list[ev.Process] = []
    other: Any = sim.process(1.5 for _ in range(20))
    for k in range(9):
        stream, story = sim.stream(f"stream {k % 2}"), getattr(module, f"story{k % 3}")
        other = sim.process(story(sim, rng, stream, log, seen, k % 5, 0.5 * k, 1.0, *resources[:2], other))
        processes.append(other)
    vars(module)["known"] = processes[4]
    sim.process(module.feeder(sim, Random(seed)))
    sim.process(module.bringer(sim, Random(seed), sim.stream("brought")))
    if acts:
        sim.process(module.meddler(sim, Random(seed + 1), log, processes))
    if looks:
        sim.process(module.inspector(sim, Random(seed + 2), log, tanks))
        sim.process(module.keeper(sim, Random(seed + 3), log, stores))
    run_through(sim, module, log, horizon)
    states = [(p.name, p.terminated, p.idle or p.event_time, p.why_waiting()) for p in processes]
    frames = [module.variables_of(process) for process in processes if not process.terminated]
    found = [sim.time, sim.events, rng.random(), sim.stream("stream 0").random(), log, seen, states, frames]
    found.append(
        [(type(job).__name__, vars(job) if hasattr(job, "__dict__") else (job.n, job.x)) for job in stores[3].items]
    )
    found += [*map(seen_of, tanks), *map(kept_by, stores), [(one.counts, list(one.waits.values)) for one in resources]]
    # Before generators that are given up come to `finally`.
    return [re.sub("object at 0x[0-9a-f]+", "object", repr(part)) for part in found]
