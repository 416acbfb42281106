"""Components with laws that were never started, and attributes that a class does not declare but nearly does."""

from __future__ import annotations

from itertools import islice
from math import inf
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Final, TypeGuard

from eventide.continuous import Continuous
from eventide.continuous.plans import handlers_of, has_laws, is_left_out
from eventide.declare import GENERATED, fields_of
from eventide.discrete.conditions.when import refuse_handler_of_object
from eventide.discrete.processes.process import Process
from eventide.errors import ModelError
from eventide.reading.bytecode import stored_in
from eventide.reading.description import who_were
from eventide.reading.misspelt import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eventide.continuous import System
    from eventide.continuous.storage.slot_storage import Occupant

MOST_CHECKED: Final = 100
"""The components that are checked for misspelt attributes as a run begins after some were made;"""
MOST_AGAIN: Final = 10
"""and the number of the oldest that are checked in every run."""

FUNCTIONS: Final = frozenset((FunctionType, MethodType))
"""The types of what may be marked as a handler."""


class ForgottenComponents:
    """Looks for components that take no part in the runs of one system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._resting: list[Occupant] = []
        self._gone: list[str] = []
        self._sizes: dict[object, int] = {}
        """How many attributes the oldest components had when they were last examined, by slab."""

    def begin(self, made: dict[object, int]) -> None:
        """As a run begins: note what is not started. Raises ModelError for an attribute that was misspelt.

        made        how many objects of each kind were made since the last run
        """
        occupants, first = self.system.storage.occupants, inf
        if made:
            kinds = {kind: n for kind, n in made.items() if isinstance(kind, type) and issubclass(kind, Continuous)}
            first = max(len(occupants) - sum(kinds.values()), 0)
            self._resting = []
            # The newest stand last; variables among them have no laws.
            for place, occupant in enumerate(islice(occupants.values(), first, None), first):
                owner = occupant()
                kinds.pop(type(owner), None)  # type: ignore[arg-type]  # whatever it is, or was
                if not getattr(owner, "_started", 1) and _is_at_rest(owner):
                    self._resting.append(occupant)
                if MOST_AGAIN <= place < first + MOST_CHECKED:
                    refuse_misspelt(owner)
            self._gone = self._dropped(kinds) if kinds else []
        self._look_again(first)

    def _look_again(self, new: float = inf) -> None:
        """Examine the oldest components whose number of attributes has changed, and those no older than `new`."""
        for place, (slab, occupant) in enumerate(islice(self.system.storage.occupants.items(), MOST_AGAIN)):
            owner = occupant()
            size = len(getattr(owner, "__dict__", ()))
            if place >= new or self._sizes.get(slab) != size:
                self._sizes[slab] = size
                refuse_misspelt(owner)

    def parts(self, *, has_acted: bool) -> list[str]:
        """In words, what was never started. Raises ModelError for an attribute that was misspelt in the run.

        has_acted   whether code of the user has run
        """
        if has_acted:
            self._look_again()
        if not self._resting and not self._gone:
            return []
        gone, self._gone = self._gone, []
        found, self._resting = [owner for one in self._resting if _is_at_rest(owner := one())], []
        told = [f"{who_were(found)} never started (call start(), as in {_call(found)})"] if found else []
        return told + [f"{name} 1 was never started and is gone (keep it: one = {name}(sim).start())" for name in gone]

    def _dropped(self, made: Iterable[type[Continuous]]) -> list[str]:
        """Those of these classes of which no object lives: what is not started is not kept alive."""
        alive = {type(one()) for one in self.system.storage.occupants.values()}
        gone = [kind for kind in made if kind not in alive]
        return [kind.__name__ for kind in gone if has_laws(kind) and not issubclass(kind, Process)]

    def is_moving(self) -> bool:
        """Whether states are integrated or laws hold."""
        return not self.system.is_empty


def _is_at_rest(owner: object) -> TypeGuard[Continuous]:
    """Whether an object is a component with laws or handlers that has never been started; a process starts itself."""
    return isinstance(owner, Continuous) and not isinstance(owner, Process) and is_left_out(owner)


def _call(found: Sequence[object]) -> str:
    return f"{type(found[0]).__name__}(sim).start()"


def refuse_misspelt(component: object) -> None:
    """Raise ModelError if an object has an undeclared attribute whose name is close to that of a field."""
    if not isinstance(component, Continuous):
        return
    cls, space = type(component), component.__dict__
    known = known_names(cls)
    if not FUNCTIONS.isdisjoint(map(type, space.values())):
        for name, member in space.items():
            if type(member) in FUNCTIONS:
                refuse_handler_of_object(component.name, name, member, handlers_of(cls))
    if space.keys() <= known:
        return
    others = [name for name in space if name not in known]
    for name in others:
        near = "" if name[0] == "_" else nearest(name, cls)
        if near:
            raise ModelError(
                f"{component.name}.{name} was set, and {cls.__name__} declares no {name!r}: write {near!r}; or declare "
                f"it, as `{name}: float = 0.0`"
            )
    known.update(others)


_KNOWN: Final = "_known_names"


def known_names(cls: type[Continuous]) -> set[str]:
    """The attributes that objects of a class may have: declared ones, what its own methods set, and what was found."""
    if _KNOWN not in cls.__dict__:
        stored = {
            name
            for base in cls.__mro__
            for member in vars(base).copy().values()  # another thread may set one meanwhile
            if isinstance(code := getattr(getattr(member, "__func__", member), "__code__", None), CodeType)
            if not code.co_filename.startswith(GENERATED)
            for name in stored_in(code)
        }
        setattr(cls, _KNOWN, {"sim", *fields_of(cls), *stored, *dir(cls)})
    return cls.__dict__[_KNOWN]  # type: ignore[no-any-return]  # set above
