"""Waiting for the first of several things, or for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from types import GeneratorType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Never

from eventide.discrete.commands import NOTHING, ActivateNow, Handover, Pause, Sleep, Wait, as_duration, command
from eventide.discrete.processes.endings import End
from eventide.discrete.processes.reasons import what_is_awaited
from eventide.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventide.discrete.calendar import Notice
    from eventide.discrete.commands import Activity
    from eventide.discrete.conditions.until import StateWait
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.line import StationRequest
    from eventide.discrete.world import World


@dataclass(frozen=True)
class Outcome:
    """What `first_of` returns: the name of the winner and the result of its command."""

    name: str
    value: Any


class Branch:
    """One of the things waited for; stands in lists and queues in place of the process."""

    __slots__ = ("_granted", "_notice", "_value", "_wait", "group", "has_come", "is_passive", "label", "value")
    _receiver = None

    def __init__(self, group: Composite, label: str) -> None:
        self.group = group
        self.label = label
        self.has_come = False
        self.is_passive = False
        """Whether an activation of the process ends it."""
        self.value: object = None
        """What its command answered."""
        self._notice: Notice | None = None
        self._value: object = None
        self._wait: Wait | None = None
        self._granted: Wait | None = None

    @property
    def name(self) -> str:
        """Whose branch it is."""
        return f"{self.group.activity.name} ({self.label})"

    @property
    def activity(self) -> Any:
        """The activity that waits for it."""
        return self.group.activity

    @property
    def _past(self) -> StateWait | None:
        past: StateWait | None = who_waits(self)._past
        return past

    @_past.setter
    def _past(self, wait: StateWait | None) -> None:
        who_waits(self)._past = wait

    @property
    def _anchor(self) -> float:
        return self.group.activity._anchor  # type: ignore[no-any-return]  # of a process or another branch

    def begin(self, sim: World, command: Any) -> bool:
        """Start waiting; whether what is waited for is there at once."""
        if sim._obey(self, command) is None:
            self._granted = wait = self._wait
            if isinstance(wait, Sleep):
                self.is_passive = wait.sleeper() is self
            else:  # a hold has its notice from the beginning
                self.is_passive = wait is None and self._notice is None
            return False
        self._come(self._value)
        if hasattr(command, "is_state_event"):
            self._granted = command  # a request, say, is its own wait
        return True

    def _come(self, value: object) -> None:
        self.value = value
        self.has_come = True
        self._value = self._wait = None

    def _resume(self) -> object:
        self._come(self._value)
        return self.group._go_on(self)

    def sleeper(self) -> Activity | None:
        """The activity to schedule if the process is activated; None if this branch waits for something else."""
        if self.has_come:
            return None
        if self.is_passive:
            return self
        return self._wait.sleeper() if isinstance(self._wait, Sleep) else None

    def withdraw(self) -> None:
        """Leave whatever list it stands in, and give back what it was granted."""
        self._wait = self._notice = None
        granted, self._granted = self._granted, None
        if granted is not None:
            granted.withdraw()


def who_waits(activity: object) -> Any:
    """The process behind an activity that waits: that of a branch, else the activity itself."""
    while type(activity) is Branch:
        activity = activity.group.activity
    return activity


class StandingBranch(NamedTuple):
    """What a branch had in its row: its name, its key in the event list, sequence 0 for none, its request or wait."""

    word: str
    time: float
    sequence: float
    serial: int
    request: StationRequest | None
    wait: StateWait | None


class Composite(Sleep):
    """The base of commands that wait for several named commands at once."""

    __slots__ = ("_branches", "_commands", "activity", "sim")
    word: ClassVar[str]
    phrase: ClassVar[str]

    sim: World
    activity: Any
    _branches: list[Branch]

    def __init__(self, commands: dict[str, object]) -> None:
        self._commands = commands
        self.activity = None

    def _execute(self, sim: World, activity: Activity, /) -> object:
        if self.activity is not None:
            raise ModelError(f"this {self.word}(...) was yielded already: make a new one for each wait")
        self.sim, self.activity = sim, activity
        commands, self._commands = self._commands, {}
        self._branches = [Branch(self, label) for label in commands]
        try:
            for branch, wanted in zip(self._branches, commands.values(), strict=True):
                if branch.begin(sim, wanted) and self._is_over():
                    activity._value = self._answer(branch)
                    return activity
        except BaseException:
            self.withdraw()
            raise
        activity._wait = self
        return None

    @property
    def standing(self) -> list[tuple[str, Notice | None, Wait | None]]:
        """The names of its branches, their places in the event list, and their waits; nothing if one has its answer."""
        if any(branch._value is not None or branch.value is not None for branch in self._branches):
            return []
        return [(branch.label, branch._notice, branch._wait) for branch in self._branches]

    def _go_on(self, branch: Branch) -> object:
        """A branch has completed in an event of its own: let the activity continue if that is enough."""
        if not self._is_over():
            return NOTHING
        activity = self.activity
        activity._wait = None
        activity._value = self._answer(branch)
        return Handover(activity)

    def _is_over(self) -> bool:
        """Whether enough has come."""
        raise NotImplementedError

    def _answer(self, last: Branch) -> object:
        """The result for the activity; the branches that lost are withdrawn."""
        raise NotImplementedError

    def sleeper(self) -> Activity | None:
        """The branch to be scheduled if the process is activated: the first that is passive; None without one."""
        found = (branch.sleeper() for branch in self._branches)
        return next((sleeper for sleeper in found if sleeper is not None), None)

    def withdraw(self) -> None:
        """Withdraw every branch."""
        for branch in self._branches:
            branch.withdraw()

    def describe(self) -> str:
        """What is waited for."""
        parts = [
            f"{branch.label} ({'it has come' if branch.has_come else what_is_awaited(branch)})"
            for branch in self._branches
        ]
        return f"{self.phrase} {', '.join(parts)}"


class FirstOf(Composite):
    """The command to wait for the first of several named commands."""

    __slots__ = ()
    word = "first_of"
    phrase = "the first of"

    def _is_over(self) -> bool:
        return True

    def _answer(self, last: Branch) -> Outcome:
        for branch in self._branches:
            if branch is not last:
                branch.withdraw()
        outcome = Outcome(last.label, last.value)
        last.value = last._granted = None  # a request that was granted knows its branch
        return outcome

    @property
    def standing(self) -> list[tuple[str, Notice | None, Wait | None]]:
        """As of any; nothing if one has come."""
        return [] if any(branch.has_come for branch in self._branches) else super().standing

    @classmethod
    def begun(cls, process: Process, waits: Sequence[StandingBranch]) -> list[Branch]:
        """The branches of a wait that a process is in already; they have no places in the event list yet, nor waits."""
        group = cls({})
        group.sim, group.activity = process.sim, process
        group._branches = [Branch(group, wait.word) for wait in waits]
        for branch, wait in zip(group._branches, waits, strict=True):
            if (request := wait.request) is not None:
                request._activity = branch
                branch._granted = request
            if (state := wait.wait) is not None:
                state.activity = branch
                process._past, branch._wait, branch._granted = state.following, state, state
        process._wait = group
        return group._branches


class AllOf(Composite):
    """The command to wait for all of several named commands."""

    __slots__ = ()
    word = "all_of"
    phrase = "all of"

    @classmethod
    def begun(cls, process: Process, waits: Sequence[tuple[str, Process | None, bool]]) -> list[Branch]:
        """The branches of a wait that a process is in already; they have no places in the event list yet.

        waits       of each its name, the process for whose end it waits, if any, and whether it has such a place
        """
        group = cls({})
        group.sim, group.activity = process.sim, process
        group._branches = [Branch(group, word) for word, _, _ in waits]
        for branch, (_, awaited, is_placed) in zip(group._branches, waits, strict=True):
            branch.has_come = awaited is None and not is_placed
            if awaited is not None:
                End.begin(awaited, branch)
                branch._granted = branch._wait
        process._wait = group
        return group._branches

    def _is_over(self) -> bool:
        return all(branch.has_come for branch in self._branches)

    def _answer(self, last: Branch) -> dict[str, object]:
        return {branch.label: branch.value for branch in self._branches}


@command
def first_of(*unnamed: Never, **commands: object) -> FirstOf:
    """Command: wait for the first of several; returns `Outcome(name, value)`, the others are withdrawn at once.

    Each keyword names a command: hold, tick, until, a request, put or get, a signal, a process (its end), passivate,
    wait, another `first_of` or `all_of`.
    Raises ModelError without any, TypeError for what is no such command.
    """
    return FirstOf(_check(commands, unnamed, "first_of"))


@command
def all_of(*unnamed: Never, **commands: object) -> AllOf:
    """Command: wait until all of several have completed; returns a dict of their results, by name.

    Each keyword names a command, as in `first_of`. A process interrupted meanwhile gives back what had been granted.
    Raises ModelError without any, TypeError for what is no such command.
    """
    return AllOf(_check(commands, unnamed, "all_of"))


def _check(commands: dict[str, object], unnamed: tuple[object, ...], word: str) -> dict[str, object]:
    """The commands of a composite, if they are named and can be waited for."""
    if unnamed:
        raise TypeError(
            f"{word} takes its commands by name, which its answer refers to, and got {len(unnamed)} without one: "
            f"write {word}(served=request, gave_up=hold(5.0))"
        )
    if not commands:
        raise ModelError(f"{word} needs something to wait for: {word}(served=request, gave_up=hold(5.0))")
    for name, wanted in commands.items():
        if isinstance(wanted, GeneratorType):
            raise TypeError(f"{word}({name}=...) got a generator: make it a process, {name}=sim.process(...)")
        if isinstance(wanted, ActivateNow | Pause):
            raise TypeError(f"{word}({name}=...) got a command that does not wait: yield it by itself")
        if not hasattr(wanted, "_execute") and as_duration(wanted) is None:
            advice = f": write {name}=until(...) to wait until a condition is true" if callable(wanted) else ""
            raise TypeError(
                f"{word}({name}=...) takes a command, as hold(...) or a request, and got {wanted!r}{advice}"
            )
    return commands
