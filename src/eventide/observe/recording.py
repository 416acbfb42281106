"""Recordings: columns of numbers over time, with both sides of every event that changed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeGuard, cast, overload

import numpy as np

from eventide.continuous import Continuous, system_of
from eventide.continuous.plans import is_left_out
from eventide.data import sample
from eventide.declare import Component, check_same_simulation
from eventide.declare.units import in_time_units
from eventide.errors import ModelError, check_boolean
from eventide.monitor.tape import Evaluated, Fixed, Moving, Tape, are_among
from eventide.observe.frames import attributes_of
from eventide.observe.population import PopulationRecording
from eventide.observe.recording_base import AFTER, BEFORE, REGULAR, Look, RecordingBase
from eventide.observe.subjects import Group, check_names, groups_of_all, named_groups
from eventide.statistics import Level
from eventide.statistics.level import values_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.monitor.native_looks import Looks
    from eventide.monitor.tape import Taken
    from eventide.observe.dense_output import DenseOutput
    from eventide.observe.reporter import Every
    from eventide.observe.subjects import Named, Subject
    from eventide.simulation import Simulation


ALONE: Final = (0,)
"""The number of the only source."""


class Recording(RecordingBase):
    """Columns over time, one row for each regular instant.

    Where an event changed a recorded value or its rate there are two rows, before and after; there, no third for the
    regular instant. Made by `sim.record`.
    """

    def __init__(
        self, sim: Simulation, groups: Sequence[Group], every: Every, *, events: bool = True, name: str = ""
    ) -> None:
        super().__init__(sim, [head for group in groups for head in group.heads], every, events=events, name=name)
        self.groups = tuple(groups)
        self._recorded = self._source = _Columns(groups)
        self._runs_code = any(isinstance(group.taken, Evaluated | None) for group in groups)
        self._called = [group.taken.read for group in groups if isinstance(group.taken, Evaluated)]
        self._dense: list[DenseOutput] = []
        self._taken = [group.taken for group in groups if group.taken is not None]
        is_regular = isinstance(self._frequency, Fraction) and len(self._taken) == len(groups)
        seen = [one for one in self._taken if not isinstance(one, Fixed) or _is_plain(one)]
        is_whole = len(seen) == len(groups) and self._frequency != "step"
        self._seen = tuple(seen) if is_whole else None
        self._tape = Tape(system_of(sim).integrator, self._taken) if is_regular else None

    def __repr__(self) -> str:
        owners = [owner for taken in self._taken if isinstance(taken, Moving) for owner in taken.owners]
        resting = dict.fromkeys(owner.name for owner in owners if is_left_out(owner))
        told = f"; never started: {', '.join(resting)}" if resting else ""
        return f"{super().__repr__()[:-1]}{told}>"

    @overload
    def at(self, times: float, *, before: bool = False) -> pd.Series[float]: ...

    @overload
    def at(
        self, times: Sequence[float] | npt.NDArray[np.floating] | npt.NDArray[np.integer], *, before: bool = False
    ) -> pd.DataFrame: ...

    def at(self, times: npt.ArrayLike, *, before: bool = False) -> pd.DataFrame | pd.Series[float]:
        """The quantities at other times, with these as index; at one time, their values by name.

        Counts are kept, and all have their jumps.
        Between rows: of `sim.record(..., dense=True)` the solution, to a tenth of the run's tolerances; else straight
        lines.
        before      at an event the values before it, not those after
        Rows before the first or after the last recorded one are NaN.
        Raises ModelError for what is no time.
        """
        from eventide.libraries import pandas as pd

        told = np.asarray(in_time_units(times, self.sim.time_unit, "at(...)"))
        if told.ndim > 1 or told.dtype.kind not in "iufO" or None in told.reshape(-1).tolist():
            raise ModelError(f"at(...) takes a time or a list of times, and got {times!r}")
        times = told.astype(float)
        own, wanted = self.times, np.atleast_1d(times)
        data = {
            column.name: sample(own, self[column.name], wanted, before=before, held=column.is_discrete)
            for column in self.columns
        }
        for column, dense in zip(self.columns, self._dense, strict=False):
            known = dense.result()
            if known is not None:
                is_between = (wanted >= known.start) & (wanted <= known.end) & ~np.isin(wanted, own)
                is_between &= ~np.isnan(data[column.name])
                data[column.name][is_between] = known.values(wanted[is_between], before=before)
        frame = pd.DataFrame(data, index=pd.Index(wanted, name="time"))
        frame.attrs.update(attributes_of(self))
        return frame if times.ndim else frame.iloc[0]

    def know_between(self) -> None:
        """Keep the solution between the rows as well, from now on."""
        from eventide.observe.dense_output import DenseOutput

        self._dense = [
            DenseOutput(self.sim, group, place) for group in self.groups for place in range(len(group.heads))
        ]
        self._taps += [dense.forget for dense in self._dense]

    def present(self) -> dict[str, float]:
        """The values of all columns now, by name, whether or not a row is due."""
        return dict(zip((column.name for column in self.columns), map(float, self._source.read()), strict=True))

    def plot(self, ax: Axes | None = None, columns: Sequence[str] | None = None) -> Axes:
        """Draw the columns, or those that are named, over time: a panel for each unit; returns the uppermost axes.

        A notebook shows the figure. With `ax` all is drawn there, as lines.
        """
        from eventide.view import plot_recording

        return plot_recording(self, ax, columns)

    def stop(self) -> None:
        """Record no longer."""
        super().stop()
        for dense in self._dense:
            dense.stop()

    def _taped(self) -> Sequence[int]:
        return ALONE

    def _seen_at_events(self) -> tuple[Taken, ...] | None:
        return self._seen if self._sink is None else None

    def _take_over(self, looks: Looks) -> None:
        tape = self._tape if looks.regular is None else None
        fetched = looks.regular if tape is None else tape.fetch()
        times, rows = (np.empty(0), np.empty((0, len(self.columns)))) if fetched is None else fetched
        rows = rows[:, : len(self.columns)]
        is_later = looks.times != self._instant
        first = int(is_later.argmax()) if is_later.any() else len(is_later)
        self._note_looks(looks, range(first))
        if first < len(is_later):  # the present instant is over
            self._settle()
            begins = first + np.flatnonzero(np.diff(looks.times[first:], prepend=np.nan) != 0.0)
            self._append_around(looks, begins, times, rows)
            self._instant = float(looks.times[-1])
            self._note_looks(looks, range(begins[-1], len(is_later)))
            if self._instant in times:
                self._due = self._instant
        is_beyond = times > self._instant
        if is_beyond.any():
            self._append_regular(times[is_beyond], rows[is_beyond], ALONE)
        if self._pass_taken(len(times)) and tape is not None:
            tape.skip()

    def _note_looks(self, looks: Looks, places: range) -> None:
        """Note looks at the present instant, of which the last at each side count."""
        width = len(self.columns)
        for k in places:
            numbers = looks.values[k].tolist()
            look = Look(ALONE, [numbers[:width]], [numbers[width:]], int(looks.events[k]))
            self._note(look, is_after=bool(looks.sides[k] > 0.0))

    def _append_around(
        self, looks: Looks, begins: npt.NDArray[np.intp], times: npt.NDArray[np.float64], rows: npt.NDArray[np.float64]
    ) -> None:
        """Write down the rows of all instants but the last, and regular rows before it.

        begins          the first look at each instant, mostly that before its events
        times, rows     of all regular instants, also of those with events
        """
        firsts, lasts = begins[:-1], begins[1:] - 1
        has_before = looks.sides[firsts] < 0.0
        has_changed = ~has_before | (looks.values[firsts] != looks.values[lasts]).any(axis=1)
        is_shown = (has_changed | (self._frequency == "event")) & self.keeps_events
        is_due = ~is_shown & are_among(looks.times[firsts], times)
        is_regular = (times < looks.times[-1]) & (times != self._instant) & ~are_among(times, looks.times)
        found = firsts[is_shown & has_before], lasts[is_shown], lasts[is_due]
        places, regular = np.concatenate(found), int(np.count_nonzero(is_regular))
        sides = np.repeat(
            np.array([BEFORE, AFTER, REGULAR, REGULAR], np.int8), [len(some) for some in found] + [regular]
        )
        at = np.concatenate((looks.times[places], times[is_regular]))
        values = np.concatenate((looks.values[places, : len(self.columns)], rows[is_regular]))
        order = np.argsort(at, kind="stable")
        self._append_all(at[order], sides[order], values[order])


def _is_plain(taken: Taken) -> TypeGuard[Fixed]:
    """Whether a number is the value of a level, as any level has it."""
    level = taken.level if isinstance(taken, Fixed) else None
    if level is None:
        return False
    level.value  # noqa: B018  # a level that rows keep has its own class again once it is read
    return type(level) is Level


def _readers(groups: Sequence[Group]) -> Iterator[Callable[[], list[float]]]:
    """What reads the groups in their order: a call for each, or one for all levels that follow each other."""
    for are_plain, some in groupby(groups, key=lambda group: group.taken is not None and _is_plain(group.taken)):
        if are_plain:
            yield partial(values_of, [cast("Level", cast("Fixed", group.taken).level) for group in some])
        else:
            yield from [group.read for group in some]


class _Columns:
    """All columns of a recording, read together as one source."""

    def look(self, *, is_event: bool) -> tuple[Sequence[int], Sequence[Sequence[float]], Sequence[Sequence[float]]]:
        """What there is to be seen."""
        return ALONE, (self.read(),), (self.trends(),) if is_event else ()

    def __init__(self, groups: Sequence[Group]) -> None:
        self.read = _together(list(_readers(groups)))
        self.trends = _together([group.trend for group in groups if group.trend is not None])


def _together(readers: Sequence[Callable[[], list[float]]]) -> Callable[[], list[float]]:
    """What calls all readers, one after the other."""
    if len(readers) == 1:
        return readers[0]

    def read() -> list[float]:
        numbers: list[float] = []
        for one in readers:
            numbers += one()
        return numbers

    return read if readers else list


def record(
    sim: Simulation,
    subjects: Sequence[Subject | type[Continuous]],
    expressions: Mapping[str, Named],
    every: Every,
    *,
    events: bool = True,
    dense: bool = False,
    name: str = "",
) -> Recording | PopulationRecording:
    """Begin to record subjects and named expressions, or all objects of one class.

    Raises ModelError if there is nothing to record, two columns would have one name, what is to be recorded belongs to
    another simulation, or a class is not alone or is to be known between its rows.
    """
    check_boolean(dense, "dense=")
    classes = [subject for subject in subjects if isinstance(subject, type)]
    recording: Recording | PopulationRecording
    if classes:
        subject = _only_class(classes, len(subjects) + len(expressions))
        if dense:
            raise ModelError(f"dense=True takes objects, and got the class {subject.__name__}: name those that matter")
        recording = PopulationRecording(sim, subject, every, events=events, name=name)
    else:
        for one in (*subjects, *expressions.values()):
            if getattr(one, "sim", sim) is not sim:
                check_same_simulation(sim, cast("Component", one))
        groups = groups_of_all(subjects)
        groups += [group for label, thing in expressions.items() for group in named_groups(label, thing)]
        check_names([head.name for group in groups for head in group.heads])
        recording = Recording(sim, groups, every, events=events, name=name)
        if dense:
            recording.know_between()
    sim._the_monitor.add_observer(recording)
    return recording


def _only_class(classes: list[type], subjects: int) -> type[Continuous]:
    subject = classes[0]
    if subjects > 1:
        raise ModelError(
            f"sim.record({subject.__name__}) records all objects of a class and takes nothing else: "
            "call sim.record once more for the rest"
        )
    if not issubclass(subject, Continuous):
        raise ModelError(
            f"there is nothing to record of the class {subject.__name__}: "
            "give a class derived from Continuous, or the objects themselves"
        )
    return subject
