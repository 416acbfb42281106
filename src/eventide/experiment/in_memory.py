"""Where results are kept: as a protocol, and in memory. A `Store` keeps them in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from eventide.experiment.results import Result


class Results(Protocol):
    """Where results are kept, by their numbers."""

    def add(self, result: Result) -> None:
        """Keep one more."""
        ...

    def close(self) -> None:
        """No more come for now."""
        ...

    def missing(self, numbers: range) -> Sequence[int]:
        """Those numbers of which there is no result."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Result: ...

    def __iter__(self) -> Iterator[Result]: ...


class InMemory:
    """Results in a list, in the order of their numbers."""

    def __init__(self) -> None:
        self._results: list[Result] = []

    def add(self, result: Result) -> None:
        """Keep one more."""
        self._results.append(result)

    def close(self) -> None:
        """Put them in order: workers are not."""
        self._results.sort(key=lambda result: result.number)

    def missing(self, numbers: range) -> Sequence[int]:
        """Those numbers of which there is no result."""
        there = {result.number for result in self._results}
        return [number for number in numbers if number not in there]

    def __len__(self) -> int:
        return len(self._results)

    def __getitem__(self, place: int, /) -> Result:
        return self._results[place]

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)
