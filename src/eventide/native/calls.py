"""Entries for Python: native functions as builtin functions.

In: a native function and the kinds of its arguments. Out: a callable object. Each entry has a second function, in
assembly, that converts its arguments from Python objects and its result to one, and a `PyMethodDef` made at run time:
all of it stable ABI. With ctypes, passing an address and two numbers takes 0.6 us, in this way 0.1 us.

Source: Python/C API, `PyMethodDef`, METH_FASTCALL.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eventide.native.values import Kind

SECOND: Final = "call."
"""What the name of that second function begins with."""
FASTCALL: Final = 0x0080
AWAY: Final = frozenset({"proceed_away"})
"""Functions that run without Python's global lock (GIL), and may call only what takes it itself, as ctypes does."""
CALLING: Final = frozenset({"proceed_rows"})
"""Functions that call Python, which may have raised an error when they return."""

_TAKEN: Final[dict[Kind, tuple[str, str]]] = {
    "i64": ("i64", "PyLong_AsLongLong"),
    "double": ("double", "PyFloat_AsDouble"),
    "i1": ("i64", "PyLong_AsLongLong"),
    "ptr": ("ptr", "PyLong_AsVoidPtr"),
}
"""How an argument is taken from its object."""
_ANSWERED: Final[dict[Kind, tuple[str, str]]] = {
    "i64": ("i64", "PyLong_FromLongLong"),
    "double": ("double", "PyFloat_FromDouble"),
    "i1": ("i64", "PyBool_FromLong"),
    "void": ("i64", "PyBool_FromLong"),
}
"""How an object is made from a result; nothing is False."""
_OTHERS: Final = {
    "PyErr_Occurred": "declare ptr @PyErr_Occurred()",
    "PyErr_BadArgument": "declare i32 @PyErr_BadArgument()",
    "PyEval_SaveThread": "declare ptr @PyEval_SaveThread()",
    "PyEval_RestoreThread": "declare void @PyEval_RestoreThread(ptr)",
    "PyObject_GetBuffer": "declare i32 @PyObject_GetBuffer(ptr, ptr, i32)",
    "PyBuffer_Release": "declare void @PyBuffer_Release(ptr)",
}
NEEDED: Final = (*dict.fromkeys(name for _, name in (*_TAKEN.values(), *_ANSWERED.values())), *_OTHERS)
"""The functions of Python that are called."""
DECLARATIONS: Final = (
    *_OTHERS.values(),
    *(f"declare {kind} @{name}(ptr)" for kind, name in dict.fromkeys(_TAKEN.values())),
    *(f"declare ptr @{name}({kind})" for kind, name in dict.fromkeys(_ANSWERED.values())),
)
PLACES: Final = "places"
"""The name of the function that writes the address and the width of each of its further arguments, which are arrays, to
the address that is its first. For some thirty arrays that takes ctypes 20 us, a fifth of a short run.
"""
PLACES_TEXT: Final = f"""define ptr @{SECOND}{PLACES}(ptr %self, ptr %arguments, i64 %count) {{
begin:
  %view = alloca [10 x i64]
  %ints = getelementptr i32, ptr %view, i64 9
  %shapes = getelementptr i64, ptr %view, i64 6
  %first = load ptr, ptr %arguments
  %table = call ptr @PyLong_AsVoidPtr(ptr %first)
  br label %test
test:
  %k = phi i64 [ 1, %begin ], [ %next, %write ]
  %place = phi ptr [ %table, %begin ], [ %after, %write ]
  %is_more = icmp slt i64 %k, %count
  br i1 %is_more, label %take, label %end
take:
  %argument = getelementptr ptr, ptr %arguments, i64 %k
  %array = load ptr, ptr %argument
  %failure = call i32 @PyObject_GetBuffer(ptr %array, ptr %view, i32 8) ; PyBUF_ND: rows one after the other
  %is_array = icmp eq i32 %failure, 0
  br i1 %is_array, label %write, label %raise
write:
  %address = load i64, ptr %view
  store i64 %address, ptr %place
  %axes = load i32, ptr %ints
  %axis = sext i32 %axes to i64
  %shape = load ptr, ptr %shapes
  %beyond = getelementptr i64, ptr %shape, i64 %axis
  %last = getelementptr i64, ptr %beyond, i64 -1
  %width = load i64, ptr %last
  %second = getelementptr i64, ptr %place, i64 1
  store i64 %width, ptr %second
  call void @PyBuffer_Release(ptr %view)
  %after = getelementptr i64, ptr %place, i64 2
  %next = add i64 %k, 1
  br label %test
raise:
  ret ptr null
end:
  %object = call ptr @PyBool_FromLong(i64 0)
  ret ptr %object
}}
"""
"""Source: Python/C API, `Py_buffer`, which is stable since 3.11: `buf` first, `ndim` the tenth int, `shape` seventh."""


def call_text(name: str, kinds: list[Kind], answer: Kind) -> str:
    """The assembly of the function by which Python calls `@name`; TypeError for other arguments than its own."""
    lines = [
        f"%is_called = icmp eq i64 %count, {len(kinds)}",
        "br i1 %is_called, label %take, label %refuse",
        "refuse:",
        "%refused = call i32 @PyErr_BadArgument()",
        "ret ptr null",
        "take:",
    ]
    for k, kind in enumerate(kinds):
        of, function = _TAKEN[kind]
        lines += [
            f"%p{k} = getelementptr ptr, ptr %arguments, i64 {k}",
            f"%o{k} = load ptr, ptr %p{k}",
            f"%v{k} = call {of} @{function}(ptr %o{k})",
            f"%a{k} = trunc i64 %v{k} to i1" if kind == "i1" else f"%a{k} = bitcast {of} %v{k} to {kind}",
        ]
    lines += [
        "%error = call ptr @PyErr_Occurred()",
        "%is_taken = icmp eq ptr %error, null",
        "br i1 %is_taken, label %do, label %raise",
        "raise:",
        "ret ptr null",
        "do:",
        *_answer_lines(name, ", ".join(f"{kind} %a{k}" for k, kind in enumerate(kinds)), answer),
    ]
    body = "\n".join(f"  {line}" for line in lines)
    return f"define ptr @{SECOND}{name}(ptr %self, ptr %arguments, i64 %count) {{\n{body}\n}}\n"


def _answer_lines(name: str, given: str, answer: Kind) -> list[str]:
    """The call, and an object made from its result."""
    made, function = _ANSWERED[answer]
    if answer == "void":
        lines, result = [f"call void @{name}({given})"], "0"
    else:
        lines, result = [f"%result = call {answer} @{name}({given})"], "%result"
    if answer == "i1":
        lines, result = [*lines, f"%truth = zext i1 %result to {made}"], "%truth"
    if name in AWAY:
        lines = ["%thread = call ptr @PyEval_SaveThread()", *lines, "call void @PyEval_RestoreThread(ptr %thread)"]
    if name in CALLING:
        lines += ["%raised = call ptr @PyErr_Occurred()", "%is_well = icmp eq ptr %raised, null"]
        lines += ["br i1 %is_well, label %answer, label %raise", "answer:"]
    return [*lines, f"%object = call ptr @{function}({made} {result})", "ret ptr %object"]


class _Definition(ctypes.Structure):
    """`PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


def builtin(name: str, address: int) -> Callable[..., object]:
    """The function at an address, which `call_text` has described, as a builtin function."""
    definition = _Definition(name.encode(), address, FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.argtypes, make.restype = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p), ctypes.py_object
    # The definition must live as long as the function, which therefore has it for its `__self__`.
    function: Callable[..., object] = make(ctypes.addressof(definition), definition, None)
    return function
