"""When the native code of rows is loaded: once as much time has gone by in Python as that takes.

Waiting that long costs at most twice the time of a choice that knows the length of the run. Times are
counted in events of Python. What is compiled is kept on disk, so a model is compiled once, and then loaded early.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LOADING: Final = 40_000
"""The events in Python that take as long as to import what reads bodies and to load what is kept on disk."""
ENGINE: Final = 85_000
"""Half of that for compiling the engine: it is done once for an installation, so later runs have it, too."""
KERNEL: Final = 30_000
"""The same for compiling a kernel."""
RESOURCES: Final = 35_000
"""So much more if it uses resources."""
PATIENCE: Final = 1
"""How many times as long to wait as it takes."""


@dataclass
class _Past:
    """What this process has done so far, in all runs: many short ones make a long one. No result depends on it.

    events      in Python, less those that were paid for what has been loaded; seen: all
    is_loaded   whether the engine is
    is_kept     whether what was read of some processes is kept for further simulations
    """

    events: int = 0
    seen: int = 0
    is_loaded: bool = False
    is_kept: bool = False


_PAST: Final = _Past()


def note(events: int) -> None:
    """So many more events have taken place in Python."""
    _PAST.events += events
    _PAST.seen += events


def seen() -> int:
    """How many events there have been in Python."""
    return _PAST.seen


def is_loaded() -> bool:
    """Whether the engine is loaded: what is left to do takes as long as a thousand or two events."""
    return _PAST.is_loaded


def note_kept() -> None:
    """What was read of processes is kept."""
    _PAST.is_kept = True


def may_go_early() -> bool:
    """Whether fewer events of a run are enough, for those processes whose bodies are kept or may be read."""
    return (_PAST.is_loaded and _PAST.is_kept) or may_read_early()


def may_read_early() -> bool:
    """Whether many runs, however short, have paid for loading and for a kernel, so that a body may be read early."""
    return not missing(KERNEL if _PAST.is_loaded else LOADING + KERNEL)


def may_pay() -> bool:
    """Whether the engine is loaded, or to load it pays if it is kept on disk."""
    return _PAST.is_loaded or not missing(LOADING)


def missing(price: int) -> int:
    """How many more events there must be before something pays."""
    return max(PATIENCE * price - _PAST.events, 0)


def pay(price: int, *, is_all: bool) -> int:
    """What is missing; where that is nothing, and `is_all`, it is loaded now, and what comes next pays for itself."""
    lacking = missing(price)
    if is_all and not lacking:
        _PAST.events = max(_PAST.events - price, 0)
        _PAST.is_loaded = True
    return lacking
