"""What drives the events of rows: native code of its own, or the monitor where states are integrated as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from eventide.discrete.calendar import Entry
    from eventide.rows.memory import RowMemory


class RowDriver(Protocol):
    """Drives the events of rows.

    reached     what stopped them that is neither an event of theirs nor the end of their turn; None without
    has_state_event     whether that is a state event
    """

    @property
    def reached(self) -> object:
        """As above."""
        ...

    @property
    def has_state_event(self) -> bool:
        """As above."""
        ...

    def may_proceed(self, memory: RowMemory | None) -> bool:
        """Whether rows may have the next events."""
        ...

    def proceed(self, memory: RowMemory, *turn: float) -> int:
        """Let rows have their events, with all flows brought to each: `proceed_rows`, of which `turn` are arguments."""
        ...

    def begin(self) -> Entry:
        """The state event that stopped them takes place in Python; returns its owner."""
        ...


class DiscreteDriver:
    """Drives rows where nothing is integrated."""

    reached: Final = None
    has_state_event: Final = False

    def may_proceed(self, memory: RowMemory | None) -> bool:
        """Always."""
        return True

    def proceed(self, memory: RowMemory, *turn: float) -> int:
        """Let them go."""
        return memory.engine.proceed_rows(memory.arrays, *turn)

    def begin(self) -> Entry:
        """There is none."""
        raise NotImplementedError


DISCRETE: Final = DiscreteDriver()
