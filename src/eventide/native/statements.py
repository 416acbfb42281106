"""Functions of the stepper's source as LLVM functions, statement by statement.

Variables are memory in the function's frame; LLVM puts them in registers.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eventide.native.expressions import Expressions, is_of_run, signature
from eventide.native.ir import Block, Builder, Instruction
from eventide.native.memory import AS_IT_STANDS, LAYOUTS, STEPPER, Memory
from eventide.native.values import Kind, Untranslatable, Value, convert

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType


class Translation:
    """One function as assembly.

    mark        its attributes for the compiler
    sizes       those of the method, if they are known: loops are unrolled then
    own         functions that are called at their addresses, and the places of these in `kernels`
    text        its definition
    called      the functions of the source that it calls, by name
    builder     knows which functions of the machine and the mathematical library it calls
    """

    def __init__(
        self,
        function: FunctionType,
        instructions: dict[str, Callable[..., Value]],
        *,
        mark: str = "",
        sizes: Sequence[int] | None = None,
        own: Mapping[str, int] | None = None,
    ) -> None:
        kinds, self.answer = signature(function)
        definition = _definition(function)
        self.builder = Builder()
        self._entry = self.builder.block()
        self.builder.enter(self._entry)
        self._as_it_stands = AS_IT_STANDS if sizes is None else ""
        layout = LAYOUTS.get(str(next(iter(function.__annotations__.values()), "")), STEPPER)
        memory = Memory(self.builder, "%a", sizes, layout)
        self.expressions = Expressions(self.builder, memory, function.__globals__, instructions, own)
        self._loops: list[tuple[Block, Block]] = []
        given = [argument.arg for argument in definition.args.args]
        for name, kind in zip(given, kinds, strict=True):
            if kind != "ptr":
                self._set(name, Value(f"%{name}.given", kind))
        self._run(definition.body)
        if self.builder.current is not None:
            self.builder.do(Instruction("ret", "void") if self.answer == "void" else Instruction("unreachable", ""))
        arguments = ", ".join(
            "ptr %a" if kind == "ptr" else f"{kind} %{name}.given" for name, kind in zip(given, kinds, strict=True)
        )
        head = f"define internal {self.answer} @{function.__name__}({arguments})"
        self.text = self.builder.definition(f"{head} {mark}".rstrip())

    @property
    def called(self) -> dict[str, FunctionType]:
        """The functions of the source that are called."""
        return self.expressions.called

    # --- variables ------------------------------------------------------------------------------------------------

    def _set(self, name: str, value: Value) -> None:
        slot = self._slot(name, value.kind)
        kind = self.expressions.local[name][1]
        self.builder.put(kind, convert(self.builder, value, kind).text, slot)

    def _slot(self, name: str, kind: Kind) -> str:
        if name not in self.expressions.local:
            if kind in ("ptr", "void"):
                raise Untranslatable(f"{name} cannot be a variable: it is a {kind}")
            self.expressions.local[name] = (f"%{name}.slot", kind)
            self._entry.merges.append(Instruction("alloca", kind, result=f"%{name}.slot"))
        return self.expressions.local[name][0]

    def _assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._set(target.id, value)
        elif isinstance(target, ast.Subscript):
            name, index = self.expressions.place(target)
            memory = self.expressions.memory
            memory.store(name, index, convert(self.builder, value, memory.kind(name)))
        elif is_of_run(target):
            kind, address = self.expressions.memory.field(target.attr)
            self.builder.put(kind, convert(self.builder, value, kind).text, address)
        else:
            raise Untranslatable(f"{ast.unparse(target)} cannot be assigned")

    # --- statements -----------------------------------------------------------------------------------------------

    def _run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.builder.current is None:
                return
            visit = getattr(self, f"_on_{type(statement).__name__.lower()}", None)
            if visit is None:
                raise Untranslatable(f"{ast.unparse(statement)} is no statement of the stepper's language")
            visit(statement)

    def _on_expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):
            self.expressions.value(statement.value)

    def _on_pass(self, statement: ast.Pass) -> None:
        pass

    def _on_assign(self, statement: ast.Assign) -> None:
        for target in statement.targets:
            self._bind(target, statement.value)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        expressions = self.expressions
        array = expressions.array(value)
        if array is not None:
            assert isinstance(target, ast.Name)
            expressions.aliases[target.id] = array
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            values = [expressions.value(item) for item in value.elts]
            for part, item in zip(target.elts, values, strict=True):
                self._assign(part, item)
        elif isinstance(target, ast.Tuple):
            pair = expressions.value(value)
            for k, part in enumerate(target.elts):
                text = self.builder.value("extractvalue", pair.kind, pair.text, k)
                self._assign(part, Value(text, "double"))
        else:
            self._assign(target, expressions.value(value))

    def _on_augassign(self, statement: ast.AugAssign) -> None:
        old = self.expressions.value(statement.target)
        self._assign(
            statement.target, self.expressions.compute(statement.op, old, self.expressions.value(statement.value))
        )

    def _on_if(self, statement: ast.If) -> None:
        builder = self.builder
        then, done = builder.block(), builder.block()
        otherwise = builder.block() if statement.orelse else done
        builder.branch(self.expressions.truth(statement.test), then, otherwise)
        is_left = not statement.orelse
        for block, body in ((then, statement.body), (otherwise, statement.orelse)):
            if block is done:
                continue
            builder.enter(block)
            self._run(body)
            if builder.current is not None:
                is_left = True
                builder.jump(done)
        if is_left:
            builder.enter(done)

    def _on_while(self, statement: ast.While) -> None:
        _refuse_else(statement)
        builder = self.builder
        test, body, done = builder.block(), builder.block(), builder.block()
        builder.jump(test)
        builder.enter(test)
        builder.branch(self.expressions.truth(statement.test), body, done)
        self._loop(statement.body, body, test, done)
        builder.enter(done)

    def _loop(self, statements: list[ast.stmt], body: Block, again: Block, done: Block) -> None:
        self.builder.enter(body)
        self._loops.append((again, done))
        self._run(statements)
        self._loops.pop()
        if self.builder.current is not None:
            self.builder.jump(again, self._as_it_stands)

    def _on_for(self, statement: ast.For) -> None:
        assert isinstance(statement.target, ast.Name)
        _refuse_else(statement)
        if isinstance(statement.iter, ast.Tuple):
            if any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(statement)):
                raise Untranslatable(f"break and continue in a loop over {ast.unparse(statement.iter)}")
            for item in statement.iter.elts:
                self._assign(statement.target, self.expressions.value(item))
                self._run(statement.body)
            return
        first, last, step = self._range(statement.iter)
        builder = self.builder
        name = f"{statement.target.id}.{builder.count}"
        test, body, again, done = (builder.block() for _ in range(4))
        self._set(name, first)
        builder.jump(test)
        builder.enter(test)
        index = self.expressions.value(ast.Name(name, ast.Load()))
        comparison = "slt" if step > 0 else "sgt"
        builder.branch(builder.value(f"icmp {comparison}", "i64", index.text, last.text), body, done)
        builder.enter(body)
        self._set(statement.target.id, index)
        self._loops.append((again, done))
        self._run(statement.body)
        self._loops.pop()
        if builder.current is not None:
            builder.jump(again)
        builder.enter(again)
        self._set(name, Value(builder.value("add nsw", "i64", index.text, step), "i64"))
        builder.jump(test, self._as_it_stands)
        builder.enter(done)

    def _range(self, node: ast.expr) -> tuple[Value, Value, int]:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
            raise Untranslatable(f"a loop over {ast.unparse(node)}")
        bounds = [self.expressions.number(argument, "i64") for argument in node.args[:2]]
        first = bounds[0] if len(bounds) == 2 else Value("0", "i64")  # range(lo, hi)
        step = ast.literal_eval(node.args[2]) if len(node.args) > 2 else 1  # range(lo, hi, step)
        return first, bounds[-1], int(step)

    def _on_break(self, statement: ast.Break) -> None:
        self.builder.jump(self._loops[-1][1])

    def _on_continue(self, statement: ast.Continue) -> None:
        self.builder.jump(self._loops[-1][0], self._as_it_stands)

    def _on_return(self, statement: ast.Return) -> None:
        value = statement.value
        if value is None:
            self.builder.finish()
        elif isinstance(value, ast.Tuple):
            pair = "undef"
            for k, item in enumerate(value.elts):
                text = self.expressions.number(item, "double").text
                pair = self.builder.value("insertvalue", self.answer, pair, f"double {text}", k)
            self.builder.finish(self.answer, pair)
        else:
            self.builder.finish(self.answer, self.expressions.number(value, self.answer).text)


def _refuse_else(statement: ast.While | ast.For) -> None:
    if statement.orelse:
        raise Untranslatable(f"the else of a loop: {ast.unparse(statement.orelse[0])}")


def _definition(function: FunctionType) -> ast.FunctionDef:
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition
