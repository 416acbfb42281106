"""Checks before equations are trusted: of their text once per class, of their values in one pass after each change."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeAlias

import numpy as np

from eventide.continuous.error_context import execute_law
from eventide.declare import fields_of
from eventide.errors import ModelError, SimulationError
from eventide.reading.assignments import assigned_attributes
from eventide.reading.places import location

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.member import Member
    from eventide.continuous.components.variable import Variable
    from eventide.continuous.flows.flow import Flow
    from eventide.declare import Field
    from eventide.simulation import Simulation


class UnsoundLaw(ModelError):
    """Laws do what has no meaning between events."""


CHECKED: Final = "_equations_are_checked"
"""The attribute of a class whose laws have been checked."""


def check_class(cls: type[Continuous]) -> None:
    """Raise ModelError, naming file and line, if the equations of a class assign a plain field."""
    if CHECKED in cls.__dict__:
        return
    plain = {name for name, spec in fields_of(cls).items() if spec.role == "field"}
    for function in (cls.equations, cls.contributions):
        for name, line in assigned_attributes(function, plain):
            raise ModelError(
                f"{cls.__name__}.{function.__name__} assigns the field {name!r} "
                f"({location(function.__code__.co_filename, line)}), and a plain field changes in events only: "
                f"declare it `{name}: ev.Computed = ev.computed()`, or as a State with a rate"
            )
    setattr(cls, CHECKED, True)


def two_setters(law: Member, other: Member, variable: Variable) -> ModelError:
    """The error of two laws that set one rate."""
    return ModelError(
        f"{law.name} sets the rate of {variable.name}, which {other.name} has set already: "
        "write `+=` to add to it, or let one of them set it"
    )


Quantity: TypeAlias = tuple[str, int | None]
"""The name of a state and, for a vector, the number of the item."""


class RateRecorder(Protocol):
    """Is told which rates are read and written."""

    def note_read(self, owner: Continuous, quantity: Quantity) -> None:
        """The present law reads a rate of an object."""

    def note_write(self, owner: Any, quantity: Quantity) -> None:
        """It writes one."""

    def note_read_slot(self, slot: int) -> None:
        """It reads the rate of the state in a slot."""

    def note_written_slot(self, slot: int) -> None:
        """It writes that."""


class _RateRecord:
    """Which object wrote which rate in this pass, and which rates the present law has read.

    also    records the same while a law runs
    """

    law: Member

    def __init__(self) -> None:
        self.also: RateRecorder | None = None
        self.writers: dict[tuple[int, Quantity], Member] = {}
        self.read: set[tuple[int, Quantity]] = set()

    def begin(self, law: Continuous) -> None:
        self.law, self.also = law, None
        self.read.clear()

    def note_read(self, owner: Continuous, quantity: Quantity) -> None:
        self.read.add((owner._base, quantity))  # two objects may have one name, and no two a block
        if self.also is not None:
            self.also.note_read(owner, quantity)

    def note_write(self, owner: Any, quantity: Quantity) -> None:
        key = (owner._base, quantity)
        other = self.writers.get(key)
        if other is not None and other is not self.law and key not in self.read:
            name, item = quantity
            raise two_setters(self.law, other, owner[name] if item is None else owner[name][item])
        self.writers[key] = self.law
        if self.also is not None:
            self.also.note_write(owner, quantity)


def watched_rates(owner: Continuous, rates: object, recorder: RateRecorder) -> object:
    """An object's rates while one law runs: it is recorded how they are used."""
    if isinstance(rates, _CheckedRates) and isinstance(rates._recorder, _RateRecord):
        rates._recorder.also = recorder
        return rates
    return _CheckedRates(owner, recorder)


class _CheckedRates:
    """Stands in for an object's rates during one pass and records how they are used."""

    __slots__ = ("_owner", "_rates", "_recorder")

    def __init__(self, owner: Continuous, recorder: _RateRecord | RateRecorder) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_rates", owner._layout.rates(owner))
        object.__setattr__(self, "_recorder", recorder)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._rates, name)
        if name in self._owner._layout.starts:
            return _CheckedItems.watching(value, self, name)
        self._recorder.note_read(self._owner, (name, None))
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._owner._layout.starts:
            _CheckedItems.watching(getattr(self._rates, name), self, name)._write(value)
        else:
            try:
                setattr(self._rates, name, value)
            except TypeError:
                if self._owner.sim.monitor.steps:  # later on laws are not checked, but for those that cannot be read
                    raise
                raise TypeError(f"the rate of {self._owner.name}.{name} is a number, and got {value!r}") from None
            except AttributeError as error:
                raise error.with_traceback(None) from None  # so that the user's line is the last one
            self._recorder.note_write(self._owner, (name, None))


