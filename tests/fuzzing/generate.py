"""Random programs: `generate(seed)` depends on the seed and on the features that are asked for, and on nothing else."""

from __future__ import annotations

from random import Random

from fuzzing import model as m
from fuzzing.generate_stories import Stories
from fuzzing.row_stories import DISTURBING

FEATURES = (
    "references", "sums", "computed", "shared_rates", "lists", "functions", "branches", "time_branches", "bends",
    "opaque", "order", "late_values",
    "handlers", "at_start", "priorities", "every", "handler_writes", "handler_creates", "handler_stops",
    "handler_refers", "handler_interrupts", "opaque_conditions", "two_comparisons", "computed_conditions",
    "hold", "until", "first_of", "all_of", "resources", "patience", "stores", "tanks", "signals", "interrupts",
    "passivate", "wait_end", "tick", "spawn", "classes_of_processes", "native_processes", "steady_processes",
    "parameters", "states", "stops", "exchanged_references", "exchanged_functions", "exchanged_members", "creates",
    "stopped_sums", "reads_after_writes", "statements_if",
    "module_numbers", "exchanged_numbers", "wholes", "inputs", "vectors", "vector_writes", "crosses", "locals",
    "clamps", "hidden_conditions", "roots", "input_conditions", "preemption",
    "whole_conditions", "whole_laws", "relays", "rates_read", "rate_conditions", "vector_conditions",
    "sum_conditions", "function_conditions", "stock_conditions", "races", "freezes", "rouses",
    "pauses",
    "causes", "ends", "halts", "tolerances", "ranks", "capacities", "moves", "shifts",
    "rows", "differences", "meetings", "suspensions", "nested", "early_returns",
    "turn_meetings",
)  # fmt: skip
"""What programs may be made of; each occurs in a part of them."""
HEARTS = {
    "resources",
    "stores",
    "tanks",
    "signals",
    "interrupts",
    "passivate",
    "spawn",
    "wait_end",
    "priorities",
    "preemption",
}


def generate(seed: int, allowed: frozenset[str] = frozenset(FEATURES), *, has_all: bool = False) -> m.Program:
    """The program of a seed, of some of the features that are allowed or of all of them."""
    return Maker(seed, allowed, has_all=has_all).program()


