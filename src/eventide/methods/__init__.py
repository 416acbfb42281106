"""Integration methods as exact data: tableaux with order and source, and what can be proved and measured of them.

In: published coefficients, as fractions or numbers a + b * sqrt(d). Out: `Method`s and `Newton`s, which `sim.method`
takes, and `Tableau`s. Invariant: the order of each is proved by the conditions of all rooted trees, not measured.

May import: inputs, discrete, native, engine, statistics, declare, errors. Start reading at `tableau.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eventide.methods.conditions import dense_defects, order_defects
from eventide.methods.dop853 import DOP853
from eventide.methods.england import ENGLAND, ENGLAND_PLAIN
from eventide.methods.explicit_fixed import EULER, HEUN3, KUTTA_SIMPSON, MIDPOINT, RK4, RK4_38, TRAPEZOID
from eventide.methods.flags import method_from_flags
from eventide.methods.method import Method, explicit, fixed
from eventide.methods.multistep import ADAMS, ADAMS_SIMPSON, HEUN, HEUN_AS_PRINTED, Multistep
from eventide.methods.newton import Newton
from eventide.methods.pairs import BOGACKI_SHAMPINE, DORMAND_PRINCE, FEHLBERG, FEHLBERG_EXTRAPOLATED, RK43
from eventide.methods.surd import Exact, Surd, row, rows
from eventide.methods.tableau import LEAST_STAGES, Tableau
from eventide.methods.trees import Tree, density, rooted_trees, size, trees_up_to

if TYPE_CHECKING:
    from eventide.methods.consistency import (
        cocycle_defect,
        consistency_order,
        convergence_order,
        lipschitz_constant,
        stability_constant,
    )
    from eventide.methods.drive import jacobian, one_step, solve
    from eventide.methods.implicit import (
        GAUSS_2,
        GAUSS_3,
        IMPLICIT_EULER,
        IMPLICIT_MIDPOINT,
        LOBATTO_IIIA_2,
        LOBATTO_IIIA_3,
        LOBATTO_IIIA_4,
        LOBATTO_IIIB_2,
        LOBATTO_IIIB_3,
        LOBATTO_IIIB_4,
        LOBATTO_IIIC_2,
        LOBATTO_IIIC_3,
        LOBATTO_IIIC_4,
        RADAU,
        RADAU_IA_2,
        RADAU_IA_3,
        RADAU_IIA_2,
        RADAU_IIA_3,
        SDIRK_2,
        SDIRK_2_L,
        SDIRK_3_L,
    )
    from eventide.methods.path import PathIntegrator, PathState, hermite_interpolate
    from eventide.methods.solution import (
        Adaptive,
        Explicit,
        Implicit,
        Multiscale,
        OneStep,
        SolutionMethod,
        Trajectory,
        solution_method,
    )
    from eventide.methods.stability import StabilityFunction, stability_function

__all__ = [
    "ADAMS",
    "ADAMS_SIMPSON",
    "BOGACKI_SHAMPINE",
    "DOP853",
    "DORMAND_PRINCE",
    "ENGLAND",
    "ENGLAND_PLAIN",
    "EULER",
    "FEHLBERG",
    "FEHLBERG_EXTRAPOLATED",
    "GAUSS_2",
    "GAUSS_3",
    "HEUN",
    "HEUN3",
    "HEUN_AS_PRINTED",
    "IMPLICIT_EULER",
    "IMPLICIT_MIDPOINT",
    "KUTTA_SIMPSON",
    "LEAST_STAGES",
    "LOBATTO_IIIA_2",
    "LOBATTO_IIIA_3",
    "LOBATTO_IIIA_4",
    "LOBATTO_IIIB_2",
    "LOBATTO_IIIB_3",
    "LOBATTO_IIIB_4",
    "LOBATTO_IIIC_2",
    "LOBATTO_IIIC_3",
    "LOBATTO_IIIC_4",
    "MIDPOINT",
    "RADAU",
    "RADAU_IA_2",
    "RADAU_IA_3",
    "RADAU_IIA_2",
    "RADAU_IIA_3",
    "RK4",
    "RK4_38",
    "RK43",
    "SDIRK_2",
    "SDIRK_2_L",
    "SDIRK_3_L",
    "TRAPEZOID",
    "Adaptive",
    "Exact",
    "Explicit",
    "Implicit",
    "Method",
    "Multiscale",
    "Multistep",
    "Newton",
    "OneStep",
    "PathIntegrator",
    "PathState",
    "SolutionMethod",
    "StabilityFunction",
    "Surd",
    "Tableau",
    "Trajectory",
    "Tree",
    "cocycle_defect",
    "consistency_order",
    "convergence_order",
    "dense_defects",
    "density",
    "explicit",
    "fixed",
    "hermite_interpolate",
    "jacobian",
    "lipschitz_constant",
    "method_from_flags",
    "one_step",
    "order_defects",
    "rooted_trees",
    "row",
    "rows",
    "size",
    "solution_method",
    "solve",
    "stability_constant",
    "stability_function",
    "trees_up_to",
]

_LATER = {
    "consistency": (
        "cocycle_defect",
        "consistency_order",
        "convergence_order",
        "lipschitz_constant",
        "stability_constant",
    ),
    "implicit": (
        "GAUSS_2",
        "GAUSS_3",
        "IMPLICIT_EULER",
        "IMPLICIT_MIDPOINT",
        "LOBATTO_IIIA_2",
        "LOBATTO_IIIA_3",
        "LOBATTO_IIIA_4",
        "LOBATTO_IIIB_2",
        "LOBATTO_IIIB_3",
        "LOBATTO_IIIB_4",
        "LOBATTO_IIIC_2",
        "LOBATTO_IIIC_3",
        "LOBATTO_IIIC_4",
        "RADAU",
        "RADAU_IA_2",
        "RADAU_IA_3",
        "RADAU_IIA_2",
        "RADAU_IIA_3",
        "SDIRK_2",
        "SDIRK_2_L",
        "SDIRK_3_L",
    ),
    "drive": (
        "jacobian",
        "one_step",
        "solve",
    ),
    "solution": (
        "Adaptive",
        "Explicit",
        "Implicit",
        "Multiscale",
        "OneStep",
        "SolutionMethod",
        "Trajectory",
        "solution_method",
    ),
    "path": (
        "PathIntegrator",
        "PathState",
        "hermite_interpolate",
    ),
    "stability": (
        "StabilityFunction",
        "stability_function",
    ),
}
_HOME_OF = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load what few models use when it is first asked for: the exact numbers of implicit tableaux take 40 ms."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names alone."""
    return sorted(__all__)
