"""Crossings: a number that goes through a level, upwards, downwards or either way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from eventide.errors import ModelError
from eventide.reading.bytecode import gives_truth
from eventide.reading.description import describe_function

Direction: TypeAlias = Literal["up", "down", "either"]
Side: TypeAlias = Callable[..., bool]
Maker: TypeAlias = Callable[[Callable[..., float], Any], tuple[Side, Side]]


class Crossing(NamedTuple):
    """What is to cross which level, and in which direction."""

    value: Callable[..., float]
    level: float | Callable[..., float]
    direction: Direction

    def sides(self, arguments: int) -> list[Side]:
        """The conditions that become true by it, as functions of this many arguments, 0 or 1.

        Each is a plain comparison of its own, so that it is armed on one side of the level and fires on the other.
        """
        make = _FOR_ONE if arguments else _FOR_NONE
        rises, falls = make[callable(self.level)](self.value, self.level)
        sides = {"up": [rises], "down": [falls], "either": [rises, falls]}[self.direction]
        for side in sides:
            side.crossing_of = self.value  # type: ignore[attr-defined]  # for messages
        return sides

    @property
    def parts(self) -> tuple[Callable[..., object], ...]:
        """The user's own functions in it."""
        return (self.value, self.level) if callable(self.level) else (self.value,)


def crosses(
    value: Callable[..., float], level: float | Callable[..., float] = 0.0, *, direction: Direction = "either"
) -> Crossing:
    """The condition that `value` goes through `level`, for `when` and `until`.

    value       a function, of the component for `when`, of nothing for `until`
    level       a number, or a function as `value` is
    direction   "up": from below the level to it or above; "down": from above to it or below; "either": both
    A number that begins on the level has crossed nothing yet. One that touches it and returns has reached it once.
    Raises TypeError for what cannot be called or gives True or False, ModelError for an unknown direction or a level
    that is NaN.
    """
    if not callable(value):
        raise TypeError(f"crosses takes a function of what is to cross, and got {value!r}: write `lambda self: ...`")
    if direction not in ("up", "down", "either"):
        raise ModelError(f'crosses takes the direction "up", "down" or "either", and got {direction!r}')
    if not callable(level) and not level == level:
        raise ModelError(f"the level of crosses must be a number, and got {level!r}")
    if not callable(level) and not 0.0 < level < 1.0 and gives_truth(value):
        raise TypeError(
            f"crosses takes a function of a number, and {describe_function(value)} gives True or False: write the "
            "condition itself, as `until(lambda: ...)` or `@when(lambda self: ...)`, or what is compared, and its level"
        )
    return Crossing(value, level, direction)


# Each pair is written out, as a kernel is made from the text of a function and follows what it closes over.


def _through_level(value: Callable[..., float], level: float) -> tuple[Side, Side]:
    def rises(self: object) -> bool:
        return value(self) >= level

    def falls(self: object) -> bool:
        return value(self) <= level

    return rises, falls


def _through_moving_level(value: Callable[..., float], level: Callable[..., float]) -> tuple[Side, Side]:
    def rises(self: object) -> bool:
        return value(self) >= level(self)

    def falls(self: object) -> bool:
        return value(self) <= level(self)

    return rises, falls


def _free_through_level(value: Callable[..., float], level: float) -> tuple[Side, Side]:
    def rises() -> bool:
        return value() >= level

    def falls() -> bool:
        return value() <= level

    return rises, falls


def _free_through_moving_level(value: Callable[..., float], level: Callable[..., float]) -> tuple[Side, Side]:
    def rises() -> bool:
        return value() >= level()

    def falls() -> bool:
        return value() <= level()

    return rises, falls


_FOR_ONE: Final[dict[bool, Maker]] = {False: _through_level, True: _through_moving_level}
_FOR_NONE: Final[dict[bool, Maker]] = {False: _free_through_level, True: _free_through_moving_level}
