"""The functions of numpy by which its generators draw, at their addresses: what native code calls in place of methods.

In: a generator of numpy, and the name of a function. Out: an entry, which has both addresses in its bytes. A method of
`Generator` that draws one number tests its arguments, takes a lock and calls this function with its bit generator.
Native code takes none: what it does holds Python's own, which keeps other threads out, but for one that is just filling
a large array from the same generator, where plain Python would draw in no order either.

Source  numpy's manual, "Extending", where they are called in the same way from Numba and CFFI
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CDLL, PYFUNCTYPE, c_double, c_int64, c_void_p, cast, string_at
from functools import cache
from struct import pack
from typing import Final

from numpy.random import Generator, _generator

UNIFORM: Final = "random_uniform"
"""It takes the lower limit, and how far the other one is above it."""
BETWEEN: Final = "random_bounded_uint64"
"""It takes the lowest of some whole numbers, how far the highest is above it, and twice 0: as methods let it draw."""


class Entry(bytes):
    """The addresses of a function and of the bit generator for it.

    call    calls the function with that, and with numbers
    method  that in whose place it is called, which keeps the generator
    """

    call: Callable[..., float]
    method: object


_FORMAT: Final = "=qq"


@cache
def place_of_bytes() -> int | None:
    """How many bytes after its address an object has its bytes; None if that is not to be had."""
    content = pack(_FORMAT, 0x0123456789ABCDEF, 0x7EDCBA9876543210)
    found = string_at(id(entry := Entry(content)), Entry.__basicsize__ + len(entry)).find(content)
    return None if found < 0 else found


@cache
def address_of(name: str) -> int | None:
    """The address of a function of numpy; None where its library does not show it."""
    try:
        function = getattr(CDLL(_generator.__file__), name)
    except (AttributeError, OSError):
        return None
    return cast(function, c_void_p).value


def entry_of(method: Callable[..., float], name: str, *, counts: bool) -> Entry:
    """The entry for a method of a generator of numpy, whose function has this name and can be had.

    counts  whether that gives whole numbers
    """
    generator: Generator = method.__self__  # type: ignore[attr-defined]  # it is a method
    address, state = address_of(name), generator.bit_generator.ctypes.bit_generator.value
    assert address is not None is not state
    made = Entry(pack(_FORMAT, address, state))
    function = PYFUNCTYPE(c_int64 if counts else c_double, c_void_p)(address)
    made.call = lambda *numbers: function(state, *[(c_int64 if type(n) is int else c_double)(n) for n in numbers])
    made.method = method
    return made
