"""The four flags by which programs written for the manual choose their method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.methods.england import ENGLAND
from eventide.methods.explicit_fixed import EULER, KUTTA_SIMPSON, TRAPEZOID
from eventide.methods.multistep import ADAMS, ADAMS_SIMPSON, HEUN, Multistep

if TYPE_CHECKING:
    from eventide.methods.method import Method


def method_from_flags(
    *, euler: bool = False, adams: bool = False, trapez: bool = False, simpson: bool = False
) -> Method | Multistep:
    """The method that the manual's flags choose; none of them: Runge-Kutta-England.

    Source      Helsgaun, COMBINEDSIMULATION manual, 2.2.1: the table, not the text on HEUN
    """
    if simpson:
        return ADAMS_SIMPSON if adams else KUTTA_SIMPSON
    if trapez:
        return HEUN if adams else TRAPEZOID
    if adams:
        return ADAMS
    return EULER if euler else ENGLAND
