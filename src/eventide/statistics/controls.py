"""Control variates: a mean is known better by what went with it and has a known mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from eventide.statistics.intervals import checked
from eventide.statistics.quantiles import student_quantile

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True)
class Controlled:
    """A mean, corrected by control variates.

    mean            the estimate; low, high: its confidence interval
    plain           the mean without controls
    coefficients    by how much the mean was corrected for each unit that a control was above its known mean, by name
    reduction       the share of the variance of the mean that the controls remove, as far as these values can tell;
                    below 0 where they cost more than they help
    count           how many values there are
    """

    mean: float
    low: float
    high: float
    plain: float
    coefficients: Mapping[str, float]
    reduction: float
    count: int

    def __str__(self) -> str:
        saved = f"{self.reduction:.0%} of the variance removed" if self.reduction > 0.0 else "the controls do not help"
        return (
            f"mean {self.mean:.6g}, between {self.low:.6g} and {self.high:.6g} after {self.count} replications; "
            f"{self.plain:.6g} without controls, {saved}"
        )


def controlled(
    values: npt.ArrayLike, controls: Mapping[str, tuple[npt.ArrayLike, float]], level: float = 0.95
) -> Controlled:
    """The mean of independent values, corrected by control variates, with its confidence interval.

    The coefficients are estimated from the same values, by least squares; the interval allows for that, and is exact
    where values and controls are normal together.
    values      one for each replication
    controls    for each, by name, its values in the same replications, and its true mean
    Raises      ValueError for other lengths, fewer than two values more than controls, controls that are constant or
                that follow from each other, a level outside (0, 1), or numbers that are not finite
    Source      Lavenberg & Welch 1981, Manage. Sci. 27
    """
    numbers = checked(values, level)
    if not _are_controls(controls):
        raise ValueError(
            'controlled(...) takes for each control its values and its mean, as {"service": (services, 1.0)}, and got '
            f"{controls!r}"
        )
    columns = _columns(controls, len(numbers), level)
    count, number = len(numbers), len(controls)
    freedom = count - number - 1
    if freedom < 1 or not number:
        raise ValueError(
            f"controlled(...) takes one control at least, and two values more than controls: got {number} controls "
            f"and {count} values"
        )
    centre = columns.mean(axis=0)
    apart, plain = columns - centre, float(numbers.mean())
    scale = np.sqrt((apart**2).sum(axis=0))
    scaled = apart / np.where(scale > 0.0, scale, 1.0)
    if np.linalg.matrix_rank(scaled) < number:
        raise ValueError(
            f"the controls {', '.join(controls)} are constant or follow from each other: leave out those that say "
            "nothing new"
        )
    slopes = np.linalg.lstsq(scaled, numbers - plain, rcond=None)[0]
    rest = numbers - plain - scaled @ slopes
    error = float((rest**2).sum()) / freedom
    off = (centre - np.array([mean for _, mean in controls.values()], dtype=np.float64)) / scale
    # The known means are left of the estimated line by `off`, where the line is known less well than in the middle.
    variance = error * (1.0 / count + float(off @ np.linalg.solve(scaled.T @ scaled, off)))
    mean = plain - float(slopes @ off)
    half = student_quantile(float(freedom), 0.5 + 0.5 * level) * sqrt(variance)
    before = float(numbers.var(ddof=1)) / count
    coefficients = dict(zip(controls, (slopes / scale).tolist(), strict=True))
    return Controlled(
        mean, mean - half, mean + half, plain, coefficients, 1.0 - variance / before if before else 0.0, count
    )


def _columns(controls: Mapping[str, tuple[npt.ArrayLike, float]], count: int, level: float) -> npt.NDArray[np.float64]:
    """The values of the controls, each in a column."""
    columns: Sequence[npt.NDArray[np.float64]] = [checked(values, level) for values, _ in controls.values()]
    for (name, (_, mean)), column in zip(controls.items(), columns, strict=True):
        if len(column) != count or not np.isfinite(mean):
            raise ValueError(
                f"control {name} has {len(column)} values and the mean {mean!r}: it takes one for each of the {count} "
                "values, and a finite mean"
            )
    return np.column_stack(columns) if columns else np.empty((count, 0))


def _are_controls(value: object) -> bool:
    """Whether a value has pairs by name."""
    return isinstance(value, Mapping) and all(isinstance(one, tuple) and len(one) == 2 for one in value.values())
