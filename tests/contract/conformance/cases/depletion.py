"""A stock that runs out exactly: the event is not lost by the last bit."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Stock(ev.Continuous):
    amount: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.amount = -0.1

    @ev.when(lambda self: self.amount <= 0.0)
    def empty(self) -> None:
        self.log.append(("empty" if self.amount <= 0.0 else "not yet", self.sim.time))
        self.amount = 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Stock(sim, log=log).start()


CASE = Case(
    title="a stock that runs out",
    reported=("roadrunner#439", "PyBaMM#590"),
    asked="when a stock of 1 is used up at a rate of 0.1, three times",
    exact=(("empty", 10.0), ("empty", 20.0), ("empty", 30.0)),
    until=35.0,
    build=build,
    tolerance=1e-12,
    problem=Problem((1.0,), lambda t, y, m: [-0.1], (Watched("empty", lambda t, y, m: y[0], -1, lambda y: [1.0]),)),
)
