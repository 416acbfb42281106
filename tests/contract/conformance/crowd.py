"""A model without a known answer that has what could make runs differ: chance, objects that come and go, cycles."""

import eventide as ev
from conformance.case import Log


class Pit(ev.Continuous):
    heat: ev.State = ev.state(0.0)
    power: float = 1.0

    def equations(self) -> None:
        self.rate.heat = self.power - 0.1 * self.heat


class Ingot(ev.Process, ev.Continuous):
    """It refers to itself, so that only the collector of garbage can take it away."""

    pit: Pit
    place: ev.Resource
    temperature: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)
    kin: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.temperature = self.pit.heat - self.temperature

    @ev.when(lambda self: self.temperature >= 1.0)
    def glow(self) -> None:
        self.log.append((f"{self.name} glows", self.sim.time))

    def run(self) -> ev.ProcessGenerator:
        self.kin.append(self)
        with self.place.request() as place:
            got = yield ev.first_of(place=place, gave_up=ev.hold(self.sim.stream("patience").exponential(2.0)))
            self.log.append((f"{self.name} {got.name}", self.sim.time))
            if got.name == "gave_up":
                return
            self.start()
            yield ev.until(lambda: self.temperature >= 2.0)
            self.stop()
            self.log.append((f"{self.name} is done", self.sim.time))


def arrivals(sim: ev.Simulation, pit: Pit, place: ev.Resource, log: Log) -> ev.ProcessGenerator:
    for _ in range(40):
        Ingot(sim, pit=pit, place=place, log=log).activate()
        yield ev.hold(sim.stream("arrivals").exponential(1.0))


def build(sim: ev.Simulation, log: Log) -> object:
    pit = Pit(sim).start()
    sim.process(arrivals(sim, pit, ev.Resource(sim, 1), log))
    return pit
