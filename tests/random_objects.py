"""Random models of processes that make objects of a class, whose stories run in rows before there are the objects."""

from __future__ import annotations

import re
from random import Random

from random_bodies import HEAD, MEDDLER
from random_queues import SURVEYOR
from random_spawning import WATCHER, Kid, Making

SHARED = ("sim", "rng", "stream", "log", "seen", "first", "second")


class MakingObjects(Making):
    """Writes one generator function that makes objects, and other processes."""

    def text(self) -> str:
        text = super().text()
        return text.replace("m += 1\n", f"m += 1\n        if m % 4 == 1:\n            {self.object()}\n", 1)

    def on_making(self) -> list[str]:
        if self.chance.random() < 0.5:
            return super().on_making()
        text = self.object()
        if self.chance.random() < 0.4:
            more = self.one("", ", n", ", units=2", ", resume=True", ", priority=n", ", 1.5")
            text = f"sim.process({self.one('first', 'second')}.use({self.float()}{more}))"
        elif self.chance.random() < 0.08:
            text = f"log.append({text}.name)"
        return [text] if not self.guard else [f"if {self.guard}:", f"    {text}"]

    def test(self) -> str:
        one = self.one("first", "rng", "x", "None", "n")
        plain = super().test()
        return (
            plain
            if self.chance.random() < 0.7
            else f"{one} is {self.one('', 'not ')}None {self.one('and', 'or')} {plain}"
        )

    def object(self) -> str:
        """A call that makes an object and activates it."""
        fields = [f"{name}={name}" for name in SHARED[1:]]
        fields.append(f"n={self.depth_of}")
        if self.chance.random() < 0.8:
            fields.append(f"x={self.float()}")
        if self.chance.random() < 0.5:
            fields.append(f"late={self.one('True', 'False', f'{self.chance.choice(self.floats)} > 1.0')}")
        if self.chance.random() < 0.15:
            fields.append(
                self.one(
                    "name='known'",
                    "y=2",
                    "word=None",
                    "name=f'{int(9.0 * rng.random())} drawn'",
                    f"name=f'{{{self.depth_of} + 1}}.'",
                    f"name=f'{{{self.depth_of}}} of them'",
                )
            )
        self.chance.shuffle(fields)
        return f"Guest(sim, {', '.join(fields)}).activate()"


class Guest(MakingObjects, Kid):
    """Writes the class of these objects."""

    depth_of = "n - 1"
    guard = "n > 0"

    def statement(self) -> list[str]:
        if self.chance.random() < 0.85:
            return super().statement()
        number = self.one("self.mark", "self.mark", "self.x", "self.y", "self.told")
        return [
            self.one(
                f"{number} = {self.real()}",
                f"{number} {self.one('+', '-')}= {self.float()}",
                f"self.late = {self.test()}",
                f"self.count = {self.whole()}",
                "self.x, self.y = self.y, self.x",
            )
        ]

    def text(self) -> str:
        self.truths.append("self.late")
        self.floats += ["self.x", "self.y"]
        begin = ["self.mark = self.sim.time"] if self.chance.random() < 0.7 else []
        begin += ["self.told: float = self.half()"] if self.chance.random() < 0.3 else []
        self.floats += ["self.mark"] if begin and self.chance.random() < 0.9 else []
        body = [*begin, *self.block(3), self.hold()]
        if self.chance.random() < 0.4:
            body.insert(self.chance.randrange(len(body)), "HOLD")
        body = [line for line in body if line != "HOLD" or body[0] != line]
        if self.chance.random() < 0.3:
            body += [self.one("self.y = self.sim.time", "self.x += 1.0", "log.append(self.name)"), "yield ev.hold(0.5)"]
        lines = "\n".join(f"        {line}" for line in body if line != "HOLD")
        for name in SHARED:
            lines = re.sub(rf"(?<![\w.]){name}\b(?!=|')", f"self.{name}", lines)
        lines = lines.replace("Guest(self.sim", "Guest(self.sim")
        fields = "".join(f"    {name}: object\n" for name in SHARED[1:])
        more = "    n: int\n    x: float = 0.75\n    y: float = 1.25\n    late: bool = False\n    word: object = None\n"
        helper = "    def half(self):\n        return 0.5 * self.x\n"
        story = f"    def run(self):\n        n, x, y = self.n, self.half(), self.y\n{lines}\n"
        return f"class Guest(ev.Process):\n{fields}{more}\n{helper}\n{story}"


def program(seed: int, acts: int, looks: int, glances: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    stories = [MakingObjects(chance, f"story{k}").text() for k in range(2)]
    kids = [Kid(chance, f"kid{k}").text() for k in range(3)]
    guest = Guest(chance, "guest").text()
    said = f"ACTS = {acts}\nLOOKS = {looks}\nGLANCES = {glances}"
    hidden = 'HIDDEN += ("turn", "first", "second", "self")\n'
    return "\n\n".join([HEAD, guest, *kids, *stories, said, MEDDLER, SURVEYOR, hidden, WATCHER])
