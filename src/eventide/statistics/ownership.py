"""Whose a statistic is: of whoever copied it, or of the resource, container, store or queue that keeps it.

A copy goes on by itself. What a component keeps nobody else may set: a level would go on from there, and its mean would
be of what never was.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, NoReturn, TypeVar

from eventide.errors import ModelError

if TYPE_CHECKING:
    from typing import Self

    from eventide.statistics.level import Level
    from eventide.statistics.tally import Tally

    Some = TypeVar("Some", Level, Tally)


class Copied:
    """The base of statistics: `copy.copy` of one shares nothing with it that is added to."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return deepcopy(self)


def kept(statistic: Some, keeper: str) -> Some:
    """A statistic of the component of this name, which is refused to others from now on."""
    statistic._keeper = keeper
    if hasattr(statistic, "_add"):  # of a tally: `add` itself has no line more, as it is called often
        statistic._add = partial(_refuse_added, keeper, statistic._label())
    return statistic


def _refuse_added(keeper: str, label: str, value: float) -> NoReturn:
    refuse_kept(keeper, label, f"given {value!r}", "sim.tally()")


def is_kept(statistic: Level | Tally) -> bool:
    """Whether a component keeps it."""
    return bool(statistic._keeper)


def refuse_kept(keeper: str, label: str, what: str, instead: str) -> NoReturn:
    """Raise ModelError for a change of such a statistic by others.

    what        is done to it
    instead     what may be changed
    """
    raise ModelError(
        f"{label} cannot be {what}: {keeper} keeps it itself, and what is done there changes it; reset() restarts it, "
        f"and what you may change is {instead}"
    )
