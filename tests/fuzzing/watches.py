"""Random programs of processes and handlers that wait for conditions which events alone change, or time.

They are programs as those of `errands.py`, in whose statements fields, flags, levels, stocks and queues change as well.
"""

from __future__ import annotations

from random import Random

from fuzzing.errands import HANDED, Errands, Writer, breaker

WORLD = """class Box:
    def __init__(self):
        self.n, self.x, self.flag, self.word = 0, 0.5, False, "idle"

    def is_open(self):
        return self.flag or self.n > 3


class Post{base}:
    n: int = 0
    flag: bool = True


box, items, posts = Box(), [], []


def is_ready():
    return box.flag and load.value > 0
"""


class WatchWriter(Writer):
    """Writes one generator function that waits for conditions.

    is_timed    whether some conditions are of the time as well, and has_drift of what moves
    is_quiet    whether most processes do not wait for conditions, which read numbers of a plain object
    common      what many of one program wait for
    waits       whether this one does
    """

    def __init__(self, chance: Random, name: str, kids: int, depth: str, seed: int) -> None:
        super().__init__(chance, name, kids, depth, is_patient=seed % 3 == 0)
        self.is_timed, self.has_drift = seed % 5 == 4, seed % 7 < 3
        self.is_quiet, self.waits = seed % 4 > 1 and seed % 3 == 2, True
        self.chance, self.common = Random(f"common {seed}"), []
        self.common = [self.simple() for _ in range(3)]
        self.chance = chance

    def simple(self) -> str:
        """A condition on one thing."""
        if self.common and self.chance.random() < 0.5:
            return self.one(*self.common)
        if self.is_quiet and self.chance.random() < 0.9:
            return self.one(
                "box.flag", "not box.flag", "box.n >= 2", "box.n % 3 == 1", "box.x > 1.0", "box.word == 'busy'"
            )
        return self.one(
            "box.flag", "box.flag", "not box.flag", "box.n >= 2", "box.n % 3 == 1", "box.n > n", "box.x > 1.0",
            "box.x < x", "box.word == 'busy'", "post.n >= 2", "post.flag", "not post.flag", "post.n != box.n",
            "load.value > 1", "load.value == n", "load.value <= 0", "desk0.available > 0", "desk1.available",
            "desk0.in_use.value < 2", "desk1.in_use.value", "len(desk0.waiting) > 0", "not desk1.waiting",
            "len(line) > 1", "line.empty", "line.length.value == 1", "tank.amount >= 2", "tank.level.value < 2",
            "len(items) > 2", "items", "items and items[-1] > 0.5",
        )  # fmt: skip

    def condition(self) -> str:
        """What is called between events."""
        parts = [self.simple() for _ in range(self.one(1, 1, 1, 2, 3))]
        if self.is_timed and self.chance.random() < 0.3:
            parts.insert(0, f"sim.time >= {self.chance.randrange(80) / 8.0}")
        if self.has_drift and self.chance.random() < 0.2:
            parts.insert(0, self.one("drift.y > 0.5", "drift.y < 900.0", "drift.y >= sim.time"))
        if self.chance.random() < 0.1:
            return self.one("box.is_open", "is_ready", "lambda k=n: box.n > k", "lambda: any(p.flag for p in posts)")
        return "lambda: " + self.one(" and ", " and ", " or ").join(parts)

    def until(self) -> str:
        """A wait for one."""
        rank = self.one("", "", "", ", priority=1.0", ", priority=-1", ", prior=True", ", priority=n")
        return f"ev.until({self.condition()}{rank})"

    def change(self) -> list[str]:
        """What may make some conditions true or false; some both within one event."""
        return self.one(
            ["box.flag = not box.flag"], ["box.flag = True"], ["box.flag = False"], ["box.flag = n == 1"],
            ["box.n += 1"], ["box.n = 0"], ["box.n += 1", "box.flag = True"], ["box.n, box.x = n, x"], ["box.x = x"],
            ["box.word = 'busy'"], ["box.word = 'idle' if box.flag else 'busy'"],
            ["post.n += 1"], ["post.flag = not post.flag"], ["post.n = 0"], ["post.n, post.flag = box.n, box.flag"],
            ["load.change(1)"], ["load.set(n)"], ["load.change(-1)"], ["load.set(0)"],
            ["line.into(n)"], ["line.into(n + 7)"], ["if len(line) > 0:", "    line.out(line.first)"],
            ["items.append(x)"], ["if items:", "    items.pop()"], ["items.clear()"],
            ["box.flag = True", "box.flag = False"], ["load.change(5)", "load.change(-5)"],
            ["box.n += 9", "box.n -= 9"],
            ["box.flag = True", "yield ev.hold(0.0)", "box.flag = False"],
            ["box.flag, post.flag, box.n = True, True, 2"], ["seen.append(1.0 * box.n + load.value)"],
        )  # fmt: skip

    def deeds(self, most: int) -> list[str]:
        """Some such changes without a wait between them."""
        changes = [self.change() for _ in range(self.chance.randint(1, most))]
        return [line for lines in changes if not any("yield" in one for one in lines) for line in lines]

    def moved(self) -> list[str]:
        """Something is put into the tank or taken out, perhaps in vain."""
        what = f"tank.{self.one('put', 'get')}({self.one('1', '1', '2', '3')})"
        if self.chance.random() < 0.3:
            return [f"yield {what}"]
        name = f"got{self.inner}"
        told = self.one(
            f"log.append(({name}.name, {name}.value, sim.time))", f"seen.append(float({name}.name == 'late'))"
        )
        return [f"{name} = yield ev.first_of(done={what}, late=ev.hold({self.one('0.5', '1.0', '0.0')}))", told]

    def awaited(self) -> list[str]:
        """A wait for a condition, or for the first of several things."""
        kind, name = self.chance.random(), f"got{self.inner}"
        if kind < 0.5:
            return [f"yield {self.until()}", "seen.append(sim.time)"]
        if kind < 0.6:
            return [f"ok = yield {self.until()}", f"log.append(({self.name!r}, ok, sim.time, box.n, load.value))"]
        late = f"late=ev.hold({self.one('0.25', '0.5', '1.0', '0.0', 'rng.expovariate(1.0)')})"
        parts = [f"one={self.until()}", late] + ([f"other={self.until()}"] if kind > 0.8 else [])
        self.chance.shuffle(parts)
        told = self.one(
            [f"log.append(({name}.name, sim.time))"], [f"if {name}.name == 'late':", "    seen.append(-1.0)"],
            [f"if {name}.name != 'one':", *self.indented(1)], [f"seen.append(float({name}.value is None))"],
        )  # fmt: skip
        return [f"{name} = yield ev.first_of({', '.join(parts)})", *told]

    def statement(self) -> list[str]:
        kind = self.chance.random()
        if not self.waits and kind > 0.1:
            return super().statement()
        if kind < 0.3:
            return self.change()
        if kind < 0.55:
            return self.awaited()
        if kind < 0.62:
            return self.moved()
        return super().statement()

    def function(self, body: list[str]) -> str:
        return super().function(["post = posts[n % 2]", *body])


