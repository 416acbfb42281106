"""The tests that a file holds."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TypeVar

from eventide.errors import InputError
from eventide.verify.components import Component
from eventide.verify.testing import Test

T = TypeVar("T")


def tests_in(module: ModuleType, file: Path) -> tuple[Component, list[Test]]:
    """The component that contains all the others, and the tests. Raises InputError if there is none of either."""
    tests = values_in(module, Test)
    if not tests:
        raise InputError(f"{file} has no tests: put ev.verify.Test(requirement) into it, or a list of them")
    components = [*values_in(module, Component), *(test.requirement.component for test in tests)]
    return _whole_of(components, file), tests


def values_in(module: ModuleType, kind: type[T]) -> list[T]:
    """What a module has of a kind, by itself or in lists and tuples, each once, in its order."""
    met: dict[int, T] = {}
    for value in vars(module).values():
        for item in value if isinstance(value, list | tuple) else [value]:
            if isinstance(item, kind):
                met.setdefault(id(item), item)
    return list(met.values())


def _whole_of(components: list[Component], file: Path) -> Component:
    """The component that contains all the others. Raises InputError if there is none."""
    for one in components:
        if all(other in one for other in components):
            return one
    names = ", ".join(dict.fromkeys(component.name for component in components))
    raise InputError(f"{file} has no component that contains all the others, which are {names}: make the whole one")


def command_for(file: Path) -> str:
    """The line that replays a case of a test of a file, with {test} and {case} where they stand."""
    return f"eventide verify {file}".replace("{", "{{").replace("}", "}}") + " --only {test} --case {case}"
