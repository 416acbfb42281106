"""Designs: which values the parameters have in the points of a study, and which are drawn anew for each replication."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice, product
from math import inf, prod
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from eventide.declare.units import plain_number
from eventide.errors import ModelError, ParameterError
from eventide.streams.uniforms import Origin, uniforms

if TYPE_CHECKING:
    import numpy.typing as npt

    from eventide.experiment.models import Model


@runtime_checkable
class Distribution(Protocol):
    """A distribution, as those of `scipy.stats` with their parameters are: `scipy.stats.norm(2.0, 0.1)`."""

    def ppf(self, q: Any, /) -> Any:
        """The quantile of a share."""
        ...


Range: TypeAlias = "tuple[float, float] | Sequence[Any] | Distribution"
"""The values of one parameter: from low to high (a tuple), the items of a list, or a distribution."""
Point: TypeAlias = "Mapping[str, object]"
Over: TypeAlias = "Mapping[str, object] | Design | Iterable[Point] | None"
"""What a study goes over: values by name, of which it takes each with each; a design; or its points, one by one."""


@dataclass(frozen=True)
class Drawn:
    """Values that are drawn from a distribution; made by `drawn`."""

    distribution: Distribution
    points: int | None = None

    def value(self, name: str, entropy: int, replication: int, antithetic: bool = False) -> object:
        """The value of one replication: the same for all points, so that these are compared under the same chance."""
        return self.distribution.ppf(next(uniforms(Origin(entropy, f"study: {name}", replication, antithetic))))

    def values(self, name: str, entropy: int, count: int) -> list[object]:
        """The values of all points."""
        return [self.value(f"{name} of a point", entropy, number) for number in range(count)]


def drawn(distribution: Distribution, points: int | None = None) -> Drawn:
    """Values of a parameter that are drawn: `over={"gap": ev.designs.drawn(scipy.stats.norm(2.0, 0.1))}`.

    points      how many points have a value each, which all their replications share; None: each replication has its
                own, the same at every point
    Raises      ModelError if it is no distribution, or no points are asked for
    """
    if not isinstance(distribution, Distribution):
        raise ModelError(f"drawn(...) takes a distribution, as scipy.stats.norm(2.0, 0.1), and got {distribution!r}")
    if points is not None and not is_count(points):
        raise ModelError(f"drawn(...) takes points from 1 on, and got {points!r}")
    return Drawn(distribution, points)


@dataclass(frozen=True)
class Design:
    """Points spread over the ranges of several parameters.

    method      "latin hypercube" or "sobol"
    rng         seed of the design; None: the entropy of the study
    """

    method: str
    count: int
    ranges: Mapping[str, Range]
    rng: int | None = None

    def points(self, model: Model[..., object], entropy: int) -> list[dict[str, object]]:
        """The points, as values for a model's parameters."""
        shares = self._shares(entropy if self.rng is None else self.rng)
        names = list(self.ranges)
        return [
            {name: scaled(self.ranges[name], float(row[k]), model, name) for k, name in enumerate(names)}
            for row in shares
        ]

    def _shares(self, seed: int) -> npt.NDArray[np.float64]:
        """A share from 0 to 1 for each point (rows) and parameter (columns)."""
        from scipy.stats import qmc

        sampler = {"latin hypercube": qmc.LatinHypercube, "sobol": qmc.Sobol}[self.method]
        shares: npt.NDArray[np.float64] = sampler(len(self.ranges), rng=np.random.default_rng(seed)).random(self.count)
        return shares


def latin_hypercube(count: int, ranges: Mapping[str, Range], *, rng: int | None = None) -> Design:
    """`count` points, each of which lies in its own slice of every range: `{"gap": (1.5, 3.0), "pits": [8, 10]}`.

    ranges      for each parameter (low, high), a list of its values, or a distribution; of a whole number both ends
                are taken
    rng         seed of the design; None: the entropy of the study
    Raises      ModelError for no points or no parameters
    Source      McKay, Beckman & Conover 1979, Technometrics 21; scipy.stats.qmc
    """
    return _checked(Design("latin hypercube", count, ranges, rng))


def sobol(count: int, ranges: Mapping[str, Range], *, rng: int | None = None) -> Design:
    """The scrambled Sobol' sequence, which fills the ranges evenly; otherwise as `latin_hypercube`.

    Raises      ModelError also if `count` is no power of 2
    Source      Owen 1998, J. Complexity 14; scipy.stats.qmc
    """
    if not is_count(count) or count & (count - 1):
        raise ModelError(f"sobol(...) takes a power of 2, as 64, for it is even over such numbers only; got {count!r}")
    return _checked(Design("sobol", count, ranges, rng))


