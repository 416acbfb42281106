"""The examination of functions: the body of one is read, or refused as a whole with a reason.

Processes that have had too few events to become rows are examined where it is asked whether they can.
"""

from __future__ import annotations

import ast
from types import GeneratorType
from typing import TYPE_CHECKING, Final

from eventide.bodies.frames import INTROSPECTION
from eventide.bodies.naming import Naming
from eventide.bodies.operands import GIVEN, Kind, Unknown
from eventide.bodies.reader import Reading
from eventide.discrete.inside import generator_of
from eventide.migration.crossing.simulations import leave_simulation
from eventide.reading.generators import function_of
from eventide.reading.source import CannotLower

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from types import CodeType, FunctionType

    from eventide.discrete.processes.migration import RowNote
    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World
    from eventide.migration.bodies import Bodies
    from eventide.reading.source import SourceBook
    from eventide.reading.twins import Twin

MOST_VARIABLES: Final = 50


def read(
    function: FunctionType,
    values: Mapping[str, object],
    book: SourceBook,
    twin_of: Callable[[FunctionType], Twin],
    world: World,
    observed: AbstractSet[str],
) -> Reading:
    """Read the body of a function, for the types that the variables of a generator have.

    twin_of     what makes twins of a generator function
    observed    the attributes of plain objects that native code may not set, as laws or conditions read them
    Raises CannotLower if it cannot be native code.
    """
    definition = book.definition(function, yields=True)
    tree = definition.tree
    assert isinstance(tree, ast.FunctionDef)
    if INTROSPECTION & {*function.__code__.co_names}:
        raise definition.refusal(tree, f"it calls one of {', '.join(sorted(INTROSPECTION))}")
    kinds: dict[str, Kind | None] = {name: GIVEN[type(value)] for name, value in values.items() if type(value) in GIVEN}
    try:
        reading = Reading(tree, twin_of, Naming(function, values, kinds, book, world, observed))
        while reading.changed:  # a variable has got a type, or has finally lost it
            reading = Reading(tree, twin_of, Naming(function, values, kinds, book, world, observed))
    except Unknown as unknown:
        raise definition.refusal(tree, str(unknown)) from None
    if not reading.resumes or not reading.goes_on:
        inside, node, why = reading.stopped() or (definition, tree, "")
        what = "each of its events needs Python" if reading.resumes else "no native code is made of its waits"
        raise inside.refusal(node, f"{what}{why and f', as {why}'}")
    if len(reading.optional) > MOST_VARIABLES:
        raise CannotLower(definition.file.name, tree.lineno, tree.name, "it has too many variables")
    leave_simulation(reading)
    return reading


def suits(naming: Naming, observed: AbstractSet[str]) -> bool:
    """Whether native code sets none of the attributes that only Python may set, and all others."""
    return naming.changed.isdisjoint(observed) and naming.avoided <= observed


def examined(bodies: Bodies, processes: Iterable[Process], known: Sequence[RowNote]) -> list[RowNote]:
    """Notes of the functions of some processes, besides those that are known."""
    codes: dict[CodeType, None] = {note.code: None for note in known}
    for process in processes:
        generator: object = generator_of(process)
        if isinstance(generator, GeneratorType):
            function = function_of(generator)
            if function is not None and function.__code__ not in codes:
                codes[function.__code__] = None
                bodies.admit(generator)
    return bodies.notes({})
