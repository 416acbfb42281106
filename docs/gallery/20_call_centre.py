"""
Call centre with shifts
=======================

The number of agents follows a plan of the day. Calls come at a rate that changes by the hour. How many callers wait
longer than 20 seconds?
"""

import matplotlib.pyplot as plt

import eventide as ev

RATES = [10, 6, 4, 4, 6, 12, 30, 60, 90, 110, 120, 110, 90, 100, 110, 100, 80, 60, 45, 35, 28, 22, 16, 12]  # an hour


def calls(sim, agents, served):
    gaps = sim.stream("gaps")
    highest = max(RATES)
    while True:  # thinning: candidates at the highest rate, of which some are taken
        yield ev.hold(gaps.exponential(3600.0 / highest))
        hour = int(sim.time // 3600) % 24
        if gaps.uniform(0.0, highest) < RATES[hour]:
            sim.process(call(sim, agents, served))


def call(sim, agents, served):
    arrived = sim.time
    with agents.request() as agent:
        yield agent
        served.append(sim.time - arrived)
        yield ev.hold(sim.stream("talk").exponential(240.0))


@ev.model(until=24 * 3600.0, time_unit="s")
def centre(sim, *, day: int = 10):
    agents = ev.Resource(sim, 2, name="agents")
    served = []

    def plan():
        for hour, staff in [(6, day // 2), (8, day), (18, day // 2), (22, 2)]:
            yield ev.hold(hour * 3600.0 - sim.time)
            agents.set_capacity(staff)

    sim.process(plan())
    sim.process(calls(sim, agents, served))
    sim.record(agents, every="event", name="agents")
    return {"within 20 s": lambda: sum(wait <= 20.0 for wait in served) / len(served)}


# %%
# One day.

run = centre.run(entropy=1)
_, axes = plt.subplots(figsize=(8, 4))
run.recordings[0].plot(ax=axes)

# %%
# Agents by day, and the service level with its interval.

print(ev.Study(centre, over={"day": [8, 10, 12, 14]}, replications=10, entropy=1).run(workers=1))
