"""Reporters: functions of the user that observe a running model."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf
from numbers import Real
from typing import Literal, NoReturn, Self, TypeAlias

from eventide.declare import Component
from eventide.declare.periods import exact_period
from eventide.discrete.inside import refuse_between_events
from eventide.errors import ModelError, SimulationError
from eventide.monitor import Observer, Phase
from eventide.reading.between_events import refuse_answer, refuse_commands

Every: TypeAlias = float | Literal["step", "event"]


def as_frequency(every: object) -> Fraction | Literal["step", "event"]:
    """`every` as an exact period, "step" or "event"; ModelError if it is none of these."""
    if isinstance(every, str):
        if every == "step":
            return "step"
        if every == "event":
            return "event"
    if not isinstance(every, float | Real | Decimal):
        raise ModelError(f'every= takes a period, "step" or "event", and got {every!r}')
    return exact_period(every)


class Reporter(Observer, Component):
    """Subclass it and write `report`, which is called while the reporter is active.

    every   a period: at each multiple of it after the start; "step": at the end of each step; "event": no more.
            In all cases it is also called just before and just after each event.
    A reporter reads the model and must not change it.
    """

    every: Every = "step"

    def _complete(self) -> None:
        self._frequency = as_frequency(self.every)
        super()._complete()

    def report(self) -> None:
        """What is to be done; nothing by default."""

    def start(self) -> Self:
        """Report from now on; the regular instants count from now. No effect on an active reporter.

        Raises SimulationError 15 between events.
        """
        self._forbid_between_events(15, "start")
        if not self.active:
            refuse_commands(type(self).report, self, self.sim, "the report", self)
            self._called = (type(self).report, self)
            self.sim._the_monitor.add_observer(self)
        return self

    def stop(self) -> None:
        """Report no longer; no effect on an inactive reporter.

        Raises SimulationError 16 between events.
        """
        self._forbid_between_events(16, "stop")
        self.sim._the_monitor.observers.remove(self)

    def set_frequency(self, every: Every) -> Self:
        """Report at other instants from now on, as where `every` is set; the regular instants count from now.

        Raises SimulationError 14 between events, if active.
        """
        frequency = as_frequency(every)
        if self.active:
            self._forbid_between_events(14, "set_frequency")
            self.sim._the_monitor.observers.remove(self)
            self._frequency = frequency
            self.sim._the_monitor.add_observer(self)
        else:
            self._frequency = frequency
            self._begin_grid(self.sim.time)
        super().__setattr__("every", every)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        if name == "every" and "_frequency" in vars(self):
            self.set_frequency(value)  # type: ignore[arg-type]  # which refuses what is no frequency
        else:
            super().__setattr__(name, value)

    @property
    def frequency(self) -> Every:
        """The period, "step" or "event"."""
        return float(self._frequency) if isinstance(self._frequency, Fraction) else self._frequency

    @property
    def report_time(self) -> float:
        """The next regular instant; infinity without a period."""
        return self._next_time() if self._grid is not None else inf

    @property
    def active(self) -> bool:
        """Whether it reports."""
        return self in self.sim._the_monitor.observers

    def _observe(self, phase: Phase) -> None:
        place = f"the report of {self.name}"
        try:
            answer: object = self.report()  # type: ignore[func-returns-value]  # a generator, if it yields
            if answer is not None:
                refuse_answer(answer, self.sim, place)
        except BaseException as error:
            if isinstance(error, SimulationError):
                error.blame(self, place, reporter=self)
            error.add_note(f"in {place} at time {self.sim.time!r}")
            raise

    def _refuse_period(self, time: float) -> NoReturn:
        raise SimulationError(
            6, time, f"The period {self.frequency!r} of {self.name} cannot be seen at this time.", reporter=self
        )

    def _forbid_between_events(self, number: int, call: str) -> None:
        refuse_between_events(self.sim, f"{call}() of {self.name}", number, reporter=self)
