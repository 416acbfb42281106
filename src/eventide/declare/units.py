"""Numbers with units: brought to the unit that is wanted, by pint where it is installed, or refused."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    import pint

Value = TypeVar("Value")


def has_unit(value: object) -> bool:
    """Whether a value says in which unit it is: a `Quantity` does, and pint's."""
    return hasattr(value, "unit") or hasattr(value, "units")


def in_unit(value: object, wanted: str, whose: str) -> float:
    """The number of something with a unit, in the unit that is wanted; as it is where one of the two is not known.

    value       a `Quantity`, or one of pint
    whose       what it is for, as a message begins
    Raises ModelError where units cannot be converted, or pint is not installed.
    """
    given, number = _unit_of(value), _number_of(value, whose)
    if not given or not wanted or given == wanted:
        return number
    return convert(number, given, wanted, whose)


def in_time_unit(value: Value, unit: str, whose: str) -> Value | float:
    """A time or a duration as a number of the time unit of a simulation, if it has a unit; any other as it is.

    Raises ModelError as `in_unit`, and if the simulation has no time unit.
    """
    if value.__class__ is float or not has_unit(value) or not hasattr(value, "__float__"):
        return value
    if not unit and (given := _unit_of(value)):
        raise ModelError(
            f"{whose} got {_number_of(value, whose)!r} {given}, and the simulation has no time unit: "
            'give it one, as in Simulation(time_unit="s"), or give a plain number'
        )
    return in_unit(value, unit, whose)


def refuse_unit(value: object, whose: str) -> None:
    """Raise ModelError for a value with a unit where a plain number is needed."""
    if has_unit(value) and (given := _unit_of(value)):
        raise ModelError(
            f"{whose} got {_number_of(value, whose)!r} {given}: it takes a plain number, of the time unit of the "
            "simulation, which is then exact"
        )


def _unit_of(value: object) -> str:
    return str(getattr(value, "units", None) or getattr(value, "unit", ""))


def _number_of(value: object, whose: str) -> float:
    return to_float(getattr(value, "magnitude", value), whose)


def convert(number: float, given: str, wanted: str, whose: str) -> float:
    """A number in another unit. Raises ModelError as `in_unit`."""
    message = f"{whose} is in {wanted}, and got {number!r} {given}"
    try:
        registry = _registry()
    except ImportError:
        raise ModelError(f"{message}: give it in {wanted}; or install pint, which converts units") from None
    try:
        return float(registry.Quantity(number, given).to(wanted).magnitude)
    except Exception as error:  # noqa: BLE001  # pint raises errors of many kinds for what it cannot read
        raise ModelError(f"{message}, which cannot be converted: {error}") from None


@cache
def _registry() -> pint.UnitRegistry[float]:
    """Pint's table of units, which takes a second to make; it follows from pint alone."""
    import pint

    return pint.UnitRegistry()
