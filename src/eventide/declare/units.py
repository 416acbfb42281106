"""Numbers with units: brought to the unit that is wanted, by pint where it is installed, or refused."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    import pint


def has_unit(value: object) -> bool:
    """Whether a value says in which unit it is: a `Quantity` does, and pint's."""
    return hasattr(value, "unit") or hasattr(value, "units")


def in_unit(value: object, wanted: str, whose: str) -> float:
    """The number of something with a unit, in the unit that is wanted; as it is where one of the two is not known.

    value       a `Quantity`, or one of pint
    whose       what it is for, as a message begins
    Raises ModelError where units cannot be converted, or pint is not installed.
    """
    given = str(getattr(value, "units", None) or getattr(value, "unit", ""))
    number = to_float(getattr(value, "magnitude", value), whose)
    if not given or not wanted or given == wanted:
        return number
    return convert(number, given, wanted, whose)


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
