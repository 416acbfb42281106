"""From a function and its arguments to the columns its kernel works on: one small function, written out per kernel.

It is called for every object that starts and every wait, so it is straight Python without a loop over steps.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from eventide.continuous import Continuous, Variable
from eventide.declare import Component
from eventide.discrete.world import World
from eventide.inputs import Input
from eventide.lowering.names.paths import GLOBALS, ITEMS, NUMBERS, Step, code_of
from eventide.reading.entries import Entry, closed_over, default_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FunctionType

    from eventide.continuous.components.member import Member
    from eventide.lowering.kernels.lowered import Anchor
    from eventide.lowering.translation.values import Path


IDENTIFIED: Final = ("class", "code", "same", "tuple", "table", "token", "mode")
"""The checks that hold while the objects are the same ones: of a table only if it is a tuple."""


class Binding(NamedTuple):
    """What a kernel works on for one object or wait.

    objects     those to which the kernel's blocks belong
    bases       the first columns of these blocks
    lists       for each list the first columns of its items' blocks; then for each table the bits of its numbers
    consts      the numbers that a condition closes over
    items       the items of each list
    inputs      the input signals on the way
    addressed   the objects whose addresses the kernel is passed
    clocks      the simulations whose clock is read, if nothing else tells of which simulation it works on objects
    """

    objects: tuple[Member, ...]
    bases: tuple[int, ...]
    lists: tuple[tuple[int, ...], ...]
    consts: tuple[float, ...]
    items: tuple[tuple[Member, ...], ...]
    inputs: tuple[Input, ...]
    addressed: tuple[object, ...] = ()
    clocks: tuple[object, ...] = ()


class Bind(Protocol):
    """Finds what a kernel works on; None if it does not fit these arguments."""

    def __call__(self, function: FunctionType, arguments: tuple[object, ...], /) -> Binding | None:
        """Find it."""


class Compare(Protocol):
    """Makes what compares from then on whatever a kernel works on with what it is now."""

    def __call__(self, function: FunctionType, arguments: tuple[object, ...], /) -> Callable[[], bool]:
        """Make it, for what `Bind` has found."""


def is_of_blocks(steps: tuple[Step, ...]) -> bool:
    """Whether what is found by some steps is single objects, which are told by the first columns of their blocks."""
    is_single = all(step.check in ("class", "code", "same") and step.expected is not list for step in steps)
    return is_single and not _outermost_inputs(steps)


def make_binder(
    entry: Entry,
    steps: tuple[Step, ...],
    blocks: tuple[Anchor, ...] = (),
    lists: tuple[Anchor, ...] = (),
    tables: tuple[Path, ...] = (),
    consts: tuple[Path, ...] = (),
    addressed: tuple[Path, ...] = (),
) -> Bind:
    """The function that follows some steps, and compares each object with what it has to be like.

    entry   an example of what it will be called with; only its code is looked at
    """
    writer = _Writer(entry, steps)
    for number in range(len(steps)):
        writer.find(number)
        writer.compare(number)
    at = {step.path: number for number, step in enumerate(steps)}
    for path in tables:
        writer.lines.append(f"t{at[path]} = {_bits(at[path], steps[at[path]])}")
    objects = [f"v{at[path]}" for path, _ in blocks]
    bases = [f"v{at[path]}.{_column(steps[at[path]].expected, is_aside)}" for path, is_aside in blocks]
    rows = [_row(at[path], steps[at[path]].expected, is_aside) for path, is_aside in lists]
    rows += [f"t{at[path]}" for path in tables]
    numbers = [f"float(v{at[path]})" for path in consts]
    items = [f"tuple(v{at[path]})" for path, _ in lists]
    inputs = [f"*v{n}" if ITEMS in steps[n].path else f"v{n}" for n in _outermost_inputs(steps)]
    worlds = [f"v{n}" for n, step in enumerate(steps) if step.check == "class" and issubclass(step.expected, World)]
    clocks = [] if objects else worlds
    parts = (objects, bases, rows, numbers, items, inputs, [f"v{at[path]}" for path in addressed], clocks)
    answer = ", ".join(f"({''.join(f'{text}, ' for text in part)})" for part in parts)
    writer.lines.append(f"return new(Binding, ({answer}))")
    bind: Bind = writer.function()
    return bind


def make_comparison(entry: Entry, steps: tuple[Step, ...]) -> Compare | None:
    """What compares by identity the objects at some steps; None where what they contain can change, or nothing can.

    Only the classes of objects are compared besides. So it takes some 20 ns a step, and asks a process in a row for no
    data of the run. A table that is a tuple is one object, however long it is; for a list what is made returns None.
    """
    are_objects = all(step.selector != ITEMS and step.check in IDENTIFIED for step in steps)
    if not are_objects or not any(step.can_change for step in steps):
        return None
    writer = _Writer(entry, steps)
    tests: list[str] = []
    for number, step in enumerate(steps):
        found = writer.find(number)
        if step.check == "table":
            writer.lines.append(f"if type(v{number}) is not tuple: return None")
        if step.can_change:
            tests.append(f"{found} is v{number}")
        if step.check == "code" or (step.check == "class" and step.expected not in NUMBERS):
            writer.names[f"expected{number}"] = step.expected
            value = f"code_of(v{number})" if step.check == "code" else f"v{number}.__class__"
            tests.append(f"{value} is expected{number}")
    test = " and ".join(tests) or "True"
    failures = "(AttributeError, LookupError, TypeError, ValueError)"
    lines = ("def stands():", f"    try: return {test}", f"    except {failures}: return False", "return stands")
    writer.lines += lines
    compare: Compare = writer.function()
    return compare


def bits_of(numbers: Iterable[float]) -> tuple[int, ...]:
    """Doubles as integers of the same bits.

    Raises TypeError for what is no number.
    """
    return tuple(array("q", array("d", numbers).tobytes()))


def stands_for(value: object, kind: type) -> bool:
    """Whether an object is of a class made for processes that are rows, and told as of the user's."""
    return issubclass(type(value), kind) and value.__class__ is kind


