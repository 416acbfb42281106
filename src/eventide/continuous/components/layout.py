"""Layout of the objects of a class: offsets in its blocks of slots, and the properties that read and write them.

All objects of a class have one layout. Generated properties reach the slots through memoryviews, which return Python
floats at once. Items of vectors are adjacent, at the end of a block.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sized
from operator import index
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeAlias

from eventide.continuous.checks import refuse_change
from eventide.continuous.components.reference import Mode, Reference, is_mode, slot_name
from eventide.continuous.components.vectors import seen, set_values, write_values
from eventide.declare import GENERATED, MISSING, Field, Kept
from eventide.declare.units import has_unit, in_unit
from eventide.engine.codes import BY_READING, E0, Y0, R, Y
from eventide.errors import ModelError, refuse_too_large
from eventide.native.locking import locked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.member import Member
    from eventide.declare import Role

    Floats: TypeAlias = NDArray[np.float64]

    Arrays: TypeAlias = tuple[NDArray[np.float64], ...]

_PROPERTY = """
def get(self):
    flow = self._flow
    if flow.at != self.sim.time:
        flow.show()
    return self._row[self._base + {offset}]

def set(self, value):
    flow = self._flow
    if flow.is_open is not True:
        flow.open(self._base + {offset})
    if value.__class__ is not float and value.__class__ is not int and has_unit(value):
        value = plain(self, {name!r}, value)
    try:
        self._row[self._base + {offset}] = value
    except (TypeError, ValueError):
        refuse(self, {name!r}, value)
    self._rests[self._base + {offset}] = 0.0
"""
_ASSIGNED = _PROPERTY.replace("is_open is not True", "is_open is False")
"""Of a state that laws assign: they find their flow open for all but other states."""
_ASIDE = """
def get(self):
    flow = self._flow
    if flow.at != self.sim.time:
        flow.show()
    return self._row[self._side + {offset}]

def set(self, value):
    flow = self._flow
    if not flow.is_open:
        flow.open(self._side + {offset})
    if value.__class__ is not float and value.__class__ is not int and has_unit(value):
        value = plain(self, {name!r}, value)
    try:
        self._row[self._side + {offset}] = value
    except (TypeError, ValueError):
        refuse(self, {name!r}, value)
"""
_PARAMETER = """
def get(self):
    return {kind}(self._row[self._side + {offset}])

def set(self, value):
    integrator = self._flow.integrator
    if integrator.is_observed:
        refuse_change(self.name + '.{name}')
    slot = self._side + {offset}
    # What depends on it is brought to the present with the old value, before the value changes.
    reader = integrator.storage.slot.user[slot, {reader}]
    if reader >= 0:
        flow = integrator.flows[reader]
        integrator.memory.flow.stale[flow.number] = 1
        if not flow.is_open:
            integrator.touch(flow)
    elif reader != -1:
        integrator.written(slot)
    if value.__class__ is not float and value.__class__ is not int and has_unit(value):
        value = plain(self, {name!r}, value)
    row = self._row
    before = row[slot]
    try:
        row[slot] = value
        is_kept = value.__class__ is {exact} or {kind}(row[slot]) == value or ({exact} is float and value != value)
    except (TypeError, ValueError, OverflowError):
        row[slot] = before
        refuse(self, {name!r}, value)
    if not is_kept:
        row[slot] = before
        refuse_rounded(self, {name!r}, value)
"""
_OUTCOME = """
def get(self):
    offset = self._layout.offsets.get({name!r})
    return 0.0 if offset is None else self._row[self._side + offset]
"""
_VECTOR = """
def get(self):
    flow = self._flow
    if flow.at != self.sim.time:
        flow.show()
    values = self._vectors[{offset}]
    return values if flow.is_open and self.sim.active else seen(self, {name!r}, values)

def set(self, value):
    values = self._vectors[{offset}]
    if self._flow.is_open and self.sim.active:
        set_values(self, self._layout, {name!r}, values, value)
    else:
        write_values(self, {name!r}, values, value)
"""
_VECTOR_OF_STATES = (
    _VECTOR.replace(
        "    values = self._vectors[{offset}]\n    return values if", "    return self._vectors[{shown}] if"
    )
    .replace("else seen(self, {name!r}, values)", "else seen(self, {name!r}, self._vectors[{offset}])")
    .replace(
        "        set_values(self, self._layout, {name!r}, values, value)",
        "        self._flow.open(self._layout.slot(self, {name!r}))",
    )
)
"""Of states that no law assigns: what laws get of them cannot be written."""
_VECTOR_OF_RATES = """
def get(self):
    return self._vectors[{offset}]

