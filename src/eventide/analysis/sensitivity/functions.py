"""The functions of `math` for dual numbers, and how a model's code comes to call them while derivatives are needed."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Final

from eventide.analysis.sensitivity.dual import Dual
from eventide.native.locking import LOCK, locked

SLOPES: Final[dict[str, Callable[[float, float], float]]] = {
    "sin": lambda x, _: math.cos(x),
    "cos": lambda x, _: -math.sin(x),
    "tan": lambda _, y: 1.0 + y * y,
    "asin": lambda x, _: 1.0 / math.sqrt(1.0 - x * x),
    "acos": lambda x, _: -1.0 / math.sqrt(1.0 - x * x),
    "atan": lambda x, _: 1.0 / (1.0 + x * x),
    "sinh": lambda x, _: math.cosh(x),
    "cosh": lambda x, _: math.sinh(x),
    "tanh": lambda _, y: 1.0 - y * y,
    "asinh": lambda x, _: 1.0 / math.sqrt(x * x + 1.0),
    "acosh": lambda x, _: 1.0 / math.sqrt(x * x - 1.0),
    "atanh": lambda x, _: 1.0 / (1.0 - x * x),
    "exp": lambda _, y: y,
    "exp2": lambda _, y: y * math.log(2.0),
    "expm1": lambda _, y: y + 1.0,
    "log": lambda x, _: 1.0 / x,
    "log2": lambda x, _: 1.0 / (x * math.log(2.0)),
    "log10": lambda x, _: 1.0 / (x * math.log(10.0)),
    "log1p": lambda x, _: 1.0 / (1.0 + x),
    "sqrt": lambda _, y: 0.5 / y,
    "cbrt": lambda _, y: 1.0 / (3.0 * y * y),
    "erf": lambda x, _: 2.0 / math.sqrt(math.pi) * math.exp(-x * x),
    "erfc": lambda x, _: -2.0 / math.sqrt(math.pi) * math.exp(-x * x),
    "degrees": lambda _x, _y: 180.0 / math.pi,
    "radians": lambda _x, _y: math.pi / 180.0,
}
"""The derivative of each function of one number, from its argument and its value."""


def _single(name: str) -> Callable[..., float | Dual]:
    plain: Callable[[float], float] = getattr(math, name)
    slope = SLOPES[name]

    def function(x: float | Dual, *others: float | Dual) -> float | Dual:
        if others:  # log(x, base)
            return function(x) / function(others[0])
        if not isinstance(x, Dual):
            return plain(x)
        value = plain(x.value)
        return x.of(value, slope(x.value, value))

    return function


def _square_root(x: float | Dual) -> float | Dual:
    if isinstance(x, Dual) and x.value == 0.0 and not x.tangent.any():
        return x.of(0.0, 0.0)
    return _PLAIN_ROOT(x)


def _hypot(*sides: float | Dual) -> float | Dual:
    if any(isinstance(side, Dual) for side in sides):
        return _square_root(sum(side * side for side in sides))
    return math.hypot(*sides)


def _atan2(y: float | Dual, x: float | Dual) -> float | Dual:
    if isinstance(y, Dual):
        zero = y - y
    elif isinstance(x, Dual):
        zero = x - x
    else:
        return math.atan2(y, x)
    here, there = zero + y, zero + x
    square = here.value**2 + there.value**2
    tangent = (there.value * here.tangent - here.value * there.tangent) / square
    return Dual(zero.space, math.atan2(here.value, there.value), tangent)


def _on_value(test: Callable[[float], bool]) -> Callable[[float | Dual], bool]:
    return lambda x: test(x.value if isinstance(x, Dual) else x)


_PLAIN_ROOT: Final = _single("sqrt")
_REPLACED: Final[dict[str, Callable[..., object]]] = {
    **{name: _single(name) for name in SLOPES if hasattr(math, name)},
    "sqrt": _square_root,
    "hypot": _hypot,
    "atan2": _atan2,
    "pow": lambda x, y: x**y if isinstance(x, Dual) or isinstance(y, Dual) else math.pow(x, y),
    "fabs": lambda x: abs(x) if isinstance(x, Dual) else math.fabs(x),
    "isnan": _on_value(math.isnan),
    "isinf": _on_value(math.isinf),
    "isfinite": _on_value(math.isfinite),
}


def dual_method(name: str) -> Callable[[Dual], object]:
    """A function as a method, by which numpy's function of that name takes arrays of dual numbers."""
    return _REPLACED[name]


for _name, _known in {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}.items():
    setattr(Dual, _name, dual_method(_known))
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt"):
    setattr(Dual, _name, dual_method(_name))


class Functions:
    """The names in the modules of a model that stand for functions of `math`, to be exchanged while its code runs.

    The functions that take their place give the same for plain numbers, to the bit. A second thread that exchanges
    names, or compiles code, waits until they are what they were: it would read the names of this one.
    """

    def __init__(self) -> None:
        self._shim = ModuleType("math")
        vars(self._shim).update({**vars(math), **_REPLACED})
        self._known: dict[int, object] = {id(getattr(math, name)): new for name, new in _REPLACED.items()}
        self._known[id(math)] = self._shim
        self._seen: dict[int, None] = {}
        self._places: list[tuple[dict[str, object], str, object, object]] = []
        self.is_exchanged = False

    @locked
    def take_in(self, function: object) -> None:
        """Know the names in the module of a function or class, and in the modules that it has functions from."""
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        names = getattr(function, "__globals__", None)
        if not isinstance(names, dict):  # of the class of all functions it is a descriptor
            names = vars(module) if module is not None else {}
        self._take_in_names(names)

    def _take_in_names(self, names: dict[str, object]) -> None:
        if id(names) in self._seen or str(names.get("__name__", "")).split(".")[0] in _LEFT_ALONE:
            return
        self._seen[id(names)] = None
        for name, value in list(names.items()):
            if id(value) in self._known:
                new = self._known[id(value)]
                self._places.append((names, name, value, new))
                if self.is_exchanged:
                    names[name] = new
            elif isinstance(value, ModuleType):
                self._take_in_names(vars(value))
            elif getattr(value, "__globals__", None) is not None or isinstance(value, type):
                self.take_in(value)

    def exchange(self, *, is_dual: bool) -> None:
        """Let the names stand for the functions of dual numbers, or for those of `math` again."""
        if is_dual is not self.is_exchanged:
            if is_dual:
                LOCK.acquire()
            self.is_exchanged = is_dual
            for names, name, old, new in self._places:
                names[name] = new if is_dual else old
            if not is_dual:
                LOCK.release()


_LEFT_ALONE: Final = frozenset(sys.stdlib_module_names) - {"__main__"} | {
    "eventide",
    "matplotlib",
    "numpy",
    "pandas",
    "pytest",
    "_pytest",
    "scipy",
    "typer",
    "rich",
    "",
}
"""Packages whose own code never takes a model's numbers, or refuses dual ones by itself."""
