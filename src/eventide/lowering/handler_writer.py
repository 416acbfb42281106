"""Handlers as kernels: statements that change slots and put things into lists, all of it or nothing.

What only Python does is left to Python: there the kernel takes back what it has written and answers ASKS, so that the
handler runs in Python from its beginning. What goes into lists is kept until the end for that.
"""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from eventide.engine.codes import ASKS, DONE, MOST_WRITES
from eventide.lowering.expressions import describe
from eventide.lowering.lowered import Access, Row
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.statements import Statements
from eventide.lowering.values import (
    Elements,
    Formula,
    Function,
    Item,
    Items,
    Nothing,
    Number,
    Ref,
    Stranger,
    Table,
    Target,
    Truth,
    Vector,
    VectorMethod,
)
from eventide.native.ir import ONE, ZERO, Block, Instruction

if TYPE_CHECKING:
    from eventide.lowering.dataflow_merge import Arrival, Flow
    from eventide.lowering.name_resolution import Place
    from eventide.lowering.vectors import Operand

OURS: Final = "eventide"
CHANGED: Final = ("state", "computed", "sum", "parameter")
"""What an event may set."""

_NUMBERS: Final = {
    "float": ("double", "PyFloat_FromDouble"),
    "whole": ("double", "PyLong_FromDouble"),
    "int": ("i64", "PyLong_FromLongLong"),
    "truth": ("i64", "PyBool_FromLong"),
}
"""For each kind of number its type in a kernel, and what makes an object of it."""


@dataclass(frozen=True)
class _Leaf:
    """A number that will become an object: the memory in which it waits."""

    kind: str
    memory: str


@dataclass(frozen=True)
class _Known:
    """An object that is there: the operand with its address."""

    address: str


@dataclass(frozen=True)
class _Group:
    """A tuple to be made."""

    parts: tuple[_Made, ...]


_Made = _Leaf | _Known | _Group


@dataclass(frozen=True)
class _Entry:
    """Something that goes into a list, if the way has come there.

    address     the operand with the list's address
    mark        the memory that tells whether
    """

    address: str
    mark: str
    made: _Made


@dataclass
class Kept:
    """What is known at the beginning of a statement, to go back to."""

    mark: tuple[int, Block, int]
    flow: Flow
    frames: int
    returns: int
    unbounded: int
    books: list[tuple[Any, dict[str, Any]]]


