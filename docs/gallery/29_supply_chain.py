"""
Supply chain under weather
==========================

Ships bring grain to a mill; a storm closes the port. The silo empties continuously while the mill runs, and the
mill stops when the silo is empty. How large must the silo be?
"""

import matplotlib.pyplot as plt

import eventide as ev


class Silo(ev.Continuous):
    grain: ev.State = ev.state(unit="t")
    milled: ev.State = ev.state(0.0, unit="t")
    capacity: float = ev.field(unit="t")
    milling: float = ev.field(default=40.0, unit="t/h")
    unloading: float = ev.field(default=0.0, unit="t/h")

    def equations(self):
        self.rate.grain = self.unloading - self.milling
        self.rate.milled = self.milling

    @ev.when(lambda self: self.grain <= 0.0)
    def runs_dry(self):
        self.milling = 0.0

    @ev.when(lambda self: self.grain >= 100.0)
    def begins_again(self):
        self.milling = 40.0


class Ship(ev.Process):
    port: "Port"

    def run(self):
        port, left = self.port, 2000.0
        with port.berth.request() as berth:
            yield berth
            while left > 0.0:
                yield ev.until(lambda: port.is_open and port.silo.grain < 0.9 * port.silo.capacity)
                begin = self.sim.time
                port.silo.unloading = 200.0
                yield ev.first_of(
                    empty=ev.hold(left / 200.0),
                    full=ev.until(lambda: port.silo.grain >= port.silo.capacity),
                    storm=ev.until(lambda: not port.is_open),
                )
                port.silo.unloading = 0.0
                left -= 200.0 * (self.sim.time - begin)
                left = left if left > 1e-6 else 0.0


class Port:
    def __init__(self, sim, silo):
        self.sim, self.silo, self.is_open = sim, silo, True
        self.berth = ev.Resource(sim, 1, name="berth")

    def weather(self):
        chance = self.sim.stream("weather")
        while True:
            yield ev.hold(chance.exponential(200.0))
            self.is_open = False
            yield ev.hold(chance.exponential(30.0))
            self.is_open = True

    def arrivals(self):
        while True:
            yield ev.hold(self.sim.stream("ships").exponential(48.0))
            Ship(self.sim, port=self).activate()


@ev.model(until=24.0 * 365, time_unit="h")
def chain(sim, *, capacity: float = 6000.0):
    silo = Silo(sim, grain=capacity / 2, capacity=capacity, name="silo").start()
    port = Port(sim, silo)
    sim.process(port.weather())
    sim.process(port.arrivals())
    sim.record(silo, every=1.0, name="silo")
    return {"flour [t/d]": lambda: silo.milled / sim.time * 24.0, "waiting ships": lambda: port.berth.queue.mean}


# %%
# Forty days of one year.

run = chain.run(entropy=9, until=24.0 * 40)
_, axes = plt.subplots(figsize=(8, 3))
run.recordings[0].plot(ax=axes, columns=["silo.grain"])

# %%
# Three years for each size.

print(ev.Study(chain, over={"capacity": [3000.0, 6000.0, 12000.0]}, replications=3, entropy=9).run(workers=1))
