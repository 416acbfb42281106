"""What a case is: who reported it, what was asked, the exact answer, and the model in eventide."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import eventide as ev

Happening: TypeAlias = tuple[str, float]
"""Who did something, and when."""
Log: TypeAlias = list[Happening]


class Watched(NamedTuple):
    """An event of a problem for tools that know states and functions of them.

    value       (t, y, m): its zeros are the events; m is a module with sin, cos, exp
    direction   1: from below, -1: from above, 0: both
    effect      (y): the states after the event; None: they stay
    """

    name: str
    value: Callable[[Any, Any, Any], Any]
    direction: int = 0
    effect: Callable[[Any], Sequence[Any]] | None = None


@dataclass(frozen=True)
class Problem:
    """A case as initial values, rates (t, y, m) and events: what a solver of differential equations can be given.

    until       the end of the run, if not that of the case: a solver is not asked to come to rest after Zeno
    """

    start: tuple[float, ...]
    rates: Callable[[Any, Any, Any], Sequence[Any]]
    watched: tuple[Watched, ...]
    until: float | None = None


@dataclass(frozen=True, eq=False)
class Case:
    """One case.

    title       what it is about
    reported    where something like it failed: project#number
    asked       what the model is to tell
    exact       every event with its time, from a closed form
    until       the end of the run
    build       (sim, log): makes the model, which writes its events into the log
    tolerance   how far a time may be from the exact one
    options     of the Simulation; as a rule the tolerances are a tenth of that or less
    in_order    whether events at one instant have an order; if not, they are compared for each name
    refused     a pattern that the message must match, if the model is to be refused after these events
    problem     for other tools; None if they have no words for it
    is_long     whether plain Python takes more than a quarter of a second
    """

    title: str
    reported: tuple[str, ...]
    asked: str
    exact: tuple[Happening, ...]
    until: float
    build: Callable[[ev.Simulation, Log], object]
    tolerance: float = 1e-7
    options: Mapping[str, Any] = field(default_factory=lambda: {"rel_error": 1e-9, "abs_error": 1e-11})
    in_order: bool = True
    refused: str = ""
    problem: Problem | None = None
    is_long: bool = False

    @property
    def id(self) -> str:
        """The name of its module."""
        return self.build.__module__.rpartition(".")[2]


def by_name(log: Sequence[Happening]) -> dict[str, list[float]]:
    """The times of each name."""
    times: dict[str, list[float]] = {}
    for name, time in sorted(log, key=lambda happening: happening[0]):
        times.setdefault(name, []).append(time)
    return times


def story_of(log: Sequence[Happening], *, in_order: bool) -> Any:
    """Who did something, in order, without times; or, without order, how often each did."""
    if in_order:
        return [name for name, _ in log]
    return {name: len(times) for name, times in by_name(log).items()}


def error_of(case: Case, log: Sequence[Happening]) -> float:
    """How far the times are from the exact ones at most; of logs with the same story."""
    return distance(by_name(log), by_name(case.exact))


def distance(one: Mapping[str, list[float]], other: Mapping[str, list[float]]) -> float:
    """How far the times of two logs are from one another at most."""
    pairs = [pair for name in one for pair in zip(one[name], other[name], strict=True)]
    return max((abs(first - second) for first, second in pairs), default=0.0)
