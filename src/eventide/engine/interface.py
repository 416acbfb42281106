"""The functions by which Python drives the stepper, and the plain stepper, which runs as Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from eventide.engine import (
    event_effects,
    flow_members,
    native_events,
    newton_matrices,
    sampling,
    scheduler,
    step_control,
)
from eventide.engine.codes import Coefficients
from eventide.engine.memory.buffers import view_of

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


class PythonLaws(Protocol):
    """What evaluates laws and conditions in Python."""

    def evaluate(self, flow: int, time: float, dt: float, /) -> None:
        """Evaluate the laws of a flow."""
        ...

    def is_true(self, condition: int, flow: int, time: float, dt: float, /) -> bool:
        """Whether a condition holds."""
        ...


@dataclass(slots=True)
class Engine:
    """The stepper, plain or native; in slots, where Python finds a function at once.

    pack    turns the arrays into what all other functions take first, and what must live as long as that is used
    places  the addresses of DIRECT; none where it runs as Python
    """

    pack: Callable[[Arrays], tuple[Any, object]]
    proceed: Callable[..., int]
    proceed_away: Callable[..., int]
    advance_to_row: Callable[..., int]
    look: Callable[..., float]
    slope: Callable[..., float]
    may_change: Callable[..., bool]
    change: Callable[..., bool]
    has_broken: Callable[..., bool]
    may_watch: Callable[..., bool]
    close_over: Callable[..., None]
    watch: Callable[..., bool]
    unwatch: Callable[..., bool]
    begin_history: Callable[..., None]
    waiter: Callable[..., int]
    found_at: Callable[..., float]
    settle_touched: Callable[..., bool]
    touch: Callable[..., None]
    publish: Callable[..., None]
    complete_to: Callable[..., None]
    fill: Callable[..., int]
    force: Callable[..., int]
    choose: Callable[..., int]
    enter: Callable[..., None]
    leave: Callable[..., None]
    link: Callable[..., None]
    unlink: Callable[..., None]
    probe: Callable[..., None]
    come: Callable[..., int]
    depart: Callable[..., int]
    use: Callable[..., int]
    flow_met: Callable[..., int]
    may_fall_apart: Callable[..., int]
    toggle_states: Callable[..., None]
    toggle_rests: Callable[..., None]
    arrange: Callable[..., None]
    places: tuple[int, ...] = field(default=(), init=False)


ENTRIES: Final = tuple(one.name for one in fields(Engine))[1:-1]
"""The names of the stepper's functions that Python calls."""
DIRECT: Final = (
    "advance_to_row", "look", "may_change", "change", "has_broken", "may_watch", "close_over", "watch", "unwatch",
    "waiter", "found_at", "slope", "begin_history",
)  # fmt: skip
"""Those of them that other native code calls."""


def _views(arrays: Arrays) -> tuple[Arrays, None]:
    """Memoryviews of all arrays: their items are Python numbers, several times faster to reach than an array's."""
    views: dict[str, Any] = {
        name: view_of(part) for name, part in arrays._asdict().items() if isinstance(part, np.ndarray)
    }
    method = Coefficients(*(view_of(np.asarray(array)) for array in arrays.method))
    return arrays._replace(**views, method=method), None


_HOMES: Final[dict[str, object]] = {
    **dict.fromkeys(("proceed", "proceed_away"), native_events),
    **dict.fromkeys(DIRECT, native_events),
    "fill": sampling,
    "probe": newton_matrices,
    **dict.fromkeys(("come", "depart", "use", "flow_met", "may_fall_apart"), flow_members),
    **dict.fromkeys(("toggle_states", "toggle_rests", "arrange"), flow_members),
    **dict.fromkeys(("settle_touched", "touch", "publish", "complete_to"), event_effects),
    "force": step_control,
}
"""Entries that are not of `scheduler.py`."""

PLAIN: Final = Engine(_views, *(getattr(_HOMES.get(name, scheduler), name) for name in ENTRIES))
"""The stepper as Python runs it."""