def set(self, value):
    set_values({kind!r}, layout, {name!r}, self._vectors[{offset}], value)
"""
_VECTOR_READING = """
def get(self):
    return seen(self._owner, {name!r}, self._vectors[{offset}])
"""
_SIZE = """
def get(self):
    return self._layout.sizes[{name!r}]

def set(self, value):
    if value != self._layout.sizes[{name!r}]:
        refuse_size(self, {name!r}, value)
"""
_READING = """
def get(self):
    return self._row[self._base + {offset}]
"""


BLANK: Final[dict[str, object]] = {
    **dict.fromkeys(("_number", "sim", "_system", "_flow", "_slab", "_base", "_side", "_row", "_rests")),
    "_started": 0,
    "_going": (),
    "_is_active": False,
    "_switches": (),
    "_handlers": (),
}
"""What eventide keeps in a component, in the order in which a dict of its own has it."""
KINDS: Final[dict[object, str]] = {float: "", int: "int", bool: "bool"}
"""The annotations of numeric parameters, and what turns a slot's float into a value of that kind."""


class Layout:
    """The two blocks of slots of a class's objects: one for what is integrated, so that states of many objects are
    adjacent, and one aside for computed values, sums and numeric parameters. Vectors are at the end of each block.

    states, computed, sums, parameters   names of each kind, in order of their slots
    vectors, computed_vectors            names of vectors; their slots begin with the computed ones
    references                           names of fields that are not numbers: other objects as a rule
    modes                                of these, those of texts and members of enumerations, with a slot beside each
    blank                                the attributes of a new object: what eventide keeps, and the defaults of fields
    names                                of the single quantities that change between events: no parameters or vectors
    aside                                names of what is in the second block
    offsets                              of all single quantities, each within its block
    starts, lengths                      of the vectors; empty while a size is not known
    moving, standing                     how many slots the two blocks have
    sizes                                the fields that hold the sizes of vectors
    is_sized                             whether all sizes are known, so that objects can be made
    outcomes                             names of slots after all these, for comparisons in laws
    """

    def __init__(self, fields: dict[str, Field], sizes: dict[str, int] | None = None, title: str = "") -> None:
        self.fields = self._declared = fields
        self.title = title
        self.vectors = self._of("vector")
        self.computed_vectors = self._of("computed vector")
        told_by = [fields[name].size for name in (*self.computed_vectors, *self.vectors)]
        self.size_fields = tuple(dict.fromkeys(size for size in told_by if isinstance(size, str)))
        self.states = self._of("state")
        self.computed = self._of("computed")
        self.sums = self._of("sum")
        self.parameters = tuple(
            name for name in self._of("field") if fields[name].annotation in KINDS and name not in self.size_fields
        )
        told = {*self.parameters, *self.size_fields}
        self.references = tuple(name for name in self._of("field") if name not in told)
        self.modes = tuple(name for name in self.references if is_mode(fields[name].annotation))
        self.fields = {**fields, **{slot_name(name): Field("field", 0.0, annotation=float) for name in self.modes}}
        given = {name: fields[name].default for name in self.references}
        self.blank: dict[str, object] = {
            **BLANK,
            **{name: default for name, default in given.items() if default is not MISSING},
        }
        self.names = (*self.states, *self.computed, *self.sums)
        aside = (*self.computed, *self.sums, *self.parameters, *map(slot_name, self.modes))
        self.aside = frozenset((*aside, *self.computed_vectors))
        self.offsets = {name: i for names in (self.states, aside) for i, name in enumerate(names)}
        self.moving, self.standing = len(self.states), len(aside)
        self.sizes = sizes or {}
        self.starts: dict[str, int] = {}
        self.lengths: dict[str, int] = {}
        self.is_sized = len(self.sizes) == len(self.size_fields)
        if self.is_sized:
            self._place_vectors()
        self.outcomes: tuple[str, ...] = ()
        self._sized: dict[tuple[int, ...], Layout] = {}
        self.view = _rates_class(self)
        self.reading = _reading_class(self)

    def __reduce__(self) -> tuple[object, ...]:
        # Its classes stand for memory of this process, and what a run has found in the laws is found again.
        return Layout, (self._declared, self.sizes, self.title)

    def _of(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, spec in self.fields.items() if spec.role == role)

    def _place_vectors(self) -> None:
        for name in (*self.computed_vectors, *self.vectors):
            size = self.fields[name].size
            length = self.sizes[size] if isinstance(size, str) else size
            self.lengths[name] = length
            if name in self.aside:
                self.starts[name], self.standing = self.standing, self.standing + length
            else:
                self.starts[name], self.moving = self.moving, self.moving + length

    @locked
    def add_outcomes(self, names: tuple[str, ...]) -> None:
        """Add slots for outcomes of comparisons in laws, before the first object is made."""
        self.outcomes = names
        if names:
            self.fields = {**self.fields, **{name: Field("field", 0.0, name=name, annotation=float) for name in names}}
            self.aside |= frozenset(names)
            self.offsets.update({name: self.standing + k for k, name in enumerate(names)})
            self.standing += len(names)
        for layout in self._sized.values():
            layout.add_outcomes(names)

    @property
    def computes(self) -> bool:
        """Whether there are single quantities of which laws may set more than the rate."""
        return bool(self.computed or self.sums or any(self.fields[name].assigned for name in self.states))

    @property
    def has_assigned(self) -> bool:
        """Whether laws may assign some of its states."""
        return any(self.fields[name].assigned for name in (*self.states, *self.vectors))

    @property
    def moves(self) -> bool:
        """Whether there are states at all."""
        return bool(self.states or self.vectors)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of all that moves, vectors among them."""
        return (*self.names, *self.computed_vectors, *self.vectors)

    def sized(self, sizes: dict[str, object]) -> Layout:
        """The layout of objects whose size fields have these values; one and the same for equal ones.

        Raises TypeError or ValueError for what is no size.
        """
        for name, size in sizes.items():
            if isinstance(size, bool) or not isinstance(size, SupportsIndex):
                raise TypeError(f"{self.title}(...) takes a whole number for {name}, and got {size!r}")
            if index(size) < 1:
                raise ValueError(
                    f"{self.title}(...) takes {name} from 1 on, and got {size!r}: a vector has at least 1 item"
                )
        key = tuple(index(size) for name in self.size_fields if isinstance(size := sizes[name], SupportsIndex))
        if key not in self._sized:
            self._make_sized(key)
        return self._sized[key]

    @locked
    def _make_sized(self, key: tuple[int, ...]) -> None:
        if key not in self._sized:  # another thread may have made it meanwhile
            layout = Layout(self._declared, dict(zip(self.size_fields, key, strict=True)), self.title)
            layout.add_outcomes(self.outcomes)
            self._sized[key] = layout

    def column(self, name: str) -> int:
        """Where a quantity stands in its block; of a vector the first item."""
        return self.starts[name] if name in self.starts else self.offsets[name]

    def slot(self, owner: Continuous, name: str) -> int:
        """The slot of a quantity of an object; of a vector the first."""
        return (owner._side if name in self.aside else owner._base) + self.column(name)

    def slots(self, owner: Continuous, name: str) -> slice:
        """The slots of a vector of an object."""
        start = self.slot(owner, name)
        return slice(start, start + self.lengths[name])

    def name_of(self, owner: Continuous, slot: int) -> tuple[str, int | None]:
        """Which quantity of an object a slot belongs to: its name and, for a vector, the number of the item."""
        is_aside = not owner._base <= slot < owner._base + self.moving
        offset = slot - (owner._side if is_aside else owner._base)
        for name, start in self.starts.items():
            if (name in self.aside) == is_aside and start <= offset < start + self.lengths[name]:
                return name, offset - start
        return next(n for n, at in self.offsets.items() if at == offset and (n in self.aside) == is_aside), None

    def install(self, cls: type) -> None:
        """Give the class one property for each of its names."""
        for name in (*self.states, *self.computed, *self.sums, *self.parameters):
            offset, spec = self.offsets[name], self.fields[name]
            if spec.role == "field":
                self._install(cls, _PARAMETER, offset, name, KINDS[spec.annotation])
            else:
                template = _ASIDE if name in self.aside else _ASSIGNED if spec.assigned else _PROPERTY
                self._install(cls, template, offset, name)
        for place, name in enumerate((*self.computed_vectors, *self.vectors)):
            shows = name in self.vectors and not self.fields[name].assigned
            self._install(cls, _VECTOR_OF_STATES if shows else _VECTOR, place, name)
        for name in self.size_fields:
            self._install(cls, _SIZE, 0, name)
        for name in self.references:
            setattr(cls, name, self._mode(name) if name in self.modes else Reference(name))

    def _mode(self, name: str) -> Mode:
        offset = self.offsets[slot_name(name)]
        setter = _functions(_PARAMETER, offset, name)[1]
        return Mode(name, offset, self.fields[name].annotation, setter)  # type: ignore[arg-type]  # as `is_mode` says

    def _install(self, cls: type, template: str, offset: int, name: str, kind: str = "") -> None:
        shown = offset + len(self.vectors)  # behind all that can be written
        getter, setter = _functions(template, offset, name, kind, shown=shown)
        if name in self.offsets and not self.fields[name].assigned:
            getter.kept = Kept(self.fields[name].role, "_side" if name in self.aside else "_base", offset, kind)
        setattr(cls, name, property(getter, setter, doc=self.fields[name].description or None))

    def settings(self, names: list[str], lines: list[str]) -> list[str]:
        """Of the lines by which a constructor keeps its arguments, those for a new object to which nothing refers yet.

        It need not report what its numbers are, nor that it now refers to other objects.
        """
        straight = ["__own, __row, __base, __side = self.__dict__, self._row, self._base, self._side"]
        straight.append("__is_free = not self._flow.integrator.is_observed")
        for name, line in zip(names, lines, strict=True):
            if name in self.references:
                straight.append(f"__own[{name!r}] = {name}")
            elif name in self.offsets and not KINDS.get(self.fields[name].annotation):
                block = "__side" if name in self.aside else "__base"
                straight.append(
                    f"if {name}.__class__ is float and __is_free: __row[{block} + {self.offsets[name]}] = {name}"
                )
                straight.append(f"else: {line}")
            else:
                straight.append(line)
        return straight

    def attach(self, owner: Member, table: Floats) -> None:
        """Point an object's views at its slots of `table`, the array of all rows."""
        slab, own, rows = owner._slab, owner.__dict__, owner._system.storage.rows
        if slab.table is not table:
            slab.table = table
            slab.rates = slab.rates_read = slab.lasts = None
            if self.vectors or self.computed_vectors:
                names = *self.computed_vectors, *self.vectors
                arrays = self._arrays(table[Y], slab.base, slab.side, names)
                slab.vectors = *arrays, *map(_unwritable, arrays[len(self.computed_vectors) :])
        elif self.vectors:
            slab.rates_read = slab.lasts = None  # they know their owner's name
        own["_base"], own["_side"], own["_row"], own["_rests"] = slab.base, slab.side, rows[Y], rows[E0]
        if slab.vectors:
            own["_vectors"] = slab.vectors

    def rates(self, owner: Member) -> object:
        """What reads and writes an object's rates by the names of its states."""
        slab = owner._slab
        if slab.rates is None and not self.moves:
            slab.rates = _NO_STATES
        elif slab.rates is None:
            stride, width = slab.table.strides
            slab.rates = rates = self.view.from_buffer(slab.table.data, R * stride + slab.base * width)
            if self.vectors:
                rates._vectors = self._arrays(slab.table[R], slab.base, slab.side, self.vectors)
        return slab.rates

    def rates_read(self, owner: Member) -> object:
        """What only reads them."""
        owner._slab.rates_read = reading = self._read(owner, R)
        return reading

    def lasts(self, owner: Member) -> object:
        """What reads an object's states at the start of the present step."""
        owner._slab.lasts = reading = self._read(owner, Y0)
        return reading

    def _read(self, owner: Member, row: int) -> object:
        if not self.moves:
            return _NO_STATES
        slab = owner._slab
        reading = self.reading(owner._system.storage.rows[row], slab.base)
        if self.vectors:
            reading._show(owner.name, self._arrays(slab.table[row], slab.base, slab.side, self.vectors))
        return reading

    def _arrays(self, row: Floats, base: int, side: int, names: tuple[str, ...]) -> tuple[Floats, ...]:
        """The vectors of these names in the blocks that begin at these slots."""
        firsts = ((side if name in self.aside else base) + self.starts[name] for name in names)
        return tuple(row[first : first + self.lengths[name]] for first, name in zip(firsts, names, strict=True))


