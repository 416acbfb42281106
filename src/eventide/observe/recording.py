"""Recordings: columns of numbers over time, with both sides of every event that changed them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from eventide.continuous import Continuous, Variable, VectorVariable
from eventide.declare import Component
from eventide.discrete import Resource
from eventide.errors import ModelError
from eventide.observe.ledger import Heading, Ledger
from eventide.observe.population import PopulationRecording

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.observe.ledger import Source
    from eventide.observe.reporter import Every
    from eventide.simulation import Simulation

Subject: TypeAlias = Component | Variable


@dataclass(frozen=True)
class Group:
    """Columns that are read together: one quantity, or all items of a vector.

    heads   names and units
    read    the present values, one for each column
    trend   the rates, or None if there are none: a kink without a jump is an event's trace as well
    """

    heads: tuple[Heading, ...]
    read: Callable[[], list[float]]
    trend: Callable[[], list[float]] | None = None


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

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame with the time as index, a column for each quantity; units stand in `attrs["units"]`."""
        import pandas as pd

        frame = pd.DataFrame(
            {column.name: self[column.name] for column in self.columns}, index=pd.Index(self.times, name="time")
        )
        frame.attrs["units"] = {column.name: column.unit for column in self.columns}
        return frame

    def plot(self, ax: Axes | None = None, columns: Sequence[str] | None = None) -> Axes:
        """Draw the columns, or those that are named, over time; answers the axes."""
        from eventide.view import plot_recording

        return plot_recording(self, ax, columns)

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


def groups_of(subject: Any) -> list[Group]:
    """What there is to record of a component, a variable or a resource.

    Raises ModelError if there is nothing.
    """
    if isinstance(subject, Variable):
        return [_variable_group(subject, moves=True)]
    if isinstance(subject, Continuous):
        layout = subject._layout
        found = [_variable_group(subject[name], moves=True) for name in (*layout.states, *layout.vectors)]
        rest = (*layout.computed, *layout.sums, *layout.computed_vectors)
        found += [_variable_group(subject[name], moves=False) for name in rest]
        if found:
            return found
    if isinstance(subject, Resource):
        return [
            Group((Heading(f"{subject.name}.in_use", "", is_discrete=True),), lambda: [float(subject.in_use.value)]),
            Group((Heading(f"{subject.name}.queue", "", is_discrete=True),), lambda: [float(subject.queue.value)]),
        ]
    raise ModelError(
        f"there is nothing to record of {subject!r}: give a component with states, a variable, a resource, "
        "or name an expression: sim.record(energy=lambda: ...)"
    )


def _variable_group(variable: Variable, *, moves: bool) -> Group:
    if isinstance(variable, VectorVariable):
        heads = tuple(Heading(item.name, item.unit) for item in variable)

        def states() -> list[float]:
            values: list[float] = variable.state.tolist()
            return values

        def rates() -> list[float]:
            values: list[float] = variable.rate.tolist()
            return values

        return Group(heads, states, rates if moves else None)
    head = Heading(variable.name, variable.unit)

    def state() -> list[float]:
        return [variable.state]

    def rate() -> list[float]:
        return [variable.rate]

    return Group((head,), state, rate if moves else None)


def _expression_group(label: str, read: Callable[[], float]) -> Group:
    return Group((Heading(label, ""),), lambda: [float(read())])


def record(
    sim: Simulation,
    subjects: Sequence[Subject | type[Continuous]],
    expressions: dict[str, Callable[[], float]],
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
        groups += [_expression_group(label, read) for label, read in expressions.items()]
        _check_names([head.name for group in groups for head in group.heads])
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


def _check_names(names: list[str]) -> None:
    if not names:
        raise ModelError("sim.record needs something to record: components, variables, or named expressions")
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ModelError(f"two recorded columns are called {', '.join(twice)}: give the components names of their own")
