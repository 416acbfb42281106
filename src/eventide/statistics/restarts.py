"""Access to the statistics of all queues and stations of a simulation, without keeping unused ones alive."""

from __future__ import annotations

from typing import Final, Protocol
from weakref import ref

FEW: Final = 64
"""The fewest that are looked through before those that are gone are left out."""


class HasReset(Protocol):
    """A statistic, or something that keeps some."""

    def reset(self) -> None:
        """Restart at the present time."""
        ...


class Restart:
    """What a simulation knows of the statistics of a component: how to restart them, as long as something refers to it.

    verb    the name of the method that does
    """

    __slots__ = ("_owner", "_verb")

    def __init__(self, owner: object, verb: str) -> None:
        self._owner = ref(owner)
        self._verb = verb

    @property
    def is_over(self) -> bool:
        """Whether nothing refers to it any more."""
        return self._owner() is None

    def reset(self) -> None:
        """Restart all its statistics."""
        owner = self._owner()
        if owner is not None:
            getattr(owner, self._verb)()


class Restarts:
    """All statistics of a simulation, in the order in which they were made."""

    __slots__ = ("_kept", "_most")

    def __init__(self) -> None:
        self._kept: list[HasReset] = []
        self._most = FEW

    def add(self, statistic: HasReset) -> None:
        """Let `reset` reset this, too: a statistic, or the `Restart` of a component."""
        if len(self._kept) >= self._most:
            self._kept = [one for one in self._kept if not (type(one) is Restart and one.is_over)]
            self._most = FEW + 2 * len(self._kept)
        self._kept.append(statistic)

    def reset(self) -> None:
        """Restart all of them."""
        for statistic in list(self._kept):
            statistic.reset()
