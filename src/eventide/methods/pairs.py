"""Embedded pairs: two solutions of different order from the same stages."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from eventide.methods.interpolants import nested
from eventide.methods.method import Method, explicit
from eventide.methods.surd import Row, combine, row, rows
from eventide.methods.tableau import Tableau

RK43: Final = explicit(
    Tableau(
        name="Runge-Kutta 4(3)",
        order=4,
        nodes=row("0 1/2 1/2 1"),
        matrix=rows("", "1/2", "0 1/2", "0 0 1"),
        weights=row("1/6 2/6 2/6 1/6"),
        embedded=row("1/6 2/6 2/6 0 1/6"),
        embedded_order=3,
        source="Pannek, lecture notes, Table 3.9, whose rows lack a column and whose labels are exchanged",
    )
)
"""The classical method with a solution of order 3 that uses the rate at the end.

Its estimate is the difference of two rates at the end, and does not see that a rate has jumped inside the step. Laws
that may jump where it is not located, as `sim.explain().branches` names them, are refused with it.
"""

BOGACKI_SHAMPINE: Final = explicit(
    Tableau(
        name="Bogacki-Shampine 3(2)",
        order=3,
        nodes=row("0 1/2 3/4"),
        matrix=rows("", "1/2", "0 3/4"),
        weights=row("2/9 1/3 4/9"),
        embedded=row("7/24 1/4 1/3 1/8"),
        embedded_order=2,
        source="Bogacki & Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Letters 2 (1989)",
    )
)
"""Order 3, 2 controlled: for coarse tolerances."""

_DORMAND_PRINCE_WEIGHTS = row("35/384 0 500/1113 125/192 -2187/6784 11/84")

DORMAND_PRINCE: Final = explicit(
    Tableau(
        name="Dormand-Prince 5(4)",
        order=5,
        nodes=row("0 1/5 3/10 4/5 8/9 1"),
        matrix=rows(
            "",
            "1/5",
            "3/40 9/40",
            "44/45 -56/15 32/9",
            "19372/6561 -25360/2187 64448/6561 -212/729",
            "9017/3168 -355/33 46732/5247 49/176 -5103/18656",
        ),
        weights=_DORMAND_PRINCE_WEIGHTS,
        embedded=row("5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40"),
        embedded_order=4,
        dense=nested(
            6,
            _DORMAND_PRINCE_WEIGHTS,
            row(
                "-12715105075/11282082432 0 87487479700/32700410799 -10690763975/1880347072 "
                "701980252875/199316789632 -1453857185/822651844 69997945/29380423"
            ),
        ),
        dense_order=4,
        source="Dormand & Prince, J. Comp. Appl. Math. 6 (1980); Pannek, lecture notes, Table 3.10, labels exchanged; "
        "interpolant: Shampine, in Hairer, Norsett & Wanner, Solving ODEs I, II.6 and program DOPRI5",
    ),
    sample=Fraction(2, 5),
)
"""Order 5, 4 controlled, interpolant of order 4."""


_FEHLBERG_DENSE = rows(
    "1",
    "-19/8 0 1024/285 -2197/456 21/10 0 3/2",
    "239/108 0 -2560/513 24167/2052 -5 0 -4",
    "-13/18 0 1664/855 -2197/342 27/10 0 5/2",
)


def _fehlberg(*, local_extrapolation: bool) -> Method:
    nodes = row("0 1/4 3/8 12/13 1 1/2")
    fourth = row("25/216 0 1408/2565 2197/4104 -1/5 0")
    fifth = row("16/135 0 6656/12825 28561/56430 -9/50 2/55")
    weights, embedded = (fifth, fourth) if local_extrapolation else (fourth, fifth)
    dense: tuple[Row, ...] = _FEHLBERG_DENSE
    if local_extrapolation:
        # It ends in the solution of order 5 by 3 theta**2 - 2 theta**3 of the error, which changes no slope at an end.
        error = combine((1, fifth), (-1, fourth))
        dense = (dense[0], combine((1, dense[1]), (3, error)), combine((1, dense[2]), (-2, error)), dense[3])
    return explicit(
        Tableau(
            name="Runge-Kutta-Fehlberg 5(4)" if local_extrapolation else "Runge-Kutta-Fehlberg 4(5)",
            order=5 if local_extrapolation else 4,
            nodes=nodes,
            matrix=rows(
                "",
                "1/4",
                "3/32 9/32",
                "1932/2197 -7200/2197 7296/2197",
                "439/216 -8 3680/513 -845/4104",
                "-8/27 2 -3544/2565 1859/4104 -11/40",
            ),
            weights=weights,
            embedded=embedded,
            embedded_order=4 if local_extrapolation else 5,
            dense=dense,
            dense_order=4,
            source="Fehlberg, NASA TR R-315 (1969), Table III; Hairer, Norsett & Wanner, Solving ODEs I, II.5; "
            "interpolant: the one solution of the conditions of order 4 that leaves out the stage at 1/2",
        ),
        scale_stage=5,
        sample=Fraction(3, 20),
    )


FEHLBERG: Final = _fehlberg(local_extrapolation=False)
"""Fehlberg's pair: order 4 is propagated and controlled."""

FEHLBERG_EXTRAPOLATED: Final = _fehlberg(local_extrapolation=True)
"""Fehlberg's pair with local extrapolation: order 5 is propagated, 4 controlled."""
