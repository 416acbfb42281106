"""Watches: curves of a running simulation, on a page or in a notebook.

A watch chooses the times at which it reads the model, about a thousand in a run and some ten a second, so that it
costs little. What is drawn, and how often, is decided by the screens in `view/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite, nextafter
from threading import RLock
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from eventide.discrete.inside import calendar_of, horizon_of
from eventide.errors import ModelError, check_text
from eventide.monitor import Observer, Phase
from eventide.observe.curves import Curve, Points
from eventide.observe.population import PopulationRecording
from eventide.observe.progress import Progress
from eventide.observe.recording import record
from eventide.observe.subjects import check_names, groups_of_all, named_groups

if TYPE_CHECKING:
    from eventide.continuous import Continuous
    from eventide.observe.recording_base import Block, Heading, RecordingBase
    from eventide.observe.reporter import Every
    from eventide.observe.subjects import Group, Named, Subject
    from eventide.simulation import Simulation

INSTANTS: Final = 1000
"""The number of readings up to the end of a run."""
ROUGHLY: Final = 300
"""Where no end is known, the next look is after such a part of the time that has passed."""
FINEST: Final = 1e-6
"""The first look comes after this part of the time to the end; then the gaps double from look to look."""
OF_A_STEP: Final = 0.02
"""Where no end is known, no look comes sooner than after this part of the present step, or of the time to an event."""
PAUSE: Final = 0.1
"""Seconds after which a look is due in any case."""
SHARE: Final = 0.05
"""The part of a run's time that looks may take, after the first ALLOWANCE seconds of looking."""
ALLOWANCE: Final = 0.1
LATEST_CURVES: Final = 256
"""The number of curves kept for objects that start and stop."""
MOST_ITEMS: Final = 64
"""The number of items watched in a longer vector, evenly spaced."""

Where: TypeAlias = Literal["notebook", "page"]


class Snapshot(NamedTuple):
    """The present picture of a watch.

    title, time_unit    of the simulation
    state               "waits", "runs", "rests", "ended" or "failed"
    progress            parts of a progress line; share: the progress from 0 to 1, None if not known
    curves              heading, points and crowd of each, as in `Curve`; hidden: how many others there were
    """

    title: str
    time_unit: str
    state: str
    progress: list[str]
    share: float | None
    curves: list[tuple[Heading, Points, str]]
    hidden: int


class Screen(Protocol):
    """Where a watch is seen."""

    address: str

    def notice(self, *, is_at_rest: bool) -> None:
        """There is something new to be shown; called where the model runs, so it returns at once or seldom."""
        ...

    def close(self) -> None:
        """Nothing more will come: show the last of it."""
        ...