_HELPERS: dict[str, object] = {
    "stands_for": stands_for,
    "Binding": Binding,
    "new": tuple.__new__,  # the constructor of a named tuple is a function of Python's, and as slow
    "closed_over": closed_over,
    "code_of": code_of,
    "default_of": default_of,
    "bits_of": bits_of,
}


class _Writer:
    """The lines of one such function; `v0`, `v1`, ... are the objects at the steps."""

    def __init__(self, entry: Entry, steps: tuple[Step, ...]) -> None:
        self.code = entry.function.__code__
        self.given = self.code.co_varnames[: len(entry.arguments)]
        self.steps = steps
        self.lines: list[str] = []
        self.names: dict[str, object] = {}
        self.knows_sim = False

    def function(self) -> Any:
        """The function of these lines; it returns None where they cannot be followed."""
        body = "\n        ".join(self.lines)
        source = f"""
def bind(function, arguments):
    try:
        {body}
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError):
        return None
"""
        names = {**self.names, **_HELPERS}
        exec(source, names)  # noqa: S102  # our own text: numbers, and identifiers of the code that was lowered
        return names["bind"]

    def find(self, number: int) -> str:
        """Write how the object of a step is found, and return that."""
        step = self.steps[number]
        if step.namespace is not None:
            self.names[f"space{number}"] = step.namespace
            name = step.selector.partition(":")[2]
            is_class = isinstance(step.namespace, type)
            found = f"space{number}.{name}" if is_class else f"space{number}[{name!r}]"
        elif step.parent < 0:
            found = self._root(step.selector)
        elif step.selector == ITEMS:
            found = f"tuple(v{step.parent})"
        elif ITEMS in step.path:
            found = f"[{_selected('item', step.selector)} for item in v{step.parent}]"
        else:
            found = _selected(f"v{step.parent}", step.selector)
        self.lines.append(f"v{number} = {found}")
        return found

    def compare(self, number: int) -> None:
        """Write what the object of a step has to be like."""
        step = self.steps[number]
        if step.check == "items" and step.expected is None:
            self.lines.append(f"if v{number}: return None")
            return
        self.names[f"expected{number}"] = step.expected
        if step.check == "mode":
            is_many = ITEMS in step.path
            self.lines += [f"for item in v{step.parent}:"] * is_many
            owner = "item" if is_many else f"v{step.parent}"
            self.lines.append(f"{'    ' * is_many}if not expected{number}.fits({owner}): return None")
            return
        indent, value = "", f"v{number}"
        if ITEMS in step.path:
            self.lines.append(f"for item in v{number}:")
            indent, value = "    ", "item"
        test = {
            "class": "type({0}) is not expected{1} and not stands_for({0}, expected{1})",
            "items": "type({0}) is not expected{1} and not stands_for({0}, expected{1})",
            "code": "code_of({0}) is not expected{1}",
            "same": "{0} is not expected{1}",
            "table": "set(map(type, {0})) != {{expected{1}}} and type({0}).__name__ != 'ndarray'",
            "tuple": "type({0}) is not tuple or len({0}) != expected{1}",
            "keys": "type({0}) is not dict or tuple({0}) != expected{1}",
            "token": "type({0}) is not expected{1}[0] or any(({0} == one) is not told for one, told in expected{1}[1])",
            "array": "type({0}).__name__ != 'ndarray' or {0}.shape != expected{1} or {0}.dtype != 'float64'",
        }[step.check]
        self.lines.append(f"{indent}if {test.format(value, number)}: return None")
        if step.layout is not None:
            self.names[f"layout{number}"] = step.layout
            self.lines.append(f"{indent}if {value}._layout is not layout{number}: return None")
        self._compare_simulation(step, indent, value)

    def _root(self, name: str) -> str:
        if name == GLOBALS:
            return f"function.{name}"
        if name in self.given:
            return f"arguments[{self.given.index(name)}]"
        if name in self.code.co_freevars:
            return f"function.__closure__[{self.code.co_freevars.index(name)}].cell_contents"
        return f"default_of(function, {name!r})"

    def _compare_simulation(self, step: Step, indent: str, value: str) -> None:
        cls = step.expected
        if step.check not in ("class", "items") or not issubclass(cls, Component | Variable | World):
            return
        sim = value if issubclass(cls, World) else f"{value}.sim"
        if self.knows_sim:
            self.lines.append(f"{indent}if {sim} is not sim: return None")
        elif not indent:
            self.knows_sim = True
            self.lines.append(f"sim = {sim}")


