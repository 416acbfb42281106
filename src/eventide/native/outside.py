"""What native code calls outside: functions of the mathematical library and of Python, by the names they have there."""

from __future__ import annotations

from typing import Final

from eventide.native import calls

LIBRARY: Final = ("exp", "log", "log1p", "sin", "cos", "atan")
"""The functions of `math` that have the same name in the mathematical library and one argument."""
MATHEMATICAL: Final = ("pow", "fmod", *LIBRARY)
"""What the stepper and kernels need of the mathematical library."""
NEEDED: Final = (*MATHEMATICAL, *calls.NEEDED)
"""What it calls with its entries."""
ATTRIBUTES: Final = (
    "PyObject_GetAttr",
    "PyObject_SetAttr",
    "PyObject_Type",
    "PyErr_Clear",
    "PyErr_Occurred",
    "PyLong_AsLongLong",
    "PyLong_FromLongLong",
    "PyBool_FromLong",
    "PyUnicode_Compare",
    "PyObject_GetItem",
)
"""The functions of Python that instructions for attributes call, besides those of draws."""
OUTSIDE: Final = (
    *MATHEMATICAL,
    "PyObject_CallNoArgs",
    "PyObject_CallOneArg",
    "PyObject_CallObject",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyIter_Next",
    "PyFloat_AsDouble",
    "PyFloat_FromDouble",
    "PyObject_Size",
    "PySequence_GetItem",
    "Py_DecRef",
    *ATTRIBUTES,
)
"""What kernels of processes call: these, and methods of builtin objects."""
