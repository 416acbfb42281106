"""A flash of 0.02 in a thousand time units, told by the time alone: no state keeps steps short."""

from math import exp, log

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

MIDDLE, WIDTH = 500.0, 0.01
HALF = WIDTH * log(2.0) ** 0.5
"""exp(-(HALF / WIDTH)**2) = 1/2."""


class Lamp(ev.Continuous):
    """Its battery wears down, which no flash asks for."""

    charge: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.charge = -0.001 * self.charge

    @ev.when(lambda self: exp(-(((self.sim.time - MIDDLE) / WIDTH) ** 2)) > 0.5)
    def on(self) -> None:
        self.log.append(("on", self.sim.time))

    @ev.when(lambda self: self.sim.time > MIDDLE and exp(-(((self.sim.time - MIDDLE) / WIDTH) ** 2)) < 0.5)
    def off(self) -> None:
        self.log.append(("off", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Lamp(sim, log=log).start()


def brightness(t, y, m):
    return m.exp(-(((t - MIDDLE) / WIDTH) ** 2)) - 0.5


CASE = Case(
    title="a flash told by the clock alone",
    reported=("scipy#18039", "bdsim#2"),
    asked="when a curve over the time alone, 0.02 wide in 1000, passes half its height",
    exact=(("on", MIDDLE - HALF), ("off", MIDDLE + HALF)),
    until=1000.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem(
        (1.0,), lambda t, y, m: [-0.001 * y[0]], (Watched("on", brightness, 1), Watched("off", brightness, -1))
    ),
)
