"""
Carwash
=======

Two machines wash cars that arrive at random. How long do cars wait, and does a third machine pay?
"""

import matplotlib.pyplot as plt

import eventide as ev


def car(sim, machines):
    with machines.request() as machine:
        yield machine
        yield ev.hold(sim.stream("washing").uniform(4.0, 6.0))


def arrivals(sim, machines):
    gaps = sim.stream("gaps")
    while True:
        yield ev.hold(gaps.exponential(3.0))
        sim.process(car(sim, machines))


@ev.model(until=480.0, time_unit="min")
def carwash(sim, *, machines: int = 2):
    places = ev.Resource(sim, machines, name="machines")
    sim.process(arrivals(sim, places))
    sim.record(places, every="event", name="machines")
    return {"wait": places.waits, "utilisation": lambda: places.utilisation}


# %%
# One day, with the cars in the line and at the machines.

run = carwash.run(entropy=7)
_, axes = plt.subplots(figsize=(8, 3))
run.recordings[0].plot(ax=axes)

# %%
# Thirty days for one, two and three machines, each under the same arrivals.

study = ev.Study(carwash, over={"machines": [1, 2, 3]}, replications=30, entropy=7)
print(study.run(workers=1))
