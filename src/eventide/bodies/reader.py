"""The body of a generator function as one state machine over a row, in the language that `native/` translates.

In: the syntax tree, and the values of the variables of a generator that is suspended. Out: the text of a kernel, and
the points at which Python takes over: a statement of which no native code is made, or that meets a case that only
Python can do, stops the kernel before it.
"""

from __future__ import annotations

import ast
import re
from textwrap import indent
from typing import TYPE_CHECKING, Any, Final

from eventide.bodies.attributes import setting
from eventide.bodies.emission import Emission
from eventide.bodies.expressions import BodyExpressions
from eventide.bodies.handlers import Handlers
from eventide.bodies.interrupts import interrupted
from eventide.bodies.nodes import extent, pairs_of
from eventide.bodies.operands import LARGEST, Operand, Thing, Unknown
from eventide.bodies.points import Block, Loop, Point
from eventide.bodies.requests import asked, is_named, name_of_request
from eventide.bodies.spawning import spawned
from eventide.discrete.commands import hold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventide.bodies.naming import Naming
    from eventide.reading.twins import Twin

MOST_BLOCKS: Final = 200
MOST_TURNS: Final = 2**20  # of loops in one event: then Python goes on, which can be interrupted
COMMAND: Final = "command"
"""The variable of the kernel for what a `yield` gives that only Python carries out."""


