"""Handlers as kernels: statements that change slots and put objects into lists, all of it or nothing.

In: the body of a handler. Out: a kernel. It stores what it may overwrite when it begins, and what goes into lists
until it ends. Where it meets what only Python can do (another call, a field in no slot, a loop that might not end, a
number for which Python would raise, a whole number beyond 2**53) it undoes its writes and returns ASKS, and the event
takes place in Python, in the same state. A handler that does so on every path is no kernel.
"""

from __future__ import annotations

import ast
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from eventide.continuous.components.reference import number_of
from eventide.engine.codes import ASKS, DONE, MOST_WRITES
from eventide.lowering.kernels.lowered import Access, Row
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.translation.calls import call
from eventide.lowering.translation.control_flow import choose
from eventide.lowering.translation.dialect import Dialect
from eventide.lowering.translation.expressions import evaluate_boolean
from eventide.lowering.translation.rules import lowers
from eventide.lowering.translation.values import (
    AppendTarget,
    Boolean,
    Formula,
    Function,
    Item,
    Items,
    Nothing,
    Number,
    ObjectList,
    Opaque,
    Ref,
    Table,
    Vector,
    VectorMethod,
    constant,
    describe,
)
from eventide.native.ir import ONE, ZERO, Block, Instruction

if TYPE_CHECKING:
    from eventide.lowering.names.found import ModePlace, Place
    from eventide.lowering.translation.context import Context
    from eventide.lowering.translation.scope import Edge, Scope
    from eventide.lowering.translation.vectors import Operand

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
class _NewNumber:
    """A number that will become an object: the memory in which it waits."""

    kind: str
    memory: str


@dataclass(frozen=True)
class _KnownObject:
    """An object that is there: the operand with its address."""

    address: str


@dataclass(frozen=True)
class _NewTuple:
    """A tuple to be made."""

    parts: tuple[_Appended, ...]


_Appended = _NewNumber | _KnownObject | _NewTuple


@dataclass(frozen=True)
class _Entry:
    """Something that goes into a list, if the way has come there.

    address     the operand with the list's address
    mark        the memory that tells whether
    """

    address: str
    mark: str
    made: _Appended


@dataclass
class _Snapshot:
    """What is known at the beginning of a statement, to go back to."""

    mark: tuple[int, Block, int]
    scope: Scope
    frames: int
    returns: int
    unbounded: int
    books: list[tuple[object, dict[str, Any]]]


@dataclass(frozen=True)
class _Setting:
    """A mode that is set: the operands with the addresses of the object, of the name and of what it is set to."""

    owner: str
    name: str
    value: str
    mark: str


