"""What can be read off code without its text: the attributes that it sets, whether a generator stands in a loop."""

from __future__ import annotations

import dis
from functools import cache
from types import CodeType, GeneratorType
from typing import Final

from eventide.reading.twins import inner_of


@cache
def stored_in(code: CodeType) -> frozenset[str]:
    """The names of the attributes that code sets, in functions inside it as well.

    They are kept: most of a class's functions are those of classes above it, which other classes have as well.
    """
    own = [step.argval for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"]
    return frozenset(own).union(*[stored_in(inner) for inner in code.co_consts if isinstance(inner, CodeType)])


def is_in_loop(generator: object) -> bool:
    """Whether a suspended generator, or one that it delegates to, stands inside a loop."""
    while type(generator) is GeneratorType and generator.gi_frame is not None:
        place = generator.gi_frame.f_lasti
        # `yield from` itself jumps back as well, by an instruction of its own.
        for step in dis.get_instructions(generator.gi_code):
            if step.opname == "JUMP_BACKWARD" and step.argval <= place <= step.offset:
                return True
        generator = inner_of(generator)
    return False


_TRUTHS: Final = ("COMPARE_OP", "CONTAINS_OP", "IS_OP", "UNARY_NOT")


def gives_truth(function: object) -> bool:
    """Whether a function surely returns True or False: what stands before each return compares."""
    code = getattr(function, "__code__", None)
    names = [] if code is None else [step.opname for step in dis.get_instructions(code)]
    before = [names[place - 1] for place, name in enumerate(names) if name.startswith("RETURN_") and place]
    return bool(before) and all(name in _TRUTHS for name in before)
