"""Processes that call plain functions with statements of their own leave the same as rows as in Python."""

from __future__ import annotations

import gc
import traceback
from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import load, simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


HEAD = """

class Shop:
    def __init__(self, sim):
        self.sim, self.count, self.stock, self.late = sim, 0, 2.5, False
        self.level, self.hand = sim.level("level", initial=2), sim.level("hand", initial=4.0)
        self.total = 0


def touch(log, part, amount):
    part.used += 1
    if amount > 1.0:
        part.late = not part.late
        log.append((part.used, amount))
        amount = amount * 0.5
    return amount


def linger(seen, part):
    yield ev.hold(part.size % 0.5)
    seen.append(part.size)


def order(sim, shop, seen, wanted, length):
    yield ev.hold(length)
    yield ev.tick(0.3)
    shop.count += wanted
    seen.append(shop.stock)

"""
DEEDS = (
    "shop.count += {n}",
    "shop.stock = {x} * 0.5",
    "shop.stock -= {x} * 0.25",
    "shop.late = {x} > 1.0",
    "shop.level.set({n} % 5)",
    "shop.level.change(1 if shop.level.value < 9 else -1)",
    "shop.hand.set(float(int(min(abs({x}), 50.0))))",
    "shop.hand.set({x} if sim.time > 30.0 else 0.0)",
    "shop.hand.change(-1.0 if shop.hand.value > 3.0 else 1.0)",
    "sim.process(order(sim, shop, seen, {n}, min(abs({x}), 3.0)))",
    "seen.append(shop.stock + shop.count)",
    "log.append((sim.time, shop.count, {x}))",
    "print(end='')",
    "x = rng.expovariate(2.0)",
    "x = min({n}, {x}) * 1.0",
    "x = max(1, {x}) * 1.0",
    *(
        [
            "z = {n}",
            "z += {x}",
            "z -= {n}",
            "z = z + shop.total",
            "z = min({n}, {x})",
            "z = max(z, {x})",
            "z = {x} if {x} > 1.0 else {n}",
        ]
        * 2
    ),
    "shop.total += {x}",
    "shop.total -= z",
    "shop.total = 0",
    "x = z - 0.25 if z > shop.total else float(z)",
    "seen.append(z)",
    "log.append((z, shop.total, 1 if z else z < {n}))",
    "x, z = {x} / 2, {n}",
)
"""What a function, or a process, does to a shop."""
TICKS = ("0.25", "0.1", "0.3", "1", "hz=8", "hz=7", "RATE", "hz=RATE", "0.7, priority=1", "0.123456789", "TABLE[1]")
"""Grids of instants for which processes wait."""


class Writer(random_bodies.Writer):
    """Writes processes that call functions, and these.

    helpers     the functions that it may call
    """

    is_plain = False
    helpers: tuple[str, ...] = ()

    def helper(self, name: str) -> str:
        """A function of that name, which calls those that it may call."""
        self.is_plain, self.name = True, name
        body = self.block(4)
        end = self.one(f"return {self.real()}", f"return {self.real()}", "return", "")
        if end[7:]:
            body += [f"if {self.test()}:", f"    return {self.chance.choice(self.floats)}"]
        lines = "\n".join(f"    {line}" for line in ["z = 0", *body, end])
        return f"def {name}(sim, rng, stream, log, seen, shop, n, x, y=0.5):\n{lines}\n"

    def hold(self) -> str:
        if self.is_plain:
            return self.log()
        own = Random(f"{self.name} {next(self.counts)}")
        return f"yield ev.tick({own.choice(TICKS)})" if own.random() < 0.25 else super().hold()

    def statement(self) -> list[str]:
        if self.chance.random() < 0.35:
            return self.on_deed(next(self.counts))
        return super().statement()

    def on_deed(self, number: int) -> list[str]:
        c = self.chance
        if self.helpers and c.random() < 0.5:
            call = f"{c.choice(self.helpers)}(sim, rng, stream, log, seen, shop, {self.whole()}, {self.real()})"
            return [self.one(call, f"x = {call}", f"y = {call}")]
        return [c.choice(DEEDS).format(n=c.choice(self.wholes), x=c.choice(self.floats))]

    def on_items(self, number: int) -> list[str]:
        if self.is_plain:
            return self.on_deed(number)
        lines, own = super().on_items(number), Random(f"{self.name} {number} parts")
        if lines[0].endswith(" PARTS:"):
            deed = own.choice(
                ["touch(log, f{0}, x)", "y = touch(log, f{0}, y)", "yield from linger(seen, f{0})", "pass"]
            )
            lines.insert(own.choice([1, 3]), "    " + deed.format(number))
        return lines

    def on_try(self, number: int) -> list[str]:
        if not self.is_plain:
            return super().on_try(number)
        return ["try:", *self.inside(), "except ZeroDivisionError:", f"    log.append({number})"]


