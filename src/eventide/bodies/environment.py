"""What the local variables of a process refer to: many processes share it, and it is examined once."""

from __future__ import annotations

from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.bodies.attributes import may_change_class
from eventide.bodies.calls import addressed_call, target_of
from eventide.bodies.naming import ABSENT, Fact, class_fact, own_fact, reached
from eventide.bodies.operands import SAMPLES, Thing, step
from eventide.bodies.stations.choosing import all_are_of, fact_of
from eventide.bodies.stations.statistics import is_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eventide.bodies.body import Body
    from eventide.bodies.naming import Naming
    from eventide.bodies.operands import Path
    from eventide.bodies.stations.things import Kept
    from eventide.discrete.resources.request import Request
    from eventide.discrete.resources.resource import Resource
    from eventide.discrete.resources.transfer import Inventory
    from eventide.discrete.world import World
    from eventide.statistics import Level

MOST: Final = 64
"""The most that are remembered."""


class SpawnTemplate:
    """What the processes begin with that a statement makes.

    body        with this statement, and the variable of its kernel
    name        that it gives to each: one text, "" for none, or two with a number between them
    kind        the class of their objects; None for plain ones
    arguments   of the function, or fields of the objects; of those that are numbers one of the same type
    """

    def __init__(self, body: Body, text: str, arguments: dict[str, object]) -> None:
        site = body.naming.spawns[text]
        self.body = body
        self.text = text
        self.function, self.name, self.kind = site.function, site.name, site.kind
        self.arguments = arguments


class Environment:
    """What a body refers to, as its processes find it.

    places  of the whole numbers of a row, by the variables of the kernel
    spawn_template   makes what processes begin with that a statement makes, from its variable and arguments
    roots   of `roots_of`
    """

    def __init__(
        self,
        naming: Naming,
        places: Mapping[str, int],
        world: World,
        spawn_template: Callable[[str, dict[str, object]], SpawnTemplate],
        roots: list[str],
    ) -> None:
        self._naming = naming
        self._places = places
        self._world = world
        self._spawn_template = spawn_template
        self._roots = roots
        self._known: dict[tuple[int, ...], tuple[list[object], Found | None]] = {}
        """By the ids of the objects to which variables refer, which are kept, so that the ids stay their own."""

    def forget(self) -> None:
        """Code of the model may have run: all is looked at again."""
        self._known.clear()

    def found(self, values: Mapping[str, object]) -> Found | None:
        """What local variables lead to; None if it is not of the examined kind."""
        roots = [values.get(root, ABSENT) for root in self._roots]
        key = tuple(map(id, roots))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MOST:
                self._known.clear()
            known = self._known[key] = roots, self._looked_at(values)
        return known[1]

    def _looked_at(self, values: Mapping[str, object]) -> Found | None:
        kept = self._kept(values) if self._fits(values) else None
        if kept is None:
            return None
        naming, places = self._naming, self._places
        resources: dict[str, Resource] = {text: thing.found(values) for text, thing in naming.stations.items()}
        if any(resource.sim is not self._world for resource in resources.values()):
            return None
        levels: dict[str, Level | Inventory] = {text: thing.found(values) for text, thing in naming.levels.items()}
        if not all(is_of(level, naming.level_kinds[text], self._world) for text, level in levels.items()):
            return None
        slots = {places[text]: (thing.found(values), where) for text, (thing, where) in naming.quantities.items()}
        if any(owner.sim is not self._world for owner, _ in slots.values()):
            return None
        return Found(
            [
                *((places[text], id(item)) for text, item in zip(naming.addresses, kept, strict=True)),
                *((place, vars(owner)[where.block] + where.offset) for place, (owner, where) in slots.items()),
            ],
            kept,
            self._assumptions(values),
            resources,
            {places[text]: one for text, one in resources.items()} | {places[text]: levels[text] for text in levels},
            {places[text]: self._spawn_template(text, self._arguments(text, values)) for text in naming.spawns},
            {places[text]: thing.found(values) for text, thing in naming.processes.items()},
            {places[text]: thing.found(values) for text, thing in naming.causes.items()},
        )

    def _arguments(self, text: str, values: Mapping[str, object]) -> dict[str, object]:
        """The arguments of what a statement makes."""
        given = self._naming.spawns[text].arguments
        return {name: one.found(values) if isinstance(one, Thing) else SAMPLES[one] for name, one in given.items()}

    def _assumptions(self, values: Mapping[str, object]) -> dict[tuple[int, str], Fact]:
        """On what the objects depend to which the variables refer."""
        found: dict[tuple[int, str], Fact] = {}
        for root, path in self._naming.methods:
            if root:
                owner = reduce(step, path[:-1], values[root])
                fact = own_fact(owner, str(path[-1]), step(owner, path[-1]))
                if fact is not None:
                    found[id(owner), f"own {path[-1]}"] = fact
        for (root, path), kind in self._naming.things.items():
            if root and may_change_class(kind):
                owner = reached(values, root, path)
                found[id(owner), "class"] = class_fact(owner)
        for root, path in self._naming.lists:
            held = Thing(root, path, None).found(values)
            found[id(held), "items"] = fact_of(held)
        return found

    def _fits(self, values: Mapping[str, object]) -> bool:
        """Whether the variables refer to objects of the examined types."""
        naming = self._naming
        if any(type(reached(values, *where)) is not kind for where, kind in naming.things.items()):
            return False
        if any(reached(values, *where) is not known for where, known in naming.exact.items()):
            return False
        for where, known in naming.simulations.items():
            if (reached(values, *where) if where[0] else known) is not self._world:
                return False
        if not all(self._has(Thing(*where, None).found(values), known) for where, known in naming.lists.items()):
            return False
        return all(_has_method(values, root, path, known) for (root, path), known in naming.methods.items())

    def _has(self, held: list[object], known: int | type) -> bool:
        """Whether a list has a number of items, or only objects of a class, and of this simulation."""
        if isinstance(known, int):
            return len(held) == known
        return all_are_of(held, known, self._world)

    def _kept(self, values: Mapping[str, object]) -> tuple[object, ...] | None:
        """The objects that native code calls; None if one is of another kind."""
        found = []
        for text, called in self._naming.addresses.items():
            if called.root and called.root not in values:
                return None
            value = called.found(values)
            if addressed_call(value, called.path) != self._naming.calls[text]:
                return None
            found.append(target_of(value))
        return tuple(found)


