"""Costs of states, and what is made of those of many runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eventide.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Cost: TypeAlias = Callable[["NDArray[np.float64]"], float]
"""A number of at least 0 for a state (n,). Source: Pannek, Simulation of mechatronic systems, Definition 2.14."""


def value_of(cost: Cost, state: NDArray[np.float64]) -> float:
    """The cost of a state. Raises ModelError for what is no number of at least 0, as a cost has to be."""
    value = float(cost(state))
    if not value >= 0.0:
        name = getattr(cost, "__qualname__", repr(cost))
        raise ModelError(
            f"the cost {name} of the state {state.tolist()!r} is {value!r}: a cost is a number of at least 0, such as "
            "the square of a deviation"
        )
    return value


def squared_deviation(reference: ArrayLike) -> Cost:
    """The sum of the squares of how far each component is from a reference. Source: Task 2.15."""
    target = np.asarray(reference, dtype=np.float64)
    return lambda x: np.sum((x - target) ** 2)


@dataclass(frozen=True)
class Assessment:
    """The costs of many cases, one row for each.

    names       of the costs
    costs       (cases, costs)
    Source      Definition 2.16, Task 2.17, Remark 2.18
    """

    names: tuple[str, ...]
    costs: NDArray[np.float64]

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """One cost for each case."""
        if name not in self.names:
            raise ModelError(f"there is no cost {name!r}; there are {', '.join(self.names)}")
        column: NDArray[np.float64] = self.costs[:, self.names.index(name)]
        return column

    @property
    def mean(self) -> NDArray[np.float64]:
        """Of each cost."""
        means: NDArray[np.float64] = self.costs.mean(axis=0)
        return means

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Of each two costs, with n - 1 below. Raises ModelError for fewer than two cases."""
        if len(self.costs) < 2:
            raise ModelError(f"a covariance of {len(self.costs)} cases: two are needed at least")
        return np.atleast_2d(np.cov(self.costs, rowvar=False))

    def quantile(self, share: float | Sequence[float]) -> NDArray[np.float64]:
        """Of each cost; a row for each share. Source: Hyndman & Fan, Am. Stat. 50 (1996), definition 7."""
        quantiles: NDArray[np.float64] = np.quantile(self.costs, share, axis=0)
        return quantiles
