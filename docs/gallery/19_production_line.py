"""
Production line
===============

Five machines in a row with small buffers between them. Machines break down while they work, and a single mechanic
repairs them. A machine that cannot hand on its part is blocked; one without a part starves.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Machine(ev.Process):
    source: "ev.Store | None"
    sink: ev.Store
    mechanic: ev.Resource
    number: int
    broken: ev.Tally

    def run(self):
        work = self.sim.stream(f"work {self.number}")
        luck = self.sim.stream(f"breakdowns {self.number}")
        until_breakdown = luck.exponential(60.0)
        while True:
            part = (yield self.source.get()) if self.source is not None else object()
            duration = work.uniform(0.8, 1.2)
            while duration >= until_breakdown:
                yield ev.hold(until_breakdown)
                duration -= until_breakdown
                with self.mechanic.request() as repair:
                    begin = self.sim.time
                    yield repair
                    yield ev.hold(luck.exponential(4.0))
                    self.broken.add(self.sim.time - begin)
                until_breakdown = luck.exponential(60.0)
            yield ev.hold(duration)
            until_breakdown -= duration
            yield self.sink.put(part)


@ev.model(until=2000.0, time_unit="min")
def line(sim, *, space: int = 3):
    mechanic = ev.Resource(sim, 1, name="mechanic")
    broken = ev.Tally(name="out of work", unit="min")
    buffers = [ev.Store(sim, space, name=f"buffer {number}") for number in range(1, 5)]
    stock = ev.Store(sim, name="stock")
    places = [None, *buffers, stock]
    for number in range(5):
        Machine(
            sim, source=places[number], sink=places[number + 1], mechanic=mechanic, number=number, broken=broken
        ).activate()
    sim.record(*buffers, every="event", name="buffers")
    return {"parts an hour": lambda: 60.0 * len(stock.items) / sim.time, "out of work": broken}


# %%
# The buffers during the first two hours.

run = line.run(entropy=3, until=120.0)
_, axes = plt.subplots(figsize=(8, 4))
run.recordings[0].plot(ax=axes)

# %%
# Space in the buffers buys output, less and less.

result = ev.Study(line, over={"space": [1, 2, 4, 8, 16]}, replications=5, entropy=3).run(workers=1)
print(result)
