"""The syntax tree of a function that exists: the text it was made from, found again and compared with what runs."""

from __future__ import annotations
import __future__

import ast
import inspect
import linecache
import math
from collections import deque
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.errors import ModelError
from eventide.native.locking import cached_property, locked, parsed
from eventide.reading.constants import PARTS
from eventide.reading.description import location
from eventide.reading.entries import default_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Tree: TypeAlias = ast.FunctionDef | ast.Lambda

FUTURE: Final = __future__.annotations.compiler_flag
"""The flag of the future statement that still changes what is compiled."""
GENERATOR_LIKE: Final = 0x20 | 0x80 | 0x200
"""The flags of code that yields or awaits."""


class CannotLower(ModelError):
    """A law or condition stays Python: names the user's line, what stands there, and why it cannot be followed.

    file, line      where it stands; no file if it is written in none
    construct       the source text, shortened
    why             the reason, with what to write instead if there is something
    """

    def __init__(self, file: str, line: int, construct: str, why: str) -> None:
        super().__init__(f"{f'{location(file, line)}: ' if file else ''}`{construct}`: {why}")
        self.file = file
        self.line = line
        self.construct = construct
        self.why = why

    def __reduce__(self) -> tuple[type[CannotLower], tuple[str, int, str, str]]:
        return type(self), (self.file, self.line, self.construct, self.why)

    @property
    def untraced(self) -> CannotLower:
        """One that tells the same and has no traceback: its frames would keep the simulation in which it was raised."""
        return CannotLower(self.file, self.line, self.construct, self.why)


@dataclass(frozen=True)
class Definition:
    """Where a function is written."""

    file: SourceFile
    tree: Tree

    def refusal(self, node: ast.AST, why: str) -> CannotLower:
        """The error that names a piece of this function."""
        return CannotLower(self.file.name, getattr(node, "lineno", self.tree.lineno), self.file.excerpt(node), why)


