"""A square wave drives an integrator: no edge is missed, and the triangle crosses its level between the edges."""

from conformance.case import Case, Log

import eventide as ev


class Triangle(ev.Continuous):
    x: ev.State = ev.state(0.0)
    drive: float = -1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.drive

    @ev.every(1.0)
    def edge(self) -> None:
        self.drive = -self.drive

    @ev.when(ev.crosses(lambda self: self.x, 0.75))
    def cross(self) -> None:
        self.log.append(("rise" if self.drive > 0.0 else "fall", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Triangle(sim, log=log).start()


CASE = Case(
    title="a square wave",
    reported=("bdsim#2", "scipy#18039"),
    asked="when the integral of a square wave crosses 3/4",
    exact=tuple(happening for k in range(10) for happening in (("rise", 2 * k + 0.75), ("fall", 2 * k + 1.25))),
    until=20.0,
    build=build,
    tolerance=1e-12,
)
