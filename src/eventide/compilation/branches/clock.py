"""Comparisons of the time that are not located: a step may pass over what they switch on and off.

In: the text of a law. Out: whether a comparison, or a function that is called, compares the time. Only functions of the
law's module and methods of its class are looked through; whatever cannot be read is passed over.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from dis import get_instructions
from inspect import CO_GENERATOR
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from eventide.compilation.branches.law_names import last_name
from eventide.compilation.branches.smoothness import ORDERS
from eventide.discrete.world import World
from eventide.errors import SwitchWarning
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.description import location
from eventide.reading.nodes import pairs_of
from eventide.reading.scope import closures_of

if TYPE_CHECKING:
    from eventide.continuous import Continuous
    from eventide.continuous.components.switches import Unlocated
    from eventide.reading.source import SourceBook


class Clock:
    """What reads the time in one function of the user's.

    cls         whose method it is
    given       its arguments that are a time
    above       the functions on the way to it
    simulations its arguments that are simulations
    """

    def __init__(
        self,
        cls: type[Continuous],
        function: FunctionType,
        book: SourceBook,
        given: Iterable[str] = (),
        above: tuple[FunctionType, ...] = (),
        simulations: Iterable[str] = (),
    ) -> None:
        self._cls = cls
        self._simulations = dict.fromkeys(simulations)
        self._function = function
        self._book = book
        self._above = (*above, function)
        self._names = set(given)
        self._tree = book.definition(function).tree
        for node in ast.walk(self._tree):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            value = getattr(node, "value", None)
            pairs = [pair for target in targets if target and value for pair in pairs_of(target, value)]
            set_ = [inner for one, item in pairs if self.reads(item) for inner in ast.walk(one)]
            self._names |= {one.id for one in set_ if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}

    def reads(self, node: ast.AST) -> bool:
        """Whether the time is part of an expression: `self.sim.time`, or a local name for it."""
        return any(map(self.is_time, ast.walk(node)))

    def is_time(self, node: ast.AST) -> bool:
        """Whether an expression is `self.sim.time`, or a local name for what the time is part of."""
        if isinstance(node, ast.Name):
            return node.id in self._names
        if not isinstance(node, ast.Attribute) or node.attr != "time":
            return False
        return last_name(node.value) == "sim" or self._is_simulation(node.value)

    def _is_simulation(self, node: ast.expr) -> bool:
        """Whether an argument, or a name that is no local one, stands for a simulation now."""
        if not isinstance(node, ast.Name):
            return False
        found = closures_of(self._function).get(node.id, self._function.__globals__.get(node.id))
        return node.id in self._simulations or isinstance(found, World)

    def compares(self, node: ast.AST) -> bool:
        """Whether an expression is a comparison of the time, or calls what compares it."""
        if isinstance(node, ast.Compare):
            return all(isinstance(op, ORDERS) for op in node.ops) and self.reads(node)
        return isinstance(node, ast.Call) and self._is_compared_by(node)

    def _is_compared_by(self, call: ast.Call) -> bool:
        function = self._called(call.func)
        if function is None or function in self._above:
            return False
        names = function.__code__.co_varnames[int(isinstance(call.func, ast.Attribute)) :]
        given = [name for name, one in zip(names, call.args, strict=False) if self.reads(one)]
        given += [one.arg for one in call.keywords if one.arg is not None and self.reads(one.value)]
        try:
            inner = Clock(self._cls, function, self._book, given, self._above)
        except CannotLower:
            return False
        return any(inner.compares(node) for node in ast.walk(inner._tree))

    def _called(self, node: ast.expr) -> FunctionType | None:
        """The function of the law's module, or the method of its class, that an expression names."""
        found: object = None
        if isinstance(node, ast.Name):
            found = self._function.__globals__.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            found = getattr(self._cls, node.attr, None)
        is_users = isinstance(found, FunctionType) and found.__globals__ is self._function.__globals__
        return found if isinstance(found, FunctionType) and is_users else None


def may_compare_time(code: CodeType) -> bool:
    """Whether code whose text is not looked into reads an attribute `time` and compares something."""
    if code.co_flags & CO_GENERATOR:
        return False  # an error
    codes = [code]
    for one in codes:
        codes += [inner for inner in one.co_consts if isinstance(inner, CodeType)]
    compares = any(step.opname == "COMPARE_OP" for one in codes for step in get_instructions(one))
    return compares and any("time" in one.co_names for one in codes)


def warn_of_clock(law: str, unlocated: Iterable[Unlocated]) -> None:
    """Warn of the first comparison of the time in a law that is not located."""
    one = next((one for one in unlocated if one.is_timed), None)
    if one is not None:
        _warn(one, law, "Compare sim.time in the equations themselves, take an input, as ev.inputs.Pulse,")


def warn_of_field(cls: str, one: Unlocated) -> None:
    """Warn of a comparison of the time in a function to which a field of an object refers."""
    remedy = (
        "Call a method of the class or a function of its module by its name, take an input, as ev.inputs.Pulse, limit "
        "steps by sim.dt_max,"
    )
    _warn(one, f"{cls}.{one.law} ({location(one.file, one.line)})", remedy)


def _warn(one: Unlocated, law: str, remedy: str) -> None:
    text = (
        f"`{one.text}` in {law} goes by the time, and where it jumps is not located ({one.why}): a step may pass over "
        f"what it switches on and off. {remedy} or let an @ev.every handler or a process set a field; if nothing "
        "jumps there, write smooth_laws = True in the class"
    )
    warnings.warn_explicit(SwitchWarning(text), None, one.file, one.line)