class SourceFile:
    """One file, parsed once."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self.name = name
        self.lines = lines
        self.text = "".join(lines)
        self._tree = parsed(self.text)
        self._codes: dict[tuple[int, bool], dict[tuple[str, int], list[CodeType]]] = {}
        self._classes: dict[ast.AST, str] | None = None
        self._trees: dict[int, tuple[CodeType, Tree | None]] = {}

    # A file of the library is read for a few functions: all of it is gone through only for what asks for that.

    @cached_property
    def rebound(self) -> set[str]:
        """The names that some function declares `global`."""
        return {name for node in ast.walk(self._tree) if isinstance(node, ast.Global) for name in node.names}

    @cached_property
    def _stored(self) -> set[str]:
        """The names of attributes that are set or deleted somewhere; ANY if some may have any name."""
        return {name for node in ast.walk(self._tree) if (name := _stored(node))} | self._laid_over

    @cached_property
    def _laid_over(self) -> set[str]:
        """Those of them that are set or deleted in the dict of an object, so that nothing announces it."""
        nodes = list(ast.walk(self._tree))
        making = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name in _MAKING]
        made = {inner for node in making for inner in ast.walk(node)}
        return set().union(*(_stored_in_spaces(node) for node in nodes if node not in made))

    def stores(self, name: str) -> bool:
        """Whether attributes of a name may be set or deleted somewhere; those that eventide sets are no methods."""
        return name in self._stored or (ANY in self._stored and not self.name.startswith(_OURS))

    def lays_over(self, name: str) -> bool:
        """Whether attributes of a name may be set or deleted in the dict of an object."""
        return name in self._laid_over or (ANY in self._laid_over and not self.name.startswith(_OURS))

    @cached_property
    def alters_functions(self) -> bool:
        """Whether it names what may become another in a function that stays the same."""
        return any(part in self.text for part in PARTS)

    @cached_property
    def _scopes(self) -> dict[ast.AST, Scope]:
        return _scopes(self._tree)

    def has(self, code: CodeType) -> bool:
        """Whether this text is what the code was made from.

        What `exec` and `compile` are called with inherits the future statements of the code that calls them.
        """
        key = code.co_name, code.co_firstlineno
        future = code.co_flags & FUTURE
        return any(code in self._codes_of(future, apart=apart).get(key, ()) for apart in (False, True))

    def _codes_of(self, future: int, *, apart: bool) -> dict[tuple[str, int], list[CodeType]]:
        """All code of the file, by name and first line.

        apart       compile each statement of the file by itself, as notebooks do with a cell: a call `ev.hold(1)` is
                    other code where `import eventide as ev` was compiled together with it
        """
        if (future, apart) not in self._codes:
            codes: dict[tuple[str, int], list[CodeType]] = {}
            modules = [ast.Module([node], []) for node in self._tree.body] if apart else [self._tree]
            for module in modules:
                for made in _codes_in(compile(module, self.name, "exec", flags=future, dont_inherit=True)):
                    codes.setdefault((made.co_name, made.co_firstlineno), []).append(made)
            self._codes[future, apart] = codes  # whole: other threads look as well
        return self._codes[future, apart]

    def tree_of(self, code: CodeType) -> Tree | None:
        """The tree of a function or lambda; None if the text does not tell."""
        if id(code) not in self._trees:
            self._trees[id(code)] = code, self._find_tree(code)
        return self._trees[id(code)][1]

    def _find_tree(self, code: CodeType) -> Tree | None:
        key = code.co_name, code.co_firstlineno
        trees = [tree for tree in _functions_at(self._tree, code.co_firstlineno) if _key_of(tree) == key]
        if len(trees) == 1:
            return trees[0]
        extent = extent_of(code)
        lambdas = [tree for tree in trees if isinstance(tree, ast.Lambda)]
        if extent is None:  # Python 3.12 does not tell where a constant stands that is all there is
            return next((tree for tree in lambdas if _is_constant(tree.body, code.co_consts[-1])), None)
        return min((tree for tree in lambdas if _covers(tree.body, extent)), key=_width, default=None)

    def start_of(self, line: int) -> int:
        """The first line of the innermost function or lambda around a line; 0 if there is none."""
        return max((tree.lineno for tree in _functions_at(self._tree, line)), default=0)

    def is_rebound(self, tree: Tree, name: str) -> bool:
        """Whether a name that a function closes over may be given more than one value."""
        scope = self._scopes.get(tree)
        while scope is not None:
            bindings = _bindings(scope, name)
            if bindings:
                return bindings > 1
            scope = self._scopes.get(scope)
        return True

    def class_around(self, tree: Tree) -> str:
        """The name of the class in which a function is written, which its private names (`__x`) have; else empty."""
        if self._classes is None:
            self._classes = dict(_classes(self._tree, ""))
        return self._classes.get(tree, "")

    def place(self, tree: Tree, where: Tree) -> None:
        """A tree that was made from another stands where that does."""
        if where in self._scopes:
            self._scopes[tree] = self._scopes[where]

    def excerpt(self, node: ast.AST) -> str:
        """The first line of the text of a node, shortened."""
        if not isinstance(node, ast.expr | ast.stmt | ast.arg) or node.end_lineno is None:
            text, is_whole = ast.dump(node), True
        else:  # columns are counted in bytes
            line, is_whole = self.lines[node.lineno - 1].encode(), node.end_lineno == node.lineno
            text = line[node.col_offset : node.end_col_offset if is_whole else None].decode().strip()
        return text if len(text) <= 80 and is_whole else text[:76] + " ..."


class Copies(dict[tuple[object, ...], FunctionType]):
    """Copies of the functions that a field refers to, by what `copy_key` tells of these.

    What a function closes over and its defaults are found where it is called: lambdas that are made again have one.
    """

    def of(self, function: object) -> FunctionType | None:
        """The copy of a function; None if there is none."""
        return self.get(copy_key(function)) if isinstance(function, FunctionType) else None


def copy_key(function: FunctionType) -> tuple[object, ...]:
    """What functions have in common that are the same but for what they close over, and for their defaults."""
    kinds = [type(one) for one in function.__defaults__ or ()]
    named = [(name, type(one)) for name, one in (function.__kwdefaults__ or {}).items()]
    return function.__code__, id(function.__globals__), *kinds, *named


def closed(made: FunctionType, found: FunctionType) -> FunctionType:
    """A function that was made of another one's text, as it closes over what that closes over, and has its defaults."""
    if not made.__closure__ and not made.__defaults__ and not made.__kwdefaults__:
        return made
    cells = dict(zip(found.__code__.co_freevars, found.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in made.__code__.co_freevars)
    defaults = found.__defaults__ if made.__defaults__ else None
    one = FunctionType(made.__code__, made.__globals__, made.__name__, defaults, closure)
    one.__kwdefaults__ = {name: default_of(found, name) for name in made.__kwdefaults__ or ()} or None
    one.__dict__.update(made.__dict__)
    return one


_MADE_OF: Final = "_eventide_made_of"


def made_of(function: FunctionType, original: FunctionType, tree: Tree) -> None:
    """A function was made of the text of another, as a tree says."""
    function.__dict__[_MADE_OF] = function.__code__, original, tree


def original_of(function: FunctionType) -> FunctionType:
    """The function of whose text another was made; itself if it was not made so."""
    made = function.__dict__.get(_MADE_OF)
    return made[1] if made is not None and made[0] is function.__code__ else function


# What `linecache` keeps is looked up and read again in several steps: another thread may drop it in between.


@locked
def lines_of(name: str, namespace: dict[str, object] | None = None) -> list[str]:
    """The lines of a file, or of what stands for one; none if they cannot be had."""
    return linecache.getlines(name, namespace)


@locked
def check_lines(name: str) -> None:
    """Read a file once more when its lines are next asked for, if it has changed."""
    linecache.checkcache(name)


class SourceBook:
    """The files that have been read.

    varying     numbers of modules and classes that have changed often, as (id of whose they are, name): whose they are
    """

    def __init__(self) -> None:
        self.varying: dict[tuple[int, str], object] = {}
        self._files: dict[str, SourceFile] = {}
        self._definitions: dict[int, tuple[CodeType, Definition]] = {}

    def definition(self, function: FunctionType, *, yields: bool = False) -> Definition:
        """Where a function is written.

        yields      whether it is to be a generator function, and not a plain one
        Raises CannotLower if its text cannot be had, or is another by now.
        """
        # Code is compared by identity: equal code may stand in several files, among other globals.
        code = function.__code__
        known = self._definitions.get(id(code))
        if known is None:  # where several threads find it, all take the same trees: they are compared by identity
            known = self._definitions.setdefault(id(code), (code, self._find(function, code, yields=yields)))
        return known[1]

    def _find(self, function: FunctionType, code: CodeType, *, yields: bool) -> Definition:
        made = function.__dict__.get(_MADE_OF)
        if made is not None and made[0] is code:
            _, original, tree = made
            known = self.definition(original, yields=yields)
            known.file.place(tree, known.tree)
            return Definition(known.file, tree)
        if code.co_flags & GENERATOR_LIKE and not yields:
            raise _refusal(code, "it yields or awaits: what holds between events is a plain function")
        file = self.file(code.co_filename, function.__globals__)
        if file is None:
            raise _refusal(code, "its source text cannot be found: write it in a file")
        if not file.has(code):
            self._files.pop(code.co_filename, None)  # another thread may have done so
            check_lines(code.co_filename)
            file = self.file(code.co_filename, function.__globals__)
        if file is None or not file.has(code):
            raise _refusal(
                code, "the text in the file is not that of the code that runs (it was edited, or an import rewrites it)"
            )
        tree = file.tree_of(code)
        if tree is None:
            raise _refusal(code, "there are several lambdas on its line: give it a line of its own")
        if code.co_flags & GENERATOR_LIKE and isinstance(tree, ast.Lambda):
            raise _refusal(code, "it is a lambda that yields: write a `def`")
        return Definition(file, tree)

    def is_rebound(self, function: FunctionType, name: str) -> bool:
        """Whether a name that a function closes over may be given more than one value."""
        definition = self.definition(function)
        return definition.file.is_rebound(definition.tree, name)

    def sets_global(self, file: str, namespace: dict[str, object], name: str) -> bool:
        """Whether some function of a file gives a global name another value."""
        text = self.file(file, namespace) if namespace is not vars(math) else None
        return text is not None and name in text.rebound

    def may_alter(self, *functions: FunctionType) -> bool:
        """Whether the file of one of some functions names what may become another in a function that stays the same."""
        files = (self.file(one.__code__.co_filename, one.__globals__) for one in functions)
        return any(one is not None and one.alters_functions for one in files)

    def file(self, name: str, namespace: dict[str, object]) -> SourceFile | None:
        """A file by its name; None if it cannot be read as Python."""
        known = self._files.get(name)
        if known is None:
            lines = lines_of(name, namespace)
            if not lines:
                return None
            try:
                known = self._files.setdefault(name, SourceFile(name, lines))
            except (SyntaxError, ValueError):
                return None
        return known


def _refusal(code: CodeType, why: str) -> CannotLower:
    return CannotLower(code.co_filename, code.co_firstlineno, code.co_name, why)


ANY: Final = "*"
_OURS: Final = inspect.getfile(ModelError).removesuffix("errors.py")  # pathlib would be loaded for this alone
_MAKING: Final = ("__init__", "__new__", "__post_init__", "__setstate__")
"""In these an object is made: what a run has taken from its class is not changed."""
_CHANGES: Final = ("pop", "setdefault", "update", "clear", "popitem", "__setitem__", "__delitem__", "__ior__")
"""The methods of a dict that change it."""


def _stored(node: ast.AST) -> str:
    """The name of the attribute that a piece of code sets or deletes; empty if it is no such piece."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return node.attr
    if not isinstance(node, ast.Call) or len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
        return ""
    function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return str(node.args[1].value) if function.strip("_").endswith(("setattr", "delattr")) else ""


def _stored_in_spaces(node: ast.AST) -> Iterator[str]:
    """The names that a piece of code sets or deletes in `vars(x)` or `x.__dict__`; ANY if it does not say which."""
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            yield ANY
        elif isinstance(node, ast.Subscript) and _is_space(node.value):
            yield _text_of(node.slice)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.Return) and _is_space(node.value):
        yield ANY  # it may be changed by another name
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_space(node.func.value):
        given: list[ast.expr | None] = [*node.args]
        if node.func.attr == "update":
            given = [key for one in node.args for key in (one.keys if isinstance(one, ast.Dict) else [None])]
            yield from (keyword.arg or ANY for keyword in node.keywords)
        elif node.func.attr not in _CHANGES:
            return
        yield from map(_text_of, given if node.func.attr == "update" else given[:1] or [None])


def _is_space(node: ast.expr | None) -> bool:
    """Whether an expression is the attributes of an object."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "vars" and len(node.args) == 1
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def _text_of(node: ast.expr | None) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ANY


def _functions_at(tree: ast.AST, line: int) -> Iterator[Tree]:
    """The functions and lambdas of a tree that a line is in, those further out first."""
    waiting = deque([tree])
    while waiting:
        node = waiting.popleft()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            yield node
        for child in ast.iter_child_nodes(node):
            places = (one.lineno for one in (child, *getattr(child, "decorator_list", ())) if hasattr(one, "lineno"))
            if min(places, default=0) <= line <= (getattr(child, "end_lineno", None) or line):
                waiting.append(child)


def _key_of(tree: Tree) -> tuple[str, int]:
    if isinstance(tree, ast.Lambda):
        return "<lambda>", tree.lineno
    return tree.name, min([tree.lineno, *(decorator.lineno for decorator in tree.decorator_list)])


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)


