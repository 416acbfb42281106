"""What can be read off code without its text: the attributes that it sets, whether a generator stands in a loop."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, GeneratorType

from eventide.reading.twins import inner_of


def stored_in(code: CodeType) -> Iterator[str]:
    """The names of the attributes that code sets, in functions inside it as well."""
    for step in dis.get_instructions(code):
        if step.opname == "STORE_ATTR":
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from stored_in(constant)


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
