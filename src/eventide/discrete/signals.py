"""Signals: what several processes wait for, and one sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from eventide.declare import Component, check_same_simulation
from eventide.discrete.commands import command
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.discrete.commands import Activity
    from eventide.discrete.world import World


class Signal(Component):
    """Something to wait for: `yield signal` waits until it is sent, and returns the value that is sent.

    once    sent one time only: a later wait for it ends at once, with its value; otherwise it can be sent again
            and again, and reaches the processes that wait at that moment
    value   what was sent last; None before that
    sent    whether it has been sent
    """

    once: bool = False

    def _complete(self) -> None:
        self._waits: dict[SignalWait, None] = {}
        self.value: object = None
        self.sent = False
        super()._complete()

    @command
    def wait(self) -> Self:
        """Command: wait for the signal; the same as to yield the signal itself."""
        return self

    def send(self, value: object = None) -> int:
        """Wake all waiting processes, in order of arrival, at the end of the present instant; returns their number.

        Raises ModelError for one that is sent only once and has been, SimulationError 17 between events.
        """
        self.sim._forbid(17, f"send() of {self.name}")
        if self.once and self.sent:
            raise ModelError(f"{self.name} has been sent already, with {self.value!r}: it can be sent only once")
        self.value = value
        self.sent = True
        waits, self._waits = self._waits, {}
        for wait in waits:
            self.sim._wake(wait.activity, value)
        return len(waits)

    @property
    def waiting(self) -> int:
        """How many wait for it."""
        return len(self._waits)

    def _execute(self, sim: World, activity: Activity, /) -> object:
        check_same_simulation(sim, self)
        if self.once and self.sent:
            activity._value = self.value
            return activity
        wait = SignalWait(self, activity)
        self._waits[wait] = None
        activity._wait = wait
        return None

    def __repr__(self) -> str:
        return f"<{self.name}: {self.waiting} waiting{', sent' if self.sent else ''}>"


class SignalWait:
    """A wait for a signal."""

    __slots__ = ("activity", "signal", "since")
    is_state_event = False

    def __init__(self, signal: Signal, activity: Activity) -> None:
        self.signal = signal
        self.activity = activity
        self.since: float = signal.sim.time

    def withdraw(self) -> None:
        """Wait no longer."""
        self.signal._waits.pop(self, None)

    def describe(self) -> str:
        """What is waited for."""
        return f"{self.signal.name} since {self.since!r}"
