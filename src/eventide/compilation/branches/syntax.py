"""Pieces of syntax trees for laws that are rewritten, and the functions that are made of such trees."""

from __future__ import annotations
import __future__

import ast
from copy import deepcopy
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Final

from eventide.reading.source import made_of

if TYPE_CHECKING:
    from eventide.reading.twin_source import Node

_FUTURES: Final = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_UNNAMED: Final = "<made>"


def function_of(tree: ast.FunctionDef | ast.Lambda, original: FunctionType) -> FunctionType:
    """The function of a tree, among the names of the one that it was made from."""
    free = original.__code__.co_freevars
    if isinstance(tree, ast.Lambda):
        inner: ast.stmt = ast.Expr(tree)
    else:  # by no name that what is in it may have
        inner = ast.copy_location(ast.FunctionDef(_UNNAMED, tree.args, tree.body, []), tree)
    args = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    maker = ast.FunctionDef("make", args, [inner], [])
    for node in (maker, inner, tree):
        node.type_params = []  # type: ignore[union-attr]  # Python 3.12 wants them
    module = ast.fix_missing_locations(ast.Module([maker], []))
    flags = original.__code__.co_flags & _FUTURES
    outer = compile(module, original.__code__.co_filename, "exec", flags, dont_inherit=True)
    is_whole = isinstance(tree, ast.FunctionDef)
    code = _code_in(_code_in(outer, maker.name), _UNNAMED if is_whole else "<lambda>")
    code = code.replace(co_name=original.__code__.co_name) if is_whole else code
    first = original.__code__.co_firstlineno if is_whole else code.co_firstlineno
    code = code.replace(co_firstlineno=first, co_qualname=original.__code__.co_qualname)
    cells = dict(zip(free, original.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, original.__globals__, original.__name__, None, closure)
    if is_whole:
        made.__defaults__, made.__kwdefaults__ = original.__defaults__, original.__kwdefaults__
    made.__qualname__, made.__module__, made.__doc__ = original.__qualname__, original.__module__, original.__doc__
    lazy = getattr(original, "__annotate__", None)
    if lazy is None:
        made.__annotations__ = original.__annotations__
    else:  # CPython 3.14 evaluates annotations when they are read
        made.__annotate__ = lazy  # type: ignore[attr-defined]  # of CPython 3.14
    made.__dict__.update(original.__dict__)
    if is_whole:
        made.__wrapped__ = original  # type: ignore[attr-defined]  # as functools has it
    made_of(made, original, tree)
    return made


def _code_in(code: CodeType, name: str) -> CodeType:
    """That of a function in it; CPython 3.14 has code of its annotations beside it."""
    return next(one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name)


def key_of(node: ast.expr) -> str:
    """What a name or attribute is known by."""
    return ast.unparse(node)


def as_read(node: ast.expr) -> ast.expr | None:
    """What an assignment with an operator reads."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    read = deepcopy(node)
    read.ctx = ast.Load()
    return read


def names_set_by(node: ast.AST) -> list[str]:
    """The names that a piece of code sets beside those in its expressions."""
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).partition(".")[0]]
    name = getattr(node, "name", None) or getattr(node, "rest", None)
    is_set = isinstance(node, ast.pattern | ast.ExceptHandler | ast.FunctionDef | ast.ClassDef)
    return [name] if is_set and isinstance(name, str) else []


def forget_inner(node: ast.stmt, known: dict[str, ast.expr | None]) -> None:
    """What expressions of a statement set by `:=` is not known in it and after it."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            known[inner.target.id] = None


def placed(node: Node, where: ast.AST) -> Node:
    """A node, and what in it has no place yet, at the place of another."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.expr | ast.arg) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, where)
    return node


def number(value: float) -> ast.expr:
    """A number."""
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0.0 else ast.Constant(value)


def as_float(node: ast.expr) -> ast.expr:
    """A whole number that is written as a float, as it is compared with floats."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return ast.copy_location(ast.Constant(float(node.value)), node)
    return node


def order(one: ast.expr, op: type[ast.cmpop], value: float) -> ast.expr:
    """A comparison with a number."""
    return ast.Compare(deepcopy(one), [op()], [number(value)])


HOLDS: Final = "eventide_held"
"""The attribute of a node that tells what it is while outcomes are held."""


def holding(node: ast.expr, held: ast.expr) -> ast.expr:
    """A piece of a law, with what it is while outcomes are held, for the conditions of what comes after it."""
    setattr(node, HOLDS, held)
    return node


def both(one: ast.expr, other: ast.expr) -> ast.expr:
    """`one and other`."""
    return ast.BoolOp(ast.And(), [one, other])


def either(one: ast.expr, other: ast.expr) -> ast.expr:
    """`one or other`."""
    return ast.BoolOp(ast.Or(), [one, other])


def every(tests: list[ast.expr]) -> ast.expr:
    """All of some, joined by `and`."""
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests) if tests else ast.Constant(True)


def truth_of(test: ast.expr | None, *, is_true: bool) -> list[ast.expr]:
    """That a test is true, or false, as a Boolean that is far from changing; nothing of a test that is not known."""
    return [] if test is None else [ast.IfExp(test, ast.Constant(is_true), ast.Constant(not is_true))]
