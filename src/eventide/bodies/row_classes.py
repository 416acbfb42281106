"""Classes of processes that are away: to look at the data that the run has of one returns it to Python."""

from __future__ import annotations

from collections.abc import Callable
from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.bodies.attributes import is_plain
from eventide.discrete.processes.generator_process import GeneratorProcess
from eventide.discrete.processes.process import Process

if TYPE_CHECKING:
    from eventide.bodies.body import Body
    from eventide.bodies.prototypes import Prototype

_DATA: Final = ("_notice", "_value", "_wait", "_receiver", "_generator", "_past", "_waited_for")
_class: Final[GetSetDescriptorType] = vars(object)["__class__"]


class RowProcess(NamedTuple):
    """A process that is a row: its body, and its prototype, or the objects whose addresses the row has."""

    process: Process
    body: Body
    prototype: Prototype | None
    kept: object


class InRow:
    """What comes first among the bases of such a class."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """A class of the user's is not told of this one."""

    def __new__(cls, *arguments: object, **options: object) -> object:  # type: ignore[misc]  # as Python makes it
        """An object of the class of processes that are in Python."""
        return cls.__mro__[2](*arguments, **options)


class RowClasses:
    """The classes of the processes of one simulation while they are away.

    bring   returns a process to Python
    """

    def __init__(self, bring: Callable[[Process], None]) -> None:
        self._bring = bring
        self._may: dict[type, bool] = {}
        self._classes: dict[type, type] = {}

    def may_go(self, activity: object) -> bool:
        """Whether an activity is a process whose class does not customise attributes."""
        kind = type(activity)
        known = self._may.get(kind)
        if known is None:
            is_own = type(kind) is type and issubclass(kind, Process) and is_plain(activity)
            known = self._may[kind] = kind is GeneratorProcess or is_own
        return known

    def begin(self, process: Process) -> None:
        """A process is away from now on."""
        kind = type(process)
        if kind not in self._classes:
            given: dict[str, object] = {name: self._property(getattr(Process, name)) for name in _DATA}
            given.update({name: getattr(kind, name) for name in ("__module__", "__qualname__")})
            given.update({"__slots__": (), "__class__": self._property(_class, kind)})
            self._classes[kind] = type(kind.__name__, (InRow, kind), given)
        _class.__set__(process, self._classes[kind])

    def end(self, process: Process) -> None:
        """It is in Python."""
        _class.__set__(process, type(process).__mro__[2])

    def _property(self, slot: MemberDescriptorType | GetSetDescriptorType, answer: object = None) -> property:
        bring = self._bring

        def look(process: Process) -> object:
            if answer is not None:
                return answer
            bring(process)
            return slot.__get__(process)

        def change(process: Process, value: object) -> None:
            bring(process)
            slot.__set__(process, value)

        return property(look, change)
