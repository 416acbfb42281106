"""The colours of figures, distinguishable with every kind of colour vision, on light and on dark backgrounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

COLOURS: Final[tuple[str, ...]] = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Distinguishable with every kind of colour vision. Source: Okabe & Ito 2008, Color Universal Design; their yellow is
left out, because it is too pale for a line on white."""

DARK_COLOURS: Final[tuple[str, ...]] = ("#56B4E9", "#E69F00", "#2EBD90", "#CC79A7", "#F0E442", "#E8703A", "#FFFFFF")
"""The same family on a dark ground: their blue is left out, which is too dark, green and vermilion are lighter."""

STROKES: Final = ("-", "--", ":")
"""Further lines than there are colours are broken."""


@dataclass(frozen=True)
class Tones:
    """The colours of a picture.

    ground, ink     of the paper, and of the words on it
    frame, grid     of the axes, and of the lines behind the data
    colours         of the data, one after the other
    """

    ground: str
    ink: str
    frame: str
    grid: str
    colours: tuple[str, ...]


LIGHT: Final = Tones("#ffffff", "#000000", "#4d4d4d", "#d9d9d9", COLOURS)
DARK: Final = Tones("#14181d", "#e8e8e8", "#b0b6bd", "#353c44", DARK_COLOURS)
