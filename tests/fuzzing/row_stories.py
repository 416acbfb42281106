"""Processes without end whose statements rows know: they hold, wait for states, queue, and join what they make."""

from __future__ import annotations

from fuzzing import model as m
from fuzzing.extras import Extras

DISTURBING = frozenset({
    "opaque", "opaque_conditions", "hidden_conditions", "lists", "relays", "two_comparisons", "input_conditions",
    "stock_conditions", "function_conditions", "computed_conditions", "crosses", "inputs", "clamps",
})  # fmt: skip
"""Features beside which Python has something to do between events, so that no process becomes a row."""


class RowStories(Extras):
    """Makes such processes."""

    def hold(self) -> m.Hold:
        """Some time."""
        raise NotImplementedError

    def parameter(self, path: m.Path) -> m.Statement:
        """A parameter gets another value of its range."""
        raise NotImplementedError

    def standing(self, process: m.Process) -> list[m.Statement]:
        """A process without end of waits and writes, each of which rows know."""
        body: list[m.Statement] = [self.hold()]
        for _ in range(self.random.randint(1, 3)):
            body += [*self.row_wait(process), self.row_note("row"), *self.row_deeds()]
        self.random.shuffle(body)
        begins = [m.Let(name, m.Num(self.some(-0.3, 0.3))) for name in ("best", "mark")] + [m.Let("count", m.Num(0))]
        return [*begins, m.Loop(m.FOREVER, body)]

    def row_note(self, word: str) -> m.Log:
        """A line of the log with what some object has."""
        return m.Log(self.label(word), [m.Read((self.random.choice(self.made.objects).name, "x"))])

    def row_test(self) -> m.Test:
        """A condition of states."""
        one, other = self.random.choice(self.made.objects), self.random.choice(self.made.objects)
        value: m.Expr = m.Read((one.name, "x"))
        if other is not one and self.chance(0.3):
            value = m.Bin("-", value, m.Bin("*", m.Num(0.5), m.Read((other.name, "x"))))
        level: m.Expr = m.Num(self.some(-0.5, 0.5))
        match self.random.randrange(5):
            case 0:
                level = m.Read((other.name, "level"))
            case 1:
                level = m.Bin("*", m.Num(0.7), m.Local("mark"))
        return m.Cmp(self.random.choice(("<", ">", "<=", ">=")), value, level)

    def row_wait(self, process: m.Process) -> list[m.Statement]:
        """A wait that rows know, with what is done within it."""
        kinds = ["hold", "until", "until"]
        kinds += ["desk"] * 2 if "desk" in self.made.resources else []
        kinds += ["race"] if self.has("first_of") else []
        match self.random.choice(kinds):
            case "until":
                rank = float(self.random.randint(-1, 1)) if self.has("priorities") else 0.0
                return [m.Until(self.row_test(), rank)]
            case "desk":
                inner = [self.hold() if self.chance(0.6) else m.Until(self.row_test(), 0.0), *self.row_deeds()]
                patience = self.some(0.2, 1.0) if self.has("patience") and self.chance(0.5) else None
                return [m.Use("desk", 0.0, patience, self.label("desk"), inner)]
            case "race":
                return [m.FirstOf(self.row_test(), self.some(0.2, 1.0), self.label("first"))]
        return [self.hold()]

    def row_deeds(self) -> list[m.Statement]:
        """What such a process does between two waits."""
        o = self.random.choice(self.made.objects)
        x, best, made = m.Read((o.name, "x")), m.Local("best"), []
        kind = self.made.classes[o.kind]
        if self.chance(0.5):
            made.append(self.parameter((o.name, self.random.choice(("k", "c", "level")))))
        if self.chance(0.3):
            low = 0.0 if kind.kind == "tank" else -0.4
            made.append(m.Assign((o.name, "x"), "+=", m.Num(self.some(low, 0.4))))
        if self.chance(0.4):
            made.append(m.Let("best", m.Call(self.random.choice(("min", "max")), [best, x])))
        if self.chance(0.3):
            made += [m.Let("count", m.Bin("+", m.Local("count"), m.Num(1)))]
            made += [m.Log(self.label("kept"), [best, m.Local("count")])]
        if self.chance(0.3):
            test = m.Cmp("<", x, m.Num(self.some(-0.5, 0.5)))
            made.append(m.If(test, [self.parameter((o.name, "k"))], [m.Let("best", m.Num(self.some(-0.5, 0.5)))]))
        if kind.wholes and self.chance(0.6):
            made.append(m.Assign((o.name, "n"), "+=", m.Num(self.random.randint(1, 3))))
        return made
