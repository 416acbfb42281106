"""The body of a generator function as one state machine over a row, in the language that `native/` translates.

In: the syntax tree, and the values of the variables of a generator that is suspended. Out: the text of a kernel, and
the points at which Python takes over: a statement of which no native code is made, or that meets a case that only
Python can do, stops the kernel before it.
"""

from __future__ import annotations

import ast
from contextlib import contextmanager
from functools import partial
from textwrap import indent
from typing import TYPE_CHECKING, Final, TypeGuard

from eventide.bodies import words
from eventide.bodies.arithmetic import as_mixed, kept
from eventide.bodies.attributes import setting
from eventide.bodies.emission import Emission
from eventide.bodies.expressions import BodyExpressions
from eventide.bodies.frames import RESULT, Frame, entered, is_plain_call
from eventide.bodies.interrupts import interrupted
from eventide.bodies.items import added, change_item, set_item
from eventide.bodies.operands import Operand, Thing, Unknown, as_kept, sure
from eventide.bodies.points import Loop, Point
from eventide.bodies.spawning import is_spawn, spawned
from eventide.bodies.stations.loops import is_over_items, items_of, looped
from eventide.bodies.unpacking import is_unpacked, unpacked
from eventide.bodies.waits.gatherings import is_gathering
from eventide.bodies.waits.joins import kept_row, returned
from eventide.bodies.waits.levels import level_changed
from eventide.bodies.waits.waiting import Waiting
from eventide.reading.nodes import extent, is_composed, is_set_once, pairs_of, placed, small_whole, tests_of
from eventide.reading.source import CannotLower

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FunctionType

    from eventide.bodies.frames import Call
    from eventide.bodies.naming import Naming
    from eventide.reading.twins import Twin

MOST_TURNS: Final = 2**20  # of loops in one event: then Python continues, which can be interrupted