def _outermost_inputs(steps: tuple[Step, ...]) -> list[int]:
    """The steps that are inputs, but for what an input itself refers to."""
    found: list[int] = []
    inside: list[int] = []
    for number, step in enumerate(steps):
        if step.parent in inside:
            inside.append(number)
        elif step.check == "class" and issubclass(step.expected, Input):
            found.append(number)
            inside.append(number)
    return found


def _selected(value: str, selector: str) -> str:
    if selector[0] == "(":
        return f"closed_over({value}, {selector[1:-1]!r})"
    if selector[0] == "[":
        return f"{value}{selector}"
    return f"default_of({value}, {selector[1:]!r})" if selector[0] == "=" else f"{value}.{selector}"


def _column(cls: type, is_aside: bool) -> str:
    if issubclass(cls, Variable):
        return "_slot"
    return "_side" if is_aside else "_base"


def _bits(number: int, step: Step) -> str:
    """The row of a number, of a number of every item of a list, or of a list of numbers."""
    is_many = ITEMS in step.path or step.check in ("table", "array")
    values = f"v{number}" if is_many else f"(v{number},)"
    is_whole = step.check == "class" and issubclass(step.expected, int)
    return f"tuple([int(value) for value in {values}])" if is_whole else f"bits_of({values})"


def _row(number: int, cls: type | None, is_aside: bool) -> str:
    if cls is None or not issubclass(cls, Continuous | Variable):
        return f"(0,) * len(v{number})"
    return f"tuple([item.{_column(cls, is_aside)} for item in v{number}])"
