"""
Predator and prey with harvest
==============================

Volterra's equations, with a fisher who goes out while there are many prey, and stays home while there are few.
Volterra's principle: to harvest both alike leaves *more* prey than before.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Sea(ev.Continuous):
    prey: ev.State = ev.state(10.0)
    predators: ev.State = ev.state(5.0)
    harvest: float = 0.0

    def equations(self):
        self.rate.prey = (1.0 - 0.1 * self.predators - self.harvest) * self.prey
        self.rate.predators = (0.075 * self.prey - 1.5 - self.harvest) * self.predators


def fisher(sea):
    while True:
        yield ev.until(lambda: sea.prey >= 30.0)
        sea.harvest = 0.3
        yield ev.until(lambda: sea.prey <= 10.0)
        sea.harvest = 0.0


def run(fishing):
    sim = ev.Simulation(time_unit="a", rel_error=1e-9)
    sea = Sea(sim, name="sea").start()
    prey = sim.integral(lambda: sea.prey, name="prey")
    if fishing:
        sim.process(fisher(sea))
    curve = sim.record(sea, every=0.02)
    sim.run(until=60.0)
    return curve, prey.average


_, axes = plt.subplots(figsize=(6, 5))
for fishing in (False, True):
    curve, average = run(fishing)
    axes.plot(curve["sea.prey"], curve["sea.predators"], linewidth=0.8, label="with the fisher" if fishing else "alone")
    print(f"{'with the fisher' if fishing else 'alone':16} {average:.3f} prey on average")
axes.set(xlabel="prey", ylabel="predators")
axes.legend()
