"""The base of every input signal: a function of time that knows where it is not smooth.

The step after a jump is tried with the length of the last one. Rejected: the estimate of a first step, and the length
with which the stretch before began. Both refuse fewer steps and cost more: over five signals, two laws and two
tolerances, evaluations grew by up to 41 % and 36 %, and fell in one case of twenty. A refused step costs seven, and
the shorter ones after it nine each.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dis import get_instructions
from fractions import Fraction
from math import inf, isfinite
from types import CodeType
from typing import ClassVar

from eventide.declare.units import in_time_unit, in_time_units
from eventide.errors import ModelError, SwitchWarning, to_float
from eventide.reading.reach import Reach


class Input(ABC):
    """A signal u(t), called with a time in seconds; at a jump it has the value after it.

    `__call__` is plain arithmetic on numbers and tuples of numbers, so that a law that calls it can be compiled.
    """

    _only_bends: ClassVar[bool] = False
    """Whether it has no jumps, so that error control sees where it is not smooth."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        code: CodeType | None = getattr(vars(cls).get("__call__"), "__code__", None)
        if code is not None and cls.next_breakpoint is Input.next_breakpoint and _may_jump(code):
            told = (
                f"{cls.__name__}, an input, compares or takes remainders, and has no next_breakpoint: a step may pass "
                "over what it switches on and off. Give it `def next_breakpoint(self, after)`, which returns the first "
                "time after another at which the signal or its slope jumps, math.inf if there is none"
            )
            warnings.warn_explicit(SwitchWarning(told), None, code.co_filename, code.co_firstlineno)

    @abstractmethod
    def __call__(self, t: float) -> float:
        """The value at a time."""

    def next_breakpoint(self, after: float) -> float:
        """The first instant after a time at which the signal or its slope jumps; infinity if there is none.

        A step of integration that crosses one loses its order there.
        """
        return inf

    def breakpoints(self, start: float, end: float) -> tuple[float, ...]:
        """All such instants t with start < t <= end."""
        in_time_units((start, end), None, "breakpoints(...)")
        found = []
        instant = self.next_breakpoint(start)
        while instant <= end:
            found.append(instant)
            following = self.next_breakpoint(instant)
            if not following > instant:
                raise ModelError(f"{self!r} changes more often than times near {instant!r} can tell apart")
            instant = following
        return tuple(found)


def _may_jump(code: CodeType) -> bool:
    """Whether code compares by order, or takes a remainder or a whole quotient."""
    signs = [step.argrepr for step in get_instructions(code) if step.opname in ("COMPARE_OP", "BINARY_OP")]
    return any(part in sign for sign in signs for part in ("<", ">", "%", "//"))


def may_jump(signal: Input) -> bool:
    """Whether it has jumps."""
    return tells_breakpoints(signal) and not signal._only_bends


def tells_breakpoints(signal: Input) -> bool:
    """Whether there are times at which it is not smooth."""
    return type(signal).next_breakpoint is not Input.next_breakpoint


def first_breakpoint(inputs: Iterable[Input], after: float) -> float:
    """The first instant after a time at which one of the inputs or its slope jumps; infinity if there is none.

    Raises      ModelError if an input gives an instant that is not later
    """
    first = inf
    for each in inputs:
        instant = each.next_breakpoint(after)
        if not instant > after:
            raise ModelError(
                f"{each!r} gives {instant!r} as its first breakpoint after {after!r}: a later time is needed"
            )
        first = min(first, instant)
    return first


def common_grid(*inputs: Input, start: float, end: float) -> tuple[float, ...]:
    """The instants t with start < t <= end at which one of the inputs or its slope jumps, in order.

    Source      Pannek, Simulation of mechatronic systems, Remark 3.37, unified grid
    """
    return tuple(sorted({instant for each in inputs for instant in each.breakpoints(start, end)}))


def check_finite(owner: object, **numbers: float) -> None:
    """Raise ModelError if one of the numbers of an input is not finite."""
    for name, number in numbers.items():
        if isinstance(number, int):
            to_float(number, f"{type(owner).__name__}.{name}")
        if not isfinite(number):
            raise ModelError(f"{type(owner).__name__} has {name} = {number!r}: a finite number is needed")


def check_times(owner: object, **numbers: float) -> None:
    """Raise ModelError if one of the times or frequencies of an input is not finite, or has a unit."""
    for name, number in numbers.items():
        in_time_unit(number, None, f"{type(owner).__name__}.{name}")
    check_finite(owner, **numbers)


def as_decimal(number: float) -> Fraction:
    """The fraction that the decimal form of a float is: 0.1 is 1/10."""
    return Fraction(repr(float(number)))


def reached_inputs(functions: Iterable[object], owner: object = None) -> Reach[Input]:
    """The inputs that some functions, or what they call, may call; `owner` is the object with these functions."""
    return Reach(Input, functions, owner)