class Reading:
    """A body, read for certain types of its variables.

    kinds       of the variables that native code sets or reads; None for one whose type changes
    points      by the number of the state
    resumes     by the extent of a `yield` in the text: the state in which it is waited there
    extents     the other way round, of each `yield`
    asks        what is left to Python: the node and the reason, by the number of the state
    spawns      the statements that make processes: the node and the variable of the kernel, by the number of the state
    changed     whether new types were found, so that it has to be read again
    """

    def __init__(self, tree: ast.FunctionDef, twin: Twin, naming: Naming) -> None:
        self.twin = twin
        self.naming = naming
        self.points: dict[int, Point] = {}
        self.resumes: dict[tuple[int, int, int, int], int] = {}
        self.extents: dict[int, tuple[int, int, int, int]] = {}
        self.asks: dict[int, tuple[ast.AST, str]] = {}
        self.spawns: dict[int, tuple[ast.Expr, str]] = {}
        self.loops: dict[ast.For, Loop] = {}
        self.changed = False
        self._blocks: dict[int, list[str]] = {0: []}
        self._lines: list[str] | None = self._blocks[0]
        self._states = 0
        self._temporaries = 0
        self._around: list[ast.For] = []
        self._blocks_around: list[Block] = []
        self._handlers = Handlers(naming, tree)
        self._targets: list[tuple[int, int, int]] = []
        self._tree = tree
        self._begin(tree)

    def _begin(self, tree: ast.FunctionDef) -> None:
        self.points[0] = Point(self._place(self._first(tree.body)), (), "executes")
        self._run(tree.body)
        self._add("code = ENDS\nbreak")

    # --- states and blocks ----------------------------------------------------------------------------------------

    def _place(self, node: ast.AST) -> int:
        place = self.twin.places.get(node)
        if place is None:
            why = self.twin.closed.get(node, "no twin begins there")
            raise self.twin.definition.refusal(node, why)
        return place

    def _first(self, statements: Sequence[ast.stmt]) -> ast.stmt:
        """The first statement but declarations, which do nothing."""
        return next((one for one in statements if not isinstance(one, ast.Global | ast.Nonlocal)), statements[0])

    def _new(self) -> int:
        self._states += 1
        if self._states > MOST_BLOCKS:
            raise Unknown("it has too many statements")
        return self._states

    def _point(self, node: ast.AST, does: Any = "executes") -> int:
        """A state in which Python can continue at a node."""
        state = self._new()
        around = tuple(self._around), does, tuple(self._blocks_around), self._handlers.around
        self.points[state] = Point(self._place(node), *around)
        return state

    def _waiting(self, command: ast.Yield) -> int:
        """A state in which it is waited at a `yield`; who handles two interrupts does not go away there."""
        state = self._point(command, "waits")
        self.extents[state] = extent(command)
        if len(self._handlers.around) < 2:
            self.resumes[extent(command)] = state
        return state

    def _resume(self, state: int) -> None:
        """Continue with the block of a state behind a wait."""
        self._start(state)
        self._add(self._handlers.delivery(state, self._blocks_around))

    def _add(self, text: str) -> None:
        if self._lines is not None:
            self._lines.append(text)

    def _jump(self, state: int) -> None:
        self._add(f"at = {state}\ncontinue")
        self._lines = None

    def _start(self, state: int) -> None:
        """Continue with the block of a state; the block before it falls into it."""
        if self._lines is not None:
            self._jump(state)
        self._lines = self._blocks[state] = []
        self.naming.present = set()

    def _come_again(self, state: int) -> None:
        """The kernel itself continues here after it has stopped at this state until a table has grown."""
        present = self.naming.present
        self._start(state)
        self.naming.present = present

    # --- statements -----------------------------------------------------------------------------------------------

    def _run(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if self._lines is None:  # only a wait leads behind it
                self._lines = []
            visit = getattr(self, f"_on_{type(statement).__name__.lower()}", self._on_other)
            visit(statement)

    def _attempt(self, statement: ast.stmt, write: Any) -> int:
        """Write the lines of a statement and return its state; 0 if that cannot be, and it is left to Python."""
        state = self._point(statement)
        emission = Emission(self._temporaries)
        noted = self.naming.noted()
        try:
            write(BodyExpressions(self.naming, emission))
        except Unknown as unknown:
            self.naming.take_back(noted)  # Python executes it, whatever its names stand for
            self._leave(statement, state, str(unknown), unknown.node)
            return 0
        self._temporaries = emission.used
        if any("ROOM" in line for line in emission.lines):
            self._come_again(state)
        if any("break" in line for line in emission.lines):
            self._add(f"at = {state}")
        for line in emission.lines:
            self._add(line)
        return state

    def _leave(self, statement: ast.stmt, state: int, why: str, node: ast.AST | None = None) -> None:
        """Python executes a statement."""
        is_here = any(node is inner for inner in ast.walk(statement))  # and not in a function that it calls
        self.asks[state] = node if node is not None and is_here else statement, why
        self._add(f"at = {state}\ncode = EXIT\nbreak")
        self._lines = None

    def _on_other(self, statement: ast.stmt) -> None:
        self._leave(statement, self._point(statement), "no native code is made of such a statement")

    def _on_pass(self, statement: ast.Pass) -> None:
        pass

    _on_global = _on_nonlocal = _on_pass

    def _on_expr(self, statement: ast.Expr) -> None:
        if isinstance(statement.value, ast.Yield):
            asked = next((block for block in self._blocks_around if is_named(statement.value.value, block.name)), None)
            if asked is None:
                self._wait(statement, statement.value)
            else:
                self._ask(statement, statement.value, asked)
        elif not isinstance(statement.value, ast.Constant):
            self._call(statement)

    def _call(self, statement: ast.Expr) -> None:
        """An expression that is evaluated for what it does: a process may begin."""
        prototype = ""

        def write(expressions: BodyExpressions) -> None:
            nonlocal prototype
            prototype = spawned(expressions, statement.value)
            if not prototype and not interrupted(expressions, statement.value):
                expressions.value(statement.value)

        state = self._attempt(statement, write)
        if state and prototype:
            self.spawns[state] = statement, prototype

    def _wait(self, statement: ast.Expr, command: ast.Yield) -> None:
        """A `yield`: a hold by a float; others are Python's."""
        resume = self._waiting(command)
        is_hold = isinstance(command.value, ast.Call)

        def write(expressions: BodyExpressions) -> None:
            nonlocal is_hold
            if command.value is None:
                raise Unknown("it yields nothing", statement)
            self._need_asked(expressions.emission)
            duration, is_hold = self._duration(command.value, expressions)
            gives = self._point(command, "holds" if is_hold else "yields")
            emission = expressions.emission
            text = f"if not (0.0 <= {duration.text} <= {LARGEST!r}):\n    at = {gives}\n    {COMMAND} = {duration.text}"
            emission.emit(f"{text}\n    code = EXIT\n    break")
            emission.emit(f"at = {resume}\ncode = hold(a, i, {duration.text})\nbreak")

        self._attempt(statement, write)
        self._lines = None
        self._resume(resume)

    def _duration(self, node: ast.expr, expressions: BodyExpressions) -> tuple[Operand, bool]:
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            called = expressions.value(node.func)
            if isinstance(called, Thing) and called.value is hold:
                return self._of_hold(expressions.number(node.args[0], "int", "float"), expressions), True
        return expressions.number(node, "float"), False

    def _of_hold(self, given: Operand, expressions: BodyExpressions) -> Operand:
        if given.kind == "float":
            return given
        return expressions.emission.keep(f"float({given.text})", "float")

    # --- requests -------------------------------------------------------------------------------------------------

    def _on_with(self, statement: ast.With) -> None:
        """The block of a request for units of a resource; other contexts are Python's."""
        block: Block | None = None

        def write(expressions: BodyExpressions) -> None:
            nonlocal block
            is_nested = is_named(statement.items[0].optional_vars, *(block.name for block in self._blocks_around))
            name = name_of_request(statement, self._tree, self.naming, is_nested=is_nested)
            station, text = asked(expressions, statement.items[0].context_expr)
            block = Block(statement.items[0], name, station)
            self.naming.requests[name] = station
            expressions.emission.emit(f"q_{name} = {text}")

        if not self._attempt(statement, write) or block is None:
            return
        self._blocks_around.append(block)
        self._run(statement.body)
        self._leave_blocks(len(self._blocks_around) - 1)
        self._blocks_around.pop()

    def _ask(self, statement: ast.Expr, command: ast.Yield, block: Block) -> None:
        """A `yield` of the request of a block."""
        resume, state = self._waiting(command), self._point(statement)
        variable = f"q_{block.name}"
        emission = Emission(0)
        self._need_asked(emission, block)
        self._come_again(state)
        self._add("\n".join([f"at = {state}", *emission.lines]))
        state_of = f"a.request.state[{variable}]"
        self._add(f"if {state_of} != NEW and {state_of} != PREEMPTED:\n    code = EXIT\n    break")
        self._add(f"if not is_ready(a, {block.station}):\n    code = ROOM\n    break")
        self._add(f"at = {resume}\nif not ask(a, {variable}, i):\n    code = WAITS\n    break")
        self._resume(resume)

    def _need_asked(self, emission: Emission, but: Block | None = None) -> None:
        """A wait in the block of a request that was not yielded is Python's: at its end that may be an error."""
        for block in self._blocks_around:
            if block is not but:
                emission.emit(f"if a.request.state[q_{block.name}] == NEW:\n    code = EXIT\n    break")

    def _leave_blocks(self, kept: int) -> None:
        """Leave the innermost blocks, all but this many."""
        for block in reversed(self._blocks_around[kept:]):
            self._add(f"leave(a, q_{block.name})\nq_{block.name} = -1")

    # --- variables ------------------------------------------------------------------------------------------------

    def _set(self, target: ast.expr, operand: Operand) -> str:
        """The lines that give a variable a value."""
        if not isinstance(target, ast.Name) or target.id not in self.naming.own:
            raise Unknown("only plain variables of its own are set by native code", target)
        name, kinds = target.id, self.naming.kinds
        known = kinds.get(name, operand.kind if name not in self.naming.values else None)
        if known != operand.kind:
            self.changed = self.changed or name not in kinds or kinds[name] is not None
            kinds[name] = None
            raise Unknown("its type changes", target)
        if name not in kinds:
            kinds[name], self.changed = operand.kind, True
        self.naming.used.add(name)
        present = "" if name in self.naming.arguments else f"\nh_{name} = 1"
        return f"v_{name} = {operand.text}{present}"

    def _line(self, expressions: BodyExpressions, target: ast.expr, operand: Operand) -> str:
        """The same of a variable or an attribute."""
        if not isinstance(target, ast.Attribute):
            return self._set(target, operand)
        line, is_new = setting(expressions, target, operand)
        self.changed = self.changed or is_new
        return line

    def _given(self, *targets: ast.expr) -> None:
        """These variables have values from here on."""
        self.naming.present.update(target.id for target in targets if isinstance(target, ast.Name))

    def _on_assign(self, statement: ast.Assign) -> None:
        pairs: list[tuple[ast.expr, ast.expr]] = []
        for target in statement.targets:
            pairs += pairs_of(target, statement.value) if len(statement.targets) == 1 else [(target, statement.value)]

        def write(expressions: BodyExpressions) -> None:
            values: list[Operand] = []
            for k, (_, value) in enumerate(pairs):
                again = k and value is pairs[k - 1][1]
                values.append(values[-1] if again else expressions.number(value))
            if len(values) > 1:  # one of them may be a variable that is set here
                values = [expressions.emission.keep(one.text, one.kind) for one in values]
            lines = [self._line(expressions, target, found) for (target, _), found in zip(pairs, values, strict=True)]
            expressions.emission.emit("\n".join(lines))

        if self._attempt(statement, write):
            self._given(*(target for target, _ in pairs))

    def _on_annassign(self, statement: ast.AnnAssign) -> None:
        value, target = statement.value, statement.target
        if value is None:
            self._on_other(statement)
        elif self._attempt(statement, lambda e: e.emission.emit(self._line(e, target, e.number(value)))):
            self._given(target)

    def _on_augassign(self, statement: ast.AugAssign) -> None:
        target = statement.target

        def write(expressions: BodyExpressions) -> None:
            if isinstance(target, ast.Subscript):
                raise Unknown("only variables of its own and attributes are set by native code", target)
            old = expressions.number(target, "int", "float")
            old = expressions.emission.keep(old.text, old.kind)
            result = expressions.reckon(
                statement, statement.op, old, expressions.number(statement.value, "int", "float")
            )
            expressions.emission.emit(self._line(expressions, target, result))

        if self._attempt(statement, write):
            self._given(target)

    # --- control flow ---------------------------------------------------------------------------------------------

    def _branch(self, statement: ast.stmt, test: ast.expr, then: int, otherwise: int) -> bool:
        def write(expressions: BodyExpressions) -> None:
            found = expressions.truth(test)
            expressions.emission.emit(f"if {found.text}:\n    at = {then}\nelse:\n    at = {otherwise}\ncontinue")

        is_written = self._attempt(statement, write) > 0
        self._lines = None
        return is_written

    def _on_if(self, statement: ast.If) -> None:
        then, otherwise, done = self._new(), self._new(), self._new()
        self._branch(statement, statement.test, then, otherwise)
        for state, body in ((then, statement.body), (otherwise, statement.orelse)):
            self._start(state)
            self._run(body)
            if self._lines is not None:
                self._jump(done)
        self._start(done)

    def _on_assert(self, statement: ast.Assert) -> None:
        def write(expressions: BodyExpressions) -> None:
            test = expressions.truth(statement.test)
            expressions.emission.stop_if(f"not {test.text}", test, node=statement)

        self._attempt(statement, write)

    def _on_while(self, statement: ast.While) -> None:
        head, body, otherwise, done = (self._new() for _ in range(4))
        self._start(head)
        self._branch(statement, statement.test, body, otherwise)
        self._in_loop(body, statement.body, head, done)
        self._start(otherwise)
        self._run(statement.orelse)
        self._start(done)

    def _in_loop(self, state: int, body: Sequence[ast.stmt], head: int, done: int, *given: str) -> None:
        self._targets.append((head, done, len(self._blocks_around)))
        self._start(state)
        self.naming.present.update(given)
        here = self._point(self._first(body))
        self._add(f"turns = turns + 1\nif turns > {MOST_TURNS}:\n    at = {here}\n    code = EXIT\n    break")
        self._run(body)
        self._targets.pop()
        if self._lines is not None:
            self._jump(head)

    def _on_for(self, statement: ast.For) -> None:
        try:
            loop = self._range(statement)
        except Unknown as unknown:
            self._leave(statement, self._point(statement), str(unknown), unknown.node)
            return
        head, body, otherwise, done = (self._new() for _ in range(4))
        self._start(head)
        k, target = loop.number, statement.target
        assert isinstance(target, ast.Name)
        try:
            given = self._set(target, Operand(f"n_{k}", "int"))
        except Unknown as unknown:  # known after the next reading
            raise self.twin.definition.refusal(statement, str(unknown)) from None
        sign = "<" if loop.step > 0 else ">"
        self._add(f"if n_{k} {sign} s_{k}:\n{indent(given, '    ')}\n    n_{k} = n_{k} + {loop.step}\n    at = {body}")
        self._add(f"else:\n    at = {otherwise}\ncontinue")
        self._lines = None
        self._around.append(statement)
        self._in_loop(body, statement.body, head, done, target.id)
        self._around.pop()
        self._start(otherwise)
        self._run(statement.orelse)
        self._start(done)

    def _range(self, statement: ast.For) -> Loop:
        """Begin a loop over a range of whole numbers."""
        items = statement.iter
        if not isinstance(items, ast.Call) or not 1 <= len(items.args) <= 3 or items.keywords:
            raise Unknown("only loops over ranges are native", statement)
        step = 1
        if len(items.args) == 3:
            try:
                step = ast.literal_eval(items.args[2])
            except ValueError:
                step = 0
        if type(step) is not int or not 0 < abs(step) < 2**31:
            raise Unknown("the step of the range is no constant", statement)
        self._check_range(statement, items)
        loop = Loop(len(self.loops), step)
        state, emission = self._point(statement), Emission(self._temporaries)
        expressions = BodyExpressions(self.naming, emission)
        called = expressions.value(items.func)
        if not isinstance(called, Thing) or called.value is not range:
            raise Unknown("only loops over ranges are native", statement)
        bounds = [expressions.number(item, "int") for item in items.args[:2]]
        first = bounds[0].text if len(bounds) == 2 else "0"
        emission.emit(f"n_{loop.number} = {first}\ns_{loop.number} = {bounds[-1].text}")
        self.loops[statement] = loop
        self._temporaries = emission.used
        self._add(f"at = {state}")
        for line in emission.lines:
            self._add(line)
        return loop

    def _check_range(self, statement: ast.For, items: ast.Call) -> None:
        """Refuse what would leave half a loop."""
        naming, target = self.naming, statement.target
        if not isinstance(target, ast.Name) or target.id not in naming.own:
            raise Unknown("only plain variables of its own are set by native code", statement)
        is_other = target.id not in naming.kinds and target.id in naming.values
        if is_other or naming.kinds.get(target.id, "int") != "int":
            raise Unknown("the variable of the loop has other values as well", items)

    def _on_break(self, statement: ast.Break) -> None:
        _, done, kept = self._targets[-1]
        self._leave_blocks(kept)
        self._jump(done)

    def _on_continue(self, statement: ast.Continue) -> None:
        head, _, kept = self._targets[-1]
        self._leave_blocks(kept)
        self._jump(head)

    def _on_return(self, statement: ast.Return) -> None:
        value = statement.value
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            self._leave_blocks(0)
            self._add("code = ENDS\nbreak")
            self._lines = None
        else:
            self._on_other(statement)

    def _on_try(self, statement: ast.Try) -> None:
        handlers = self._handlers
        if not handlers.are_plain(statement):
            self._leave(statement, self._point(statement), "it may act when its process is given up")
            return
        catch = handlers.catch(statement, self._new(), self._blocks_around)
        with handlers.trying(catch):
            self._run(statement.body)
        if self._lines is not None:
            self._run(statement.orelse)
        if catch is None:
            return
        done = self._new()
        if self._lines is not None:
            self._jump(done)
        self._start(catch.state)
        with handlers.inside(catch.handler):
            self._run(catch.body)
        if self._lines is not None:
            self._jump(done)
        self._start(done)

    @property
    def goes_on(self) -> bool:
        """Whether native code may come from one wait, or from its beginning, to the next without Python."""
        seen, waiting = set(), [0, *self.resumes.values()]
        while waiting:
            state = waiting.pop()
            text = "\n".join(self._blocks[state])
            if "code = hold(" in text or "ask(" in text or "spawn(" in text:
                return True
            seen.add(state)
            waiting += [
                other for other in map(int, re.findall(r"at = (\d+)", text)) if other in self._blocks.keys() - seen
            ]
        return False

    # --- the text -------------------------------------------------------------------------------------------------

    def text(self, name: str) -> str:
        """The kernel."""
        wholes, reals = self.columns()
        loads, stores = [], []
        for table, texts in (("wholes", wholes), ("reals", reals)):
            for k, text in enumerate(texts):
                if text[:2] == "u_":
                    continue
                item = f"a.{table}[{table[0]} + {k}]"
                is_truth = text[:2] == "v_" and self.naming.kinds[text[2:]] == "bool"
                loads.append(f"{text} = {f'bool({item})' if is_truth else item}")
                if text[:2] not in ("c_", "g_"):
                    stores.append(f"{item} = {f'int({text})' if is_truth else text}")
        if self.optional:
            loads += [f"h_{variable} = has - has // 2 * 2\nhas = has // 2" for variable in self.optional]
            stores.insert(0, f"has = {' + '.join(f'h_{name} * {2**k}' for k, name in enumerate(self.optional))}")
        parts: list[str] = []
        for state, lines in self._blocks.items():
            body = "\n".join(lines) or "code = EXIT\nbreak"
            parts.append(f"{'el' if parts else ''}if at == {state}:\n{indent(body, '    ')}")
        parts.append("else:\n    code = EXIT\n    break")
        machine = indent("\n".join(parts), "    ")
        begin = [
            "at = a.activity.at[i]",
            "w = a.activity.wholes[i]",
            "r = a.activity.reals[i]",
            "code = EXIT",
            "turns = 0",
            *loads,
        ]
        lines = [*begin, f"while True:\n{machine}", *stores, "a.activity.at[i] = at", "return code"]
        return f"def {name}(a: Rows, i: int) -> int:\n{indent(chr(10).join(lines), '    ')}\n"

    @property
    def optional(self) -> list[str]:
        """The variables that native code knows and that may have no value."""
        return [name for name in self.known if name not in self.naming.arguments]

    @property
    def known(self) -> list[str]:
        """The variables that native code reads or sets."""
        return [name for name, kind in self.naming.kinds.items() if kind and name in self.naming.used]

    def columns(self) -> tuple[list[str], list[str]]:
        """The variables of the kernel that a row keeps: whole numbers, and floats.

        The arguments come first, so that whoever makes a process knows where they are.
        """
        naming, known = self.naming, self.known
        wholes, reals = naming.given_columns()
        wholes += ["has"] if self.optional else []
        reals.append(COMMAND)
        for name in known:
            if name not in naming.arguments:
                (reals if naming.kinds[name] == "float" else wholes).append(f"v_{name}")
        for loop in self.loops.values():
            wholes += [f"n_{loop.number}", f"s_{loop.number}"]
        wholes += [f"q_{name}" for name in naming.requests]
        of_handlers = self._handlers.columns()
        wholes, reals = wholes + of_handlers[0], reals + of_handlers[1]
        wholes += naming.addresses
        for numbered in (naming.stations, naming.spawns, naming.processes, naming.causes):
            wholes += numbered
        for text, fact in naming.given.items():
            (reals if type(fact.answer) is float else wholes).append(text)
        return wholes, reals
