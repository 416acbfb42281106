"""Random programs of processes whose variables, arguments and attributes are words, and that draw here and there.

Words are texts, members of enumerations and None. Draws are of `random.Random` and of numpy's generators, some in one
branch of an expression only, some for what cannot be done. They are programs as those of `errands.py`.
"""

from __future__ import annotations

from random import Random

from fuzzing.errands import HANDED, Errands, Writer, breaker

WORLD = """import enum
import math


class Mood(enum.Enum):
    CALM = 1
    BUSY = 2
    LOST = 3


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Place:
    def __init__(self, kind):
        self.kind, self.mood, self.owner, self.count, self.share = kind, Mood.CALM, None, 0, 0.5


KINDS, CHOICES, MOODS = ("small", "red", "odd"), ["odd", "small", "red", "large"], (Mood.BUSY, Mood.LOST, None)
TIMES = {"small": 0.5, "red": 1.0, "odd": 0.25, None: 0.75}
COSTS = {Mood.CALM: 0.5, Mood.BUSY: 1.5, Mood.LOST: 0.25, "red": 2.0}
GAPS = [0.5, 0.25, 1.5]
served = {word: 0 for word in ("small", "red", "odd", "large", "blue", None, *Mood)}
places = [Place("small"), Place("odd")]


def drawn(rng):
    return "red" if rng.random() < 0.5 else None


def later(rng, word):
    yield ev.hold(0.25)
    return Mood.LOST if rng.random() < 0.25 else word
"""


