"""Conditions on time alone: when they become true is solved, not searched for.

`sim.time >= opening` becomes true at the float `opening`, whatever the tolerance of the search is. Recognised is one
comparison of an expression that is linear in the time with one that reads no state. Its code is followed instruction by
instruction; what is not understood is left to the search inside steps, which finds it to dt_min.
"""

from __future__ import annotations

import dis
import inspect
import operator
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf, isfinite, nextafter
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard

from eventide.declare import Component, fields_of

COMPARISONS: Final[dict[str, Callable[[float, float], object]]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}

OPPOSITES: Final = {">=": "<", ">": "<=", "<=": ">", "<": ">="}
"""What `not` makes of a comparison of numbers."""


ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


REACH: Final = 8
"""The number of floats by which the solution of the line may miss the rounded one."""


_SILENT: Final = frozenset(["RESUME", "COPY_FREE_VARS", "CACHE", "NOP", "NOT_TAKEN", "RETURN_VALUE"])


_KNOWN: Final = frozenset(
    [
        "LOAD_CONST",
        "LOAD_SMALL_INT",
        "LOAD_DEREF",
        "LOAD_GLOBAL",
        "LOAD_ATTR",
        "UNARY_NEGATIVE",
        "BINARY_OP",
        "COMPARE_OP",
        "UNARY_NOT",
    ]
)


Source: TypeAlias = tuple[Callable[[], object], object]
"""How a value that an event may change is read, and what it was."""


class Solution(NamedTuple):
    """The first float at which a condition is true, None if that is not known; and what an event may change of it.

    reads_fields    whether there are numbers of objects among these, which native code may set
    """

    time: float | None
    sources: tuple[Source, ...]
    reads_fields: bool = False


class _Line(NamedTuple):
    """A number that changes with the time: slope * time + offset."""

    slope: float
    offset: float


class _NotUnderstood(Exception):
    """The code does more than to compare the time with a number."""


Steps: TypeAlias = list[dis.Instruction]