Scope: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _scopes(tree: ast.AST) -> dict[ast.AST, Scope]:
    """For each function the function around it, if there is one."""
    around: dict[ast.AST, Scope] = {}

    def visit(node: ast.AST, scope: Scope | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Scope):
                if scope is not None:
                    around[child] = scope
                visit(child, child)
            else:
                visit(child, scope)

    visit(tree, None)
    return around


def _classes(node: ast.AST, name: str) -> Iterator[tuple[ast.AST, str]]:
    """The functions written in classes, with the name of the innermost."""
    for child in ast.iter_child_nodes(node):
        if name and isinstance(child, ast.FunctionDef):
            yield child, name
        yield from _classes(child, child.name if isinstance(child, ast.ClassDef) else name)


def _bindings(scope: Scope, name: str) -> int:
    """How often a function gives a value to a name of its own: 0 if it has none, 2 for often."""
    if any(_is_declared(node, name) for node in (scope.body if isinstance(scope.body, list) else ())):
        return 0  # `nonlocal`: of a function further out
    arguments = scope.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    count = sum(argument is not None and argument.arg == name for argument in every)
    body = scope.body if isinstance(scope.body, list) else [scope.body]
    return min(2, count + sum(_given(node, name) for node in body))


def _is_declared(node: ast.AST, name: str) -> bool:
    """Whether a piece of code says that a name is of a function further out."""
    if isinstance(node, Scope | ast.ClassDef):
        return False
    if isinstance(node, ast.Nonlocal):
        return name in node.names
    return any(_is_declared(child, name) for child in ast.iter_child_nodes(node))


