"""A quarter of a car on a rough road: how well the body rides, and whether the tyre stays on the road.

Covers:   a process that is also continuous, input read from a file, steps that end at the corners of the input, states
          and computed values of several objects, processes that wait for turning points, a wait with two outcomes.
Scenario: body and wheel, springs between them and the road, drive over a bump, a pothole and a rough stretch at a
          constant speed. Behind the road's last point it is level, and the car rolls on until it has settled.
Source:   Pannek, Simulation of mechatronic systems, section 2.4.

Correctness:   agrees with the exact solution of its linear equations; energy never grows on a level road.
Relevance:     for ride and grip on a rough road; pitch, roll and the driver are left out.
Economy:       four states for one wheel; a whole car has ten more, and the same two modes at each wheel.
Clarity:       displacements in m upwards from rest, forces in N on the body.
Comparability: with every quarter car of the literature: masses, springs and dampers are parameters.
Structure:     a road, a car that refers to it, and observers of peaks; the road knows nothing of the car.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import eventide as ev

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROAD = Path(__file__).with_name("quarter_car_road.csv")
GRAVITY = 9.81  # m/s2
CALM = 1e-4  # m: settled when what is left of the energy cannot compress the spring further
PATIENCE = 60.0  # s to wait for that


class Road(ev.Process, ev.Continuous):
    """The height of the road below the wheel: straight pieces between the points of a table, then level."""

    times: list[float] = ev.field(unit="s")
    heights: list[float] = ev.field(unit="m")
    height: ev.Computed = ev.computed(unit="m")
    climb: float = ev.field(default=0.0, unit="m/s")
    passed: int = 0

    def equations(self) -> None:
        self.height = self.heights[self.passed] + self.climb * (self.sim.time - self.times[self.passed])

    def run(self) -> ev.ProcessGenerator[None]:
        # The equations have a kink at every corner. A step that went across it would be less accurate than it
        # claims, so each corner is an event.
        for corner in range(1, len(self.times)):
            run = self.times[corner] - self.times[corner - 1]
            self.climb = (self.heights[corner] - self.heights[corner - 1]) / run
            yield ev.hold(self.times[corner] - self.sim.time)
            self.passed = corner
        self.climb = 0.0


class QuarterCar(ev.Continuous):
    """Body over wheel over road; displacements count from the rest on a road of height zero."""

    road: Road
    body_mass: float = ev.field(default=300.0, unit="kg")
    wheel_mass: float = ev.field(default=60.0, unit="kg")
    spring: float = ev.field(default=16000.0, unit="N/m")
    damper: float = ev.field(default=1000.0, unit="N s/m")
    tyre_spring: float = ev.field(default=190000.0, unit="N/m")
    tyre_damper: float = ev.field(default=0.0, unit="N s/m")

    body: ev.State = ev.state(0.0, unit="m")
    wheel: ev.State = ev.state(0.0, unit="m")
    body_speed: ev.State = ev.state(0.0, unit="m/s")
    wheel_speed: ev.State = ev.state(0.0, unit="m/s")
    discomfort: ev.State = ev.state(0.0, unit="m2/s3", description="integral of the squared body acceleration")

    travel: ev.Computed = ev.computed(unit="m", description="of the suspension: how far it is drawn out")
    tyre_force: ev.Computed = ev.computed(unit="N", description="what the tyre adds to the force at rest")
    acceleration: ev.Computed = ev.computed(unit="m/s2", description="of the body")
    wheel_acceleration: ev.Computed = ev.computed(unit="m/s2")

    def equations(self) -> None:
        road = self.road
        self.travel = self.body - self.wheel
        strut = self.spring * self.travel + self.damper * (self.body_speed - self.wheel_speed)
        self.tyre_force = self.tyre_spring * (road.height - self.wheel)
        self.tyre_force += self.tyre_damper * (road.climb - self.wheel_speed)
        self.acceleration = -strut / self.body_mass
        self.wheel_acceleration = (strut + self.tyre_force) / self.wheel_mass

        self.rate.body = self.body_speed
        self.rate.wheel = self.wheel_speed
        self.rate.body_speed = self.acceleration
        self.rate.wheel_speed = self.wheel_acceleration
        self.rate.discomfort = self.acceleration**2

    @property
    def load(self) -> float:
        """The force of the tyre on the road at rest [N]."""
        return (self.body_mass + self.wheel_mass) * GRAVITY

    def energy(self) -> float:
        """What is left of the vibration over a level road [J]; it never grows there."""
        deflection = self.wheel - self.road.height
        return (
            self.body_mass * self.body_speed**2
            + self.wheel_mass * self.wheel_speed**2
            + self.spring * self.travel**2
            + self.tyre_spring * deflection**2
        ) / 2.0

    # How fast the three quantities that are judged change.

    def travel_slope(self) -> float:
        return self.body_speed - self.wheel_speed

    def tyre_slope(self) -> float:
        return self.tyre_spring * (self.road.climb - self.wheel_speed) - self.tyre_damper * self.wheel_acceleration

    def acceleration_slope(self) -> float:
        jerk = self.spring * self.travel_slope() + self.damper * (self.acceleration - self.wheel_acceleration)
        return -jerk / self.body_mass


class Peaks(ev.Process, ev.Reporter):
    """The least and the greatest value of a quantity: waits for its turns, and looks on both sides of every event."""

    value: Callable[[], float]
    slope: Callable[[], float]
    least: float = inf
    greatest: float = -inf

    def run(self) -> ev.ProcessGenerator[None]:
        while True:
            yield ev.until(lambda: self.slope() > 0.0)
            yield ev.until(lambda: self.slope() < 0.0)

    def report(self) -> None:
        self.least = min(self.least, self.value())
        self.greatest = max(self.greatest, self.value())

    @property
    def size(self) -> float:
        """The greatest distance from zero."""
        return max(self.greatest, -self.least)


def watch(sim: ev.Simulation, value: Callable[[], float], slope: Callable[[], float]) -> Peaks:
    """The peaks of a quantity from now on."""
    return Peaks(sim, value=value, slope=slope, every="event").start().activate()


@ev.model(rel_error=1e-8, abs_error=1e-10, dt_min=1e-9)
def quarter_car(
    sim: ev.Simulation,
    *,
    road: str = str(ROAD),
    speed: float = 10.0,
    body_mass: float = 300.0,
    wheel_mass: float = 60.0,
    spring: float = 16000.0,
    damper: float = 1000.0,
    tyre_spring: float = 190000.0,
    tyre_damper: float = 0.0,
) -> ev.ProcessGenerator[dict[str, float]]:
    """A quarter car at `speed` m/s on the road of a CSV file with the columns position_m and height_m.

    Masses in kg, springs in N/m, dampers in N s/m.
    """
    if not 0.0 < speed < inf:
        raise ev.InputError(f"speed is {speed!r} m/s: a car that gets anywhere has a positive one")
    table = ev.data.read_table(road, ["position_m", "height_m"], increasing="position_m")
    if len(table["position_m"]) < 2:
        raise ev.InputError(f"{road} has one point: a road has two or more")
    times = (table["position_m"] - table["position_m"][0]) / speed
    profile = Road(sim, name="road", times=times.tolist(), heights=table["height_m"].tolist()).start()
    car = QuarterCar(
        sim,
        name="car",
        road=profile,
        body_mass=body_mass,
        wheel_mass=wheel_mass,
        spring=spring,
        damper=damper,
        tyre_spring=tyre_spring,
        tyre_damper=tyre_damper,
        body=profile.heights[0],
        wheel=profile.heights[0],
    ).start()
    travel = watch(sim, lambda: car.travel, car.travel_slope)
    force = watch(sim, lambda: car.tyre_force, car.tyre_slope)
    acceleration = watch(sim, lambda: car.acceleration, car.acceleration_slope)
    sim.record(profile, car, every=0.005, name="ride")

    yield profile.activate()
    duration = sim.time
    rms = sqrt(car.discomfort / duration)
    calm = car.spring * CALM**2 / 2.0
    end = yield ev.first_of(calm=ev.until(lambda: car.energy() < calm), never=ev.hold(PATIENCE))

    return {
        "drive": ev.Quantity(duration, unit="s"),
        "settling": ev.Quantity(sim.time - duration if end.name == "calm" else inf, unit="s"),
        "body acceleration, rms": ev.Quantity(rms, unit="m/s2"),
        "body acceleration, greatest": ev.Quantity(acceleration.size, unit="m/s2"),
        "suspension travel, greatest": ev.Quantity(travel.size, unit="m"),
        "tyre force, greatest change": ev.Quantity(force.size, unit="N"),
        "tyre load at rest": ev.Quantity(car.load, unit="N"),
        "tyre load, least": ev.Quantity(car.load + force.least, unit="N"),
    }


@quarter_car.picture
def draw(run: ev.Run[dict[str, float]], figure: Figure) -> None:
    ride = run.recordings[0]
    figure.set_figheight(5.5)
    upper, lower = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": (3, 2)})
    for name, style in (("body", "-"), ("wheel", "-"), ("road", "--")):
        column = "road.height" if name == "road" else f"car.{name}"
        upper.plot(ride.times, 1000.0 * ride[column], style, label=name)
    upper.set(ylabel="displacement [mm]", title=f"Quarter car at {run.parameters['speed']:g} m/s")
    upper.legend(loc="upper right", frameon=False, ncols=3)
    lower.plot(ride.times, ride["car.acceleration"])
    lower.set(xlabel="time [s]", ylabel="body acceleration [m/s2]")
