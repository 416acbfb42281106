"""A program as text in the language that users write."""

from __future__ import annotations

from fuzzing import model as m

FIRST_LINES = '''"""A random program, of seed {seed}."""

import math

import numpy as np

import eventide as ev

'''


GETS = {"bell": "", "shelf": ".get()", "tank": f".get({m.PORTION!r})"}
"""How one waits for the things that processes share, besides units."""


def indented(lines: list[str]) -> list[str]:
    """The lines of a block; a block without any is `pass`."""
    return ["    " + line for line in lines or ["pass"]]


class Words:
    """Prints expressions. `prefix` stands before the names of what a process or handler was given."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix

    def path(self, path: m.Path) -> str:
        """Names with dots between them."""
        root = path[0] if path[0] == "self" or path[0].startswith("law_") else self.prefix + path[0]
        return ".".join((root, *path[1:]))

    def expr(self, e: m.Expr) -> str:
        """An expression, in brackets where it needs them."""
        match e:
            case m.Num(value):
                return repr(value) if value >= 0.0 else f"({value!r})"
            case m.Read(path):
                return self.path(path)
            case m.Time():
                return self.path(("sim", "time"))
            case m.Bin(op, left, right):
                return f"({self.expr(left)} {op} {self.expr(right)})"
            case m.Call(name, args):
                word = name if name in {"abs", "min", "max"} else f"math.{name}"
                return f"{word}({', '.join(map(self.expr, args))})"
            case m.Whole(word, inner, divisor):
                if word in {"//", "%"}:
                    return f"({self.expr(inner)} {word} {divisor!r})"
                function = {"floor": "math.floor", "ceil": "math.ceil", "numpy": "np.floor"}.get(word, word)
                return f"{function}({self.expr(inner)})"
            case m.Choice(test, then, other):
                return f"({self.expr(then)} if {self.test(test)} else {self.expr(other)})"
            case m.Apply(path, argument):
                return f"{self.path(path)}({self.expr(argument)})"
            case m.Gather(path, name, factor):
                return f"sum(member.{name} * {factor!r} for member in {self.path(path)})"
            case m.Total(path, _):
                return f"{self.path(path)}.sum()"
            case m.Rate(path):
                return self.path((*path[:-1], "rate", path[-1]))
            case m.Stock(name):
                one = self.path((name,))
                return (
                    f"len({one}.items)" if name == "shelf" else f"{one}.{'amount' if name == 'tank' else 'available'}"
                )
            case m.Local(name) | m.Global(name):
                return name
            case m.Opaque(inner):
                return f"sorted([{self.expr(inner)}])[0]"
        raise TypeError(f"no expression: {e!r}")

    def test(self, t: m.Test) -> str:
        """A condition."""
        match t:
            case m.Cmp(op, left, right):
                return f"{self.expr(left)} {op} {self.expr(right)}"
            case m.Both(word, left, right):
                return f"({self.test(left)}) {word} ({self.test(right)})"
        raise TypeError(f"no test: {t!r}")

    def condition(self, t: m.Test, given: str) -> str:
        """What `when` and `until` wait for, as functions of what they are given."""
        if isinstance(t, m.Crosses):
            level = self.expr(t.level) if isinstance(t.level, m.Num) else f"{given} {self.expr(t.level)}"
            return f"ev.crosses({given} {self.expr(t.value)}, {level}, direction={t.direction!r})"
        return f"{given} {self.test(t)}"


class Block(Words):
    """Prints statements of handlers and processes."""

    def lines(self, statements: list[m.Statement]) -> list[str]:
        """All lines of some statements."""
        return [line for statement in statements for line in self.statement(statement)]

    def log(self, label: str, values: list[str]) -> str:
        """The line that appends to the log."""
        tag = [self.path(("self", "tag"))] if self.prefix == "self." and self.is_handler else []
        parts = [repr(label), *tag, self.path(("sim", "time")), *values]
        return f"{self.path(('log',))}.append(({', '.join(parts)}))"

    is_handler = False

    def statement(self, s: m.Statement) -> list[str]:
        """The lines of one statement."""
        p, e = self.path, self.expr
        match s:
            case m.Log(label, values):
                return [self.log(label, [e(value) for value in values])]
            case m.Assign(path, op, value):
                return [f"{p(path)} {op} {e(value)}"]
            case m.WriteItem(path, item, value):
                return [f"with {p(path[:-1])}[{path[-1]!r}].write() as items:", f"    items[{item}] += {e(value)}"]
            case m.Let(name, value):
                return [f"{name} = {e(value)}"]
            case m.SetGlobal(name, value):
                return [f"set_{name}({e(value)})"]
            case m.Refer(path, source):
                return [f"{p(path)} = {p(source)}"]
            case m.Swap(first, second):
                return [f"{p(first)}, {p(second)} = {p(second)}, {p(first)}"]
            case m.Member(path, member):
                return [
                    f"if {p(member)} in {p(path)}:",
                    f"    {p(path)}.remove({p(member)})",
                    "else:",
                    f"    {p(path)}.append({p(member)})",
                ]
            case m.Toggle(path):
                return [f"if {p(path)}.active:", f"    {p(path)}.stop()", "else:", f"    {p(path)}.start()"]
            case m.Freeze(path):
                one = f"{p(path[:-1])}[{path[-1]!r}]"
                return [f"if {one}.active:", f"    {one}.stop()", "else:", f"    {one}.start()"]
            case m.Create(kind, numbers, references, most):
                fields = [f"{name}={e(value)}" for name, value in numbers.items()]
                fields += [f"{name}={p(path)}" for name, path in references.items()]
                fields += [f"log={p(('log',))}", f"pool={p(('pool',))}", f"procs={p(('procs',))}"]
                pool = p(("pool",))
                return [
                    f"if len({pool}) < {most}:",
                    f"    made = K{kind}({p(('sim',))}, tag=100.0 + len({pool}), {', '.join(fields)})",
                    f"    {pool}.append(made)",
                    "    made.start()",
                ]
            case m.If(test, then, other):
                lines = [f"if {self.test(test)}:", *indented(self.lines(then))]
                return [*lines, "else:", *indented(self.lines(other))] if other else lines
            case m.Loop(times, body):
                head = "while True:" if times == m.FOREVER else f"for _ in range({times}):"
                return [head, *indented(self.lines(body))]
            case m.Guarded(body, label, tells):
                cause = ["-1.0 if interrupt.cause is None else interrupt.cause"] if tells else []
                return [
                    "try:",
                    *indented(self.lines(body)),
                    f"except ev.Interrupt{' as interrupt' if tells else ''}:",
                    *indented([self.log(label, ["'interrupted'", *cause])]),
                ]
            case m.Send(signal, value):
                return [f"{p((signal,))}.send({e(value)})"]
            case m.Interrupt(process) | m.End(process):
                one = f"{p(('procs',))}[{process}]"
                act = "end()" if isinstance(s, m.End) else f"interrupt({'' if s.cause is None else repr(s.cause)})"
                return [f"if not {one}.terminated and {one} is not {p(('sim',))}.current:", f"    {one}.{act}"]
            case m.Halt():
                return [f"{p(('sim',))}.stop()"]
            case m.Tolerate(path, relative):
                return [f"{p(path[:-1])}[{path[-1]!r}].rel_error = {relative!r}"]
            case m.Rank(path, priority):
                return [f"{p(path)}.set_priority({priority!r})"]
            case m.Staff(resource, units, excess):
                more = "" if excess == "finish" else f", excess={excess!r}"
                return [f"{p((resource,))}.set_capacity({units!r}{more})"]
            case m.MoveRequest(source, target):
                one, other = p((source,)), p((target,))
                return [f"if {one}.waiting:", f"    {one}.waiting[0].move({other})"]
            case m.Activate(process):
                return [f"{p(('procs',))}[{process}].activate()"]
            case m.Rouse(process, word, delay):
                one, given = f"{p(('procs',))}[{process}]", "" if delay is None else f"delay={delay!r}"
                return [f"if {one} is not {p(('sim',))}.current:", f"    {one}.{word}({given})"]
            case m.Spawn(process, most):
                procs = p(("procs",))
                return [f"if len({procs}) < {most}:", f"    {procs}.append(procs_of[{p(('sim',))}][{process}]())"]
        return self.wait(s)

    def wait(self, s: m.Statement) -> list[str]:
        """The lines of a statement that waits."""
        p, e = self.path, self.expr
        match s:
            case m.Hold(duration):
                return [f"yield ev.hold({e(duration)})"]
            case m.Until(test, priority):
                rank = f", priority={priority!r}" if priority else ""
                return [f"yield ev.until({self.condition(test, 'lambda:')}{rank})"]
            case m.Met(test, label):
                return [
                    f"got = yield ev.until({self.condition(test, 'lambda:')})",
                    self.log(label, ["'met' if got else 'roused'"]),
                ]
            case m.FirstOf(test, patience, label, more):
                waits = f"met=ev.until({self.condition(test, 'lambda:')}), late=ev.hold({patience!r})"
                waits += f", more={p((more,))}{GETS[more]}" if more else ""
                return [f"got = yield ev.first_of({waits})", self.log(label, ["got.name"])]
            case m.AllOf(test, duration, label):
                return [
                    f"yield ev.all_of(met=ev.until({self.condition(test, 'lambda:')}), late=ev.hold({duration!r}))",
                    self.log(label, ["'both'"]),
                ]
            case m.Use(resource, priority, patience, label, body):
                rank = f"{priority!r}" if priority else ""
                lines = [f"with {p((resource,))}.request({rank}) as place:"]
                inner = [self.log(label, ["'served'"]), *self.lines(body)]
                if patience is None:
                    return [*lines, *indented(["yield place", *inner])]
                return [
                    *lines,
                    f"    got = yield ev.first_of(served=place, late=ev.hold({patience!r}))",
                    '    if got.name == "served":',
                    *indented(indented(inner)),
                    "    else:",
                    f"        {self.log(label, [repr('late')])}",
                ]
            case m.Work(resource, priority, duration, preempts, resumes, label):
                return [
                    f"left = {duration!r}",
                    f"with {p((resource,))}.request({priority!r}, preempt={preempts!r}) as place:",
                    "    while True:",
                    "        try:",
                    "            yield place",
                    f"            {self.log(label, [repr('served')])}",
                    "            yield ev.hold(left)",
                    f"            {self.log(label, [repr('done')])}",
                    "            break",
                    "        except ev.Interrupt as interrupt:",
                    "            if not isinstance(interrupt.cause, ev.Preemption):",
                    "                raise",
                    "            left = interrupt.left",
                    f"            {self.log(label, [repr('preempted'), 'left'])}",
                    *([] if resumes else ["            break"]),
                ]
            case m.Put(store, value):
                return [f"yield {p((store,))}.put({e(value)})"]
            case m.Get(store, label):
                return [f"item = yield {p((store,))}.get()", self.log(label, ["item"])]
            case m.Pour(tank, amount):
                return [f"yield {p((tank,))}.put({amount!r})"]
            case m.Draw(tank, amount):
                return [f"yield {p((tank,))}.get({amount!r})"]
            case m.Await(signal, label):
                return [f"value = yield {p((signal,))}", self.log(label, ["value"])]
            case m.Passivate():
                return ["yield ev.passivate()"]
            case m.WaitEnd(process):
                return [f"yield {p(('procs',))}[{process}]"]
            case m.Tick(period):
                return [f"yield ev.tick({period!r})"]
        raise TypeError(f"no statement: {s!r}")


class HandlerBlock(Block):
    """Statements of a handler, whose object has a tag."""

    is_handler = True


def law_lines(law: m.Law, words: Words, *, is_rate: bool) -> list[str]:
    """One line of equations, in its style."""
    path = (*law.path[:-1], "rate", law.path[-1]) if is_rate else law.path
    target = words.path(path)
    if law.style == "method":
        return [f"{target} {law.op} self.{method_of(law)}()"]
    if law.style == "local":
        return [f"value = {words.expr(law.value)}", f"{target} {law.op} value"]
    if law.style == "branches" and isinstance(law.value, m.Choice):
        choice = law.value
        return [
            f"if {words.test(choice.test)}:",
            f"    {target} {law.op} {words.expr(choice.then)}",
            "else:",
            f"    {target} {law.op} {words.expr(choice.other)}",
        ]
    return [f"{target} {law.op} {words.expr(law.value)}"]


def method_of(law: m.Law) -> str:
    """The name of the method in which the value of a line stands."""
    return f"part_{'_'.join(law.path[1:])}"


def method_lines(law: m.Law, words: Words) -> list[str]:
    """That method, which returns early if there is a choice."""
    lines = [f"    return {words.expr(law.value)}"]
    if isinstance(law.value, m.Choice):
        then, other = words.expr(law.value.then), words.expr(law.value.other)
        lines = [f"    if {words.test(law.value.test)}:", f"        return {then}", f"    return {other}"]
    return ["", f"def {method_of(law)}(self):", *lines]


def vector_lines(vector: m.Vector, words: Words) -> list[str]:
    """The law of a vector, in its style."""
    size, speed = len(vector.starts), repr(vector.speed)
    first = f"self.rate.u[0] = {words.expr(vector.rate(0))}"
    if vector.style == "loop":
        inner = f"    self.rate.u[k] = {speed} * (self.u[k - 1] - self.u[k])"
        return [first, f"for k in range(1, {size}):", inner]
    if vector.style == "slices":
        return ["u = self.u", first, f"self.rate.u[1:] = {speed} * (u[:-1] - u[1:])"]
    return [f"self.rate.u[{k}] = {words.expr(vector.rate(k))}" for k in range(size)]


def class_lines(kind: m.Class) -> list[str]:
    """The text of one class."""
    words, block = Words("self."), HandlerBlock("self.")
    lines = ["tag: float = 0.0"]
    lines += [f"{name}: ev.State = ev.state({start!r})" for name, start in kind.states.items()]
    lines += [f"{name}: ev.State = ev.state({start!r}, assigned=True)" for name, start in kind.assigned.items()]
    lines += [f"{name}: float = {value!r}" for name, value in kind.numbers.items()]
    lines += [f"{name}: int = {value!r}" for name, value in kind.wholes.items()]
    if kind.surface is not None:
        lines.append("side: float = 1.0")
    if kind.vector is not None:
        lines.append(f"u: ev.StateVector = ev.state_vector(0.0, size={len(kind.vector.starts)})")
    lines += [f"{name}: ev.Computed = ev.computed()" for name in kind.computed]
    lines += [f"{name}: ev.Summed = ev.summed()" for name in kind.sums]
    lines += [f"{name}: {annotation(name, target)} = None" for name, target in kind.references.items()]
    lines += [f"{name}: list = ev.field(default_factory=list)" for name in (*kind.lists, "log", "pool", "procs")]
    lines += [f"{name}: object = {function}" for name, function in kind.functions.items()]
    if kind.contributions:
        body = [line for law in kind.contributions for line in law_lines(law, words, is_rate=False)]
        lines += ["", "def contributions(self):", *indented(body)]
    values = [line for law in kind.values for line in law_lines(law, words, is_rate=False)]
    rates = [line for law in kind.rates for line in law_lines(law, words, is_rate=True)]
    rates += vector_lines(kind.vector, words) if kind.vector is not None else []
    drifts = [f"self.w = self.last.w + self.sim.dt * {words.expr(law.value)}" for law in kind.drifts]
    body = [*rates, *values] if kind.late else [*values, *rates]
    body += [f"{words.path(law.path)} = {words.expr(law.value)}" for law in kind.clamps]
    lines += ["", "def equations(self):", *indented([*drifts, *body])]
    lines += [line for law in kind.rates if law.style == "method" for line in method_lines(law, words)]
    if kind.surface is not None:
        for name, op, side in (("below", "<", 1.0), ("above", ">", -1.0)):
            lines += ["", f"@ev.when(lambda self: self.x {op} {kind.surface.level!r})"]
            lines += [f"def {name}(self):", f"    self.side = {side!r}"]
        lines += ["", "sliding = above.slides(below)"]
    for handler in kind.handlers:
        more = f", priority={handler.priority!r}" if handler.priority else ""
        more += ", at_start=True" if handler.at_start else ""
        condition = words.condition(handler.test, "lambda self:")
        if handler.returns_early:
            condition = f"lambda self: self.asks_{handler.name}()"
            lines += ["", f"def asks_{handler.name}(self):", *indented(early_lines(handler.test, words))]
        lines += [
            "",
            f"@ev.when({condition}{more})",
            f"def {handler.name}(self):",
            *indented(block.lines(handler.body)),
        ]
    for every in kind.every:
        shift = f", offset={every.offset!r}" if every.offset else ""
        lines += [
            "",
            f"@ev.every({every.period!r}{shift})",
            f"def {every.name}(self):",
            *indented(block.lines(every.body)),
        ]
    return [f"class K{kind.index}(ev.Continuous):", *indented(lines), ""]


def early_lines(test: m.Test, words: Words) -> list[str]:
    """A condition as the body of a function that returns early."""
    if isinstance(test, m.Both):
        head = f"if not ({words.test(test.left)}):" if test.word == "and" else f"if {words.test(test.left)}:"
        return [head, f"    return {test.word == 'or'}", *early_lines(test.right, words)]
    match test:
        case m.Cmp(op, m.Choice(choice, then, other), right):
            made = [
                f"if {words.test(choice)}:",
                f"    value = {words.expr(then)}",
                "else:",
                f"    value = {words.expr(other)}",
            ]
            return [*made, f"return value {op} {words.expr(right)}"]
    return [f"if {words.test(test)}:", "    return True", "return False"]


def annotation(name: str, target: int) -> str:
    """What is written of a reference: what branches in laws is located by it, or not."""
    return f'"K{target} | None"' if name == "mate" else "object"


def names_of(program: m.Program) -> list[str]:
    """What every process is given."""
    things = [o.name for o in program.objects]
    return ["log", "pool", "procs", *things, *program.resources, *program.stores, *program.tanks, *program.signals]


def process_lines(process: m.Process, names: list[str]) -> list[str]:
    """A story, as a generator, as one within a function, whose variables it shares, or as a class."""
    if process.style == "generator":
        body = Block().lines(process.body)
        return [f"def story{process.index}(sim, {', '.join(names)}):", *indented([*body, *end_of(body)]), ""]
    if process.style == "nested":
        body = Block().lines(process.body)
        local = dict.fromkeys(part.name for part in m.parts_of(process) if isinstance(part, m.Let))
        shared = [f"nonlocal {', '.join(local)}"] if local else []
        inner = ["def story():", *indented([*shared, *body, *end_of(body)]), "return story()"]
        lines = [*(f"{name} = 0.0" for name in local), *inner]
        return [f"def story{process.index}(sim, {', '.join(names)}):", *indented(lines), ""]
    body = Block("self.").lines(process.body)
    fields = [f"{name}: object = None" for name in names]
    run = ["def run(self):", *indented([*body, *end_of(body)])]
    return [f"class Story{process.index}(ev.Process):", *indented([*fields, "", *run]), ""]


def end_of(body: list[str]) -> list[str]:
    """What makes a generator of a story that never waits."""
    return [] if any("yield" in line for line in body) else ["yield ev.hold(0.0)"]


def vector_start(kind: m.Class) -> str:
    """Where the items of a new object's vector begin."""
    return f", u={kind.vector.starts!r}" if kind.vector is not None else ""


