"""What is due at time 0 runs at time 0."""

from conformance.case import Case, Log

import eventide as ev


class Sampler(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.every(0.1)
    def sample(self) -> None:
        self.log.append(("sample" if abs(self.x - self.sim.time) < 1e-12 else "stale", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Sampler(sim, log=log).start()


CASE = Case(
    title="updates due at t = 0, and no drift after it",
    reported=("drake#9702", "pathsim#249", "brian2#943"),
    asked="a sample each 0.1 from time 0 on, to the last bit",
    exact=tuple(("sample", k / 10) for k in range(100)),
    until=10.0,
    build=build,
    tolerance=0.0,
)
