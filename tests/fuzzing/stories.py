"""Processes and statements of the reference: `simulate` runs a whole program."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from math import inf
from typing import Any

from fuzzing import model as m
from fuzzing.exceptions import Ended, Interrupted, Preempted, Refused
from fuzzing.reference import Notice, Thing, Watch, World
from fuzzing.stations import Bench, Desk, Tank, Wish

Commands = Generator[Any, Any, None]


@dataclass
class Outcome:
    """What a program did.

    log         its entries
    values      of all objects at the end, in the order of their making
    refused     so many entries were there before the event that brought laws that have to be refused; -1 if none did
    rows        by time, what a recording shows; ends: of stretches, close to which it may differ
    area        the integral that is observed
    """

    log: list[tuple[Any, ...]]
    values: list[tuple[float, ...]]
    events: int
    refused: int = -1
    rows: dict[float, dict[str, float]] = field(default_factory=dict)
    ends: list[float] = field(default_factory=list)
    area: float = 0.0


class Activity:
    """Who waits: a process, or a branch of a wait for several things."""

    due: float
    """When the present hold ends."""

    def __init__(self, world: Stage) -> None:
        self.world = world
        self.withdraw: Any = None

    def go_on(self, value: Any) -> None:
        """What is waited for has come, in an event of its own."""
        raise NotImplementedError

    def begin(self, command: tuple[Any, ...]) -> tuple[Any] | None:
        """Carry out a command; a tuple of the answer if it is there at once."""
        world = self.world
        word, *given = command
        self.withdraw = None
        return getattr(world, "do_" + word)(self, *given)

    def let_go(self) -> None:
        """Wait no longer."""
        withdraw, self.withdraw = self.withdraw, None
        if withdraw is not None:
            withdraw()


class Story(Activity):
    """A process."""

    def __init__(self, world: Stage, process: m.Process) -> None:
        super().__init__(world)
        self.generator = world.body(self, process.body)
        self.anchor = world.time
        self.notice: Notice | None = world.schedule_front(lambda: self.step(None))
        self.ended = False
        self.local: dict[str, float] = {}
        self.awaits = False
        self.due = 0.0
        self.mourners: list[Activity] = []

    def go_on(self, value: Any) -> None:
        self.withdraw = None
        self.step(value)

    def step(self, value: Any, error: Exception | None = None) -> None:
        """Run to the next command that has to wait."""
        world = self.world
        world.current = self
        self.cancel()
        self.awaits = False
        while True:
            try:
                command = self.generator.send(value) if error is None else self.generator.throw(error)
            except (StopIteration, Ended):
                break
            error = None
            answer = self.begin(command)
            if answer is None:
                return
            value = answer[0]
        self.ended = True
        for who in self.mourners:
            world.wake(who, None)

    def activate(self, delay: float | None, *, moves: bool) -> None:
        """Let it go on, unless its event is in the list already, or that is to be moved."""
        world = self.world
        if self.ended or self is world.current or (self.notice is not None and not moves):
            return
        self.cancel()
        run = self.roused
        self.notice = world.schedule_front(run) if delay is None else world.schedule(world.time + delay, run)

    def cancel(self) -> None:
        """Take its event from the list."""
        if self.notice is not None:
            self.notice.live, self.notice = False, None

    def roused(self) -> None:
        """The event for which it was activated."""
        awaits = self.awaits
        self.let_go()
        self.step(False if awaits else None)

    def interrupted(self, error: Exception) -> None:
        """The event in which an interrupt, or its end, comes."""
        if not self.ended:
            self.let_go()
            self.step(None, error)

    def lose(self, wish: Wish) -> None:
        """The event in which he learns that his unit has been taken away, unless he has given it back."""
        if wish.state == "lost":
            self.let_go()
            self.step(None, Preempted(self.due - self.world.time))


class Branch(Activity):
    """One of several things that are waited for."""

    def __init__(self, group: Group, label: str) -> None:
        super().__init__(group.owner.world)
        self.group = group
        self.label = label
        self.come = False

    def go_on(self, value: Any) -> None:
        self.withdraw = None
        self.come = True
        group = self.group
        if group.is_over():
            group.withdraw_all(self)
            group.owner.go_on(self.label)


class Group:
    """A wait for the first of several, or for all."""

    def __init__(self, owner: Activity, parts: dict[str, tuple[Any, ...]], *, all_of: bool) -> None:
        self.owner = owner
        self.all_of = all_of
        self.branches = [Branch(self, label) for label in parts]
        self.parts = parts

    def begin(self) -> tuple[Any] | None:
        """Begin all; the answer if it is over at once."""
        for branch, command in zip(self.branches, self.parts.values(), strict=True):
            if branch.begin(command) is not None:
                branch.come = True
                if self.is_over():
                    self.withdraw_all(branch)
                    return (branch.label,)
        self.owner.withdraw = lambda: self.withdraw_all(None)
        return None

    def is_over(self) -> bool:
        return not self.all_of or all(b.come for b in self.branches)

    def withdraw_all(self, winner: Branch | None) -> None:
        for branch in self.branches:
            if branch is not winner:
                branch.let_go()


class Stage(World):
    """The world with its processes."""

    def __init__(self, program: m.Program, push: float = 0.0) -> None:
        super().__init__(program, push)
        self.procs: list[Story] = []
        self.kinds = {kind.index: kind for kind in program.classes}
        self.ticks: dict[Any, int] = {}
        self._build()

    # --- objects ------------------------------------------------------------------------------------------------------

    def make(self, kind: m.Class, tag: float) -> Thing:
        """A new object, with what its class says."""
        t = Thing(kind, len(self.things))
        t.tag = tag
        for name, value in (*kind.states.items(), *kind.assigned.items(), *kind.numbers.items(), *kind.wholes.items()):
            setattr(t, name, value)
        for name in (*kind.computed, *kind.sums):
            setattr(t, name, 0.0)
        for place in range(len(kind.vector.starts) if kind.vector else 0):
            setattr(t, f"u_{place}", 0.0)
        for name in kind.references:
            setattr(t, name, None)
        for name in kind.lists:
            setattr(t, name, [])
        for name, function in kind.functions.items():
            setattr(t, name, self.names[function])
        t.sim = self
        t.pool = self.pool
        self.things.append(t)
        return t

    def _build(self) -> None:
        program, names = self.program, self.names
        for o in program.objects:
            t = names[o.name] = self.make(self.kinds[o.kind], 0.0)
            for name, value in o.numbers.items():
                setattr(t, name, value)
            for place, start in enumerate(t.kind.vector.starts if t.kind.vector else ()):
                setattr(t, f"u_{place}", start)
        for o in program.objects:
            for name, other in o.references.items():
                setattr(names[o.name], name, names[other])
            for name, others in o.lists.items():
                setattr(names[o.name], name, [names[other] for other in others])
        names |= {name: (Bench if name == "bench" else Desk)(self, n) for name, n in program.resources.items()}
        for name, shifts in program.shifts.items():
            self.change_shift(names[name], shifts, 0)
        names |= {name: Tank(self, []) for name in program.stores}
        names |= {name: Tank(self, level) for name, level in program.tanks.items()}
        names |= {name: [] for name in program.signals}
        # A run stops before the events of its end; one that ends where it begins has none.
        for time in sorted({pause.time: None for pause in program.pauses}):
            bodies = [pause.body for pause in program.pauses if pause.time == time]
            self.schedule(time, lambda bodies=bodies: [self.do(body, None) for body in bodies])
        for name in program.order:
            self.start(names[name])
        for process in program.processes:
            if not process.waits:
                self.procs.append(Story(self, process))

    def start(self, t: Thing) -> None:
        """Its laws and handlers join the model."""
        t.active = True
        t.life = life = [True]
        for handler in t.kind.handlers:
            first = next(self.numbers)
            for side in self.sides(handler.test):
                rank = (-handler.priority, next(self.numbers))
                self.note_watch(rank, side, first)
                fire = lambda body=handler.body: self.do(body, t)  # noqa: E731  # of this one
                self.watches.append(Watch(self.function(side), t, rank, fire, handler.at_start, False, handler))
        for every in t.kind.every:
            self._again(t, every, self.time, 0, life)

    def _again(self, t: Thing, every: m.Every, anchor: float, k: int, life: list[bool]) -> None:
        from fractions import Fraction

        period, offset = Fraction(repr(every.period)), Fraction(repr(every.offset))

        def occur() -> None:
            if life[0]:
                self.do(every.body, t)
                if life[0]:
                    self._again(t, every, anchor, k + 1, life)

        notice = self.schedule(float(Fraction(anchor) + offset + k * period), occur)
        t.__dict__.setdefault("notices", []).append(notice)

    def stop(self, t: Thing) -> None:
        """They leave it."""
        t.active = False
        t.life[0] = False
        for notice in t.__dict__.pop("notices", []):
            notice.live = False
        self.watches = [w for w in self.watches if w.is_wait or w.subject is not t]

    # --- statements ---------------------------------------------------------------------------------------------------

    def thing(self, path: m.Path, subject: Any) -> Any:
        """What a path leads to."""
        at = subject if path[0] == "self" else self.procs if path[0] == "procs" else self.names[path[0]]
        for name in path[1:]:
            at = getattr(at, name)
        return at

    def refer(self, path: m.Path, subject: Any, to: Any) -> None:
        """Let a field refer to something else."""
        owner = self.thing(path[:-1], subject)
        if getattr(owner, path[-1]) is not to:
            self.exchanged = self.time
        setattr(owner, path[-1], to)

    def do(self, statements: list[m.Statement], subject: Any) -> None:
        """Statements of a handler, which do not wait."""
        for s in statements:
            for command in self.statement(s, subject, None):
                raise AssertionError(f"a handler waits: {command}")

    def body(self, story: Any, statements: list[m.Statement]) -> Commands:
        """Statements of a process."""
        for s in statements:
            yield from self.statement(s, None, story)

    def note(self, label: str, subject: Any, *values: Any) -> None:
        tag = [] if subject is None else [subject.tag]
        self.log.append((label, *tag, self.time, *values))

    def statement(self, s: m.Statement, subject: Any, story: Any) -> Commands:
        """One statement; it yields what has to be waited for."""
        who = story if subject is None else subject
        match s:
            case m.Log(label, values):
                self.note(label, subject, *[self.number(v, who) for v in values])
            case m.Assign(path, op, value):
                owner = self.thing(path[:-1], subject)
                number = self.number(value, who)
                old = getattr(owner, path[-1])
                setattr(owner, path[-1], number if op == "=" else old + number if op == "+=" else old * number)
            case m.WriteItem(path, item, value):
                owner, name = self.thing(path[:-1], subject), f"u_{item}"
                setattr(owner, name, getattr(owner, name) + self.number(value, who))
            case m.Let(name, value):
                story.local[name] = self.number(value, story)
            case m.SetGlobal(name, value):
                self.names[name] = self.number(value, who)
            case m.Refer(path, source):
                self.refer(path, subject, self.thing(source, subject))
            case m.Swap(first, second):
                one, other = self.thing(first, subject), self.thing(second, subject)
                self.refer(first, subject, other)
                self.refer(second, subject, one)
            case m.Member(path, member):
                members, one = self.thing(path, subject), self.thing(member, subject)
                members.remove(one) if one in members else members.append(one)
            case m.Toggle(path):
                t = self.thing(path, subject)
                self.stop(t) if t.active else self.start(t)
            case m.Freeze(path):
                self.thing(path[:-1], subject).frozen ^= {path[-1]}
            case m.Create(kind, numbers, references, most):
                if len(self.pool) < most:
                    values = {name: self.number(e, who) for name, e in numbers.items()}
                    values |= {name: self.thing(path, subject) for name, path in references.items()}
                    t = self.make(self.kinds[kind], 100.0 + len(self.pool))
                    t.__dict__.update(values)
                    self.pool.append(t)
                    self.start(t)
            case m.If(test, then, other):
                for inner in then if self.truth(test, who) else other:
                    yield from self.statement(inner, subject, story)
            case m.Loop(times, body):
                for _ in range(times):
                    for inner in body:
                        yield from self.statement(inner, subject, story)
            case m.Guarded(body, label, _):
                try:
                    for inner in body:
                        yield from self.statement(inner, subject, story)
                except Interrupted as interrupt:
                    self.note(label, subject, "interrupted", *([interrupt.cause] if s.tells else []))
            case m.Send(signal, value):
                number = self.number(value, who)
                waits, self.names[signal][:] = list(self.names[signal]), []
                for who in waits:
                    self.wake(who, number)
            case m.Interrupt(process, cause):
                self.throw(process, Interrupted(-1.0 if cause is None else cause))
            case m.End(process):
                self.throw(process, Ended())
            case m.Halt() | m.Tolerate():
                pass  # neither changes what happens
            case m.Rank():
                self.exchanged = self.time  # sums are added up in another order
            case m.Staff(resource, units, excess):
                self.names[resource].staff(units, excess)
            case m.MoveRequest(source, target):
                self.names[source].move_first(self.names[target])
            case m.Activate(process):
                self.procs[process].activate(None, moves=False)
            case m.Rouse(process, word, delay):
                target = self.procs[process]
                if word in {"activate", "reactivate"}:
                    target.activate(delay, moves=word == "reactivate")
                elif word == "cancel":
                    target.cancel()
                elif target.awaits:
                    target.let_go()
            case m.Spawn(process, most):
                if len(self.procs) < most:
                    chosen = next(p for p in self.program.processes if p.index == process)
                    self.procs.append(Story(self, chosen))
            case _:
                yield from self.wait(s, story)

    def throw(self, process: int, error: Exception) -> None:
        """Let an error come to a process in an event of its own."""
        target = self.procs[process]
        if not target.ended and target is not self.current:
            self.schedule_front(lambda: target.interrupted(error))

    def change_shift(self, desk: Desk, shifts: m.Shifts, number: int) -> None:
        """The units of a resource from a change of its shifts on: the first, which is at once, or a later one."""
        from fractions import Fraction

        period = Fraction(repr(shifts.period))
        changes = [
            part for a, b, units in shifts.hours for part in ((Fraction(repr(a)), units), (Fraction(repr(b)), 0))
        ]
        if not number:
            before = [units for at, units in changes if at <= 0]
            desk.staff(before[-1] if before else changes[-1][1], shifts.excess)
            number = 1 + len(before)
        else:
            desk.staff(changes[(number - 1) % len(changes)][1], shifts.excess)
            number += 1
        at = changes[(number - 1) % len(changes)][0] + period * ((number - 1) // len(changes))
        self.schedule(float(at), lambda: self.change_shift(desk, shifts, number))

    def wait(self, s: m.Statement, story: Any) -> Commands:
        """One statement of a process that waits."""
        match s:
            case m.Hold(duration):
                yield ("hold", self.number(duration, story))
            case m.Until(test, priority):
                yield ("until", test, priority, story)
            case m.Met(test, label):
                got = yield ("until", test, 0.0, story)
                self.note(label, None, "met" if got else "roused")
            case m.FirstOf(test, patience, label, more):
                parts: dict[str, tuple[Any, ...]] = {"met": ("until", test, 0.0, story), "late": ("hold", patience)}
                if more:
                    word, amount = "signal" if more in self.program.signals else "get", [m.PORTION]
                    amount = amount if more in self.program.tanks else [None] if word == "get" else []
                    parts["more"] = (word, self.names[more], *amount)
                got = yield ("group", parts, False)
                self.note(label, None, got)
            case m.AllOf(test, duration, label):
                yield ("group", {"met": ("until", test, 0.0, story), "late": ("hold", duration)}, True)
                self.note(label, None, "both")
            case m.Use(resource, priority, patience, label, body):
                wish = Wish(self.names[resource], priority)
                try:
                    got = "served"
                    if patience is None:
                        yield ("request", wish)
                    else:
                        got = yield ("group", {"served": ("request", wish), "late": ("hold", patience)}, False)
                    self.note(label, None, got)
                    if got == "served":
                        for inner in body:
                            yield from self.statement(inner, None, story)
                finally:
                    wish.give_back()
            case m.Work(resource, priority, duration, preempts, resumes, label):
                wish = Wish(self.names[resource], priority, preempts=preempts)
                try:
                    left: float | None = duration
                    while left is not None:
                        try:
                            yield ("request", wish)
                            self.note(label, None, "served")
                            yield ("hold", left)
                            self.note(label, None, "done")
                            left = None
                        except Preempted as loss:
                            left = loss.left if resumes else None
                            self.note(label, None, "preempted", loss.left)
                finally:
                    wish.give_back()
            case m.Put(store, value):
                tank = self.names[store]
                tank.level.append(self.number(value, story))
                tank.serve()
            case m.Get(store, label):
                item = yield ("get", self.names[store], None)
                self.note(label, None, item)
            case m.Pour(tank, amount):
                self.names[tank].level += amount
                self.names[tank].serve()
            case m.Draw(tank, amount):
                yield ("get", self.names[tank], amount)
            case m.Await(signal, label):
                value = yield ("signal", self.names[signal])
                self.note(label, None, value)
            case m.Passivate():
                yield ("passivate",)
            case m.WaitEnd(process):
                yield ("end", self.procs[process])
            case m.Tick(period):
                yield ("tick", story, period)
            case _:
                raise TypeError(f"no statement: {s!r}")

    # --- commands -----------------------------------------------------------------------------------------------------

    def wake(self, who: Activity, value: Any) -> None:
        """Let somebody go on at the end of this instant."""
        notice = self.schedule(self.time, lambda: who.go_on(value))
        who.withdraw = lambda: setattr(notice, "live", False)

    def do_hold(self, who: Activity, duration: float) -> None:
        """Wait so long."""
        notice = self.schedule(self.time + max(duration, 0.0), lambda: who.go_on(None))
        who.due = notice.time
        if isinstance(who, Story):
            who.notice = notice
        who.withdraw = lambda: setattr(notice, "live", False)

    def do_until(self, who: Activity, test: m.Test, priority: float, story: Story) -> None:
        """Wait for a condition; for a passage from where it is not yet true."""
        if isinstance(who, Story):
            who.awaits = True

        def withdraw() -> None:
            self.watches = [w for w in self.watches if w not in watches]

        def met() -> None:
            withdraw()
            who.go_on(True)

        armed = not isinstance(test, m.Crosses)
        # Who waits for the very same as another goes on at the same float, in the order of the list.
        is_shared = not any(isinstance(part, m.Local) for part in m.parts_of(test))
        first, watches = id(test) if is_shared else next(self.numbers), []
        sides = self.sides(test)
        made = self.time if len(sides) == 2 else inf
        for side in sides:
            rank = (-priority, next(self.numbers))
            self.note_watch(rank, side, first)
            watches.append(Watch(self.function(side), story, rank, met, armed, True, None, made))
        self.watches += watches
        who.withdraw = withdraw

    def do_group(self, who: Activity, parts: dict[str, tuple[Any, ...]], all_of: bool) -> tuple[Any] | None:
        """Wait for several things."""
        return Group(who, parts, all_of=all_of).begin()

    def do_request(self, who: Activity, wish: Wish) -> tuple[Any] | None:
        """Wait for a unit."""
        wish.who = who
        return wish.desk.ask(who, wish)

    def do_get(self, who: Activity, tank: Tank, amount: Any) -> tuple[Any] | None:
        """Take something out."""
        if not tank.line and tank.can(amount):
            return (tank.take(amount),)
        entry = (who, amount)
        tank.line.append(entry)

        def withdraw() -> None:
            tank.line.remove(entry)
            tank.serve()

        who.withdraw = withdraw
        return None

    def do_signal(self, who: Activity, waits: list[Activity]) -> None:
        """Wait for a signal."""
        waits.append(who)
        who.withdraw = lambda: waits.remove(who)

    def do_passivate(self, who: Story) -> None:
        """Wait to be activated."""
        who.withdraw = who.cancel

    def do_end(self, who: Activity, story: Story) -> tuple[Any] | None:
        """Wait for another process to end."""
        if story.ended:
            return (None,)
        story.mourners.append(who)
        who.withdraw = lambda: story.mourners.remove(who)
        return None

    def do_tick(self, who: Activity, story: Story, period: float) -> None:
        """Wait for the next instant of the process's own grid."""
        from fractions import Fraction

        step, anchor = Fraction(repr(period)), Fraction(story.anchor)
        k = 0
        while float(anchor + k * step) <= self.time:
            k += 1
        notice = self.schedule(float(anchor + k * step), lambda: who.go_on(None))
        who.withdraw = lambda: setattr(notice, "live", False)


def simulate(program: m.Program, push: float = 0.0) -> Outcome:
    """Run a program by the reference; `push` is added to each rate, which tells how much depends on little."""
    world = Stage(program, push)
    try:
        world.run()
    except Refused:
        return Outcome(world.log, [], world.events, world.before)
    values = [
        tuple(float(getattr(t, name)) for name in (*t.kind.states, *t.kind.assigned, *t.kind.numbers))
        for t in world.things
    ]
    return Outcome(world.log, values, world.events, -1, world.rows, world.ends, world.area)
