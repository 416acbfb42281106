"""What code that cannot be compiled may reach: a search through the objects that its names refer to."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from types import CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Final, Generic, TypeVar

from eventide.native.locking import locked
from eventide.reading.scope import closures_of

_OURS: Final = __name__.partition(".")[0]
Sought = TypeVar("Sought")


class Reach(Generic[Sought]):
    """The objects of a class that some functions may call, looked up at each request, as names may be bound again.

    Found are those among an owner's attributes, among what the functions close over, name as globals, or have as
    defaults, among attributes by such names, and in lists, tuples and dicts there; so also for the functions, methods
    and properties that these functions name. What is named as a text, or given by a call, is not found. Libraries are
    not looked into: what they call of the model's they are given by the model.
    """

    def __init__(
        self, sought: type[Sought] | tuple[type, ...], functions: Iterable[object], owner: object = None
    ) -> None:
        self._sought = sought
        self._functions = tuple(functions)
        self._owner = owner
        self._sorts: dict[type, _Sort] = {}
        self._names: dict[CodeType, tuple[str, ...]] = {}

    def found(self) -> tuple[Sought, ...]:
        """All of them, each once, as they are found."""
        search = _Search[Sought](self)
        attributes = vars(self._owner).values() if hasattr(self._owner, "__dict__") else ()
        for value in (self._owner, *attributes, *self._functions):
            search.take(value)
        return search.finish()

    def sort_of(self, cls: type) -> _Sort:
        """What objects of a class are good for."""
        sort = self._sorts.get(cls)
        if sort is None:
            sort = self._sorts[cls] = _Sort(cls, self._sought)
        return sort

    def names_of(self, code: CodeType) -> tuple[str, ...]:
        """The names that code uses, and code within it."""
        names = self._names.get(code)
        if names is None:
            inner = [name for part in code.co_consts if isinstance(part, CodeType) for name in self.names_of(part)]
            names = self._names[code] = tuple(dict.fromkeys((*code.co_names, *inner)))
        return names


class _Sort:
    """What objects of a class are good for.

    is_sought   whether they are what is looked for
    runs        whether they are functions or the like
    classes     those of the model's classes that have attributes of theirs; None if names lead nowhere from them
    """

    def __init__(self, cls: type, sought: type | tuple[type, ...]) -> None:
        self.is_sought = issubclass(cls, sought)
        self.runs = issubclass(cls, FunctionType | MethodType | partial | property)
        models = tuple(part for part in cls.__mro__ if not is_of_library(part.__module__))
        self.classes: tuple[type, ...] | None = models or None
        if self.is_sought or self.runs or issubclass(cls, type):
            self.classes = None
        elif issubclass(cls, ModuleType | SimpleNamespace):
            self.classes = ()


class _Search(Generic[Sought]):
    """What has been met, by identity, as objects may compare in ways of their own; and the names that code uses."""

    def __init__(self, reach: Reach[Sought]) -> None:
        self._reach = reach
        self._found: dict[int, Sought] = {}
        self._met: dict[int, object] = {}
        self._names: dict[str, None] = {}
        self._running: list[object] = []
        self._spaces: list[Mapping[str, object]] = []

    def take(self, value: object) -> None:
        """Keep what is looked for, and what leads to it."""
        self.take_sought(value)
        sort = self._reach.sort_of(type(value))
        if not (sort.runs or sort.classes is not None) or id(value) in self._met:
            return
        self._met[id(value)] = value
        if sort.runs:
            self._running.append(value)
        elif not (isinstance(value, ModuleType) and is_of_library(value.__name__)):
            self._spaces += [vars(part) for part in (value, *(sort.classes or ())) if hasattr(part, "__dict__")]

    def take_sought(self, value: object) -> None:
        """Keep what is looked for, alone or in a list, a tuple or a dict."""
        items = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
        for item in items:  # of a copy, as another thread may add to what a module has
            if self._reach.sort_of(type(item)).is_sought:
                self._found[id(item)] = item

    def finish(self) -> tuple[Sought, ...]:
        """Go on until nothing new is met; a name may be met after the object that has an attribute of that name."""
        size = -1
        while self._running or size != len(self._met):
            while self._running:
                for part in self._parts(self._running.pop()):
                    self.take(part)
            size = len(self._met)
            for space in tuple(self._spaces):
                for name in [name for name in self._names if name in space]:
                    self.take(space[name])
        return tuple(self._found.values())

    def _parts(self, value: object) -> Iterator[object]:
        if isinstance(value, FunctionType):
            yield from self._parts_of_function(value)
        elif isinstance(value, MethodType):
            yield from (value.__self__, value.__func__)
        elif isinstance(value, partial):
            yield from (value.func, *value.args, *value.keywords.values())
        elif isinstance(value, property):
            yield value.fget

    def _parts_of_function(self, function: FunctionType) -> Iterator[object]:
        space = function.__globals__
        if is_of_library(space.get("__name__", _OURS)):
            return
        for name in self._reach.names_of(function.__code__):
            self._names[name] = None
            if name in space:
                yield space[name]
        yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        yield from closures_of(function).values()


def is_of_library(module: str) -> bool:
    """Whether a module is ours, comes with Python, or is installed."""
    package = module.partition(".")[0]
    if package == _OURS or package in sys.stdlib_module_names:
        return True
    return (getattr(sys.modules.get(package), "__file__", None) or "").startswith(_installed())


@cache
@locked  # `sysconfig` is not made for two threads that ask first
def _installed() -> tuple[str, ...]:
    """The folders of what is installed."""
    import sysconfig  # which takes as long to load as a small model

    return sysconfig.get_path("purelib"), sysconfig.get_path("platlib")
