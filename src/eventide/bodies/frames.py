"""Functions whose texts make one kernel: that of the body, and those that it goes through.

`yield from helper(desk, 2.0)` stands for the statements of `helper`, so these become states of the same kernel, and so
does `shop.sell(3)` or `left = shop.sell(3)` where that is more than one expression can be. Their variables are other
ones than those of the body, and have names that no function can have. An argument that is an object, or a constant, is
known by what the call says; one that is another number is a variable of the row.
"""

from __future__ import annotations

import ast
import inspect
from string import digits
from types import CellType, FunctionType, MethodType
from typing import TYPE_CHECKING, Final, TypeAlias, TypeGuard

from eventide.bodies.naming import ABSENT, Naming, reached
from eventide.bodies.operands import Operand, Thing, Unknown, as_kept
from eventide.bodies.stations.choosing import RESOURCES, method_of_chosen
from eventide.bodies.waits.closures import private_numbers
from eventide.native.objects import object_at
from eventide.reading.generators import function_of, locals_of
from eventide.reading.nodes import awaited_at_once, names_stored, set_inside
from eventide.reading.source import CannotLower

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eventide.bodies.expressions import BodyExpressions, Value
    from eventide.bodies.points import Point
    from eventide.reading.generators import Suspended
    from eventide.reading.twins import Entry, Twin

INTROSPECTION: Final = frozenset(["locals", "vars", "dir", "eval", "exec", "globals", "_getframe", "currentframe"])
"""Code that calls these may see names of which nothing is known."""
RESULT: Final = "0"
"""Among the variables of a frame, what its function returns: no name of the user's begins with a digit."""
_DEEPEST: Final = 8
_PLAIN: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags that the code of no plain function has."""
Call: TypeAlias = ast.YieldFrom | ast.Call
Continuation: TypeAlias = "Suspended | Callable[[], object]"
"""What goes on at a place of a twin: a generator, or what is called for the rest of a plain function."""
_SEEN: Final = "others may see the variables of the function that it goes through"
_NO_CALL: Final = "only calls of generator functions are gone through by native code"


class Frame:
    """A function whose text is in a kernel.

    awaited     the statements that make what the next one waits for, and nothing else has, by the first
    call        the node of the `yield from` or the call that goes through it; None for that of the body
    outer       the frame with this node
    bound       by argument, the objects and constants that the row does not keep
    addressed   of these, the variables of the kernel with their addresses, where no variable of the body refers to them
    blocks, handlers    how many there are around the call
    standing    where the generators around it stand while it runs
    done        the state behind the call
    result      the variable for what the function returns; "" where nothing is done with that
    children    the variables that refer to processes which it makes, with the calls; None while that is not known
    """

    def __init__(
        self, naming: Naming, twin: Twin, tree: ast.FunctionDef, outer: Frame | None, call: Call | None
    ) -> None:
        self.naming = naming
        self.twin = twin
        self.tree = tree
        self.awaited = awaited_at_once(tree)
        self.outer = outer
        self.call = call
        self.function = naming.function
        self.bound: dict[str, Thing | Operand] = {}
        self.addressed: dict[str, str] = {}
        self.blocks = self.handlers = self.done = 0
        self.standing: Point | None = None
        self.result = ""
        self.children: dict[str, list[ast.Call]] | None = None
        self.extents: tuple[tuple[int, int, int, int], ...] = ()
        """The places of the calls that lead to it, the outermost first."""

    @property
    def is_ours(self) -> bool:
        """Whether it is a function of the library that the user's goes through."""
        return self.call is not None and self.function.__module__.startswith("eventide.")

    @property
    def began_in_python(self) -> str:
        """The variable of the kernel that is 1 while the function runs of which the row has taken over a generator."""
        return f"b_{self.naming.prefix}"

    def values_of(self, generator: Suspended, outermost: Mapping[str, object]) -> dict[str, object] | None:
        """The variables of a generator that goes through the function, by the names that native code has for them.

        outermost   the variables of the generator of the process
        Returns     None if its arguments are other ones than the call says
        """
        if function_of(generator) is not self.function:
            return None
        held = locals_of(generator, self.function)
        if any(not _is(held.get(name, ABSENT), value, outermost) for name, value in self.bound.items()):
            return None
        return {self.naming.key(name): value for name, value in held.items() if name not in self.bound}

    def values_at(
        self,
        texts: Mapping[str, int],
        outermost: Mapping[str, object],
        before: Mapping[str, object],
        changed: Mapping[str, object],
        absent: Sequence[str],
    ) -> dict[str, object]:
        """The values of its variables for a row.

        texts       the whole numbers of a row, by the variables of the kernel
        before      the values with which the row has taken it over, if it has
        changed, absent     the variables that native code knows: their values; and those without one
        """
        prefix = self.naming.prefix
        values = {name: value for name, value in before.items() if prefix + name not in absent}
        for name, value in self.bound.items():
            if isinstance(value, Operand):
                values[name] = ast.literal_eval(value.text)
            elif name in self.addressed:
                values[name] = object_at(texts[self.addressed[name]])
            else:
                values[name] = value.found(outermost)
        names = ((key[len(prefix) :], value) for key, value in changed.items() if key.startswith(prefix))
        return {**values, **{name: value for name, value in names if name[0] not in digits}}

    def begin(self, entry: Entry) -> Continuation:
        """What goes on at a place of the function's twin: a generator, or what is called for a plain function."""
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        cells |= {n: CellType(entry.values[n]) if n in entry.values else CellType() for n in self.twin.shared}
        begin: Callable[..., Continuation] = self.twin.begin
        if isinstance(self.call, ast.Call):
            begin = self.twin.called
        return begin(self.function, cells, entry)


