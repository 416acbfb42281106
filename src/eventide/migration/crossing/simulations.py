"""What was noted of a body, for one simulation: whether others can have it, whether it holds there, and what it means.

In: the names of a body that was read in one simulation. Out: the same without anything of that simulation, and with the
objects of another one. Nothing is kept that is about an object of one, but how such an object is reached.
"""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING

from eventide.bodies.naming import ABSENT, FACTS, Fact, Naming, content, hold, reached
from eventide.bodies.operands import Thing
from eventide.reading.common import is_common, without_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import CellType

    from eventide.bodies.reader import Reading
    from eventide.discrete.world import World


def leave_simulation(reading: Reading) -> None:
    """All is read: forget what belongs to one generator, or its simulation, and must not live as long as a body."""
    for frame in reading.frames:
        _leave_objects(frame.naming)
    _leave_function(reading.naming)
    reading.frame.function = reading.naming.function


def is_of_all(reading: Reading) -> bool:
    """Whether all simulations can have it: it is about no object of one, but for what variables and cells lead to."""
    naming, frames = reading.naming, reading.frames
    made = {text for texts in naming.entries for text in texts}
    things = [thing for text, thing in naming.addresses.items() if text not in made]
    things += [thing for table in _tables(naming) for thing in table.values()]
    things += [owner for owner, _ in naming.quantities.values()]
    given = (site.arguments.values() for site in naming.spawns.values())
    values = chain(*given, *(frame.bound.values() for frame in frames))
    things += [one for one in values if isinstance(one, Thing)]
    for awaited in naming.guards.values():
        things += awaited.closure.objects.values()
    parts = [*naming.things.values(), *naming.exact.values(), *naming.methods.values()]
    parts += [part for doubts in naming.doubts[1:] for part in doubts.values()]
    parts += [part for site in naming.spawns.values() for part in (None if site.root else site.function, site.kind)]
    parts += [part for entry in naming.entries.values() for part in entry.objects.values()]
    parts += [frame.function for frame in frames[1:]]
    rest = (one.value for one in things if not one.root)
    return not naming.particular and naming.captures.is_common and all(map(is_common, (*parts, *rest)))


def stands(naming: Naming, world: World, values: Mapping[str, object], function: FunctionType) -> bool:
    """Whether all is in a simulation as it was read, also what has left statements to Python.

    values      of the local variables of one of its processes
    function    that this executes
    """
    cells = naming.captures.found(function)
    if cells is None or not hold(naming.questions):
        return False
    settings, (_, things, exact) = naming.settings.items(), naming.doubts
    if any(getattr(world, name, ABSENT) is not known for name, known in settings):
        return False
    values = {**_contents(cells), **values}
    if any(type(reached(values, *where)) is not kind for where, kind in things.items()):
        return False
    return all(reached(values, *where) is known for where, known in exact.items())


def in_simulation(naming: Naming, world: World, function: FunctionType) -> Naming:
    """The same names for the processes of a simulation that execute a function."""
    made = Naming.__new__(Naming)
    made.__dict__.update(naming.__dict__)
    cells = naming.captures.found(function) or {}
    settings = {(id(world), name): Fact(attrgetter(name), world, known) for name, known in naming.settings.items()}
    made.facts = {**naming.facts, **settings, **dict(_facts(naming, cells))}
    made.function, made.held = function, _contents(cells)
    made.world, made.simulations = world, dict.fromkeys(naming.simulations, world)
    made.addresses = {**naming.addresses}
    for texts, entry in naming.entries.items():
        made.addresses.update(zip(texts, (Thing("", (), one) for one in entry.made()), strict=False))
    made.spawns = {**naming.spawns}
    for text, site in naming.spawns.items():
        if site.root:
            function_made: FunctionType = made.held[site.root]  # type: ignore[assignment]  # as its capture says
            made.spawns[text] = site.of(function_made)
    return made


def _leave_objects(naming: Naming) -> None:
    """Forget the objects to which variables and cells led, and the simulation."""
    for table in (naming.addresses, *_tables(naming)):
        table.update({text: thing._replace(value=None) for text, thing in table.items() if thing.root})
    for text, (owner, where) in naming.quantities.items():
        naming.quantities[text] = owner._replace(value=None) if owner.root else owner, where
    naming.simulations.update(dict.fromkeys(naming.simulations))
    naming.created, naming.values, naming.bound, naming.cells = None, {}, {}, {}
    naming.among, naming.samples = {}, {}
    del naming.world


def _leave_function(naming: Naming) -> None:
    """Forget the function of the body, and what was noted of its cells, and of the functions in these."""
    cells = naming.captures.found(naming.function) or {}
    found = {key for key, _ in _facts(naming, cells)}
    for facts in (naming.facts, naming.doubts[0]):
        for key in found & facts.keys():
            del facts[key]
    for text, fact in naming.given.items():
        naming.given[text] = fact._replace(about=None) if any(fact.about is cell for cell in cells.values()) else fact
    for text, site in naming.spawns.items():
        naming.spawns[text] = site.of(without_cells(site.function)) if site.root else site
    naming.function = without_cells(naming.function)
    naming.captures.leave()


def _contents(cells: Mapping[str, CellType]) -> dict[str, object]:
    return {root: cell.cell_contents for root, cell in cells.items()}


def _facts(naming: Naming, cells: Mapping[str, CellType]) -> Iterator[tuple[tuple[int, str], Fact]]:
    """What is noted of cells, and of the functions in them that each simulation has for itself."""
    for root, cell in cells.items():
        capture, found = naming.captures.of[root], cell.cell_contents
        yield (id(cell), f"cell {capture.path[-1]}"), Fact(content, cell, found)
        if isinstance(capture.known, FunctionType) and not is_common(capture.known):
            asks = {name: attrgetter(name) for name in FACTS}
            yield from (((id(found), name), Fact(ask, found, ask(found))) for name, ask in asks.items())


def _tables(naming: Naming) -> tuple[dict[str, Thing], ...]:
    return naming.stations, naming.levels, naming.processes, naming.causes
