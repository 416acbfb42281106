"""What a quarter of a car is asked for: requirements of its parts, of what they are together, and of the whole drive.

Covers:   components and what they are made of, ready qualities, a requirement over trajectories, grids and finite sets
          of conditions, `eventide verify`.
Scenario: the strut and the integrator are units; a car that swings out over a level road is made of both; the drive is
          the whole. `eventide verify examples/quarter_car_requirements.py --structured` tests them in that order.
Source:   Pannek, Simulation of mechatronic systems, section 2.4 and chapter 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from quarter_car import quarter_car
from scipy.linalg import expm

import eventide as ev
from eventide.experiment.systems import Dynamics, Stepped
from eventide.verify import Component, Grid, Requirement, Test, always, quantity, within

BODY, WHEEL = 300.0, 60.0  # kg
SPRING, DAMPER, TYRE = 16000.0, 1000.0, 190000.0  # N/m, N s/m, N/m
RELEASES = [[0.05, 0.0, 0.0, 0.0], [0.0, 0.02, 0.0, 0.0], [0.03, 0.01, 0.5, -0.5]]
"""Body and wheel in m, their speeds in m/s, in which the car is let go."""


@dataclass(frozen=True)
class Strut:
    """Spring and damper between body and wheel [N/m, N s/m]."""

    spring: float = SPRING
    damper: float = DAMPER

    def __call__(self, travel: float, speed: float) -> float:
        """The force that draws body and wheel together [N], for the travel [m] and its speed [m/s]."""
        return self.spring * travel + self.damper * speed


@dataclass(frozen=True)
class Swing:
    """The rates of body, wheel and their speeds on a level road."""

    strut: Strut

    def __call__(self, t: float, x: Any, u: Any, p: Mapping[str, Any]) -> list[float]:
        body, wheel, body_speed, wheel_speed = x
        force = self.strut(body - wheel, body_speed - wheel_speed)
        return [body_speed, wheel_speed, -force / BODY, (force - TYRE * wheel) / WHEEL]


def decay(t: float, x: Any, u: Any, p: Mapping[str, Any]) -> Any:
    return -p["rate"] * np.asarray(x)


def exact_decay(start: float, end: float, state: Sequence[float], parameters: Mapping[str, float]) -> float:
    return state[0] * exp(-parameters["rate"] * (end - start))


def exact_swing(start: float, state: Sequence[float], times: Sequence[float]) -> Any:
    """The states at the times, by the matrix exponential."""
    body = np.array([-SPRING, SPRING, -DAMPER, DAMPER]) / BODY
    wheel = np.array([SPRING, -SPRING - TYRE, DAMPER, -DAMPER]) / WHEEL
    matrix = np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], body, wheel])
    return np.array([expm(matrix * (time - start)) @ state for time in times])


def energy(ride: Any) -> Any:
    """Of a car that swings [J]: the times, and what is left at each."""
    body, wheel, body_speed, wheel_speed = ride.states.T
    stored = SPRING * (body - wheel) ** 2 + TYRE * wheel**2
    return ride.times, (BODY * body_speed**2 + WHEEL * wheel_speed**2 + stored) / 2.0


def demands(
    strut: Strut = Strut(), method: ev.methods.Method = ev.methods.DORMAND_PRINCE, drive: Any = quarter_car
) -> tuple[Component, list[Test]]:
    """The whole, and the tests of all that is asked of it and of its parts."""
    force = Component("strut", strut)
    stepper = Component("integrator", Stepped(Dynamics(decay), method, rel_error=1e-9, abs_error=1e-12))
    car = Stepped(Dynamics(Swing(strut)), method, rel_error=1e-9, abs_error=1e-12)
    swing = Component("swinging car", car, (force, stepper))
    tyre = Component("tyre", lambda deflection: TYRE * deflection)
    law = Component("law", Dynamics(decay))
    ride = Component("drive", drive, (swing, tyre, law))

    sheet, book = "data sheet of the strut", "lecture notes, section 2.4"
    times = np.linspace(0.0, 3.0, 151).tolist()
    let_go = {"start": 0.0, "state": RELEASES, "times": [times]}
    speeds, travel = {"speed": [5.0, 10.0, 15.0]}, quantity("car.travel")

    def test(
        name: str, phrase: str, component: Component, quality: Any, conditions: Any, source: str, need: str = "",
        use: str = "",
    ) -> Test:  # fmt: skip
        return Test(Requirement(name, phrase, component, quality, conditions, source=source, need=need), use)

    verify = ev.verify
    return ride, [
        test(
            "QC-01", "The strut shall exert no force at rest.", force, verify.error_below(0.0, 0.0),
            {"travel": 0.0, "speed": 0.0}, sheet, "the car stands level",
        ),
        test(
            "QC-02", "The strut shall exert 16 kN per metre of travel, up to 1 N.", force,
            verify.error_below(1.0, lambda travel, speed: 16e3 * travel), {"travel": [-0.08, 0.03, 0.08], "speed": 0.0},
            sheet, "the body keeps its height under load",
        ),
        test(
            "QC-03", "The strut shall exert 1 kN per m/s of its speed, up to 1 N.", force,
            verify.error_below(1.0, lambda travel, speed: 1e3 * speed), {"travel": 0.0, "speed": [-1.0, 0.2, 1.0]},
            sheet, "swings end",
        ),
        test(
            "QC-04", "The tyre should push back with 190 kN per metre.", tyre,
            verify.error_below(1e-6, lambda deflection: 190e3 * deflection), {"deflection": [-0.01, 0.0, 0.02]}, book,
        ),
        test(
            "QC-05", "The integrator shall follow a decay with an error of at most 1e-7.", stepper,
            verify.error_below(1e-7, exact_decay),
            [{"start": 0.0, "end": end, "state": [1.0], "parameters": {"rate": rate}}
             for end in (0.5, 2.0) for rate in (0.1, 1.0, 10.0)],
            book, "what is simulated can be relied on",
        ),
        test(
            "QC-06", "The rates of the integrator's law shall be exact.", law,
            verify.error_below(0.0, lambda t, x, p: [-p["rate"] * x[0]]),
            Grid(T=(0.0, 1.0), n_T=2, X=([-1.0], [1.0]), n_X=3, P={"rate": (0.1, 10.0)}, n_P=2),
            book, "the integrator is given what is meant",
        ),
        test(
            "QC-07", "The swinging car shall follow the exact solution, up to 1e-6 of its units.", swing,
            verify.error_below(1e-6, exact_swing), let_go, book, "what is simulated can be relied on",
        ),
        test(
            "QC-08", "The energy of the swinging car shall never grow, but for 1e-6 J.", swing,
            verify.energy_never_grows(energy, tolerance=1e-6), let_go, "laws of mechanics", "nothing drives it",
        ),
        test(
            "QC-09", "The body of the swinging car shall stay within 3 mm from 2.5 s on.", swing,
            verify.settles(-0.003, 0.003, 2.5, of=0), let_go, book, "a bump is forgotten before the next",
        ),
        test(
            "QC-10", "The travel of the suspension shall stay within 80 mm.", ride,
            verify.stays_within(-0.08, 0.08, of="car.travel"), speeds, sheet, "the strut does not strike its stops",
        ),
        test(
            "QC-11", "The tyre shall stay on the road at 10 m/s.", ride,
            verify.stays_within(low=0.0, of="tyre load, least"), {"speed": 10.0}, book, "the car can be steered",
            "a drive out of town",
        ),
        test(
            "QC-12", "The body should not be shaken by more than 1.2 m/s2, root mean square, up to 10 m/s.", ride,
            verify.stays_within(high=1.2, of="body acceleration, rms", unit="m/s2"), {"speed": [5.0, 10.0]},
            "ISO 2631-1, annex C", use="a drive in town",
        ),
        test(
            "QC-13", "The body shall come to rest within 2 s behind the road.", ride,
            verify.stays_within(high=2.0, of="settling"), speeds, book, "passengers are not seasick",
            "a drive in town",
        ),
        test(
            "QC-14", "Within 0.5 s after it is drawn out by 30 mm the suspension should be at rest length again.", ride,
            verify.holds(always((travel >= 0.03).implies(within(0.5, travel <= 0.0)))), speeds, book,
        ),
    ]  # fmt: skip


system, tests = demands()