def program(seed: int, acts: int) -> str:
    """The text of a model."""
    chance, parts, helpers = Random(seed), list[str](), list[str]()
    for k in range(3):
        writer = Writer(chance, f"helper{k}")
        writer.helpers = tuple(helpers)
        parts.append(writer.helper(f"helper{k}"))
        helpers.append(f"helper{k}")
    for k in range(3):
        writer = Writer(chance, f"story{k}")
        writer.helpers = tuple(helpers)
        parts.append(writer.text().replace("log, seen, n, x, y):", "log, seen, shop, n, x, y):\n    z = 1"))
    return "\n\n".join([random_bodies.HEAD + HEAD, *parts, f"ACTS = {acts}", random_bodies.MEDDLER])


def outcome(sim: ev.Simulation, module: Any, seed: int, acts: int) -> list[Any]:
    """All that can be seen of a run of such a model."""
    shop = module.Shop(sim)
    vars(module)["HIDDEN"] = ("sim", "rng", "stream", "log", "seen", ".entry", ".given", "cut", "shop")
    for k in range(3):
        story = vars(module).setdefault(f"plain{k}", getattr(module, f"story{k}"))
        vars(module)[f"story{k}"] = lambda *given, story=story: story(*given[:5], shop, *given[5:])
    found = random_bodies.outcome(sim, module, seed, acts, 40.0)
    levels = [(level.value, level.mean, level.minimum, level.maximum) for level in (shop.level, shop.hand)]
    return [*found, repr([shop.count, shop.stock, shop.late, shop.total, levels])]


def compare(seed: int, acts: int, folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = load(program(seed, acts), folder, f"calls{seed}")
    expected = outcome(simulation(False, native=native), module, seed, acts)
    sim = simulation("auto", native=native)
    assert outcome(sim, module, seed, acts) == expected, seed
    return taken(sim)


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_rows_that_run_as_python_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=False) for seed in range(30)) > 500


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_native_rows_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=True) for seed in range(6)) > 100


class Stock:
    """What there is of something."""

    def __init__(self, sim: ev.Simulation, rng: Random) -> None:
        self.sim, self.rng, self.left, self.sold, self.orders = sim, rng, 40.0, 0, 0
        self.hand, self.notes = sim.level("hand", initial=40.0), list[float]()

    def sell(self, wanted: int) -> None:
        sold = min(wanted, self.left)
        self.sold += wanted
        self.left -= sold
        self.hand.set(self.left)
        if self.left < 20.0:
            self.orders += 1
            self.sim.process(self.order(32.0))

    def order(self, amount: float) -> ev.ProcessGenerator:
        yield ev.hold(self.rng.expovariate(1.0))
        self.left += amount
        self.note(amount)

    def note(self, amount: float) -> float:
        time = self.sim.time
        if amount > 0.0:
            time = self.later(time)
        self.notes.append(time)
        return time

    def later(self, time: float) -> float:
        if len(self.notes) % 8 == 7:
            self.fail(time)
        return time + 0.5

    def fail(self, time: float) -> None:
        self.notes.append(-time)
        self.notes.append(next(iter(())))  # raises StopIteration, as the iterator has nothing


def customers(sim: ev.Simulation, stock: Stock) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(stock.rng.expovariate(4.0))
        stock.sell(2)
        stock.sell(wanted=1)


def test_a_method_with_statements_is_native() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        stock = Stock(sim, Random(2))
        sim.process(customers(sim, stock))
        log = []
        for _ in range(40):
            try:
                sim.run(until=200.0)
            except StopIteration as error:
                log.append([(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)[-6:]])
            except RuntimeError as error:  # a generator makes this of it
                told = error.__cause__
                assert told is not None
                log.append([(frame.name, frame.lineno) for frame in traceback.extract_tb(told.__traceback__)])
        return [sim.time, sim.events, log, stock.notes, stock.sold, stock.left, stock.hand.mean, stock.hand.value]

    expected, sim = run(simulation(False)), simulation("auto")
    assert run(sim) == expected
    assert [name for name, _ in expected[2][0]] == ["order", "note", "later", "fail"]
    assert len(expected[2]) > 3
    assert taken(sim) > 0.2 * sim.events
    assert [line.split("`")[1] for line in str(sim.explain()).splitlines() if "but for" in line] == ["next(iter(()))"]


