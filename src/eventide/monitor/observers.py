"""Observers of a running model, and the times at which each observes; observing never changes a step or an event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Literal, TypeAlias

from eventide.declare.periods import Grid
from eventide.declare.showing import public_dir
from eventide.monitor.generators import generators_of
from eventide.streams.observed_draws import ObservedDraws

if TYPE_CHECKING:
    from eventide.continuous import Integrator
    from eventide.monitor.native_looks import Looks
    from eventide.monitor.tape import Taken, Tape
    from eventide.streams.streams import Stream


class Phase(Enum):
    """The occasion on which an observer is called."""

    AFTER = "after"
    """Just after an event, and at the start of a run."""
    GRID = "grid"
    """At a point of the observer's own regular grid, inside a step or at its end."""
    STEP = "step"
    """At the end of a step at which no event is due."""
    SPAN = "span"
    """Where a step of any flow ends or will be cut by an event: all times since the last occasion can be shown."""
    BEFORE = "before"
    """Just before an event, and at the end of a run."""
    REST = "rest"
    """A run has ended: call only observers that choose their times."""


Frequency: TypeAlias = Fraction | Literal["step", "event"]


class Observer:
    """The base of reporters and recorders."""

    _frequency: Frequency = "step"
    _runs_code = True
    """Whether it calls functions of the user, which may draw random numbers."""
    _called: Sequence[object] = ()
    """These functions, and what has them as attributes."""
    _sees_spans = False
    """Whether it sees every time span, cut at the steps of all flows and at events; called before all others."""
    _looks_at_will = False
    """Whether it chooses its times itself, by `_next_time`; it is not called at events, but at the end of a run."""
    _grid: Grid | None = None
    _index: int = 0
    _upcoming: float = inf
    __dir__ = public_dir

    def _observe(self, phase: Phase) -> None:
        """Look at the model."""
        raise NotImplementedError

    def _begin_tape(self, *, is_beside_rows: bool = False) -> Tape | None:
        """What samples the regular times from the next one on, if the stepper can do that by itself.

        is_beside_rows      whether native code has events meanwhile, which change numbers of the model
        """
        return None

    def _fetch(self) -> None:
        """Take over what the stepper has taken down."""
        raise NotImplementedError

    def _seen_at_events(self) -> tuple[Taken, ...] | None:
        """What it reads at events, if that is all that it does there; None if only Python can look for it."""
        return None

    def _take_over(self, looks: Looks) -> None:
        """Take over what native code has read of that around events, after the last call or take-over."""
        raise NotImplementedError

    def _begin_grid(self, time: float) -> None:
        """Restart the regular grid at `time`."""
        self._grid = Grid(time, self._frequency) if isinstance(self._frequency, Fraction) else None
        self._index = 0
        self._upcoming = inf if self._grid is None else self._grid.time(0)

    def _next_time(self) -> float:
        """The next instant of the regular grid; infinity without one."""
        return self._upcoming

    def _pass(self, time: float) -> None:
        """Leave behind the grid's instant, which is at `time` or before it."""
        assert self._grid is not None
        self._index += 1
        self._upcoming = self._grid.time(self._index)
        if self._upcoming <= time:
            self._refuse_period(time)

    def _refuse_period(self, time: float) -> None:
        """The period is too small to advance time."""
        raise NotImplementedError


