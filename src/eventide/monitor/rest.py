"""The state after infinitely many events: a state that no longer moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.continuous import Continuous


def rest(*names: str, **values: float) -> Callable[[Continuous, float], None]:
    """A handler for `accumulates` that stops states: named ones at zero, those given with a value at that value.

    They are integrated no longer until `component["velocity"].start()`. Example, in a class:
    `settle = bounce.accumulates(ev.rest("velocity", height=0.0))`.
    """

    def settle(component: Continuous, _end: float) -> None:
        for name, value in {**dict.fromkeys(names, 0.0), **values}.items():
            variable = component[name]
            variable.state = value
            variable.stop()

    return settle
