"""The space that a search goes through: parameters with ranges and choices, and the coordinates that stand for them.

A real parameter has its share of the range, from 0 to 1, as its coordinate, so that tolerances suit it whatever its
unit; a whole number has itself; a choice its place in the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite, prod
from numbers import Real
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import ModelError, ParameterError, to_float
from eventide.experiment.designs import fitting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.experiment.models import Model


@dataclass(frozen=True)
class Axis:
    """One parameter and where it may be.

    low, high   the ends of the range, both allowed; of choices the first and last place
    choices     the values of a parameter that takes one of a list; None for a range
    is_whole    whether the coordinate is a whole number
    """

    name: str
    low: float
    high: float
    choices: tuple[object, ...] | None = None
    is_whole: bool = False

    @property
    def is_real(self) -> bool:
        """Whether the parameter varies continuously."""
        return not self.is_whole

    @property
    def width(self) -> float:
        """By how much the value changes when the coordinate goes through its whole range."""
        return self.high - self.low

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends of the coordinate."""
        return (0.0, 1.0) if self.is_real else (self.low, self.high)

    def value(self, coordinate: float) -> object:
        """The parameter's value at a coordinate, moved into the range."""
        low, high = self.bounds
        inside = min(max(float(coordinate), low), high)
        if self.is_real:
            return self.high if inside == 1.0 else self.low + inside * self.width
        place = round(inside)
        return place if self.choices is None else self.choices[place]

    def coordinate(self, value: object) -> float:
        """The coordinate of a value. Raises ParameterError for one that is outside."""
        if self.choices is not None:
            if value not in self.choices:
                raise ParameterError(f"{self.name} is one of {list(self.choices)!r} here, and got {value!r}")
            return float(self.choices.index(value))
        number = to_float(value, self.name)
        if not self.low <= number <= self.high:
            raise ParameterError(f"{self.name} lies from {self.low:.6g} to {self.high:.6g} here, and got {value!r}")
        return (number - self.low) / self.width if self.is_real else number

    def is_end(self, value: float) -> bool:
        """Whether a value is an end of the range, but for rounding."""
        return min(abs(value - self.low), abs(value - self.high)) <= 1e-9 * abs(self.width)


@dataclass(frozen=True)
class Space:
    """All parameters that a search varies."""

    axes: tuple[Axis, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(axis.name for axis in self.axes)

    @property
    def is_real(self) -> bool:
        """Whether all of them vary continuously."""
        return all(axis.is_real for axis in self.axes)

    @property
    def size(self) -> float:
        """How many points there are; infinite if a parameter varies continuously."""
        return prod(axis.width + 1.0 if axis.is_whole else float("inf") for axis in self.axes)

    def point(self, coordinates: Sequence[float] | NDArray[np.float64]) -> dict[str, object]:
        """The values at some coordinates, by name."""
        return {axis.name: axis.value(x) for axis, x in zip(self.axes, coordinates, strict=True)}

    def coordinates(self, point: Mapping[str, object]) -> NDArray[np.float64]:
        """The coordinates of some values. Raises ParameterError for a value that is missing or outside."""
        missing = [name for name in self.names if name not in point]
        unknown = [name for name in point if name not in self.names]
        if missing or unknown:
            raise ParameterError(
                f"a start has a value for each of {', '.join(self.names)}, and no other; "
                + (f"{missing[0]} is missing" if missing else f"got {unknown[0]}")
            )
        return np.array([axis.coordinate(point[axis.name]) for axis in self.axes])

    def start(self, model: Model[..., object], start: object) -> NDArray[np.float64]:
        """Where a search begins: as given, else at the model's own values, else in the middles of the ranges."""
        if start is not None:
            if not isinstance(start, Mapping):
                raise ModelError(f'start= takes values by name, as {{"rate": 1.0}}, and got {start!r}')
            given = {name: fitting(model, name, value) for name, value in start.items()}
            return self.coordinates({name: model(**{name: value}).values[name] for name, value in given.items()})
        begun = []
        for axis in self.axes:
            try:
                begun.append(axis.coordinate(model.values[axis.name]))
            except (ParameterError, KeyError, TypeError):
                middle = 0.5 * sum(axis.bounds)
                begun.append(middle if axis.is_real else float(int(middle)))
        return np.array(begun)

    def all_points(self) -> Iterator[NDArray[np.float64]]:
        """The coordinates of every point, where there are only so many."""
        ranges = [range(int(axis.low), int(axis.high) + 1) for axis in self.axes]
        return (np.array(chosen, dtype=float) for chosen in product(*ranges))

    def at_ends(self, point: Mapping[str, object]) -> list[str]:
        """The parameters whose values are at an end of their range, beyond which there may be better ones."""
        return [
            axis.name
            for axis in self.axes
            if axis.choices is None and axis.is_end(to_float(point[axis.name], axis.name))
        ]


def space_of(model: Model[..., object], over: object) -> Space:
    """The space that `over` describes: `{"pits": (8, 12), "rate": (0.1, 2.0), "arrivals": ["random", "regular"]}`.

    Raises      ParameterError for an unknown parameter or a value that is not of its kind, ModelError for what is no
                range and for no parameters
    """
    if not isinstance(over, Mapping) or not over:
        raise ModelError(
            f'over= takes ranges by name, as {{"rate": (0.1, 2.0)}}, with one parameter at least, and got {over!r}'
        )
    return Space(tuple(_axis(model, name, given) for name, given in over.items()))


def _axis(model: Model[..., object], name: str, given: object) -> Axis:
    if isinstance(given, range):
        given = list(given)
    if isinstance(given, tuple) and len(given) == 2:
        if not all(_is_finite(end) for end in given):
            raise ModelError(_no_range(name, given))
        low, high = (model(**{name: fitting(model, name, end)}).values[name] for end in given)
        if not low < high:
            raise ModelError(_no_range(name, given))
        return Axis(name, float(low), float(high), is_whole=isinstance(low, int))
    if isinstance(given, list) and given:
        choices = tuple(model(**{name: fitting(model, name, choice)}).values[name] for choice in given)
        if len(choices) > 1:
            return Axis(name, 0.0, float(len(choices) - 1), choices, is_whole=True)
    raise ModelError(_no_range(name, given))


BOOLEANS: Final[tuple[type, ...]] = (bool, np.bool_)


def _is_finite(end: object) -> bool:
    return isinstance(end, Real) and not isinstance(end, BOOLEANS) and isfinite(end)


def _no_range(name: str, given: object) -> str:
    return (
        f"{name} is searched from low to high, as (0.1, 2.0) with low < high, or among the values of a list, two at "
        f"least, and got {given!r}; give a parameter that stays as it is to the model"
    )