class Observers:
    """The active observers: periodic ones, those of spans, of every step, of events, each in order of their start.

    at_spans    those that see spans
    at_will     those that choose their times
    taped       those whose regular times the stepper serves by itself until it returns
    will        the first time chosen by one of these
    count       of all that observe events
    """

    def __init__(self, integrator: Integrator, streams: Mapping[str, Stream]) -> None:
        self.integrator = integrator
        self.periodic: list[Observer] = []
        self.at_spans: list[Observer] = []
        self.at_steps: list[Observer] = []
        self.at_events: list[Observer] = []
        self.at_will: list[Observer] = []
        self.will: float = inf
        self.taped: list[Observer] = []
        self._in_order: list[Observer] = []
        self.count = 0
        self._draws = ObservedDraws(streams)
        self._called: list[object] | None = None
        """The functions of the observers, until they are looked through for generators; None afterwards."""
        self._may_draw = False

    def __len__(self) -> int:
        return self.count + len(self.at_will)

    def __iter__(self) -> Iterator[Observer]:
        """Those that look at events, in the order of their calls."""
        return iter(self._in_order)

    def __contains__(self, observer: Observer) -> bool:
        return any(o is observer for o in self._list_of(observer))

    def add(self, observer: Observer, time: float) -> None:
        """Add an observer; its regular grid begins now."""
        observer._begin_grid(time)
        self._list_of(observer).append(observer)
        self._renew()

    def remove(self, observer: Observer) -> None:
        """Remove an observer."""
        kept = self._list_of(observer)
        kept[:] = [o for o in kept if o is not observer]
        self._renew()

    def _renew(self) -> None:
        self._in_order = [*self.at_spans, *self.periodic, *self.at_steps, *self.at_events]
        self.count = len(self._in_order)
        active = [observer for observer in (*self._in_order, *self.at_will) if observer._runs_code]
        self._may_draw = bool(active)
        self._called = [function for observer in active for function in observer._called]
        self.integrator.let_look(2 if self.at_spans else int(bool(self.at_steps)), at_events=self.count > 0)
        self.integrator.changes.note()
        self._renew_will()

    def _list_of(self, observer: Observer) -> list[Observer]:
        if observer._looks_at_will:
            return self.at_will
        if isinstance(observer._frequency, Fraction):
            return self.periodic
        if observer._sees_spans:
            return self.at_spans
        return self.at_steps if observer._frequency == "step" else self.at_events

    def look_ahead(self, *, is_beside_rows: bool = False) -> tuple[float, list[Tape]]:
        """The time of the next call of a periodic observer, and tapes for those that need no call until then."""
        look = self.will
        self.taped, tapes = [], []
        for observer in self.periodic:
            tape = observer._begin_tape(is_beside_rows=is_beside_rows)
            if tape is None:
                look = min(look, observer._next_time())
            else:
                self.taped.append(observer)
                tapes.append(tape)
        return look, tapes

    def next_time(self) -> float:
        """The first time that is regular or chosen."""
        return min([self.will, *[observer._next_time() for observer in self.periodic]]) if self.periodic else self.will

    def observe_all(self, phase: Phase, time: float) -> None:
        """Every observer looks once: just before or just after an event."""
        if self.will <= time:
            self.observe_at_will(time)
        for observer in self.periodic:
            if observer._upcoming <= time:
                observer._pass(time)
        self._look(self._in_order, phase)

    def observe_grid(self, time: float) -> None:
        """Call the observers whose regular or chosen time is `time`."""
        self.observe_at_will(time)
        due = [observer for observer in self.periodic if observer._next_time() == time]
        for observer in due:
            observer._pass(time)
        self._look(due, Phase.GRID)

    def observe_at_will(self, time: float) -> None:
        """Call the observers whose chosen time has come."""
        if self.will <= time:
            self._look([observer for observer in self.at_will if observer._next_time() <= time], Phase.GRID)
            self._renew_will()

    def observe_rest(self) -> None:
        """A run has ended: call the observers that are not called at events."""
        self._look(self.at_will, Phase.REST)
        self._renew_will()

    def _renew_will(self) -> None:
        self.will = min([observer._next_time() for observer in self.at_will], default=inf)

    def observe_step(self) -> None:
        """Those of every step look at its end."""
        self._look(self.at_steps, Phase.STEP)

    def observe_spans(self, phase: Phase) -> None:
        """Those of spans look."""
        self._look(self.at_spans, phase)

    def _look(self, observers: Sequence[Observer], phase: Phase) -> None:
        """Call these observers; the model refuses changes meanwhile.

        An error of one is raised when all have looked: what the others record has no gap there.
        """
        failure: Exception | None = None
        if self._called is not None:  # looked through once they are called: many may begin before
            self._draws.others, self._called = generators_of(self._called) if self._called else (), None
        drawn = self._draws.begin() if self._may_draw and self._draws else None
        self.integrator.is_observed = True
        try:
            for observer in observers:
                try:
                    observer._observe(phase)
                except Exception as error:  # noqa: BLE001  # whatever the user's code raises
                    if failure is None:
                        failure = error
                    else:
                        failure.add_note(f"another observer failed there as well: {error!r}")
        finally:
            self.integrator.is_observed = False
        if failure is not None:
            raise failure
        if drawn is not None:
            self._draws.end(drawn, [observer for observer in observers if observer._runs_code])
