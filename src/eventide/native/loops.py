"""The inner loops of numpy's universal functions, called from kernels, so that the bits are numpy's on any machine.

Numpy vectorises many of them itself, with other roundings than the mathematical library, and takes sums pairwise. A
kernel that calls the same loop over the same numbers gets the same result in any case.
Source: numpy, C-API, `PyUFuncObject`, `PyUFuncGenericFunction`.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


PREFIX: Final = "numpy."
"""What the symbols of such loops begin with."""


class _Head(ctypes.Structure):
    """The first fields of a universal function, which numpy documents."""

    _fields_ = (
        ("object", ctypes.c_byte * object.__basicsize__),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
    )


def symbol_of(function: Callable[..., object]) -> str:
    """The symbol by which a kernel calls the loop of a universal function over doubles.

    Raises LookupError if it has none that needs nothing but its arguments.
    """
    symbol = f"{PREFIX}{function.__name__}"
    address_of(symbol)
    return symbol


def address_of(symbol: str) -> int:
    """The address of a loop: void (char **arguments, intp *count, intp *strides, void *nothing).

    Raises LookupError if numpy has none of that name.
    """
    function = getattr(np, symbol.removeprefix(PREFIX), None)
    if not isinstance(function, np.ufunc):
        raise LookupError(symbol)  # noqa: TRY004  # it is a symbol that is looked up
    head = _Head.from_address(id(function))
    if (head.nin, head.nargs, head.ntypes) != (function.nin, function.nargs, function.ntypes):
        raise LookupError(symbol)  # this numpy is laid out otherwise
    try:
        place = function.types.index(f"{'d' * function.nin}->{'d' * function.nout}")
    except ValueError:
        raise LookupError(symbol) from None
    if (head.data and head.data[place]) or not head.functions[place]:
        raise LookupError(symbol)
    return int(head.functions[place])
