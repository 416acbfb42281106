"""Selection of the best of several systems, with a promised probability, by the procedure of Kim and Nelson.

All systems are observed in a first stage, whose variances of differences decide how far two means may be apart before
one of them is eliminated; then the survivors are observed once more at a time, until one is left. Common random numbers
make differences vary less, and the procedure sooner ready; its promise holds with and without them.

Source: Kim & Nelson 2001, A fully sequential procedure for indifference-zone selection in simulation, ACM TOMACS 11
"""

from __future__ import annotations

from math import floor, inf
from typing import TYPE_CHECKING

import numpy as np

from eventide.errors import check_boolean
from eventide.statistics.intervals import is_share, is_whole

if TYPE_CHECKING:
    import numpy.typing as npt


class KimNelson:
    """Selects the system with the best mean; give it replications by `add` until `is_done`.

    systems         how many there are, two at least
    indifference    the best system is selected with the promised probability if its mean is better than all others by
                    this at least; else one that is close to it
    probability     of a correct selection, above 1 / systems
    first           replications of the first stage, two at least; ten or more are advised
    maximise        whether the largest mean is the best
    Raises          ValueError for arguments that are not allowed

    The observations of a system are to be normal, as means over a run are nearly, and replications independent.
    survivors       the numbers of the systems that are left, rising
    eliminated      for each system that is not, after how many replications
    count           how many replications of the survivors were used
    """

    def __init__(
        self,
        systems: int,
        indifference: float,
        *,
        probability: float = 0.95,
        first: int = 10,
        maximise: bool = True,
    ) -> None:
        check_boolean(maximise, "maximise=")
        is_right = is_whole(systems, 2) and is_whole(first, 2) and isinstance(indifference, int | float)
        is_right = is_right and 0.0 < indifference < inf and is_share(probability) and probability > 1.0 / systems
        if not is_right:
            raise ValueError(
                f"KimNelson({systems!r}, indifference={indifference!r}, probability={probability!r}, first={first!r}): "
                "two systems or more, an indifference > 0, a probability above 1 / systems and below 1, and a first "
                "stage of two replications or more are needed"
            )
        self.indifference = float(indifference)
        self.probability = probability
        self.first = first
        self.maximise = maximise
        self.survivors: tuple[int, ...] = tuple(range(systems))
        self.eliminated: dict[int, int] = {}
        self.count = 0
        # h^2 with c = 1; the error is shared by all that may wrongly eliminate the best.
        share = 2.0 * (1.0 - probability) / (systems - 1)
        self._h_squared = (share ** (-2.0 / (first - 1)) - 1.0) * (first - 1)
        self._waiting: list[npt.NDArray[np.float64]] = []
        self._offset = 0.0
        self._sums = np.empty(0)
        self._bounds = np.empty((0, 0))
        """How many replications it takes until the means of two systems no longer may differ by chance."""

    @property
    def is_done(self) -> bool:
        """Whether one system is left."""
        return len(self.survivors) == 1

    @property
    def best(self) -> int:
        """The number of the system that was selected. Raises ValueError if there is none yet."""
        if not self.is_done:
            raise ValueError(f"{len(self.survivors)} systems are left after {self.count} replications: add() more")
        return self.survivors[0]

    def add(self, values: npt.ArrayLike) -> None:
        """Use more replications of the survivors: a row for each, with a column for each survivor.

        A row of one replication may be given as it is. Rows after the end, and columns of systems that an earlier row
        has eliminated, are not used; so it makes no difference how many rows come at a time.
        Raises      ValueError for another number of columns, or values that are not finite
        """
        rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self.survivors) or not np.isfinite(rows).all():
            raise ValueError(
                f"add(...) takes rows of {len(self.survivors)} finite numbers, one for each survivor, and got an array "
                f"of shape {rows.shape}"
            )
        if not self.maximise:
            rows = -rows
        columns = np.arange(rows.shape[1])
        for row in rows:
            if self.is_done:
                return
            self.count += 1
            if self.count <= self.first:
                self._waiting.append(row)
            if self.count == self.first:
                columns = columns[self._begin(np.array(self._waiting))]
            elif self.count > self.first:
                self._sums = self._sums + (row[columns] - self._offset)
                columns = columns[self._screen()]

    def _begin(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Take up the first stage; which systems were kept."""
        self._waiting = []
        # The mean of all is taken off, so that sums keep their digits.
        self._offset = float(rows.mean())
        centred = rows - self._offset
        self._sums = centred.sum(axis=0)
        variances = np.array([(centred - column[:, None]).var(axis=0, ddof=1) for column in centred.T])
        self._bounds = self._h_squared * variances / self.indifference**2
        return self._screen()

    def _screen(self) -> npt.NDArray[np.bool_]:
        """Eliminate what is far behind; which of the survivors were kept."""
        margins = 0.5 * self.indifference * np.maximum(0.0, self._bounds - self.count)
        ahead = self._sums[:, None] - self._sums[None, :]
        kept: npt.NDArray[np.bool_] = np.all(ahead >= -margins, axis=1)
        if kept.sum() > 1 and self.count > floor(float(self._bounds[np.ix_(kept, kept)].max())):
            # Nothing is left to chance; of equal ones the first.
            kept = np.arange(len(kept)) == int(np.argmax(np.where(kept, self._sums, -inf)))
        self.eliminated.update(
            {system: self.count for system, stays in zip(self.survivors, kept.tolist(), strict=True) if not stays}
        )
        self.survivors = tuple(system for system, stays in zip(self.survivors, kept.tolist(), strict=True) if stays)
        self._sums, self._bounds = self._sums[kept], self._bounds[np.ix_(kept, kept)]
        return kept
