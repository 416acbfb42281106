"""What a model answers: numbers, with a unit if they have one, and statistics of which the mean is the answer."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from numbers import Real
from types import CodeType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeGuard, cast

import numpy as np

from eventide.declare.units import has_unit, in_unit
from eventide.errors import ModelError, ResponseWarning, to_float
from eventide.statistics import Level, Tally

if TYPE_CHECKING:
    from eventide.observe import Integral
    from eventide.simulation import Simulation

Statistic: TypeAlias = Tally | Level
Reading: TypeAlias = "float | Statistic | Integral | Callable[[], float]"
"""What a model may return under a name: a number, a statistic, an integral, a function that answers a number."""


class Quantity(float):
    """A number that knows its unit, and what it means; what is calculated with it is a plain number.

    Where two quantities are added, subtracted or compared, also by `==`, the second is brought to the unit of the
    first, by pint if it is installed; units that cannot be converted are a ModelError. A plain number is taken to be of
    the unit of the other. One with a unit is no key of a dict, as 1 h, 60 min and the number 1 cannot share a hash.
    """

    __slots__ = ("description", "unit")

    unit: str
    description: str

    def __new__(cls, value: float, *, unit: str = "", description: str = "") -> Self:
        """A quantity of that value; of a number with derivatives it is one that has them."""
        if hasattr(value, "tangent"):
            return value.measured(unit)  # type: ignore[attr-defined, no-any-return]  # a room above has the class
        quantity = super().__new__(cls, value)
        quantity.unit = unit
        quantity.description = description
        return quantity

    def __repr__(self) -> str:
        about = f", description={self.description!r}" if self.description else ""
        return f"Quantity({float(self)!r}, unit={self.unit!r}{about})"

    def __str__(self) -> str:
        return f"{float(self)!r} {self.unit}".rstrip()

    def _beside(self, other: float) -> float:
        """Another number, in this unit if it has one."""
        return in_unit(other, self.unit, f"{self}") if has_unit(other) else other

    def __eq__(self, other: object) -> bool:
        return float(self) == (self._beside(cast("float", other)) if hasattr(other, "__float__") else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        if self.unit:
            raise TypeError(
                f"{self} has no hash, as it equals quantities of other units: as a key, or in a set, take its number, "
                "as in float(quantity), or its text, as in str(quantity)"
            )
        return super().__hash__()

    def __add__(self, other: float) -> float:
        return float(self) + self._beside(other)

    def __sub__(self, other: float) -> float:
        return float(self) - self._beside(other)

    def __lt__(self, other: float) -> bool:
        return float(self) < self._beside(other)

    def __le__(self, other: float) -> bool:
        return float(self) <= self._beside(other)

    def __gt__(self, other: float) -> bool:
        return float(self) > self._beside(other)

    def __ge__(self, other: float) -> bool:
        return float(self) >= self._beside(other)


def read_responses(returned: object, model: str) -> tuple[dict[str, float], dict[str, Statistic]]:
    """What a model returned as numbers by name, and those of them that are statistics, both in its order.

    Raises ModelError if it is no dict of names, or a value is none of `Reading`
    """
    if returned is None:
        return {}, {}
    if not isinstance(returned, Mapping):
        raise ModelError(
            f'{model} returned {returned!r}: a model returns its responses by name, as return {{"throughput": 0.43}}'
        )
    responses = {name: _read(value, name, model) for name, value in returned.items()}
    statistics = {name: value for name, value in returned.items() if isinstance(value, Tally | Level)}
    return responses, statistics


def _read(value: object, name: object, model: str) -> float:
    if not isinstance(name, str):
        raise ModelError(f"{model} returned a response called {name!r}: the name of a response is a text")
    read = value
    if isinstance(read, Tally | Level):
        read = Quantity(read.mean, unit=read.unit) if read.unit else read.mean
    elif hasattr(type(read), "unit_of_value"):  # an Integral; a discrete model does not load their room
        integral: Any = read
        read = Quantity(integral.value, unit=integral.unit_of_value)
    elif callable(read):
        read = read()
    if isinstance(read, np.generic):
        read = read.item()
    if _is_special(read):
        read = to_float(read, f"response {name} of {model}")
    if not _is_number(read):
        raise ModelError(
            f"response {name} of {model} is {read!r}: "
            "a response is a number, a Tally, Level or Integral, or a function that answers a number"
        )
    return read


def _is_special(value: object) -> bool:
    """Whether it is a number that tables and files cannot have, as a fraction, and that has no derivatives."""
    if isinstance(value, int):
        return not -(2**63) <= value < 2**63
    return isinstance(value, Real) and not isinstance(value, float) and not hasattr(value, "tangent")  # type: ignore[redundant-expr, unreachable]  # others than floats are real numbers


def _is_number(value: object) -> TypeGuard[float]:
    """Whether it is a number of one of the kinds that compute as floats do: one with derivatives, say."""
    return isinstance(value, Real)


class EarlyReadings:
    """Numbers among what a model has returned that are likely to be of its start; made before its run.

    A number is one if it is zero, or is what a state has now; but not if it is the value of a parameter.
    """

    def __init__(self, returned: object, parameters: Mapping[str, object], sim: Simulation) -> None:
        given = [float(value) for value in parameters.values() if isinstance(value, Real)]
        named = returned.items() if isinstance(returned, Mapping) else ()
        numbers = {str(name): float(value) for name, value in named if isinstance(value, Real)}
        self._numbers = {name: value for name, value in numbers.items() if value not in given}
        self._states = _states(sim) if self._numbers else {}
        self._sim = sim

    def warn(self, model: str, function: Callable[..., object]) -> None:
        """After the run: warn of each that is zero, or that a state had which has another value now."""
        now = _states(self._sim) if self._states else {}
        for name, value in self._numbers.items():
            of = next((who for who, before in self._states.items() if before == value != now.get(who, value)), "it")
            if of != "it" or value == 0.0:
                message = (
                    f"response {name} of {model} is {value!r}, as {of} was before the run: write "
                    f"`{name!r}: lambda: ...` for a number that is read when the run has ended"
                )
                code = getattr(function, "__code__", None)
                file, line = (code.co_filename, code.co_firstlineno) if isinstance(code, CodeType) else (model, 1)
                warnings.warn_explicit(ResponseWarning(message), None, file, line)


def _states(sim: Simulation) -> dict[str, float]:
    """The states of the active components that are single numbers, by name."""
    if "eventide.continuous" not in sys.modules:
        return {}  # a discrete model, which does not load it
    from eventide.continuous.components.member import layout_of

    found: dict[str, float] = {}
    for one in sim.laws:
        found.update((f"{one.name}.{name}", float(getattr(one, name))) for name in layout_of(one).states)
    return found
