"""The assumptions of native processes, and whether they still hold: events in Python may have changed them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import call, is_
from typing import TYPE_CHECKING, Any, Final

from eventide.rows.undisturbed import is_watched

if TYPE_CHECKING:
    from eventide.bodies.naming import Fact

NO_QUESTIONS: Final[tuple[tuple[Any, ...], ...]] = (), (), ()


class Assumptions:
    """The facts on which processes in rows rely, by object and attribute."""

    def __init__(self) -> None:
        self._facts: dict[tuple[int, str], Fact] = {}
        self._questions = NO_QUESTIONS  # the same: what is asked, about what, and the answers

    def note(self, facts: Mapping[tuple[int, str], Fact]) -> None:
        """Add facts to rely on."""
        self._facts.update(facts)

    def settle(self) -> None:
        """These are all."""
        self._questions = tuple(zip(*self._facts.values(), strict=True)) or NO_QUESTIONS

    def forget(self) -> None:
        """Forget all facts."""
        self._facts.clear()
        self._questions = NO_QUESTIONS

    def stands(self) -> bool:
        """Whether all still hold, and no debugger or the like has begun to watch Python code."""
        if is_watched():
            return False
        asks, abouts, answers = self._questions
        try:
            return all(map(is_, map(call, asks, abouts), answers))
        except (AttributeError, ValueError):  # something has no value any longer
            return False
