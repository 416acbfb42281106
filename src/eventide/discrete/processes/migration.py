"""What a world asks of what runs some of its processes as native code, in a room above it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from types import CodeType

    from eventide.discrete.hook import Hook
    from eventide.discrete.processes.process import Process
    from eventide.reading.source import CannotLower


class RowNote(NamedTuple):
    """What is known of a function of processes: its code, why it is not native, and which of its statements are not."""

    code: CodeType
    refusal: CannotLower | None
    asks: tuple[CannotLower, ...]


class Migration(Protocol):
    """The processes of one world that are rows of native code; `migration/row_migration.py` has the only one."""

    @property
    def inner(self) -> Hook | None:
        """What else acts between events."""

    @property
    def is_any_away(self) -> bool:
        """Whether there are any at this moment."""

    @property
    def due(self) -> int:
        """After how many events it is looked again which may go away."""

    @property
    def notes(self) -> Sequence[RowNote]:
        """Of each function that was looked at."""

    @property
    def refused_functions(self) -> Mapping[int, CannotLower]:
        """Of functions that recordings call: why only Python can do so, by their ids."""

    @property
    def taken(self) -> int:
        """How many events were those of rows."""

    def leave(self) -> None:
        """Return all processes to Python."""

    def bring(self, process: Process) -> None:
        """Return a process to Python that is away."""

    def materialize_all(self) -> None:
        """Make the objects of those that were made in rows."""

    def look(self, thing: object, name: str = "") -> object:
        """What a resource or level has that is away."""

    def must_wait(self) -> bool:
        """Whether a signal handler must wait now, amid an event of rows."""

    def may_go(self, events: int) -> bool:
        """Whether processes are away after so many events, or may go away now."""

    def numbers(self, horizon: float, most: int) -> Iterator[int]:
        """The numbers of the world's events while rows have theirs before each of them."""
