"""
Fireflies
=========

Each firefly flashes when its phase is full, and every flash moves the others ahead a little. From any start they
end up flashing together (Mirollo and Strogatz 1990). A firefly that is pushed over its threshold flashes at the
same instant.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Firefly(ev.Continuous):
    charge: ev.State = ev.state(0.0)
    swarm: list = ev.field(default_factory=list)
    flashes: list = ev.field(default_factory=list)
    number: int = 0

    def equations(self):
        self.rate.charge = 1.1 - self.charge

    @ev.when(lambda self: self.charge >= 1.0)
    def flash(self):
        self.charge = 0.0
        self.flashes.append((self.sim.time, self.number))
        for other in self.swarm:
            if other is not self and other.charge > 0.0:  # who has just flashed does not listen
                other.charge = min(other.charge + 0.02, 1.0)


sim = ev.Simulation(rng=1)
swarm, flashes = [], []
start = sim.stream("start")
for number, charge in enumerate(sorted(start.uniform(0.0, 0.99) for _ in range(40))):
    swarm.append(Firefly(sim, charge=charge, swarm=swarm, flashes=flashes, number=number))
for firefly in swarm:
    firefly.start()
sim.run(until=60.0)

last = [time for time, _ in flashes if time > 55.0]
print(f"{len({round(time, 9) for time in last})} times of flashing among {len(last)} flashes at the end")

# %%

_, axes = plt.subplots(figsize=(8, 4))
axes.plot(*zip(*flashes, strict=True), ".", markersize=3)
axes.set(xlabel="time", ylabel="firefly")
