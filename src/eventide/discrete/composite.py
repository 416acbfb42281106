"""Waiting for the first of several things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eventide.discrete.commands import Handover, Wait
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.discrete.world import World


@dataclass(frozen=True)
class Outcome:
    """What `first_of` answers: the name of the winner and what its command answered."""

    name: str
    value: Any


class Branch:
    """One of the things waited for; stands in lists and queues in place of the process."""

    __slots__ = ("_granted", "_notice", "_value", "_wait", "group", "label")

    def __init__(self, group: FirstOf, label: str) -> None:
        self.group = group
        self.label = label
        self._notice: Notice | None = None
        self._value: Any = None
        self._wait: Wait | None = None
        self._granted: Wait | None = None

    @property
    def name(self) -> str:
        """Whose branch it is."""
        return f"{self.group.activity.name} ({self.label})"

    def _resume(self, value: Any, /) -> Any:
        return self.group._won(self, value)

    def withdraw(self) -> None:
        """Lose: leave whatever list it stands in, give back what it was granted meanwhile."""
        self._notice = self._wait = None
        if self._granted is not None:
            self._granted.withdraw()


class FirstOf:
    """The command to wait for the first of several named commands."""

    __slots__ = ("_branches", "_commands", "activity")
    is_state_event = False

    def __init__(self, commands: dict[str, Any]) -> None:
        self._commands = commands
        self._branches: list[Branch] = []
        self.activity: Any = None

    def _execute(self, sim: World, activity: Any, /) -> Any:
        self.activity = activity
        for label, command in self._commands.items():
            branch = Branch(self, label)
            self._branches.append(branch)
            if sim._obey(branch, command) is not None:
                self._withdraw_all_but(branch)
                activity._value = Outcome(label, branch._value)
                return activity
            branch._granted = branch._wait
        activity._wait = self
        return None

    def _won(self, winner: Branch, value: Any) -> Handover:
        self._withdraw_all_but(winner)
        self.activity._wait = None
        self.activity._value = Outcome(winner.label, value)
        return Handover(self.activity)

    def _withdraw_all_but(self, winner: Branch | None) -> None:
        for branch in self._branches:
            if branch is not winner:
                branch.withdraw()

    def withdraw(self) -> None:
        """Withdraw every branch."""
        self._withdraw_all_but(None)

    def describe(self) -> str:
        """What is waited for."""
        parts = [
            f"{b.label} ({b._wait.describe() if b._wait else f'until time {b._notice[0]!r}' if b._notice else 'idle'})"
            for b in self._branches
        ]
        return "the first of " + ", ".join(parts)


def first_of(**commands: Any) -> FirstOf:
    """Command: wait for the first of several; answers `Outcome(name, value)`, the others are withdrawn at once.

    Each keyword names a command: hold, until, a request, a process (its end), another `first_of`, ...
    Raises ModelError without any.
    """
    if not commands:
        raise ModelError("first_of needs something to wait for: first_of(served=request, gave_up=hold(5.0))")
    return FirstOf(commands)