def _unwritable(values: Floats) -> Floats:
    """A view of an array that cannot be written."""
    shown = values.view()
    shown.flags.writeable = False
    return shown


def _functions(
    template: str, offset: int, name: str, kind: str = "", shown: int = 0, **others: object
) -> tuple[Any, ...]:
    names: dict[str, object] = {**_HELPERS, **others}
    exact = "bool" if kind else "float"  # what any number of its kind can be
    text = template.format(offset=offset, name=name, kind=kind, exact=exact, reader=BY_READING, shown=shown)
    exec(compile(text, f"{GENERATED}{name}>", "exec"), names)  # noqa: S102  # our own text, a number and an identifier
    return names["get"], names.get("set")


def outcome(name: str) -> property:
    """Reads the slot of an outcome; returns 0 for an object of a class that has none."""
    return property(_functions(_OUTCOME, 0, name)[0])


def refuse_value(owner: Continuous, name: str, value: object) -> None:
    """Raise TypeError for what cannot be the value of a quantity of an object, InputError for a number too large.

    In a law that is an error of arithmetic, which a shorter step may avoid.
    """
    if isinstance(value, int):
        if owner.sim.active:
            raise OverflowError("int too large to convert to float") from None
        refuse_too_large(value, f"{type(owner).__name__}.{name}")
    spec = owner._layout.fields[name]
    what = "parameter" if spec.role == "field" else spec.role
    several = spec.role == "state" and isinstance(value, Sized) and not isinstance(value, str)
    hint = f": several are declared as `{name}: ev.StateVector = ev.state_vector(...)`" if several else ""
    raise TypeError(f"{type(owner).__name__}.{name} is a {what} and takes a number, and got {value!r}{hint}") from None


