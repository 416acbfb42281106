"""Two peaks of equal height in one step, both 1e-9 above zero, with a valley of depth 1 between."""

from math import sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

HEIGHT = 1e-9
POKE = sqrt(HEIGHT)


class Camel(ev.Continuous):
    """y = 1e-9 - ((t - 1) (t - 3))**2."""

    y: ev.State = ev.state(HEIGHT - 9.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        t = self.sim.time
        self.rate.y = -2.0 * (t * t - 4.0 * t + 3.0) * (2.0 * t - 4.0)

    @ev.when(ev.crosses(lambda self: self.y))
    def cross(self) -> None:
        self.log.append(("cross", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Camel(sim, log=log).start()


CASE = Case(
    title="two peaks 1e-9 high in one step",
    reported=("scipy#9228", "diffrax#507"),
    asked="the four roots of a quartic that touches zero twice but for 1e-9",
    exact=tuple(
        ("cross", 2.0 + side * sqrt(1.0 + poke)) for side, poke in ((-1, POKE), (-1, -POKE), (1, -POKE), (1, POKE))
    ),
    until=4.0,
    build=build,
    options={},
    problem=Problem(
        (HEIGHT - 9.0,),
        lambda t, y, m: [-2.0 * (t * t - 4.0 * t + 3.0) * (2.0 * t - 4.0)],
        (Watched("cross", lambda t, y, m: y[0]),),
    ),
)
