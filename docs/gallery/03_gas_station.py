"""
Gas station
===========

Cars take fuel from a tank that a truck refills when it runs low. The level of the tank is *continuous* while a pump
runs, so that "below 20 %" is a state event between two times of the event list.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Tank(ev.Continuous):
    """Fuel below the station; pumps and the truck add their flows."""

    level: ev.State = ev.state(500.0, unit="l")
    outflow: float = ev.field(default=0.0, unit="l/min")
    inflow: float = ev.field(default=0.0, unit="l/min")

    def equations(self):
        self.rate.level = self.inflow - self.outflow


def car(sim, pumps, tank):
    with pumps.request() as pump:
        yield pump
        litres = sim.stream("litres").uniform(20.0, 60.0)
        tank.outflow += 40.0
        yield ev.hold(litres / 40.0)
        tank.outflow -= 40.0


def cars(sim, pumps, tank):
    while True:
        yield ev.hold(sim.stream("gaps").exponential(3.0))
        sim.process(car(sim, pumps, tank))


def truck(sim, tank):
    while True:
        yield ev.until(lambda: tank.level <= 200.0)
        print(f"{sim.time:7.2f}  the truck is called")
        yield ev.hold(10.0)
        tank.inflow = 200.0
        yield ev.until(lambda: tank.level >= 500.0)
        tank.inflow = 0.0


sim = ev.Simulation(rng=5, time_unit="min")
tank = Tank(sim, name="tank").start()
pumps = ev.Resource(sim, 2, name="pumps")
sim.process(cars(sim, pumps, tank))
sim.process(truck(sim, tank))
curve = sim.record(tank, every=0.5)
sim.run(until=120.0)

# %%
# The level falls while cars are served and jumps nowhere: the truck needs its time too.

_, axes = plt.subplots(figsize=(8, 3))
curve.plot(ax=axes)