class Maker(Stories):
    """Makes one program."""

    def __init__(self, seed: int, allowed: frozenset[str], *, has_all: bool = False) -> None:
        self.random = Random(seed)
        # One number for each feature, of its own: what is left out, or comes to be known, changes little of the rest.
        drawn = {name: Random(f"{seed} {name}").random() for name in FEATURES}
        richness = self.random.choice((0.25, 0.5, 0.75))
        self.features = {name for name in FEATURES if name in allowed and (has_all or drawn[name] < richness)}
        if self.has("rows") and not has_all:
            self.features -= {name for name in sorted(DISTURBING) if Random(f"{seed} quiet {name}").random() < 0.95}
        self.made = m.Program(seed, end=round(self.random.uniform(4.0, 9.0), 3))
        self.bends, self.turns = [], []
        self.written: set[tuple[int, str]] = set()

    def program(self) -> m.Program:
        """All of it, in the order in which parts need each other."""
        made, random = self.made, self.random
        self.module()
        if self.has("functions"):
            made.functions += [m.Function(f"law_{k}", self.function()) for k in range(3)]
        for index in range(random.randint(1, 3)):
            made.classes.append(self.kind(index))
        for index in range(random.randint(2, 4)):
            made.objects.append(self.object(index))
        for o in made.objects:
            self.connect(o)
        self.start_order()
        for kind in made.classes:
            self.laws(kind)
            self.handlers(kind)
        for name, share in (("resources", 2), ("stores", 1), ("tanks", 1), ("signals", 1), ("preemption", 2)):
            if self.has(name):
                self.station(name, share)
        if self.has("shifts"):
            self.shifts()
        count = random.randint(1, 3) + (1 if self.features & HEARTS else 0)
        if self.has("spawn"):
            count = max(count, 3)
        made.processes = [m.Process(k, [], self.style()) for k in range(count)]
        if self.has("spawn"):
            made.processes[-1].waits = True
        for process in made.processes:
            process.body = [*self.appointment(process), *self.story(process)]
        if self.has("pauses"):
            made.pauses = [self.pause() for _ in range(random.randint(1, 2))]
        made.features = sorted(self.features)
        return made

    def pause(self) -> m.Pause:
        """What the main program does between two runs; it reads nothing that it has changed."""
        deeds = [deed for _ in range(2) for deed in self.deeds() if not isinstance(deed, m.Log)]
        return m.Pause(self.meeting() or self.some(0.5, self.made.end - 0.5), [self.note_of("pause"), *deeds])

    def style(self) -> str:
        """How a process is written."""
        if self.has("classes_of_processes") and self.chance(0.5):
            return "class"
        return "nested" if self.has("nested") and self.chance(0.6) else "generator"

    # --- classes ------------------------------------------------------------------------------------------------------

    def kind(self, index: int) -> m.Class:
        """A class with its fields."""
        sort = self.random.choice(("oscillator", "oscillator", "decay", "ramp"))
        sort = "tank" if self.has("roots") and self.chance(0.5) else sort
        sort = "relay" if self.has("relays") and self.chance(0.6) else sort
        states = {"x": self.start_of(sort)}
        numbers = {"k": self.some(1.0, 6.0), "c": self.some(0.05, 0.5), "level": self.some(-0.5, 0.5)}
        if sort == "oscillator":
            states["v"] = self.some(-1.0, 1.0)
        made = m.Class(index, sort, states, numbers)
        if sort == "relay":
            made.surface = m.Surface(round(self.some(-0.4, 0.4) + 0.0005, 4), self.some(0.8, 2.0))
        if self.has("computed"):
            made.computed = ["q", "r"][: self.random.randint(1, 2)]
            made.late = self.has("late_values")
        if self.has("sums") and (index == 0 or self.chance(0.5)):
            made.sums = ["total"]
        if self.has("references"):
            made.references = {"mate": self.random.randint(0, index)}
            made.references["other"] = made.references["mate"]
        if self.has("lists"):
            made.lists = {"members": self.random.randint(0, index)}
        if self.has("functions") and self.chance(0.7):
            made.functions = {"law": f"law_{self.random.randrange(3)}"}
        self.furnish(made)
        return made

    def start_of(self, sort: str) -> float:
        """Where an object's first state begins; a tank is never empty."""
        return self.some(0.3, 1.0) if sort == "tank" else self.some(-1.0, 1.0)

    def object(self, index: int) -> m.Object:
        """An object; the first ones are of each class."""
        kinds = self.made.classes
        kind = kinds[index] if index < len(kinds) else self.random.choice(kinds)
        numbers = {"tag": float(index), "x": self.start_of(kind.kind), "k": self.some(1.0, 6.0)}
        if "v" in kind.states:
            numbers["v"] = self.some(-1.0, 1.0)
        if kind.surface is not None:
            numbers["side"] = kind.surface.side(numbers["x"])
        return m.Object(f"n{index}", kind.index, numbers, {}, {})

    def of_class(self, index: int) -> list[str]:
        """The objects of a class; there is one at least, unless classes are more than objects."""
        return [o.name for o in self.made.objects if o.kind == index]

    def connect(self, o: m.Object) -> None:
        """Let an object refer to others; computed values flow from those that come before it."""
        kind = self.made.classes[o.kind]
        for name, target in kind.references.items():
            o.references[name] = self.random.choice(self.of_class(target))
        for name, target in kind.lists.items():
            names = self.of_class(target)
            o.lists[name] = self.random.sample(names, self.random.randint(1, len(names)))

    def start_order(self) -> None:
        """Who starts, and when: mostly all, in the order of their making."""
        made = self.made
        made.order = [o.name for o in made.objects]
        self.idle: set[str] = set()
        if self.has("stops"):
            self.idle = {name for name in made.order[1:] if self.chance(0.4)}
            # Who is moved across a surface while its handlers rest goes on with what they have set.
            self.idle -= {o.name for o in made.objects if made.classes[o.kind].surface is not None}
            for o in made.objects:
                o.starts = o.name not in self.idle or self.chance(0.5)
            made.order = [o.name for o in made.objects if o.starts]
        if self.has("order"):
            self.random.shuffle(made.order)

    def function(self) -> m.Expr:
        """The formula of a function of a module: it keeps what it is in bounds."""
        x = m.Read(("x",))
        kind = self.random.randrange(3)
        if kind == 0:
            return m.Bin("*", m.Num(self.some(-0.8, 0.8)), m.Call("sin", [m.Bin("*", m.Num(self.some(0.5, 2.0)), x)]))
        if kind == 1:
            return m.Bin("*", m.Num(self.some(-0.8, 0.8)), m.Call("tanh", [x]))
        if self.has("branches"):
            return m.Choice(m.Cmp("<", x, m.Num(self.some(-0.4, 0.4))), m.Num(self.some(-0.5, 0.5)), m.Num(0.1))
        return m.Num(self.some(-0.5, 0.5))

    # --- laws ---------------------------------------------------------------------------------------------------------

    def laws(self, kind: m.Class) -> None:
        """Equations that stay in bounds: a stable part, and what is bounded beside it."""
        x, k, c = m.Read(("self", "x")), m.Read(("self", "k")), m.Read(("self", "c"))
        if kind.computed:
            for place, name in enumerate(kind.computed):
                before = kind.computed[:place]
                kind.values.append(m.Law(("self", name), self.bounded(kind, 2, before), style=self.law_style()))
        # What reads a computed value before it is set is refused.
        force = self.force(kind, [] if kind.late and self.chance(0.9) else kind.computed)
        if kind.vector is not None:
            kind.vector.inflow = m.Bin("+", x, self.bounded(kind, 1, [])) if self.chance(0.5) else x
        if self.has("clamps") and self.chance(0.04):
            kind.clamps = [m.Law(("self", "x"), m.Call("min", [x, m.Num(9.0)]))]
        if kind.kind == "oscillator":
            v = m.Read(("self", "v"))
            back = m.Bin("-", m.Bin("*", m.Num(-1.0), m.Bin("*", k, x)), m.Bin("*", c, v))
            kind.rates = [self.law("x", v), self.law("v", m.Bin("+", back, force))]
        elif kind.surface is not None:
            held = m.Bin("*", m.Num(kind.surface.gain), m.Read(("self", "side")))
            kind.rates = [self.law("x", m.Bin("+", m.Bin("*", m.Num(self.some(0.8, 2.5)), force), held))]
        elif kind.kind == "decay":
            back = m.Bin("*", k, m.Bin("-", m.Read(("self", "level")), x))
            kind.rates = [self.law("x", m.Bin("+", back, m.Bin("*", m.Num(2.0), force)))]
        elif kind.kind == "tank":
            leak = m.Bin("*", m.Num(self.some(-1.0, -0.2)), m.Bin("*", k, m.Call("sqrt", [x])))
            kind.rates = [self.law("x", m.Bin("+", leak, m.Bin("*", m.Num(0.1), force)))]
        else:
            steady = m.Bin("*", k, m.Bin("+", m.Num(0.5), m.Bin("*", m.Num(0.2), m.Call("sin", [force]))))
            kind.rates = [self.law("x", steady)]
        if self.has("branches") and self.chance(0.6) and kind.surface is None:
            self.branch_law(kind)
        target = kind.references.get("mate")
        if self.has("shared_rates") and target is not None and target < kind.index:
            push = m.Bin("*", m.Num(self.some(-0.3, 0.3)), m.Call("sin", [x]))
            kind.rates.append(m.Law(("self", "mate", "x"), push, "+="))
            for law in self.made.classes[target].rates:
                law.op = "+="
        if target is not None and self.made.classes[target].sums and self.chance(0.8):
            kind.contributions = [m.Law(("self", "mate", "total"), m.Call("sin", [x]), "+=")]

    def law_style(self) -> str:
        """How a line is printed."""
        return self.random.choice(("plain", "plain", "local", "branches"))

    def law(self, name: str, value: m.Expr) -> m.Law:
        """The rate of a state of its own."""
        return m.Law(("self", name), value, style=self.random.choice(("plain", "local")))

    def branch_law(self, kind: m.Class) -> None:
        """Let the last rate of a class jump."""
        law = next(law for law in reversed(kind.rates) if len(law.path) == 2)
        factor = m.Choice(self.law_test(kind), m.Num(1.0), m.Num(self.some(0.4, 0.9)))
        if self.chance(0.4):
            law.value = m.Choice(self.law_test(kind), law.value, m.Bin("*", m.Num(self.some(0.4, 0.9)), law.value))
            law.style = self.random.choice(("plain", "branches"))
        else:
            law.value = m.Bin("*", factor, law.value)
        if kind.index % 2 == 0:
            law.style = "method"

    def law_test(self, kind: m.Class) -> m.Test:
        """What a law may compare."""
        if self.has("time_branches") and self.chance(0.5):
            start = self.some(0.3, 4.0)
            width = (
                self.some(0.002, 0.03) if self.chance(0.4) else self.some(0.05, 1.0)
            )  # shorter than steps, or longer
            self.turns += [start, round(start + width, 3)]
            early = m.Cmp("<=", m.Num(start), m.Time())
            return m.Both("and", early, m.Cmp("<", m.Time(), m.Num(round(start + width, 3))))
        names: list[m.Path] = [("self", name) for name in kind.states]
        if self.has("references"):
            names.append(("self", "mate", "x"))
        one = m.Cmp(self.random.choice(("<", ">", "<=", ">=")), m.Read(self.random.choice(names)), self.threshold())
        if self.chance(0.25):
            other = m.Cmp(self.random.choice(("<", ">")), m.Read(self.random.choice(names)), self.threshold())
            return m.Both(self.random.choice(("and", "or")), one, other)
        return one

    def force(self, kind: m.Class, computed: list[str]) -> m.Expr:
        """What acts from outside on the last rate."""
        force: m.Expr = self.bounded(kind, 2, computed)
        if "drive" in kind.functions:
            force = m.Bin("+", force, m.Apply(("self", "drive"), m.Time()))
        if "law" in kind.functions:
            force = m.Bin("+", force, m.Apply(("self", "law"), m.Read(("self", "x"))))
        if self.has("lists") and kind.lists:
            force = m.Bin("+", force, m.Call("tanh", [m.Gather(("self", "members"), "x", self.some(0.1, 0.6))]))
        if kind.sums and self.chance(0.8):
            force = m.Bin("+", force, m.Bin("*", m.Num(self.some(-0.5, 0.5)), m.Read(("self", "total"))))
        # The library does not know what a law reads that it cannot read: such a law has its place by its start.
        if self.has("opaque") and not self.features & {"order", "late_values"} and self.chance(0.3):
            force = m.Opaque(force)
        return force

    def source(self, kind: m.Class, computed: list[str]) -> m.Expr:
        """Something that a law reads."""
        paths: list[m.Path] = [("self", name) for name in (*kind.states, "level", "c")]
        paths += [("self", name) for name in computed]
        target = kind.references.get("mate")
        if target is not None:
            other = self.made.classes[target]
            paths += [("self", "mate", name) for name in other.states] + [("self", "other", "x")]
            if self.has("order") and target < kind.index:
                paths += [("self", "mate", name) for name in other.computed] * 2
            if other.sums and (self.has("stopped_sums") or not self.has("stops")):
                paths += [("self", "mate", "total")]
        more = self.read_extras(kind)
        if more and self.chance(0.35):
            return self.random.choice(more)
        return m.Time() if self.chance(0.15) else m.Read(self.random.choice(paths))

    def bounded(self, kind: m.Class, depth: int, computed: list[str]) -> m.Expr:
        """An expression of size about one."""
        inner = self.source(kind, computed)
        if depth and self.chance(0.5):
            inner = m.Bin(self.random.choice("+-"), inner, self.bounded(kind, depth - 1, computed))
        roll = self.random.randrange(6)
        size = m.Num(self.some(-0.9, 0.9))
        if roll < 3:
            return m.Bin("*", size, m.Call("sin", [m.Bin("*", m.Num(self.some(0.5, 3.0)), inner)]))
        if roll == 3 and self.has("whole_laws") and self.chance(0.5):
            return m.Bin("*", m.Num(self.some(-0.3, 0.3)), self.whole(m.Call("sin", [inner]))[0])
        if roll == 3:
            return m.Bin("*", size, m.Call("tanh", [inner]))
        if roll == 4 and self.has("bends"):
            kink = m.Call(self.random.choice(("min", "max")), [inner, self.threshold()])
            return m.Bin("*", size, m.Call("tanh", [m.Call("abs", [kink])]))
        if roll == 5 and self.has("branches"):
            return m.Choice(self.law_test(kind), size, m.Bin("*", m.Num(0.5), m.Call("cos", [inner])))
        return m.Bin("*", size, m.Call("cos", [inner]))

    # --- handlers -----------------------------------------------------------------------------------------------------

    def handlers(self, kind: m.Class) -> None:
        """Handlers of a class; a ramp is always reset."""
        if kind.kind == "ramp":
            top = m.Num(self.some(1.2, 2.0))
            read: m.Expr = m.Read(("self", "x"))
            if self.has("opaque_conditions"):
                read = m.Opaque(read)
            back = m.Assign(("self", "x"), "+=", m.Num(-self.some(1.0, 2.0)))
            body = [m.Log(self.label("resets"), [m.Read(("self", "x"))]), back]
            kind.handlers.append(m.Handler("resets", m.Cmp(">=", read, top), body))
        if kind.kind == "tank":
            kind.handlers.append(self.refill())
        if self.has("handlers"):
            for number in range(self.random.randint(1, 2)):
                kind.handlers.append(self.handler(kind, number))
        if self.has("every") and self.chance(0.5):
            body = [self.note("every", kind), *self.effects(kind)]
            kind.every.append(m.Every("beats", self.some(0.4, 1.5), self.some(0.05, 0.3), body))

    def handler(self, kind: m.Class, number: int) -> m.Handler:
        """A handler and what it does."""
        made = m.Handler(f"handler{number}", self.condition(kind), [self.note("handler", kind), *self.effects(kind)])
        if self.has("priorities"):
            made.priority = float(self.random.randint(0, 2))
        made.returns_early = self.has("early_returns") and not isinstance(made.test, m.Crosses)
        made.at_start = self.has("at_start") and self.chance(0.3) and not isinstance(made.test, m.Crosses)
        return made

    def condition(self, kind: m.Class) -> m.Test:
        """What a handler waits for."""
        value: m.Expr = m.Read(("self", self.random.choice(list(kind.states))))
        roll = self.random.randrange(4)
        if roll == 0 and self.has("references"):
            value = m.Bin(self.random.choice("+-"), value, m.Read(("self", "mate", "x")))
        elif roll == 1 and self.has("computed_conditions") and kind.computed:
            value = m.Read(("self", self.random.choice(kind.computed)))
        elif roll == 2:
            value = m.Call("sin", [m.Bin("*", m.Num(2.0), value)])
        others = self.other_quantities(("self",), kind)
        if others and self.chance(0.6):
            value = self.random.choice(others)
        level = self.threshold()
        if is_driven := self.is_driven(kind):
            value, level = self.driven(("self",))
        if self.has("crosses") and self.chance(0.4):
            return self.passage(value, level)
        if self.has("hidden_conditions") and not is_driven and self.chance(0.4):
            value = m.Opaque(value)
        elif self.has("whole_conditions") and not is_driven and self.chance(0.6):
            value, level = self.whole(value)
        test = m.Cmp(self.random.choice(("<", ">", "<=", ">=")), value, level)
        if self.has("two_comparisons") and self.chance(0.5):
            other = m.Cmp(self.random.choice(("<", ">")), m.Read(("self", "x")), self.threshold())
            return m.Both(self.random.choice(("and", "or")), test, other)
        return test

    def note(self, word: str, kind: m.Class) -> m.Log:
        """A line of the log with what the object has."""
        values: list[m.Expr] = [m.Read(("self", name)) for name in kind.states]
        if self.has("rates_read") and self.are_rates_known(kind):
            values.append(m.Rate(("self", list(kind.states)[-1])))
        return m.Log(
            self.label(word), [*values, *[m.Read(("self", name)) for name in kind.computed if self.chance(0.5)]]
        )

    def effects(self, kind: m.Class) -> list[m.Statement]:
        """What a handler does to the model."""
        made: list[m.Statement] = []
        if self.has("handler_writes"):
            path: m.Path = ("self", self.random.choice(("k", "c", "level")))
            if self.has("references") and self.chance(0.5):
                path = ("self", "mate", path[1])
            made.append(self.parameter(path))
        if self.has("states", "handler_writes") and self.chance(0.4):
            made.append(m.Assign(("self", list(kind.states)[-1]), "*=", m.Num(self.some(0.3, 0.9))))
        if self.has("freezes") and kind.surface is None and not self.stops_objects() and self.chance(0.3):
            made.append(m.Freeze(("self", self.random.choice(list(kind.states)))))
        if self.has("handler_stops", "references") and self.is_without_surface(kind) and self.chance(0.6):
            made.append(m.Toggle(("self", "mate")))
        if self.has("handler_interrupts", "interrupts") and self.chance(0.5):
            made.append(m.Interrupt(0))
        if self.has("handler_interrupts", "passivate") and self.chance(0.5):
            made.append(self.rouse())
        if self.has("handler_refers", "references") and self.chance(0.6):
            made.append(m.Swap(("self", "mate"), ("self", "other")))
        if self.has("exchanged_functions") and kind.functions and self.chance(0.5):
            made.append(self.exchange(("self",), kind))
        if self.has("tolerances") and self.chance(0.4):
            made.append(self.tolerance(("self",), kind))
        if self.has("ranks") and not self.has("opaque") and self.chance(0.4):
            made.append(m.Rank(("self",), float(self.random.randint(-2, 2))))
        if self.has("handler_creates") and self.chance(0.5):
            made.append(self.creation(kind, ("self",)))
        if self.has("statements_if") and self.chance(0.5):
            test = m.Cmp("<", m.Read(("self", "k")), m.Num(3.0))
            made.append(m.If(test, [self.parameter(("self", "k"))], [self.parameter(("self", "c"))]))
        if self.has("reads_after_writes") and kind.computed:
            made.append(m.Log(self.label("after"), [m.Read(("self", name)) for name in kind.computed]))
        return made + self.more_effects(("self",), kind)
