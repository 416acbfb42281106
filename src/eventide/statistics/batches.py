"""Batch means: intervals of what holds in the steady state, from one long run.

Source: Law, Simulation modeling and analysis, 5th ed. (2015), 9.5.3
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from eventide.statistics.intervals import checked, is_share, is_whole
from eventide.statistics.planning import independence
from eventide.statistics.quantiles import student_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

BATCHES: Final = 20
"""Of a long run: enough for an interval, few enough that each is long."""


@dataclass(frozen=True)
class BatchMeans:
    """What one long run says of the steady state.

    estimate        of all values; low, high: its confidence interval
    batches, size   how many batches there are, and how many values each has; what remains is left out at the start
    independence    the probability that independent batches look as these do; below 0.05 they are too short
    """

    estimate: float
    low: float
    high: float
    batches: int
    size: int
    independence: float


def batch_means(
    series: npt.ArrayLike,
    *,
    batches: int = BATCHES,
    level: float = 0.95,
    of: Literal["mean", "variance"] | float = "mean",
) -> BatchMeans:
    """The mean, the variance or a quantile of a stationary series whose values depend on their neighbours, with its
    confidence interval.

    The interval is Student's, of the estimates of batches about that of all values. Each batch has to be so long that
    it hardly depends on the others: at least ten times as long as the dependence reaches.
    batches     how many; two at least
    of          "mean", "variance", or the share of a quantile, as 0.9
    Raises      ValueError if the series has not two values for each, for a level or share outside (0, 1), or values
                that are not finite
    Source      Law 2015, 9.5.3; Schmeiser 1982, Oper. Res. 30; for quantiles sectioning, Asmussen & Glynn 2007,
                Stochastic simulation, III.5
    """
    numbers = checked(series, level)
    if of not in ("mean", "variance") and not is_share(of):
        raise ValueError(f'batch_means(..., of={of!r}): of is "mean", "variance" or a share between 0 and 1, as 0.9')
    size = len(numbers) // batches if is_whole(batches, 2) else 0
    if size < 2:
        raise ValueError(
            f"batch_means(..., batches={batches!r}): two batches of two values at least, and there are {len(numbers)}"
        )
    used = numbers[len(numbers) - batches * size :]
    estimate, each = _estimates(used, used.reshape(batches, size), of)
    spread = float(((each - estimate) ** 2).sum()) / (batches - 1)
    half = student_quantile(batches - 1.0, 0.5 + 0.5 * level) * sqrt(spread / batches)
    return BatchMeans(estimate, estimate - half, estimate + half, batches, size, independence(each))


def _estimates(
    whole: npt.NDArray[np.float64], parts: npt.NDArray[np.float64], of: str | float
) -> tuple[float, npt.NDArray[np.float64]]:
    """The estimate from all values, and those from each batch."""
    if not isinstance(of, str):
        return float(np.quantile(whole, of)), np.quantile(parts, of, axis=1)
    if of == "variance":
        # About the mean of all: that of a batch itself would lack what the batches differ by.
        parts = (parts - whole.mean()) ** 2 * (whole.size / (whole.size - 1.0))
    means: npt.NDArray[np.float64] = parts.mean(axis=1)
    return float(means.mean()), means
