"""A three-stage rocket: thrust, drag and gravity by equations, the stages one after the other in the main program.

Covers:   a main program as a generator, time events, a jump in one state while others go on, parameters that change
          during the run, step sizes over a wide range.
Scenario: each stage burns for a fixed time. Then the empty stage is dropped, so that the mass jumps, and the next one
          ignites; velocity and height go on without a jump. Units are slugs, feet and seconds.
Source:   Helsgaun, jDisco report, three-stage rocket.

Correctness:   heights and speeds where each stage burns out agree with a reference of high accuracy.
Relevance:     for an ascent in three stages; guidance, wind and the turn of the earth are left out.
Economy:       three states; drag from a formula, as tables would change the height by less than its printed digits.
Clarity:       slugs, feet and seconds as in the source; heights upwards.
Comparability: with the report's table, stage by stage, by the same units.
Structure:     a rocket with its law, and the main program that drops the stages one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import exp
from typing import TYPE_CHECKING

import eventide as ev

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Stage:
    """What holds while a stage burns."""

    mass: float  # slug, of the whole rocket at ignition
    flow: float  # slug/s of burnt fuel
    exhaust_speed: float  # ft/s
    area: float  # ft2
    duration: float  # s


STAGES = (
    Stage(mass=189162.0, flow=930.0, exhaust_speed=8060.0, area=510.0, duration=150.0),
    Stage(mass=40342.0, flow=81.49, exhaust_speed=13805.0, area=460.0, duration=359.0),
    Stage(mass=8137.0, flow=14.75, exhaust_speed=15250.0, area=360.0, duration=479.0),
)
AIR_DENSITY = 0.00119  # slug/ft3 at the ground, halved as the formula of drag has it
SCALE_HEIGHT = 24000.0  # ft, over which the air thins to 1/e
GRAVITY = 32.17  # ft/s2 at the ground
EARTH_RADIUS = 20908800.0  # ft


class Rocket(ev.Continuous):
    """Rises straight up on the stage that burns."""

    stage: Stage
    mass: ev.State = ev.state(0.0, unit="slug")
    velocity: ev.State = ev.state(0.0, unit="ft/s")
    height: ev.State = ev.state(0.0, unit="ft")

    def equations(self) -> None:
        stage = self.stage
        thrust = stage.flow * stage.exhaust_speed
        drag = stage.area * AIR_DENSITY * exp(-self.height / SCALE_HEIGHT) * self.velocity**2
        weight = self.mass * GRAVITY / (1.0 + self.height / EARTH_RADIUS) ** 2
        self.rate.mass = -stage.flow
        self.rate.velocity = (thrust - drag - weight) / self.mass
        self.rate.height = self.velocity

    def ignite(self, stage: Stage) -> None:
        """Drop what has burnt out and go on with `stage`."""
        self.stage = stage
        self.mass = stage.mass


@ev.model(rel_error=1e-11, abs_error=1e-7)
def rocket(sim: ev.Simulation) -> ev.ProcessGenerator[dict[str, float]]:
    """Three stages, one after the other, each to its burnout."""
    ship = Rocket(sim, name="rocket", stage=STAGES[0]).start()
    sim.record(ship, every=2.0, name="ascent")
    responses: dict[str, float] = {}
    for number, stage in enumerate(STAGES, start=1):
        ship.ignite(stage)
        yield ev.hold(stage.duration)
        responses[f"mass at burnout {number}"] = ev.Quantity(ship.mass, unit="slug")
        responses[f"velocity at burnout {number}"] = ev.Quantity(ship.velocity, unit="ft/s")
        responses[f"height at burnout {number}"] = ev.Quantity(ship.height, unit="ft")
    return responses


@rocket.picture
def draw(run: ev.Run[dict[str, float]], figure: Figure) -> None:
    ascent = run.recordings[0]
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.plot(ascent.times, ascent["rocket.height"] / 1e6)
    upper.set(ylabel="height [million ft]", title="Three stages, separations marked")
    lower.plot(ascent.times, ascent["rocket.velocity"] / 1e3)
    lower.set(xlabel="time [s]", ylabel="velocity [1000 ft/s]")
    burnouts = list(accumulate(stage.duration for stage in STAGES))
    for axes in (upper, lower):
        axes.set_ylim(bottom=0.0)
        for separation in burnouts[:-1]:
            axes.axvline(separation, color="0.4", linestyle="--", linewidth=1.0)
    for number, (stage, end) in enumerate(zip(STAGES, burnouts, strict=True), start=1):
        middle = (end - stage.duration / 2, 0.92)
        upper.annotate(f"stage {number}", middle, xycoords=("data", "axes fraction"), ha="center", color="0.3")
