"""Two clocks, 200 Hz and 60 Hz, meet 20 times a second."""

from conformance.case import Case, Log

import eventide as ev


class Clocks(ev.Continuous):
    x: ev.State = ev.state(0.0)
    fast: float = -1.0
    slow: float = -1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.every(hz=200)
    def tick(self) -> None:
        self.fast = self.sim.time
        self.meet()

    @ev.every(hz=60)
    def tock(self) -> None:
        self.slow = self.sim.time
        self.meet()

    def meet(self) -> None:
        if self.fast == self.slow:
            self.log.append(("meet", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Clocks(sim, log=log).start()


CASE = Case(
    title="200 Hz against 60 Hz",
    reported=("drake#15021", "pathsim#249", "RigidBodySim.jl#126"),
    asked="the instants in [0, 10) at which both tick, to the last bit",
    exact=tuple(("meet", k / 20) for k in range(200)),
    until=10.0,
    build=build,
    is_long=True,
    tolerance=0.0,
)
