"""Sensitivities of what carries errors far."""

from __future__ import annotations

from cmath import cos as ccos
from cmath import sin as csin
from cmath import sqrt as csqrt
from collections.abc import Callable

import pytest
from experiment.slopes import close, slopes

import eventide as ev

# --- what carries errors far ------------------------------------------------------------------------------------------


GRAVITY = 398600.4418  # of the earth [km3/s2]


class Satellite(ev.Continuous):
    x: ev.State = ev.state(7000.0, unit="km")
    y: ev.State = ev.state(0.0, unit="km")
    u: ev.State = ev.state(0.0, unit="km/s")
    v: ev.State = ev.state(8.0, unit="km/s")

    def equations(self) -> None:
        cube = (self.x * self.x + self.y * self.y) ** 1.5
        self.rate.x = self.u
        self.rate.y = self.v
        self.rate.u = -GRAVITY * self.x / cube
        self.rate.v = -GRAVITY * self.y / cube


@ev.model(until=30000.0, rel_error=1e-9, abs_error=1e-9)
def orbit(sim: ev.Simulation, *, speed: float = 8.0) -> dict[str, Callable[[], float]]:
    one = Satellite(sim, v=speed, name="satellite").start()
    return {"x": lambda: one.x}


def place_after(time: float, speed: complex) -> complex:
    """Where it is after a start at the perigee, by Kepler's equation, which Newton's method solves."""
    axis = 1.0 / (2.0 / 7000.0 - speed * speed / GRAVITY)
    eccentricity, mean = 1.0 - 7000.0 / axis, csqrt(GRAVITY / axis**3) * time
    anomaly = mean
    for _ in range(50):
        anomaly -= (anomaly - eccentricity * csin(anomaly) - mean) / (1.0 - eccentricity * ccos(anomaly))
    return axis * (ccos(anomaly) - eccentricity)


class Lorenz(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(1.0)
    z: ev.State = ev.state(1.0)
    ratio: float = 28.0

    def equations(self) -> None:
        self.rate.x = 10.0 * (self.y - self.x)
        self.rate.y = self.x * (self.ratio - self.z) - self.y
        self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z


@ev.model(until=40.0, rel_error=1e-9, abs_error=1e-9)
def weather(sim: ev.Simulation, *, ratio: float = 28.0) -> dict[str, Callable[[], float]]:
    one = Lorenz(sim, ratio=ratio, name="air").start()
    return {"x": lambda: one.x}


@pytest.mark.slow
def test_what_carries_an_error_far_has_derivatives_and_what_is_chaotic_has_none() -> None:
    expected = slopes(lambda speed: place_after(30000.0, speed), speed=8.0)["speed"]
    assert close(ev.sensitivity(orbit)["x", "speed"], expected, 1e-8)
    with pytest.raises(ev.UndifferentiableError, match="or the model is chaotic"):
        ev.sensitivity(weather)
