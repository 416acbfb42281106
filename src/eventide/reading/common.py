"""What all simulations of a process have in common: classes, functions and constants, and no object of one of them."""

from __future__ import annotations

from types import BuiltinMethodType, CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Final

PLAIN: Final = (bool, int, float, str, bytes, NoneType, EllipsisType)
"""The types of constants that refer to nothing."""


def is_common(value: object) -> bool:
    """Whether something is the same for all simulations of a process: it refers to no object of one.

    A class or function that is made within a function is not, as it may close over such objects.
    """
    if isinstance(value, type | FunctionType):
        is_plain = isinstance(value, type) or (value.__closure__ is None and is_common(value.__defaults__))
        given = () if isinstance(value, type) else (value.__kwdefaults__ or {}).values()
        return "<locals>" not in value.__qualname__ and is_plain and all(map(is_common, given))
    if isinstance(value, BuiltinMethodType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType | type)
    if type(value) is tuple:
        return all(map(is_common, value))
    if type(value) is list:  # a table of a module
        return all(type(item) in PLAIN for item in value)
    return isinstance(value, ModuleType | CodeType) or type(value) in PLAIN
