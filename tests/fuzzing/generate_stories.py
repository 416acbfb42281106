"""Processes of random programs: what they wait for, and what they do to the model between two waits."""

from __future__ import annotations

from fuzzing import model as m
from fuzzing.row_stories import RowStories


class Stories(RowStories):
    """Makes processes, and what they share."""

    idle: set[str]

    def start_of(self, sort: str) -> float:
        """Where an object's first state begins."""
        raise NotImplementedError

    def of_class(self, index: int) -> list[str]:
        """The objects of a class."""
        raise NotImplementedError

    def parameter(self, path: m.Path) -> m.Statement:
        """A parameter gets another value of its range."""
        low, high = {"k": (1.0, 6.0), "c": (0.05, 0.5), "level": (-0.5, 0.5)}[path[-1]]
        if path[-1] == "level" and self.chance(0.3):
            return m.Assign(path, "*=", m.Num(self.some(-1.0, -0.5)))
        return m.Assign(path, "=", m.Num(self.some(low, high)))

    def creation(self, kind: m.Class, root: m.Path) -> m.Create:
        """Another object of a class, that refers to what this one refers to."""
        numbers: dict[str, m.Expr] = {"x": m.Num(self.start_of(kind.kind)), "k": m.Num(self.some(1.0, 6.0))}
        if kind.surface is not None:
            assert isinstance(numbers["x"], m.Num)
            numbers["side"] = m.Num(kind.surface.side(numbers["x"].value))
        references = {name: (*root, name) for name in kind.references}
        return m.Create(kind.index, numbers, references, self.random.randint(1, 3))

    # --- processes ----------------------------------------------------------------------------------------------------

    def station(self, name: str, units: int) -> None:
        """What processes share."""
        made = self.made
        if name == "resources":
            made.resources["desk"] = self.random.randint(1, units)
            if self.has("moves"):
                made.resources["annex"] = self.random.randint(1, units)
        elif name == "preemption":
            made.resources["bench"] = self.random.randint(1, units)
        elif name == "stores":
            made.stores = ["shelf"]
        elif name == "tanks":
            made.tanks = {"tank": self.some(0.0, 2.0)}
        else:
            made.signals = ["bell"]

    def shifts(self) -> None:
        """Hours of what has units."""
        for name in self.made.resources:
            if self.chance(0.7):
                at, hours = self.some(0.0, 0.5), []
                for _ in range(self.random.randint(1, 2)):
                    end = round(at + self.some(0.3, 1.5), 3)
                    hours.append((at, end, self.random.randint(1, 3)))
                    at = round(end + self.some(0.1, 0.6), 3)
                excess = self.excess(name)
                self.made.shifts[name] = m.Shifts(hours, at, excess)

    def story(self, process: m.Process) -> list[m.Statement]:
        """What a process does: a loop of waits and effects."""
        guarded = self.has("interrupts") and process.index == 0
        if self.has("passivate") and process.index == 1:
            body: list[m.Statement] = [m.Passivate(), self.note_of("woken"), *self.deeds()]
            if self.has("rouses"):
                for _ in range(self.random.randint(1, 2)):
                    wait = (
                        self.hold() if self.chance(0.4) else m.Met(self.process_condition(process), self.label("met"))
                    )
                    body += [wait, self.note_of("goes on"), *self.deeds()]
            return [m.Loop(4, body)]
        if self.has("rows") and not guarded and self.chance(0.8):
            return self.standing(process)
        if self.has("native_processes") and not guarded and self.chance(0.7):
            return self.swinging(process)
        body = []
        for _ in range(self.random.randint(2, 4)):
            wait = self.wait(process)
            if guarded:
                wait = [m.Guarded(wait, self.label("guarded"), self.has("causes"))]
            body += [*wait, self.note_of("process"), *self.deeds(process)]
        if self.has("locals"):
            body += self.remembering(self.random.choice(self.made.objects))
        if not any(isinstance(s, m.Hold) for s in body):
            body.insert(0, m.Guarded([self.hold()], self.label("guarded")) if guarded else self.hold())
        return [*(self.beginning() if self.has("locals") else []), m.Loop(self.random.randint(2, 8), body)]

    def hold(self) -> m.Hold:
        """Some time."""
        return m.Hold(m.Num(self.some(0.1, 1.2)))

    def note_of(self, word: str) -> m.Log:
        """A line of the log with what some object has."""
        o = self.random.choice(self.made.objects)
        return m.Log(self.label(word), [m.Read((o.name, "x"))])

    def process_condition(self, process: m.Process) -> m.Test:
        """What a process waits for."""
        one, other = self.random.choice(self.made.objects), self.random.choice(self.made.objects)
        value: m.Expr = m.Read((one.name, "x"))
        if self.chance(0.3) and other is not one:
            value = m.Bin("-", value, m.Bin("*", m.Num(0.5), m.Read((other.name, "x"))))
        others = self.other_quantities((one.name,), self.made.classes[one.kind])
        if others and self.chance(0.4):
            value = self.random.choice(others)
        level = self.threshold()
        if self.has("locals") and process.index != 1 and self.chance(0.4):
            level = m.Bin("*", m.Num(0.7), m.Local("best"))
        stocks = self.stocks() if self.has("stock_conditions") else []
        if stocks and self.chance(0.5):
            return self.of_stock(m.Stock(self.random.choice(stocks)), m.Read((one.name, "x")))
        if is_driven := self.is_driven(self.made.classes[one.kind]):
            value, level = self.driven((one.name,))
        if self.has("crosses") and self.chance(0.3):
            return self.passage(value, level)
        if self.has("hidden_conditions") and not is_driven and self.chance(0.4):
            value = m.Opaque(value)
        elif self.has("whole_conditions") and not is_driven and self.chance(0.6):
            value, level = self.whole(value)
        test: m.Test = m.Cmp(self.random.choice(("<", ">", "<=", ">=")), value, level)
        if self.has("two_comparisons") and self.chance(0.3):
            late = m.Cmp(">", m.Time(), m.Num(self.some(1.0, 4.0)))
            test = m.Both("or", test, late) if self.chance(0.5) else m.Both("and", late, test)
        return test

    def wait(self, process: m.Process) -> list[m.Statement]:
        """A command that waits."""
        kinds = ["hold"] if self.has("hold") else []
        kinds += ["until"] * 2 if self.has("until") else []
        names = ("first_of", "all_of", "resources", "stores", "tanks", "signals", "tick", "preemption")
        kinds += [name for name in names if self.has(name)]
        if self.has("wait_end") and process.index == 0 and len(self.made.processes) > 1:
            kinds.append("wait_end")
        if self.has("steady_processes"):
            kinds = ["until"]
        match self.random.choice(kinds or ["hold"]):
            case "hold":
                return [self.hold()]
            case "until":
                rank = float(self.random.randint(0, 2)) if self.has("priorities") else 0.0
                return [m.Until(self.process_condition(process), rank)]
            case "first_of":
                shared = [*self.made.signals, *self.made.stores, *self.made.tanks] if self.has("races") else []
                more = self.random.choice(shared) if shared else ""
                return [m.FirstOf(self.process_condition(process), self.some(0.2, 2.0), self.label("first"), more)]
            case "all_of":
                return [m.AllOf(self.process_condition(process), self.some(0.1, 1.0), self.label("both"))]
            case "resources":
                patience = self.some(0.2, 1.5) if self.has("patience") and self.chance(0.5) else None
                rank = float(self.random.randint(0, 2)) if self.has("priorities") else 0.0
                inner: list[m.Statement] = [self.hold(), *self.deeds()]
                if self.has("until") and self.chance(0.3):
                    inner.append(m.FirstOf(self.process_condition(process), self.some(0.2, 1.0), self.label("inner")))
                desk = self.random.choice(("desk", "annex")) if self.has("moves") else "desk"
                return [m.Use(desk, rank, patience, self.label("desk"), inner)]
            case "preemption":
                rank, lasts = float(self.random.randint(0, 3)), self.some(0.2, 1.5)
                return [
                    m.Work("bench", rank, lasts, self.chance(0.8), self.chance(0.6), self.label("work")),
                ]
            case "stores":
                if process.index % 2:
                    return [m.Put("shelf", m.Read((self.made.objects[0].name, "x")))]
                return [m.Get("shelf", self.label("shelf"))]
            case "tanks":
                return [
                    m.Pour("tank", self.some(0.5, 2.0)) if process.index % 2 else m.Draw("tank", self.some(0.2, 1.5))
                ]
            case "signals":
                if process.index % 2:
                    return [m.Send("bell", m.Read((self.made.objects[0].name, "x")))]
                return [m.Await("bell", self.label("bell"))]
            case "tick":
                return [m.Tick(self.some(0.3, 1.1))]
        target = self.random.randrange(1, len(self.made.processes))
        if self.made.processes[target].waits:
            return [self.hold()]
        return [m.WaitEnd(target)]

    def deeds(self, process: m.Process | None = None) -> list[m.Statement]:
        """What a process does to the model between two waits."""
        made: list[m.Statement] = []
        o = self.random.choice(self.made.objects)
        kind = self.made.classes[o.kind]
        if self.has("parameters") and self.chance(0.6):
            made.append(self.parameter((o.name, self.random.choice(("k", "c", "level")))))
        if self.has("states") and self.chance(0.4):
            low = 0.0 if kind.kind == "tank" else -0.4
            made.append(m.Assign((o.name, "x"), "+=", m.Num(self.some(low, 0.4))))
        if self.has("reads_after_writes") and kind.computed and o.name not in self.idle:
            made.append(m.Log(self.label("left"), [m.Read((o.name, name)) for name in kind.computed]))
        if self.has("freezes") and kind.surface is None and not self.stops_objects() and self.chance(0.3):
            made.append(m.Freeze((o.name, self.random.choice(list(kind.states)))))
        if self.has("stops") and self.idle and self.chance(0.5):
            made.append(m.Toggle((self.random.choice(sorted(self.idle)),)))
        if self.has("exchanged_references") and kind.references and self.chance(0.5):
            target = self.random.choice(self.of_class(kind.references["mate"]))
            made.append(m.Refer((o.name, "mate"), (target,)))
        if self.has("exchanged_functions") and kind.functions and self.chance(0.6):
            made.append(self.exchange((o.name,), kind))
        if self.has("exchanged_members") and kind.lists and self.chance(0.5):
            made.append(m.Member((o.name, "members"), (self.random.choice(self.of_class(kind.lists["members"])),)))
        if self.has("creates") and self.chance(0.3):
            made.append(self.creation(kind, (o.name,)))
        if self.has("statements_if") and self.chance(0.4):
            test = m.Cmp("<", m.Read((o.name, "x")), self.threshold())
            made.append(m.If(test, [self.parameter((o.name, "k"))], []))
        if self.has("tolerances") and self.chance(0.4):
            made.append(self.tolerance((o.name,), kind))
        if self.has("ranks") and not self.has("opaque") and self.chance(0.4):
            made.append(m.Rank((o.name,), float(self.random.randint(-2, 2))))
        if self.has("capacities") and self.made.resources and self.chance(0.6):
            made.append(self.staffing())
        if self.has("moves") and "annex" in self.made.resources and self.chance(0.6):
            made.append(m.MoveRequest(*self.random.sample(("desk", "annex"), 2)))
        return made + self.more_effects((o.name,), kind) + self.calls(process)

    def tolerance(self, path: m.Path, kind: m.Class) -> m.Tolerate:
        """A state gets another tolerance, which is not larger than that of the run."""
        return m.Tolerate((*path, self.random.choice(list(kind.states))), self.random.choice((1e-9, 1e-10, 1e-11)))

    def staffing(self) -> m.Staff:
        """A resource gets more units, or fewer."""
        name = self.random.choice(list(self.made.resources))
        return m.Staff(name, self.random.choice((0, 1, 1, 2, 2, 3)), self.excess(name))

    def excess(self, name: str) -> str:
        """What becomes of units of a resource that are in use beyond its capacity."""
        if self.has("suspensions") and self.chance(0.6):
            return "suspend"
        return self.random.choice(("finish", "preempt")) if name == "bench" else "finish"

    def rouse(self) -> m.Statement:
        """Somebody lets the second process go on, or not."""
        words = ("activate", "activate", "reactivate", "cancel", "cancel_state_event")
        if not self.has("rouses") or self.chance(0.3):
            return m.Activate(1)
        word = self.random.choice(words)
        delay = self.some(0.1, 1.0) if word[-5:] == "ivate" and self.chance(0.6) else None
        return m.Rouse(1, word, delay)

    def calls(self, process: m.Process | None) -> list[m.Statement]:
        """What a process does to other processes."""
        made: list[m.Statement] = []
        if process is None:
            return made
        if self.has("interrupts") and process.index > 0 and self.chance(0.6):
            made.append(m.Interrupt(0, self.some(1.0, 9.0) if self.has("causes") and self.chance(0.7) else None))
        if self.has("ends") and len(self.made.processes) > 1 and self.chance(0.3):
            made.append(
                m.End(self.random.choice([k for k in range(len(self.made.processes) - 1) if k != process.index] or [0]))
            )
        if self.has("halts") and self.chance(0.4):
            made.append(m.Halt())
        if self.has("passivate") and process.index != 1 and len(self.made.processes) > 1 and self.chance(0.7):
            made.append(self.rouse())
        if self.has("signals") and self.chance(0.4):
            made.append(m.Send("bell", m.Num(self.some(0.0, 9.0))))
        if self.has("spawn") and process.index == 0 and self.made.processes[-1].waits and self.chance(0.6):
            made.append(m.Spawn(len(self.made.processes) - 1, len(self.made.processes) + 1))
        return made
