"""What a kernel reads and writes, as places in its binding and columns of the objects there: found out once.

So that the plan of the thousandth object of a class is made without looking names up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eventide.compiled.paths import ITEMS
from eventide.continuous import Variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventide.compiled.lowered import Access, Lowered
    from eventide.compiled.paths import Step
    from eventide.compiled.values import Path


class Use(NamedTuple):
    """A quantity.

    is_many     whether it is one of all items of a list
    place       of the object among those of a binding, or of the list among its lists
    column      of the quantity, counted from the object's first; of a vector the first, which stands for all
    moves       whether it is more than a parameter
    """

    is_many: bool
    place: int
    column: int
    moves: bool


class Rate(NamedTuple):
    """A run of rates that are written: where as in `Use`, the columns, and whether they have been read before."""

    is_many: bool
    place: int
    columns: range
    is_read: bool


class Uses(NamedTuple):
    """What a kernel reads and writes.

    quantities      all, as often as they are met
    rates           those that it writes
    looks_at_rates  whether it reads any
    assigns         whether it writes states
    can_change      whether what it works on may become another
    is_polled       whether nobody tells when it does
    """

    quantities: tuple[Use, ...]
    rates: tuple[Rate, ...]
    looks_at_rates: bool
    assigns: bool
    can_change: bool
    is_polled: bool


def uses_of(lowered: Lowered) -> Uses:
    """What a kernel reads and writes."""
    ranges = dict(lowered.ranges)
    places = dict(_places(lowered))
    steps = {step.path: step for step in lowered.steps}
    quantities = tuple(
        Use(*places[access.path], _column(steps[access.path], access), access.row != "parameter")
        for access in (*lowered.reads, *lowered.writes)
        if access.path in places
    )
    rates = []
    for access in lowered.writes:
        if access.row == "rate" and access.path in places:
            first = _column(steps[access.path], access)
            for low, high in ranges.get(access) or ((0, 1),):
                columns = range(first + low, first + high)
                rates.append(Rate(*places[access.path], columns, access in lowered.reads))
    return Uses(
        quantities,
        tuple(rates),
        looks_at_rates=any(access.row == "rate" for access in lowered.reads),
        assigns=any(access.row == "state" for access in lowered.writes),
        can_change=lowered.can_change,
        is_polled=any(step.can_change and not step.is_told for step in lowered.steps),
    )


def _places(lowered: Lowered) -> Iterator[tuple[Path, tuple[bool, int]]]:
    for place, path in enumerate(lowered.paths):
        yield path, (False, place)
    for place, path in enumerate(lowered.lists):
        yield (path if path[-1] == ITEMS else (*path, ITEMS)), (True, place)


def _column(step: Step, access: Access) -> int:
    cls = step.expected
    if issubclass(cls, Variable):
        return 0
    layout = step.layout or cls._layout
    return int(layout.starts[access.name] if access.name in layout.starts else layout.offsets[access.name])
