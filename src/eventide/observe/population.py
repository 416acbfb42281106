"""Recordings of all objects of one class, which come and go while the model runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from eventide.errors import ModelError
from eventide.observe.ledger import BEFORE, Heading, Ledger

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from eventide.continuous import Continuous
    from eventide.observe.ledger import Source
    from eventide.observe.reporter import Every
    from eventide.simulation import Simulation


class Series(NamedTuple):
    """What was recorded of one component.

    times       (n,) ascending; equal ones are the two sides of an event
    values      (n,) for each column's name; NaN where the component was away and the next stretch begins
    """

    times: npt.NDArray[np.float64]
    values: dict[str, npt.NDArray[np.float64]]


class PopulationRecording(Ledger):
    """One row for each active component of a class at each regular instant, in the order of `sim.laws`.

    A component has rows from its start to its stop, the first just after and the last just before the event. In between
    an event leaves two rows of it if it changed its values or rates. Made by `sim.record(SomeClass)`.

    subject     the class
    """

    def __init__(
        self, sim: Simulation, subject: type[Continuous], every: Every, *, events: bool = True, name: str = ""
    ) -> None:
        fields = subject._layout.fields
        columns = [
            Heading(name, fields[name].unit, description=fields[name].description) for name in subject._layout.names
        ]
        if not columns:
            raise ModelError(
                f"there is nothing to record of {subject.__name__}: it declares no State, Computed or Sum of its own"
            )
        super().__init__(sim, columns, every, events=events, name=name)
        self.subject = subject
        self._labels: list[str] = []
        self._taken: dict[str, int] = {}
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
        """Draw one line for each component over time; answers the axes."""
        from eventide.view import plot_recording

        return plot_recording(self, ax, columns)

    # --- recording ------------------------------------------------------------------------------------------------

    def _present(self) -> Iterable[tuple[int, Source]]:
        names, states = self.subject._layout.names, self.subject._layout.states
        for component in self.sim.laws:
            if isinstance(component, self.subject):
                yield self._number(component), _Instance(component, names, states)

    def _number(self, component: Continuous) -> int:
        number = self._number_of.get(component)
        if number is None:
            number = self._number_of[component] = len(self._labels)
            self._labels.append(self._label(component.name))
        return number

    def _label(self, name: str) -> str:
        count = self._taken[name] = self._taken.get(name, 0) + 1
        return name if count == 1 else f"{name} ({count})"


class _Instance:
    """One active component of the class."""

    __slots__ = ("_component", "_names", "_states")

    def __init__(self, component: Continuous, names: tuple[str, ...], states: tuple[str, ...]) -> None:
        self._component = component
        self._names = names
        self._states = states

    def values(self) -> list[float]:
        component = self._component
        return [getattr(component, name) for name in self._names]

    def rates(self) -> list[float]:
        rate = self._component.rate
        return [getattr(rate, name) for name in self._states]


def _gaps(times: npt.NDArray[np.float64], sides: npt.NDArray[np.int8]) -> npt.NDArray[np.intp]:
    """The rows with which later stretches of a component begin: its row before was of an earlier event."""
    return 1 + np.flatnonzero((sides[:-1] == BEFORE) & (np.diff(times) > 0.0))