class HandlerDialect(Dialect):
    """How handlers are lowered.

    changes     what may be written, in the order in which that is told
    asks        what is left to Python
    """

    kinds: ClassVar[tuple[str, ...]] = ("handler", "")
    overflows: ClassVar[bool] = True

    def __init__(self) -> None:
        self.changes: dict[Access, Place] = {}
        self.asks: list[CannotLower] = []
        self._leaving: list[Edge] = []
        self._entries: list[_Entry] = []
        self._settings: list[_Setting] = []

    @property
    def appends(self) -> bool:
        """Whether objects of Python's change: something is put into lists, or modes are set."""
        return bool(self._entries or self._settings)

    # --- what is left to Python -----------------------------------------------------------------------------------

    def execute(self, context: Context, node: ast.stmt) -> None:
        """Write a statement; where it cannot be followed the way ends, and Python is asked. A loop is one statement."""
        if context.loops:
            super().execute(context, node)
            return
        kept = self._keep(context)
        try:
            super().execute(context, node)
            self._check_references(context, node, kept)
        except CannotLower as error:
            self._return_to(context, kept)
            self.asks.append(error)
            self._leaving.append(context.arrive())

    def _keep(self, context: Context) -> _Snapshot:
        returns = len(context.frame.returns)
        books: list[tuple[object, dict[str, object]]] = [
            (self, _books(self, ("changes", "asks", "_leaving", "_entries", "_settings")))
        ]
        books += [(owner, _books(owner)) for owner in (context.slots, context.names)]
        return _Snapshot(
            context.builder.mark(), context.scope.copy(), len(context.frames), returns, context.unbounded, books
        )

    def _return_to(self, context: Context, kept: _Snapshot) -> None:
        context.builder.return_to(kept.mark)
        context.scope, context.unbounded = kept.scope, kept.unbounded
        del context.frames[kept.frames :], context.loops[:]
        del context.frame.returns[kept.returns :]
        for owner, books in kept.books:
            vars(owner).update(books)

    def _check_references(self, context: Context, node: ast.stmt, kept: _Snapshot) -> None:
        """Refuse what may change without notice: it would have to be checked after each event."""
        before = kept.books[-1][1]["steps"]
        for path, step in context.names.steps.items():
            if path not in before and step.can_change and not step.is_announced:
                raise context.refusal(
                    node, f"changes of {'.'.join(path)} are not announced: declare it as a field of a Continuous"
                )

    def follow(self, context: Context, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """What a call gives; where the function asks on every path, why."""
        module = str(function.function.__module__)
        if module.partition(".")[0] == OURS:
            raise Unlowerable(f"{function.function.__qualname__} is done in Python")
        asked = len(self.asks)
        try:
            return super().follow(context, function, arguments, keywords)
        except Unlowerable:
            if context.is_dead and len(self.asks) > asked:
                raise self.asks[asked] from None
            raise

    # --- what is read ---------------------------------------------------------------------------------------------

    def check_value(self, context: Context, item: Item, node: ast.expr) -> None:
        """Refuse what goes beyond numbers and objects."""
        if isinstance(item, ObjectList | Table | Vector | Formula | VectorMethod):
            raise context.refusal(node, "in a handler lists and vectors are left to Python")
        if isinstance(item, Number | Boolean) and item.is_numpy:
            raise context.refusal(node, "numpy's numbers warn where Python's raise")
        if isinstance(item, Number) and item.kind != "float" and abs(item.known or 0) > 2**53:
            raise context.refusal(node, "this whole number is too large for a double to be exact")

    def check_function(self, function: object) -> None:
        """Refuse what has other bits in Python."""
        if getattr(function, "__name__", "") == "hypot":
            raise Unlowerable("Python has a formula of its own for it")

    # --- what is written ------------------------------------------------------------------------------------------

    def check_row(self, row: Row, name: str) -> None:
        """Events set what they may."""
        if row not in CHANGED:
            raise Unlowerable(f"{name!r} is not set by events: laws set rates, and the monitor last states")

    def write(self, context: Context, place: Place, item: Number | Boolean) -> None:
        """Set a slot, and tell that it has been."""
        self.check_row(place.row, place.name)
        cls: Any = type(place.owner.sample)
        if cls.__setattr__ is not object.__setattr__:
            raise Unlowerable(f"{cls.__name__} has a __setattr__ of its own")
        access = Access(place.owner.path, place.row, place.name)
        self.changes.setdefault(access, place)
        if len(self.changes) > MOST_WRITES:
            raise Unlowerable(f"it sets more than {MOST_WRITES} quantities")
        number = list(self.changes).index(access)
        _ask_what_does_not_fit(context, place, item)
        context.builder.put("double", ONE, f"%told{number}")
        super().write(context, place, item)

    def fill(self, context: Context, target: Vector, item: Operand) -> None:
        """Vectors are left to Python."""
        raise Unlowerable("in a handler vectors are left to Python")

    def set_mode(self, context: Context, mode: ModePlace, item: Item) -> None:
        """Set a mode to what is written out: its number at once, and the object's own attribute when all is done."""
        owner = mode.place.owner
        if context.loops or owner.element is not None:
            raise Unlowerable("in a loop it is left to Python")
        if not isinstance(item, Opaque) or type(item.value) is not mode.kind:
            raise Unlowerable("modes that are not written out are set by Python")
        self.write(context, mode.place, constant(number_of(item.value)))
        mark, slots = _memory(context, "i1"), context.slots
        context.builder.put("i1", "true", mark)
        known = slots.object(owner.path), slots.literal(mode.path[-1]), slots.literal(item.value)
        self._settings.append(_Setting(*known, mark))

    # --- what goes into lists -------------------------------------------------------------------------------------

    def append(self, context: Context, target: AppendTarget, item: Item, node: ast.expr) -> None:
        """Put something into a list at the end."""
        if context.loops:
            raise Unlowerable("in a loop it is left to Python")
        made = self._made(context, item, node)
        mark = _memory(context, "i1")
        context.builder.put("i1", "true", mark)
        self._entries.append(_Entry(context.slots.object(target.path), mark, made))

    def _made(self, context: Context, item: Item, node: ast.expr) -> _Appended:
        if isinstance(item, Items):
            nodes = node.elts if isinstance(node, ast.Tuple) else [node] * len(item.items)
            return _NewTuple(tuple(self._made(context, part, at) for part, at in zip(item.items, nodes, strict=True)))
        if isinstance(item, Boolean):
            return _leaf(context, "truth", context.arithmetic.number(item).text)
        if isinstance(item, Number):
            if item.is_mixed:
                raise context.refusal(node, "this may be a whole number or a float: write float(...)")
            return _leaf(context, item.kind, item.text)
        if isinstance(item, Nothing):
            return _KnownObject(context.slots.literal(None))
        if isinstance(item, Opaque) and type(item.value) is str:
            return _KnownObject(context.slots.literal(item.value))
        if isinstance(item, Ref) and item.element is None:
            return _KnownObject(context.slots.object(item.path))
        raise context.refusal(node, f"{describe(item)} is put into lists by Python")

    # --- the beginning and the end --------------------------------------------------------------------------------

    def opening(self, context: Context) -> list[Instruction]:
        """What comes first: nothing has been written or put anywhere, and what may be written is kept."""
        marks = [*(entry.mark for entry in self._entries), *(setting.mark for setting in self._settings)]
        written = [Instruction("store", "i1", "false", mark) for mark in marks]
        for number, place in enumerate(self.changes.values()):
            changed, undo = f"%told{number}", f"%undo{number}"
            written += [
                Instruction("getelementptr", "double", "%out", number, result=changed),
                Instruction("store", "double", ZERO, changed),
                Instruction("add", "i64", context.slots.base_of(place), place.offset, result=f"{undo}.slot"),
                Instruction("getelementptr", "double", "%Y", f"{undo}.slot", result=f"{undo}.at"),
                Instruction("load", "double", f"{undo}.at", result=undo),
            ]
        return written

    def close(self, context: Context) -> None:
        """Write what comes last: all is done, or all is taken back."""
        builder = context.builder
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
        self._set(context)
        self._put(context)
        builder.finish("i64", str(DONE))

    def _set(self, context: Context) -> None:
        """Set modes among the attributes of their objects, in the order of the code."""
        for setting in self._settings:
            put, after = context.builder.block(), context.builder.block()
            context.builder.branch(context.builder.get("i1", setting.mark), put, after)
            context.builder.enter(put)
            owner, name, value = (_pointer(context, one) for one in (setting.owner, setting.name, setting.value))
            own = _call_python(context, "ptr", "PyObject_GenericGetDict", ("ptr", owner), ("ptr", "null"))
            _call_python(context, "i32", "PyDict_SetItem", ("ptr", own), ("ptr", name), ("ptr", value))
            _call_python(context, "void", "Py_DecRef", ("ptr", own))
            context.builder.jump(after)
            context.builder.enter(after)

    def _put(self, context: Context) -> None:
        """Put into lists what has been kept for them, in the order of the code, which is that of its execution."""
        has_groups = any(isinstance(entry.made, _NewTuple) for entry in self._entries)
        # Tuples are tracked by the garbage collector, which might run any code: not before all is done.
        collects = _call_python(context, "i32", "PyGC_Disable") if has_groups else ""
        for entry in self._entries:
            put, after = context.builder.block(), context.builder.block()
            context.builder.branch(context.builder.get("i1", entry.mark), put, after)
            context.builder.enter(put)
            made = _make(context, entry.made)
            _call_python(context, "i32", "PyList_Append", ("ptr", _pointer(context, entry.address)), ("ptr", made))
            _call_python(context, "void", "Py_DecRef", ("ptr", made))
            context.builder.jump(after)
            context.builder.enter(after)
        if has_groups:
            begin, end = context.builder.block(), context.builder.block()
            context.builder.branch(context.builder.value("icmp ne", "i32", collects, 0), begin, end)
            context.builder.enter(begin)
            _call_python(context, "i32", "PyGC_Enable")
            context.builder.jump(end)
            context.builder.enter(end)


def _books(owner: object, names: tuple[str, ...] = ()) -> dict[str, object]:
    """What an object has written down so far, by the names of its attributes."""
    kept = {name: getattr(owner, name) for name in names} if names else vars(owner)
    return {name: copy(value) for name, value in kept.items() if isinstance(value, dict | list | set)}


def _leaf(context: Context, kind: str, value: str) -> _NewNumber:
    machine = _NUMBERS[kind][0]
    memory = _memory(context, machine)
    context.builder.put(machine, value, memory)
    return _NewNumber(kind, memory)


def _memory(context: Context, machine: str) -> str:
    name = context.builder.name()
    context.builder.room.append(Instruction("alloca", machine, result=name))
    return name


def _make(context: Context, made: _Appended) -> str:
    """The operand of a new reference to an object."""
    if isinstance(made, _NewNumber):
        machine, maker = _NUMBERS[made.kind]
        value = context.builder.get(machine, made.memory)
        return _call_python(context, "ptr", maker, (machine, value))
    if isinstance(made, _KnownObject):
        known = _pointer(context, made.address)
        _call_python(context, "void", "Py_IncRef", ("ptr", known))
        return known
    group = _call_python(context, "ptr", "PyTuple_New", ("i64", str(len(made.parts))))
    for place, part in enumerate(made.parts):
        arguments = ("ptr", group), ("i64", str(place)), ("ptr", _make(context, part))
        _call_python(context, "i32", "PyTuple_SetItem", *arguments)
    return group


def _pointer(context: Context, address: str) -> str:
    """An address as a pointer."""
    return context.builder.convert("inttoptr", "i64", address, "ptr")


def _call_python(context: Context, answer: str, name: str, *arguments: tuple[str, str]) -> str:
    """Call a function of Python; returns what it gives. All of them are of the stable ABI."""
    context.builder.calls[name] = f"declare {answer} @{name}({', '.join(kind for kind, _ in arguments)})"
    return context.builder.call(answer, f"@{name}", *arguments)


def _dialect(context: Context) -> HandlerDialect:
    assert isinstance(context.dialect, HandlerDialect)
    return context.dialect


@lowers(ast.While, kind="handler")
def _while(context: Context, node: ast.While) -> None:
    raise Unlowerable("a loop that might never end is left to Python, where it can be interrupted")


@lowers(ast.Assert, kind="handler")
def _assert(context: Context, node: ast.Assert) -> None:
    if context.loops:
        raise Unlowerable("where this fails Python raises")
    raising = ast.copy_location(ast.Raise(), node)
    choose(context, evaluate_boolean(context, node.test), lambda: None, lambda: context.execute(raising))


@lowers(ast.Call, kind="handler")
def _call(context: Context, node: ast.Call) -> Item:
    """What a call gives; `append` puts something into a list."""
    is_append = isinstance(node.func, ast.Attribute) and node.func.attr == "append"
    if is_append and len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred):
        target = _list_named(context, node.func.value)  # type: ignore[attr-defined]  # it is an Attribute
        if target is not None:
            _dialect(context).append(context, target, context.evaluate(node.args[0]), node.args[0])
            return Nothing()
    return call(context, node)


def _list_named(context: Context, node: ast.expr) -> AppendTarget | None:
    """The list that an expression names; None for anything else."""
    mark, scope = context.builder.mark(), context.scope.copy()
    context.names.takes_lists = True
    try:
        item = context.evaluate(node)
    finally:
        context.names.takes_lists = False
    if isinstance(item, AppendTarget):
        return item
    context.builder.return_to(mark)
    context.scope = scope
    return None


def _ask_what_does_not_fit(context: Context, place: Place, item: Number | Boolean) -> None:
    """Let Python refuse a number that a field declared as a whole number, or as a truth, cannot hold."""
    is_whole = isinstance(item, Boolean) or (place.kind is int and item.kind != "float")
    if place.kind not in (int, bool) or is_whole:
        return
    value, builder = context.arithmetic.double(item), context.builder
    same = builder.intrinsic("trunc", value) if place.kind is int else builder.value("fmul", "double", value, value)
    left = builder.value(
        "fsub", "double", value, same
    )  # 0.0 of whole numbers; of 0.0 and 1.0; never of what is not finite
    builder.note_trap(builder.value("fcmp une", "double", left, ZERO))
