"""Recordings: columns of numbers over time, with both sides of every event that changed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from eventide.continuous import Continuous, Tape
from eventide.data import sample
from eventide.errors import ModelError
from eventide.observe.frames import attributes_of
from eventide.observe.population import PopulationRecording
from eventide.observe.recording_base import Ledger
from eventide.observe.subjects import Group, check_names, groups_of, named_groups

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.observe.recording_base import Source
    from eventide.observe.reporter import Every
    from eventide.observe.subjects import Named, Subject
    from eventide.simulation import Simulation


class Recording(Ledger):
    """Columns over time, one row for each regular instant.

    Where an event changed a recorded value or its rate there are two rows, before and after; there, no third for the
    regular instant. Made by `sim.record`.
    """

    def __init__(
        self, sim: Simulation, groups: Sequence[Group], every: Every, *, events: bool = True, name: str = ""
    ) -> None:
        super().__init__(sim, [head for group in groups for head in group.heads], every, events=events, name=name)
        self._source = _Columns(groups)
        taken = [group.taken for group in groups if group.taken is not None]
        is_regular = isinstance(self._frequency, Fraction) and len(taken) == len(groups)
        self._tape = Tape(sim._continuum.integrator, taken) if is_regular else None

    def at(self, times: npt.ArrayLike, *, before: bool = False) -> pd.DataFrame:
        """The quantities at other times, with these as index: straight between rows, counts kept, with their jumps.

        before      at an event the values before it, not those after
        Rows before the first or after the last recorded one are NaN.
        """
        import pandas as pd

        own, wanted = self.times, np.asarray(times, dtype=float)
        data = {
            column.name: sample(own, self[column.name], wanted, before=before, held=column.is_discrete)
            for column in self.columns
        }
        frame = pd.DataFrame(data, index=pd.Index(wanted, name="time"))
        frame.attrs.update(attributes_of(self))
        return frame

    def plot(self, ax: Axes | None = None, columns: Sequence[str] | None = None) -> Axes:
        """Draw the columns, or those that are named, over time; returns the axes."""
        from eventide.view import plot_recording

        return plot_recording(self, ax, columns)

    def stop(self) -> None:
        """Record no longer."""
        super().stop()
        if self._tape is not None:
            self._tape.release()
            self._tape = None

    def _begin_tape(self) -> Tape | None:
        tape = self._tape
        if tape is None or self._grid is None or (self._outlet is not None and self._outlet.is_due(len(self._times))):
            return None
        return tape if tape.is_ready(self._grid, self._index) else None

    def _fetch(self) -> None:
        assert self._tape is not None
        assert self._grid is not None
        fetched = self._tape.fetch()
        if fetched is not None:
            self._append_regular(*fetched)
            self._index += len(fetched[0])
            self._upcoming = self._grid.time(self._index)

    def _present(self) -> Iterable[tuple[int, Source]]:
        yield 0, self._source


class _Columns:
    """All columns of a recording, read together."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._readers = [group.read for group in groups]
        self._trends = [group.trend for group in groups if group.trend is not None]

    def values(self) -> list[float]:
        return [value for read in self._readers for value in read()]

    def rates(self) -> list[float]:
        return [rate for trend in self._trends for rate in trend()]


def record(
    sim: Simulation,
    subjects: Sequence[Subject | type[Continuous]],
    expressions: Mapping[str, Named],
    every: Every,
    *,
    events: bool = True,
    name: str = "",
) -> Recording | PopulationRecording:
    """Begin to record subjects and named expressions, or all objects of one class.

    Raises ModelError if there is nothing to record, two columns would have one name, or a class is not alone.
    """
    classes = [subject for subject in subjects if isinstance(subject, type)]
    recording: Recording | PopulationRecording
    if classes:
        subject = _only_class(classes, len(subjects) + len(expressions))
        recording = PopulationRecording(sim, subject, every, events=events, name=name)
    else:
        groups = [group for subject in subjects for group in groups_of(subject)]
        groups += [group for label, thing in expressions.items() for group in named_groups(label, thing)]
        check_names([head.name for group in groups for head in group.heads])
        recording = Recording(sim, groups, every, events=events, name=name)
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
