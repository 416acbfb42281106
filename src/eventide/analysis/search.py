"""Search methods: each asks for the values of points, some at a time, until it has found enough.

In: a function of several points at once, a space, a start. Out: in words, why it ended; what it found the evaluations
know. Every method is deterministic: its own random numbers follow from the entropy, and how many points it asks for at
a time does not depend on the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from eventide.errors import ModelError
from eventide.libraries import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from numpy.typing import NDArray
    from scipy.optimize import OptimizeResult

    from eventide.analysis.space import Axis, Space

    Coordinates: TypeAlias = NDArray[np.float64]
    Objective: TypeAlias = Callable[[Iterable[Coordinates]], Sequence[float]]

AT_A_TIME: Final = 4
"""The number of points that Optuna gives before it gets their values."""
EDGE: Final = 0.25
"""The edges of the first simplex and the first trust region, as a share of the ranges."""
UNLIMITED: Final = 10**9
"""The evaluations are counted elsewhere."""
_UNLIMITED_BOTH: Final = {"maxiter": UNLIMITED, "maxfev": UNLIMITED}


@dataclass(frozen=True)
class Asked:
    """What a search is asked to do.

    start       the coordinates at which it begins
    tolerance   it ends when its points differ by less than this share of the ranges
    seed        of its own random numbers
    options     of the library's function, by name
    """

    objective: Objective
    space: Space
    start: Coordinates
    tolerance: float
    seed: int
    options: Mapping[str, object]


@dataclass(frozen=True)
class Method:
    """A search method: how it is run, and whether all parameters must vary continuously."""

    search: Callable[[Asked], str]
    needs_real: bool


def method_for(space: Space, name: str | None, evaluations: int) -> str:
    """The name of a method that suits the space, where none was asked for.

    Raises      ModelError for an unknown method, and for one that needs real parameters where others are varied
    """
    if name is None:
        if space.size <= evaluations:
            return "enumeration"
        return "nelder-mead" if space.is_real else "differential evolution"
    if name not in METHODS:
        raise ModelError(f"method= takes {', '.join(map(repr, METHODS))}, and got {name!r}")
    if METHODS[name].needs_real and not space.is_real:
        other = next(axis.name for axis in space.axes if not axis.is_real)
        able = ", ".join(repr(known) for known, method in METHODS.items() if not method.needs_real)
        raise ModelError(f"{name!r} varies real parameters only, and {other} is none: take {able}")
    if name == "enumeration" and space.size == inf:
        real = next(axis.name for axis in space.axes if axis.is_real)
        raise ModelError(f"'enumeration' goes through all points, and {real} has infinitely many: give a list of them")
    return name


# --- scipy.optimize ---------------------------------------------------------------------------------------------------


def _minimize(asked: Asked, method: str, options: Mapping[str, object]) -> str:
    import scipy.optimize

    library: ModuleType = scipy.optimize  # its stubs want literal names of methods and options
    count = len(asked.start)

    def value(x: Coordinates) -> float:
        return asked.objective([x])[0]

    bounds = library.Bounds(np.zeros(count), np.ones(count))
    # A run that failed is infinitely bad, and the difference of two such is no number.
    with np.errstate(invalid="ignore"):
        found = library.minimize(value, asked.start, method=method, bounds=bounds, options={**options, **asked.options})
    return str(found.message).strip().rstrip(".")


def _nelder_mead(asked: Asked) -> str:
    """Source: Nelder & Mead 1965, Computer J. 7; it ends by the size of its simplex alone."""
    corners = np.tile(asked.start, (len(asked.start) + 1, 1))
    for place in range(len(asked.start)):
        corners[place + 1, place] += EDGE if corners[place + 1, place] <= 0.5 else -EDGE
    asked.objective(corners)  # all at once
    options = {"initial_simplex": corners, "xatol": asked.tolerance, "fatol": inf, **_UNLIMITED_BOTH}
    _minimize(asked, "Nelder-Mead", options)
    return f"the simplex is smaller than {asked.tolerance:g} of the ranges"


def _powell(asked: Asked) -> str:
    """Source: Powell 1964, Computer J. 7."""
    options = {"xtol": asked.tolerance, "ftol": asked.tolerance**2, **_UNLIMITED_BOTH}
    _minimize(asked, "Powell", options)
    return f"a round of line searches brought less than {asked.tolerance**2:g} of the value"


def _cobyqa(asked: Asked) -> str:
    """Source: Ragonneau 2022, thesis, The Hong Kong Polytechnic University."""
    options = {"initial_tr_radius": EDGE, "final_tr_radius": asked.tolerance, **_UNLIMITED_BOTH}
    told = _minimize(asked, "COBYQA", options)
    return f"cobyqa: {told[:1].lower()}{told[1:]}"


def _differential_evolution(asked: Asked) -> str:
    """Source: Storn & Price 1997, J. Global Optim. 11; whole numbers and places of choices are rounded."""
    import scipy.optimize

    library: ModuleType = scipy.optimize  # its stubs do not know a function of many points at once
    axes = asked.space.axes
    chosen: dict[str, object] = {"popsize": 8, "tol": 0.0, "atol": 0.0, "polish": False, "maxiter": UNLIMITED}
    chosen |= {"integrality": [axis.is_whole for axis in axes], "x0": asked.start, "callback": _Settled(asked)}
    chosen |= {"vectorized": True, "updating": "deferred", "rng": np.random.default_rng(asked.seed)}

    def values(columns: Coordinates) -> Coordinates:
        return np.array(asked.objective(columns.T))

    with np.errstate(invalid="ignore"):
        found = library.differential_evolution(values, [axis.bounds for axis in axes], **{**chosen, **asked.options})
    if found.message.startswith("callback"):
        return f"all points of the population lie within {asked.tolerance:g} of the ranges"
    return str(found.message).strip().rstrip(".")


class _Settled:
    """Stops differential evolution once its population has come together."""

    def __init__(self, asked: Asked) -> None:
        self._widths = np.array([high - low for low, high in (axis.bounds for axis in asked.space.axes)])
        self._tolerance = asked.tolerance

    def __call__(self, intermediate_result: OptimizeResult) -> None:
        spread = np.ptp(intermediate_result.population, axis=0) / self._widths
        if bool((spread <= self._tolerance).all()):
            raise StopIteration


def _enumeration(asked: Asked) -> str:
    asked.objective(asked.space.all_points())
    return "every point was evaluated"


# --- Optuna -----------------------------------------------------------------------------------------------------------


def _tpe(asked: Asked) -> str:
    """Source: Bergstra, Bardenet, Bengio & Kegl 2011, NIPS 24 (tree-structured Parzen estimator); Optuna."""
    optuna = load("optuna", "optuna", "the method 'tpe'")
    distributions = {axis.name: _distribution(optuna, axis) for axis in asked.space.axes}
    with _quiet(optuna):
        sampler = optuna.samplers.TPESampler(seed=asked.seed % 2**32, **asked.options)
        study = optuna.create_study(sampler=sampler)
        study.enqueue_trial(_trial(asked.space, asked.start))
        while True:
            trials = [study.ask(distributions) for _ in range(AT_A_TIME)]
            values = asked.objective([_coordinates(asked.space, trial.params) for trial in trials])
            for trial, value in zip(trials, values, strict=True):
                study.tell(trial, value)


def _distribution(optuna: ModuleType, axis: Axis) -> object:
    if axis.choices is not None:
        return optuna.distributions.CategoricalDistribution(tuple(range(len(axis.choices))))
    if axis.is_whole:
        return optuna.distributions.IntDistribution(int(axis.low), int(axis.high))
    return optuna.distributions.FloatDistribution(*axis.bounds)


def _trial(space: Space, coordinates: Coordinates) -> dict[str, object]:
    pairs = zip(space.axes, coordinates, strict=True)
    return {axis.name: int(x) if axis.is_whole else float(x) for axis, x in pairs}


def _coordinates(space: Space, trial: Mapping[str, float]) -> Coordinates:
    return np.array([float(trial[axis.name]) for axis in space.axes])


@contextmanager
def _quiet(optuna: ModuleType) -> Iterator[None]:
    """Optuna tells of every trial on the terminal, unless its one setting for all says otherwise."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


METHODS: Final = {
    "nelder-mead": Method(_nelder_mead, needs_real=True),
    "powell": Method(_powell, needs_real=True),
    "cobyqa": Method(_cobyqa, needs_real=True),
    "differential evolution": Method(_differential_evolution, needs_real=False),
    "enumeration": Method(_enumeration, needs_real=False),
    "tpe": Method(_tpe, needs_real=False),
}
