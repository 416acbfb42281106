"""Twins: generators that begin where another generator of the same function stands, or would stand.

A twin is made from the same source text (`twin_source.py`): same names, lines, file, globals and cells, so its user's
names, tracebacks, closures and debuggers find what they would have found in the original. It is given the values of
the local variables and, for a place inside loops, `with`, `try` or `yield from`, their iterators, `__exit__` functions,
errors and the inner generator.
"""

from __future__ import annotations

import ast
from functools import partial
from itertools import chain, repeat
from operator import call
from types import CellType, CodeType, FunctionType, GeneratorType
from typing import TYPE_CHECKING, Any, Final, Never, Self, TypeAlias

from eventide.reading.source import FUTURE, extent_of
from eventide.reading.twin_source import ENTRY, FIRST, Position, TwinSource, bound_names, position_of, unbound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from eventide.reading.source import Definition

Inner: TypeAlias = "GoingOn | Callable[[], object]"
"""What a `yield from` goes on with, or what is called for the rest of a function that is called."""
NOTHING: Final[Mapping[int, Never]] = {}
_INSIDE: Final = ".inside"
_HIDDEN: Final = "_" * 40
_ORIGINAL: Final = "_eventide_twin_of"
_UNFIT: Final = (
    ast.Await, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.ListComp, ast.NamedExpr, ast.SetComp, ast.Yield,
    ast.YieldFrom,
)  # fmt: skip
"""What a call has that does more than read variables: it sets some, or makes functions that may share them."""


class Entry:
    """Where a twin begins, and what it finds there.

    at          the number of the place
    values      of the local variables that have values, those that functions made there share included
    iterators, contexts, errors     of loops, `with` and `try` around the place, by their numbers; a context is the
                `__exit__` that its `with` is going to call
    given       by the numbers of `TwinSource.told`, what expressions of a statement have given that is begun once more
    inner       what a `yield from` is in the middle of, as `GoingOn`; or calls the rest of a function that is called
    """

    __slots__ = ("_kept", "at", "contexts", "errors", "given", "inner", "iterators", "values")

    def __init__(
        self,
        at: int,
        values: Mapping[str, object],
        iterators: Mapping[int, Iterator[object]] = NOTHING,
        contexts: Mapping[int, Callable[..., object]] = NOTHING,
        errors: Mapping[int, BaseException] = NOTHING,
        inner: Inner | None = None,
        given: dict[int, object] | None = None,
    ) -> None:
        self.at = at
        self.values = values
        self.iterators = iterators
        self.contexts = contexts
        self.errors = errors
        self.inner = inner
        self.given = given
        self._kept: dict[int, tuple[TracebackType | None, BaseException | None]] = {}

    def value(self, name: str) -> object:
        """The value of a variable; this object itself if it has none."""
        return self.values.get(name, self)

    def loop(self, number: int, last: int, shape: object) -> object:
        """What a loop goes through: nothing if the place is behind its block, else one empty item before the others."""
        return () if self.at > last else chain(repeat(shape, 1), self.iterators[number])

    def context(self, number: int, shape: object) -> object:
        """What a `with` has begun already."""
        return _Context(shape, self.contexts[number])

    def fails(self, number: int, first: int, last: int) -> bool:
        """Whether an error leads to the place, from the block of a `try`."""
        if not first <= self.at <= last or number not in self.errors:
            return False
        error = self.errors[number]
        self._kept[number] = error.__traceback__, error.__context__
        return True

    def caught(self, first: int, last: int) -> object:
        """What a handler handles while an error leads to the place."""
        return BaseException if first <= self.at <= last else ()

    def restore(self, number: int) -> None:
        """An error that was raised once more is what it was before that."""
        if number in self._kept:
            error = self.errors[number]
            error.__traceback__, error.__context__ = self._kept[number]


class _Context:
    """A context manager that has been entered: `with` finds its methods here, and no frame of ours is between."""

    __slots__ = ("__enter__", "__exit__")

    def __init__(self, shape: object, leave: Callable[..., object]) -> None:
        self.__enter__ = repeat(shape).__next__
        self.__exit__ = leave