def handlers(writer: WatchWriter, count: int) -> str:
    """The text of a class with handlers, which change what others wait for."""
    lines = ["class Alarm(ev.Continuous):", "    fired: int = 0"]
    for k in range(count):
        condition = writer.simple().replace("post", f"posts[{k % 2}]").replace("> n", "> 1").replace("== n", "== 1")
        condition = condition.replace("< x", "< 0.4")
        body = [line.replace("post.", f"posts[{k % 2}].") for line in writer.deeds(2)]
        rank = writer.one("", "", ", priority=1.0", ", priority=-2.0", ", at_start=True")
        lines += [
            "", f"    @ev.when(lambda self: {condition}{rank})", f"    def event{k}(self):", "        self.fired += 1",
            "        n, x = self.fired % 3, 0.25 * self.fired",
            writer.one(f"        log.append(('event{k}', self.sim.time))", "        seen.append(self.sim.time)"),
            *(f"        {line}" for line in body),
        ]  # fmt: skip
    return "\n".join([*lines, ""])


def watches(seed: int) -> Errands:
    """The program of a seed."""
    chance = Random(f"watches {seed}")
    kids, is_cut = chance.randint(1, 2), seed % 2 == 1
    is_plain = seed % 4 == 2
    texts = [WORLD.replace("{base}", "" if is_plain else "(ev.Continuous)")]  # which conditions can tell apart
    if has_handlers := seed % 4 < 2:
        texts.append(handlers(WatchWriter(chance, "", kids, "0", seed), chance.randint(1, 3)))
    for k in range(kids):
        writer = WatchWriter(chance, f"kid{k}", kids, "n - 1", seed)
        texts.append(writer.function([*writer.block(4), writer.hold()]))
    for k in range(3):
        writer = WatchWriter(chance, f"story{k}", kids, "n % 2", seed)
        writer.inner, writer.waits = 1, not writer.is_quiet or k == 0
        round_ = [
            writer.hold(),
            *writer.block(3),
            *(writer.awaited() if writer.waits and chance.random() < 0.7 else writer.change()),
        ]
        round_ = writer.tried(round_) if is_cut and k < 2 else round_
        rounds = writer.one("{}", "{}", "iter({})").format(f"range({chance.randint(10, 40)})")  # or it is Python's
        texts.append(writer.function([f"for m in {rounds}:", *(f"    {line}" for line in round_)]))
    most = chance.randint(3, 7)
    calls = [f"    p{k} = sim.process(story{k % 3}({HANDED}, {k}, {0.5 * k!r}))" for k in range(most)]
    if is_cut:
        texts.append(breaker(chance))
        calls += [f"    sim.process(breaker({HANDED}, {k}, 1.0, p{k}))" for k in range(chance.randint(1, 2))]
    if has_handlers:
        calls.insert(chance.randrange(2), "    Alarm(sim).start()")
    post = "Post()" if is_plain else "Post(sim).start()"
    head = [f"def begin({HANDED}):", f"    posts[:] = [{post}, {post}]"]
    writer, end = WatchWriter(chance, "between", kids, "n % 2", seed), chance.choice([4.0, 12.5, 30.0])
    deeds = (f"    {line}" for line in writer.deeds(3))
    acts = [f"def between({HANDED}):", "    n, x, post = 1, 0.75, posts[0]", *deeds]
    texts += ["\n".join([*head, *calls, ""]), "\n".join([*acts, ""])]
    pauses = tuple(sorted(chance.choice([0.5, 1.0, 0.3, 0.75]) * end for _ in range(seed % 3)))
    units = (chance.randint(2, 3), chance.randint(2, 3))
    return Errands(seed, end, "\n\n".join(texts), units, pauses, has_drift=seed % 7 < 3)
