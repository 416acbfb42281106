"""
Epidemic with lockdowns
=======================

Three groups of a population follow differential equations. A lockdown begins when too many are infected, lasts for
at least thirty days, and ends when few are.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Epidemic(ev.Continuous):
    susceptible: ev.State = ev.state(0.999)
    infected: ev.State = ev.state(0.001)
    recovered: ev.State = ev.state(0.0)
    contact: float = ev.field(default=0.4, unit="1/d")

    def equations(self):
        new, healed = self.contact * self.susceptible * self.infected, 0.1 * self.infected
        self.rate.susceptible = -new
        self.rate.infected = new - healed
        self.rate.recovered = healed


def government(sim, epidemic, periods):
    while True:
        yield ev.until(lambda: epidemic.infected > 0.05)
        begin, epidemic.contact = sim.time, 0.08
        yield ev.hold(30.0)
        yield ev.until(lambda: epidemic.infected < 0.01)
        epidemic.contact = 0.4
        periods.append((begin, sim.time))


sim = ev.Simulation(time_unit="d")
epidemic = Epidemic(sim, name="epidemic").start()
periods = []
sim.process(government(sim, epidemic, periods))
curve = sim.record(epidemic, every=1.0)
sim.run(until=500.0)
for begin, end in periods:
    print(f"lockdown from day {begin:.1f} to day {end:.1f}")

# %%
# The shaded stretches are lockdowns.

_, axes = plt.subplots(figsize=(8, 4))
curve.plot(ax=axes)
for begin, end in periods:
    axes.axvspan(begin, end, alpha=0.15)
