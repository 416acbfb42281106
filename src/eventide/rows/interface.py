"""The functions by which Python drives native processes, and the plain ones, which run as Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from eventide.rows import activities, allocation, event_list, looks, loop

if TYPE_CHECKING:
    from eventide.rows.records import Rows


@dataclass(slots=True)
class RowEngine:
    """The engine of native processes, plain or native.

    pack    turns the tables into what all other functions take first, and what must live as long as that is used
    """

    pack: Callable[[Rows], tuple[object, object]]
    proceed_rows: Callable[..., int]
    enter: Callable[..., int]
    dismiss: Callable[..., None]
    place: Callable[..., None]
    displace: Callable[..., None]
    first: Callable[..., int]
    finish: Callable[..., None]
    arrive: Callable[..., bool]
    look_regularly: Callable[..., bool]


ENTRIES: Final = tuple(field.name for field in fields(RowEngine))[1:]
"""The names of the functions that Python calls."""


def _as_it_is(rows: Rows) -> tuple[Rows, None]:
    return rows, None


PLAIN: Final = RowEngine(
    pack=_as_it_is,
    proceed_rows=loop.proceed_rows,
    enter=allocation.enter,
    dismiss=allocation.dismiss,
    place=event_list.place,
    displace=event_list.displace,
    first=event_list.first,
    finish=activities.finish,
    arrive=looks.arrive,
    look_regularly=looks.look_regularly,
)
"""The engine as Python runs it. Every function of this room runs as Python over `RowMemory.views`, at any time."""
