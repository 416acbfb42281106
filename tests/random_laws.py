"""Random laws that call functions, methods and properties which branch; and the same laws with these written out."""

from __future__ import annotations

from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

Tree: TypeAlias = tuple[Any, ...]
"""An expression: its kind and its parts."""
KINDS: Final = ("leaf", "sum", "if", "if", "extreme", "size", "rest", "call", "call")
TANK: Final = """import eventide as ev


class Tank(ev.Continuous):
    g: float = 0.37
    z: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.z = 0.1
"""
FIELDS: Final = ["k: float = 0.6", "tank: Tank", "x: ev.State = ev.state(0.0)", "y: ev.State = ev.state(0.3)"]
OWN: Final = {
    "function": [],
    "static": [],
    "method": ["self.k", "self.x", "self.y"],
    "property": ["self.k", "self.x"],
    "tank": ["self.g"],
}
"""What functions of each kind read besides what they are given."""


class Function(NamedTuple):
    """A function and what it returns."""

    name: str
    kind: str
    given: list[str]
    value: Tree


class Writer:
    """Writes a module with a class Calls, and a class Flat with the same laws and no calls."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = 0
        self.functions: list[Function] = []

    def module(self) -> str:
        """Its text."""
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.choice(("function", *OWN))
            given = [] if kind == "property" else [self.name("p") for _ in range(self.random.randint(1, 2))]
            kinds = ("function", *OWN) if kind in ("method", "property") else ("function",)
            value = self.tree([*given, *OWN[kind]], 3, kinds)
            self.functions.append(Function(self.name("f"), kind, given, value))
        laws = [self.tree(["self.x", "self.y", "self.k", "self.sim.time"], 3, tuple(OWN)) for _ in "xy"]
        plain = [line for one in self.functions if one.kind == "function" for line in self.definition(one)]
        lines = [
            *TANK.splitlines(),
            *indented([x for one in self.functions if one.kind == "tank" for x in self.definition(one)]),
        ]
        methods = [one for one in self.functions if one.kind in ("method", "property", "static")]
        for name, is_flat in (("Calls", False), ("Flat", True)):
            body = [*FIELDS, *(line for one in methods for line in self.definition(one) if not is_flat)]
            rates: list[str] = []
            values = [self.write(law, {}, rates, is_flat=is_flat) for law in laws]
            rates += [
                f"self.rate.{x} = 0.5 + 0.3 * ({value}) - self.{x}" for x, value in zip("xy", values, strict=True)
            ]
            lines += [
                "",
                "",
                f"class {name}(ev.Continuous):",
                *indented([*body, "def equations(self):", *indented(rates)]),
            ]
        return "\n".join([*lines, "", "", *plain, ""])

    def name(self, first: str = "v") -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{first}{self.count}"

    def tree(self, names: list[str], depth: int, kinds: tuple[str, ...]) -> Tree:
        """An expression of names, which calls functions of some kinds."""

        def part() -> Tree:
            return self.tree(names, depth - 1, kinds)

        choose = self.random.choice
        kind = choose(KINDS) if depth else "leaf"
        callable_ = [one for one in self.functions if one.kind in kinds]
        if kind == "leaf" or (kind == "call" and not callable_):
            return "leaf", choose([*names, *names, repr(round(self.random.uniform(-1.2, 1.2), 3))])
        if kind == "sum":
            return "sum", choose("+-*"), part(), part()
        if kind == "if":
            return "if", choose(["<", ">", "<=", ">="]), part(), part(), part(), part()
        if kind == "extreme":
            return "extreme", choose(["min", "max"]), part(), part()
        if kind == "call":
            function = choose(callable_)
            return "call", function, [part() for _ in function.given]
        return (kind, part()) if kind == "size" else (kind, part(), choose(["0.4", "0.7", "1.3"]))

    def definition(self, one: Function) -> list[str]:
        """The text of a function."""
        above = {"static": ["@staticmethod"], "property": ["@property"]}.get(one.kind, [])
        first = [] if one.kind in ("function", "static") else ["self"]
        head = f"def {one.name}({', '.join([*first, *one.given])}):"
        return ["", *above, head, *indented(self.returning(one.value))]

    def returning(self, tree: Tree) -> list[str]:
        """Statements that return an expression, some of them early."""
        lines: list[str] = []
        if tree[0] != "if":
            value = self.write(tree, {}, lines, is_flat=False)
            return [*lines, f"return {value}"]
        one, other = (self.write(side, {}, lines, is_flat=False) for side in tree[2:4])
        return [*lines, f"if {one} {tree[1]} {other}:", *indented(self.returning(tree[4])), *self.returning(tree[5])]

    def write(self, tree: Tree, names: dict[str, str], lines: list[str], *, is_flat: bool) -> str:
        """What stands for an expression behind some lines, which are added."""

        def part(number: int) -> str:
            return self.write(tree[number], names, lines, is_flat=is_flat)

        kind = tree[0]
        if kind == "leaf":
            return names.get(tree[1], tree[1])
        if kind == "sum":
            return f"({part(2)} {tree[1]} {part(3)})"
        if kind == "extreme":
            return f"{tree[1]}({self.local(part(2), lines)}, {self.local(part(3), lines)})"
        if kind == "size":
            return f"abs({self.local(part(1), lines)})"
        if kind == "rest":
            return f"({self.local(part(1), lines)} % {tree[2]})"
        if kind == "if":
            return self.choice(tree, names, lines, is_flat=is_flat)
        function, given = tree[1], [self.write(one, names, lines, is_flat=is_flat) for one in tree[2]]
        if not is_flat:
            owner = {"function": "", "tank": "self.tank."}.get(function.kind, "self.")
            return f"{owner}{function.name}" + ("" if function.kind == "property" else f"({', '.join(given)})")
        inner = {name: self.local(value, lines) for name, value in zip(function.given, given, strict=True)}
        inner["self.g"] = "self.tank.g"
        return self.local(self.write(function.value, inner, lines, is_flat=True), lines)

    def choice(self, tree: Tree, names: dict[str, str], lines: list[str], *, is_flat: bool) -> str:
        """A name that gets one of two values."""
        one, other = (self.write(side, names, lines, is_flat=is_flat) for side in tree[2:4])
        name = self.name()
        for head, value in ((f"if {one} {tree[1]} {other}:", tree[4]), ("else:", tree[5])):
            block: list[str] = []
            found = self.write(value, names, block, is_flat=is_flat)
            lines += [head, *indented([*block, f"{name} = {found}"])]
        return name

    def local(self, value: str, lines: list[str]) -> str:
        """A name for a value."""
        name = self.name()
        lines.append(f"{name} = {value}")
        return name


def indented(lines: list[str]) -> list[str]:
    """Lines of a block."""
    return [f"    {line}" if line else "" for line in lines]
