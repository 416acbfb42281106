"""Python's own words of an error: they change from one Python to the next, so tests ask the Python they run under."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

NUMBER = re.compile(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b")


def wording(error: BaseException) -> str:
    """The text of the error with `#` for its numbers, which newer Pythons name: `expected a positive input, got #`."""
    return NUMBER.sub("#", str(error))


def wording_of(call: Callable[..., object], *arguments: Any) -> str:
    """The wording of what Python raises for a call. Raises AssertionError if it raises nothing."""
    try:
        call(*arguments)
    except Exception as error:  # noqa: BLE001  # whichever it is, its words are asked for
        return wording(error)
    raise AssertionError(f"{call} of {arguments} raises nothing")
