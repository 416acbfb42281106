"""Specified conditions: the inputs over which a requirement is tested.

Source: Pannek, Simulation of mechatronic systems, Definitions 5.5 and 5.14, Remark 5.15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eventide.errors import ModelError
from eventide.experiment import Model, Study
from eventide.experiment.designs import Design, Point, factorial
from eventide.verify.components import model_values

if TYPE_CHECKING:
    from eventide.experiment.designs import Over

Conditions: TypeAlias = "Grid | Study | Over"


@dataclass(frozen=True)
class Grid:
    """The product of samples of times, states, inputs and parameters; each point has those of t, x, u and p given here.

    T, X        a tuple (low, high) of which n_T, n_X equidistant points are taken, both ends among them; for states of
                several components low and high have an item for each, and n_X is a count for each component, or one
                count of points that fill the box evenly (Halton's sequence)
    U           a function of a share from 0 to 1 that gives an input, of which n_U are taken
    P           (low, high) by name; n_P is a count for each name, in their order, or one count as for X
    Instead of any of these a list is a finite set, which is taken in full, without a count; of P a list of dicts.
    Raises      ModelError for a range without a count, a list with one, counts below 1, and if nothing is given
    Source      Definition 5.14, Remark 5.15; Halton 1960, Numer. Math. 2
    """

    T: Sequence[float] | None = None
    X: Sequence[object] | None = None
    U: Sequence[object] | Callable[[float], object] | None = None
    P: Mapping[str, tuple[float, float]] | Sequence[Mapping[str, object]] | None = None
    n_T: int | None = None  # noqa: N815  # as the source has it, and those below
    n_X: int | Sequence[int] | None = None  # noqa: N815
    n_U: int | None = None  # noqa: N815
    n_P: int | Sequence[int] | None = None  # noqa: N815

    def __post_init__(self) -> None:
        if not self.points():
            raise ModelError("Grid(...) takes at least one of T, X, U and P, each with one member at least")

    def points(self) -> list[dict[str, object]]:
        """All of them; what is named last changes first."""
        sets = {"t": self._times(), "x": self._states(), "u": self._signals(), "p": self._parameters()}
        given = {name: members for name, members in sets.items() if members is not None}
        if not given:
            return []
        return [dict(zip(given, members, strict=True)) for members in product(*given.values())]

    def __len__(self) -> int:
        """How many points there are."""
        return len(self.points())

    def _times(self) -> list[object] | None:
        if not isinstance(self.T, tuple):
            return _finite("T", self.T, self.n_T)
        return [float(row[0]) for row in _samples("T", [self.T], self.n_T)]

    def _states(self) -> list[object] | None:
        if not isinstance(self.X, tuple):
            return _finite("X", self.X, self.n_X)
        low, high = (np.atleast_1d(np.asarray(end, dtype=float)) for end in self.X)
        return [list(row) for row in _samples("X", list(zip(low, high, strict=True)), self.n_X)]

    def _signals(self) -> list[object] | None:
        if not callable(self.U):
            return _finite("U", self.U, self.n_U)
        return [self.U(float(row[0])) for row in _samples("U", [(0.0, 1.0)], self.n_U)]

    def _parameters(self) -> list[object] | None:
        if not isinstance(self.P, Mapping):
            return _finite("P", self.P, self.n_P)
        rows = _samples("P", list(self.P.values()), self.n_P)
        return [dict(zip(self.P, row, strict=True)) for row in rows]


def _finite(name: str, members: Iterable[object] | None, count: object) -> list[object] | None:
    """A finite set in full."""
    if count is not None:
        raise ModelError(f"n_{name}={count!r} samples a range, and {name} is {members!r}: a list is taken in full")
    return None if members is None else list(members)


def _samples(name: str, ranges: Sequence[tuple[float, float]], count: object) -> list[tuple[float, ...]]:
    """Points of a box: a product of equidistant ones, or a number of Halton's."""
    given = list(count) if isinstance(count, Iterable) else [count]
    counts = [n for n in given if isinstance(n, int) and n >= 1]
    if len(counts) < len(given) or len(counts) not in {1, len(ranges)}:
        raise ModelError(
            f"{name} is a range of {len(ranges)} dimensions and takes n_{name}, a count of points from 1 on, or one "
            f"for each; got {count!r}"
        )
    for low, high in ranges:
        if not low <= high:
            raise ModelError(f"{name} has a range from {low!r} to {high!r}: the lower end comes first")
    if len(counts) == len(ranges):
        axes = [np.linspace(low, high, n).tolist() for (low, high), n in zip(ranges, counts, strict=True)]
        return list(product(*axes))
    from scipy.stats import qmc

    shares = qmc.Halton(len(ranges), scramble=False).random(counts[0])
    lows, highs = np.array(ranges, dtype=float).T
    return [tuple(row) for row in (lows + shares * (highs - lows)).tolist()]


def points_for(conditions: Conditions) -> list[Point]:
    """The inputs of a component that is no model. Raises ModelError for a design or a study, which are of models."""
    if isinstance(conditions, Grid):
        return list(conditions.points())
    if isinstance(conditions, Study | Design):
        raise ModelError(f"a study and its designs are of models: write a Grid or lists by name; got {conditions!r}")
    if isinstance(conditions, Mapping):
        return list(factorial(**{name: _axis(values) for name, values in conditions.items()}))
    return [{}] if conditions is None else list(conditions)


def _axis(values: object) -> list[object]:
    if isinstance(values, Mapping | AbstractSet):
        raise ModelError(f"the values of an input are a list in their order, and got {values!r}: cases have numbers")
    return [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)


def study_for(model: Model[..., object], conditions: Conditions, quantities: tuple[str, ...] = ()) -> Study:
    """The runs of a model over conditions, always the same ones, with all that it records.

    quantities  those of which all times are to be known, between the rows as well
    Raises      ModelError for a study of another model, or one with fresh random numbers each time
    """
    if not isinstance(conditions, Study):
        over = (
            [dict(model_values(point)) for point in conditions.points()] if isinstance(conditions, Grid) else conditions
        )
        study = Study(model, over, entropy=0)
    else:
        if conditions.model.function is not model.function or repr(conditions.model) != repr(model):
            raise ModelError(f"the conditions are a study of {conditions.model!r}, and the component is {model!r}")
        if not conditions.has_own_entropy:
            raise ModelError(
                "conditions are the same each time they are tested: give the study an entropy, as entropy=1"
            )
        study = conditions.replicated(conditions.replications)  # another one, which may be changed
    study.settings = replace(study.settings, record=None, dense=quantities)
    return study
