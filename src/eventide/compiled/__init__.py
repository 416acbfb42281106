"""Laws and conditions, which are plain Python, as native functions over the table of slots.

May import: continuous, discrete, declare, errors. Start reading at `registry.py`, then `lower.py` and `statements.py`.
"""

from eventide.compiled.lower import lower_condition, lower_law
from eventide.compiled.lowered import Access, Constant, Kernel, Lowered
from eventide.compiled.paths import Binding
from eventide.compiled.refusal import CannotLower
from eventide.compiled.registry import Bound, Registry
from eventide.compiled.store import Store, compile_kernel

__all__ = [
    "Access",
    "Binding",
    "Bound",
    "CannotLower",
    "Constant",
    "Kernel",
    "Lowered",
    "Registry",
    "Store",
    "compile_kernel",
    "lower_condition",
    "lower_law",
]
