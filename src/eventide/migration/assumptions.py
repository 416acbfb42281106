"""The assumptions of native processes, and whether they still hold: events in Python may have changed them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from eventide.bodies.naming import NO_QUESTIONS, hold, questions_of
from eventide.rows.undisturbed import is_watched

if TYPE_CHECKING:
    from eventide.bodies.naming import Fact


class Assumptions:
    """The facts on which processes in rows rely, by object and attribute."""

    def __init__(self) -> None:
        self._facts: dict[tuple[int, str], Fact] = {}
        self._questions = NO_QUESTIONS  # the same

    def note(self, facts: Mapping[tuple[int, str], Fact]) -> None:
        """Add facts to rely on."""
        self._facts.update(facts)

    def settle(self) -> None:
        """These are all."""
        self._questions = questions_of(self._facts.values())

    def forget(self) -> None:
        """Forget all facts."""
        self._facts.clear()
        self._questions = NO_QUESTIONS

    def stands(self) -> bool:
        """Whether all still hold, and no debugger or the like has begun to watch Python code."""
        return not is_watched() and hold(self._questions)
