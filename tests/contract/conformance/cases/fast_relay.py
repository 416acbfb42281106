"""Fast switching with a band is no chatter, however fast."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

BAND = 0.005


class Relay(ev.Continuous):
    x: ev.State = ev.state(0.0)
    slope: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.slope

    @ev.when(lambda self: self.x >= BAND and self.slope > 0.0)
    def top(self) -> None:
        self.log.append(("top", self.sim.time))
        self.slope = -1.0

    @ev.when(lambda self: self.x <= -BAND and self.slope < 0.0)
    def bottom(self) -> None:
        self.log.append(("bottom", self.sim.time))
        self.slope = 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Relay(sim, log=log).start()


def turned(y):
    return [y[0], -y[1]]


CASE = Case(
    title="relay: fast, and no chatter",
    reported=("OpenModelica#11006", "OpenModelica#12190", "modelica-buildings#3735"),
    asked="400 switches of a relay with a narrow band, and no alarm",
    exact=tuple(("top" if k % 2 == 0 else "bottom", (2 * k + 1) * BAND) for k in range(400)),
    until=4.0,
    build=build,
    is_long=True,
    tolerance=1e-9,
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [y[1], 0.0],
        (
            Watched("top", lambda t, y, m: y[0] - BAND, 1, turned),
            Watched("bottom", lambda t, y, m: y[0] + BAND, -1, turned),
        ),
    ),
)
