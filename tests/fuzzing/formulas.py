"""Expressions of a program as Python text for the reference, in which each comparison asks the world by its number."""

from __future__ import annotations

from itertools import count

from fuzzing import model as m
from fuzzing.source import Words

OWN = {"x", "v", "u", "k", "c", "level", "tag", "n", "side", "w"}
"""What an object has itself, and laws do not compute."""


def attribute(name: str) -> str:
    """What the reference calls a state: `u_0` for `u[0]`."""
    return name.replace("[", "_").replace("]", "")


class Formulas(Words):
    """Expressions as Python text in which each comparison asks the world."""

    def __init__(self, sites: count[int]) -> None:
        super().__init__()
        self.sites = sites
        self.own: set[int] = set()
        """Comparisons and whole numbers of nothing that fields lead to which may come to refer to something else."""

    def site(self, e: m.Expr | m.Test) -> int:
        """The next number for a comparison or a whole number."""
        site = next(self.sites)
        parts = m.parts_of(e)
        paths = [getattr(part, "path", ("self", "x")) for part in parts]
        if all(len(path) == 2 and path[1].split("[")[0] in OWN for path in paths) and not any(
            isinstance(part, m.Apply | m.Gather | m.Rate) for part in parts
        ):
            self.own.add(site)
        return site

    def path(self, path: m.Path) -> str:
        """Items of vectors are attributes."""
        return attribute(super().path(path))

    def test(self, t: m.Test) -> str:
        """Both sides of `and` and `or` are always looked at."""
        match t:
            case m.Cmp(op, left, right):
                one, other = (left, right) if op[0] == ">" else (right, left)
                return f"sim.compare({self.site(t)}, {self.expr(one)} - {self.expr(other)})"
            case m.Both(word, left, right):
                return f"({self.test(left)} {'&' if word == 'and' else '|'} {self.test(right)})"
        raise TypeError(f"no test: {t!r}")

    def expr(self, e: m.Expr) -> str:
        """As `Words`, but functions of fields and what only hides an expression."""
        match e:
            case m.Apply(path, argument):
                return f"sim.apply({next(self.sites)}, {self.path(path)}, {self.expr(argument)})"
            case m.Opaque(inner):
                return self.expr(inner)
            case m.Whole(word, inner, divisor):
                return self.whole(word, f"({self.expr(inner)})", divisor, self.site(inner))
            case m.Call("sqrt", [argument]):
                return f"sim.root({self.expr(argument)})"
            case m.Total(path, size):
                return f"({' + '.join(f'{self.path(path)}_{k}' for k in range(size))})"
            case m.Rate(path):
                return f"{self.path(path[:-1])}.d_{attribute(path[-1])}"
            case m.Stock(name):
                return f"{name}.stock()"
            case m.Local(name):
                return f"self.local[{name!r}]"
        return super().expr(e)

    def whole(self, word: str, inner: str, divisor: float, site: int) -> str:
        """A whole number, which the world follows from one to the next."""
        match word:
            case "ceil":
                return f"-sim.whole({site}, -{inner})"
            case "round":
                return f"sim.whole({site}, {inner} + 0.5)"
            case "%":
                return f"({inner} - {divisor!r} * sim.whole({site}, {inner} / {divisor!r}))"
        return f"sim.whole({site}, {inner} / {divisor!r})"
