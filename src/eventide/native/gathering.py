"""Gather functions of the stepper's language, with all functions that they call, as assembly.

What depends on the method's degree (interpolant, bounds of proofs) is translated once for each method, with loops
unrolled, and called at an address of the table `kernels`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Final

from eventide.engine.guard_signs import crossing, sign_of
from eventide.engine.stepper import move_slot
from eventide.engine.taylor_arithmetic import stretch
from eventide.engine.taylor_models import enclose_state
from eventide.native.attributes import ATTRIBUTES
from eventide.native.instructions import INSTRUCTIONS
from eventide.native.outside import MATHEMATICAL
from eventide.native.statements import Translation
from eventide.native.values import Untranslatable

_INLINED: Final = frozenset(["evaluate", "execute", "run_laws", "is_true", "holds", "copy", "combine", "combine_by"])
"""Small functions on the path of every evaluation, which LLVM would leave as calls."""
WRITTEN_OUT: Final[tuple[FunctionType, ...]] = (enclose_state, stretch, sign_of, crossing, move_slot)  # type: ignore[assignment]
"""Functions made for each method, with loops over the degree unrolled. They are called at the first addresses in
`kernels`."""
FITTING: Final = len(WRITTEN_OUT)
"""The place in `kernels` of the address of the function for the interpolant's coefficients; after it that of the
interpolant, of the same with its derivative, of its bounds, and those of the rows of the method's table."""
INTERPOLANT: Final = FITTING + 1
MOTION: Final = FITTING + 2
BOUNDS: Final = FITTING + 3
FIRST_ROW: Final = FITTING + 4


def gathered(
    functions: Mapping[str, FunctionType], replaced: object = None, sizes: Sequence[int] | None = None
) -> list[str]:
    """The assembly of functions and of those that they call, preceded by declarations.

    replaced    a module whose functions replace those of the same name
    sizes       those of the method, if the functions are for one method; else its functions are called at addresses
    Raises Untranslatable.
    """
    own = {} if sizes is not None else {function.__name__: k for k, function in enumerate(WRITTEN_OUT)}
    known = {name: getattr(replaced, name, function) for name, function in functions.items()}
    waiting = dict(known)
    texts: dict[str, str] = {}
    declarations: dict[str, None] = {}
    while waiting:
        name, function = waiting.popitem()
        translation = Translation(function, {**INSTRUCTIONS, **ATTRIBUTES}, mark=_mark(function), sizes=sizes, own=own)
        texts[name] = translation.text
        declarations.update(dict.fromkeys(translation.builder.declarations()))
        assert set(translation.builder.symbols) <= set(MATHEMATICAL)
        for called, named in translation.called.items():
            other = getattr(replaced, called, named)
            if known.setdefault(called, other) is not other:
                raise Untranslatable(f"two functions of the stepper are called {called}")
            if called not in texts:
                waiting[called] = other
    return [*declarations, *(texts[name] for name in sorted(texts))]


def _mark(function: FunctionType) -> str:
    """The attributes of a function of the stepper for the compiler."""
    return "alwaysinline" if function.__name__ in _INLINED else ""
