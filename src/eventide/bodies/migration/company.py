"""What rows have their events beside: what moves, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from eventide.discrete.calendar import Entry
    from eventide.rows.memory import RowMemory


class Company(Protocol):
    """What lets rows have their events.

    met         what they have come to that is neither their event nor the end of their turn; None without
    has_found   whether that is a state event
    """

    @property
    def met(self) -> object:
        """As above."""
        ...

    @property
    def has_found(self) -> bool:
        """As above."""
        ...

    def is_welcome(self, memory: RowMemory | None) -> bool:
        """Whether rows may have the next events."""
        ...

    def accompany(self, memory: RowMemory, *turn: float) -> int:
        """Let rows have their events, and bring all that moves along: `proceed_rows`, of which `turn` are arguments."""
        ...

    def begin(self) -> Entry:
        """The state event to which they have come takes place in Python; returns its owner."""
        ...


class Alone:
    """Where nothing moves."""

    met: Final = None
    has_found: Final = False

    def is_welcome(self, memory: RowMemory | None) -> bool:
        """They may at any time."""
        return True

    def accompany(self, memory: RowMemory, *turn: float) -> int:
        """Let them go."""
        return memory.engine.proceed_rows(memory.arrays, *turn)

    def begin(self) -> Entry:
        """There is none."""
        raise NotImplementedError


ALONE: Final = Alone()
