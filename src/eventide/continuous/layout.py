"""Where the data of a class's objects stand: offsets in a block of slots, and the properties that reach them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous.tables import E0, Y0, R, Y

if TYPE_CHECKING:
    from eventide.declare import Field

_PROPERTY = """
def get(self):
    flow = self._flow
    if flow.at != self.sim.time:
        flow.show()
    return self._states[{offset}]

def set(self, value):
    flow = self._flow
    if not flow.is_open:
        flow.open(self._base + {offset})
    try:
        self._states[{offset}] = value
    except TypeError:
        refuse(self, {name!r}, value)
    self._rests[{offset}] = 0.0
"""
_PARAMETER = """
def get(self):
    return {kind}(self._states[{offset}])

def set(self, value):
    try:
        self._states[{offset}] = value
    except TypeError:
        refuse(self, {name!r}, value)
    if self._states[{offset}] != value:
        refuse_rounded(self, {name!r}, value)
    motion = self._system.motion
    if self._base + {offset} in motion.groups.readers:
        motion.written(self._base + {offset})
"""
_READING = """
def get(self):
    return self._row[{offset}]
"""


KINDS: Final[dict[Any, str]] = {float: "", int: "int", bool: "bool"}
"""The annotations of numeric parameters, and what turns a slot's float into a value of that kind."""


class Layout:
    """The block of one class: states first, then computed values, sums and numeric parameters.

    states, computed, sums, parameters   names of each kind, in order of their slots
    names                                of the quantities that move: all but the parameters
    """

    def __init__(self, fields: dict[str, Field]) -> None:
        self.fields = fields
        self.states = tuple(n for n, f in fields.items() if f.role == "state")
        self.computed = tuple(n for n, f in fields.items() if f.role == "computed")
        self.sums = tuple(n for n, f in fields.items() if f.role == "sum")
        self.parameters = tuple(n for n, f in fields.items() if f.role == "field" and f.annotation in tuple(KINDS))
        self.names = (*self.states, *self.computed, *self.sums)
        self.offsets = {name: i for i, name in enumerate((*self.names, *self.parameters))}
        self.size = len(self.offsets)
        spec: dict[str, Any] = {"_fields_": [(name, ctypes.c_double) for name in self.states], "__slots__": ()}
        self.view: Any = type("Rates", (ctypes.Structure,), spec)
        self.reading: Any = _reading_class(self.states)

    def install(self, cls: type) -> None:
        """Give the class one property for each of its names."""
        for name, offset in self.offsets.items():
            spec = self.fields[name]
            if spec.role == "field":
                getter, setter = _functions(_PARAMETER, offset, name, KINDS[spec.annotation])
            else:
                getter, setter = _functions(_PROPERTY, offset, name)
            setattr(cls, name, property(getter, setter, doc=self.fields[name].description or None))

    def attach(self, owner: Any, table: Any, base: int) -> None:
        """Point an object's views at its block of `table`, the array of all rows."""
        end = base + self.size
        owner._states = memoryview(table[Y, base:end])
        owner._rests = memoryview(table[E0, base:end])
        if self.states:
            width = table.strides[1]
            stride = table.strides[0]
            owner._rates = self.view.from_buffer(table, R * stride + base * width)
            owner._lasts = self.reading(memoryview(table[Y0, base:end]))
            owner._rates_read = self.reading(memoryview(table[R, base:end]))
        else:
            owner._rates = owner._rates_read = owner._lasts = _NO_STATES


def _functions(template: str, offset: int, name: str, kind: str = "") -> tuple[Any, ...]:
    names: dict[str, Any] = {"refuse": _refuse_value, "refuse_rounded": _refuse_rounded}
    exec(template.format(offset=offset, name=name, kind=kind), names)  # noqa: S102  # our own text, a number and an identifier
    return names["get"], names.get("set")


def _refuse_value(owner: Any, name: str, value: Any) -> None:
    spec = owner._layout.fields[name]
    what = "parameter" if spec.role == "field" else spec.role
    raise TypeError(f"{type(owner).__name__}.{name} is a {what} and takes a number, and got {value!r}") from None


def _refuse_rounded(owner: Any, name: str, value: Any) -> None:
    if value == value:
        raise ValueError(
            f"{type(owner).__name__}.{name} cannot hold {value!r} exactly: numeric fields of a Continuous are kept as "
            "floats, whole numbers up to 2**53"
        )


def _reading_class(states: tuple[str, ...]) -> Any:
    """A class whose objects read the states' names from a row, and refuse to write."""
    members: dict[str, Any] = {"__slots__": ("_row",), "__init__": _keep_row, "__setattr__": _refuse_write}
    for offset, name in enumerate(states):
        members[name] = property(_functions(_READING, offset, name)[0])
    return type("Reading", (), members)


def _keep_row(self: Any, row: Any) -> None:
    object.__setattr__(self, "_row", row)


def _refuse_write(self: Any, name: str, _: Any) -> None:
    if not hasattr(type(self), name):
        raise AttributeError(f"there is no state {name!r} here")
    raise AttributeError(
        f"{name} cannot be set here: rates are written by equations, last states by the monitor; "
        "in an event set the state itself"
    )


class _NoStates:
    __slots__ = ()


_NO_STATES = _NoStates()
