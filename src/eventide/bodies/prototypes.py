"""Prototypes of processes that begin in rows: what the rows of those have in common that one statement makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import GeneratorType
from typing import TYPE_CHECKING

from eventide.bodies.objects import object_of
from eventide.discrete.processes.generator_process import made_in_rows
from eventide.reading.source import CannotLower
from eventide.reading.used_generators import GIVEN
from eventide.rows.codes import NONE

if TYPE_CHECKING:
    from eventide.bodies.body import Admission, Birth, Bodies, Body
    from eventide.discrete.processes.generator_process import Kind
    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World


class Prototype:
    """What the processes begin with that one statement makes, of given objects.

    body, admission     as of a process that goes away
    children            what its own statements make: by the places of their rows among its whole numbers
    row                 of which new ones are copies; NONE while nobody is away
    number              by which rows tell theirs
    """

    def __init__(self, birth: Birth, body: Body, admission: Admission, number: int) -> None:
        self.birth = birth
        self.body = body
        self.admission = admission
        self.number = number
        self.children: dict[int, Prototype | None] = {}
        self.row = NONE

    @property
    def label(self) -> str | type:
        """What its processes are counted by: the name that they share, before their numbers, or their class."""
        return self.birth.kind or self.birth.function.__name__

    def generator(self, process: Process, numbers: Mapping[str, float]) -> GeneratorType[object, object, object]:
        """The generator of a process that has not begun, with these arguments."""
        birth = self.birth
        arguments = {**birth.arguments, **numbers}
        made: GeneratorType[object, object, object] = (
            birth.function(process) if birth.kind else birth.function(**arguments)
        )
        made.__name__ = GIVEN
        return made

    def renew(self, process: Process, numbers: Mapping[str, float]) -> None:
        """The object of a process that has left its row has the attributes that were set there."""
        if self.birth.kind is not None:
            vars(process).update(numbers)

    def process(
        self, world: World, kind: Kind, number: int, tag: int, begun: float, numbers: Mapping[str, float]
    ) -> Process:
        """The object of a process in a row, in whose name there may be a number, its tag."""
        birth = self.birth
        name = str(tag).join(birth.name)
        if birth.kind is None:
            return made_in_rows(world, kind, number, name, begun)
        return object_of(birth.kind, world, number, name, begun, {**birth.arguments, **numbers})


class Prototypes:
    """All prototypes of one stay of processes in rows, in the order of their numbers."""

    def __init__(self, bodies: Bodies) -> None:
        self.all: list[Prototype] = []
        self._bodies = bodies
        self._known: dict[object, Prototype | None] = {}

    def children_of(self, admission: Admission) -> dict[int, Prototype | None]:
        """What the statements of a process make; None where Python makes it."""
        return {place: self._made_by(birth) for place, birth in admission.births.items()}

    def _made_by(self, birth: Birth) -> Prototype | None:
        # An object of which the prototype keeps a reference has its id for itself.
        objects = tuple((name, id(value)) for name, value in birth.arguments.items())
        key = birth.function, birth.name, birth.kind, objects
        if key in self._known:
            return self._known[key]
        try:
            body, admission = self._bodies.begin(birth.function, birth.arguments, birth.kind)
        except CannotLower as refusal:
            birth.body.refused[birth.text] = refusal.why
            return None
        birth.body.refused.pop(birth.text, None)
        made = self._known[key] = Prototype(birth, body, admission, len(self.all))
        self.all.append(made)
        made.children = self.children_of(admission)
        return made

    @staticmethod
    def descendants_of(children: Iterable[Prototype | None]) -> list[Prototype]:
        """Prototypes and those that these lead to, each once, in the order in which they are met."""
        found: dict[Prototype, None] = {}
        waiting = [child for child in children if child is not None]
        for prototype in waiting:
            if prototype not in found:
                found[prototype] = None
                waiting += [child for child in prototype.children.values() if child is not None]
        return list(found)
