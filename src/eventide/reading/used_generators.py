"""Generators that cannot become the generator of a process, and yields that are no command: what to write instead."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Final, NoReturn

from eventide.errors import ModelError


def _what_to_write(made: object) -> str:
    """What its author is to write instead of something that is no generator."""
    if isinstance(made, CoroutineType):
        made.close()  # it will not be awaited, of which Python would warn
    if isinstance(made, CoroutineType | AsyncGeneratorType):
        return "write `def` for `async def`, and `yield` for `await`"
    return "a process needs at least one `yield`"


GIVEN: Final = "(the generator of a process)"
"""The name of a generator that a process has got: no kind has it, so that giving it twice is noticed for nothing."""


def refuse_used(taker: str, generator: GeneratorType[object, object, object]) -> NoReturn:
    """Raise the ModelError for a generator that a process runs already, or that has ended."""
    is_over = generator.gi_frame is None
    if generator.__name__ == GIVEN:
        found = "has run another process" if is_over else "runs another process"
    else:
        found = "has come to its end" if is_over else "has begun"
    raise ModelError(
        f"{taker} a new generator, and got {generator.__qualname__}(...), which {found}: "
        "call the function again for each process"
    )


def what_to_yield(mistaken: object) -> str:
    """What to write in place of something that was yielded and is no command."""
    if isinstance(mistaken, GeneratorType):
        return "write `yield from` to go through it, or yield sim.process(...) to wait for its end"
    if getattr(mistaken, "_makes_command", False) is True:
        return f"call it, as in `yield {getattr(mistaken, '__name__', '')}(...)`"
    waited_for = getattr(mistaken, "_waited_for", None)
    if isinstance(waited_for, str):
        return waited_for
    if isinstance(mistaken, list | tuple):
        return (
            "yield one command after the other, or several at once as all_of(name=..., ...) or first_of(name=..., ...)"
        )
    if callable(mistaken):
        return "write `yield until(...)` to wait until a condition is true"
    return "yield a number, hold(...), until(...), passivate(), a request, a process or another command"
