"""Classes of processes that are away: to look at the data that the run has of one returns it to Python."""

from __future__ import annotations

from functools import cache
from types import GeneratorType, GetSetDescriptorType, MemberDescriptorType
from typing import Final

from eventide.bodies.attributes import is_plain
from eventide.discrete.inside import migration_of
from eventide.discrete.processes.generator_process import GeneratorProcess
from eventide.discrete.processes.process import Process

_DATA: Final = ("_notice", "_value", "_wait", "_receiver", "_generator", "_past")
_generator: Final[MemberDescriptorType] = getattr(Process, "_generator")  # noqa: B009  # its slot
_class: Final[GetSetDescriptorType] = vars(object)["__class__"]


class InRow:
    """What comes first among the bases of such a class."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """A class of the user's is not told of this one."""

    def __new__(cls, *arguments: object, **options: object) -> object:  # type: ignore[misc]  # as Python makes it
        """An object of the class of processes that are in Python."""
        return cls.__mro__[2](*arguments, **options)


class RowClasses:
    """The classes of the processes of one simulation while they are away."""

    def __init__(self) -> None:
        self._may: dict[type, bool] = {}
        self._classes: dict[type, type] = {GeneratorProcess: _plain()}

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
            self._classes[kind] = _class_of(kind)
        _class.__set__(process, self._classes[kind])

    def end(self, process: Process) -> None:
        """It is in Python."""
        _class.__set__(process, type(process).__mro__[2])


def suspended_with(process: Process) -> GeneratorType[object, object, object]:
    """The generator with which a process that is away was suspended: it stays away."""
    found: GeneratorType[object, object, object] = _generator.__get__(process)
    return found


def _class_of(kind: type) -> type:
    given: dict[str, object] = {name: _property(getattr(Process, name)) for name in _DATA}
    given.update({name: getattr(kind, name) for name in ("__module__", "__qualname__")})
    given.update({"__slots__": (), "__class__": _property(_class, kind)})
    return type(kind.__name__, (InRow, kind), given)


@cache
def _plain() -> type:
    """That of plain processes, for all simulations: one of the user's would stay among the subclasses of his class."""
    return _class_of(GeneratorProcess)


def _property(slot: MemberDescriptorType | GetSetDescriptorType, answer: object = None) -> property:
    def look(process: Process) -> object:
        if answer is not None:
            return answer
        _return(process)
        return slot.__get__(process)

    def change(process: Process, value: object) -> None:
        _return(process)
        slot.__set__(process, value)

    return property(look, change)


def _return(process: Process) -> None:
    """A process is Python's again."""
    migration = migration_of(process.sim)
    assert migration is not None
    migration.bring(process)
