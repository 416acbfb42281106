"""Prototypes of processes that begin in rows: what the rows made by one statement have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import FunctionType, GeneratorType
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.bodies.naming import CREATED
from eventide.bodies.operands import KINDS
from eventide.discrete.processes.generator_process import counter_of, made_in_rows
from eventide.reading.source import CannotLower
from eventide.reading.used_generators import GIVEN
from eventide.rows.codes import NONE

if TYPE_CHECKING:
    from eventide.discrete.processes.generator_process import Kind
    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World
    from eventide.migration.bodies import Bodies
    from eventide.migration.crossing.body import Body
    from eventide.migration.crossing.environment import RowStart, SpawnTemplate
    from eventide.rows.memory import RowMemory


_NOTHING_YET: Final = ("_notice", "_value", "_wait", "_past", "_generator", "_end_waiters", "result", "_receiver")
"""The attributes of a process that has not begun to do anything."""


class RowProcess(NamedTuple):
    """A process that is a row: its body, and its prototype, or the objects whose addresses the row has."""

    process: Process
    body: Body
    prototype: Prototype | None
    kept: object


class Prototype:
    """What processes made by one statement begin with, for given objects.

    body, row_start     as of a process that goes away
    children            what its own statements make: by the places of their rows among its whole numbers
    row                 of which new ones are copies; NONE while no process is a row
    number              by which rows tell theirs
    """

    def __init__(self, spawn_template: SpawnTemplate, body: Body, row_start: RowStart, number: int) -> None:
        self.spawn_template = spawn_template
        self.body = body
        self.row_start = row_start
        self.number = number
        self.children: dict[int, Prototype | None] = {}
        self.row = NONE

    @property
    def label(self) -> str | type:
        """The key by which its processes are numbered: their common name, or their class."""
        return self.spawn_template.kind or self.spawn_template.function.__name__

    def generator(self, process: Process, numbers: Mapping[str, float]) -> GeneratorType[object, object, object]:
        """The generator of a process that has not begun, with these arguments."""
        spawn_template = self.spawn_template
        arguments = {**spawn_template.arguments, **numbers}
        made: GeneratorType[object, object, object] = (
            spawn_template.function(process) if spawn_template.kind else spawn_template.function(**arguments)
        )
        made.__name__ = GIVEN
        return made

    def renew(self, process: Process, numbers: Mapping[str, float]) -> None:
        """The object of a process that has left its row has the attributes that were set there."""
        if self.spawn_template.kind is not None:
            vars(process).update(numbers)

    def process(
        self, world: World, kind: Kind, number: int, tag: int, begun: float, numbers: Mapping[str, float]
    ) -> Process:
        """The object of a process in a row, in whose name there may be a number, its tag."""
        spawn_template = self.spawn_template
        name = str(tag).join(spawn_template.name)
        if spawn_template.kind is None:
            return made_in_rows(world, kind, number, name, begun)
        return object_of(spawn_template.kind, world, number, name, begun, {**spawn_template.arguments, **numbers})


class Prototypes:
    """All prototypes, from when processes become rows until all return, in the order of their numbers."""

    def __init__(self, bodies: Bodies) -> None:
        self.all: list[Prototype] = []
        self._bodies = bodies
        self._known: dict[object, Prototype | None] = {}

    def children_of(self, row_start: RowStart) -> dict[int, Prototype | None]:
        """What the statements of a process make; None where Python makes it."""
        return {place: self._made_by(spawn_template) for place, spawn_template in row_start.spawn_templates.items()}

    def _made_by(self, spawn_template: SpawnTemplate) -> Prototype | None:
        # An object of which the prototype keeps a reference has its id for itself.
        objects = tuple((name, id(value)) for name, value in spawn_template.arguments.items())
        key = spawn_template.function, spawn_template.name, spawn_template.kind, objects
        if key in self._known:
            return self._known[key]
        try:
            body, row_start = self._bodies.begin(spawn_template.function, spawn_template.arguments, spawn_template.kind)
        except CannotLower as refusal:
            spawn_template.body.refused[spawn_template.text] = refusal.why
            return None
        spawn_template.body.refused.pop(spawn_template.text, None)
        made = self._known[key] = Prototype(spawn_template, body, row_start, len(self.all))
        self.all.append(made)
        made.children = self.children_of(row_start)
        return made

    def materialized(
        self, memory: RowMemory, world: World, models: AbstractSet[int]
    ) -> Iterator[tuple[int, Process, Prototype]]:
        """The rows that have no objects yet, and objects for them, in the order in which they were made.

        models      rows of prototypes
        """
        for i in sorted(memory.bodiless(models), key=memory.process.made.__getitem__):
            yield i, *self.object_of(memory, world, i)

    def object_of(self, memory: RowMemory, world: World, i: int) -> tuple[Process, Prototype]:
        """An object for a row that has none yet."""
        process = memory.process
        prototype = self.all[process.object[i]]
        numbers = prototype.body.arguments(*memory.numbers_of(i, *prototype.body.sizes))
        kind, begun = counter_of(world, prototype.label), memory.activity.begun[i]
        return prototype.process(world, kind, process.number[i], process.tag[i], begun, numbers), prototype

    @staticmethod
    def descendants_of(children: Iterable[Prototype | None]) -> list[Prototype]:
        """Prototypes and those that these lead to, each once, in the order in which they are found."""
        found: dict[Prototype, None] = {}
        waiting = [child for child in children if child is not None]
        for prototype in waiting:
            if prototype not in found:
                found[prototype] = None
                waiting += [child for child in prototype.children.values() if child is not None]
        return list(found)


def created_values(kind: type, method: FunctionType, world: World, fields: Mapping[str, object]) -> dict[str, object]:
    """The variables of a process whose object is not made yet: a stand-in, and fields with numbers."""
    stand_in: object = object.__new__(kind)
    vars(stand_in).update(fields, sim=world)
    numbers = {f"0{name}": value for name, value in fields.items() if type(value) in KINDS}
    return {CREATED: stand_in, method.__code__.co_varnames[0]: stand_in, **numbers}


def object_of(
    kind: type[Process], world: World, number: int, name: str, begun: float, fields: Mapping[str, object]
) -> Process:
    """The object of a process that began in a row, as its constructor and `activate` have left it.

    fields  the values, in their order
    """
    made = object.__new__(kind)
    held = vars(made)
    held["_number"], held["sim"] = number, world
    if name:
        held["_name"] = name
    held.update(fields)
    for slot in _NOTHING_YET:
        setattr(made, slot, None)
    for slot, value in {"terminated": False, "_anchor": begun}.items():
        setattr(made, slot, value)
    return made
