"""When the native code of rows is loaded: that takes some tenths of a second, once in a process."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

COLD: Final = 500_000
"""The events in Python after which loading pays."""


@dataclass
class _Past:
    """What this process has done so far, in all runs: many short ones make a long one. No result depends on it."""

    events: int = 0


_PAST: Final = _Past()


def is_worth_loading(events: int) -> bool:
    """Whether the native code is loaded already, or loading it pays after so many more events in Python."""
    _PAST.events += events
    return "eventide.native.row_engine" in sys.modules or _PAST.events >= COLD
