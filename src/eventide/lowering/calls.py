"""Calls: functions with a body are followed where they are called, others are known or refused."""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous import Variable
from eventide.lowering.control_flow import Frame
from eventide.lowering.dataflow_merge import GATE, OPEN, Flow
from eventide.lowering.expressions import describe
from eventide.lowering.name_resolution import Place, is_numpys
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.reductions import Reductions
from eventide.lowering.slots import ROWS as SEEN_IN
from eventide.lowering.values import (
    Above,
    Buffer,
    Builtin,
    Elements,
    Formula,
    Function,
    Item,
    Nothing,
    Number,
    Ref,
    Slot,
    Stored,
    Stranger,
    Table,
    Truth,
    Vector,
    VectorMethod,
)
from eventide.lowering.vectors import Operand, is_vector, sources_of
from eventide.native.ir import NAN

if TYPE_CHECKING:
    from eventide.lowering.lowered import Access, Row

LONGEST: Final = 30_000
"""How many values a kernel may have: helpers are followed at each call, so calls in calls in calls may grow beyond."""
REDUCTIONS: Final = (sum, any, all, min, max)


class Following(Reductions):
    """Writes calls.

    at                  the statement that is being followed
    assignments         the states that the law assigns, and where it does so first: file, line, text
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.at: ast.stmt | None = None
        self.assignments: dict[Access, tuple[str, int, str]] = {}

    def _call(self, node: ast.Call) -> Item:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "set_rate":
            return self._set_rate(node, node.func)
        function = self.evaluate(node.func)
        if isinstance(function, Function) and is_numpys(function.function):
            return self.call_numpy(function.function, node)
        if isinstance(function, Function):
            return self._follow_call(function, node)
        if isinstance(function, Builtin):
            return self._call_builtin(function.function, node)
        if isinstance(function, Ref) and isinstance(type(function.sample).__call__, FunctionType):
            function = self.settle(self.outside.attribute(function, "__call__"))
            assert isinstance(function, Function)
            return self._follow_call(function, node)
        if isinstance(function, VectorMethod):
            return self.call_method(function, node)
        if isinstance(function, Stranger) and is_numpys(function.value):
            return self.call_numpy(function.value, node)
        if isinstance(function, Stranger) and callable(function.value):
            raise Unlowerable(_why_unknown(function.value))
        raise Unlowerable(f"{describe(function)} is not called here")

    def _follow_call(self, function: Function, node: ast.Call) -> Item:
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise Unlowerable("arguments are followed one by one, without * and **")
        arguments = [self.evaluate(argument) for argument in node.args]
        return self.follow(function, arguments, {k.arg or "": self.evaluate(k.value) for k in node.keywords})

    def _call_builtin(self, function: Any, node: ast.Call) -> Item:
        if function is builtins.super and not node.args:
            return self._super()
        if is_numpys(function):
            return self.call_numpy(function, node)
        if function in REDUCTIONS and node.args and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
            return self.reduce(function, node.args[0], node)
        if function in REDUCTIONS and len(node.args) == 1 and self._is_many(node.args[0]):
            return self.reduce_all(function, node.args[0], node)
        if function in (sum, any, all):
            raise Unlowerable(
                f"{function.__name__} is followed around `... for ... in ...`, a vector or a list of numbers"
            )
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise Unlowerable("arguments are followed one by one, without names and *")
        if function is len and len(node.args) == 1:
            return self._len(node.args[0])
        if function in (bisect_left, bisect_right) and len(node.args) == 2:
            return self.bisect(node, is_right=function is bisect_right)
        if not _is_hashable(function) or not self.functions.knows(function):
            raise Unlowerable(_why_unknown(function))
        items = [self.evaluate(argument) for argument in node.args]
        if function is abs and len(items) == 1 and is_vector(items[0]):
            return self.formula([self.operand(items[0], node)], self.arithmetic.absolute)
        numbers = [self._as_number(item, place) for item, place in zip(items, node.args, strict=True)]
        return self.functions.call(function, numbers)

    def _is_many(self, node: ast.expr) -> bool:
        """Whether an expression names numbers to go over, as against one of several arguments."""
        if isinstance(node, ast.List | ast.Tuple):
            return True
        mark, flow = self.builder.mark(), self.flow.copy()
        item = self.evaluate(node)
        self.builder.return_to(mark)
        self.flow = flow
        return isinstance(item, Vector | Formula | Table)

    def _len(self, node: ast.expr) -> Item:
        item = self.evaluate(node)
        if isinstance(item, Elements | Table | Vector | Formula):
            return self._length(item)
        raise self.refusal(node, f"{describe(item)} has no length that can be followed")

    def _set_rate(self, node: ast.Call, function: ast.Attribute) -> Item:
        owner = self.evaluate(function.value)
        is_loose = isinstance(owner, Ref) and isinstance(owner.sample, Variable)
        if not (is_loose or isinstance(owner, Slot)) or len(node.args) != 1 or node.keywords:
            raise Unlowerable("set_rate is followed for a Variable and one number")
        place = self.outside.attribute(owner, "rate") if isinstance(owner, Ref) else None
        if isinstance(owner, Slot):
            place = self.outside.slot(owner, "rate")
        assert isinstance(place, Place)
        self.write(place, self.number(node.args[0]))
        return Nothing()

    def fill(self, target: Vector, item: Operand) -> None:
        """Set all numbers of a vector, as numpy does: what is on the right is computed before anything is written."""
        if not isinstance(item, Number | Truth) and item.count not in (1, target.count):
            raise Unlowerable(f"{item.count} numbers do not fit into {target.count} places")
        if isinstance(item, Vector | Formula) and any(_may_overlap(target, source) for source in sources_of(item)):
            item = self.copied(item)
        if isinstance(item, Formula):
            self._check_epoch(item)
        single = self.arithmetic.as_float(item) if isinstance(item, Number | Truth) else None

        def store(index: Number) -> None:
            self._store_item(target, index, single or self.item_at(item, index))

        self._begin_write(target)
        self.over(target.count, store)
        self._end_write(target, range(target.start, target.start + target.step * target.count, target.step))

    def set_item(self, target: Vector, node: ast.expr, compute: Callable[[Number | Truth], Number | Truth]) -> None:
        """Set one item to what is computed from it; where there is none a rate is made NaN, so that Python raises."""
        place, is_inside = self.locate(target, node)
        value = compute(self.read_item(target, place))
        if is_inside is not None:
            self.builder.note_trap(self.builder.value("xor", "i1", is_inside, "true"))
            text = self.builder.select(is_inside, "double", self.arithmetic.double(value), NAN)
            value = Number(text, "float", value.slope)
        self._begin_write(target)
        self._store_item(target, place, value)
        low, high = place.extent or (0, target.count - 1)
        ends = target.start + target.step * low, target.start + target.step * high
        self._end_write(target, range(min(ends), max(ends) + 1))

    def _store_item(self, target: Vector, index: Number, value: Number | Truth) -> None:
        memory, place = target.memory, self._place_in(target, index)
        if isinstance(memory, Stored):
            self.slots.set_item(memory, place, self.arithmetic.double(value))
        elif isinstance(memory, Buffer):
            self._store_in(memory, place, value)

    def _begin_write(self, target: Vector) -> None:
        memory = target.memory
        if isinstance(memory, Table):
            raise Unlowerable("an array that stands outside the table of states changes in events only")
        if isinstance(memory, Stored):
            self._check_row(memory.row, memory.name)

    def _end_write(self, target: Vector, items: range) -> None:
        self.epoch += 1
        if not isinstance(target.memory, Stored) or not items:
            return
        low, high = min(items), max(items) + 1
        stored = target.memory
        access = self.slots.note_write(stored, (low, high))
        self._note_assignment(access)
        if stored.owner.element is None and len(items) == stored.length:
            self.flow.written |= {access}

    def _note_assignment(self, access: Access) -> None:
        """Keep where the law assigns a state."""
        if access.row == "state" and access not in self.assignments and self.at is not None:
            where = self.refusal(self.at, "")
            self.assignments[access] = where.file, where.line, where.construct

    def _check_row(self, row: Row, name: str) -> None:
        if self.is_guided:
            raise Unlowerable("a condition only reads")
        if row == "parameter":
            raise Unlowerable(f"{name!r} is a parameter, which changes in events only: declare it as ev.Computed")
        if row == "last":
            raise Unlowerable("last states are set by the monitor")

    def write(self, place: Place, item: Number | Truth) -> None:
        """Set a slot."""
        self._check_row(place.row, place.name)
        self.epoch += 1
        access = self.slots.write(place, self.arithmetic.exactly(self.arithmetic.number(item)))
        self._note_assignment(access)
        if place.owner.element is None:
            self.flow.written |= {access}

    # --- functions with a body ------------------------------------------------------------------------------------

    def _super(self) -> Item:
        function = self.frame.function.function
        names = function.__code__.co_freevars
        owner = self.flow.bindings.get(function.__code__.co_varnames[0])
        if "__class__" not in names or not isinstance(owner, Ref):
            raise Unlowerable("super() is followed in methods only")
        cells = function.__closure__ or ()
        return Above(owner, cells[names.index("__class__")].cell_contents)

    def follow(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """What a call of a function gives: its body is written where it is called."""
        definition = self.outside.book.definition(function.function)
        if any(frame.function.function.__code__ is function.function.__code__ for frame in self.frames):
            raise Unlowerable(f"{function.function.__name__} calls itself, and such calls are not followed")
        if self.builder.count > LONGEST:
            raise Unlowerable(f"this would be more than {LONGEST} instructions")
        bindings = self._bind(function, arguments, keywords)
        outer = self.flow
        self.frames.append(Frame(function, definition, is_entry=not self.frames))
        self.flow = Flow({**bindings, GATE: OPEN}, outer.written)
        value = self.execute_body(definition.tree)
        value = value and self.kept_item(value)
        returns = self.frames.pop().returns
        if returns:
            merged = self.merger.merge(returns)
            assert merged is not None
            self.flow, value = merged
        if self.is_dead:
            raise Unlowerable(f"{function.function.__name__} never ends")
        self.flow = Flow(outer.bindings, self.flow.written)
        return Stranger("different things, depending on the way") if value is None else value

    def execute_body(self, tree: ast.FunctionDef | ast.Lambda) -> Item | None:
        """Write the body of a function; answers the value of a lambda."""
        raise NotImplementedError

    def _bind(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> dict[str, Item]:
        code = function.function.__code__
        if code.co_flags & 0x0C:
            raise Unlowerable("functions with *args or **options are not followed")
        given = [*([function.owner] if function.owner else []), *map(self.kept_item, arguments)]
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if len(given) > code.co_argcount:
            raise Unlowerable(f"{function.function.__name__} takes {code.co_argcount} arguments, not {len(given)}")
        bindings: dict[str, Item] = dict(zip(names, given, strict=False))
        for name, item in keywords.items():
            if name in bindings or name not in names:
                raise Unlowerable(f"{function.function.__name__} cannot be given {name!r} here")
            bindings[name] = self.kept_item(item)
        for name in names:
            if name not in bindings:
                found = self.outside.root(name) if not self.frames else self.outside.default(function, name)
                bindings[name] = self.settle(found)
        return bindings


def _may_overlap(target: Vector, source: Vector) -> bool:
    """Whether writing one vector item by item may change what is still to be read of another."""
    one, other = target.memory, source.memory
    if isinstance(one, Buffer) or isinstance(other, Buffer):
        is_same = one == other
        return is_same and (target.start, target.step) != (source.start, source.step)
    if not isinstance(one, Stored) or not isinstance(other, Stored):
        return False
    if one == other:
        return (target.start, target.step) != (source.start, source.step)
    # By different paths one and the same object may be reached.
    return SEEN_IN[one.row] == SEEN_IN[other.row] and one.name == other.name


def _is_hashable(function: Any) -> bool:
    return getattr(function, "__hash__", None) is not None


def _why_unknown(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    home = getattr(function, "__module__", None) or type(function).__module__
    if home.partition(".")[0] == "numpy":
        return f"numpy's {name} is not followed: use the one of math"
    if isinstance(function, type):
        return f"objects ({name}) are not made between events"
    return f"{name} is not followed: only functions of numbers, and functions with a source"