def _is(found: object, known: Thing | Operand, outermost: Mapping[str, object]) -> bool:
    """Whether an argument is what the call says."""
    if isinstance(known, Operand):
        constant = ast.literal_eval(known.text)
        return type(found) is type(constant) and repr(found) == repr(constant)
    return found is (reached(outermost, known.root, known.path) if known.root else known.value)


# --- calls ------------------------------------------------------------------------------------------------------------


def function_called(
    expressions: BodyExpressions, made: ast.expr | None, why: str, node: ast.AST, *, yields: bool = True
) -> tuple[FunctionType, Value | None, ast.Call]:
    """The function that is called, the object of which it is a method, known or chosen, and the call.

    why     the reason of the Unknown that is raised for other expressions
    yields  whether it is a generator function, and not a plain one
    """
    if not isinstance(made, ast.Call):
        raise Unknown(why, node)
    bound: Value | None
    found = method_of_chosen(expressions, made, RESOURCES) if yields else None
    if found is None:
        called = expressions.value(made.func)
        if not isinstance(called, Thing) or (called.root and type(called.value) is not MethodType):
            raise Unknown(why, node)
        function, bound = called.value, None
        if isinstance(called.value, MethodType):
            function, bound = called.value.__func__, expressions.naming.owner_of(called)
    else:
        function, bound = found
    flags = function.__code__.co_flags if type(function) is FunctionType else 0
    is_wanted = flags & inspect.CO_GENERATOR if yields else not flags & _PLAIN
    if type(function) is not FunctionType or not is_wanted:
        raise Unknown(why, node)
    expressions.naming.note_function(function)
    return function, bound, made


