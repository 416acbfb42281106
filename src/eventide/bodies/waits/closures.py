"""What the conditions of waits close over: objects that stay the same, and numbers of the row.

In: a lambda that is written at a wait. Out: the objects by which a guard is known that the stepper has kept of it, and
the numbers that the guard is told at each wait. A variable that is read by its function and by such conditions alone
is a number of the row as any other: nobody sees its cell, which gets the value when the process returns to Python.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.bodies.operands import EXACT, Kind, Operand, Thing, Unknown
from eventide.discrete.conditions.until import until
from eventide.discrete.processes.composite import all_of, first_of
from eventide.reading.nodes import set_inside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import CodeType

    from eventide.bodies.expressions import BodyExpressions
    from eventide.bodies.waits.states import Awaited

FUNCTION: Final = "0 function"
OWNER: Final = "0 owner"
_SCOPES: Final = (
    ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp,
)  # fmt: skip


class Closure(NamedTuple):
    """What a condition closes over.

    objects     by name, but for those that its process shares with it; of a function that is called by its name that
                function as FUNCTION, of a method its object as OWNER
    numbers     of the row, by name
    """

    objects: dict[str, Thing]
    numbers: dict[str, Operand]

    @classmethod
    def of_objects(cls, objects: dict[str, Thing]) -> Closure:
        """That of a condition without numbers of the row."""
        return cls({name: thing._replace(value=None) if thing.root else thing for name, thing in objects.items()}, {})

    def found(self, values: Mapping[str, object]) -> dict[str, object]:
        """The objects where the variables of a process have some values."""
        return {name: thing.found(values) for name, thing in self.objects.items()}

    def has(self, name: str) -> bool:
        """Whether a variable is among these."""
        return name in self.objects or name in self.numbers

    @property
    def kinds(self) -> dict[str, Kind]:
        """The types of the numbers."""
        return {name: operand.kind for name, operand in self.numbers.items()}

    def is_like(self, other: Closure) -> bool:
        """Whether it is the same, whatever the numbers are."""
        if self.kinds != other.kinds or self.objects.keys() != other.objects.keys():
            return False
        pairs = ((thing, other.objects[name]) for name, thing in self.objects.items())
        return all((a.root, a.path) == (b.root, b.path) and a.value is b.value for a, b in pairs)


def places_of(guards: Mapping[str, Awaited]) -> dict[str, tuple[str, str]]:
    """The variables of the kernel with the places of the numbers that guards are told: the guard, and the name."""
    each = ((text, k, name) for text, one in guards.items() for k, name in enumerate(one.closure.numbers))
    return {place_of(text, k): (text, name) for text, k, name in each}


def place_of(text: str, k: int) -> str:
    """That of one of the numbers of a guard, whose variable is given."""
    return f"c_at{k}_{text[2:]}"


def closure_of(expressions: BodyExpressions, node: ast.Lambda, code: CodeType) -> Closure:
    """What a condition closes over.

    Raises Unknown unless it means the same at each wait, but for numbers of the row.
    """
    naming, given = expressions.naming, node.args
    for default in (*given.defaults, *given.kw_defaults):
        if default is None or isinstance(default, ast.Constant):
            continue
        found = expressions.value(default) if isinstance(default, ast.Name) else None
        if not isinstance(found, Thing) or found.path:
            raise Unknown("a default of its lambda is computed at each wait: let a field keep it", node)
    closure = Closure({}, {})
    for name in code.co_freevars:
        is_number = name in naming.bound or bool(naming.kinds.get(naming.key(name)))
        if name in naming.shared:
            raise Unknown("another function may set what the condition reads", node)
        if name in naming.cells:
            root, fact = naming.capture(naming.function, name, node)
            closure.objects[name] = Thing(root, (), None if root else fact.answer)
        elif is_number and (naming.prefix or name in naming.private):
            found = expressions.value(ast.copy_location(ast.Name(name, ast.Load()), node))
            if isinstance(found, Thing):
                closure.objects[name] = found._replace(value=None) if found.root else found
            elif found.kind == "bool":
                raise Unknown("a Boolean that may change is left to Python", node)
            else:
                if found.kind == "int" and not found.is_constant:
                    bad = f"{found.text} > {EXACT} or {found.text} < -{EXACT}"
                    expressions.emission.stop_if(bad, found, node=node)
                closure.numbers[name] = found
        elif naming.prefix:
            raise Unknown("what its condition reads is left to Python", node)
    return closure


# --- variables of which only conditions know --------------------------------------------------------------------------


def private_numbers(expressions: BodyExpressions, tree: ast.FunctionDef) -> frozenset[str]:
    """The variables that a function shares with nothing but the conditions of its waits, and that statements set."""
    naming = expressions.naming
    names = {*naming.function.__code__.co_cellvars} - set_inside(tree)
    if not names:
        return frozenset()
    conditions = {id(node) for node in _conditions(expressions, tree)}
    for node in _inside(tree):
        others: list[ast.AST] = []
        if isinstance(node, _SCOPES) and id(node) not in conditions:
            others = [*ast.walk(node)]
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            others = [*ast.walk(node.optional_vars)]
        elif isinstance(node, ast.Delete):
            others = [*node.targets]
        names.difference_update(one.id for one in others if isinstance(one, ast.Name))
        names -= {getattr(node, word, None) for word in ("name", "asname", "rest")}
    return frozenset(name for name in names if name.isascii())


def _conditions(expressions: BodyExpressions, tree: ast.FunctionDef) -> Iterator[ast.Lambda]:
    """The lambdas that nothing but waits of a function gets."""
    for node in _inside(tree):
        command = node.value if isinstance(node, ast.Yield) else None
        if not isinstance(command, ast.Call):
            continue
        is_group = bool(command.keywords) and not command.args and _means(expressions, command.func, first_of, all_of)
        for one in [keyword.value for keyword in command.keywords] if is_group else [command]:
            is_wait = isinstance(one, ast.Call) and one.args and isinstance(one.args[0], ast.Lambda)
            if is_wait and _means(expressions, one.func, until):  # type: ignore[attr-defined]  # a call, as was tested
                yield one.args[0]  # type: ignore[attr-defined]  # as above


def _means(expressions: BodyExpressions, node: ast.expr, *functions: object) -> bool:
    try:
        found = expressions.value(node)
    except Unknown:
        return False
    return isinstance(found, Thing) and not found.root and any(found.value is one for one in functions)


def _inside(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions and the like that are made there."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, _SCOPES):
            yield from _inside(node)
