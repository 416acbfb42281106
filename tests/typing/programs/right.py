"""A program without a mistake: nothing is reported."""

from __future__ import annotations

import numpy as np

import eventide as ev


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1650.0, unit="degF")
    load: ev.Summed = ev.summed(unit="kW")
    excess: ev.Computed = ev.computed(unit="kW")

    def equations(self) -> None:
        self.rate.temperature = 0.2 * (2600.0 - self.temperature)
        self.excess = self.load - 10.0


class Ingot(ev.Process, ev.Continuous):
    furnace: Furnace
    pit: ev.Resource
    temperature: ev.State = ev.state(400.0)
    coefficient: float = 0.15

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * (self.furnace.temperature - self.temperature)

    def contributions(self) -> None:
        self.furnace.load += 1.0

    @ev.when(lambda self: self.temperature > 1000.0)
    def glow(self) -> None:
        self.coefficient = 0.2

    def run(self) -> ev.ProcessGenerator:
        with self.pit.request() as place:
            got = yield ev.first_of(place=place, gave_up=ev.hold(48.0))
            if got.name == "gave_up":
                return
            self.start()
            yield ev.until(lambda: self.temperature >= 2200.0)
            yield 1.5
            self.stop()


class Rod(ev.Continuous):
    furnace: Furnace
    cells: int = 20
    u: ev.StateVector = ev.state_vector(20.0, size="cells", unit="degC")
    flux: ev.ComputedVector = ev.computed_vector(size="cells")

    def equations(self) -> None:
        self.flux = -2.0 * self.u
        self.rate.u[1:-1] = self.u[2:] - 2.0 * self.u[1:-1] + self.u[:-2]
        self.rate.u[0] = self.furnace.temperature - self.u[0]
        for i in range(len(self.u)):
            self.rate.u[i] += self.flux[i]

    @ev.when(lambda self: self.u[3] > 500.0)
    def glow(self) -> None:
        self.u *= 0.5
        with self["u"].write() as u:
            u[0] = 20.0


sim = ev.Simulation(rel_error=1e-8, rng=1)
furnace = Furnace(sim, temperature=1700.0, name="furnace").start()
ingot = Ingot(sim, furnace=furnace, pit=ev.Resource(sim, 10), coefficient=0.1).activate(delay=2.0)
rod = Rod(sim, furnace=furnace, u=np.linspace(0.0, 1.0, 10), cells=10).start()
middle: float = rod.u[5] + rod.rate.u.sum() + rod.last.u.max()
trace = sim.record(furnace, every=0.5, hottest=lambda: furnace.temperature)
sim.run(until=10.0)
last: float = furnace.temperature + furnace["temperature"].rate + furnace.last.temperature
