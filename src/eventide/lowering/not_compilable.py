"""What is said when a piece of Python cannot become native code."""

from __future__ import annotations

from eventide.reading.source import CannotLower

__all__ = ["CannotLower", "Unlowerable"]


class Unlowerable(Exception):
    """Why something cannot be lowered, on its way to the place that knows where it stands."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
