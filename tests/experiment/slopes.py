"""Derivatives of closed forms, by a complex step."""

from __future__ import annotations

from collections.abc import Callable

EPS = 1e-30


def slopes(function: Callable[..., complex], **values: float) -> dict[str, float]:
    """The derivatives of an analytic function at real values."""
    return {name: function(**{**values, name: value + EPS * 1j}).imag / EPS for name, value in values.items()}


def close(found: float, expected: float, tolerance: float = 1e-8) -> bool:
    return abs(found - expected) <= tolerance * max(1.0, abs(expected))
