"""All tableaux of the library by name, and the problems that methods are measured on."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, sin

import numpy as np

from eventide import methods
from eventide.methods import Method, Tableau


def _tableaux() -> dict[str, Tableau]:
    found = {}
    for name in methods.__all__:
        value = getattr(methods, name)
        if isinstance(value, Method):
            found[name] = value.tableau
        elif isinstance(value, Tableau):
            found[name] = value
    return found


TABLEAUX = _tableaux()
METHODS = {name: value for name in methods.__all__ if isinstance(value := getattr(methods, name), Method)}

Law = Callable[[float, np.ndarray], np.ndarray]
Solution = Callable[[float], float]

PROBLEMS: dict[str, tuple[Law, Solution]] = {
    "-2ty^2": (lambda t, y: -2.0 * t * y * y, lambda t: 1.0 / (1.0 + t * t)),
    "y cos t": (lambda t, y: y * cos(t), lambda t: exp(sin(t))),
    "-y^3/2+cos t+sin^3 t/2": (lambda t, y: -(y**3) / 2.0 + cos(t) + sin(t) ** 3 / 2.0, sin),
}
