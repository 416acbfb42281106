"""What is known of the workloads without simulating them: closed forms and published digits."""

from functools import cache
from math import log

import numpy as np

GRAVITY = 9.81
SHARE = 0.8  # of its speed that a ball keeps at a bounce
SLOWEST = 1e-3  # m/s: a ball that rebounds more slowly lies still; this bounce is counted


def height_of(number: int, balls: int) -> float:
    """From how high a ball falls, in m: from 10 m upwards, the last below 20 m."""
    return 10.0 + 10.0 * number / balls


@cache
def bounces(balls: int) -> tuple[np.ndarray, ...]:
    """The times at which each ball meets the floor, in s: sums of a geometric series."""
    found = []
    for number in range(balls):
        speed = (2.0 * GRAVITY * height_of(number, balls)) ** 0.5
        count = int(np.ceil(log(SLOWEST / speed) / log(SHARE)))
        flights = 2.0 * SHARE * (1.0 - SHARE ** np.arange(count)) / (1.0 - SHARE)
        found.append(speed / GRAVITY * (1.0 + flights))
    return tuple(found)


def count_bounces(balls: int) -> int:
    return sum(len(times) for times in bounces(balls))


def judged_bounces(found: list[list[float]]) -> dict[str, float]:
    """How many bounces were found, how many balls have the wrong number of them, and the worst error of a time."""
    right = bounces(len(found))
    pairs = [(np.asarray(mine), truth[: len(mine)]) for mine, truth in zip(found, right, strict=True)]
    return {
        "events": sum(len(times) for times in found),
        "wrong_balls": sum(len(times) != len(truth) for times, truth in zip(found, right, strict=True)),
        "time_error": max(float(np.max(np.abs(a[: len(b)] - b), initial=0.0)) for a, b in pairs),
    }


def switches(count: int) -> np.ndarray:
    """When a thermostat switches: on at 18 degrees, off at 20, with T' = -T/10 and (30 - T)/10, from 20 degrees."""
    cool, heat = 10.0 * log(20.0 / 18.0), 10.0 * log(12.0 / 10.0)
    number = np.arange(1, count + 1)
    return (number + 1) // 2 * cool + number // 2 * heat


def judged_switches(found: list[float], count: int) -> dict[str, float]:
    """How many switches were found, and the worst error of their times."""
    mine = np.asarray(found)[:count]
    return {"events": len(found), "time_error": float(np.max(np.abs(mine - switches(count)[: len(mine)]), initial=0.0))}


FURNACE_START = 2500.0
COLD = 400.0
HOT = 2200.0
INGOT_TOLERANCE = 1e-8


def first_ingots(alive: int) -> list[tuple[float, float]]:
    """Temperature and coefficient of the ingots that are there at first: from cold to nearly hot, all different."""
    return [
        (COLD + (HOT - 100.0 - COLD) * number / alive, 0.1 + 0.1 * ((7 * number) % alive) / alive)
        for number in range(alive)
    ]


# When so many ingots of so many have been drawn, and how hot the furnace is then. Source: DOP853 at 1e-12, begun again
# at every draw.
INGOTS_DRAWN = {
    (10, 20): (39.46589498396055, 2358.41006139396),
    (10, 2000): (3548.276565184232, 2388.9689615334078),
    (1000, 2): (1.7489802429840726, 2415.521721917945),
    (1000, 20): (2.4234736500661613, 2398.822997064584),
}
