"""Recordings of all objects of one class, including those that start or stop while the model runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from eventide.continuous.components.member import layout_of
from eventide.declare import MISSING
from eventide.errors import ModelError
from eventide.monitor import Phase
from eventide.monitor.tape import Moving
from eventide.observe.recording_base import BEFORE, Heading, RecordingBase

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from eventide.continuous import Continuous
    from eventide.continuous.components.layout import Layout
    from eventide.monitor.native_looks import Looks
    from eventide.monitor.tape import Taken
    from eventide.observe.recording_base import Source
    from eventide.observe.reporter import Every
    from eventide.simulation import Simulation


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
        self._present = _Instances(self)
        self._shown: list[Continuous] = []
        """Those of which native code reads the columns."""
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
            self._check_sizes(component)
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

    def _seen_at_events(self) -> tuple[Taken, ...] | None:
        self._shown = [component for component in self.sim.laws if isinstance(component, self.subject)]
        lengths = self.layout.lengths
        if self._sink is not None or any(not _has_lengths(component, lengths) for component in self._shown):
            return None
        names = [(name, name in self.layout.states) for name in self.layout.names]
        names += [(name, name in self.layout.vectors) for name in lengths]
        return tuple(Moving(component[name], is_state) for component in self._shown for name, is_state in names)

    def _take_over(self, looks: Looks) -> None:
        assert looks.regular is not None
        regular, rows = looks.regular
        width, count = len(self.columns), len(self._shown)
        each = [self._number(component) for component in self._shown] if len(looks.times) + len(regular) else []
        for k in np.argsort(np.concatenate((looks.times, regular)), kind="stable").tolist():
            if k < len(looks.times):
                time, numbers, events = float(looks.times[k]), looks.values[k].tolist(), int(looks.events[k])
                phase = Phase.AFTER if looks.sides[k] > 0.0 else Phase.BEFORE
            else:
                r = k - len(looks.times)
                time, numbers, events, phase = float(regular[r]), rows[r].tolist(), 0, Phase.GRID
            if phase is Phase.GRID and time == self._instant:
                self._due = time
            else:
                self._observe(phase, (time, events, zip(each, _seen(numbers, width, count), strict=True)))
        self._pass_taken(len(regular))


class _Seen:
    """What native code has read of a component."""

    __slots__ = ("_rates", "_values")

    def __init__(self, values: list[float], rates: list[float]) -> None:
        self._values = values
        self._rates = rates

    def values(self) -> list[float]:
        return self._values

    def rates(self) -> list[float]:
        return self._rates


def _seen(numbers: list[float], width: int, count: int) -> list[_Seen]:
    """The values of each of some components, and after them their rates."""
    values, rates = numbers[: width * count], numbers[width * count :]
    share = len(rates) // count if count else 0
    return [_Seen(values[k * width : (k + 1) * width], rates[k * share : (k + 1) * share]) for k in range(count)]


def _has_lengths(component: Continuous, lengths: Mapping[str, int]) -> bool:
    """Whether the vectors of a component have these lengths."""
    found = layout_of(component).lengths
    return all(found[name] == length for name, length in lengths.items())


class _Instances:
    """The active components of a recorded class, each with its number."""

    def __init__(self, recording: PopulationRecording) -> None:
        self._recording = recording

    def __iter__(self) -> Iterator[tuple[int, Source]]:
        recording = self._recording
        for component in recording.sim.laws:
            if isinstance(component, recording.subject):
                yield recording._number(component), _Instance(component, recording.layout)


class _Instance:
    """One active component of the class."""

    __slots__ = ("_component", "_layout")

    def __init__(self, component: Continuous, layout: Layout) -> None:
        self._component = component
        self._layout = layout

    def values(self) -> list[float]:
        component = self._component
        values = [getattr(component, name) for name in self._layout.names]
        for vector in self._layout.lengths:
            values += getattr(component, vector).tolist()
        return values

    def rates(self) -> list[float]:
        rate = self._component.rate
        rates = [getattr(rate, name) for name in self._layout.states]
        for vector in self._layout.vectors:
            rates += getattr(rate, vector).tolist()
        return rates


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
