"""What kernels do with objects of Python: as Python runs them, and with builtin containers."""

from __future__ import annotations

import operator
from _ctypes import PyObj_FromPtr  # eight times as fast as a cast
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from enum import Enum
from itertools import islice
from math import copysign
from types import NoneType
from typing import Any, Final, TypeAlias

Item: TypeAlias = Any
"""An object of Python, whatever it is."""

_ABSENT: Final = object()


# --- native code has instructions in place of these calls -------------------------------------------------------------


def object_at(address: int) -> Item:
    """The object at an address."""
    return PyObj_FromPtr(address)


def call_builtin(address: int, *numbers: float) -> float:
    """What the callable at an address makes of some numbers."""
    return float(object_at(address)(*numbers))


def draw_by(address: int, _: int, *numbers: float) -> float:
    """What a function of numpy draws, whose entry is at an address, with bytes behind it."""
    return float(object_at(address).call(*numbers))


def draw_whole_by(address: int, _: int, *numbers: float) -> int:
    """The same of whole numbers."""
    return int(object_at(address).call(*numbers))


def draw_next(address: int) -> float:
    """The next number of the iterator at an address."""
    return float(next(object_at(address)))


def tell(address: int, value: float) -> int:
    """Give a number to the callable at an address; 0."""
    object_at(address)(value)
    return 0


def attribute(owner: int, name: int, kind: int) -> int:
    """The address of an attribute of a certain type; 0 where it has another one, or there is none."""
    found = getattr(object_at(owner), object_at(name), _ABSENT)
    return id(found) if type(found) is object_at(kind) else 0


def is_of_class(owner: int, kind: int) -> int:
    """1 if an object is of a class itself, else 0."""
    return int(type(object_at(owner)) is object_at(kind))


def is_attribute(owner: int, name: int, known: int) -> int:
    """1 if an attribute is a certain object, else 0."""
    return int(getattr(object_at(owner), object_at(name), _ABSENT) is object_at(known))


def held(owner: int, name: int) -> int:
    """The address of an attribute, which its owner keeps; 0 if there is none."""
    found = getattr(object_at(owner), object_at(name), _ABSENT)
    return 0 if found is _ABSENT else id(found)


def class_of(address: int) -> int:
    """The address of the class of an object itself, whatever that says."""
    return id(type(object_at(address)))


def is_same_text(one: int, other: int) -> int:
    """1 if two strings, or objects of classes that compare like these, have the same text, else 0."""
    return int(str.__eq__(object_at(one), object_at(other)))


def mapped(owner: int, key: int, kind: int) -> int:
    """The address of a dictionary's item of a certain type; 0 where it has another one, or there is none."""
    found = object_at(owner).get(object_at(key), _ABSENT)
    return id(found) if type(found) is object_at(kind) else 0


def kept_for(owner: int, key: int) -> int:
    """The address of a dictionary's item, which this keeps; 0 if there is none."""
    found = object_at(owner).get(object_at(key), _ABSENT)
    return 0 if found is _ABSENT else id(found)


def item(owner: int, index: int, kind: int) -> int:
    """The address of an item of a certain type; 0 where it has another one, or there is none."""
    items = object_at(owner)
    found = items[index] if -len(items) <= index < len(items) else _ABSENT
    return id(found) if type(found) is object_at(kind) else 0


def length(owner: int) -> int:
    """How many items there are."""
    return len(object_at(owner))


def dropped(address: int) -> int:
    """The same address."""
    return address


def is_minus_zero(value: float) -> int:
    """1 for the zero with a sign, else 0."""
    return int(value == 0.0 and copysign(1.0, value) < 0.0)


def taken_real(address: int) -> float:
    """The value of a float."""
    return float(object_at(address))


def taken_whole(address: int) -> int:
    """The value of a whole number, or of a Boolean."""
    return int(object_at(address))


def set_real(owner: int, name: int, value: float) -> int:
    """Set an attribute to a float; 0."""
    setattr(object_at(owner), object_at(name), value)
    return 0


def set_whole(owner: int, name: int, value: int) -> int:
    """Set an attribute to a whole number; 0."""
    setattr(object_at(owner), object_at(name), value)
    return 0


def set_truth(owner: int, name: int, value: int) -> int:
    """Set an attribute to a Boolean; 0."""
    setattr(object_at(owner), object_at(name), value != 0)
    return 0


