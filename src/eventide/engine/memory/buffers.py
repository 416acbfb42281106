"""Arrays as Python and native code reach them: as memoryviews, and by their addresses."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.engine.codes import NumberTable

Number = TypeVar("Number", bound=float)


def view_of(array: NDArray[np.generic[Number]]) -> memoryview[Number]:
    """An array as a memoryview: its items are numbers of Python, several times faster to reach than an array's."""
    return memoryview(array)  # type: ignore[arg-type]  # an array is a buffer


def flattened(table: memoryview[Number]) -> memoryview[Number]:
    """The numbers of a table, one row after the other."""
    return table.cast("B").cast(table.format)  # type: ignore[call-overload,no-any-return]  # "l" or "d"


def address_of(array: NumberTable) -> int:
    """The address of an array that is not empty, as `array.ctypes.data`, in a third of the time."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]  # as above
