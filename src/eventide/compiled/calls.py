# ruff: noqa: ARG001  # the builders of intrinsics have the arguments of their kind
"""What compiled code does that numba has no words for: calls by address, arrays at an address, unsigned indices."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]  # it has no types
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_DOUBLE = ir.DoubleType()
_INT = ir.IntType(64)


def _call(builder: Any, address: Any, result: Any, kinds: list[Any], arguments: list[Any]) -> Any:
    pointer = builder.inttoptr(address, ir.FunctionType(result, kinds).as_pointer())
    return builder.call(pointer, arguments)


@intrinsic
def call_law(
    typing: Any, address: Any, time: Any, dt: Any, last: Any, y: Any, r: Any, y0: Any, ix: Any, n: Any, lists: Any
) -> Any:  # the kernel's signature
    """Call a law's kernel: void (double, double, double, double*, double*, double*, int64*, int64, int64*)."""
    signature = types.void(types.int64, types.float64, types.float64, types.float64, *[types.int64] * 6)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = [_DOUBLE] * 3 + [_INT] * 6
        _call(builder, arguments[0], ir.VoidType(), kinds, arguments[1:])
        return context.get_dummy_value()

    return signature, build


@intrinsic
def call_condition(
    typing: Any,
    address: Any,
    time: Any,
    dt: Any,
    last: Any,
    y: Any,
    r: Any,
    y0: Any,
    ix: Any,
    constants: Any,
    out: Any,
    lists: Any,
) -> Any:  # the kernel's signature
    """Call a condition's kernel; its last five arguments are addresses. Answers 0 or 1."""
    signature = types.int64(types.int64, types.float64, types.float64, types.float64, *[types.int64] * 7)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = [_DOUBLE] * 3 + [_INT] * 7
        return _call(builder, arguments[0], _INT, kinds, arguments[1:])

    return signature, build


@intrinsic
def load_float(typing: Any, address: Any, index: Any) -> Any:
    """The float at a place of the array at an address."""
    return types.float64(types.int64, index), _loader(_DOUBLE)


@intrinsic
def load_int(typing: Any, address: Any, index: Any) -> Any:
    """The integer at a place of the array at an address."""
    return types.int64(types.int64, index), _loader(_INT)


@intrinsic
def store_float(typing: Any, address: Any, index: Any, value: Any) -> Any:
    """Write a float to a place of the array at an address."""
    return types.void(types.int64, index, types.float64), _storer(_DOUBLE)


@intrinsic
def store_int(typing: Any, address: Any, index: Any, value: Any) -> Any:
    """Write an integer to a place of the array at an address."""
    return types.void(types.int64, index, types.int64), _storer(_INT)


def _loader(kind: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]]))

    return build


def _storer(kind: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])
        builder.store(arguments[2], place)
        return context.get_dummy_value()

    return build


@intrinsic
def clear_run(typing: Any, address: Any, low: Any, high: Any) -> Any:
    """Set places low .. high - 1 of the array at an address to zero.

    The stores are volatile up to a few places, lest LLVM make a call of memset for two states.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = builder.inttoptr(arguments[0], _DOUBLE.as_pointer())
        with cgutils.for_range_slice(builder, arguments[1], arguments[2], _INT(1)) as (index, _):
            store = builder.store(_DOUBLE(0.0), builder.gep(start, [index]))
            store.volatile = True
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), build


@intrinsic
def slot(typing: Any, index: Any) -> Any:
    """An index as unsigned: loops over such indices are vectorised."""
    signature = types.uint64(types.int64)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return signature, build


@intrinsic
def word(typing: Any, address: Any, place: Any) -> Any:
    """The integer number `place` of the table at an address."""
    signature = types.int64(types.int64, types.int64)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table = builder.inttoptr(arguments[0], _INT.as_pointer())
        return builder.load(builder.gep(table, [arguments[1]]))

    return signature, build
