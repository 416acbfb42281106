"""The processes of a run, from their creation to their end, in the order of creation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eventide.discrete.processes.migration import Migration
    from eventide.discrete.processes.process import Process


class ProcessList:
    """A ring of processes that each know their neighbours, with the list itself between the last and the first.

    Entering and leaving updates two neighbours; a table would need a search by key.
    """

    __slots__ = ("_after", "_before", "migration")

    _after: Any
    _before: Any
    migration: Migration | None  # knows the processes that were made in rows, while there are any

    def __init__(self) -> None:
        self._after = self._before = self

    def enter(self, process: Process) -> None:
        """Let a process that was just made stand last."""
        process._after = self
        process._before = last = self._before
        last._after = self._before = process

    def leave(self, process: Process) -> None:
        """Let a process go, which forgets its neighbours; no effect on one that has left."""
        before, after = process._before, process._after
        if before is not None:
            before._after = after
            after._before = before
            process._before = process._after = None

    def __iter__(self) -> Iterator[Process]:
        """The processes that have not left, in their order."""
        process = self._after
        while process is not self:
            yield process
            process = process._after