def _given(node: ast.AST, name: str) -> int:
    """How often a piece of code gives a value to a name of the function around it; in loops as often as may be."""
    if isinstance(node, Scope | ast.ClassDef):
        own = 0 if isinstance(node, ast.Lambda) or node.name != name else 1
        shared = any(isinstance(inner, ast.Nonlocal) and name in inner.names for inner in ast.walk(node))
        return own + 2 * shared
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return 2 * any(isinstance(inner, ast.NamedExpr) and inner.target.id == name for inner in ast.walk(node))
    if isinstance(node, ast.Name):
        return int(node.id == name and not isinstance(node.ctx, ast.Load))
    if isinstance(node, ast.alias):
        return int((node.asname or node.name) == name)
    inside = sum(_given(child, name) for child in ast.iter_child_nodes(node))
    often = 2 if isinstance(node, ast.For | ast.While | ast.AsyncFor) else 1
    return int(name in (getattr(node, "name", None), getattr(node, "rest", None))) + often * inside


Extent: TypeAlias = tuple[tuple[int, int], tuple[int, int]]


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is type(value) and node.value == value


def extent_of(code: CodeType) -> Extent | None:
    """From where to where in the text the instructions of some code come from: (line, column) twice."""
    places: list[Extent] = []
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if (line, column) != (end_line, end_column):
            places.append(((line, column), (end_line, end_column)))
    if not places:
        return None
    return min(start for start, _ in places), max(end for _, end in places)


def _covers(node: ast.expr, extent: Extent) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return start <= extent[0] and extent[1] <= end


def _width(tree: Tree) -> tuple[int, int]:
    return ((tree.end_lineno or 0) - tree.lineno, (tree.end_col_offset or 0) - tree.col_offset)


def parse_function(code: CodeType, names: Mapping[str, object]) -> tuple[ast.FunctionDef | None, int]:
    """The syntax tree of a function's code, and what to add to its line numbers; None if there is no such text."""
    if not code.co_name.isidentifier():  # an expression, which has no statements
        return None, 0
    try:
        # `inspect.getsourcelines` would first look for the module, at the file of every module there is.
        check_lines(code.co_filename)
        start = code.co_firstlineno
        lines = inspect.getblock(lines_of(code.co_filename, dict(names))[start - 1 :])
        is_indented = lines[0][:1].isspace()
        # A block around it, and not `dedent`: a text in three quotes may reach further to the left.
        tree = parsed("".join(["if True:\n", *lines] if is_indented else lines))
    except (OSError, TypeError, SyntaxError, IndexError, ValueError):
        return None, 0
    shift = start - 1 - is_indented
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first + shift == code.co_firstlineno:
                return node, shift
    return None, 0
