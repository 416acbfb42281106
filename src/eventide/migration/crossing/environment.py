"""What the local variables of a process refer to: many processes share it, and it is examined once."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from eventide.bodies.attributes import may_change_class
from eventide.bodies.calls import addressed_call, target_of
from eventide.bodies.naming import Fact, class_fact, own_fact
from eventide.bodies.operands import SAMPLES, Handed, Thing, step_to
from eventide.bodies.stations.choosing import all_are_of, fact_of
from eventide.bodies.stations.statistics import is_of
from eventide.rows.codes import NONE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eventide.bodies.naming import Naming
    from eventide.bodies.operands import Path, Step
    from eventide.bodies.stations.statistics import Kept
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.request import Request
    from eventide.discrete.resources.resource import Resource
    from eventide.discrete.world import World
    from eventide.migration.crossing.body import Body

MOST: Final = 64
"""The most that are remembered."""
Located: TypeAlias = "tuple[str, int, object]"
"""The name of an object, its number among all that are followed, or `NONE`, and then the object itself."""


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


class Paths:
    """How what a body refers to is reached from the variables of its processes: each object once, behind its owner.

    roots   the variables
    exact, ...  as of `Naming`: an object is told by its number among those that are `followed`
    """

    def __init__(self, naming: Naming) -> None:
        where = _paths_of(naming)
        self.roots = [*dict.fromkeys(root for root, _ in where)]
        self._kinds = [naming.things.get((root, ())) for root in self.roots]
        self._steps: list[tuple[int, Step, type | None]] = []
        """For each of the others the number of its owner, what finds it there, and its type, if that is known."""
        self._numbers: dict[tuple[str, Path], int] = {(root, ()): k for k, root in enumerate(self.roots)}
        for root, path in where:
            for end in range(1, len(path) + 1):
                self._add(root, path[:end], naming.things.get((root, path[:end])))
        numbers = self._numbers
        self.exact = [(numbers[where], known) for where, known in naming.exact.items()]
        self.simulations = [numbers[where] for where in naming.simulations if where[0]]
        self.lists = [(numbers[where], known) for where, known in naming.lists.items()]
        methods = [(root, path, known) for (root, path), known in naming.methods.items() if root]
        self.methods = [(numbers[r, p[:-1]], numbers[r, p], str(p[-1]), known) for r, p, known in methods]
        self.changeable = [numbers[where] for where, kind in naming.things.items() if may_change_class(kind)]
        """Those whose class may be replaced."""
        called = [(k, text, one) for k, (text, one) in enumerate(naming.addresses.items()) if one.root]
        self.called = [(k, numbers[one.root, one.path], one.path, naming.calls[text]) for k, text, one in called]

    def _add(self, root: str, path: Path, kind: type | None) -> None:
        if (root, path) not in self._numbers:
            owner, self._numbers[root, path] = self._numbers[root, path[:-1]], len(self._numbers)
            self._steps.append((owner, step_to(path[-1]), kind))

    def located(self, table: Mapping[str, Thing]) -> list[Located]:
        """Where the objects of a table are, by its texts."""
        numbers = self._numbers
        return [(text, numbers[one.root, one.path] if one.root else NONE, one.value) for text, one in table.items()]

    def followed(self, roots: list[object]) -> list[object] | None:
        """All objects, from those that variables refer to; None if one is not there, or of another type."""
        for one, kind in zip(roots, self._kinds, strict=True):
            if kind is not None and type(one) is not kind:
                return None
        found = roots.copy()
        try:
            for owner, find, kind in self._steps:
                one = find(found[owner])
                if kind is not None and type(one) is not kind:
                    return None
                found.append(one)
        except (KeyError, AttributeError, IndexError, TypeError):
            return None
        return found


class Environment:
    """What a body refers to, as its processes find it.

    paths   to that
    spawn_template   makes what processes begin with that a statement makes, from its variable and arguments
    """

    def __init__(
        self,
        naming: Naming,
        paths: Paths,
        places: Mapping[str, int],
        world: World,
        spawn_template: Callable[[str, dict[str, object]], SpawnTemplate],
    ) -> None:
        self._naming = naming
        self._paths = paths
        self._places = places
        self._world = self.world = world
        self._spawn_template = spawn_template
        called = [(one.root, one.value, addressed_call(one.value, one.path)) for one in naming.addresses.values()]
        self._addressed = [None if root else target_of(value, call) for root, value, call in called]
        """What native code calls, but for what variables lead to."""
        self._address_places = [places[text] for text in naming.addresses]
        self._tables = [*map(paths.located, (naming.stations, naming.levels, naming.processes, naming.causes))]
        self._owners = paths.located({text: owner for text, (owner, _) in naming.quantities.items()})
        self._arguments = {
            text: paths.located({n: one for n, one in site.arguments.items() if isinstance(one, Thing)})
            for text, site in naming.spawns.items()
        }
        self._known: dict[tuple[int, ...], tuple[list[object], Found | None]] = {}
        """By the ids of the objects to which variables refer, which are kept, so that the ids stay their own."""

    def forget(self) -> None:
        """Code of the model may have run: all is looked at again."""
        self._known.clear()

    def found(self, values: Mapping[str, object]) -> Found | None:
        """What local variables lead to; None if it is not of the examined kind."""
        try:
            roots = [values[root] for root in self._paths.roots]
        except KeyError:
            return None
        key = tuple(map(id, roots))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MOST:
                self._known.clear()
            known = self._known[key] = roots, self._looked_at(roots)
        return known[1]

    def _looked_at(self, roots: list[object]) -> Found | None:
        paths, naming, places, world = self._paths, self._naming, self._places, self._world
        all_of = paths.followed(roots)
        if all_of is None or not self._fits(all_of):
            return None
        kept = self._addressed.copy()
        for k, number, path, call in paths.called:
            if addressed_call(value := all_of[number], path) != call:
                return None
            kept[k] = target_of(value, call)
        resources, levels, processes, causes = [_picked(table, all_of) for table in self._tables]
        if resources and any(resource.sim is not world for resource in resources.values()):
            return None
        if levels and not all(is_of(level, naming.level_kinds[text], world) for text, level in levels.items()):
            return None
        wholes = [*zip(self._address_places, map(id, kept), strict=True)]
        for text, owner in _picked(self._owners, all_of).items():
            if owner.sim is not world:
                return None
            where = naming.quantities[text][1]
            wholes.append((places[text], vars(owner)[where.block] + where.offset))
        return Found(
            wholes,
            tuple(kept),
            self._assumptions(all_of),
            resources,
            {places[text]: one for text, one in (*resources.items(), *levels.items())},
            {places[text]: self._template(text, all_of) for text in self._arguments},
            {places[text]: one for text, one in processes.items()},
            {places[text]: one for text, one in causes.items()},
        )

    def _template(self, text: str, all_of: list[object]) -> SpawnTemplate:
        """What the processes begin with that a statement makes."""
        objects, given = _picked(self._arguments[text], all_of), self._naming.spawns[text].arguments.items()
        found = {
            name: objects[name] if isinstance(one, Thing) else one if isinstance(one, Handed) else SAMPLES[one]
            for name, one in given
        }
        return self._spawn_template(text, found)

    def _assumptions(self, all_of: list[object]) -> dict[tuple[int, str], Fact]:
        """On what the objects depend to which the variables refer."""
        paths = self._paths
        found: dict[tuple[int, str], Fact] = {}
        for number, itself, name, _ in paths.methods:
            owner = all_of[number]
            fact = own_fact(owner, name, all_of[itself])
            if fact is not None:
                found[id(owner), f"own {name}"] = fact
        for number in paths.changeable:
            found[id(all_of[number]), "class"] = class_fact(all_of[number])
        for number, _ in paths.lists:
            found[id(all_of[number]), "items"] = fact_of(all_of[number])  # type: ignore[arg-type]  # as it was examined
        return found

    def _fits(self, all_of: list[object]) -> bool:
        """Whether objects of the examined types are what was examined, and lists have as much, or only such objects."""
        paths, world = self._paths, self._world
        if any(all_of[number] is not known for number, known in paths.exact):
            return False
        if any(all_of[number] is not world for number in paths.simulations):
            return False
        for number, known in paths.lists:
            held: list[object] = all_of[number]  # type: ignore[assignment]  # or a tuple, as it was examined
            if not (len(held) == known if isinstance(known, int) else all_are_of(held, known, world)):
                return False
        return all(_has_method(all_of[number], name, known) for number, _, name, known in paths.methods)


def _paths_of(naming: Naming) -> list[tuple[str, Path]]:
    """The variables that lead to what a body refers to, with the ways from there: first those of known types."""
    tables = (naming.addresses, naming.stations, naming.levels, naming.processes, naming.causes)
    things = [thing for table in tables for thing in table.values()]
    given = [one for site in naming.spawns.values() for one in site.arguments.values()]
    things += [one for one in given if isinstance(one, Thing)]
    things += [owner for owner, _ in naming.quantities.values()]
    known = (naming.things, naming.exact, naming.simulations, naming.lists, naming.methods)
    found = [*chain(*known), *((thing.root, thing.path) for thing in things)]
    return [*dict.fromkeys((root, path) for root, path in found if root)]


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
    processes   that it refers to, and causes: of its interrupts; children: that it has made; by their places among
                `wholes`
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
    children: dict[int, Process]


def _picked(table: list[Located], all_of: list[object]) -> dict[str, Any]:
    """The objects of a table, by their names."""
    return {text: all_of[number] if number >= 0 else known for text, number, known in table} if table else {}


def _has_method(owner: object, name: str, known: object) -> bool:
    is_own = name in getattr(owner, "__dict__", ())
    return not is_own and getattr(getattr(owner, name, None), "__func__", None) is known