def is_plain_call(expressions: BodyExpressions, node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether an expression calls a plain function of the user's that has statements."""
    try:
        called = expressions.tried(node.func) if isinstance(node, ast.Call) else None
    except Unknown:
        return False
    function = getattr(called.value, "__func__", called.value) if isinstance(called, Thing) else None
    return (
        type(function) is FunctionType
        and not function.__code__.co_flags & _PLAIN
        and not f"{function.__module__}.".startswith("eventide.")
        and function.__name__ != "<lambda>"
    )


def arguments_of(
    expressions: BodyExpressions, function: FunctionType, bound: Value | None, made: ast.Call
) -> dict[str, Value]:
    """What the arguments of a function are. Raises Unknown."""
    try:
        tree = expressions.naming.definition(function, yields=True).tree
    except CannotLower as refusal:
        raise Unknown(refusal.why, made) from None
    if not isinstance(tree, ast.FunctionDef):
        raise Unknown("what it calls is no plain function", made)
    return expressions.arguments(function, tree, bound, made)


def entered(expressions: BodyExpressions, call: Call, outer: Frame, twin_of: Callable[[FunctionType], Twin]) -> Frame:
    """Write what gives a function's arguments to the row as a `yield from` or a call goes through it; its frame.

    Raises Unknown or CannotLower if native code cannot go through it.
    """
    is_plain = isinstance(call, ast.Call)
    called = call if isinstance(call, ast.Call) else call.value
    function, bound, made = function_called(expressions, called, _NO_CALL, call, yields=not is_plain)
    code, naming = function.__code__, outer.naming
    around: list[Frame] = [outer]
    while (further := around[-1].outer) is not None:
        around.append(further)
    if any(frame.function.__code__ is code for frame in around):
        raise Unknown("a function that goes through itself is left to Python", call)
    if len(around) > _DEEPEST:
        raise Unknown("functions that go through others are nested too deep", call)
    if INTROSPECTION & {*code.co_names}:
        raise Unknown(_SEEN, call)
    scope = arguments_of(expressions, function, bound, made)
    twin = twin_of(function)
    tree = twin.definition.tree
    assert isinstance(tree, ast.FunctionDef)
    if is_plain and tree.decorator_list:
        raise Unknown("what it calls is no plain function", call)
    calls = [node for node in ast.walk(outer.tree) if isinstance(node, type(call))]
    inside = naming.inside(function, f"{naming.prefix}{calls.index(call) + 1}{'c' if is_plain else ''}_")
    inside.keep_private(private_numbers(type(expressions)(inside, expressions.emission), tree))
    frame = Frame(inside, twin, tree, outer, call)
    stored = names_stored(tree)
    lasting = scope.keys() - stored - set_inside(twin.definition.tree)
    if not lasting.issuperset({*code.co_cellvars} - inside.private):
        raise Unknown(_SEEN, call)
    for name, value in scope.items():
        is_fixed = isinstance(value, Thing) or value.is_constant or value.text in ("True", "False")
        if isinstance(value, Operand) and (name in stored or not is_fixed):
            _give(expressions, inside, name, value)
        elif name in stored:
            raise Unknown("an argument that is an object gets another value in the function that it goes through", call)
        else:
            _bind(frame, name, value, call)
    return frame


def _give(expressions: BodyExpressions, inside: Naming, name: str, operand: Operand) -> None:
    """An argument that is a number of the row, or one of a few objects."""
    key, operand = inside.key(name), as_kept(operand)
    if inside.kinds.setdefault(key, operand.kind) != operand.kind:
        raise Unknown(f"the type of its argument {name} changes")
    if inside.among.setdefault(key, operand.among) != operand.among:
        raise Unknown(f"its argument {name} is one of other objects than elsewhere")
    inside.used.add(key)
    inside.certain.add(key)
    inside.arguments |= {name}
    which = f"\ni_{key} = int({operand.whole})" if operand.kind == "mixed" else ""
    expressions.emission.emit(f"v_{key} = {operand.text}{which}")


def _bind(frame: Frame, name: str, value: Value, call: Call) -> None:
    """An argument that is the same whenever the call is made."""
    naming = frame.naming
    naming.bound[name] = value
    if isinstance(value, Operand):
        frame.bound[name] = value
        return
    if value.path and not (value.root and (value.root, value.path) in naming.things):
        raise Unknown("what it hands over is created each time", call)
    if value.root and value.path:
        frame.addressed[name] = naming.address(value)
    frame.bound[name] = value._replace(value=None) if value.root else value
