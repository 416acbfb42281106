"""A text and an enumeration that models of several tests have for modes."""

from __future__ import annotations

import enum


def built(text: str) -> str:
    """An equal text that is another object."""
    return "".join([text[:1], text[1:]])


class Way(enum.Enum):
    UP = 1
    DOWN = 2
    REST = 3