def straight_steps(code: CodeType) -> Steps | None:
    """The instructions of code that names the time and goes straight to one comparison; None for any other.

    Behind it may stand a `not`.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname not in _SILENT]
    is_straight = all(step.opname in _KNOWN or step.opname.startswith("LOAD_FAST") for step in steps)
    last = steps[-2:] if steps[-1].opname == "UNARY_NOT" else steps[-1:]
    return steps if is_straight and last[0].opname == "COMPARE_OP" else None


def solve(function: Any, arguments: tuple[object, ...], sim: object, steps: Steps) -> Solution:
    """When a condition on time alone becomes true; not known of any other, and of one that ends as time goes by.

    function, arguments     the condition, and what it is called with
    """
    if isinstance(function, MethodType):
        arguments, function = (function.__self__, *arguments), function.__func__
    reader = _Reader(function, arguments, sim, steps)
    time: float | None = None
    with suppress(_NotUnderstood, ArithmeticError):
        word, left, right = reader.read(None)
        slope, offset = left.slope - right.slope, left.offset - right.offset
        if word == "==" or (slope > 0.0) == word.startswith(">"):
            time = _first(reader.holds, -offset / slope, is_alone=word == "==")
    return Solution(time, tuple(reader.sources), reader.reads_fields)


def _first(holds: Callable[[float], bool], time: float, *, is_alone: bool) -> float | None:
    """The first float at which a condition holds, near to where it should be."""
    time = float(time)
    if not isfinite(time):
        return None
    for _ in range(REACH):
        if holds(time):
            break
        time = nextafter(time, inf)
    else:
        return None
    for _ in range(REACH + 1):
        before = nextafter(time, -inf)
        if is_alone or not holds(before):
            return time
        time = before
    return None


class _Reader:
    """Follows the code of one function.

    sources     what was read, first of all, that an event may change; reads_fields: whether numbers of objects were
    """

    def __init__(self, function: FunctionType, arguments: tuple[object, ...], sim: object, steps: Steps) -> None:
        self.sim = sim
        self.sources: list[Source] = []
        self.reads_fields = False
        self._is_first = True
        code = function.__code__
        defaults = function.__defaults__ or ()
        names = code.co_varnames[: code.co_argcount]
        self._steps = steps
        self._globals = function.__globals__
        self._given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        self._given.update(zip(names, arguments, strict=False))
        self._cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))

    def holds(self, time: float) -> bool:
        """Whether the condition is true at a time."""
        word, left, right = self.read(time)
        return bool(COMPARISONS[word](left.offset, right.offset))

    def read(self, time: float | None) -> tuple[str, _Line, _Line]:
        """The comparison that the function makes, at a time or, with None, as lines over the time.

        Raises _NotUnderstood if it does anything else.
        """
        stack: list[object] = []
        is_opposite = self._steps[-1].opname == "UNARY_NOT"
        *steps, compared = self._steps[:-1] if is_opposite else self._steps
        try:
            for step in steps:
                self._follow(step, stack, time)
        finally:
            self._is_first = False
        word = str(compared.argval).removeprefix("bool(").removesuffix(")")
        word = OPPOSITES.get(word, "") if is_opposite else word
        if word not in COMPARISONS or len(stack) != 2:
            raise _NotUnderstood
        left, right = self._line(stack[0]), self._line(stack[1])
        if time is None and left.slope == right.slope:
            raise _NotUnderstood
        return word, left, right

    def _follow(self, step: dis.Instruction, stack: list[object], time: float | None) -> None:
        name = step.opname
        if name.startswith(("LOAD_CONST", "LOAD_SMALL_INT")):
            stack.append(step.argval)
        elif name.startswith("LOAD_FAST"):
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            stack += [self._variable(variable) for variable in names]
        elif name == "LOAD_DEREF":
            stack.append(self._cell(step.argval))
        elif name == "LOAD_GLOBAL" and step.argval in self._globals:
            stack.append(self._taken(self._globals.get, step.argval))
        elif name == "LOAD_ATTR" and stack:
            stack.append(self._attribute(stack.pop(), step.argval, time))
        elif name == "UNARY_NEGATIVE" and stack:
            line = self._line(stack.pop())
            stack.append(_Line(-line.slope, -line.offset))
        elif name == "BINARY_OP" and len(stack) > 1:
            right, left = self._line(stack.pop()), self._line(stack.pop())
            stack.append(_joined(step.argrepr, left, right))
        else:
            raise _NotUnderstood

    def _variable(self, name: str) -> object:
        if name not in self._given:
            raise _NotUnderstood
        return self._given[name]

    def _cell(self, name: str) -> object:
        try:
            return self._taken(getattr, self._cells[name], "cell_contents")
        except (KeyError, ValueError):
            raise _NotUnderstood from None

    def _taken(self, read: Callable[..., object], *arguments: object) -> object:
        value = read(*arguments)
        if self._is_first:
            self.sources.append((partial(read, *arguments), value))
        return value

    def _attribute(self, owner: object, name: str, time: float | None) -> object:
        if owner is self.sim:
            if name == "time":
                return _Line(1.0, 0.0) if time is None else _Line(0.0, time)
            raise _NotUnderstood
        if isinstance(owner, Component):
            spec = fields_of(type(owner)).get(name)
            if name != "sim" and (spec is None or spec.role != "field"):
                raise _NotUnderstood
            return self._field(owner, name)
        if isinstance(owner, ModuleType):
            return self._taken(getattr, owner, name, None)
        found = inspect.getattr_static(owner, name, None)
        if not (isinstance(found, Component) or found is self.sim or _is_number(found)):
            raise _NotUnderstood
        return self._field(owner, name)

    def _field(self, owner: object, name: str) -> object:
        value = self._taken(getattr, owner, name)
        self.reads_fields = self.reads_fields or _is_number(value)
        return value

    def _line(self, value: object) -> _Line:
        if isinstance(value, _Line):
            return value
        if not _is_number(value):
            raise _NotUnderstood
        return _Line(0.0, value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _joined(word: str, left: _Line, right: _Line) -> _Line:
    """The sum, difference, product or quotient of two lines; raises _NotUnderstood if it is no line."""
    if word not in ARITHMETIC:
        raise _NotUnderstood
    offset = ARITHMETIC[word](left.offset, right.offset)
    if word in "+-":
        return _Line(ARITHMETIC[word](left.slope, right.slope), offset)
    if word == "*" and not left.slope:
        return _Line(left.offset * right.slope, offset)
    if right.slope:
        raise _NotUnderstood
    return _Line(ARITHMETIC[word](left.slope, right.offset), offset)
