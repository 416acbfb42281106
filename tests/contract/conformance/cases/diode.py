"""A rectifier with a capacitor: an ideal diode conducts and blocks once in each period."""

from math import atan, exp, pi, sin

from conformance.case import Case, Log, Problem, Watched
from scipy.optimize import brentq

import eventide as ev

DECAY = 5.0
"""Resistance times capacity."""
BLOCKS = pi - atan(DECAY)
"""sin(t) + DECAY cos(t) = 0: the current through the diode ends."""


def conducts(k: int) -> float:
    """When the source has risen to the voltage that is left."""
    begin = BLOCKS + 2.0 * pi * k
    return float(
        brentq(
            lambda t: sin(t) - sin(BLOCKS) * exp(-(t - begin) / DECAY),
            2.0 * pi * (k + 1),
            2.0 * pi * (k + 1) + pi / 2.0,
            xtol=1e-15,
            rtol=1e-15,
        )
    )


class Rectifier(ev.Continuous):
    source: ev.State = ev.state(0.0)
    quadrature: ev.State = ev.state(1.0)
    voltage: ev.State = ev.state(0.0)
    on: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.source = self.quadrature
        self.rate.quadrature = -self.source
        self.rate.voltage = self.on * self.quadrature - (1.0 - self.on) * self.voltage / DECAY

    @ev.when(lambda self: self.on == 1.0 and self.source + DECAY * self.quadrature <= 0.0)
    def block(self) -> None:
        self.log.append(("block", self.sim.time))
        self.on = 0.0

    @ev.when(lambda self: self.on == 0.0 and self.source >= self.voltage and self.quadrature > 0.0)
    def conduct(self) -> None:
        self.log.append(("conduct", self.sim.time))
        self.on, self.voltage = 1.0, self.source


def build(sim: ev.Simulation, log: Log) -> object:
    return Rectifier(sim, log=log).start()


CASE = Case(
    title="diode: a rectifier",
    reported=("ModelicaStandardLibrary#4559", "OpenModelica#10387"),
    asked="when an ideal diode blocks and conducts in five periods",
    exact=tuple(
        happening for k in range(5) for happening in (("block", BLOCKS + 2.0 * pi * k), ("conduct", conducts(k)))
    ),
    until=33.0,
    build=build,
    is_long=True,
    options={"rel_error": 1e-10, "abs_error": 1e-12},
    problem=Problem(
        (0.0, 1.0, 0.0, 1.0),
        lambda t, y, m: [y[1], -y[0], y[3] * y[1] - (1.0 - y[3]) * y[2] / DECAY, 0.0],
        (
            Watched(
                "block",
                lambda t, y, m: y[3] * (y[0] + DECAY * y[1]) + (1.0 - y[3]),
                -1,
                lambda y: [y[0], y[1], y[2], 0.0],
            ),
            Watched(
                "conduct",
                lambda t, y, m: (1.0 - y[3]) * (y[0] - y[2]) - y[3],
                1,
                lambda y: [y[0], y[1], y[0], 1.0],
            ),
        ),
    ),
)
