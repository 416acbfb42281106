"""Vectors of states: how equations and events read and write them.

Reading one outside equations returns a read-only copy, so that no write goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from eventide.continuous.components.variable import StateVariable, Variable
from eventide.declare.units import in_units
from eventide.engine.codes import ABS, E0, REL, Y0, R, Y
from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.layout import Layout
    from eventide.continuous.components.step_quantities import StepQuantities
    from eventide.declare import Field


Array: TypeAlias = Any
"""An array, where a `Variable` has a number: no type is both."""


class Values(np.ndarray):
    """The values of a vector when it was read: a read-only array, whose error says how to write.

    Results computed from it are ordinary arrays. `values += x` gives a new one, so that `rod.u += x` writes.
    """

    _of: tuple[object, str] = ("", "")

    def __array_finalize__(self, source: object) -> None:
        self._of = getattr(source, "_of", ("", ""))

    def __array_wrap__(self, array: object, context: object = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain

    def __setitem__(self, key: Any, value: object) -> None:
        title, name = self._of
        if not self.flags.writeable:
            raise ModelError(
                f"{getattr(title, 'name', title)}.{name} is read as a copy, and what is written to its items would be "
                f'lost: write `with component["{name}"].write() as {name}:` in an event, or assign the whole; '
                "rates are written by equations"
            )
        known = value if isinstance(title, str) else plain_numbers(cast("Continuous", title), name, value)
        super().__setitem__(key, known)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def _in_place(name: str) -> object:
    in_place, plain = f"__i{name}__", f"__{name}__"

    def operate(self: Values, other: object) -> object:
        return getattr(np.ndarray, in_place if self.flags.writeable else plain)(self, other)

    return operate


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Values, f"__i{_name}__", _in_place(_name))


def seen(title: object, name: str, values: NDArray[np.float64]) -> Values:
    """A vector as it is now, to be read.

    title   whose it is, for errors: a component, or a text
    """
    copy = values.copy().view(Values)
    copy._of = title, name
    copy.flags.writeable = False
    return copy


def plain_numbers(owner: Continuous, name: str, value: object) -> object:
    """What a vector is set to, in its own unit. Raises ModelError where that cannot be converted."""
    return in_units(value, owner._layout.fields[name].unit, f"{type(owner).__name__}.{name}")


def set_values(title: object, layout: Layout, name: str, target: NDArray[np.float64], value: object) -> None:
    """Set an array to the values of a vector: one number for all items, or one for each.

    title   whose vector it is, for errors: a component, or a text
    Raises TypeError for what are no numbers, ValueError for another shape, InputError for numbers beyond all floats.
    """
    if value is target:
        return
    try:
        values = np.asarray(value)
        if values.dtype.kind == "O":  # with whole numbers beyond 64 bits
            what = f"{getattr(title, 'name', title)}.{name}"
            values = np.array([to_float(one, what) for one in _numbers_of(values)]).reshape(values.shape)
        if values.dtype.kind not in "fiub":
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(_takes(title, layout, name, f"and got {value!r}")) from None
    if values.shape not in ((), target.shape):
        raise ValueError(_takes(title, layout, name, f"and got an array of the shape {values.shape}"))
    target[:] = values


def _numbers_of(values: NDArray[np.object_]) -> list[float]:
    """The items of an array of objects; raises TypeError if one is no number."""
    items: list[object] = values.ravel().tolist()
    numbers = [one for one in items if isinstance(one, int | float)]
    if len(numbers) < len(items):
        raise TypeError
    return numbers


def write_values(owner: Continuous, name: str, target: NDArray[np.float64], value: object) -> None:
    """Set a vector in an event; all or nothing.

    Raises what `set_values` raises, and ValueError for numbers that are not finite.
    """
    layout, draft = owner._layout, np.empty_like(target)
    set_values(owner, layout, name, draft, plain_numbers(owner, name, value))
    wrong = np.flatnonzero(~np.isfinite(draft))
    if wrong.size:
        first = int(wrong[0])
        what = f"that are finite, and got {float(draft[first])!r} for {name}[{first}]"
        raise ValueError(_takes(owner, layout, name, what))
    flow = owner._flow
    if flow.is_open is not True:
        flow.open(layout.slot(owner, name))
    target[:] = draft
    owner._system.storage.table[E0, layout.slots(owner, name)] = 0.0


def _takes(title: object, layout: Layout, name: str, what: str) -> str:
    size = layout.fields[name].size
    told = f" (the field {size})" if isinstance(size, str) else ""
    return f"{getattr(title, 'name', title)}.{name} takes one number for all or {layout.lengths[name]}{told}, {what}"


class VectorVariable(StateVariable):
    """The variable behind a vector of states or computed values: its values, rates and tolerances, all together.

    Had by `component["u"]`; `component["u"][3]` is the variable of one item.
    """

    _owner: Continuous
    _field: Field
    _items: dict[int, Variable]

    @classmethod
    def _behind(cls, owner: Continuous, name: str, spec: Field) -> VectorVariable:
        self = cls._of(owner, owner._layout.slot(owner, name), f"{owner.name}.{name}", spec)
        self._field = spec
        self._items = {}
        return self

    def __len__(self) -> int:
        return int(self._owner._layout.lengths[self._field.name])

    def __getitem__(self, index: int | slice) -> Variable:
        """The variable of one item; negative ones count from the end.

        Raises IndexError if there is none, ModelError for a slice.
        """
        if isinstance(index, slice):
            numbers = range(len(self))[index]
            several = f"for k in range({numbers.start}, {numbers.stop}, {numbers.step})"
            raise ModelError(
                f"an item of {self.name} is a variable, and is taken by its number, not by a slice: several are "
                f"[vector[k] {several}], to be recorded as sim.record(*(vector[k] {several}))"
            )
        place = range(len(self))[index]
        if place not in self._items:
            item = StateVariable._of(self._owner, self._slot + place, f"{self.name}[{place}]", self._field)
            self._items[place] = item
        return self._items[place]

    def __iter__(self) -> Iterator[Variable]:
        return (self[k] for k in range(len(self)))

    @property
    def _slots(self) -> slice:
        return self._owner._layout.slots(self._owner, self._field.name)

    def _every_slot(self) -> list[int]:
        return list(range(self._slots.start, self._slots.stop))

    def _values(self, row: int) -> Values:
        flow = self._owner._flow
        if flow.at != self.sim.time:
            flow.show()
        return seen(self._owner, self._field.name, self._system.storage.table[row, self._slots])

    def _numbers(self, row: int) -> list[float]:
        """The values of a row, as Python's numbers."""
        return list(self._values(row).tolist())

    @property
    def state(self) -> Array:
        """The present values, as an array to be read."""
        return self._values(Y)

    @state.setter
    def state(self, value: object) -> None:
        write_values(self._owner, self._field.name, self._system.storage.table[Y, self._slots], value)

    @property
    def step_quantities(self) -> StepQuantities | None:
        """Refused: items have one each."""
        raise ModelError(f"{self.name} is a vector: read the step_quantities of one item, as of variable[0]")

    @contextmanager
    def write(self) -> Iterator[NDArray[np.float64]]:
        """A copy of the values to be changed in a `with` block; at its end they are set, unless it raises.

        Raises ValueError if they are not finite then.
        """
        draft = self.state.copy()
        try:
            yield draft
        except OverflowError as error:
            error.add_note(f"the items of {self.name} are floats, up to 1.8e308")
            raise
        self.state = draft

    @property
    def rate(self) -> Array:
        """The time derivatives, as the laws set them; set to zero before every evaluation."""
        return self._values(R)

    @rate.setter
    def rate(self, value: object) -> None:
        if not self.sim.active:
            raise ModelError(f"the rates of {self.name} are written by laws, not in an event: set its states")
        flow = self._owner._flow
        if flow.at != self.sim.time:
            flow.show()
        self._set(R, value)

    @property
    def last_state(self) -> Array:
        """The values at the start of the present step; frozen while inactive."""
        return self._values(Y0)

    def _set(self, row: int, value: object) -> None:
        owner, name = self._owner, self._field.name
        set_values(owner, owner._layout, name, self._system.storage.table[row, self._slots], value)

    def _set_tolerances(self, relative: object, absolute: object) -> None:
        """Set both for all items, and end the step that was made with others."""
        flow = self._owner._flow
        if not flow.is_open:
            flow.open(self._slot)
        self._set(REL, relative)
        self._set(ABS, absolute)

    @property
    def rel_error(self) -> Array:
        """The relative tolerances, copies of the run's at creation; one number sets all."""
        return self._values(REL)

    @rel_error.setter
    def rel_error(self, value: object) -> None:
        self._set_tolerances(value, self.abs_error)

    @property
    def abs_error(self) -> Array:
        """The absolute tolerances, copies of the run's at creation; one number sets all."""
        return self._values(ABS)

    @abs_error.setter
    def abs_error(self, value: object) -> None:
        self._set_tolerances(self.rel_error, value)

    def start(self) -> VectorVariable:
        """Let all items be integrated from now on; no effect on those that are.

        For events and `integration_error`; raises ModelError in laws, conditions and reporters.
        """
        self._system.start_slots(self._every_slot(), self._owner)
        return self

    def stop(self) -> None:
        """Let all items keep their values from now on, with rate zero. Raises ModelError as `start`."""
        self._system.stop_slots(self._every_slot(), self._owner)

    @property
    def active(self) -> bool:
        """Whether all items are integrated."""
        return all(item.active for item in self)

    def __repr__(self) -> str:
        values = np.asarray(self.state)
        unit = f" {self.unit}" if self.unit else ""
        return f"<{self.name}: {len(self)} values from {float(values.min())!r} to {float(values.max())!r}{unit}>"