def set_object(owner: int, name: int, value: int) -> int:
    """Set an attribute to an object; 0."""
    setattr(object_at(owner), object_at(name), object_at(value))
    return 0


FUNCTIONS: Final = (
    call_builtin,
    draw_by,
    draw_whole_by,
    draw_next,
    tell,
    attribute,
    held,
    class_of,
    is_same_text,
    mapped,
    kept_for,
    item,
    length,
    is_attribute,
    is_of_class,
    dropped,
    is_minus_zero,
    taken_real,
    taken_whole,
    set_real,
    set_whole,
    set_truth,
    set_object,
)

# --- builtin containers -----------------------------------------------------------------------------------------------
# Kernels call these for what runs no code of the user's. They fail, or return None, before they do what may run some.

_PLAIN: Final = (int, float, bool, str, NoneType)
"""Classes whose objects run no code when they are compared, or let go."""
LISTS: Final = (list, tuple)
MAPPINGS: Final = (dict, defaultdict, Counter)
SETS: Final = (set, frozenset, *MAPPINGS)
_FACTORIES: Final = (int, float, list, set, dict)
MOST: Final = 64
"""The items that are looked at for their types."""
METHODS: Final = {"add": (set,), "discard": (set,), "append": (list, deque), "appendleft": (deque,)}
OPERATIONS: Final[dict[str, Callable[[Item, Item], Item]]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_NUMBERS: Final = (int, float, bool)


def items_of(owner: Item) -> list[object]:
    """Some of the items of a container, and what one gives that it does not have yet."""
    kind = type(owner)
    if kind in LISTS:
        return [*islice(owner, MOST)]
    more: list[object] = [0] if kind is Counter else []
    if kind is defaultdict and owner.default_factory in _FACTORIES:
        more = [owner.default_factory()]
    return [*islice(owner.values(), MOST), *more] if kind in MAPPINGS else []


def is_key(key: Item) -> bool:
    """Whether a key is compared without code of the user's."""
    kind: Item = type(key)
    if kind is tuple:
        return all(map(is_key, key))
    if kind in _PLAIN or (kind.__hash__ is str.__hash__ and kind.__eq__ is str.__eq__):
        return True
    return kind.__hash__ in (object.__hash__, Enum.__hash__) and kind.__eq__ is object.__eq__


def at(owner: Item, key: Item) -> Item:
    """The item of a container."""
    kind = type(owner)
    if kind in LISTS:
        return owner[key] if type(key) is int else None
    if kind not in MAPPINGS or not is_key(key):
        return None
    return owner.get(key) if kind is defaultdict else owner[key]


def get(owner: Item, key: object, default: object) -> object:
    """The item of a dictionary, or something else where it has none."""
    return owner.get(key, default) if type(owner) in MAPPINGS and is_key(key) else None


def has(owner: Item, key: object) -> object:
    """Whether a set or a dictionary has something."""
    return key in owner if type(owner) in SETS and is_key(key) else None


def count(owner: Item) -> object:
    """How many items there are."""
    return len(owner) if type(owner) in (deque, *LISTS, *SETS) else None


def put(owner: Item, key: Item, value: object) -> object:
    """Set an item; True."""
    kind = type(owner)
    if kind is list:
        old = owner[key] if type(key) is int else owner
    else:
        old = owner.get(key) if kind in MAPPINGS and is_key(key) else owner
    if type(old) not in _PLAIN:
        return None
    owner[key] = value
    return True


def change(owner: Item, key: Item, sign: str, value: Item) -> object:
    """Set a number to what an operation gives of it and another one; True."""
    kind = type(owner)
    is_made = kind is defaultdict and owner.default_factory in _FACTORIES and is_key(key)
    old = owner[key] if is_made else at(owner, key)
    if kind is tuple or type(old) not in _NUMBERS or type(value) not in _NUMBERS:
        return None
    owner[key] = OPERATIONS[sign](old, value)
    return True


def do(owner: Item, name: str, value: object) -> object:
    """Call a method with a value, by which a container gets it or loses it; True."""
    kind = type(owner)
    if kind not in METHODS[name] or (kind is set and not is_key(value)) or (kind is deque and owner.maxlen is not None):
        return None
    getattr(owner, name)(value)
    return True
