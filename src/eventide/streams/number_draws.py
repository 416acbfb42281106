"""What streams and generators of numpy and of `random` give as one number: methods, arguments, bounds of the numbers.

In: the range in which each argument lies. Out: the range in which the number does, wide enough for every algorithm that
they have had for it.

Sources  numpy's manual, Random Generator and RandomState; Python's, random; Marsaglia & Tsang 2000, "The ziggurat
method for generating random variables", J. Statistical Software 5(8), and "A simple method for generating gamma
variables", ACM TOMS 26(3)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, tau
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias

from numpy.random import Generator, RandomState

from eventide.streams.drawing import FARTHEST, LARGEST_POISSON
from eventide.streams.numpy_functions import BETWEEN
from eventide.streams.streams import Stream

Range: TypeAlias = tuple[float, float]
_EXPONENTIAL: Final = 45.0
"""No standard exponential number is larger: 7.7 where the ziggurat's tail begins, and 53 times log(2)."""
_NORMAL: Final = 15.0
"""No standard normal number is farther from 0: 3.7, and 53 * log(2) / 3.7."""
_FAR: Final = 1e300
_LARGEST: Final = sys.float_info.max
_TINY: Final = 5e-324
"""The smallest number above 0."""
_EXACT: Final = 2.0**53
"""Up to here floats have all whole numbers."""
_COUNTS: Final = (0.0, 2.0**40)
_OF_ITSELF: Final = {"gauss_next"}
"""The attributes that a generator of `random` itself has."""
_UNIT: Final = (0.0, 1.0 - 2.0**-53)
UNIT: Final = (2.0**-53, 1.0 - 2.0**-53)
"""Where the uniforms of streams are."""


class Argument(NamedTuple):
    """An argument of a method, and between which numbers it is known what the method gives."""

    name: str
    low: float
    high: float
    default: float | None = None


@dataclass(frozen=True)
class OfWords:
    """By native code itself, from the words of a generator of `random`.

    text    what it is, of the place of the words, `{0}`, and the arguments
    """

    text: str


@dataclass(frozen=True)
class OfPair:
    """By native code itself, as one of a pair of normal numbers of which a generator of `random` keeps the other."""


@dataclass(frozen=True)
class Below:
    """By native code itself, as one of some whole numbers: from the words of a generator of `random`, or of a stream.

    is_closed   whether the last argument is one of them
    of_uniform  whether it is the next uniform of a stream that says which
    """

    is_closed: bool = False
    of_uniform: bool = False


@dataclass(frozen=True)
class ByFunction:
    """By a function of numpy that has this name, in place of the method; by the method where that is not to be had."""

    name: str


@dataclass(frozen=True)
class InTurns:
    """By a loop in the text of the method, written out if this argument says that its turns are few."""

    turns: str


@dataclass(frozen=True)
class OfTables:
    """By a call with so many lists or tuples of numbers, and nothing else."""

    count: int


Way: TypeAlias = OfWords | OfPair | Below | ByFunction | InTurns | OfTables | None
"""How native code draws a number; None for a call of the method."""


class Draw(NamedTuple):
    """A method that draws one number: a float, or a whole number where it counts.

    kinds   of the arguments that are known
    of_one  what it draws if it is given one number alone, if that is another thing
    is_numpy whether the number is of a class of numpy's own, as np.int64
    """

    arguments: tuple[Argument, ...]
    range_of: Callable[..., Range]
    way: Way = None
    counts: bool = False
    kinds: tuple[Literal["int", "float"], ...] = ("int", "float")
    of_one: Draw | None = None
    is_numpy: bool = False


def draw_of(function: object) -> Draw | None:
    """What a method of a generator draws; None if it is none of these methods."""
    generator, name = generator_of(function), getattr(function, "__name__", "")
    kind = type(generator)
    if kind not in GENERATORS or getattr(generator, name, None) != function:
        return None  # it is no method of it, or was bound to it under that name
    if kind in _METHODS and not (_own(generator) <= _OF_ITSELF and _methods_of(kind) == _METHODS[kind]):
        return None  # it draws by methods of its own, or its class has had one exchanged
    return GENERATORS[kind].get(name)


def _own(generator: object) -> set[str]:
    """The names of what a generator itself has."""
    return {*getattr(generator, "__dict__", {})}


def _methods_of(kind: type) -> list[object]:
    """The methods of a class that are known, and those by which they draw."""
    return [getattr(kind, name) for name in (*GENERATORS[kind], *_BENEATH[kind])]


def generator_of(function: object) -> object:
    """The object whose method it is; None if it is no method."""
    return getattr(function, "__self__", None)