class Reading(Waiting):
    """A body, read for certain types of its variables: what `Writing` and `Waiting` write of its statements."""

    def __init__(self, tree: ast.FunctionDef, twin_of: Callable[[FunctionType], Twin], naming: Naming) -> None:
        super().__init__(tree, twin_of, naming)
        self._begin(tree)

    def _begin(self, tree: ast.FunctionDef) -> None:
        self.points[0] = Point(self._place(self._first(tree.body)), self.frame, ())
        self._run(tree.body)
        self._add("code = ENDS\nbreak")

    # --- statements -----------------------------------------------------------------------------------------------

    def _run(self, statements: Sequence[ast.stmt]) -> bool:
        """Some statements; whether anything leads behind them."""
        naming, outcomes = self.naming, self.naming.outcomes
        naming.outcomes = {**outcomes}
        following = iter(statements)
        for statement in following:
            if self._lines is None:  # only a wait leads behind it
                self._lines = []
            if made := self._awaits_what_it_makes(statement):
                for _ in range(made):
                    next(following)
                continue
            visit = getattr(self, f"_on_{type(statement).__name__.lower()}", self._on_other)
            visit(statement)
        naming.outcomes = outcomes
        return self._lines is not None

    def _awaits_what_it_makes(self, statement: ast.stmt) -> int:
        """Statements that make processes, and the next one, which waits for these, as one; how many make some."""
        if (made := self.frame.awaited.get(statement)) is None:
            return 0
        noted = self.naming.noted()
        try:
            expressions = BodyExpressions(self.naming, Emission(self._temporaries))
            are_made = all(is_spawn(call, expressions) for call in made.calls.values())
        except Unknown:
            are_made = False
        self.naming.take_back(noted)
        if not are_made or (is_composed(made.command) and not is_gathering(made.command)):
            return 0
        self.naming.awaited.update(dict.fromkeys(map(self.naming.key, made.calls)))
        self._wait(statement, made.command, next(iter(made.calls.values())), made.calls)
        return len(made.calls)

    def _on_other(self, statement: ast.stmt) -> None:
        self._leave(statement, self._point(statement), "no native code is made of such a statement")

    def _on_pass(self, statement: ast.Pass) -> None:
        pass

    _on_global = _on_nonlocal = _on_pass

    def _on_expr(self, statement: ast.Expr) -> None:
        self._evaluate(statement, statement.value)

    def _evaluate(self, statement: ast.Expr, value: ast.expr) -> None:
        """An expression that is the statement, or that a test chooses there."""
        if _chooses_wait(value):
            self._choose_value(statement, value, partial(self._evaluate, statement))
        elif isinstance(value, ast.Yield):
            asked = self._block_of(value.value)
            if asked is None and is_composed(value) and not is_gathering(value):
                self._choose(statement, value)
            elif asked is None:
                self._wait(statement, value, value.value)
            else:
                self._ask(statement, value, asked)
        elif isinstance(value, ast.YieldFrom):
            self._go_through(statement, value)
        elif not isinstance(value, ast.Constant):
            self._call(statement, value)

    def _call(self, statement: ast.Expr, node: ast.expr) -> None:
        """An expression that is evaluated for what it does: a process may begin."""

        def write(expressions: BodyExpressions) -> None:
            if not any(written(expressions, node) for written in (added, level_changed, spawned, interrupted)):
                expressions.value(node)

        self._written_or_entered(statement, node, write)

    def _written_or_entered(
        self,
        statement: ast.stmt,
        node: ast.expr,
        write: Callable[[BodyExpressions], object],
        target: ast.expr | None = None,
    ) -> bool:
        """A statement by its lines, or by the statements of the function that it calls; whether by its own lines."""
        noted = self.naming.noted()
        is_call = is_plain_call(BodyExpressions(self.naming, Emission(self._temporaries)), node)
        self.naming.take_back(noted)  # what does the statement notes what it relies on
        is_written = self._attempt(statement, write, is_last=not is_call) > 0
        if is_call and not is_written:
            assert isinstance(node, ast.Call)
            self._go_through(statement, node, target)
        return is_written

    # --- variables ------------------------------------------------------------------------------------------------

    def _line(self, expressions: BodyExpressions, target: ast.expr, operand: Operand) -> str:
        """The lines that give a variable or an attribute a value."""
        if isinstance(target, ast.Name) and sure(self.naming.kinds.get(self.naming.key(target.id))) == "mixed":
            return self._set(target, as_mixed(expressions.emission, operand, target))
        if not isinstance(target, ast.Attribute):
            return self._set(target, operand)
        line, is_new = setting(expressions, target, operand, self.frames[0].tree)
        self.changed = self.changed or is_new
        return line

    def _stored(self, expressions: BodyExpressions, target: ast.expr, node: ast.expr) -> Operand:
        """What a variable or an attribute gets: a number, or the address of an object."""
        is_name, naming = isinstance(target, ast.Name), self.naming
        found = words.for_variable(expressions, node) if is_name else expressions.optional(node)
        if isinstance(found, Operand):
            return words.lasting(expressions, found, node) if isinstance(target, ast.Name) else found
        if not isinstance(target, ast.Name):
            return words.of_thing(expressions, found, node)
        if not naming.is_lasting(found):
            raise Unknown("it is no number that a row could keep", node)
        if is_set_once(self.frame.tree, target) and target.id not in naming.arguments:
            return Operand(naming.address(found), "object", among=(found,))
        if words.is_word(found.value):
            return words.of_thing(expressions, found, node)
        if naming.kinds.get(naming.key(target.id)) != "object":
            raise Unknown("a variable of several objects is left to Python", node)
        return Operand(naming.address(found), "object")

    def _on_assign(self, statement: ast.Assign | ast.AnnAssign) -> None:
        if statement.value is None:
            self._on_other(statement)
        else:
            self._assign(statement, statement.value)

    _on_annassign = _on_assign

    def _assign(self, statement: ast.Assign | ast.AnnAssign, assigned: ast.expr) -> None:
        """What the targets get is the value of the statement, or what a test chooses there."""
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if _chooses_wait(assigned):
            self._choose_value(statement, assigned, partial(self._assign, statement))
            return
        if isinstance(assigned, ast.YieldFrom) and len(targets) == 1:
            self._go_through(statement, assigned, targets[0])
            return
        if isinstance(assigned, ast.Yield) and is_composed(assigned) and isinstance(statement, ast.Assign):
            if len(targets) == 1:
                self._choose(statement, assigned, targets[0])
                return
        elif isinstance(assigned, ast.Yield) and len(targets) == 1:
            self._get(statement, assigned)
            return
        pairs: list[tuple[ast.expr, ast.expr]] = []
        for target in targets:
            pairs += pairs_of(target, assigned) if len(targets) == 1 else [(target, assigned)]

        def write(expressions: BodyExpressions) -> None:
            if child := self._child(pairs[0][0]):
                kept_row(expressions, child, spawned(expressions, pairs[0][1]))
                return
            if len(pairs) == 1 and is_unpacked(*pairs[0]):
                for part, item in unpacked(expressions, *pairs[0]):
                    expressions.emission.emit(self._line(expressions, part, item))
                return
            if len(pairs) == 1 and set_item(expressions, *pairs[0]):
                return
            values: list[Operand] = []
            for k, (target, value) in enumerate(pairs):
                again = k and value is pairs[k - 1][1]
                values.append(values[-1] if again else self._stored(expressions, target, value))
            if len(values) > 1 and any(one.is_borrowed for one in values):
                raise Unknown("what attributes exchange but numbers is left to Python", statement)
            if len(values) > 1:  # one of them may be a variable that is set here
                values = [kept(expressions.emission, one) for one in values]
            lines = [self._line(expressions, target, found) for (target, _), found in zip(pairs, values, strict=True)]
            expressions.emission.emit("\n".join(lines))

        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            is_written = self._written_or_entered(statement, assigned, write, targets[0])
        else:
            is_written = self._attempt(statement, write) > 0
        if is_written:
            self._given(*(part for target, _ in pairs for part in getattr(target, "elts", [target])))

    def _on_augassign(self, statement: ast.AugAssign) -> None:
        target = statement.target

        def write(expressions: BodyExpressions) -> None:
            if change_item(expressions, statement):
                return
            old = kept(expressions.emission, expressions.number(target, "int", "float", "mixed"))
            result = expressions.compute(statement, statement.op, old, expressions.operand(statement.value))
            expressions.emission.emit(self._line(expressions, target, result))

        if self._attempt(statement, write):
            self._given(target)

    # --- control flow ---------------------------------------------------------------------------------------------

    def _branch(
        self, statement: ast.stmt, test: ast.expr, then: int, otherwise: int, *, is_tested_again: bool = False
    ) -> bool:
        def write(expressions: BodyExpressions) -> None:
            found = expressions.truth(test)
            if is_tested_again and not expressions.emission.is_pure:
                raise Unknown("a test that draws, before a wait in its own statement, is left to Python", test)
            expressions.emission.emit(f"if {found.text}:\n    at = {then}\nelse:\n    at = {otherwise}\ncontinue")

        is_written = self._attempt(statement, write) > 0
        self._lines = None
        return is_written

    def _on_if(self, statement: ast.If) -> None:
        then, otherwise, done = self._new(), self._new(), self._new()
        if not isinstance(statement.test, ast.Yield):
            self._branch(statement, statement.test, then, otherwise)
        elif self._get(statement, statement.test):  # what it returns is true
            self._jump(then)
        for state, body in ((then, statement.body), (otherwise, statement.orelse)):
            self._start(state)
            self._run(body)
            if self._lines is not None:
                self._jump(done)
        self._start(done)

    def _on_match(self, statement: ast.Match) -> None:
        """A `match` with constants: test after test, each with the subject, of which Python makes all again."""
        tests, done = tests_of(statement, statement.subject), self._new()
        if tests is None or isinstance(statement.cases[0].pattern, ast.MatchAs):  # that makes no test
            self._on_other(statement)
            return
        for case, test in zip(statement.cases, tests, strict=True):
            then, otherwise = self._new(), self._new()
            self._branch(statement, placed(test, case.pattern), then, otherwise, is_tested_again=True)
            self._start(then)
            self._run(case.body)
            if self._lines is not None:
                self._jump(done)
            self._start(otherwise)
        self._start(done)

    def _choose_value(self, statement: ast.stmt, value: ast.IfExp, write: Callable[[ast.expr], None]) -> None:
        """One of two expressions of a statement, of which one waits: where Python goes on there it tests again."""
        then, otherwise, done = self._new(), self._new(), self._new()
        self._branch(statement, value.test, then, otherwise, is_tested_again=True)
        for state, chosen in ((then, value.body), (otherwise, value.orelse)):
            self._start(state)
            write(chosen)
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
        if is_over_items(statement.iter):
            self._loop_over_items(statement)
            return
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
            raise self.frame.twin.definition.refusal(statement, str(unknown)) from None
        sign = "<" if loop.step > 0 else ">"
        self._add(f"if n_{k} {sign} s_{k}:\n{indent(given, '    ')}\n    n_{k} = n_{k} + {loop.step}\n    at = {body}")
        self._go_round(statement, loop, head, body, otherwise, done, target.id)

    def _go_round(
        self, statement: ast.For, loop: Loop, head: int, body: int, otherwise: int, done: int, *given: str
    ) -> None:
        """What a loop does, and what comes where it has no more; it gives these variables values."""
        self._add(f"else:\n    at = {otherwise}\ncontinue")
        self._lines = None
        self._around.append(loop)
        self._in_loop(body, statement.body, head, done, *given)
        self._around.pop()
        self._start(otherwise)
        self._run(statement.orelse)
        self._start(done)

    def _loop_over_items(self, statement: ast.For) -> None:
        loop: Loop | None = None
        lines: list[str] = []
        names: list[ast.Name] = []

        def write(expressions: BodyExpressions) -> None:
            nonlocal loop, lines, names
            items, twin = items_of(expressions, statement), self.frame.twin
            names = items.names
            if any(name.id not in self.naming.own for name in names) or statement not in twin.heads:
                raise Unknown("only plain variables of its own are set by native code", statement)
            loop, given, lines = looped(expressions, statement, items, len(self.loops), self.frame.tree)
            lines += map(self._set, names, given)
            lines.append(f"n_{loop.number} = n_{loop.number} + 1")

        if not self._attempt(statement, write) or loop is None:
            return
        self.loops.append(loop)
        head, body, otherwise, done, again = (self._new() for _ in range(5))
        self._around.append(loop)
        self.points[again] = self._here(statement)._replace(place=self.frame.twin.heads[statement])
        self._around.pop()
        self._start(head)
        owners = [text for text, _ in loop.zipped] or [f"s_{loop.number}"]
        tests = " and ".join(f"n_{loop.number} < length({owner})" for owner in owners)
        self._add(f"at = {again}\nif {tests}:")
        self._add(indent("\n".join([*lines, f"at = {body}"]), "    "))
        self._go_round(statement, loop, head, body, otherwise, done, *(name.id for name in names))

    def _range(self, statement: ast.For) -> Loop:
        """Begin a loop over a range of whole numbers."""
        items = statement.iter
        if not isinstance(items, ast.Call) or not 1 <= len(items.args) <= 3 or items.keywords:
            raise Unknown("only loops over ranges are native", statement)
        step = small_whole(items.args[2]) if len(items.args) == 3 else 1
        if not step:
            raise Unknown("the step of the range is no constant", statement)
        self._check_range(statement, items)
        loop = Loop(len(self.loops), step, statement)
        state, emission = self._point(statement), Emission(self._temporaries)
        expressions = BodyExpressions(self.naming, emission)
        called = expressions.value(items.func)
        if not isinstance(called, Thing) or called.value is not range:
            raise Unknown("only loops over ranges are native", statement)
        bounds = [expressions.by_value(item, "int") for item in items.args[:2]]
        first = bounds[0].text if len(bounds) == 2 else "0"
        emission.emit(f"n_{loop.number} = {first}\ns_{loop.number} = {bounds[-1].text}")
        self.loops.append(loop)
        self._temporaries = emission.used
        self._add(f"at = {state}")
        self._add_lines(state, emission)
        return loop

    def _check_range(self, statement: ast.For, items: ast.Call) -> None:
        """Refuse what would leave half a loop."""
        naming, target = self.naming, statement.target
        if not isinstance(target, ast.Name) or target.id not in naming.own:
            raise Unknown("only plain variables of its own are set by native code", statement)
        key = naming.key(target.id)
        is_other = (key not in naming.kinds and target.id in naming.values) or target.id in naming.bound
        if is_other or naming.kinds.get(key, "int") != "int":
            raise Unknown("the variable of the loop has other values as well", items)

    def _on_break(self, statement: ast.Break) -> None:
        _, done, kept = self._targets[-1]
        self._need_settled(statement)
        self._leave_blocks(kept)
        self._jump(done)

    def _on_continue(self, statement: ast.Continue) -> None:
        head, _, kept = self._targets[-1]
        self._need_settled(statement)
        self._leave_blocks(kept)
        self._jump(head)

    def _on_return(self, statement: ast.Return) -> None:
        value, frame = statement.value, self.frame
        self._need_settled(statement)
        if value is None or (isinstance(value, ast.Constant) and value.value is None and not frame.result):
            self._end()
        elif isinstance(value, ast.YieldFrom):
            self._on_other(statement)
        elif frame.call is None:
            if self._attempt(statement, lambda expressions: returned(expressions, value)):
                self._leave_blocks(frame.blocks)
                self._add("code = ENDS\nbreak")
                self._lines = None
        else:

            def write(expressions: BodyExpressions) -> None:
                if not frame.result:
                    expressions.value(value)
                    return
                operand = words.handed_on(expressions, value)
                if sure(self.naming.kinds.get(frame.result)) == "mixed":
                    operand = as_mixed(expressions.emission, operand, value)
                expressions.emission.emit(self._returned(operand, value))

            if self._attempt(statement, write):
                self._leave_blocks(frame.blocks)
                self._jump(frame.done)

    def _returned(self, operand: Operand, node: ast.AST) -> str:
        """The lines by which a function that it goes through returns something."""
        return self._kept(self.frame.result, operand, "none" if operand.none == "True" else operand.kind, node)

    def _end(self) -> None:
        """A function comes to its end without a result."""
        frame = self.frame
        if frame.result:
            self._add(self._returned(self.naming.variable("", "none"), self.frame.tree))
        self._leave_blocks(frame.blocks)
        if frame.call is None:
            self._add("code = ENDS\nbreak")
            self._lines = None
        else:
            self._jump(frame.done)

    # --- functions that it goes through ---------------------------------------------------------------------------

    def _go_through(self, statement: ast.stmt, call: Call, target: ast.expr | None = None) -> None:
        """A `yield from`, or a call: it is replaced by the statements of the known function."""
        state, noted, lines = self._point(statement), self.naming.noted(), self._lines
        loops, states, frames = len(self.loops), self._states, len(self.frames)
        sizes = [len(table) for table in self._tables]
        used, here = set(self.naming.used), len(lines or ())
        try:
            self._enter(call, target, state)
        except (Unknown, CannotLower) as refusal:
            for table, size in zip(self._tables, sizes, strict=True):
                while len(table) > size:
                    table.popitem()
            self.naming.leave_to_python(noted)
            self.naming.used.intersection_update(used)
            del self.loops[loops:], self.frames[frames:]
            self._states, self._lines = states, lines
            if lines is not None:
                del lines[here:]
            why = refusal.why if isinstance(refusal, CannotLower) else str(refusal)
            self._leave(statement, state, why, getattr(refusal, "node", None))

    def _enter(self, call: Call, target: ast.expr | None, state: int) -> None:
        emission, outer = Emission(self._temporaries), self.frame
        if target is not None and not isinstance(target, ast.Name):
            raise Unknown("only plain variables of its own are set by native code", target)
        frame = entered(BodyExpressions(self.naming, emission), call, outer, self._twin_of)
        self._temporaries = emission.used
        begin, frame.done = self._new(), self._new()
        frame.standing, frame.extents = self._here(call), (*outer.extents, extent(call))
        frame.blocks, frame.handlers = len(self._blocks_around), len(self._handlers.around)
        naming = self.naming
        if target is not None:
            frame.result = frame.naming.key(RESULT)
            naming.certain.add(frame.result)
            naming.used.add(frame.result)
        self._add_lines(state, emission)
        before = self._lines
        with self._inside(frame):
            self._lines = self.blocks[begin] = []
            if self._run(frame.tree.body):
                self._end()
        if before is not None:
            before += [f"h_{name} = 0" for name in self.optional if name.startswith(frame.naming.prefix)]
            before.append(f"{frame.began_in_python} = 0")
            before.append(f"at = {begin}\ncontinue")
        self._start(frame.done)
        if target is not None:
            kind = naming.kinds.get(frame.result)
            if kind is None:
                raise Unknown("what the function that it goes through returns is left to Python", call)
            self._add(self._set(target, as_kept(naming.variable(frame.result, kind))))
            self._given(target)

    @contextmanager
    def _inside(self, frame: Frame) -> Iterator[None]:
        """While a function is read that another one goes through."""
        kept = self.frame, self._around, self._targets
        self.frame, self._around, self._targets = frame, [], []
        self.frames.append(frame)
        try:
            with self._handlers.through(frame.naming, frame.tree):
                yield
        finally:
            self.frame, self._around, self._targets = kept
            del self._blocks_around[frame.blocks :]

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


def _chooses_wait(value: ast.expr) -> TypeGuard[ast.IfExp]:
    """Whether a test chooses between expressions of which one is a `yield`, but for the first of several things."""
    if not isinstance(value, ast.IfExp):
        return False
    found = [one for one in (value.body, value.orelse) if isinstance(one, ast.Yield | ast.YieldFrom)]
    is_plain = not any(isinstance(one, ast.Yield) and is_composed(one) for one in found)
    return is_plain and (bool(found) or _chooses_wait(value.body) or _chooses_wait(value.orelse))