class WordWriter(Writer):
    """Writes one generator function."""

    def label(self) -> str:
        """A variable or attribute that is a word."""
        return self.one("k", "s", "w", "here.kind", "here.mood", "here.owner")

    def constant(self) -> str:
        """A word."""
        return self.one("'small'", "'red'", "'odd'", "Mood.BUSY", "Mood.CALM", "None", "Colour.RED", "Colour.BLUE")

    def word(self) -> str:
        """What gives one."""
        return self.one(
            self.constant(), self.constant(), self.label(), self.label(), "KINDS[n % 3]", "CHOICES[n % 4]",
            "rng.choice(KINDS)", "rng.choice(CHOICES)", "rng.choice(MOODS)", "drawn(rng)", "CHOICES[rg.integers(4)]",
            f"({self.constant()} if {self.test()} else {self.label()})", f"({self.label()} or {self.constant()})",
            f"(rng.choice(KINDS) if {self.test()} else {self.constant()})",
        )  # fmt: skip

    def test(self) -> str:
        one, constant = self.label(), self.constant()
        sure = self.one("n > 0", "x > 1.0", f"{one} == {constant}", f"{one} is None", "here.count % 2 == 1")
        rare = self.one("rg.random() < 0.25", "rng.random() < 0.5", "rg.integers(3) == 1", "rng.randrange(2)")
        if self.inner > 5:
            return super().test()
        return self.one(
            f"{one} == {constant}", f"{one} == {constant}", f"{one} == {constant}", f"{one} != {constant}",
            f"{one} != {constant}", f"{one} == {self.label()}", f"{one} is None",
            f"{one} is not {self.one('None', 'Mood.BUSY', 'w')}", f"{one} in ({constant}, {self.constant()})",
            f"{one} not in KINDS", f"{one} in TIMES", one, f"not {one}", f"{sure} and {rare}", f"{sure} or {rare}",
            f"{sure} and not {rare} and rng.random() < 0.75", super().test(),
        )  # fmt: skip

    def real(self) -> str:
        if self.chance.random() < 0.4:
            return super().real()
        return self.one(
            f"TIMES.get({self.label()}, 0.75)", f"COSTS.get({self.label()}, 1.25)", "here.share", "rng.choice(GAPS)",
            f"(TIMES[k] if k in TIMES else {self.draw()})", f"({self.draw()} if n > 0 else x)",
            f"(x if x > 1.0 else {self.draw()})", f"(1.0 if {self.constant()} == w else {self.draw()})",
            f"min(x, {self.draw()})", f"math.sqrt({self.draw()})", self.draw(), "served[Mood.BUSY] * 0.25",
        )  # fmt: skip

    def draw(self) -> str:
        """A number that is not negative."""
        return self.one(
            "rng.random()", "rng.expovariate(1.5)", "rng.uniform(0.25, x + 1.0)", "rng.triangular(0.0, 2.0, 0.5)",
            "abs(rng.gauss(1.0, 0.5))", "rg.random()", "rg.exponential(0.5)", "rg.uniform(0.25, 1.5)",
            "abs(rg.normal(1.0, 0.25))", "rg.gamma(2.0, 0.25)", "float(rg.integers(1, 4))", "rg.poisson(1.5) * 0.5",
            "rng.randint(0, 3) * 0.5", "rng.lognormvariate(0.0, 0.25)", "rg.triangular(0.0, 0.5, 2.0)",
        )  # fmt: skip

    def hold(self) -> str:
        if self.chance.random() < 0.4:
            return super().hold()
        length = self.one(
            "TIMES.get(k, 0.5)", "TIMES[here.kind] if here.kind in TIMES else 0.25", "COSTS.get(here.mood, 0.5)",
            "rg.exponential(0.75)", "0.25 if n > 1 else rg.uniform(0.25, 1.0)", "rng.choice(GAPS)",
            "min(x, 2.0) if x > 0.0 else rng.random()", f"0.5 if {self.label()} is None else 1.0",
        )  # fmt: skip
        return f"yield ev.hold({length})"

    def call(self) -> str:
        given = self.one("", f", {self.word()}", f", w={self.label()}")
        return f"sim.process(kid{self.chance.randrange(self.kids)}({HANDED}, {self.depth}, {self.real()}{given}))"

    def tanked(self) -> list[str]:
        """What may be more than there can ever be, or less than nothing."""
        amount = self.one(
            "rng.choice([1, 2, 9])", "rng.randint(0, 5)", "rng.randrange(-1, 3)", "int(rg.integers(1, 6))",
            "9 if w == 'odd' and rng.random() < 0.25 else 1",
        )  # fmt: skip
        what = f"tank.{self.one('put', 'get')}({amount})"
        wait = self.one(
            f"yield {what}", f"yield ev.first_of(late=ev.hold(0.5), done={what})", f"x = 0.25 * (yield {what})"
        )
        told = self.one("seen.append(-3.0)", "log.append(('refused', sim.time, rng.random()))", "k = None")
        return ["try:", f"    {wait}", "except ev.ModelError:", f"    {told}"]

    def statement(self) -> list[str]:
        kind = self.chance.random()
        if kind < 0.3:
            name, place = self.one("k", "s", "w"), self.one("here.kind", "here.mood", "here.owner")
            return self.one(
                [f"{name} = {self.word()}"], [f"{place} = {self.word()}"], [f"{name}, {place} = {self.word()}, {name}"],
                [f"{name} = yield from later(rng, {self.label()})"],
                [f"here.owner = {name} if {self.test()} else None"],
            )  # fmt: skip
        if kind < 0.45:
            return self.one(
                [f"log.append((sim.time, {self.label()}, {self.word()}, n))"], [f"log.append({self.label()})"],
                [f"served[{self.one('w', 'k', 'here.kind', 'here.mood')}] += 1"], ["here.count += 1"],
                [f"here.share = {self.draw()}"], [f"TIMES['odd'] = {self.draw()}"], ["CHOICES[n % 4] = 'large'"],
                [f"if {self.test()}:", f"    x = {self.real()}"],
            )  # fmt: skip
        return self.tanked() if kind < 0.52 else super().statement()

    def function(self, body: list[str]) -> str:
        lines = ["k, s, here = w, Mood.CALM, places[n % 2]", *body]
        return "\n".join([f"def {self.name}({HANDED}, n, x, w='small'):", *(f"    {line}" for line in lines), ""])


def words(seed: int) -> Errands:
    """The program of a seed."""
    chance = Random(f"words {seed}")
    kids, is_cut = chance.randint(1, 2), seed % 3 == 1
    texts = [WORLD]
    for k in range(kids):
        writer = WordWriter(chance, f"kid{k}", kids, "n - 1", is_patient=seed % 2 == 0)
        texts.append(writer.function([*writer.block(4), writer.hold()]))
    for k in range(2):
        writer = WordWriter(chance, f"story{k}", kids, "n % 2", is_patient=seed % 2 == 0)
        writer.inner = 1
        round_ = [writer.hold(), *writer.block(5), *([writer.call()] if chance.random() < 0.4 else [])]
        round_ = writer.tried(round_) if is_cut else round_
        texts.append(writer.function([f"for m in range({chance.randint(20, 60)}):", *(f"    {s}" for s in round_)]))
    most = chance.randint(2, 5)
    calls = [f"    p{k} = sim.process(story{k % 2}({HANDED}, {k}, {0.5 * k!r}))" for k in range(most)]
    if is_cut:
        texts.append(breaker(chance))
        calls.append(f"    sim.process(breaker({HANDED}, 1, 1.0, p0))")
    text = "\n\n".join([*texts, "\n".join([f"def begin({HANDED}):", *calls, ""])])
    return Errands(seed, chance.choice([12.5, 30.0]), text, (chance.randint(2, 3), chance.randint(2, 4)))