class Account:
    """What has been counted, and measured."""

    def __init__(self) -> None:
        self.total, self.most = 0, 0

    def add(self, amount: float, shown: list[Any]) -> None:
        known = amount if amount > 0.5 else 1
        self.total += known
        self.most = max(self.most, known)
        shown.append((known, self.total))


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "native"])
def test_sums_of_whole_numbers_and_floats_are_native(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        rng, shown, one, other = Random(3), list[Any](), Account(), Account()

        def counts(account: Account, shown: list[Any]) -> ev.ProcessGenerator:
            begun = 0
            for k in range(120):
                yield ev.hold(rng.expovariate(1.0))
                account.add(rng.random(), shown)
                if k % 40 == 0:
                    account.total = 0
                begun = sim.time - begun if k % 3 else k
                wide = 9007199254740991 if k % 30 == 7 else 0.25
                shown.append((begun, begun > account.total))
                yield ev.hold(0.25)
                wide += 2 if k % 3 else 1
                shown.append((wide, float(begun)))

        sim.process(counts(one, shown))
        sim.process(counts(other, shown))
        sim.run()
        return [repr((account.total, account.most)) for account in (one, other)] + [repr(item) for item in shown]

    expected, sim = run(simulation(False)), simulation("auto", native=native)
    assert run(sim) == expected
    assert taken(sim) > 100
    assert sum("," in item and item[1:2].isdigit() and "." not in item.partition(",")[0] for item in expected) > 50


def test_which_zero_a_level_is_set_to_is_seen() -> None:
    def run(sim: ev.Simulation) -> str:
        hand, seen = sim.level("hand", initial=3.0), list[float]()

        def empties() -> ev.ProcessGenerator:
            factor = 1.0
            for k in range(40):
                yield ev.hold(1.0)
                factor = -factor if k > 10 else factor
                hand.set(factor * 0.0 if k % 5 == 4 else 4.0)
                yield ev.hold(1.0)
                seen.append(hand.value)

        sim.process(empties())
        sim.run()
        return repr((seen, hand.mean))

    expected, sim = run(simulation(False)), simulation("auto")
    assert run(sim) == expected
    assert " -0.0" in expected
    assert taken(sim) > 40


class Job:
    """Something of a size, of which no other is like it."""

    def __init__(self, size: float) -> None:
        self.size, self.done = size, 0


def note(log: list[Any], job: Job, time: float) -> None:
    if job.size > 0.25:
        job.done += 1
        log.append((time, job.size, job.done))


def handled(log: list[Any], job: Job) -> ev.ProcessGenerator:
    job.done += 1
    yield ev.hold(job.size)
    log.append(job.done)


@pytest.mark.slow
def test_objects_that_are_handed_over_may_be_gone_when_the_function_has_ended() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        jobs, rng, log = ev.Store(sim), Random(6), list[Any]()

        def source() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(rng.expovariate(2.0))
                yield jobs.put(Job(rng.random()))

        def worker() -> ev.ProcessGenerator:
            while True:
                job = yield jobs.get()
                note(log, job, sim.time)
                yield from handled(log, job)
                job = None
                gc.collect()
                yield ev.hold(0.125)

        for story in (source(), worker(), worker()):
            sim.process(story)
        for end in range(1, 80):
            sim.run(until=0.5 * end)
            log.append([process.why_waiting() for process in sim.processes])
        return log

    expected, sim = run(simulation(False)), simulation("auto")
    assert run(sim) == expected


def test_who_has_not_called_a_function_yet_returns_without_its_arguments() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        parts, rng, log = [Job(0.5), Job(0.25), Job(1.0)], Random(6), list[Any]()

        def worker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(rng.expovariate(1.0))
                for part in parts:
                    yield ev.hold(part.size)
                    if sim.time > 30.0:
                        note(log, part, sim.time)
                        yield from handled(log, part)

        for _ in range(3):
            sim.process(worker())
        for end in range(1, 80):
            sim.run(until=0.75 * end)
            log.append([process.why_waiting() for process in sim.processes])
        return log

    expected, sim = run(simulation(False)), simulation("auto")
    assert run(sim) == expected
    assert taken(sim) > 10


class Ball(ev.Process):
    """One that calls a method of the library in a statement that Python executes."""

    def run(self) -> ev.ProcessGenerator[None]:
        while True:
            yield ev.hold(1.0)
            if self.sim.time > 20.0:
                self.cancel()


def test_a_call_of_the_library_leaves_nothing_to_ask_of_each_object() -> None:
    facts = []
    for count in (4, 40):
        sim = simulation("auto")
        for _ in range(count):
            Ball(sim).activate()
        sim.run(until=10.0)
        assert taken(sim) > 4 * count
        assert sim._migration is not None
        noted: set[tuple[int, str]] = set()
        sim._migration._assumptions.note = noted.update  # type: ignore[method-assign]  # what each row relies on
        sim.run(until=15.0)
        facts.append(len(noted))
    assert facts[0] == facts[1] > 0