class GoingOn(map):  # type: ignore[type-arg]  # of whatever the inner generator yields
    """A suspended generator, or iterator, with which a `yield from` goes on: it stops once before.

    inner   the generator
    """

    # No Python function is between, so that tracebacks have no frame of ours; `map` keeps what an iterator returns.
    __slots__ = ("close", "inner", "send", "throw")
    inner: object

    def __new__(cls, inner: Iterator[object]) -> Self:
        """What stands for a suspended generator or iterator."""
        made = super().__new__(cls, call, chain((_stop,), repeat(inner.__next__)))
        made.inner = inner
        for name in ("send", "throw", "close"):
            if hasattr(inner, name):
                setattr(made, name, getattr(inner, name))
        return made


def inner_of(generator: GeneratorType[object, object, object]) -> object:
    """What a suspended generator is in the middle of by `yield from`; None if it is in the middle of nothing."""
    inner = generator.gi_yieldfrom
    return inner.inner if type(inner) is GoingOn else inner


def _stop() -> None:
    """What the first step of a generator that goes on comes to."""


class Twin:
    """What makes the twins of one function.

    places, heads, closed, told see `TwinSource`
    names       the local variables that no other function shares
    shared      those that functions made there share; kept: and those of comprehensions, in the order in which a
                generator has their cells
    Raises CannotLower if the function has no twins.
    """

    def __init__(self, definition: Definition, function: FunctionType) -> None:
        assert isinstance(definition.tree, ast.FunctionDef)
        self.definition = definition
        code, tree = function.__code__, definition.tree
        bound = bound_names(tree)
        self.kept = tuple(dict.fromkeys(n for n in (*code.co_varnames, *code.co_cellvars) if n in code.co_cellvars))
        self.shared = tuple(name for name in self.kept if name in bound)
        source = TwinSource(tree, self.shared)
        self.names = tuple(name for name in code.co_varnames if name not in self.shared)
        self._first = code.co_varnames[:1] if "__class__" in code.co_freevars else ()
        self._original = code
        self._carriers: dict[ast.Call, CodeType | None] = {}
        body = [*unbound(self.names, tree), *source.body]
        if self.shared:
            body = [ast.Nonlocal(list(self.shared), **position_of(tree)), *body]
        self._code = self._compiled([*([FIRST] if self._first else []), *self.names, ENTRY], body)
        self.places, self.heads, self.closed, self.told = source.places, source.heads, source.closed, source.told
        if unknown := [name for name in self._code.co_freevars if name not in (*self.shared, *code.co_freevars)]:
            raise definition.refusal(tree, f"where {unknown[0]!r} comes from is not known")

    def carrier_of(self, node: ast.Call) -> CodeType | None:
        """The code of generators that make a call and yield what it returns; None if it does more than read variables.

        Such a generator seems one of the function: its frame has the name, the file, the line and all variables.
        """
        if node not in self._carriers:
            where, inside = position_of(node), [*ast.walk(node)]
            names = {one.id for one in inside if isinstance(one, ast.Name)}
            is_fit = node in self.places and not any(isinstance(one, _UNFIT) for one in inside)
            body = [*unbound(self.names, node), ast.Expr(ast.Yield(node, **where), **where)]
            is_fit = is_fit and names.isdisjoint((*self.kept, "__class__", "super"))
            self._carriers[node] = self._compiled([*self.names, ENTRY], body) if is_fit else None
        return self._carriers[node]

    def _compiled(self, arguments: Sequence[str], body: list[ast.stmt]) -> CodeType:
        """Code of the function's own, as a function in a class in a function has it whose names are the shared ones."""
        code, tree = self._original, self.definition.tree
        assert isinstance(tree, ast.FunctionDef)
        where = position_of(tree)
        # The first line of the code is that of the first decorator.
        # None of the names here is one that the user's code may refer to, as to itself: it means what is outside.
        inside: ast.stmt = _function(_INSIDE, arguments, body, tree.decorator_list, where)
        around = self.definition.file.class_around(tree)
        around = around and _HIDDEN + around  # private names leave out what a class begins with
        if around:
            inside = ast.ClassDef(name=around, bases=[], keywords=[], body=[inside], decorator_list=[], **where)
            _add_type_params(inside)
        names = [ast.Name(name, ast.Store(), **where) for name in (*self.shared, *code.co_freevars)]
        given: list[ast.stmt] = [ast.Assign([name], ast.Constant(None, **where), **where) for name in names]
        module = ast.Module([_function(".twin", [], [*given, inside], [], where)], [])
        made: CodeType = compile(module, code.co_filename, "exec", flags=code.co_flags & FUTURE, dont_inherit=True)
        for name in (".twin", *([around] if around else ()), _INSIDE):
            made = next(inner for inner in made.co_consts if isinstance(inner, CodeType) and inner.co_name == name)
        whole = made.replace(co_name=code.co_name, co_qualname=code.co_qualname, co_consts=self._constants(made, code))
        assert isinstance(whole, CodeType)
        return whole

    def _constants(self, made: CodeType, code: CodeType) -> tuple[object, ...]:
        """The constants of the twin: the objects of the original, as is the code of functions that are made there."""
        known = _codes_by_place(code)
        own = {(type(one), repr(one)): one for one in code.co_consts}
        same: dict[int, CodeType] = {}
        for place, codes in _codes_by_place(made).items():
            # What no path leads to, as behind a `return`, has no code in the original.
            others = known.get(place, codes)
            if [one.co_freevars for one in codes] != [one.co_freevars for one in others]:
                raise self.definition.refusal(self.definition.tree, f"{place[0]} is compiled in another way")
            same.update((id(one), other) for one, other in zip(codes, others, strict=True))
        return tuple(same.get(id(one)) or own.get((type(one), repr(one)), one) for one in made.co_consts)

    def begin(
        self, function: FunctionType, cells: Mapping[str, CellType], entry: Entry
    ) -> GeneratorType[object, object, object]:
        """A generator that stands at a place, as if it had yielded there.

        At a statement, whatever is sent is not seen.
        cells   of the names that functions share, by name
        Raises RuntimeError if something was not given that the place needs.
        """
        generator = self.called(function, cells, entry)()
        assert isinstance(generator, GeneratorType)
        try:
            generator.send(None)
        except StopIteration:
            raise RuntimeError(f"{function.__qualname__} has no place {entry.at}") from None
        return generator

    def called(self, function: FunctionType, cells: Mapping[str, CellType], entry: Entry) -> Callable[[], object]:
        """What calls the twin of a function, from a place on; no frame of ours is between."""
        twin = self._made(self._code, function, cells)
        return partial(twin, *[entry.values.get(name, entry) for name in (*self._first, *self.names)], entry)

    def carrier(
        self, code: CodeType, function: FunctionType, values: Mapping[str, object]
    ) -> GeneratorType[object, object, object]:
        """A generator of `carrier_of`, with the variables that have values."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        entry = Entry(0, values)
        made = self._made(code, function, cells)(*[values.get(name, entry) for name in self.names], entry)
        assert isinstance(made, GeneratorType)
        return made

    @staticmethod
    def _made(code: CodeType, function: FunctionType, cells: Mapping[str, CellType]) -> FunctionType:
        closure = tuple(cells[name] for name in code.co_freevars)
        made = FunctionType(code, function.__globals__, function.__name__, None, closure)
        made.__qualname__ = function.__qualname__
        made.__dict__[_ORIGINAL] = function
        return made


def original_function(function: FunctionType) -> FunctionType:
    """The function of which another is the twin; else itself."""
    found = function.__dict__.get(_ORIGINAL, function)
    assert isinstance(found, FunctionType)
    return found


def _codes_by_place(code: CodeType) -> dict[tuple[object, ...], list[CodeType]]:
    """The code of functions made in some code, by name and by where in the text it stands.

    Its instructions may be others: a call of `math.sin` is compiled in another way where the import stands beside it.
    """
    found: dict[tuple[object, ...], list[CodeType]] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found.setdefault((inner.co_name, inner.co_firstlineno, extent_of(inner)), []).append(inner)
    return found


def _function(
    name: str, arguments: Sequence[str], body: list[ast.stmt], decorators: list[ast.expr], where: Position
) -> ast.FunctionDef:
    given = ast.arguments([], [ast.arg(argument, **where) for argument in arguments], None, [], [], None, [])
    made = ast.FunctionDef(name=name, args=given, body=body, decorator_list=decorators, **where)
    _add_type_params(made)
    return made


def _add_type_params(node: Any) -> None:
    if "type_params" in node._fields:  # of Python 3.12
        node.type_params = []
