"""Functions of the user as native kernels over the table of slots, with what their callers know of them.

May import: continuous, methods, inputs, discrete, reading, enclosures, native, engine, declare, errors.
In: code, and one object that it is called with. Out: instructions, and what the kernel reads, writes and is made with.
Nothing of it depends on which object that was. Start reading at `kernels/lowering.py` and `translation/context.py`.

names           what code refers to
translation     code as instructions: the context, the rules, the dialects
kernels         whole functions, and what their callers know of them
"""

from eventide.lowering.kernels.lowered import Access, Anchor, Kernel, Lowered, compile_kernel
from eventide.lowering.kernels.lowering import lower_condition, lower_law
from eventide.lowering.names.binder import Binding
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.constants import Constant

__all__ = [
    "Access",
    "Anchor",
    "Binding",
    "CannotLower",
    "Constant",
    "Kernel",
    "Lowered",
    "compile_kernel",
    "lower_condition",
    "lower_law",
]
