"""Curves of a running simulation: a bounded number of points, however many have been added.

Points are thinned, and the extremes of each column are kept.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from eventide.observe.recording_base import Heading

ROOM: Final = 16384
"""A curve with this number of points is thinned."""
KEPT: Final = 2048
"""The number of time intervals after thinning: more than a page has columns of points."""


class Points(NamedTuple):
    """Points of a curve.

    times, values       (n,) each; the times ascend, equal ones are a jump; a value that is NaN is a gap
    """

    times: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]


class Curve:
    """What is known of one quantity; it is thinned from time to time, and its extremes stay.

    heading     its name and unit
    crowd       what it is called together with others of its kind; empty if it is alone
    """

    def __init__(self, heading: Heading, crowd: str = "") -> None:
        self.heading = heading
        self.crowd = crowd
        self._times = array("d")
        self._values = array("d")

    def __len__(self) -> int:
        return len(self._times)

    def add(self, time: float, value: float) -> None:
        """One more point."""
        self._times.append(time)
        self._values.append(value)
        if len(self._times) >= ROOM:
            self._thin()

    def extend(self, times: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> None:
        """More points."""
        for start in range(0, len(times), ROOM):
            self._times.frombytes(times[start : start + ROOM].tobytes())
            self._values.frombytes(values[start : start + ROOM].tobytes())
            if len(self._times) >= ROOM:
                self._thin()

    def points(self) -> Points:
        """Its points, as arrays of their own."""
        return Points(np.array(self._times), np.array(self._values))

    def _thin(self) -> None:
        times, values = thinned(self.points(), KEPT)
        self._times, self._values = array("d", times.tobytes()), array("d", values.tobytes())


def thinned(points: Points, parts: int) -> Points:
    """Some of the points, in their order: of each of `parts` equal parts of their time the first and the last one, a
    least and a greatest, and a gap if there is one; all of them if they are so few.

    Drawn so that each part is one column of a picture, they look as all do.
    """
    times, values = points
    if len(times) <= 5 * parts or not times[0] < times[-1]:
        return points
    scale = parts / (times[-1] - times[0])
    place = np.minimum(((times - times[0]) * scale).astype(np.int64), parts - 1)
    starts = np.concatenate(([0], 1 + np.flatnonzero(place[1:] != place[:-1])))
    sizes = np.diff(starts, append=len(times))
    kept = np.zeros(len(times), dtype=bool)
    kept[starts] = kept[starts + sizes - 1] = True
    for extreme in (np.fmin, np.fmax):
        kept[_firsts(values == np.repeat(extreme.reduceat(values, starts), sizes), starts)] = True
    kept[_firsts(np.isnan(values), starts)] = True
    return Points(times[kept], values[kept])


def _firsts(chosen: npt.NDArray[np.bool_], starts: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The first chosen one of each part that has any."""
    found = np.flatnonzero(chosen)
    parts = np.searchsorted(starts, found, side="right")
    return found[np.diff(parts, prepend=0) > 0]