class _CheckedItems(np.ndarray):
    """Stands in for the rates of a vector, or a slice of them, and records how they are used item by item.

    _items  the numbers of its items in the vector; None for what was copied or reshaped from it: to read that may be to
            read any item, and to write it is not followed
    """

    _note: tuple[_CheckedRates, str] | None = None
    _items: NDArray[np.intp] | None = None

    def __array_finalize__(self, source: object) -> None:
        if isinstance(source, _CheckedItems):
            self._note = source._note

    @classmethod
    def watching(cls, values: NDArray[np.float64], of: _CheckedRates, name: str) -> _CheckedItems:
        """The array `values` as one that records how they are used."""
        checked = values.view(cls)
        checked._note, checked._items = (of, name), np.arange(len(values))
        return checked

    def _tell(self, key: Any, *, writes: bool) -> None:
        """Record which of the items are read or written."""
        if self._note is None or (writes and self._items is None):
            return
        of, name = self._note
        items = range(of._owner._layout.lengths[name]) if self._items is None else np.atleast_1d(self._items[key])
        for item in items:
            (of._recorder.note_write if writes else of._recorder.note_read)(of._owner, (name, int(item)))

    def _write(self, value: object) -> None:
        """The rates are assigned as a whole; by `+=` it is this array that comes back."""
        if not isinstance(value, _CheckedItems):
            assert self._note is not None
            of, name = self._note
            setattr(of._rates, name, value)
        self._tell(..., writes=True)

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        if isinstance(value, _CheckedItems):
            value._items = None if self._items is None else self._items[key]
        else:
            self._tell(key, writes=False)
        return value

    def __setitem__(self, key: Any, value: object) -> None:
        try:
            super().__setitem__(key, value)
        except (IndexError, TypeError, ValueError) as error:
            raise error.with_traceback(None) from None  # so that the user's line is the last one
        if not isinstance(value, _CheckedItems):  # else it comes back from `+=`, which has told
            self._tell(key, writes=True)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __array_ufunc__(
        self, ufunc: object, method: str, *inputs: object, out: tuple[object, ...] = (), **options: object
    ) -> object:
        for given in inputs:
            if isinstance(given, _CheckedItems):
                given._tell(..., writes=False)
        plain = [np.asarray(given) if isinstance(given, _CheckedItems) else given for given in inputs]
        if not out:
            return getattr(ufunc, method)(*plain, **options)
        targets = tuple(np.asarray(target) if isinstance(target, _CheckedItems) else target for target in out)
        getattr(ufunc, method)(*plain, out=targets, **options)
        for target in out:
            if isinstance(target, _CheckedItems):
                target._tell(..., writes=True)
        return out[0]


def check_pass(flow: Flow) -> None:
    """Execute all laws of a flow once, with every write of a rate on record.

    Raises ModelError, naming both laws, if one sets a rate that another has set and it has not read.
    """
    recorder = _RateRecord()
    owners = [c for c in flow.integrator.system.components() if c._layout.moves]
    views = [owner._layout.rates(owner) for owner in owners]
    for owner in owners:
        owner._slab.rates = _CheckedRates(owner, recorder)
    try:
        for stage, law in flow.look_up().laws:
            recorder.begin(law)
            call = law.contributions if stage == 0 else law.equations
            if stage in law._class_plan.unread:
                flow.integrator.host.watch(law, stage, call, law.sim.time)
            else:
                execute_law(law, call, law.sim.time)
    finally:
        for owner, view in zip(owners, views, strict=True):
            owner._slab.rates = view


def unsound_assignment(law: str, title: str, spec: Field | None, where: str = "") -> UnsoundLaw:
    """The error of a law that assigns a state which is not declared so.

    spec    of the state; None of a loose variable
    """
    if spec is None:
        declared = "`ev.Variable(sim, ..., assigned=True)`"
    elif spec.role == "vector":
        declared = f"`{spec.name}: ev.StateVector = ev.state_vector(..., assigned=True)`"
    else:
        declared = f"`{spec.name}: ev.State = ev.state(..., assigned=True)`"
    return UnsoundLaw(
        f"{law} assigns the state {title}{where}, and what a state is between events follows from its rate: set its "
        f"rate, or the state in an event (`@ev.when`, a process); a difference equation is declared, {declared}"
    )


def refuse_change(title: str) -> NoReturn:
    """Raise ModelError: a reporter or recording would change something of the model."""
    raise ModelError(
        f"{title} cannot be changed now: reporters and recordings look at the model and leave it as it is; "
        "let a process or an @ev.when handler change it"
    )


def check_limits(sim: Simulation) -> None:
    """Raise SimulationError 4 or 5 if the limits of the step are no limits."""
    if not sim.dt_min >= 0.0:
        raise SimulationError(4, sim.time, f"dt_min is {sim.dt_min!r}; it must be at least 0.")
    if sim.dt_max == inf and "integrator" in sim._continuum.__dict__ and sim.method.is_fixed:
        raise ModelError(
            f"{sim.method.name} has no error estimate and steps dt_max, which is infinite: "
            "give Simulation(dt_max=...) or set sim.dt_max"
        )
    if not sim.dt_min <= sim.dt_max:
        raise SimulationError(5, sim.time, f"dt_min is {sim.dt_min!r} and dt_max {sim.dt_max!r}.")
    if sim.dt_max == 0.0:
        raise SimulationError(5, sim.time, "dt_max is 0, and no step is as short as that: give a longest step above 0.")
