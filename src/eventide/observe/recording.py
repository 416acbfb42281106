"""Recordings: columns of numbers over time, with both sides of every event that changed them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from eventide.continuous import Continuous, Variable
from eventide.declare import Component
from eventide.discrete import Resource
from eventide.errors import ModelError, SimulationError
from eventide.monitor import Observer, Phase
from eventide.observe.reporter import Every, as_frequency

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.simulation import Simulation

Subject: TypeAlias = Component | Variable


@dataclass(frozen=True)
class Column:
    """One recorded quantity: its name, its unit and how it is read.

    trend   reads its rate, or None if it has none: a kink without a jump is an event's trace as well
    """

    name: str
    unit: str
    read: Callable[[], float]
    trend: Callable[[], float] | None = None


class Recording(Observer):
    """Columns over time, one row for each regular instant.

    Where an event changed a recorded value or its rate there are two rows, before and after; there, no third for the
    regular instant. Made by `sim.record`.
    """

    def __init__(
        self, sim: Simulation, columns: Sequence[Column], every: Every, *, events: bool = True, name: str = ""
    ) -> None:
        self.sim = sim
        self.name = name or f"recording {sim._register(Recording)}"
        self.columns = tuple(columns)
        self.keeps_events = events
        self._frequency = as_frequency(every)
        self._keeps_all = every == "event"
        self._times = array("d")
        self._sides = array("b")
        self._data = [array("d") for _ in self.columns]
        self._readers = [column.read for column in self.columns]
        self._trends = [column.trend for column in self.columns if column.trend is not None]
        self._before: tuple[float, list[float], list[float]] | None = None
        self._before_is_kept = False
        self._after: tuple[float, list[float], bool] | None = None
        self._is_due = False

    # --- reading it -----------------------------------------------------------------------------------------------

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The times of the rows, ascending; equal ones are the two sides of an event."""
        self._settle()
        return np.array(self._times)

    @property
    def sides(self) -> npt.NDArray[np.int8]:
        """For each row: -1 just before an event, 1 just after one, 0 a regular instant without one."""
        self._settle()
        return np.array(self._sides, dtype=np.int8)

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        """One column's values, in the order of `times`."""
        self._settle()
        for column, data in zip(self.columns, self._data, strict=True):
            if column.name == name:
                return np.array(data)
        raise KeyError(f"{self.name} has no column {name!r}; it has: {', '.join(c.name for c in self.columns)}")

    def __len__(self) -> int:
        self._settle()
        return len(self._times)

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame with the time as index, a column for each quantity; units stand in `attrs["units"]`."""
        import pandas as pd

        frame = pd.DataFrame(
            {column.name: self[column.name] for column in self.columns}, index=pd.Index(self.times, name="time")
        )
        frame.attrs["units"] = {column.name: column.unit for column in self.columns}
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the columns over time; answers the axes."""
        from eventide.view import plot_recording

        return plot_recording(self, ax)

    def stop(self) -> None:
        """Record no longer."""
        self._settle()
        self.sim._the_monitor.observers.remove(self)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self)} rows of {', '.join(c.name for c in self.columns)}>"

    # --- recording ------------------------------------------------------------------------------------------------

    def _observe(self, phase: Phase) -> None:
        time = self.sim.time
        values = [read() for read in self._readers]
        if phase is Phase.BEFORE:
            self._settle()
            self._before = (time, values, [trend() for trend in self._trends])
            self._after = None
        elif phase is Phase.AFTER:
            self._note_after(time, values)
        else:
            self._settle()
            self._append(time, values, 0)

    def _note_after(self, time: float, values: list[float]) -> None:
        """Keep the latest state after the events of this instant until it is known to be the last."""
        before = self._before
        if before is None or before[0] != time:
            self._settle()
            self._after = (time, values, True)
        else:
            changed = values != before[1] or [trend() for trend in self._trends] != before[2]
            self._after = (time, values, changed)

    def _settle(self) -> None:
        """Write down the rows of the last event's instant."""
        before, after = self._before, self._after
        if before is None and after is None:
            return
        self._before = self._after = None
        on_grid, self._is_due = self._is_due, False
        is_cut = after is None or after[2] or self._keeps_all
        if before is not None and is_cut and self.keeps_events:
            self._append(before[0], before[1], -1)
        if after is not None and ((is_cut and self.keeps_events) or on_grid or before is None):
            self._append(after[0], after[1], 1 if is_cut and before is not None else 0)

    def _append(self, time: float, values: list[float], side: int) -> None:
        self._times.append(time)
        self._sides.append(side)
        for column, value in zip(self._data, values, strict=True):
            column.append(value)

    def _pass(self, time: float) -> None:
        if self._grid is not None and self._next_time() <= time:
            self._is_due = True
        super()._pass(time)

    def _refuse_period(self, time: float) -> NoReturn:
        period = float(self._frequency) if isinstance(self._frequency, Fraction) else 0.0
        raise SimulationError(6, time, f"The period {period!r} of {self.name} cannot be seen at this time.")


def columns_of(subject: Any) -> list[Column]:
    """What there is to record of a component, a variable or a resource.

    Raises ModelError if there is nothing.
    """
    if isinstance(subject, Variable):
        return [_variable_column(subject)]
    if isinstance(subject, Continuous):
        layout = subject._layout
        found = [_variable_column(subject[name]) for name in layout.states]
        for name in (*layout.computed, *layout.sums):
            found.append(Column(f"{subject.name}.{name}", layout.fields[name].unit, _reader(subject[name], "state")))
        if found:
            return found
    if isinstance(subject, Resource):
        return [
            Column(f"{subject.name}.in_use", "", lambda: float(subject.in_use.value)),
            Column(f"{subject.name}.queue", "", lambda: float(subject.queue.value)),
        ]
    raise ModelError(
        f"there is nothing to record of {subject!r}: give a component with states, a variable, a resource, "
        "or name an expression: sim.record(energy=lambda: ...)"
    )


def _variable_column(variable: Variable) -> Column:
    return Column(variable.name, variable.unit, _reader(variable, "state"), _reader(variable, "rate"))


def _reader(variable: Variable, what: str) -> Callable[[], float]:
    return lambda: float(getattr(variable, what))


def record(
    sim: Simulation,
    subjects: Sequence[Subject],
    expressions: dict[str, Callable[[], float]],
    every: Every,
    *,
    events: bool = True,
    name: str = "",
) -> Recording:
    """Begin to record subjects and named expressions.

    Raises ModelError if there is nothing to record or two columns would have one name.
    """
    columns = [column for subject in subjects for column in columns_of(subject)]
    columns += [Column(label, "", read) for label, read in expressions.items()]
    names = [column.name for column in columns]
    if not names:
        raise ModelError("sim.record needs something to record: components, variables, or named expressions")
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ModelError(f"two recorded columns are called {', '.join(twice)}: give the components names of their own")
    recording = Recording(sim, columns, every, events=events, name=name)
    sim._the_monitor.add_observer(recording)
    return recording
