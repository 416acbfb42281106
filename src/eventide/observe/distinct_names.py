"""Names by which processes are told apart, also where a model gives many of them one name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eventide.discrete.processes.process import Process


class DistinctNames:
    """The first process of a name has it as it is, the others with a number behind, in the order in which they come."""

    def __init__(self) -> None:
        self._names: dict[tuple[object, ...], str] = {}
        self._taken: dict[str, int] = {}

    def of(self, process: Process) -> str:
        """The name of a process here; the same each time."""
        # Not its id, which another has when it is gone: its kind and its number in that.
        key = type(process), getattr(process, "_kind", None), process._number
        name = self._names.get(key)
        if name is None:
            name = given = process.name
            while name in self._taken:
                self._taken[given] += 1
                name = f"{given} {self._taken[given]}"
            self._taken[name] = 1
            self._names[key] = name
        return name