def roots_of(naming: Naming) -> list[str]:
    """The variables that lead to what a body refers to."""
    paths = chain(naming.things, naming.exact, naming.simulations, naming.methods)
    tables = (naming.addresses, naming.stations, naming.levels, naming.processes, naming.causes)
    things = [thing for table in tables for thing in table.values()]
    given = [one for site in naming.spawns.values() for one in site.arguments.values()]
    things += [one for one in given if isinstance(one, Thing)]
    things += [owner for owner, _ in naming.quantities.values()]
    return [*dict.fromkeys(root for root in (*(root for root, _ in paths), *(t.root for t in things)) if root)]


class Found(NamedTuple):
    """What the local variables of a process refer to: see `RowStart`.

    wholes      numbers for it: by the place of each
    resources   by the variables of the kernel
    """

    wholes: list[tuple[int, int]]
    kept: tuple[object, ...]
    relied: dict[tuple[int, str], Fact]
    resources: dict[str, Resource]
    stations: dict[int, Kept]
    spawn_templates: dict[int, SpawnTemplate]
    processes: dict[int, object]
    causes: dict[int, object]


class RowStart(NamedTuple):
    """What a row of a process begins with.

    at          its state
    kept        objects whose addresses it has
    relied      what it relies on besides the facts of its body, by object and attribute
    stations    what it may use that others use, too; requests: those that it has made; by their places among `wholes`
    spawn_templates      the processes that its statements make: by the place among `wholes` of the row of the prototype
    processes   that it refers to, and causes: of its interrupts; by their places among `wholes`
    """

    at: int
    wholes: list[int]
    reals: list[float]
    kept: tuple[object, ...]
    relied: dict[tuple[int, str], Fact]
    stations: dict[int, Kept]
    requests: dict[int, Request]
    spawn_templates: dict[int, SpawnTemplate]
    processes: dict[int, object]
    causes: dict[int, object]


def _has_method(values: Mapping[str, object], root: str, path: Path, known: object) -> bool:
    if not root:
        return True
    owner = reduce(step, path[:-1], values[root])
    return path[-1] not in getattr(owner, "__dict__", ()) and (
        getattr(getattr(owner, str(path[-1]), None), "__func__", None) is known
    )
