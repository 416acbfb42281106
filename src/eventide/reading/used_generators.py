"""Generators that cannot become the story of a process, and why."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any, Final, NoReturn

from eventide.errors import ModelError


def _what_to_write(made: object) -> str:
    """What its author is to write instead of something that is no generator."""
    if isinstance(made, CoroutineType):
        made.close()  # it will not be awaited, of which Python would warn
    if isinstance(made, CoroutineType | AsyncGeneratorType):
        return "write `def` for `async def`, and `yield` for `await`"
    return "a process needs at least one `yield`"


GIVEN: Final = "(the story of a process)"
"""The name of a generator that a process has got: no kind has it, so that giving it twice is noticed for nothing."""


def refuse_used(taker: str, generator: GeneratorType[Any, Any, Any]) -> NoReturn:
    """Raise the ModelError for a generator that a process runs already, or that has ended."""
    is_over = generator.gi_frame is None
    if generator.__name__ == GIVEN:
        found = "was the story of another process" if is_over else "is the story of another process"
    else:
        found = "has come to its end" if is_over else "has begun"
    raise ModelError(
        f"{taker} a new generator, and got {generator.__qualname__}(...), which {found}: "
        "call the function again for each process"
    )
