"""Objects of another simulation to which code refers that cannot be read: its names are looked through."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial, partialmethod
from types import FunctionType, MemberDescriptorType, MethodType
from typing import TYPE_CHECKING, Final

from eventide.continuous import Variable
from eventide.declare import Component
from eventide.discrete import World
from eventide.lowering.names.paths import is_plain
from eventide.reading.reach import Reach
from eventide.reading.scope import closures_of

if TYPE_CHECKING:
    from eventide.simulation import Simulation

_WRAPPED: Final = (staticmethod, classmethod, MethodType, property, cached_property, partial, partialmethod)


def foreign_object_in(functions: Iterable[object], arguments: Iterable[object], sim: Simulation) -> str:
    """The name of the first object of another simulation that functions refer to, or of its clock; "" if none is found.

    Found are those that the functions, and what they name, close over, name as globals or have as defaults, and those
    among attributes by such names of objects found so, also of plain ones, where a text may be such a name; in lists,
    tuples and dicts too. What is given by a call is not.
    """
    search = _Search()
    for value in (*functions, *arguments):
        search.take(value)
    found = search.finish()
    clock = any(one is not sim for one in search.clocks)
    return next((one.name for one in found if one.sim is not sim), "a clock" if clock else "")


class _Search:
    """What has been met, by identity, as objects may compare in ways of their own."""

    def __init__(self) -> None:
        self._reach: Reach[Component] = Reach(Component, ())
        self._met: dict[int, object] = {}
        self._names: dict[str, None] = {}
        self._running: list[FunctionType] = []
        self._objects: list[Component | Variable] = []
        self._plain: list[object] = []
        self.clocks: list[World] = []

    def take(self, value: object) -> None:
        """Keep what code may refer to, and what leads on."""
        is_followed = isinstance(value, (FunctionType, *_WRAPPED, list, tuple, dict, Component, Variable, World))
        if id(value) in self._met or not (is_followed or is_plain(value)):
            return
        self._met[id(value)] = value
        if isinstance(value, FunctionType):
            if not (value.__module__ or "").startswith("eventide."):
                self._running.append(value)
        elif isinstance(value, Component | Variable):
            self._objects.append(value)
        elif isinstance(value, World):
            self.clocks.append(value)
        elif is_followed:
            for part in _parts(value):
                self.take(part)
        else:
            self._plain.append(value)

    def finish(self) -> list[Component | Variable]:
        """Go on until nothing new is met; the objects."""
        size = -1
        while size != len(self._met):
            size = len(self._met)
            while self._running:
                self._look_through(self._running.pop())
            of_classes: dict[type, list[object]] = {}
            for one in (*self._objects, *self._plain):
                for name, value in tuple(vars(one).items()) if hasattr(one, "__dict__") else ():
                    if name in self._names:
                        self.take(value)
                cls = type(one)
                if cls not in of_classes:
                    of_classes[cls] = [_attribute_of(cls, name) for name in self._names]
                for found in of_classes[cls]:
                    self.take(_in_slot(found, one) if isinstance(found, MemberDescriptorType) else found)
        return self._objects

    def _look_through(self, function: FunctionType) -> None:
        names = self._reach.names_of(function.__code__)
        texts = (one for one in function.__code__.co_consts if type(one) is str and one.isidentifier())
        self._names.update(dict.fromkeys((*names, *texts)))
        for name in names:
            self.take(function.__globals__.get(name))
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.take(value)
        for value in closures_of(function).values():
            self.take(value)


def _in_slot(slot: MemberDescriptorType, owner: object) -> object:
    try:
        return slot.__get__(owner, type(owner))
    except AttributeError:  # it is empty
        return None


def _attribute_of(cls: type, name: str) -> object:
    """What a class has by a name, as it stands there: what a class method binds is another object at each look."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _parts(value: object) -> tuple[object, ...]:
    if isinstance(value, MethodType):
        return value.__self__, value.__func__
    if isinstance(value, partial | partialmethod):
        return value.func, *value.args, *value.keywords.values()
    if isinstance(value, property):
        return (value.fget,)
    if isinstance(value, cached_property):
        return (value.func,)
    if isinstance(value, staticmethod | classmethod):
        return (value.__func__,)
    if isinstance(value, dict):
        return tuple(value.values())
    assert isinstance(value, list | tuple)  # or `take` has passed it over
    return tuple(value)
