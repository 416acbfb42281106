"""The functions by which Python drives the stepper, and the stepper as Python runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from eventide.continuous import march
from eventide.continuous.tables import Arrays, Coefficients


class Engine(NamedTuple):
    """The stepper, plain or native. All functions but `pack` take first what `pack` answers."""

    pack: Callable[[Arrays], Any]
    march: Callable[..., int]
    settle: Callable[..., None]
    touch: Callable[..., None]
    publish: Callable[..., None]
    force: Callable[..., int]
    choose: Callable[..., int]
    enter: Callable[..., None]
    leave: Callable[..., None]
    sift_up: Callable[..., None]


ENTRIES: Final = Engine._fields[1:]
"""The names of the stepper's functions that Python calls."""


def _views(arrays: Arrays) -> Arrays:
    """Memoryviews of all arrays: their items are Python numbers, several times faster to reach than an array's."""
    views = [memoryview(array) for array in arrays[:-2]]
    return Arrays(*views, Coefficients(*(memoryview(array) for array in arrays.method)), arrays.host)


PLAIN: Final = Engine(_views, *(getattr(march, name) for name in ENTRIES))
"""The stepper as Python runs it."""
