"""Checks before equations are trusted, of their text; and the rates that a law sees that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getattr_static
from math import inf
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol

import numpy as np

from eventide.declare import fields_of
from eventide.errors import ModelError, SimulationError
from eventide.reading.assignments import assigned_attributes, refuse_lost_comparisons, refuse_lost_variables
from eventide.reading.description import location

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous.components.component import Continuous
    from eventide.declare import Field
    from eventide.simulation import Simulation


class UnsoundLaw(ModelError):
    """Laws do what has no meaning between events."""


OF_CLASSES: Final = frozenset(("locate_branches", "smooth_laws"))
"""What a class says of its laws, which hold for all its objects."""
CHECKED: Final = "_equations_are_checked"
"""The attribute of a class whose laws have been checked."""


def refuse_own_setting(component: Continuous) -> NoReturn:
    """Raise ModelError as an object has a setting of its own that is one of its class."""
    name, kind = min(OF_CLASSES.intersection(component.__dict__)), type(component).__name__
    raise ModelError(
        f"{component.name}.{name} was set, and has no effect there: it says what the laws of a class are like. Write "
        f"`{name} = {component.__dict__[name]!r}` in the class {kind}, or in one derived from it for some objects"
    )


def check_class(cls: type[Continuous]) -> None:
    """Raise ModelError, naming file and line, if the equations of a class assign a plain field, or compare in vain.

    Or if they, or a handler, set a variable in vain that is called as a field, where `self.` was forgotten.
    """
    if CHECKED in cls.__dict__:
        return
    handlers = [getattr_static(cls, name) for name in (*cls._when_specs, *cls._every_specs)]
    for function in (cls.equations, cls.contributions, *handlers):
        refuse_lost_variables(function, {*fields_of(cls), "rate"}, f"{cls.__name__}.{function.__name__}")
    plain = {name for name, spec in fields_of(cls).items() if spec.role == "field"}
    for function in (cls.equations, cls.contributions):
        refuse_lost_comparisons(function)
        for name, line in assigned_attributes(function, plain):
            raise ModelError(
                f"{cls.__name__}.{function.__name__} assigns the field {name!r} "
                f"({location(function.__code__.co_filename, line)}), and a plain field changes in events only: "
                f"declare it `{name}: ev.Computed = ev.computed()`, or as a State with a rate"
            )
    setattr(cls, CHECKED, True)


class RateRecorder(Protocol):
    """Is told the slots of the states whose rates are read and written."""

    def note_read(self, slot: int) -> None:
        """The present law reads a rate."""

    def note_written(self, slot: int) -> None:
        """It writes one."""


class WatchedRates:
    """Stands in for an object's rates while a law runs and records how they are used."""

    __slots__ = ("_owner", "_rates", "_recorder")

    def __init__(self, owner: Continuous, rates: object, recorder: RateRecorder) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_rates", rates)
        object.__setattr__(self, "_recorder", recorder)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._rates, name)
        if name in self._owner._layout.starts:
            return _WatchedItems.watching(value, self, name)
        self._recorder.note_read(self._owner._layout.slot(self._owner, name))
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._owner._layout.starts:
            _WatchedItems.watching(getattr(self._rates, name), self, name)._write(value)
        else:
            try:
                setattr(self._rates, name, value)
            except TypeError:
                if self._owner.sim.monitor.steps:  # later on laws are not checked, but for those that cannot be read
                    raise
                raise TypeError(f"the rate of {self._owner.name}.{name} is a number, and got {value!r}") from None
            except AttributeError as error:
                raise error.with_traceback(None) from None  # so that the user's line is the last one
            self._recorder.note_written(self._owner._layout.slot(self._owner, name))


class _WatchedItems(np.ndarray):
    """Stands in for the rates of a vector, or a slice of them, and records how they are used item by item.

    _items  the numbers of its items in the vector; None for what was copied or reshaped from it: to read that may be to
            read any item, and to write it is not followed
    """

    _note: tuple[WatchedRates, str] | None = None
    _items: NDArray[np.intp] | None = None

    def __array_finalize__(self, source: object) -> None:
        if isinstance(source, _WatchedItems):
            self._note = source._note

    @classmethod
    def watching(cls, values: NDArray[np.float64], of: WatchedRates, name: str) -> _WatchedItems:
        """The array `values` as one that records how they are used."""
        checked = values.view(cls)
        checked._note, checked._items = (of, name), np.arange(len(values))
        return checked

    def _tell(self, key: Any, *, writes: bool) -> None:
        """Record which of the items are read or written."""
        if self._note is None or (writes and self._items is None):
            return
        of, name = self._note
        layout = of._owner._layout
        items = range(layout.lengths[name]) if self._items is None else np.atleast_1d(self._items[key])
        for item in items:
            note = of._recorder.note_written if writes else of._recorder.note_read
            note(layout.slot(of._owner, name) + int(item))

    def _write(self, value: object) -> None:
        """The rates are assigned as a whole; by `+=` it is this array that comes back."""
        if not isinstance(value, _WatchedItems):
            assert self._note is not None
            of, name = self._note
            setattr(of._rates, name, value)
        self._tell(..., writes=True)

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        if isinstance(value, _WatchedItems):
            value._items = None if self._items is None else self._items[key]
        else:
            self._tell(key, writes=False)
        return value

    def __setitem__(self, key: Any, value: object) -> None:
        try:
            super().__setitem__(key, value)
        except (IndexError, TypeError, ValueError) as error:
            raise error.with_traceback(None) from None  # so that the user's line is the last one
        if not isinstance(value, _WatchedItems):  # else it comes back from `+=`, which has told
            self._tell(key, writes=True)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __array_ufunc__(
        self, ufunc: object, method: str, *inputs: object, out: tuple[object, ...] = (), **options: object
    ) -> object:
        for given in inputs:
            if isinstance(given, _WatchedItems):
                given._tell(..., writes=False)
        plain = [np.asarray(given) if isinstance(given, _WatchedItems) else given for given in inputs]
        if not out:
            return getattr(ufunc, method)(*plain, **options)
        targets = tuple(np.asarray(target) if isinstance(target, _WatchedItems) else target for target in out)
        getattr(ufunc, method)(*plain, out=targets, **options)
        for target in out:
            if isinstance(target, _WatchedItems):
                target._tell(..., writes=True)
        return out[0]


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
    if sim.dt_max == inf and sim.method.is_fixed:
        raise ModelError(
            f"{sim.method.name} has no error estimate and steps dt_max, which is infinite: "
            "give Simulation(dt_max=...) or set sim.dt_max"
        )
    if not sim.dt_min <= sim.dt_max:
        raise SimulationError(5, sim.time, f"dt_min is {sim.dt_min!r} and dt_max {sim.dt_max!r}.")
    if sim.dt_max == 0.0:
        raise SimulationError(5, sim.time, "dt_max is 0, and no step is as short as that: give a longest step above 0.")
