"""Random programs of processes alone: they hold, draw, queue for units, give up, make, join and interrupt each other.

A program is the text of a module. What it calls, `ev`, `sim`, the desks and a level, `load`, is eventide's or the
reference's (`errand_reference.py`), which carries out the same text by a loop of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")
HANDED = "sim, rng, log, seen, desk0, desk1"
"""What every process is given."""


@dataclass(frozen=True)
class Errands:
    """A program.

    text        of its functions and of `begin`, which makes the first processes
    units       of its two desks
    pauses      when a run ends and `between` acts before the next one
    has_drift   whether something moves beside
    """

    seed: int
    end: float
    text: str
    units: tuple[int, int]
    pauses: tuple[float, ...] = ()
    has_drift: bool = False


class Writer:
    """Writes one generator function.

    depth       how the number of generations that may follow is told to what is made
    is_patient  whether nobody leaves a line before his turn
    """

    def __init__(self, chance: Random, name: str, kids: int, depth: str, *, is_patient: bool) -> None:
        self.is_patient = is_patient
        self.chance = chance
        self.name = name
        self.kids = kids
        self.depth = depth
        self.inner = 0

    def function(self, body: list[str]) -> str:
        """The text of it."""
        return "\n".join([f"def {self.name}({HANDED}, n, x):", *(f"    {line}" for line in body), ""])

    def one(self, *texts: T) -> T:
        return self.chance.choice(texts)

    def real(self) -> str:
        """A number."""
        return self.one(
            "x", "x", "0.5 * x", "x + 0.25", "min(x, 3.0)", "rng.random()", "sim.time", "float(n)", "1.5",
            "abs(x - 2.0)", "max(0.25, x - n)",
        )  # fmt: skip

    def test(self) -> str:
        return self.one("x > 1.0", "n == 1", "rng.random() < 0.5", "x < sim.time", "not n % 2", "x > 0.5 and n > 0")

    def hold(self) -> str:
        """A hold; many end at the same times as others."""
        length = self.one(
            "0.25", "0.5", "0.5", "1.0", "0.0", "rng.expovariate(1.5)", "rng.uniform(0.25, 1.5)", "min(abs(x), 2.0)",
        )  # fmt: skip
        return f"yield ev.hold({length})"

    def call(self) -> str:
        """A process that is made."""
        return f"sim.process(kid{self.chance.randrange(self.kids)}({HANDED}, {self.depth}, {self.real()}))"

    def block(self, most: int) -> list[str]:
        """Some statements."""
        return [line for _ in range(self.chance.randint(1, most)) for line in self.statement()]

    def indented(self, most: int) -> list[str]:
        self.inner += 1
        lines = [f"    {line}" for line in self.block(most)]
        self.inner -= 1
        return lines

    def tried(self, lines: list[str]) -> list[str]:
        """The same, where an interrupt is handled."""
        told = self.one(
            "seen.append(cut.left or -2.0)",
            "log.append(('cut', sim.time, cut.cause, cut.left))",
            "seen.append(sim.time)",
            "x = 0.25",
        )
        handled = [told]
        if self.chance.random() < 0.3:  # a wait there may be interrupted as well
            handled += ["try:", f"    {self.hold()}", "except ev.Interrupt:", "    pass"]
        parts = ("try:", lines), ("except ev.Interrupt as cut:", handled)
        return [text for head, body in parts for text in (head, *(f"    {line}" for line in body))]

    def leaving(self, desk: str, given: str, name: str) -> list[str]:
        """A request that is given up after some time."""
        length = self.one("0.25", "0.5", "0.5", "1.0", "0.0", "x if x > 0.0 else 0.25", "rng.expovariate(1.5)")
        got, left = (
            f"got{self.inner}",
            self.one("seen.append(sim.time)", f"log.append(('left', sim.time, {length[:3]!r}))"),
        )
        if self.chance.random() < 0.5:
            wait = self.one(f"served={name}, gave_up=ev.hold({length})", f"gave_up=ev.hold({length}), served={name}")
            told = self.one(f"if not {name}.granted:", f"if {got}.name == 'gave_up':", f"if {got}.name != 'served':")
            wait = f"    {got} = yield ev.first_of({wait})" if "got" in told else f"    yield ev.first_of({wait})"
            after = self.indented(2)
            inner = [wait, f"    {told}", f"        {left}", "    else:", *(f"    {line}" for line in after)]
            return [f"with {desk}.request({given}) as {name}:", *inner]
        asked = f"served={desk}.request({given})"
        wait = self.one(f"{asked}, gave_up=ev.hold({length})", f"gave_up=ev.hold({length}), {asked}, never=9.0")
        block = [f"with {got}.value:", *self.indented(2)]
        tests = [f"if {got}.name == 'served':", *(f"    {line}" for line in block), "else:", f"    {left}"]
        return [f"{got} = yield ev.first_of({wait})", *tests]

    def counting(self) -> list[str]:
        """A change of the level that all see."""
        return self.one(
            ["load.change(1)"], ["load.change(n)"], ["load.set(n)"], ["load.set(2)"], ["seen.append(1.0 * load.value)"],
            ["if load.value > 0:", "    load.change(-1)"], ["x = 0.5 * load.value"],
        )  # fmt: skip

    def statement(self) -> list[str]:
        if not self.is_patient and self.chance.random() < 0.15:
            return self.counting()
        chance, desk = self.chance.random(), self.one("desk0", "desk1")
        if chance < 0.25 or (self.inner > 2 and chance > 0.6):
            return [self.hold()]
        if chance < 0.45:
            return [f"seen.append({self.real()})"]
        if chance < 0.5:
            return [f"log.append(({self.name!r}, sim.time, n, {self.real()}))"]
        if chance < 0.6:
            return [self.one("x = ", "x += ", "x = 0.5 * x + ") + self.real()]
        if chance < 0.7:
            return [f"if {self.test()}:", *self.indented(2), *(["else:", *self.indented(2)] if chance < 0.65 else [])]
        if chance < 0.75:
            return [f"for i{self.inner} in range({self.chance.randint(0, 3)}):", *self.indented(2)]
        if chance < 0.88:
            given = self.one("", "", "", "1.0", "priority=2", "-0.5", "0.0, 1", "units=2")
            name = f"u{self.inner}"
            if not self.is_patient and self.chance.random() < 0.7:
                return self.leaving(desk, given, name)
            return [f"with {desk}.request({given}) as {name}:", f"    yield {name}", *self.indented(2)]
        if chance < 0.9:
            return [f"yield from {desk}.use({self.one('0.5', '0.75', 'rng.random()')})"]
        if chance < 0.92:
            return [self.one("log.append([p.name for p in sim.processes])", f"log.append(len({desk}.waiting))")]
        made = [self.call()] if chance < 0.97 else self.joined(self.call())
        return made if self.depth != "n - 1" else ["if n > 0:", *(f"    {line}" for line in made)]

    def joined(self, call: str) -> list[str]:
        """A process that is made and waited for, and what is done with its answer."""
        own = Random(f"{self.name} {call}")  # so that all else of a program stays what it is
        pause = f"yield ev.hold({own.choice(['0.25', '0.5', '2.0', 'rng.random()'])})"
        told = own.choice(["seen.append(-1.0 if back is None else back)", "log.append(('back', sim.time, back))"])
        return own.choice([
            [f"yield {call}"],
            [f"back = yield {call}", told],
            [f"one = {call}", f"two = {call}", "yield two", "back = yield one", told],
            [f"one = {call}", pause, "back = yield one", told],
        ])  # fmt: skip

    def answer(self) -> list[str]:
        """What a process returns."""
        own = Random(f"{self.name} of {self.kids} {self.depth}")
        return [f"return {own.choice(['x', '0.5 * x', 'float(n)', 'sim.time'])}"] if own.random() < 0.7 else []


def breaker(chance: Random) -> str:
    """The text of a process that interrupts another."""
    lines = (
        f"def breaker({HANDED}, n, x, other):",
        f"    for m in range({chance.randint(3, 20)}):",
        f"        yield ev.hold({chance.choice(['0.5', '1.0', '1.25', 'rng.expovariate(1.0)'])})",
        "        try:",
        f"            other.interrupt({chance.choice(['m', 'n', 'None', 'x'])})",
        "        except ev.ModelError:",
        "            seen.append(-1.0)",
        "",
    )
    return "\n".join(lines)


def errands(seed: int) -> Errands:
    """The program of a seed."""
    chance = Random(f"errands {seed}")
    kids, is_cut, is_patient = chance.randint(1, 3), seed % 2 == 1, seed % 3 != 2
    texts = [
        writer.function([*writer.block(4), writer.hold(), *writer.answer()])
        for writer in (Writer(chance, f"kid{k}", kids, "n - 1", is_patient=is_patient) for k in range(kids))
    ]
    for k in range(2):
        writer = Writer(chance, f"story{k}", kids, "n % 2", is_patient=is_patient)
        writer.inner = 1
        round_ = [writer.hold(), *writer.block(3), *([writer.call()] if chance.random() < 0.8 else [])]
        round_ = writer.tried(round_) if is_cut else round_
        texts.append(writer.function([f"for m in range({chance.randint(10, 40)}):", *(f"    {s}" for s in round_)]))
    most = chance.randint(2, 6)
    calls = [f"    p{k} = sim.process(story{k % 2}({HANDED}, {k}, {0.5 * k!r}))" for k in range(most)]
    if is_cut:
        texts.append(breaker(chance))
        calls += [f"    sim.process(breaker({HANDED}, {k}, 1.0, p{k}))" for k in range(chance.randint(1, most))]
    text = "\n\n".join([*texts, "\n".join([f"def begin({HANDED}):", *calls, ""])])
    return Errands(seed, chance.choice([4.0, 12.5, 30.0]), text, (chance.randint(2, 3), chance.randint(2, 4)))