class Handlers(Statements):
    """Writes the instructions of handlers.

    changes     what may be written, in the order in which that is told
    asks        what is left to Python
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.builder.traps = self.builder.overflows = True
        self.changes: dict[Access, Place] = {}
        self.asks: list[CannotLower] = []
        self._leaving: list[Arrival] = []
        self._entries: list[_Entry] = []

    @property
    def appends(self) -> bool:
        """Whether something is put into lists."""
        return bool(self._entries)

    # --- what is left to Python -----------------------------------------------------------------------------------

    def _execute(self, node: ast.stmt) -> None:
        """Write a statement; where it cannot be followed the way ends, and Python is asked. A loop is one statement."""
        if self.loops:
            super()._execute(node)
            return
        kept = self._keep()
        try:
            super()._execute(node)
            self._check_references(node, kept)
        except CannotLower as error:
            self._return_to(kept)
            self.asks.append(error)
            self._leaving.append(self.arrive())

    def _keep(self) -> Kept:
        returns = len(self.frame.returns)
        books: list[tuple[Any, dict[str, Any]]] = [(self, _books(self, ("changes", "asks", "_leaving", "_entries")))]
        books += [(owner, _books(owner)) for owner in (self.slots, self.outside)]
        return Kept(self.builder.mark(), self.flow.copy(), len(self.frames), returns, self.unbounded, books)

    def _return_to(self, kept: Kept) -> None:
        self.builder.return_to(kept.mark)
        self.flow, self.unbounded = kept.flow, kept.unbounded
        del self.frames[kept.frames :], self.loops[:]
        del self.frame.returns[kept.returns :]
        for owner, books in kept.books:
            vars(owner).update(books)

    def _check_references(self, node: ast.stmt, kept: Kept) -> None:
        """Refuse what may become another without anybody telling: it would have to be looked at after each event."""
        before = kept.books[-1][1]["steps"]
        for path, step in self.outside.steps.items():
            if path not in before and step.can_change and not step.is_told:
                raise self.refusal(
                    node, f"nobody tells when {'.'.join(path)} changes: declare it as a field of a Continuous"
                )

    def follow(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """What a call gives; where the function asks on all its ways, why."""
        module = str(function.function.__module__)
        if module.partition(".")[0] == OURS:
            raise Unlowerable(f"{function.function.__qualname__} is done in Python")
        asked = len(self.asks)
        try:
            return super().follow(function, arguments, keywords)
        except Unlowerable:
            if self.is_dead and len(self.asks) > asked:
                raise self.asks[asked] from None
            raise

    def _do_while(self, node: ast.While) -> None:
        raise Unlowerable("a loop that might never end is left to Python, where it can be interrupted")

    def _do_assert(self, node: ast.Assert) -> None:
        def fails() -> None:
            raise Unlowerable("where this fails Python raises")

        if self.loops:
            fails()
        self.choose(self.truth(node.test), lambda: None, lambda: self._execute(ast.copy_location(ast.Raise(), node)))

    # --- what is read ---------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Item:
        """What an expression stands for; CannotLower also for what goes beyond numbers and objects."""
        item = super().evaluate(node)
        if isinstance(item, Elements | Table | Vector | Formula | VectorMethod):
            raise self.refusal(node, "in a handler lists and vectors are left to Python")
        if isinstance(item, Number | Truth) and item.is_numpy:
            raise self.refusal(node, "numpy's numbers warn where Python's raise")
        if isinstance(item, Number) and item.kind != "float" and abs(item.known or 0) > 2**53:
            raise self.refusal(node, "this whole number is too large for a double to be exact")
        return item

    def _call_builtin(self, function: Any, node: ast.Call) -> Item:
        if getattr(function, "__name__", "") == "hypot":
            raise Unlowerable("Python has a formula of its own for it")
        return super()._call_builtin(function, node)

    # --- what is written ------------------------------------------------------------------------------------------

    def _check_row(self, row: Row, name: str) -> None:
        if row not in CHANGED:
            raise Unlowerable(f"{name!r} is not set by events: laws set rates, and the monitor last states")

    def write(self, place: Place, item: Number | Truth) -> None:
        """Set a slot, and tell that it has been."""
        self._check_row(place.row, place.name)
        cls: Any = type(place.owner.sample)
        if cls.__setattr__ is not object.__setattr__:
            raise Unlowerable(f"{cls.__name__} has a __setattr__ of its own")
        access = Access(place.owner.path, place.row, place.name)
        self.changes.setdefault(access, place)
        if len(self.changes) > MOST_WRITES:
            raise Unlowerable(f"it sets more than {MOST_WRITES} quantities")
        number = list(self.changes).index(access)
        self.builder.put("double", ONE, f"%told{number}")
        super().write(place, item)

    def fill(self, target: Vector, item: Operand) -> None:
        """Vectors are left to Python."""
        raise Unlowerable("in a handler vectors are left to Python")

    # --- what goes into lists -------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Item:
        is_append = isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        if is_append and len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred):
            target = self._target(node.func.value)  # type: ignore[attr-defined]  # it is an Attribute
            if target is not None:
                self._append(target, self.evaluate(node.args[0]), node.args[0])
                return Nothing()
        return super()._call(node)

    def _target(self, node: ast.expr) -> Target | None:
        """The list that an expression names; None for anything else."""
        mark, flow = self.builder.mark(), self.flow.copy()
        self.outside.takes_lists = True
        try:
            item = self.evaluate(node)
        finally:
            self.outside.takes_lists = False
        if isinstance(item, Target):
            return item
        self.builder.return_to(mark)
        self.flow = flow
        return None

    def _append(self, target: Target, item: Item, node: ast.expr) -> None:
        if self.loops:
            raise Unlowerable("in a loop it is left to Python")
        made = self._made(item, node)
        mark = self._memory("i1")
        self.builder.put("i1", "true", mark)
        self._entries.append(_Entry(self.slots.object(target.path), mark, made))

    def _made(self, item: Item, node: ast.expr) -> _Made:
        if isinstance(item, Items):
            nodes = node.elts if isinstance(node, ast.Tuple) else [node] * len(item.items)
            return _Group(tuple(self._made(part, at) for part, at in zip(item.items, nodes, strict=True)))
        if isinstance(item, Truth):
            return self._leaf("truth", self.arithmetic.number(item).text)
        if isinstance(item, Number):
            if item.is_mixed:
                raise self.refusal(node, "this may be a whole number or a float: write float(...)")
            return self._leaf(item.kind, item.text)
        if isinstance(item, Nothing):
            return _Known(self.slots.literal(None))
        if isinstance(item, Stranger) and type(item.value) is str:
            return _Known(self.slots.literal(item.value))
        if isinstance(item, Ref) and item.element is None:
            return _Known(self.slots.object(item.path))
        raise self.refusal(node, f"{describe(item)} is put into lists by Python")

    def _leaf(self, kind: str, value: str) -> _Leaf:
        machine = _NUMBERS[kind][0]
        memory = self._memory(machine)
        self.builder.put(machine, value, memory)
        return _Leaf(kind, memory)

    def _memory(self, machine: str) -> str:
        name = self.builder.name()
        self.builder.room.append(Instruction("alloca", machine, result=name))
        return name

    # --- the beginning and the end --------------------------------------------------------------------------------

    def opening(self) -> list[Instruction]:
        """What comes first: nothing has been written or put anywhere, and what may be written is kept."""
        written = [Instruction("store", "i1", "false", entry.mark) for entry in self._entries]
        for number, place in enumerate(self.changes.values()):
            told, undo = f"%told{number}", f"%undo{number}"
            written += [
                Instruction("getelementptr", "double", "%out", number, result=told),
                Instruction("store", "double", ZERO, told),
                Instruction("add", "i64", self.slots.base_of(place), place.offset, result=f"{undo}.slot"),
                Instruction("getelementptr", "double", "%Y", f"{undo}.slot", result=f"{undo}.at"),
                Instruction("load", "double", f"{undo}.at", result=undo),
            ]
        return written

    def close(self) -> None:
        """Write what comes last: all is done, or all is taken back."""
        builder = self.builder
        commit, take_back = builder.block(), builder.block()
        if builder.trap:
            builder.branch(builder.has_trapped(), take_back, commit)
        else:
            builder.jump(commit)
        for arrival in self._leaving:
            builder.resume(arrival.block)
            builder.jump(take_back)
        if builder.trap or self._leaving:
            builder.enter(take_back)
            for number in range(len(self.changes)):
                builder.put("double", f"%undo{number}", f"%undo{number}.at")
            builder.finish("i64", str(ASKS))
        builder.enter(commit)
        self._put()
        builder.finish("i64", self.answer())

    def answer(self) -> str:
        """What is answered where all is done."""
        return str(DONE)

    def _put(self) -> None:
        """Put into lists what has been kept for them, in the order of the code, which is that of its execution."""
        has_groups = any(isinstance(entry.made, _Group) for entry in self._entries)
        # Tuples are looked after by the garbage collector, which might run any code: not before all is done.
        collects = self._python("i32", "PyGC_Disable") if has_groups else ""
        for entry in self._entries:
            put, after = self.builder.block(), self.builder.block()
            self.builder.branch(self.builder.get("i1", entry.mark), put, after)
            self.builder.enter(put)
            made = self._make(entry.made)
            self._python("i32", "PyList_Append", ("ptr", self._pointer(entry.address)), ("ptr", made))
            self._python("void", "Py_DecRef", ("ptr", made))
            self.builder.jump(after)
            self.builder.enter(after)
        if has_groups:
            begin, end = self.builder.block(), self.builder.block()
            self.builder.branch(self.builder.value("icmp ne", "i32", collects, 0), begin, end)
            self.builder.enter(begin)
            self._python("i32", "PyGC_Enable")
            self.builder.jump(end)
            self.builder.enter(end)

    def _make(self, made: _Made) -> str:
        """The operand of a new reference to an object."""
        if isinstance(made, _Leaf):
            machine, maker = _NUMBERS[made.kind]
            value = self.builder.get(machine, made.memory)
            return self._python("ptr", maker, (machine, value))
        if isinstance(made, _Known):
            known = self._pointer(made.address)
            self._python("void", "Py_IncRef", ("ptr", known))
            return known
        group = self._python("ptr", "PyTuple_New", ("i64", str(len(made.parts))))
        for place, part in enumerate(made.parts):
            arguments = ("ptr", group), ("i64", str(place)), ("ptr", self._make(part))
            self._python("i32", "PyTuple_SetItem", *arguments)
        return group

    def _pointer(self, address: str) -> str:
        return self.builder.convert("inttoptr", "i64", address, "ptr")

    def _python(self, answer: str, name: str, *arguments: tuple[str, str]) -> str:
        """Call a function of Python; answers what it gives. All of them are of the stable ABI."""
        self.builder.calls[name] = f"declare {answer} @{name}({', '.join(kind for kind, _ in arguments)})"
        return self.builder.call(answer, f"@{name}", *arguments)


def _books(owner: Any, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """What an object has written down so far, by the names of its attributes."""
    kept = {name: getattr(owner, name) for name in names} if names else vars(owner)
    return {name: copy(value) for name, value in kept.items() if isinstance(value, dict | list | set)}
