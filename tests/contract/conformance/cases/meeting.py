"""Two objects with steps of their own meet for a moment."""

from math import sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

OVERLAP = 1e-9


class Train(ev.Continuous):
    place: ev.State = ev.state(0.0)
    speed: ev.State = ev.state(0.0)
    push: float = 0.0

    def equations(self) -> None:
        self.rate.place = self.speed
        self.rate.speed = self.push


def guard(sim: ev.Simulation, first: Train, second: Train, log: Log) -> ev.ProcessGenerator:
    yield ev.until(ev.crosses(lambda: first.place - second.place, direction="up"))
    log.append(("touch", sim.time))
    yield ev.until(ev.crosses(lambda: first.place - second.place, direction="down"))
    log.append(("part", sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    first = Train(sim, name="first", speed=4.0, push=-2.0).start()
    second = Train(sim, name="second", place=4.0 - OVERLAP, speed=0.0).start()
    sim.process(guard(sim, first, second, log))
    return first, second


CASE = Case(
    title="two objects meet for a moment",
    reported=("DifferentialEquations.jl#696", "diffrax#507"),
    asked="when 4 t - t**2 is beyond 4 - 1e-9, which another object holds",
    exact=(("touch", 2.0 - sqrt(OVERLAP)), ("part", 2.0 + sqrt(OVERLAP))),
    until=6.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem(
        (0.0, 4.0, 4.0 - OVERLAP),
        lambda t, y, m: [y[1], -2.0, 0.0],
        (Watched("touch", lambda t, y, m: y[0] - y[2], 1), Watched("part", lambda t, y, m: y[0] - y[2], -1)),
    ),
)