def uniforms_of(function: object) -> object:
    """The iterator over the uniforms of the stream whose method it is."""
    stream = generator_of(function)
    assert isinstance(stream, Stream)
    return generator_of(stream.random)


def callable_of(function: object, draw: Draw) -> object:
    """What makes a number of floats as a method does; of one that takes whole numbers alone, they are made these."""
    if "float" in draw.kinds or not callable(function):
        return function

    def drawn(*numbers: float) -> object:
        return function(*map(int, numbers))

    return drawn


def _whole(name: str) -> Argument:
    return Argument(name, -_EXACT, _EXACT)


def _location(name: str, default: float | None = None) -> Argument:
    return Argument(name, -_FAR, _FAR, default)


def _scale(name: str = "scale", high: float = _FAR) -> Argument:
    return Argument(name, 0.0, high, 1.0)


def _between(*ranges: Range) -> Range:
    """From the smallest to the largest of some numbers, as they may be rounded."""
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    slack = 1e-12 * max(abs(low), abs(high))
    return low - slack, high + slack


def _around(middle: Range, scale: Range) -> Range:
    far = _NORMAL * scale[1]
    return _between((middle[0] - far, middle[1] + far))


def _above(factor: float) -> Callable[..., Range]:
    """From 0 up to a multiple of the last argument."""
    return lambda *ranges: (0.0, factor * ranges[-1][1])


def _gamma(shape: Range, scale: Range) -> Range:
    return 0.0, 1000.0 * (shape[1] + 1.0) * scale[1]


def _gamma_of_random(alpha: Range, beta: Range) -> Range:
    return 0.0, 1e8 * (alpha[1] + 1.0) * beta[1]


def _lognormal(mean: Range, sigma: Range) -> Range:
    return 0.0, exp(mean[1] + _NORMAL * sigma[1] + 1.0)


_NUMPY: Final[Mapping[str, Draw]] = {
    "random": Draw((), lambda: _UNIT),
    "standard_exponential": Draw((), lambda: (0.0, _EXPONENTIAL)),
    "standard_normal": Draw((), lambda: (-_NORMAL, _NORMAL)),
    "exponential": Draw((_scale(),), _above(_EXPONENTIAL)),
    "rayleigh": Draw((_scale(),), _above(10.0)),
    "normal": Draw((_location("loc", 0.0), _scale()), _around),
    "lognormal": Draw((Argument("mean", -100.0, 100.0, 0.0), _scale("sigma", 10.0)), _lognormal),
    "uniform": Draw((_location("low", 0.0), _location("high", 1.0)), _between),
    "triangular": Draw((_location("left"), _location("mode"), _location("right")), _between),
    "gamma": Draw((Argument("shape", 0.0, 1e6), _scale(high=1e200)), _gamma),
    "beta": Draw((Argument("a", 1e-3, 1e6), Argument("b", 1e-3, 1e6)), lambda *_: (0.0, 1.0)),
    "weibull": Draw((Argument("a", 0.05, _LARGEST),), lambda _: (0.0, _EXPONENTIAL**20)),
    "poisson": Draw((Argument("lam", 0.0, 1e6, 1.0),), lambda _: _COUNTS, counts=True),
    "geometric": Draw((Argument("p", 1e-6, 1.0),), lambda _: _COUNTS, counts=True),
}


def _from_zero(last: str, way: Way, *, is_numpy: bool = False) -> Draw:
    """A whole number from 0 to below another one."""
    return Draw((_whole(last),), lambda count: (0.0, count[1] - 1.0), way, True, ("int",), is_numpy=is_numpy)


def _between_both(way: Way) -> Draw:
    """A whole number from one to another one."""
    return Draw((_whole("a"), _whole("b")), lambda a, b: (a[0], b[1]), way, True, ("int",))


def _from_to(low: str, high: str, of_one: Draw) -> Draw:
    """A whole number from one to below another one, or from 0 to below the first."""
    arguments = _whole(low), _whole(high)
    return Draw(arguments, lambda a, b: (a[0], b[1] - 1.0), of_one.way, True, ("int",), of_one, of_one.is_numpy)