def _refuse_rounded(owner: Continuous, name: str, value: float) -> None:
    kind = owner._layout.fields[name].annotation
    why = "numeric fields of a Continuous are kept as floats, whole numbers up to 2**53"
    if kind is bool or (kind is int and float(value) == value):
        why = f"it is declared as {kind.__name__}. Write `{name}: float` in the class"
    raise ValueError(f"{type(owner).__name__}.{name} cannot hold {value!r} exactly: {why}")


def _refuse_size(owner: Continuous, name: str, value: object) -> None:
    layout = owner._layout
    vectors = ", ".join(n for n in (*layout.computed_vectors, *layout.vectors) if layout.fields[n].size == name)
    raise ModelError(
        f"{owner.name}.{name} is {layout.sizes[name]}, the size of {vectors}, and was fixed when the object was made; "
        f"it cannot become {value!r}: make another object"
    )


def plain_number(owner: Continuous, name: str, value: float) -> float:
    """The number of a value, in the unit of the field that it is for. Raises ModelError as `in_unit`."""
    return (
        in_unit(value, owner._layout.fields[name].unit, f"{type(owner).__name__}.{name}") if has_unit(value) else value
    )


_HELPERS: Final[dict[str, object]] = {
    "has_unit": has_unit,
    "plain": plain_number,
    "refuse": refuse_value,
    "refuse_change": refuse_change,
    "refuse_rounded": _refuse_rounded,
    "refuse_size": _refuse_size,
    "seen": seen,
    "set_values": set_values,
    "write_values": write_values,
}


