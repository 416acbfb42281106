"""The quarter car on a road of straight pieces, solved by matrix exponentials.

Body m1 on spring s1 and damper d1 over wheel m2, which stands on the tyre s2, d2:

    m1 v1' = -d1 (v1 - v2) - s1 (y1 - y2)
    m2 v2' =  d1 (v1 - v2) + s1 (y1 - y2) - d2 (v2 - u') - s2 (y2 - u)

Displacements count from the rest on a road of height zero.  Between two points of the
table the road height u has a constant slope, so (y1, y2, v1, v2, u, u') obeys a linear
system with constant coefficients and its exponential carries it over a piece of any
length.  At a corner of the road only u' jumps; the states are continuous.

Source: Pannek, Simulation of mechatronic systems, section 2.4.
"""

import csv
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Car:
    """Masses [kg], spring rates [N/m] and dampings [N s/m] of one wheel's share."""

    m1: float
    m2: float
    s1: float
    d1: float
    s2: float
    d2: float = 0.0


PASSENGER_CAR = Car(m1=300.0, m2=60.0, s1=16000.0, d1=1000.0, s2=190000.0)
BUS = Car(m1=2500.0, m2=320.0, s1=80000.0, d1=350.0, s2=500000.0, d2=15020.0)


def read_road(path: str | PathLike[str]) -> tuple[Floats, Floats]:
    """Positions [m] and heights [m] of a road file."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    positions = np.array([float(row["position_m"]) for row in rows])
    heights = np.array([float(row["height_m"]) for row in rows])
    return positions, heights


def system_matrix(car: Car) -> Floats:
    """The 4 x 4 matrix of (y1, y2, v1, v2) on a road of height zero."""
    body = np.array([-car.s1, car.s1, -car.d1, car.d1]) / car.m1
    wheel = np.array([car.s1, -car.s1 - car.s2, car.d1, -car.d1 - car.d2]) / car.m2
    return np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], body, wheel])


def solve(
    road_times: ArrayLike,
    road_heights: ArrayLike,
    output_times: ArrayLike,
    *,
    car: Car = PASSENGER_CAR,
    start: ArrayLike = (0.0, 0.0, 0.0, 0.0),
) -> Floats:
    """The states at the output times, one row (y1, y2, v1, v2) for each.

    road_times      (n,) [s], strictly increasing: positions divided by the speed
    road_heights    (n,) [m], joined by straight lines
    output_times    (k,) [s], not decreasing, within the road
    start           (4,) the state at road_times[0]
    Returns         (k, 4) [m, m, m/s, m/s]
    Raises          ValueError: a table that is not increasing, a time off the road
    """
    times = np.asarray(road_times, dtype=float)
    heights = np.asarray(road_heights, dtype=float)
    wanted = np.asarray(output_times, dtype=float)
    _check(times, heights, wanted)

    matrix = _augmented(car)
    slopes = np.diff(heights) / np.diff(times)
    # The piece on which a wanted time lies; the last point belongs to the last piece.
    pieces = np.searchsorted(times[1:-1], wanted, side="right")
    corner = np.asarray(start, dtype=float)
    states = np.empty((len(wanted), 4))
    for piece, slope in enumerate(slopes):
        begin = np.concatenate([corner, [heights[piece], slope]])
        for row in np.flatnonzero(pieces == piece):
            states[row] = (expm(matrix * (wanted[row] - times[piece])) @ begin)[:4]
        corner = (expm(matrix * (times[piece + 1] - times[piece])) @ begin)[:4]
    return states


def _augmented(car: Car) -> Floats:
    matrix = np.zeros((6, 6))
    matrix[:4, :4] = system_matrix(car)
    matrix[3, 4] = car.s2 / car.m2
    matrix[3, 5] = car.d2 / car.m2
    matrix[4, 5] = 1.0
    return matrix


def _check(times: Floats, heights: Floats, wanted: Floats) -> None:
    if times.ndim != 1 or times.shape != heights.shape or len(times) < 2:
        raise ValueError(
            f"road of {times.shape} times and {heights.shape} heights; "
            "two or more of each are needed, as many of one as of the other"
        )
    if not np.all(np.diff(times) > 0.0):
        first = int(np.flatnonzero(~(np.diff(times) > 0.0))[0])
        raise ValueError(f"road time {times[first + 1]} s follows {times[first]} s; they must be strictly increasing")
    inside = (wanted >= times[0]) & (wanted <= times[-1])
    if not np.all(inside):
        raise ValueError(
            f"state asked for at {wanted[~inside][0]} s; the road lasts from {times[0]} s to {times[-1]} s"
        )
