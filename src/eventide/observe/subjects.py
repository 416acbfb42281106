"""What can be recorded, and the columns that each subject gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from functools import wraps
from numbers import Real
from typing import Protocol, TypeAlias, runtime_checkable

from eventide.continuous import Continuous, Variable, VectorVariable
from eventide.continuous.components.member import holder_of, layout_of, slots_of
from eventide.continuous.components.variable import reader_of
from eventide.declare import Component, Field, fields_of
from eventide.discrete import Container, Queue, Resource, Store
from eventide.engine.codes import R, Y
from eventide.errors import ModelError, check_text
from eventide.monitor.tape import Evaluated, Fixed, Moving, Taken
from eventide.observe.recording_base import Heading
from eventide.statistics import Level


@dataclass(frozen=True)
class Group:
    """Columns that are read together: one quantity, or all items of a vector.

    heads   their names and units
    read    the present values, one for each column
    trend   the rates, or None if there are none: a kink without a jump is an event's trace as well
    taken   what the stepper may take down of it by itself, if it can
    """

    heads: tuple[Heading, ...]
    read: Callable[[], list[float]]
    trend: Callable[[], list[float]] | None = None
    taken: Taken | None = None


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
        check_text(self.unit, "unit=")
        check_text(self.description, "description=")


@runtime_checkable
class Recordable(Protocol):
    """An object that describes the columns it gives."""

    def _groups(self) -> Sequence[Group]: ...


Named: TypeAlias = Callable[[], float] | Expression | Variable | Level | Recordable
"""What can be recorded under a name that is given to it."""

Subject: TypeAlias = Component | Variable | Level | Recordable | Mapping[str, Named] | str
"""What can be recorded; a text names a quantity or a field of the component before it."""


def groups_of_all(subjects: Sequence[object]) -> list[Group]:
    """What there is to record of some subjects; of a component that is followed by names, these only.

    Raises ModelError if there is nothing, and for a name that follows no component or is none of its.
    """
    groups: list[Group] = []
    owner: object = None
    for place, subject in enumerate(subjects):
        if isinstance(subject, str):
            if not isinstance(owner, Component):
                raise ModelError(
                    f"{subject!r} has to follow the component that it is of, as in sim.record(tank, {subject!r})"
                )
            groups.append(_group_of_name(owner, subject))
        else:
            owner = subject
            if not isinstance(next(iter(subjects[place + 1 :]), None), str):
                groups += groups_of(subject)
    return groups


def _group_of_name(owner: Component, name: str) -> Group:
    """The columns of one quantity or field of a component."""
    if isinstance(owner, Continuous) and name in layout_of(owner).variables:
        return _variable_group(owner[name])
    if name in fields_of(owner):
        return _field_group(owner, name)
    known = [*(layout_of(owner).variables if isinstance(owner, Continuous) else ()), *fields_of(owner)]
    near = get_close_matches(name, known, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(dict.fromkeys(known)) or 'no fields'}"
    raise ModelError(f"{owner.name} has no {name!r} to record: {meant}")


def _field_group(owner: Component, name: str) -> Group:
    """The column of a plain field, which events alone change."""
    spec = fields_of(owner)[name]
    title = f"{owner.name}.{name}"

    def read() -> float:
        value = getattr(owner, name)
        if not isinstance(value, Real):
            raise ModelError(f"{title} is recorded as a number, and is {value!r}{_advice(value)}")
        return float(value)

    read()
    head = Heading(title, spec.unit, is_discrete=True, description=spec.description)
    return Group((head,), lambda: [read()], taken=Fixed(read))


def _groups_of_fields(owner: object) -> list[Group]:
    """The columns of the fields of a component that are numbers, where it has nothing that moves."""
    if not isinstance(owner, Component):
        return []
    names = [name for name in fields_of(owner) if isinstance(getattr(owner, name, None), Real)]
    return [_field_group(owner, name) for name in names]


def groups_of(subject: object) -> list[Group]:
    """What there is to record of a component, a variable, a queue, a resource, a level, an integral or named things.

    Raises ModelError if there is nothing.
    """
    if isinstance(subject, Mapping):
        return [group for name, thing in subject.items() for group in named_groups(name, thing)]
    if isinstance(subject, Variable):
        return [_variable_group(subject)]
    if isinstance(subject, Recordable):
        return list(subject._groups())
    if isinstance(subject, Level):
        return [_level_group(subject.name or "level", subject)]
    found = _groups_of_component(subject) if isinstance(subject, Continuous) else []
    found = found or _groups_of_station(subject) or _groups_of_fields(subject)
    if found:
        return found
    if callable(subject):
        raise ModelError("sim.record takes an expression under a name: write sim.record(name=lambda: ...)")
    raise ModelError(
        f"there is nothing to record of {subject!r}: give a component with states, a variable, a queue, a resource, "
        "a level, an integral, or name an expression: sim.record(energy=lambda: ...)"
    )


def named_groups(name: str, thing: object, verb: str = "recorded") -> list[Group]:
    """The columns of something that was given a name; more than one begin with it.

    verb        what is done with it, for messages
    Raises ModelError if there is nothing to record of it.
    """
    if isinstance(thing, Expression):
        head = Heading(name, thing.unit, is_discrete=thing.is_discrete, description=thing.description)
        return [Group((head,), _checked(name, thing.read, verb), taken=Evaluated(thing.read))]
    if isinstance(thing, Variable | Level | Component | Recordable):
        groups = groups_of(thing)
        is_alone = sum(len(group.heads) for group in groups) == 1
        return [replace(g, heads=tuple(_renamed(h, name, is_alone=is_alone) for h in g.heads)) for g in groups]
    if not callable(thing):
        raise ModelError(
            f"sim.record({name}=...) takes a function without arguments, and got {thing!r}: "
            f"write {name}=lambda: ..., so that it can be asked again and again"
        )
    return [Group((Heading(name, ""),), _checked(name, thing, verb), taken=Evaluated(thing))]


def _renamed(head: Heading, name: str, *, is_alone: bool) -> Heading:
    return replace(head, name=name if is_alone else f"{name}.{head.name.rpartition('.')[2]}")


def check_names(names: Sequence[str], verb: str = "record") -> None:
    """Raise ModelError if there are no columns, or two of one name."""
    if not names:
        raise ModelError(f"sim.{verb} needs something to {verb}: components, variables, or named expressions")
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ModelError(f"two {verb}ed columns are called {', '.join(twice)}: give the components names of their own")


def _checked(name: str, read: Callable[[], float | str], verb: str) -> Callable[[], list[float]]:
    """A reader of floats, whose errors name the quantity."""

    @wraps(read)  # the compiler needs the function itself
    def value() -> list[float]:
        try:
            number = read()
        except Exception as error:
            error.add_note(f"raised by the {verb} expression {name}")
            raise
        try:
            # A text may look like a number, and is none.
            return [float("" if isinstance(number, str | bytes | bytearray) else number)]
        except (OverflowError, TypeError, ValueError):
            raise ModelError(
                f"{name} is {verb} as a number, and its expression gave {number!r:.100}{_advice(number)}"
            ) from None

    return value


def _advice(value: object) -> str:
    """What to record of a mode."""
    if not isinstance(value, str | Enum):
        return ""
    text = f"is {type(value).__name__}.{value.name}" if isinstance(value, Enum) else f"== {value!r}"
    return f": record whether it is one of its values, as is_on=lambda: machine.mode {text}"


def _groups_of_component(subject: Continuous) -> list[Group]:
    layout = layout_of(subject)
    names = (*layout.states, *layout.vectors, *layout.computed, *layout.sums, *layout.computed_vectors)
    return [_variable_group(subject[name]) for name in names]


def _groups_of_station(subject: object) -> list[Group]:
    if isinstance(subject, Queue):
        return [_level_group(f"{subject.name}.length", subject.length, "how many members it has")]
    if isinstance(subject, Resource):
        return [
            _level_group(f"{subject.name}.in_use", subject.in_use, "how many units are held"),
            _level_group(f"{subject.name}.queue", subject.queue, "how many requests wait"),
        ]
    if isinstance(subject, Container | Store):
        return [
            _level_group(f"{subject.name}.level", subject.level, "how much is in it"),
            _level_group(f"{subject.name}.puts", subject.puts.queue, "how many wait to put something in"),
            _level_group(f"{subject.name}.gets", subject.gets.queue, "how many wait to get something out"),
        ]
    return []


def _level_group(name: str, level: Level, description: str = "") -> Group:
    head = Heading(name, level.unit, is_discrete=True, description=description)
    return Group((head,), lambda: [float(level.value)], taken=Fixed(lambda: float(level.value), level))


def _variable_group(variable: Variable) -> Group:
    spec = _spec_of(variable)
    moves, description = spec is None or spec.role in ("state", "vector"), spec.description if spec is not None else ""
    items = tuple(variable) if isinstance(variable, VectorVariable) else (variable,)
    heads = tuple(Heading(item.name, item.unit, description=description) for item in items)
    trend = reader_of(variable, R) if moves else None
    return Group(heads, reader_of(variable, Y), trend, Moving.of(variable, is_state=moves))


def _spec_of(variable: Variable) -> Field | None:
    """Its declaration in the class of its owner; None for a loose variable."""
    owner = holder_of(variable)
    if isinstance(owner, Variable):
        return None
    layout = layout_of(owner)
    name, _ = layout.name_of(owner, slots_of(variable)[0])
    spec: Field = layout.fields[name]
    return spec
