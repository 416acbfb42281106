"""Explicit Runge-Kutta methods with a fixed step."""

from __future__ import annotations

from typing import Final

from eventide.methods.method import fixed
from eventide.methods.surd import row, rows

EULER: Final = fixed("Euler", 1, rows(""), row("1"), "Helsgaun, COMBINEDSIMULATION manual, 2.2.1.1")
"""Euler's method: order 1, one evaluation a step."""

TRAPEZOID: Final = fixed(
    "Trapezoid",
    2,
    rows("", "1"),
    row("1/2 1/2"),
    "Helsgaun, COMBINEDSIMULATION manual, 2.2.1.3, over the whole step; Pannek, lecture notes, Example 3.15 (Heun)",
)
"""The explicit trapezoidal rule, which the lecture notes call Heun's method: order 2, two evaluations a step."""

MIDPOINT: Final = fixed(
    "Midpoint", 2, rows("", "1/2"), row("0 1"), "Runge, Math. Ann. 46 (1895); Hairer, Norsett & Wanner I, II.1"
)
"""The explicit midpoint rule: order 2, two evaluations a step."""

HEUN3: Final = fixed(
    "Heun of order 3",
    3,
    rows("", "1/3", "0 2/3"),
    row("1/4 0 3/4"),
    "Heun, Z. Math. Phys. 45 (1900); Hairer, Norsett & Wanner I, II.1",
)
"""Heun's method of order 3, three evaluations a step."""

KUTTA_SIMPSON: Final = fixed(
    "Kutta-Simpson",
    3,
    rows("", "1/2", "-1 2"),
    row("1/6 4/6 1/6"),
    "Kutta, Z. Math. Phys. 46 (1901): with Simpson's weights the one choice of order 3; named SIMPSON in the manual",
)
"""Simpson's rule with Kutta's third stage: order 3, three evaluations a step."""

RK4: Final = fixed(
    "Classical Runge-Kutta",
    4,
    rows("", "1/2", "0 1/2", "0 0 1"),
    row("1/6 2/6 2/6 1/6"),
    "Kutta, Z. Math. Phys. 46 (1901); Pannek, lecture notes, Table 3.4",
)
"""The classical Runge-Kutta method: order 4, four evaluations a step."""

RK4_38: Final = fixed(
    "Runge-Kutta, 3/8 rule",
    4,
    rows("", "1/3", "-1/3 1", "1 -1 1"),
    row("1/8 3/8 3/8 1/8"),
    "Kutta, Z. Math. Phys. 46 (1901); Hairer, Norsett & Wanner I, II.1",
)
"""Kutta's method on the 3/8 rule: order 4, four evaluations a step."""
