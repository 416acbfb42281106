"""The least of three distances, each a corner that is nearly zero for a moment."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

PLACES, REACH = (2.1, 5.3, 8.7), 1e-6


class Probe(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: min(abs(self.x - 2.1), abs(self.x - 5.3), abs(self.x - 8.7)) <= REACH)
    def touch(self) -> None:
        self.log.append(("touch", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Probe(sim, log=log).start()


def reached(t, y, m):
    reach = -1.0
    for place in PLACES:
        own = REACH - abs(y[0] - place)
        reach = (reach + own + abs(reach - own)) / 2.0
    return reach


CASE = Case(
    title="the least of three corners",
    reported=("diffrax#507", "OpenModelica#8461"),
    asked="when the least of |x - 2.1|, |x - 5.3|, |x - 8.7| is below 1e-6, where x = t",
    exact=tuple(("touch", place - REACH) for place in PLACES),
    until=10.0,
    build=build,
    tolerance=1e-12,
    options={},
    problem=Problem((0.0,), lambda t, y, m: [1.0], (Watched("touch", reached, 1),)),
)
