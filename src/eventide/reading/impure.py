"""Calls whose result does not follow from the model: random numbers, the wall clock, what is typed.

Between events the same point may be evaluated several times, and in any order; a law or condition that gives another
result each time has no solution. It is refused. A process may draw, but the generators that `random` and `numpy.random`
share are not of the simulation: neither its entropy nor the number of a replication reaches them.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
import time
from typing import Final

from eventide.reading.scope import UNKNOWN

CLOCKS: Final = frozenset(
    id(getattr(time, name))
    for name in (
        "time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time",
        "process_time_ns", "thread_time", "thread_time_ns", "sleep", "localtime", "gmtime",
    )
)  # fmt: skip
"""Functions of the wall clock; those of a module of CPython live as long as the program."""
DATES: Final = (dt.datetime, dt.date)
NOW: Final = ("now", "utcnow", "today")
OTHERS: Final = frozenset((id(input), id(os.urandom)))
MODULES: Final = ("secrets", "uuid")
"""Modules whose functions give something else at every call."""
GENERATORS: Final = ("numpy.random.", "eventide.streams.")
"""Where the classes of generators of random numbers are from, besides `random`."""
FOR_RANDOM: Final = (
    "Draw in an event, from sim.stream(name), and keep the number in a field; or take an input, as ev.inputs.HeldNoise"
)
FOR_TIME: Final = "The time of the model is sim.time"


def impurity_of(owner: object, name: str, value: object) -> str:
    """What to write instead of a function that is found as `owner.name`, or by its name alone; empty if it is pure."""
    if owner is not UNKNOWN and (_is_generator(owner) or getattr(value, "__qualname__", "") == "World.stream"):
        return FOR_RANDOM
    owner_of_method = getattr(value, "__self__", None)
    if _is_generator(owner_of_method) or getattr(value, "__module__", "") in MODULES or id(value) in OTHERS:
        return FOR_RANDOM
    if id(value) in CLOCKS or (owner in DATES and name in NOW):
        return FOR_TIME
    return ""


def _is_generator(thing: object) -> bool:
    module = type(thing).__module__
    return module == "random" or module.startswith(GENERATORS)


def is_global_generator(value: object) -> bool:
    """Whether something is a function of `random` or `numpy.random` that draws from the generator of all programs."""
    owner = getattr(value, "__self__", None)
    return owner is not None and callable(value) and any(owner is shared for shared in _shared_generators())


def _shared_generators() -> list[object]:
    """The objects whose methods are the functions of `random` and `numpy.random`, of those modules that are loaded."""
    loaded = [sys.modules.get("random"), sys.modules.get("numpy.random")]
    return [module.random.__self__ for module in loaded if module is not None]
