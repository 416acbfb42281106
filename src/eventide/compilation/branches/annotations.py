"""What annotations of fields say of the objects that the fields hold."""

from __future__ import annotations

import sys
from collections import abc
from types import NoneType, UnionType
from typing import Final, ForwardRef, Union, get_args, get_origin

_SEQUENCES: Final = (list, abc.Sequence, abc.MutableSequence)
_MAPPINGS: Final = (dict, abc.Mapping, abc.MutableMapping)


def annotated_kind(annotation: object, owner: type) -> object:
    """What is written of a field, without `None`; None if that cannot be read, or leaves a choice.

    owner       the class that has the field. A name that its module did not have yet when the class was made is
                looked up now.
    """
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        annotation = _evaluated(annotation, owner)
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    parts = [part for part in get_args(annotation) if part is not NoneType]
    return annotated_kind(parts[0], owner) if len(parts) == 1 else None


def kind_of_items(annotation: object, owner: type) -> object:
    """What is written of the items of a list, a tuple or a mapping; None if it is of nothing like it."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in _SEQUENCES or (origin is tuple and parts[1:] == (...,)):
        return annotated_kind(parts[0], owner)
    return annotated_kind(parts[1], owner) if origin in _MAPPINGS else None


def _evaluated(text: str, owner: type) -> object:
    """The text of an annotation as an object, by the names of its module and of the class; None if one is not known."""
    themselves = {base.__name__: base for base in reversed(owner.__mro__)}
    for base in owner.__mro__:
        module = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
        try:
            found: object = eval(text, {**module, **themselves})  # noqa: S307  # the class's own text
        except Exception:  # noqa: BLE001, S112  # an annotation may be anything, and of another module
            continue
        if not isinstance(found, str):
            return found
    return None
