"""Two saw teeth that fall at the same instants; each effect leaves the other's condition at its root."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Saws(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0
        self.rate.y = 2.0

    @ev.when(lambda self: self.x >= 1.0)
    def fall_x(self) -> None:
        self.log.append(("x", self.sim.time))
        self.x -= 1.0

    @ev.when(lambda self: self.y >= 2.0)
    def fall_y(self) -> None:
        self.log.append(("y", self.sim.time))
        self.y -= 2.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Saws(sim, log=log).start()


CASE = Case(
    title="two resets at one time",
    reported=("AMICI#2804", "DiffEqBase.jl#837"),
    asked="five falls of two saw teeth at the same instants, with no root found again after its reset",
    exact=tuple((name, float(n)) for n in range(1, 6) for name in ("x", "y")),
    until=5.5,
    build=build,
    tolerance=1e-12,
    in_order=False,
    problem=Problem(
        (0.0, 0.0),
        lambda t, y, m: [1.0, 2.0],
        (
            Watched("x", lambda t, y, m: y[0] - 1.0, 1, lambda y: [y[0] - 1.0, y[1]]),
            Watched("y", lambda t, y, m: y[1] - 2.0, 1, lambda y: [y[0], y[1] - 2.0]),
        ),
    ),
)
