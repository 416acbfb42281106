"""Private names that one room uses of another: `x._name`, where `x` is not `self` and no class of the room has `_name`.

`python tools/private_names.py` counts them for each pair of rooms; with `-v` it tells each place. A name is of the
rooms in which something of that name is assigned, annotated, defined or listed in `__slots__`; a name of several rooms
is nobody's secret and is counted where it is used outside them. Names of Python's own (`__x__`) are not private.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from syntax import nodes_of

SOURCE = Path(__file__).parents[1] / "src" / "eventide"
OWN = ("self", "cls", "super")
FOREIGN = ("_makes_command", "_fields", "_fields_", "_asdict", "_replace", "_getframe")
"""Marks on functions, and public names of the standard library that begin so."""


class Use(NamedTuple):
    """A place where a private name of other rooms is used."""

    room: str
    homes: tuple[str, ...]
    name: str
    place: str


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def defined_in(text: str) -> Iterator[str]:
    """The private names that the classes of a file define."""
    for node in nodes_of(text):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):  # of `__slots__`
            yield node.value


def is_own(receiver: ast.expr) -> bool:
    """Whether an attribute is asked of the object or class itself."""
    if isinstance(receiver, ast.Call):
        receiver = receiver.func
    return isinstance(receiver, ast.Name) and receiver.id in OWN


def uses() -> list[Use]:
    """Every use of a private name of another room, in the order of the files."""
    texts = {path: path.read_text() for path in sorted(SOURCE.rglob("*.py"))}
    homes: dict[str, dict[str, None]] = {}
    for path, text in texts.items():
        for name in filter(is_private, defined_in(text)):
            homes.setdefault(name, {})[room_of(path)] = None
    found = []
    for path, text in texts.items():
        room = room_of(path)
        for node in nodes_of(text):
            if isinstance(node, ast.Attribute) and is_private(node.attr) and not is_own(node.value):
                rooms = homes.get(node.attr, {})
                if rooms and room not in rooms and node.attr not in FOREIGN:
                    place = f"{path.relative_to(SOURCE)}:{node.lineno}"
                    found.append(Use(room, tuple(rooms), node.attr, place))
    return found


def main() -> None:
    found = uses()
    pairs = Counter((use.room, "/".join(use.homes)) for use in found)
    for (room, homes), count in pairs.most_common():
        names = Counter(use.name for use in found if (use.room, "/".join(use.homes)) == (room, homes))
        print(f"{count:4} {room} of {homes}: {', '.join(f'{name} {n}' for name, n in names.most_common())}")
    if "-v" in sys.argv:
        print(*(f"{use.place} {use.name}" for use in found), sep="\n")
    print(len(found), "in all")


if __name__ == "__main__":
    main()