def factorial(**values: Iterable[object]) -> list[dict[str, Any]]:
    """Each value with each, as a list of points, so that some can be added or left out; the last changes first."""
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def is_count(value: object, least: int = 1) -> bool:
    """Whether a value is a whole number of at least `least`."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least


def is_positive(value: object) -> bool:
    """Whether a value is a real number above 0."""
    return isinstance(value, int | float | np.number) and float(value) > 0.0


def _checked(design: Design) -> Design:
    if not isinstance(design.ranges, Mapping):
        raise ModelError(
            f'a {design.method} design takes ranges by name, as {{"gap": (1.5, 3.0)}}, after the count of its points, '
            f"and got {design.ranges!r}"
        )
    if not is_count(design.count) or not design.ranges:
        raise ModelError(f"a {design.method} design takes points and parameters, and got {design.count!r} points of "
                         f"{len(design.ranges)} parameters")  # fmt: skip
    return design


def scaled(values: Range, share: float, model: Model[..., object], name: str) -> object:
    """The value of a parameter at a share, from 0 to 1, of its range, its list of values or its distribution."""
    if isinstance(values, Distribution):
        value = values.ppf(share)
        if share == 0.0 and hasattr(values, "support"):  # of whole numbers scipy has one below the least
            value = max(value, values.support()[0])
        return value
    if not isinstance(values, tuple):
        return values[item_at(share, len(values))]
    if len(values) != 2 or not -inf < values[0] < values[1] < inf:
        raise ModelError(f"the range of {name} is (low, high) with low < high, or a list of values; got {values!r}")
    low, high = (plain_number(end, f"the range of {name}") for end in values)
    if name in model.parameters and model.parameters[name].annotation is int:
        if low != int(low) or high != int(high):
            raise ModelError(f"{name} takes whole numbers, and so do the ends of its range; got {values!r}")
        return int(low) + item_at(share, int(high) - int(low) + 1)
    return low + share * (high - low)


def item_at(share: float, count: int) -> int:
    """Which of so many items, each of which has an equal part of the shares from 0 to 1, is at a share."""
    return min(int(share * count), count - 1)


# --- what a study is asked to go over ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Points:
    """The points of a study.

    values      for each point the values of the parameters that are set there
    drawn       the parameters that each replication draws
    """

    values: tuple[dict[str, object], ...]
    drawn: Mapping[str, Drawn]

    @property
    def varied(self) -> tuple[str, ...]:
        """The parameters that are set or drawn, in their order."""
        return tuple(dict.fromkeys([*(name for point in self.values for name in point), *self.drawn]))


MOST_POINTS: Final = 1_000_000
"""Of a study: their table is made before the first run."""


def points_of(model: Model[..., object], over: Over, entropy: int) -> Points:
    """The points that a study is to go over, checked.

    Raises      ParameterError for an unknown name or a value that is not of the parameter's kind, ModelError if there
                are no points, or more than `MOST_POINTS`
    """
    draws: dict[str, Drawn] = {}
    if over is None:
        points: list[Point] = [{}]
    elif isinstance(over, Design):
        _refuse_many(model, over.count)
        points = list(over.points(model, entropy))
    elif isinstance(over, Mapping):
        axes: dict[str, list[object]] = {}
        for name, values in over.items():
            chance = drawn(values) if isinstance(values, Distribution) else values
            if isinstance(chance, Drawn) and chance.points is None:
                draws[name] = chance
            else:
                axes[name] = list(islice(_axis(name, chance, entropy), MOST_POINTS + 1))
        _refuse_many(model, prod(map(len, axes.values())))
        points = list(factorial(**axes))
    else:
        told: object = over
        points = [_point(given) for given in islice(told if isinstance(told, Iterable) else [told], MOST_POINTS + 1)]
        _refuse_many(model, len(points))
    if not points:
        raise ModelError(f"{model.name} has no points to be run for: give one at least")
    for name, chance in draws.items():
        model(**{name: fitting(model, name, chance.value(name, entropy, 0))})
    checked = [{name: fitting(model, name, value) for name, value in point.items()} for point in points]
    return Points(tuple({name: model(**point).values[name] for name in point} for point in checked), draws)


def _refuse_many(model: Model[..., object], count: int) -> None:
    if count > MOST_POINTS:
        raise ModelError(
            f"{model.name} would be run for {count:,} points or more, and a study has at most {MOST_POINTS:,}: take "
            "fewer values, or a sample, as ev.designs.latin_hypercube(1000, ...)"
        )


def _axis(name: str, values: object, entropy: int) -> Iterator[object]:
    """The values of one parameter of a product."""
    if isinstance(values, Drawn):
        yield from values.values(name, entropy, values.points or 0)
        return
    if isinstance(values, str) or not isinstance(values, Iterable):
        yield values
        return
    if isinstance(values, Mapping | AbstractSet) or hasattr(values, "columns"):
        raise ParameterError(
            f"the values of {name} are a list, as {{{name!r}: [...]}}, and got {type(values).__name__}: what it gives "
            "one by one are no values, or in no order"
        )
    yield from values.tolist() if isinstance(values, np.ndarray) else values


def _point(given: object) -> Point:
    if not isinstance(given, Mapping):
        raise ParameterError(
            f'a point of a study gives values by name, as {{"pits": 8}}, and got {given!r}; for the product of several '
            'values write over={"pits": [8, 10]}'
        )
    return given


def fitting(model: Model[..., object], name: str, value: object) -> object:
    """A value as plain Python has it; a whole one for a parameter that takes whole numbers."""
    if isinstance(value, np.generic):
        value = value.item()
    is_whole = name in model.parameters and model.parameters[name].annotation is int
    return int(value) if is_whole and isinstance(value, float) and value.is_integer() else value