def _rates_class(layout: Layout) -> type[ctypes.Structure]:
    """A class whose objects read and write the states' names in the row of rates."""
    fields = [(name, ctypes.c_double) for name in layout.states]
    members: dict[str, object] = {"_fields_": fields, "__slots__": ("_vectors",) if layout.vectors else ()}
    for place, name in enumerate(layout.vectors):
        members[name] = property(*_functions(_VECTOR_OF_RATES, place, name, f"{layout.title}.rate", layout=layout))
    return type("Rates", (ctypes.Structure,), members)


def _reading_class(layout: Layout) -> type:
    """A class whose objects read the states' names from a row, and refuse to write."""
    slots = ("_base", "_owner", "_row", "_vectors") if layout.vectors else ("_base", "_row")
    members: dict[str, object] = {"__slots__": slots, "__init__": _keep_row, "__setattr__": _refuse_write}
    for offset, name in enumerate(layout.states):
        members[name] = property(_functions(_READING, offset, name)[0])
    for place, name in enumerate(layout.vectors):
        members[name] = property(_functions(_VECTOR_READING, place, name)[0])
    if layout.vectors:
        members["_show"] = _keep_vectors
    return type("Reading", (), members)


def _keep_vectors(self: object, owner: str, vectors: object) -> None:
    object.__setattr__(self, "_owner", owner)
    object.__setattr__(self, "_vectors", vectors)


def _keep_row(self: object, row: object, base: int) -> None:
    object.__setattr__(self, "_row", row)
    object.__setattr__(self, "_base", base)


def _refuse_write(self: object, name: str, _: object) -> None:
    if not hasattr(type(self), name):
        raise AttributeError(f"there is no state {name!r} here")
    raise AttributeError(
        f"{name} cannot be set here: rates are written by equations, last states by the monitor; "
        "in an event set the state itself"
    )


class _NoStates:
    __slots__ = ()


_NO_STATES = _NoStates()