class Watch(Observer):
    """Curves of a run while it goes on; made by `sim.watch`.

    A look changes no step and no event. `with sim.watch(...)` closes it at the end of the block; otherwise `close()`,
    or the end of the program. What was shown last stays to be seen.
    address     of the page, empty without one
    """

    _looks_at_will = True

    def __init__(
        self,
        sim: Simulation,
        source: _Source,
        lock: RLock,
        title: str = "",
        *,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.sim = sim
        self._events = sim.events  # a look is between two events, of which the next one is counted then
        self.revision = 0
        self._source = source
        self._clock = clock or perf_counter
        self._lock = lock
        self._screen: Screen | None = None
        self._progress: Progress | None = None
        self.state = "waits"
        """Whether the run "waits" for its beginning, "runs" or "rests", or has "ended" or "failed" for the watch."""
        self._title = title
        self._told: list[str] = []
        self._spent = self._gap = 0.0
        self._is_open = True

    @property
    def address(self) -> str:
        """Where the page is; empty if there is none."""
        return "" if self._screen is None else self._screen.address

    def snapshot(self) -> Snapshot:
        """The present picture; may be called from any thread."""
        with self._lock:
            curves = [(curve.heading, curve.points(), curve.crowd) for curve in self._source.curves()]
        progress = self._progress
        return Snapshot(
            self._title,
            self.sim.time_unit,
            self.state,
            self._told,
            None if progress is None else progress.share(),
            curves,
            self._source.hidden,
        )

    def show_on(self, screen: Screen) -> None:
        """Show it on a screen."""
        self._screen = screen

    def close(self) -> None:
        """Look no longer; the screen shows what is known and goes."""
        self._end("ended")

    def _end(self, state: str) -> None:
        if self._is_open:
            self._is_open, self.state = False, state
            self.revision += 1
            self.sim._the_monitor.observers.remove(self)
            self._source.release()
            if self._screen is not None:
                self._screen.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end("ended" if error is None else "failed")

    def _repr_html_(self) -> str:
        from eventide.view import curves_as_html

        return curves_as_html(self.snapshot())

    # --- looking --------------------------------------------------------------------------------------------------

    def _begin_grid(self, time: float) -> None:
        self._start, self._upcoming = time, nextafter(time, inf)

    def _observe(self, phase: Phase) -> None:
        begun, is_at_rest = self._clock(), phase is Phase.REST
        if self._progress is None:
            self._begin(begun)
        self.state = "rests" if is_at_rest else "runs"
        with self._lock:
            self._source.take(is_at_rest=is_at_rest)
        self._tell()
        self.revision += 1
        if self._screen is not None:
            self._screen.notice(is_at_rest=is_at_rest)
        self._aim(begun)

    def _begin(self, now: float) -> None:
        self._progress = Progress(self.sim, horizon_of(self.sim), clock=self._clock, events=self._events)
        self._begun = self._looked = now

    def _stride(self) -> float:
        """How far the model goes at once: a step of the flow that is behind the others, or to the next event."""
        integrator = self.sim._the_monitor.integrator
        if integrator.flows:
            return float(integrator.memory.flow.step[integrator.root])
        ahead = calendar_of(self.sim).next_time() - self.sim.time
        return ahead if isfinite(ahead) else 0.0

    def _tell(self) -> None:
        assert self._progress is not None
        self._progress.until = horizon_of(self.sim)
        self._told = self._progress.parts()

    def _aim(self, begun: float) -> None:
        """Choose the next instant: by what a picture can show, the time that passes, and what looks have cost."""
        now, time = self._clock(), self.sim.time
        waited, self._looked = begun - self._looked, now
        self._spent += now - begun
        shown = time - self._start
        finest = OF_A_STEP * self._stride()
        widest = max(finest, shown / ROUGHLY)
        if isfinite(horizon_of(self.sim)):
            shown = horizon_of(self.sim) - self._start
            finest, widest = FINEST * shown, shown / INSTANTS
        is_cheap = self._spent <= ALLOWANCE + SHARE * (now - self._begun)
        pause = PAUSE if is_cheap else max(PAUSE, (now - begun) / SHARE)
        gap = self._gap * min(2.0, pause / waited if waited > 0.0 else inf)
        if is_cheap:
            gap = min(gap, widest)
        self._gap = max(gap, finest)
        self._upcoming = max(time + self._gap, nextafter(time, inf))


# --- what is watched -------------------------------------------------------------------------------------------------


class _Source(Protocol):
    """Something that is watched."""

    @property
    def hidden(self) -> int:
        """How many curves there were that are kept no longer."""
        ...

    def curves(self) -> list[Curve]:
        """What is known of it."""
        ...

    def take(self, *, is_at_rest: bool) -> None:
        """Take what is new; the model may be looked at now."""
        ...

    def release(self) -> None:
        """End the watch."""
        ...


class _Columns:
    """Quantities that are read when the watch looks."""

    def __init__(self, sim: Simulation, groups: Sequence[Group]) -> None:
        self._sim = sim
        self._readers = [group.read for group in groups]
        heads = [head for group in groups for head in group.heads]
        self._chosen = _chosen(heads)
        self._curves = [Curve(heads[place]) for place in self._chosen]
        self.hidden = len(heads) - len(self._chosen)

    def curves(self) -> list[Curve]:
        return self._curves

    def take(self, *, is_at_rest: bool) -> None:
        time = self._sim.time
        values = [value for read in self._readers for value in read()]
        for curve, place in zip(self._curves, self._chosen, strict=True):
            curve.add(time, values[place])

    def release(self) -> None:
        pass


class _Recorded:
    """The rows of a recording, of which those since the last look are taken."""

    def __init__(self, recording: RecordingBase, lock: RLock, *, keeps_rows: bool) -> None:
        self._recording = recording
        self._lock = lock
        self._keeps_rows = keeps_rows
        self._taken = 0
        self._curves: dict[tuple[int, int], Curve] = {}
        self._chosen = _chosen(recording.columns)
        self.hidden = len(recording.columns) - len(self._chosen)
        recording._taps.append(self._take_last)

    def curves(self) -> list[Curve]:
        return list(self._curves.values())

    def take(self, *, is_at_rest: bool) -> None:
        recording = self._recording
        if recording._count() > self._taken:
            self._note(recording._rows_from(self._taken))
            self._taken = recording._count()
            if not self._keeps_rows:
                recording._let_go()
        if is_at_rest:
            # Of the present instant, which may not be over: what is shown twice is seen once.
            self._note(recording._open_rows())

    def release(self) -> None:
        self._recording._taps.remove(self._take_last)
        if not self._keeps_rows:
            self._recording.stop()

    def _take_last(self) -> None:
        """Drop the stored rows."""
        with self._lock:
            self._note(self._recording._rows_from(self._taken))
            self._taken = 0

    def _note(self, block: Block) -> None:
        if not len(block.times):
            return
        labels = self._recording._labels_of(block.numbers).get("component")
        for number in np.unique(block.numbers).tolist():
            rows = block.numbers == number
            label = "" if labels is None else labels[int(np.argmax(rows))]
            for place in self._chosen:
                curve = self._curves.get((number, place))
                if curve is None:
                    curve = self._curves[number, place] = self._begin(self._recording.columns[place], label)
                curve.extend(block.times[rows], block.data[place][rows])
        if isinstance(self._recording, PopulationRecording):
            for key in list(self._curves)[:-LATEST_CURVES]:
                del self._curves[key]
                self.hidden += 1

    def _begin(self, column: Heading, label: str) -> Curve:
        if not isinstance(self._recording, PopulationRecording):
            return Curve(column)
        return Curve(
            replace(column, name=f"{label}.{column.name}"), f"{self._recording.subject.__name__}.{column.name}"
        )


class _Recordings:
    """All that the model records itself, from whenever it does."""

    def __init__(self, sim: Simulation, lock: RLock) -> None:
        self._sim = sim
        self._lock = lock
        self._known: list[_Recorded] = []

    @property
    def hidden(self) -> int:
        return sum(source.hidden for source in self._known)

    def curves(self) -> list[Curve]:
        return [curve for source in self._known for curve in source.curves()]

    def take(self, *, is_at_rest: bool) -> None:
        for recording in self._sim.recordings[len(self._known) :]:
            self._known.append(_Recorded(recording, self._lock, keeps_rows=True))
        for source in self._known:
            source.take(is_at_rest=is_at_rest)

    def release(self) -> None:
        for source in self._known:
            source.release()


def _chosen(heads: Sequence[Heading]) -> list[int]:
    """The places of the columns that are watched: all, but of a long vector some."""
    items: dict[str, list[int]] = {}
    for place, head in enumerate(heads):
        vector, bracket, _ = head.name.rpartition("[")
        items.setdefault(vector if bracket else head.name, []).append(place)
    chosen = [
        places[len(places) * k // m]
        for places in items.values()
        for m in [min(len(places), MOST_ITEMS)]
        for k in range(m)
    ]
    return sorted(chosen)


# --- making one ------------------------------------------------------------------------------------------------------


def watch(
    sim: Simulation,
    subjects: Sequence[Subject | type[Continuous]],
    expressions: Mapping[str, Named],
    *,
    every: Every | None = None,
    title: str = "",
    where: Where | None = None,
    port: int = 0,
) -> Watch:
    """Begin to watch subjects and named expressions; without any, what the model records."""
    if sim.active:
        raise ModelError("sim.watch() was called between events: call it before the run or in an event")
    from eventide.view import screen_for

    check_text(title, "title=")
    lock = RLock()  # the screens look from threads of their own
    source: _Source
    if not subjects and not expressions:
        if every is not None:
            raise ModelError("sim.watch(every=...) needs something to watch: without it, it shows what is recorded")
        source = _Recordings(sim, lock)
    elif every is not None or any(isinstance(subject, type) for subject in subjects):
        recording = record(sim, subjects, expressions, "step" if every is None else every, name=title)
        source = _Recorded(recording, lock, keeps_rows=False)
    else:
        groups = groups_of_all(subjects)
        groups += [group for label, thing in expressions.items() for group in named_groups(label, thing, "watched")]
        check_names([head.name for group in groups for head in group.heads], "watch")
        source = _Columns(sim, groups)
    watching = Watch(sim, source, lock, title)
    try:
        watching.show_on(screen_for(watching, where, port))
    except BaseException:
        source.release()  # of what it would have recorded
        raise
    sim._the_monitor.add_observer(watching)
    return watching
