"""The waits of a body, and the blocks of its requests: what `reader.py` writes of them."""

from __future__ import annotations

import ast
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from eventide.bodies.emission import Emission
from eventide.bodies.expressions import BodyExpressions
from eventide.bodies.operands import LARGEST, Operand, Thing, Unknown
from eventide.bodies.points import Block
from eventide.bodies.requests import asked, name_of_request
from eventide.bodies.spawning import spawned
from eventide.bodies.waits.choices import check_uses, chosen, unsettled, written
from eventide.bodies.waits.gatherings import all_awaited, is_gathering
from eventide.bodies.waits.joins import answer, children_of, joined, kind_awaited
from eventide.bodies.waits.states import watched
from eventide.bodies.waits.ticks import next_instant, period_given
from eventide.bodies.waits.transfers import is_at_chosen, transferred
from eventide.bodies.writing import Writing
from eventide.discrete.commands import hold
from eventide.discrete.periodic import tick
from eventide.reading.nodes import extent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eventide.bodies.waits.choices import Written


_TRUE: Final = Operand("True", "bool")
"""What `until` returns but where something else ends the wait, as only Python does."""
_RESULT: Final = "what a wait returns is native for `ev.until`, a get from a store, a process, and `ev.first_of`"


class Waiting(Writing):
    """A kernel of which the waits are written."""

    def _block_of(self, node: ast.AST | None) -> Block | None:
        """The block whose request an expression is; None for others."""
        key = self.naming.key(node.id) if isinstance(node, ast.Name) else ""
        return next((block for block in self._blocks_around if block.name == key), None)

    def _wait(
        self,
        statement: ast.stmt,
        command: ast.Yield,
        value: ast.expr | None,
        made: Mapping[str, ast.Call] = MappingProxyType({}),
    ) -> None:
        """A `yield`: a hold by a float, a wait for a state or for ends of what is made there; others are Python's.

        value   what it yields
        made    by name, what is made before and waited for there
        """
        resume = self._waiting(command)

        def write(expressions: BodyExpressions) -> None:
            if value is None:
                raise Unknown("it yields nothing", statement)
            self._need_asked(expressions.emission)
            if is_gathering(command):
                words = all_awaited(expressions, command, resume, made)
                self.points[resume] = self.points[resume]._replace(gathered=words)
            elif is_at_chosen(expressions, value):
                transferred(expressions, value, resume)
            elif (child := self._child(value)) or (row := spawned(expressions, value)):
                joined(expressions, child or row, resume, is_made_here=not child)
            elif guard := watched(expressions, value, self.frame, resume):
                self.awaits[resume] = guard
            elif due := self._tick(value, expressions):
                expressions.emission.emit(f"at = {resume}\ncode = hold_until(a, i, {due})\nbreak")
            elif not transferred(expressions, value, resume):
                duration = self._duration(value, expressions)
                text = duration.text
                if not (duration.is_number and duration.low >= 0.0 and duration.high <= LARGEST):
                    expressions.emission.stop_if(f"not (0.0 <= {text} <= {LARGEST!r})", duration, node=value)
                expressions.emission.emit(f"at = {resume}\ncode = hold(a, i, {text})\nbreak")

        self._attempt(statement, write)
        self._lines = None
        self._resume(resume)

    def _get(self, statement: ast.Assign | ast.AnnAssign | ast.If, command: ast.Yield) -> bool:
        """A `yield` whose result a variable gets, or a test: an item from a store, or that a state has come.

        Returns     whether native code goes on behind it
        """
        resume, line = self._waiting(command), ""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)

        def write(expressions: BodyExpressions) -> None:
            nonlocal line
            self._need_asked(expressions.emission)
            guard = "" if command.value is None else watched(expressions, command.value, self.frame, resume)
            if guard:
                self.awaits[resume] = guard
                line = "" if target is None else self._set(target, _TRUE)
                return
            if isinstance(target, ast.Name) and (calls := self._joined(expressions, command.value, resume)):
                known = self.naming.kinds.get(self.naming.key(target.id))
                lines, found = answer(expressions, kind_awaited(expressions, calls, known), command)
                line = f"{lines}\n{self._set(target, found)}"
                self.points[resume] = self.points[resume]._replace(is_answer=True)
                return
            move = None if target is None else transferred(expressions, command.value, resume)
            if move is None or target is None:
                raise Unknown(_RESULT, command)
            line = self._set(target, move.result(command))
            if isinstance(target, ast.Name):
                self.naming.samples.setdefault(self.naming.key(target.id), move.sample)
            self.points[resume] = self.points[resume]._replace(got=move.inventories)

        state = self._attempt(statement, write)
        self._lines = None
        if not state:
            self.resumes.pop((*self.frame.extents, extent(command)), None)
            self.awaits.pop(resume, None)
            return False
        self._resume(resume)
        if target is not None:
            self._add(line)
            self._given(target)
        return True

    def _child(self, node: ast.AST | None) -> str:
        """The variable of the kernel with the row of a process that the body has made; "" for what is none."""
        frame, naming = self.frame, self.naming
        if not isinstance(node, ast.Name):
            return ""
        if frame.children is None:
            frame.children = children_of(BodyExpressions(naming, Emission(self._temporaries)), frame)
        if node.id not in frame.children:
            return ""
        naming.children[naming.key(node.id)] = None
        return f"p_{naming.key(node.id)}"

    def _joined(self, expressions: BodyExpressions, node: ast.expr | None, resume: int) -> list[ast.Call]:
        """Write a wait for what a process returns; the calls that may have made that, none for other waits."""
        if child := self._child(node):
            assert self.frame.children is not None
            assert isinstance(node, ast.Name)
            joined(expressions, child, resume, is_made_here=False)
            return self.frame.children[node.id]
        if not isinstance(node, ast.Call) or is_at_chosen(expressions, node):
            return []
        if not (row := spawned(expressions, node)):
            return []
        expressions.emission.emit(f"a.process.wanted[{row}] = 1")
        joined(expressions, row, resume, is_made_here=True)
        return [node]

    def _tick(self, node: ast.expr, expressions: BodyExpressions) -> str:
        """The variable of the kernel with the next instant of a tick; "" for other commands. Raises Unknown."""
        called = expressions.value(node.func) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(called, Thing) or called.value is not tick:
            return ""
        name, given = period_given(node)
        operand = expressions.number(given, "int", "float")
        fact = self.naming.given.get(operand.text)
        return next_instant(expressions.emission, name, operand, fact and fact.answer, given)

    def _duration(self, node: ast.expr, expressions: BodyExpressions) -> Operand:
        if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
            called = expressions.value(node.func)
            if isinstance(called, Thing) and called.value is hold:
                given = expressions.by_value(node.args[0], "int", "float", "mixed")
                if given.kind == "int":
                    return expressions.emission.keep(f"float({given.text})", "float")
                return given._replace(kind="float", whole="")
        return expressions.number(node, "float")

    # --- requests -------------------------------------------------------------------------------------------------

    def _choose(self, statement: ast.stmt, command: ast.Yield, target: ast.expr | None = None) -> None:
        """A wait for the first of several things."""
        resume = self._waiting(command)
        found: Written | None = None

        def write(expressions: BodyExpressions) -> None:
            nonlocal found
            if target is not None and not isinstance(target, ast.Name):
                raise Unknown("only plain variables of its own are set by native code", target)
            name = target.id if isinstance(target, ast.Name) else ""
            if name:
                check_uses(self.frame.tree, self.naming, name)
            found = written(expressions, command, name, self._blocks_around, len(self.choices), self.frame)
            is_asked = (one for one in self._blocks_around if one.name == found.choice.request)
            self._need_asked(expressions.emission, next(is_asked, None))
            expressions.emission.begin_effect()
            expressions.emission.emit(found.begin(resume))

        state = self._attempt(statement, write)
        self._lines = None
        if not state or found is None:
            self.resumes.pop((*self.frame.extents, extent(command)), None)
            return
        choice = found.choice
        self.choices[choice.number] = choice
        if choice.is_own:
            self.naming.requests[choice.request] = found.stations
        self.points[resume] = self.points[resume]._replace(choice=choice)
        self._start(resume)
        if choice.is_own:
            self._add(found.leaves)
        self._add(self._handlers.delivery(resume, self._blocks_around))
        if isinstance(target, ast.Name):
            self._add(f"o_{choice.number} = a.process.subject[i]")
            self.naming.outcomes[target.id] = choice

    def _on_with(self, statement: ast.With) -> None:
        """The block of a request for units of a resource; other contexts are Python's."""
        choice = chosen(self.naming, statement)
        if choice is not None:
            test = f"if q_{choice.request} < 0:\n    code = EXIT\n    break"
            if self._attempt(statement, lambda expressions: expressions.emission.emit(test)):
                stations = self.naming.requests[choice.request]
                self._in_block(Block(statement.items[0], choice.request, stations, choice.name), statement)
                del self.naming.outcomes[choice.name.removeprefix(self.naming.prefix)]
            return
        block: Block | None = None

        def write(expressions: BodyExpressions) -> None:
            nonlocal block
            is_nested = self._block_of(statement.items[0].optional_vars) is not None
            name = name_of_request(statement, self.frame.tree, self.naming, is_nested=is_nested)
            name = self.naming.key(name)
            stations, text = asked(expressions, statement.items[0].context_expr)
            block = Block(statement.items[0], name, stations)
            self.naming.requests[name] = stations
            expressions.emission.emit(f"q_{name} = {text}")

        if self._attempt(statement, write) and block is not None:
            self._in_block(block, statement)

    def _in_block(self, block: Block, statement: ast.With) -> None:
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
        self._add(f"if not is_ready(a, a.request.station[{variable}]):\n    code = ROOM\n    break")
        self._add(f"at = {resume}\nif not ask(a, {variable}, i):\n    code = WAITS\n    break")
        self._resume(resume)

    def _need_asked(self, emission: Emission, but: Block | None = None) -> None:
        """A wait in the block of a request that was not yielded is left to Python: its end may be an error."""
        for block in self._blocks_around:
            if block is not but:
                emission.emit_early(f"if a.request.state[q_{block.name}] == NEW:\n    code = EXIT\n    break")
        for test in unsettled(self.naming, self._blocks_around):
            emission.emit_early(test)

    def _need_settled(self, statement: ast.stmt) -> None:
        """A way out, on which nothing may be left that only an outcome leads to."""
        if tests := unsettled(self.naming, self._blocks_around):
            self._attempt(statement, lambda expressions: expressions.emission.emit("\n".join(tests)))
