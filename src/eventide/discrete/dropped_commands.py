"""The search for a forgotten `yield`: commands that a generator's code makes and drops.

`hold(1.0)` as a statement of its own does nothing at all, and the model runs on with wrong results. The code of a
process is looked at when the first process begins with it.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any, Final, NamedTuple

from eventide.errors import ModelError

KNOWN: Final[dict[int, CodeType]] = {}
"""Code that was found to be in order, by id, as its hash takes longer than the whole start of a process."""

UNKNOWN: Final = object()
"""Stands for what is not known before the code runs."""
_GENERATOR: Final = inspect.CO_GENERATOR


class Dropped(NamedTuple):
    """A command that is made and dropped: the text of the statement, where it stands, and what to write instead."""

    text: str
    file: str
    line: int
    advice: str


def refuse_dropped_commands(generator: GeneratorType[Any, Any, Any]) -> None:
    """Raise ModelError, naming the lines, if the code of a generator that has not begun drops a command."""
    code = generator.gi_code
    frame = generator.gi_frame
    assert frame is not None  # it has not begun
    found = list(dropped_commands(code, frame.f_locals, frame.f_globals))
    if found:
        first, *others = found
        also = f" (also {', '.join(f'{d.file}:{d.line}' for d in others)})" if others else ""
        raise ModelError(
            f"{first.text} at {first.file}:{first.line} makes a command and drops it: write `{first.advice}`{also}"
        )


def dropped_commands(code: CodeType, variables: Mapping[str, Any], names: Mapping[str, Any]) -> Iterator[Dropped]:
    """The commands that a function's code makes and drops, and those in generators of its own that it delegates to.

    variables   values of its arguments and of the variables that it closes over
    names       its module's names
    Nothing is found in code whose text cannot be had.
    """
    if id(code) in KNOWN:
        return
    function, shift = _parse(code, names)
    if function is None:
        KNOWN[id(code)] = code
        return
    scope = _Scope(code, variables, names, function)
    is_clean = True
    for node in _own_nodes(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            word = _yield_for(scope.value_of(node.value.func))
            if word:
                is_clean = False
                text = ast.unparse(node.value)
                yield Dropped(text, code.co_filename, node.lineno + shift, f"{word} {text}")
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and scope.is_unread(node.targets):
            if _yield_for(scope.value_of(node.value.func)) == "yield":
                is_clean = False
                text = ast.unparse(node)
                advice = f"{text.removesuffix(ast.unparse(node.value))}yield {ast.unparse(node.value)}"
                yield Dropped(text, code.co_filename, node.lineno + shift, advice)
        elif isinstance(node, ast.YieldFrom) and isinstance(node.value, ast.Call):
            for found in _inside(scope.value_of(node.value.func), code):
                is_clean = False
                yield found
    if is_clean:
        KNOWN[id(code)] = code


def _inside(function: Any, caller: CodeType) -> Iterator[Dropped]:
    """What is dropped in a generator function or method that is delegated to."""
    this = function.__self__ if isinstance(function, MethodType) else None
    if this is not None:
        function = function.__func__
    if not isinstance(function, FunctionType) or not function.__code__.co_flags & _GENERATOR:
        return
    code = function.__code__
    if code is caller:
        return
    variables: dict[str, Any] = {}
    if this is not None and code.co_argcount:
        variables[code.co_varnames[0]] = this
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # nothing is in it yet
            variables[name] = cell.cell_contents
    yield from dropped_commands(code, variables, function.__globals__)


def _yield_for(function: Any) -> str:
    """What belongs before a call of `function`: "yield", "yield from", or nothing if it is a plain one."""
    function = getattr(function, "__func__", function)
    if getattr(function, "_makes_command", False) is True:
        return "yield"
    if isinstance(function, FunctionType) and function.__code__.co_flags & _GENERATOR:
        return "yield from"
    return ""


class _Scope:
    """What the names in a function's code mean, as far as that is known before it runs."""

    def __init__(
        self, code: CodeType, variables: Mapping[str, Any], names: Mapping[str, Any], function: ast.FunctionDef
    ) -> None:
        self.local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.variables = variables
        self.names = names
        self.shared = {
            name for node in _own_nodes(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
        }
        self.assigned = {
            node.id for node in _own_nodes(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }

        self.read = {
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
        }

    def is_unread(self, targets: list[ast.expr]) -> bool:
        """Whether what is assigned to these names is never used, and not by intention, as with `_`."""
        return all(
            isinstance(target, ast.Name) and target.id[0] != "_" and target.id not in self.read | self.shared
            for target in targets
        )

    def value_of(self, node: ast.expr) -> Any:
        """The object that a name or a chain of attributes means; nothing of the user's is executed."""
        if isinstance(node, ast.Name):
            if node.id in self.assigned:
                return UNKNOWN
            if node.id in self.local:
                return self.variables.get(node.id, UNKNOWN)
            return self.names.get(node.id, UNKNOWN)
        if isinstance(node, ast.Attribute):
            return attribute_of(self.value_of(node.value), node.attr)
        return UNKNOWN


def attribute_of(owner: Any, name: str) -> Any:
    """The attribute of an object, as far as it can be had without executing anything of the user's."""
    if owner is UNKNOWN:
        return UNKNOWN
    if isinstance(owner, ModuleType):
        # A module may load its names when they are asked for, as ours does.
        return getattr(owner, name, UNKNOWN)
    found = inspect.getattr_static(owner, name, UNKNOWN)
    if isinstance(found, FunctionType) and not isinstance(owner, type):
        return MethodType(found, owner)
    return found


def _parse(code: CodeType, names: Mapping[str, Any]) -> tuple[ast.FunctionDef | None, int]:
    """The syntax tree of a function's code, and what to add to its line numbers; None if there is no such text."""
    if not code.co_name.isidentifier():  # an expression, which has no statements
        return None, 0
    try:
        # `inspect.getsourcelines` would first look for the module, at the file of every module there is.
        linecache.checkcache(code.co_filename)
        start = code.co_firstlineno
        lines = inspect.getblock(linecache.getlines(code.co_filename, dict(names))[start - 1 :])
        is_indented = lines[0][:1].isspace()
        # A block around it, and not `dedent`: a text in three quotes may reach further to the left.
        tree = ast.parse("".join(["if True:\n", *lines] if is_indented else lines))
    except (OSError, TypeError, SyntaxError, IndexError, ValueError):
        return None, 0
    shift = start - 1 - is_indented
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first + shift == code.co_firstlineno:
                return node, shift
    return None, 0


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function's body without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))
