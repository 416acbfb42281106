"""A ball dropped on the floor: free flight by equations, every bounce and every apex a state event.

Covers:   states with units, `when` handlers, state events located to the last float, equations that stop, a recording
          with both sides of each event, a picture of the model's own.
Scenario: a ball falls from rest. Each bounce turns its velocity round and takes a tenth of it, so the bounces come
          faster and faster: infinitely many in the first 27.13 s, if the ball did not lie still when it is slow enough.
Source:   ARGESIM comparison C21, case 1a.

Correctness:   times and heights of the bounces agree with the geometric series to the last digits that are printed.
Relevance:     for how events follow each other ever faster; spin, air and the shape of the ball are left out.
Economy:       two states and one line for each event; the time in contact is none, so that no stiff spring is needed.
Clarity:       heights in m above the floor, velocities in m/s upwards.
Comparability: with every other solver of C21, whose parameters it has.
Structure:     one component with two handlers; the model starts it and records it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import eventide as ev

if TYPE_CHECKING:
    from matplotlib.figure import Figure


STILL = 1e-6  # m/s: a ball that leaves the floor more slowly stays there


class Ball(ev.Continuous):
    """Falls freely, bounces off the floor at height zero and remembers when, and how high it rose."""

    height: ev.State = ev.state(10.0, unit="m")
    velocity: ev.State = ev.state(0.0, unit="m/s")
    restitution: float = 0.9
    gravity: float = ev.field(default=9.81, unit="m/s2")
    bounces: list[float] = ev.field(default_factory=list, unit="s")
    apexes: list[float] = ev.field(default_factory=list, unit="m")

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -self.gravity

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -self.restitution
        self.bounces.append(self.sim.time)
        if self.velocity < STILL:
            self.height = self.velocity = 0.0
            self.stop()

    @ev.when(lambda self: self.velocity <= 0.0)
    def turn(self) -> None:
        self.apexes.append(self.height)


def last(values: list[float], unit: str) -> ev.Quantity:
    """The last of some values; not a number if there is none."""
    return ev.Quantity(values[-1] if values else float("nan"), unit=unit)


@ev.model(until=20.0, rel_error=1e-10, abs_error=1e-10)
def bouncing_ball(
    sim: ev.Simulation, *, height: float = 10.0, restitution: float = 0.9, gravity: float = 9.81
) -> dict[str, Callable[[], float]]:
    """A ball dropped from `height` m with `gravity` in m/s2; a bounce leaves the share `restitution` of its speed."""
    ball = Ball(sim, name="ball", height=height, restitution=restitution, gravity=gravity).start()
    sim.record(ball, every=0.02, name="flight")
    return {
        "bounces": lambda: len(ball.bounces),
        "last bounce": lambda: last(ball.bounces, "s"),
        "last apex": lambda: last(ball.apexes, "m"),
        "height": lambda: ev.Quantity(ball.height, unit="m"),
        "velocity": lambda: ev.Quantity(ball.velocity, unit="m/s"),
    }


@bouncing_ball.picture
def draw(run: ev.Run[dict[str, float]], figure: Figure) -> None:
    flight = run.recordings[0]
    # Two rows of one time are the two sides of an event that changed the ball: a bounce.
    bounces = flight.times[1:][np.diff(flight.times) == 0.0]
    axes = figure.subplots()
    axes.plot(flight.times, flight["ball.height"], label="height of the ball")
    axes.plot(bounces, np.zeros_like(bounces), "o", markersize=5, clip_on=False, label=f"{len(bounces)} bounces")
    share = f"{100.0 * run.parameters['restitution']:g} %"
    axes.set(xlabel="time [s]", ylabel="height [m]", title=f"A ball that keeps {share} of its speed at each bounce")
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="upper right", frameon=False)
