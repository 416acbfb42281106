"""What is said when a piece of Python cannot become native code."""

from __future__ import annotations

from eventide.errors import ModelError


class CannotLower(ModelError):
    """A law or condition stays Python: names the user's line, what stands there, and why it cannot be followed.

    file, line      where it stands
    construct       the source text, shortened
    why             the reason, with what to write instead if there is something
    stranger        the name of what belongs to another simulation, if that is the reason
    """

    stranger = ""

    def __init__(self, file: str, line: int, construct: str, why: str) -> None:
        super().__init__(f"{file}:{line}: `{construct}`: {why}")
        self.file = file
        self.line = line
        self.construct = construct
        self.why = why

    def __reduce__(self) -> tuple[type[CannotLower], tuple[str, int, str, str]]:
        return type(self), (self.file, self.line, self.construct, self.why)


class Unlowerable(Exception):
    """Why something cannot be lowered, on its way to the place that knows where it stands."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
