"""Recordings of all objects of one class, including those that start or stop while the model runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain as chained
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from eventide.continuous import system_of
from eventide.continuous.components.member import layout_of
from eventide.declare import MISSING
from eventide.engine.codes import R, Y
from eventide.errors import ModelError
from eventide.monitor import Phase
from eventide.monitor.tape import Moving, Tape
from eventide.observe.recording_base import BEFORE, Heading, Look, RecordingBase

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from eventide.continuous import Continuous
    from eventide.continuous.components.layout import Layout
    from eventide.monitor.native_looks import Looks
    from eventide.monitor.tape import Taken
    from eventide.observe.reporter import Every
    from eventide.simulation import Simulation


NOTHING: Final = Moving((), (), ())
"""What is recorded where there is no component."""


class Series(NamedTuple):
    """What was recorded of one component.

    times       (n,) ascending; equal ones are the two sides of an event
    values      (n,) for each column's name; NaN where the component was away and the next stretch begins
    """

    times: npt.NDArray[np.float64]
    values: dict[str, npt.NDArray[np.float64]]


class PopulationRecording(RecordingBase):
    """One row for each active component of a class at each regular instant, in the order of `sim.laws`.

    A component has rows from its start to its stop, the first just after and the last just before the event. In between
    an event leaves two rows of it if it changed its values or rates. Made by `sim.record(SomeClass)`.

    subject     the class
    """

    labels = (*RecordingBase.labels, "component")
    _runs_code = False

    def __init__(
        self, sim: Simulation, subject: type[Continuous], every: Every, *, events: bool = True, name: str = ""
    ) -> None:
        self.layout = _layout_for_all(subject)
        fields = self.layout.fields
        columns = [Heading(name, fields[name].unit, description=fields[name].description) for name in self.layout.names]
        for vector, length in self.layout.lengths.items():
            spec = fields[vector]
            columns += [Heading(f"{vector}[{k}]", spec.unit, description=spec.description) for k in range(length)]
        if not columns:
            raise ModelError(
                f"there is nothing to record of {subject.__name__}: it declares no State, Computed or Summed of its own"
            )
        super().__init__(sim, columns, every, events=events, name=name)
        self.subject = subject
        self._labels: list[str] = []
        self._taken: dict[str, int] = {}
        self._recorded = self._members = _Members(self)
        self._on_tape = NOTHING
        self._number_of: WeakKeyDictionary[Continuous, int] = WeakKeyDictionary()

    # --- reading it -----------------------------------------------------------------------------------------------

    @property
    def components(self) -> list[str]:
        """For each row the name of its component; a second component of a name is called `name (2)`."""
        return self._labels_of(self._numbers())["component"]

    def series(self) -> dict[str, Series]:
        """The rows of each component by its name, in the order in which they were first seen."""
        times, sides, numbers = self.times, self.sides, self._numbers()
        data = [self._column(place) for place in range(len(self.columns))]
        order = np.argsort(numbers, kind="stable")
        found: dict[str, Series] = {}
        for rows in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
            if rows.size:
                gaps = _gaps(times[rows], sides[rows])
                found[self._labels[numbers[rows[0]]]] = Series(
                    np.insert(times[rows], gaps, times[rows][gaps]),
                    {c.name: np.insert(d[rows], gaps, np.nan) for c, d in zip(self.columns, data, strict=True)},
                )
        return found

    def _labels_of(self, numbers: npt.NDArray[np.int32]) -> dict[str, list[str]]:
        return {"component": [self._labels[number] for number in numbers]}

    def plot(self, ax: Axes | None = None, columns: Sequence[str] | None = None) -> Axes:
        """Draw one line for each component over time; returns the axes."""
        from eventide.view import plot_recording

        return plot_recording(self, ax, columns)

    # --- recording ------------------------------------------------------------------------------------------------

    def _number(self, component: Continuous) -> int:
        number = self._number_of.get(component)
        if number is None:
            number = self._number_of[component] = len(self._labels)
            self._labels.append(self._label(component.name))
        return number

    def _check_sizes(self, component: Continuous) -> None:
        for vector, length in self.layout.lengths.items():
            found = layout_of(component).lengths[vector]
            if found != length:
                raise ModelError(
                    f"{self.name} has columns for {length} items of {vector}, and {component.name} has {found}: "
                    "record objects of different sizes one by one"
                )

    def _label(self, name: str) -> str:
        label = name
        while label in self._taken:  # also by a component that is called so itself
            self._taken[name] += 1
            label = f"{name} ({self._taken[name]})"
        self._taken[label] = 1
        return label

    def stop(self) -> None:
        """Record no longer."""
        super().stop()
        self._members.forget()

    def _begin_tape(self, *, is_beside_rows: bool = False) -> Tape | None:
        members = self._members
        members.renew()
        if self._tape is None:
            self._tape = Tape(system_of(self.sim).integrator, (members.moving,))
        elif self._on_tape is not members.moving:
            self._tape.take(members.moving)
        self._on_tape = members.moving
        return super()._begin_tape(is_beside_rows=is_beside_rows)

    def _taped(self) -> Sequence[int]:
        return self._members.present()

    def _seen_at_events(self) -> tuple[Taken, ...] | None:
        try:
            self._members.renew()
        except ModelError:
            return None  # it is raised where Python looks
        return (self._members.moving,) if self._sink is None else None

    def _take_over(self, looks: Looks) -> None:
        tape = self._tape if looks.regular is None else None
        fetched = looks.regular if tape is None else tape.fetch()
        regular, rows = (np.empty(0), np.empty((0, 0))) if fetched is None else fetched
        for k in np.argsort(np.concatenate((looks.times, regular)), kind="stable").tolist():
            if k < len(looks.times):
                time, values, events = float(looks.times[k]), looks.values[k].tolist(), int(looks.events[k])
                phase = Phase.AFTER if looks.sides[k] > 0.0 else Phase.BEFORE
            else:
                r = k - len(looks.times)
                time, values, events, phase = float(regular[r]), rows[r].tolist(), 0, Phase.GRID
            if phase is Phase.GRID and time == self._instant:
                self._due = time
            else:
                self._observe(phase, (time, self._members.seen(values, events)))
        if self._pass_taken(len(regular)) and tape is not None:
            tape.skip()


class _Member:
    """A component of the class: where its numbers are, and its own number, which is given when it is looked at first.

    slots, trends   as `Moving` has them
    """

    __slots__ = ("number", "slots", "trends")

    def __init__(self, component: Continuous, layout: Layout) -> None:
        own = layout_of(component)
        self.number = -1
        self.slots = [own.slot(component, name) for name in layout.names]
        self.trends = [own.slot(component, name) for name in layout.states]
        for name, length in layout.lengths.items():
            first = own.slot(component, name)
            self.slots += range(first, first + length)
            self.trends += range(first, first + length) if name in layout.vectors else ()


class _Members:
    """The active components of a recorded class, as they were found last.

    moving      what is recorded of them
    """

    def __init__(self, recording: PopulationRecording) -> None:
        self._recording = recording
        self._system = system_of(recording.sim)
        self._chain: list[Continuous] | None = None
        self._known: dict[Continuous, _Member] = {}
        self._numbers: list[int] | None = None
        self.moving = NOTHING

    def renew(self) -> None:
        """Find what has been started or stopped; no effect if nothing has."""
        chain = self._system.chain
        if chain is self._chain:
            return
        known, subject = self._known, self._recording.subject
        self._known = {one: known.get(one) or self._describe(one) for one in chain if isinstance(one, subject)}
        self._chain, self._numbers, some = chain, None, self._known.values()
        slots = list(chained.from_iterable([member.slots for member in some]))
        trends = list(chained.from_iterable([member.trends for member in some]))
        self.moving = Moving(list(self._known), slots, trends)
        self._values, self._rates = _Numbers(slots, len(some)), _Numbers(trends, len(some))

    def forget(self) -> None:
        """Keep no component alive."""
        self._chain, self._known, self.moving = None, {}, NOTHING

    def _describe(self, component: Continuous) -> _Member:
        self._recording._check_sizes(component)
        return _Member(component, self._recording.layout)

    def present(self) -> Sequence[int]:
        """The number of each."""
        self.renew()
        if self._numbers is None:
            for component, member in self._known.items():
                if member.number < 0:
                    member.number = self._recording._number(component)
            self._numbers = [member.number for member in self._known.values()]
        return self._numbers

    def look(self, *, is_event: bool) -> tuple[Sequence[int], Sequence[Sequence[float]], Sequence[Sequence[float]]]:
        """What there is to be seen at the present time, to which all that they are in is brought."""
        numbers, rows = self.present(), self._system.storage.rows
        self._system.integrator.publish_all(self._known)
        return numbers, self._values.of(rows[Y]), self._rates.of(rows[R]) if is_event else ()

    def seen(self, numbers: Sequence[float], events: int) -> Look:
        """What native code has read: all values, and then all rates."""
        width = self._values.count
        values, rates = self._values.apart(numbers[:width]), self._rates.apart(numbers[width:])
        return Look(self.present(), values, rates, events)


class _Numbers:
    """The numbers of some components, as many of each, in one row of the table of slots.

    count   how many they are in all
    """

    def __init__(self, slots: Sequence[int], components: int) -> None:
        self._slots, self.count, self._components = slots, len(slots), components
        self._width = len(slots) // components if slots else 0
        self._read = itemgetter(*slots) if len(slots) > 1 else None  # of one it would return the number itself

    def of(self, row: memoryview[float]) -> Sequence[Sequence[float]]:
        """Those of each component."""
        return self.apart([row[slot] for slot in self._slots] if self._read is None else self._read(row))

    def apart(self, numbers: Sequence[float]) -> Sequence[Sequence[float]]:
        """All of them, as those of each."""
        return list(zip(*[iter(numbers)] * self._width, strict=True)) if self._width else [()] * self._components


def _layout_for_all(subject: type[Continuous]) -> Layout:
    """The layout of a class's objects, if they are of one size."""
    layout = layout_of(subject)
    if layout.is_sized:
        return layout
    sizes = {name: layout.fields[name].default for name in layout.size_fields}
    unknown = [name for name, size in sizes.items() if size is MISSING]
    if unknown:
        raise ModelError(
            f"objects of {subject.__name__} may differ in {' and '.join(unknown)}, the size of a vector: "
            "record them one by one, or give the field a default that all of them have"
        )
    return layout.sized(sizes)


def _gaps(times: npt.NDArray[np.float64], sides: npt.NDArray[np.int8]) -> npt.NDArray[np.intp]:
    """The rows with which later stretches of a component begin: its row before was of an earlier event."""
    return 1 + np.flatnonzero((sides[:-1] == BEFORE) & (np.diff(times) > 0.0))
