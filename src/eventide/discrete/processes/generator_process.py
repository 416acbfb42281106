"""Processes made of plain generators: `sim.process(customer(sim, counter))`."""

from __future__ import annotations

from types import AsyncGeneratorType, CodeType, CoroutineType, GeneratorType
from typing import TYPE_CHECKING, Final

from eventide.discrete.processes.process import Process
from eventide.reading.dropped_commands import KNOWN, refuse_dropped_commands
from eventide.reading.used_generators import GIVEN, _what_to_write, refuse_used

if TYPE_CHECKING:
    from eventide.discrete.world import World


class GeneratorProcess(Process):
    """A process made of a plain generator: `sim.process(customer(sim, counter))`."""

    # Made by `World.process`: a call of the class without an __init__ takes a third of the time.
    __init__ = object.__init__  # its maker sets what there is to set

    _kind: Kind

    if not TYPE_CHECKING:

        @Process.name.getter
        def name(self) -> str:
            """The name in columns, errors and traces: as given, else that of its generator and a number."""
            return self._name or f"{self._kind.label} {self._number}"


class Kind:
    """What the processes made by generators of one name have in common.

    label       the name
    code        the code of the last generator of that name that was found to be in order
    count       how many there were
    """

    __slots__ = ("code", "count", "label")

    def __init__(self, label: str) -> None:
        self.label = label
        self.code: CodeType | None = None
        self.count = 0


class ClassKind(Kind):
    """What the objects of a class have in common that are processes: how many there were."""

    def __init__(self, counts: dict[object, int], of: type) -> None:
        self._counts, self._class = counts, of

    @property
    def count(self) -> int:
        """How many there were."""
        return self._counts.get(self._class, 0)

    @count.setter
    def count(self, number: int) -> None:
        self._counts[self._class] = number


def counter_of(world: World, label: str | type) -> Kind:
    """What counts the processes of a name or a class."""
    return world._kinds.setdefault(label, Kind(label)) if isinstance(label, str) else ClassKind(world._counts, label)


UNKNOWN: Final = Kind("")
"""The kind of what has not been seen yet."""


def kind_of(world: World, generator: object) -> Kind:
    """The kind of a generator that is to become a process. Raises TypeError if it is no generator."""
    if type(generator) is not GeneratorType:
        what = f"the function {getattr(generator, '__name__', '')}" if callable(generator) else repr(generator)
        if isinstance(generator, CoroutineType | AsyncGeneratorType):
            raise TypeError(f"sim.process takes a generator, and got {what}: {_what_to_write(generator)}")
        if isinstance(generator, Process):
            raise TypeError(f"sim.process takes a generator, and got {what}, which is a process: let it `activate()`")
        if isinstance(generator, type) and issubclass(generator, Process):
            one = generator.__name__
            raise TypeError(f"sim.process takes a generator, and got the class {one}: write {one}(sim, ...).activate()")
        if isinstance(generator, float) or hasattr(generator, "_execute"):
            made = f"hold({what})" if isinstance(generator, float) else type(generator).__name__
            raise TypeError(
                f"sim.process takes a generator, and got the command {made}: write `yield` before it in the function "
                "that gave it, and call that function, as f(sim)"
            )
        raise TypeError(f"sim.process takes a generator, and got {what}: call a function that yields, as f(sim)")
    if generator.__name__ == GIVEN or generator.gi_frame is None or generator.gi_suspended:
        refuse_used("sim.process takes", generator)
    code = generator.gi_code
    if id(code) not in KNOWN:
        refuse_dropped_commands(generator)
    label = generator.__name__
    kind = world._kinds.get(label)
    if kind is None:
        kind = world._kinds[label] = Kind(label)
    if id(code) in KNOWN:
        kind.code = code
    return kind


def made_in_rows(world: World, kind: Kind, number: int, name: str, begun: float) -> GeneratorProcess:
    """A process as `World.process` makes it, whose generator comes later."""
    process: GeneratorProcess = GeneratorProcess()
    process.sim = world  # type: ignore[assignment]  # every World is a Simulation
    process._kind, process._number = kind, number
    if name:
        process._name = name
    process._notice = process._value = process._wait = process._past = process._end_waiters = process.result = None
    process._generator = process._receiver = None
    process.terminated, process._anchor = False, begun
    return process
