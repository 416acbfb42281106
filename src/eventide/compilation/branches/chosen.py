"""What a law that goes by outcomes calls in Python: a copy of a function, or what is another function now.

In: a copy, and what is found where it is called. Out: what is called. In native code it is the same
(`lowering/names/choices.py`).
"""

from __future__ import annotations

from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, cast

from eventide.lowering.names.choices import is_copy
from eventide.reading.source import Copies, closed

if TYPE_CHECKING:
    from collections.abc import Callable


def choose(copy: FunctionType | Copies | None, found: object, name: str = "") -> Callable[..., object]:
    """What is called in the place of a function, of a method, or of the property of an object."""
    if isinstance(copy, Copies):
        made = copy.of(found)
        return partial(_without_law, found, name) if made is None else closed(made, cast("FunctionType", found))
    function, owner = _parts(found, name)
    if copy is not None and is_copy(copy, function):
        return copy if owner is None else MethodType(copy, owner)
    return partial(_without_law, found, name)


def _without_law(found: object, name: str, /, *given: object, eventide_law: object, **named: object) -> object:
    del eventide_law
    return getattr(found, name) if name else cast("Callable[..., object]", found)(*given, **named)


def fits(copy: FunctionType | Copies | None, found: object, name: str = "") -> bool:
    """Whether a copy is called in the place of that."""
    if isinstance(copy, Copies):
        return copy.of(found) is not None
    return is_copy(copy, _parts(found, name)[0])


def _parts(found: object, name: str) -> tuple[object, object]:
    """The function, and what it is bound to; None if to nothing."""
    if name:
        return getattr(getattr(type(found), name, None), "fget", None), found
    return (found.__func__, found.__self__) if isinstance(found, MethodType) else (found, None)