def build_lines(program: m.Program, names: list[str]) -> list[str]:
    """The function that builds the model in a simulation; what is numbered later is in `pool`."""
    lines = [f"set_{name}({value!r})" for name, value in program.numbers.items()]
    has_samples = any(isinstance(part, m.Opaque) for part in m.parts_of(program)) or m.assigns(program)
    if has_samples or program.seed % 4 == 0:
        longest = 2.0 * m.SEEN  # else some steps end at regular times of recordings
        lines.append(f"sim.dt_max = {longest if program.seed % 2 else longest // float(m.GRID) * float(m.GRID)!r}")
    lines.append("log, pool, procs = [], [], []")
    for o in program.objects:
        numbers = "".join(f", {name}={value!r}" for name, value in o.numbers.items())
        numbers += vector_start(program.classes[o.kind])
        lines.append(f"{o.name} = K{o.kind}(sim, name={o.name!r}{numbers}, log=log, pool=pool, procs=procs)")
    for o in program.objects:
        lines += [f"{o.name}.{name} = {other}" for name, other in o.references.items()]
        lines += [f"{o.name}.{name} = [{', '.join(others)}]" for name, others in o.lists.items()]
    for name, units in program.resources.items():
        kind = "PreemptiveResource" if name == "bench" else "Resource"
        lines.append(f"{name} = ev.{kind}(sim, {units}, name={name!r})")
    for name, shifts in program.shifts.items():
        given = f"period={shifts.period!r}, on_close={shifts.excess!r}"
        lines.append(f"ev.Shifts(sim, {name}, {shifts.hours!r}, {given})")
    lines += [f"{name} = ev.Store(sim, name={name!r})" for name in program.stores]
    lines += [f"{name} = ev.Container(sim, initial={level!r}, name={name!r})" for name, level in program.tanks.items()]
    lines += [f"{name} = ev.Signal(sim, name={name!r})" for name in program.signals]
    lines += [f"{name}.start()" for name in program.order]
    stories = []
    for process in program.processes:
        if process.style != "class":
            stories.append(f"{process.index}: lambda: sim.process(story{process.index}(sim, {', '.join(names)})),")
        else:
            given = ", ".join(f"{name}={name}" for name in names)
            stories.append(f"{process.index}: lambda: Story{process.index}(sim, {given}).activate(),")
    lines += ["procs_of[sim] = {", *indented(stories), "}"]
    for process in program.processes:
        if not process.waits:
            lines.append(f"procs.append(procs_of[sim][{process.index}]())")
    for k, pause in enumerate(program.pauses):
        lines += [f"def pause_{k}():", *indented(Block().lines(pause.body))]
    pauses = [f"({pause.time!r}, pause_{k})" for k, pause in enumerate(program.pauses)]
    lines.append(f"pauses_of[sim] = [{', '.join(pauses)}]")
    objects = ", ".join(o.name for o in program.objects)
    return ["def build(sim):", *indented([*lines, f"return log, pool, [{objects}]"]), ""]


def source_of(program: m.Program) -> str:
    """The module of a program; `build(sim)` answers its log, its list of objects made later, its objects."""
    lines = []
    words = Words()
    for name, value in program.numbers.items():
        lines += [f"{name} = {value!r}", "", f"def set_{name}(value):", f"    global {name}", f"    {name} = value", ""]
    for function in program.functions:
        if function.text:
            lines += [f"{function.name} = {function.text}", ""]
            continue
        lines += [f"def {function.name}(x):", f"    return {words.expr(function.value)}", ""]
    lines += ["procs_of = {}", "pauses_of = {}", ""]
    for kind in program.classes:
        lines += class_lines(kind)
    names = names_of(program)
    for process in program.processes:
        lines += process_lines(process, names)
    return FIRST_LINES.format(seed=program.seed) + "\n".join(lines + build_lines(program, names))
