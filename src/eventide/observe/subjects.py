"""What can be recorded, and the columns that each thing gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeAlias

from eventide.continuous import Continuous, Variable
from eventide.declare import Component, Field
from eventide.discrete import Container, Queue, Resource, Store
from eventide.errors import ModelError
from eventide.observe.ledger import Heading
from eventide.statistics import Level


@dataclass(frozen=True)
class Column(Heading):
    """One recorded quantity: its name, its unit and how it is read.

    trend   reads its rate, or None if it has none: a kink without a jump is an event's trace as well
    """

    read: Callable[[], float]
    trend: Callable[[], float] | None = None


@dataclass(frozen=True)
class Expression:
    """A number to record under a name: `sim.record(energy=ev.Expression(lambda: ..., unit="J"))`.

    read            gives the present number; it looks at the model and does not change it
    unit            of the number
    description     what it means
    is_discrete     whether it is a count that stays as it is between events
    """

    read: Callable[[], float]
    unit: str = ""
    description: str = ""
    is_discrete: bool = False

    def __post_init__(self) -> None:
        if not callable(self.read):
            raise ModelError(f"an Expression takes a function without arguments, and got {self.read!r}")


Named: TypeAlias = Callable[[], float] | Expression | Variable | Level
"""What can be recorded under a name that is given to it."""

Subject: TypeAlias = Component | Variable | Level | Mapping[str, Named]


def columns_of(subject: Any) -> list[Column]:
    """What there is to record of a component, a variable, a queue, a resource, a level or a dict of named things.

    Raises ModelError if there is nothing.
    """
    if isinstance(subject, Mapping):
        return [column for name, thing in subject.items() for column in named_columns(name, thing)]
    if isinstance(subject, Variable):
        return [_variable_column(subject)]
    if isinstance(subject, Level):
        return [_level_column(subject.name or "level", subject)]
    if isinstance(subject, Continuous) and subject._layout.names:
        return [_variable_column(subject[name]) for name in subject._layout.names]
    found = _columns_of_station(subject)
    if found:
        return found
    raise ModelError(
        f"there is nothing to record of {subject!r}: give a component with states, a variable, a queue, a resource, "
        "a level, or name an expression: sim.record(energy=lambda: ...)"
    )


def named_columns(name: str, thing: Any) -> list[Column]:
    """The columns of something that was given a name; more than one begin with it.

    Raises ModelError if there is nothing to record of it.
    """
    if isinstance(thing, Expression):
        read = _checked(name, thing.read)
        return [Column(name, thing.unit, read, is_discrete=thing.is_discrete, description=thing.description)]
    if isinstance(thing, Variable | Level | Component):
        columns = columns_of(thing)
        if len(columns) == 1:
            return [replace(columns[0], name=name)]
        return [replace(column, name=f"{name}.{column.name.rpartition('.')[2]}") for column in columns]
    if not callable(thing):
        raise ModelError(
            f"sim.record({name}=...) takes a function without arguments, and got {thing!r}: "
            f"write {name}=lambda: ..., so that it can be asked again and again"
        )
    return [Column(name, "", _checked(name, thing))]


def check_names(names: Sequence[str]) -> None:
    """Raise ModelError if there are no columns, or two of one name."""
    if not names:
        raise ModelError("sim.record needs something to record: components, variables, or named expressions")
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ModelError(f"two recorded columns are called {', '.join(twice)}: give the components names of their own")


def _checked(name: str, read: Callable[[], Any]) -> Callable[[], float]:
    """A reader of floats that says whose value is none."""

    @wraps(read)  # who compiles it wants to know what is asked
    def value() -> float:
        try:
            number = read()
        except Exception as error:
            error.add_note(f"raised by the recorded expression {name}")
            raise
        try:
            # A text may look like a number, and is none.
            return float("" if isinstance(number, str) else number)
        except (TypeError, ValueError):
            raise ModelError(f"{name} is recorded as a number, and its expression gave {number!r}") from None

    return value


def _columns_of_station(subject: Any) -> list[Column]:
    if isinstance(subject, Queue):
        return [_level_column(f"{subject.name}.length", subject.length, "how many members it has")]
    if isinstance(subject, Resource):
        return [
            _level_column(f"{subject.name}.in_use", subject.in_use, "how many units are held"),
            _level_column(f"{subject.name}.queue", subject.queue, "how many requests wait"),
        ]
    if isinstance(subject, Container | Store):
        return [
            _level_column(f"{subject.name}.level", subject.level, "how much is in it"),
            _level_column(f"{subject.name}.puts", subject.puts.queue, "how many wait to put something in"),
            _level_column(f"{subject.name}.gets", subject.gets.queue, "how many wait to get something out"),
        ]
    return []


def _level_column(name: str, level: Level, description: str = "") -> Column:
    return Column(name, level.unit, lambda: float(level.value), is_discrete=True, description=description)


def _variable_column(variable: Variable) -> Column:
    spec = _spec_of(variable)
    return Column(
        variable.name,
        variable.unit,
        lambda: float(variable.state),
        (lambda: float(variable.rate)) if spec is None or spec.role == "state" else None,
        description=spec.description if spec is not None else "",
    )


def _spec_of(variable: Variable) -> Field | None:
    """What the class of its owner says of it; None for a loose variable."""
    owner = variable._owner
    if owner is variable:
        return None
    layout = owner._layout
    spec: Field = layout.fields[layout.names[variable._offset]]
    return spec
