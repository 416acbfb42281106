"""Numbers with units: brought to the unit that is wanted, by pint where it is installed, or refused."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar, cast

from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pint

Value = TypeVar("Value")

PLAIN: Final = (float, int)
"""The types of most numbers, which have no unit."""


def has_unit(value: object) -> bool:
    """Whether a value says in which unit it is: a `Quantity` does, and pint's."""
    return hasattr(value, "unit") or hasattr(value, "units")


def in_unit(value: object, wanted: str, whose: str) -> float:
    """The number of something with a unit, in the unit that is wanted; as it is where one of the two is not known.

    value       a `Quantity`, or one of pint
    whose       what it is for, as a message begins
    Raises ModelError where units cannot be converted, or pint is not installed.
    """
    given = _unit_of(value)
    is_as_wanted = not given or not wanted or given == wanted
    if hasattr(value, "tangent"):  # in a sensitivity analysis: its derivatives are converted as well
        change = None if is_as_wanted else lambda number: convert(number, given, wanted, whose)
        known: float = value.converted(change)  # type: ignore[attr-defined]  # a room above has the class
        return known
    number = _number_of(value, whose)
    return number if is_as_wanted else convert(number, given, wanted, whose)


def in_time_unit(value: Value, unit: str | None, whose: str) -> Value | float:
    """A time or a duration as a number of the time unit of a simulation, if it has a unit; any other as it is.

    unit        "": the simulation has none; None: a plain number is needed, as it has to be exact or no simulation is
                known yet
    Raises ModelError as `in_unit`, and for a value with a unit where there is none to convert it to.
    """
    if value.__class__ is float or not has_unit(value) or not hasattr(value, "__float__"):
        return value
    if not unit and (given := _unit_of(value)):
        told = ": it takes a plain number, of the time unit of the simulation"
        if unit is not None:
            told = (
                ", and the simulation has no time unit: "
                'give it one, as in Simulation(time_unit="s"), or give a plain number'
            )
        raise ModelError(f"{whose} got {_number_of(value, whose)!r} {given}{told}")
    return in_unit(value, unit or "", whose)


def in_own_unit(value: Value, unit: str, whose: str) -> Value | float:
    """What is told to something that may have a unit, as a number of that; a plain number as it is.

    Raises ModelError as `in_unit`, and for a value with a unit where it has none.
    """
    if value.__class__ in PLAIN or not has_unit(value):
        return value
    if not unit and (given := _unit_of(value)):
        raise ModelError(
            f"{whose} has no unit, and got {_number_of(value, whose)!r} {given}: "
            f"make it with unit={given!r}, or give a plain number"
        )
    return in_unit(value, unit, whose)


def plain_number(value: Value, whose: str) -> Value:
    """A number that is compared with one whose unit is not known here. Raises ModelError for one with a unit."""
    if value.__class__ not in PLAIN and has_unit(value) and (given := _unit_of(value)):
        raise ModelError(
            f"{whose} takes a plain number, in the unit of the quantity, and got {_number_of(value, whose)!r} {given}"
        )
    return value


def in_units(values: object, unit: str, whose: str) -> object:
    """The numbers of one or of several values, of which any may have a unit, in the unit of those that they are for.

    Raises ModelError as `in_unit`.
    """
    if has_unit(values) and not getattr(values, "shape", ()):
        return in_unit(values, unit, whose)
    if not has_unit(values) and not isinstance(values, list | tuple) and str(getattr(values, "dtype", "")) != "object":
        return values
    several = cast("Iterable[object]", values)
    return [in_unit(one, unit, whose) if one.__class__ not in PLAIN and has_unit(one) else one for one in several]


def in_time_units(times: object, unit: str | None, whose: str) -> object:
    """The same of one time or of several in a list, a tuple or an array."""
    if not has_unit(times):
        is_several = isinstance(times, list | tuple) or str(getattr(times, "dtype", "")) == "object"
        return [in_time_units(time, unit, whose) for time in cast("Iterable[object]", times)] if is_several else times
    if not getattr(times, "shape", ()):
        return in_time_unit(times, unit, whose)
    if _unit_of(times) in {"", unit}:
        return getattr(times, "magnitude", times)
    return [in_time_unit(time, unit, whose) for time in cast("Iterable[object]", times)]


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
