"""A product that is above its level but for two moments between samples: after each it has become true again."""

from math import sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

FIRST, SECOND, DEPTH = 2.47, 7.31, 1e-9
HALF = (SECOND - FIRST) / 2.0
"""(x - FIRST) (x - SECOND) = s**2 - HALF**2 with s = x - the middle between them."""


def blink(product: float, sign: float) -> float:
    """Where the product of the distances is `product`, behind the first (-1) or the second (1) of the places."""
    return (FIRST + SECOND) / 2.0 + sign * sqrt(HALF * HALF + sign * product)


class Light(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: (self.x - FIRST) ** 2 * (self.x - SECOND) ** 2 >= DEPTH)
    def again(self) -> None:
        self.log.append(("again", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Light(sim, log=log).start()


CASE = Case(
    title="two blinks between samples",
    reported=("diffrax#507", "FMPy#399"),
    asked="when (x - 2.47)**2 (x - 7.31)**2 is 1e-9 or more again, having been less for 1e-5 of 10, twice",
    exact=(("again", blink(sqrt(DEPTH), -1.0)), ("again", blink(sqrt(DEPTH), 1.0))),
    until=10.0,
    build=build,
    tolerance=1e-10,
    options={},
    problem=Problem(
        (0.0,),
        lambda t, y, m: [1.0],
        (Watched("again", lambda t, y, m: (y[0] - FIRST) ** 2 * (y[0] - SECOND) ** 2 - DEPTH, 1),),
    ),
)