_RANDOM: Final[Mapping[str, Draw]] = {
    "random": Draw((), lambda: _UNIT, OfWords("next_uniform({0})")),
    "randint": _between_both(Below(is_closed=True)),
    "randrange": _from_to("start", "stop", _from_zero("start", Below())),
    "_randbelow_with_getrandbits": _from_zero("n", Below()),
    "gauss": Draw((_location("mu", 0.0), _scale("sigma")), _around, OfPair()),
    "normalvariate": Draw((_location("mu", 0.0), _scale("sigma")), _around, OfWords("{1} + next_normal({0}) * {2}")),
    "lognormvariate": Draw(
        (Argument("mu", -100.0, 100.0), Argument("sigma", 0.0, 10.0)),
        _lognormal,
        OfWords("exp({1} + next_normal({0}) * {2})"),
    ),
    "triangular": Draw((_location("low"), _location("high"), _location("mode")), lambda *_: (-_LARGEST, _LARGEST)),
    "gammavariate": Draw((Argument("alpha", 1e-3, 1e6), Argument("beta", 0.0, 1e200)), _gamma_of_random),
    "betavariate": Draw((Argument("alpha", 1e-3, 1e6), Argument("beta", 1e-3, 1e6)), lambda *_: (0.0, 1.0)),
    "paretovariate": Draw((Argument("alpha", 0.1, _LARGEST),), lambda _: (1.0, 2.0**540)),
    "weibullvariate": Draw(
        (Argument("alpha", 0.0, 1e200), Argument("beta", 0.05, _LARGEST)),
        lambda alpha, _: (0.0, _EXPONENTIAL**20 * alpha[1]),
    ),
    "vonmisesvariate": Draw((_location("mu"), Argument("kappa", 0.0, 1e6)), lambda *_: (0.0, tau)),
}


def _positive(name: str, high: float = 1e200, low: float = _TINY) -> Argument:
    return Argument(name, low, high)


_STREAM: Final[Mapping[str, Draw]] = {
    "randint": _between_both(Below(is_closed=True, of_uniform=True)),
    "poisson": Draw((Argument("mean", 0.0, LARGEST_POISSON),), lambda _: _COUNTS, counts=True),
    "geometric": Draw((Argument("p", 1e-6, 1.0),), lambda _: _COUNTS, counts=True),
    "erlang": Draw(
        (_positive("mean"), Argument("k", 1.0, 1e6)),
        lambda mean, _: _between((0.0, 0.0), (0.0, FARTHEST * mean[1])),
        InTurns("k"),
    ),
    "triangular": Draw((_location("low"), _location("mode"), _location("high")), _between),
    "lognormal": Draw((_positive("mean"), Argument("stdev", 0.0, 1e200)), lambda mean, _: (0.0, 1e16 * mean[1])),
    "gamma": Draw(
        (_positive("shape", 1e12), _positive("scale")),
        lambda shape, scale: (0.0, (2.0 * shape[1] + 100.0) * scale[1]),
    ),
    "beta": Draw((_positive("a", 1e12), _positive("b", 1e12)), lambda *_: (0.0, 1.0)),
    "weibull": Draw(
        (_positive("shape", _LARGEST, 0.05), _positive("scale")), lambda _, scale: (0.0, _EXPONENTIAL**20 * scale[1])
    ),
    "discrete": Draw((), lambda: _COUNTS, OfTables(1), counts=True),
    "histd": Draw((), lambda: _COUNTS, OfTables(1), counts=True),
    "linear": Draw((), lambda: (-_LARGEST, _LARGEST), OfTables(2)),
}
"""But for those of which the text is native."""
_OWN: Final[Mapping[str, Draw]] = {
    "integers": _from_to("low", "high", _from_zero("high", ByFunction(BETWEEN), is_numpy=True)),
}
"""What the newer generators of numpy have alone."""
_FUNCTIONS: Final = (
    "exponential", "gamma", "lognormal", "normal", "rayleigh", "standard_exponential", "standard_normal", "uniform",
    "weibull", "poisson", "geometric", "beta",
)  # fmt: skip


def _by_function(name: str, function: str = "") -> Draw:
    """A method in whose place its function is called; that of 0, which may have a sign, is left to the method."""
    draw = _NUMPY[name]
    arguments = tuple(one._replace(low=_TINY) if one.low == 0.0 else one for one in draw.arguments)
    return draw._replace(arguments=arguments, way=ByFunction(function or f"random_{name}"))


GENERATORS: Final[Mapping[type, Mapping[str, Draw]]] = {
    Generator: {
        **_NUMPY,
        **_OWN,
        **{name: _by_function(name) for name in _FUNCTIONS},
        "random": _by_function("random", "random_standard_uniform"),
    },
    RandomState: _NUMPY,
    Random: _RANDOM,
    Stream: _STREAM,
}
"""By the class of which a generator is an exact instance, the methods that are known, by name."""
_BENEATH: Final[Mapping[type, tuple[str, ...]]] = {Random: ("getrandbits", "_randbelow"), Stream: ()}
_METHODS: Final[Mapping[type, list[object]]] = {kind: _methods_of(kind) for kind in _BENEATH}
