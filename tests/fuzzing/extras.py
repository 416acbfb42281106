"""What programs may have besides: vectors, inputs, whole numbers, numbers of the module, passages, local names."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

from fuzzing import model as m

X = m.Read(("x",))
"""What a function of the module is given."""


class Dice:
    """Draws of one program. features: what it is made of."""

    random: Random
    features: set[str]
    made: m.Program
    labels = 0
    bends: list[float]
    turns: list[float]
    """The times at which inputs jump or bend."""

    def label(self, word: str) -> str:
        """A label of the log that stands there once."""
        self.labels += 1
        return f"{word} {self.labels}"

    def has(self, *names: str) -> bool:
        """Whether the program has all of these features."""
        return self.features.issuperset(names)

    def chance(self, share: float) -> bool:
        """True so often."""
        return self.random.random() < share

    def some(self, low: float, high: float) -> float:
        """A number with few digits."""
        return round(self.random.uniform(low, high), 3)

    def threshold(self) -> m.Expr:
        """A level that states cross."""
        if self.has("module_numbers") and self.chance(0.3):
            return m.Global(self.random.choice(list(self.made.numbers)))
        return m.Num(self.some(-0.6, 0.6))


class Extras(Dice):
    """Makes what stands beside the rest."""

    def module(self) -> None:
        """Numbers and inputs of the module."""
        if self.has("module_numbers"):
            self.made.numbers = {f"G{k}": self.some(-0.5, 0.5) for k in range(2)}
        if self.has("inputs"):
            self.made.functions += [self.input(f"law_d{k}") for k in range(2)]

    def input(self, name: str) -> m.Function:
        """An input, and the formula that it is: jumps and bends of a function of time."""
        low, high, at = self.some(-0.7, 0.0), self.some(0.1, 0.8), self.some(0.2, 3.0)
        if self.chance(0.2):
            frequency, phase = self.some(0.1, 0.6), self.some(0.0, 3.0)
            turns = m.Bin("*", m.Num(2.0 * math.pi), m.Bin("*", m.Num(frequency), X))
            wave = m.Bin("*", m.Num(high), m.Call("sin", [m.Bin("+", turns, m.Num(phase))]))
            return m.Function(name, wave, f"ev.inputs.Sine({high!r}, {frequency!r}, {phase!r})")
        times = [at]
        for _ in range(3):
            times.append(round(times[-1] + self.some(0.3, 1.2), 3))
        levels = [self.some(-0.6, 0.6) for _ in times]
        steps = [later - sooner for sooner, later in pairwise(levels)]
        sort = self.random.randrange(5)
        self.bends += times[: (1, 2, 1, 4, 4)[sort]]
        match sort:
            case 0:
                return m.Function(name, jumps(low, [(at, high - low)]), f"ev.inputs.Step({at!r}, {high!r}, {low!r})")
            case 1:
                slope, end = self.some(-0.5, 0.5), times[1]
                value = jumps(low, [(at, slope), (end, -slope)], bends=True)
                return m.Function(name, value, f"ev.inputs.Ramp({slope!r}, {at!r}, {end!r}, {low!r})")
            case 2:
                period, width = self.some(0.8, 2.0), self.some(0.02, 0.6)
                begins = [at + k * period for k in range(int((self.made.end - at) / period) + 1)]
                found = [jump for t in begins for jump in ((t, high - low), (t + width, low - high))]
                text = f"ev.inputs.Pulse({period!r}, {at!r}, width={width!r}, high={high!r}, low={low!r})"
                return m.Function(name, jumps(low, found), text)
            case 3:
                value = jumps(levels[0], list(zip(times[1:], steps, strict=True)))
                return m.Function(name, value, f"ev.inputs.HeldTable({tuple(times)!r}, {tuple(levels)!r})")
        slopes = [0.0, *(step / (b - a) for step, (a, b) in zip(steps, pairwise(times), strict=True)), 0.0]
        found = [(t, after - before) for t, (before, after) in zip(times, pairwise(slopes), strict=True)]
        text = f"ev.inputs.LinearTable({tuple(times)!r}, {tuple(levels)!r})"
        return m.Function(name, jumps(levels[0], found, bends=True), text)

    def meeting(self) -> float:
        """A time at which an input jumps or bends, or a law by the time; 0 for none."""
        times = self.bends * self.has("meetings") + self.turns * self.has("turn_meetings")
        times = [time for time in times if time < self.made.end - 0.3]
        return self.random.choice(times) if times and self.chance(0.7) else 0.0

    def appointment(self, process: m.Process) -> list[m.Statement]:
        """A process waits first until something jumps or bends, and changes the model at that time."""
        time = self.meeting()
        wait: m.Statement = m.Hold(m.Num(time))
        if self.has("interrupts") and process.index == 0:
            wait = m.Guarded([wait], self.label("guarded"))
        if time == 0.0:
            return []
        return [wait, self.rates_at_turn() if time in self.turns else self.note_of("bend"), *self.deeds()]

    def rates_at_turn(self) -> m.Log:
        """A line of the log with the rates that a branch of a law changes at this time."""
        kinds = self.made.classes
        known = [(o.name, kinds[o.kind]) for o in self.made.objects if self.are_rates_known(kinds[o.kind])]
        return m.Log(self.label("turn"), [m.Rate((name, list(kind.states)[-1])) for name, kind in known])

    def note_of(self, word: str) -> m.Log:
        """A line of the log with what some object has."""
        raise NotImplementedError

    # --- classes ------------------------------------------------------------------------------------------------------

    def furnish(self, kind: m.Class) -> None:
        """Fields of a class besides those of all."""
        if self.has("wholes"):
            kind.wholes = {"n": self.random.randint(2, 9)}
        if self.has("differences"):
            kind.assigned = {"w": self.some(-0.5, 0.5)}
            size = self.random.choice((m.Read(("self", "level")), m.Bin("-", m.Read(("self", "c")), m.Num(0.25))))
            kind.drifts = [m.Law(("self", "w"), m.Bin("*", m.Num(self.some(-2.0, 2.0)), size))]
        if self.has("inputs") and self.chance(0.7):
            kind.functions["drive"] = f"law_d{self.random.randrange(2)}"
        if self.has("vectors") and self.chance(0.6):
            starts = [self.some(-0.8, 0.8) for _ in range(self.random.randint(2, 7))]
            kind.vector = m.Vector(starts, self.some(0.5, 4.0), m.Num(0.0), self.random.choice(m.VECTOR_STYLES))

    def read_extras(self, kind: m.Class) -> list[m.Expr]:
        """What laws of a class may read besides."""
        found: list[m.Expr] = [m.Global(name) for name in self.made.numbers]
        found += [m.Read(("self", name)) for name in kind.assigned for _ in range(2)]
        if kind.wholes:
            n = m.Read(("self", "n"))
            found += [
                m.Bin("*", m.Num(0.2), m.Bin("%", n, m.Num(self.random.randint(2, 5)))),
                m.Bin("*", m.Num(0.1), m.Bin("%", m.Bin("//", n, m.Num(2)), m.Num(7))),
                m.Bin("*", m.Num(0.05), m.Bin("%", m.Bin("**", n, m.Num(self.random.randint(2, 25))), m.Num(11))),
                m.Bin("/", m.Num(1), n),
            ]
        if kind.vector is not None:
            found += [self.item(("self",), kind), m.Total(("self", "u"), len(kind.vector.starts))]
        target = kind.references.get("mate")
        if target is not None and self.made.classes[target].vector is not None:
            found.append(self.item(("self", "mate"), self.made.classes[target]))
        return found

    def item(self, root: m.Path, kind: m.Class) -> m.Read:
        """An item of a vector."""
        assert kind.vector is not None
        return m.Read((*root, f"u[{self.random.randrange(len(kind.vector.starts))}]"))

    def passage(self, value: m.Expr, level: m.Expr) -> m.Test:
        """A passage of a value through a level."""
        return m.Crosses(value, level, self.random.choice(("up", "down", "either")))

    def whole(self, value: m.Expr) -> tuple[m.Expr, m.Expr]:
        """A whole number made of a value, or a remainder, and a level between two of its values."""
        scaled = m.Bin("+", m.Bin("*", m.Num(self.some(1.0, 5.0)), value), m.Num(self.some(-0.5, 0.5)))
        word = self.random.choice(("floor", "ceil", "round", "numpy", "//", "%", "%"))
        divisor = self.some(0.3, 1.5) if word in {"//", "%"} else 1.0
        level = self.random.randint(-2, 2) + 0.5
        return m.Whole(word, scaled, divisor), m.Num(round(self.some(0.2, 0.8) * divisor, 3) if word == "%" else level)

    def refill(self) -> m.Handler:
        """What keeps a tank from running empty, where its laws would have no value."""
        level, x = self.some(0.02, 0.1), m.Read(("self", "x"))
        read = m.Call("sqrt", [x]) if self.chance(0.4) else x
        body = [m.Log(self.label("refills"), [x]), m.Assign(("self", "x"), "+=", m.Num(self.some(0.4, 1.0)))]
        return m.Handler("refills", m.Cmp("<=", read, m.Num(round(level**0.5, 3) if read is not x else level)), body)

    def stops_objects(self) -> bool:
        """Whether objects are stopped as a whole."""
        return self.has("stops") or self.has("handler_stops", "references")

    def is_without_surface(self, kind: m.Class) -> bool:
        """Whether those to which an object refers may rest; who is moved while its handlers do may not slide."""
        target = kind.references.get("mate")
        return target is not None and self.made.classes[target].surface is None

    def are_rates_known(self, kind: m.Class) -> bool:
        """Whether rates are those of the laws: not along a surface, nor of what may rest."""
        return kind.surface is None and not self.has("freezes") and not self.stops_objects()

    def other_quantities(self, root: m.Path, kind: m.Class) -> list[m.Expr]:
        """What conditions may compare besides states and computed values; `root` leads to the object."""
        found: list[m.Expr] = [m.Read((*root, name)) for name in kind.assigned]
        if self.has("rate_conditions") and self.are_rates_known(kind):
            found.append(m.Rate((*root, list(kind.states)[-1])))
        if self.has("vector_conditions") and kind.vector is not None:
            found += [self.item(root, kind), m.Total((*root, "u"), len(kind.vector.starts))]
        if self.has("sum_conditions") and kind.sums:
            found.append(m.Read((*root, "total")))
        if self.has("function_conditions") and "law" in kind.functions:
            found.append(m.Apply((*root, "law"), m.Read((*root, "x"))))
        return found

    def stocks(self) -> list[str]:
        """What processes share, of which one can tell how much there is."""
        return [*self.made.resources, *self.made.stores, *self.made.tanks]

    def of_stock(self, stock: m.Stock, x: m.Expr) -> m.Test:
        """A condition on how much there is, alone or beside a state."""
        level = m.Num(self.random.randint(0, 2) + 0.5 if stock.name != "tank" else self.some(0.3, 1.7))
        value: m.Expr = m.Bin("+", stock, m.Bin("*", m.Num(self.some(-0.9, 0.9)), x)) if self.chance(0.4) else stock
        return m.Cmp(self.random.choice(("<", ">", "<=", ">=")), value, level)

    def is_driven(self, kind: m.Class) -> bool:
        """Whether a condition calls the input of a class."""
        return self.has("input_conditions") and "drive" in kind.functions and self.chance(0.6)

    def driven(self, path: m.Path) -> tuple[m.Expr, m.Expr]:
        """What a condition compares: the input of an object, alone or beside a state; `path` leads to the object."""
        drive, x = m.Apply((*path, "drive"), m.Time()), m.Read((*path, "x"))
        level = m.Num(self.some(-0.6, 0.6))
        match self.random.randrange(4):
            case 0:
                return drive, m.Read((*path, "level"))
            case 1:
                return x, drive
            case 2:
                return m.Bin("+", drive, m.Bin("*", m.Num(self.some(-0.9, 0.9)), x)), level
        return drive, level

    # --- what happens -------------------------------------------------------------------------------------------------

    def more_effects(self, path: m.Path, kind: m.Class) -> list[m.Statement]:
        """What events do to an object besides; `path` leads to it."""
        made: list[m.Statement] = []
        if kind.assigned and self.chance(0.5):
            made.append(m.Assign((*path, "w"), "=", m.Num(self.some(-0.5, 0.5))))
            made.append(m.Log(self.label("drift"), [m.Read((*path, "w"))]))
        if kind.wholes and self.chance(0.6):
            made.append(m.Assign((*path, "n"), "+=", m.Num(self.random.randint(1, 3))))
            if self.chance(0.3):
                made.append(m.Log(self.label("whole"), [m.Bin("%", m.Read((*path, "n")), m.Num(4))]))
        if self.has("exchanged_numbers") and self.made.numbers and self.chance(0.5):
            made.append(m.SetGlobal(self.random.choice(list(self.made.numbers)), m.Num(self.some(-0.5, 0.5))))
        if self.has("vector_writes") and kind.vector is not None and self.chance(0.6):
            item = self.random.randrange(len(kind.vector.starts))
            made.append(m.WriteItem((*path, "u"), item, m.Num(self.some(-0.4, 0.4))))
            if self.chance(0.5):
                made.append(m.Log(self.label("item"), [self.item(path, kind)]))
        return made

    def exchange(self, path: m.Path, kind: m.Class) -> m.Statement:
        """A function of a field is exchanged for another of its sort."""
        name = self.random.choice(list(kind.functions))
        others = [f.name for f in self.made.functions if f.name.startswith("law_d") == (name == "drive")]
        return m.Refer((*path, name), (self.random.choice(others),))

    def beginning(self) -> list[m.Statement]:
        """What a process does before its first wait."""
        o = self.random.choice(self.made.objects)
        made: list[m.Statement] = [m.Let("best", m.Read((o.name, "x"))), m.Let("count", m.Num(0))]
        if self.chance(0.5):
            test = m.Cmp("<", m.Read((o.name, "k")), m.Num(self.some(2.0, 5.0)))
            made.append(m.If(test, [m.Let("best", m.Num(self.some(-0.5, 0.5)))], []))
        if self.chance(0.4):
            made.append(m.Loop(3, [m.Let("count", m.Bin("+", m.Local("count"), m.Num(2)))]))
        return made

    def swinging(self, process: m.Process) -> list[m.Statement]:
        """A process without end that waits for an object to be high, then low: what is native code as a whole."""
        o = self.random.choice(self.made.objects)
        k = self.some(10.0, 40.0)
        if self.made.classes[o.kind].kind == "oscillator":
            o.numbers["k"] = k  # often enough that native code takes over
        high, low = self.some(0.05, 0.3), self.some(-0.3, -0.05)
        body: list[m.Statement] = []
        for op, level in ((">", high), ("<", low)):
            body.append(m.Until(m.Cmp(op, m.Read((o.name, "x")), m.Num(level)), 0.0))
            body += [m.Log(self.label("swings"), [m.Read((o.name, "x"))]), *self.deeds(process)]
            if self.has("locals"):
                body += self.remembering(o) if self.chance(0.4) else [m.Let("best", m.Read((o.name, "x")))]
        if self.has("locals") and self.chance(0.6):
            # What native code may have kept is read where only Python goes on.
            body += [m.Hold(m.Num(self.some(0.05, 0.4))), m.Log(self.label("kept"), [m.Local("best")])]
        return [*(self.beginning() if self.has("locals") else []), m.Loop(m.FOREVER, body)]

    def deeds(self, process: m.Process | None = None) -> list[m.Statement]:
        """What a process does to the model between two waits."""
        raise NotImplementedError

    def remembering(self, o: m.Object) -> list[m.Statement]:
        """What a process keeps in its local names, and does by them."""
        best, count, x = m.Local("best"), m.Local("count"), m.Read((o.name, "x"))
        made: list[m.Statement] = []
        if self.chance(0.6):
            made.append(m.Let("best", m.Call(self.random.choice(("min", "max")), [best, x])))
        if self.chance(0.4):
            made.append(m.Let("best", m.Bin("*", m.Num(self.some(-0.9, 0.9)), best)))
        if self.chance(0.6):
            made.append(m.Let("count", m.Bin("+", count, m.Num(1))))
        if self.chance(0.5):
            made.append(m.Log(self.label("kept"), [best, count]))
        if self.chance(0.3):
            made.append(m.If(m.Cmp(">", x, best), [m.Let("best", x)], [m.Log(self.label("less"), [count])]))
        return made


def jumps(base: float, found: list[tuple[float, float]], *, bends: bool = False) -> m.Expr:
    """A function of time that jumps, or whose slope does, by so much at each time."""
    value: m.Expr = m.Num(base)
    for at, size in found:
        risen: m.Expr = m.Bin("*", m.Num(size), m.Bin("-", X, m.Num(at))) if bends else m.Num(size)
        value = m.Bin("+", value, m.Choice(m.Cmp("<=", m.Num(at), X), risen, m.Num(0.0)))
    return value
