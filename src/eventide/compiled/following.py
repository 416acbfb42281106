"""Calls: functions with a body are followed where they are called, others are known or refused."""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left, bisect_right
from typing import Any, Final

from eventide.compiled.expressions import describe
from eventide.compiled.flow import GATE, OPEN, Flow
from eventide.compiled.outside import Place
from eventide.compiled.reductions import Reductions
from eventide.compiled.refusal import Unlowerable
from eventide.compiled.values import (
    Above,
    Builtin,
    Elements,
    Function,
    Item,
    Nothing,
    Number,
    Ref,
    Slot,
    Stranger,
    Table,
    Truth,
)
from eventide.compiled.ways import Frame
from eventide.continuous import Variable

LONGEST: Final = 30_000
"""How many values a kernel may have: helpers are followed at each call, so calls in calls in calls may grow beyond."""
REDUCTIONS: Final = (sum, any, all, min, max)


class Following(Reductions):
    """Writes calls."""

    def _call(self, node: ast.Call) -> Item:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "set_rate":
            return self._set_rate(node, node.func)
        function = self.evaluate(node.func)
        if isinstance(function, Function):
            if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
                k.arg is None for k in node.keywords
            ):
                raise Unlowerable("arguments are followed one by one, without * and **")
            arguments = [self.evaluate(argument) for argument in node.args]
            return self.follow(function, arguments, {k.arg or "": self.evaluate(k.value) for k in node.keywords})
        if isinstance(function, Builtin):
            return self._call_builtin(function.function, node)
        if isinstance(function, Stranger) and callable(function.value):
            raise Unlowerable(_why_unknown(function.value))
        raise Unlowerable(f"{describe(function)} is not called here")

    def _call_builtin(self, function: Any, node: ast.Call) -> Item:
        if function is builtins.super and not node.args:
            return self._super()
        if function in REDUCTIONS and node.args and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
            return self.reduce(function, node.args[0], node)
        if function in (sum, any, all):
            raise Unlowerable(f"{function.__name__} is followed around `... for ... in ...` only")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise Unlowerable("arguments are followed one by one, without names and *")
        if function is len and len(node.args) == 1:
            return self._len(node.args[0])
        if function in (bisect_left, bisect_right) and len(node.args) == 2:
            return self.bisect(node, is_right=function is bisect_right)
        if not _is_hashable(function) or not self.functions.knows(function):
            raise Unlowerable(_why_unknown(function))
        return self.functions.call(function, [self.number(argument) for argument in node.args])

    def _len(self, node: ast.expr) -> Item:
        item = self.evaluate(node)
        if isinstance(item, Elements | Table):
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

    def write(self, place: Place, item: Number | Truth) -> None:
        """Set a slot."""
        if self.is_guided:
            raise Unlowerable("a condition only reads")
        if place.row == "parameter":
            raise Unlowerable(f"{place.name!r} is a parameter, which changes in events only: declare it as ev.Computed")
        if place.row == "last":
            raise Unlowerable("last states are set by the monitor")
        access = self.slots.write(place, self.arithmetic.double(item))
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
        given = [*([function.owner] if function.owner else []), *arguments]
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if len(given) > code.co_argcount:
            raise Unlowerable(f"{function.function.__name__} takes {code.co_argcount} arguments, not {len(given)}")
        bindings: dict[str, Item] = dict(zip(names, given, strict=False))
        for name, item in keywords.items():
            if name in bindings or name not in names:
                raise Unlowerable(f"{function.function.__name__} cannot be given {name!r} here")
            bindings[name] = item
        for name in names:
            if name not in bindings:
                found = self.outside.root(name) if not self.frames else self.outside.default(function, name)
                bindings[name] = self.settle(found)
        return bindings


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
