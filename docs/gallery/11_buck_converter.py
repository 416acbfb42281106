"""
Buck converter
==============

A switch connects a coil to 24 V and to ground 50,000 times a second; a controller sets the share of time. When the
current in the coil would turn round, the diode blocks. Switching times are exact, blocking is a state event.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Buck(ev.Continuous):
    current: ev.State = ev.state(0.0, unit="A")
    voltage: ev.State = ev.state(0.0, unit="V")
    load: float = ev.field(default=5.0, unit="Ohm")
    source: float = ev.field(default=0.0, unit="V")
    conducts: bool = True

    def equations(self):
        if self.conducts:
            self.rate.current = (self.source - self.voltage) / 100e-6
        else:
            self.rate.current = 0.0
        self.rate.voltage = (self.current - self.voltage / self.load) / 100e-6

    @ev.when(lambda self: self.current < 0.0)
    def blocks(self):
        self.current, self.conducts = 0.0, False


class Controller(ev.Process):
    buck: Buck
    target: float = ev.field(default=12.0, unit="V")

    def run(self):
        share, total = 0.0, 0.0
        while True:
            error = self.target - self.buck.voltage
            total = min(max(total + 0.0005 * error, 0.0), 0.95)
            share = min(max(0.02 * error + total, 0.0), 0.95)
            if share > 0.0:
                self.buck.source, self.buck.conducts = 24.0, True
                yield ev.hold(share * 20e-6)
                self.buck.source = 0.0
            yield ev.tick(20e-6)


def drops_load(sim, buck):
    yield ev.hold(6e-3)
    buck.load = 60.0


sim = ev.Simulation(time_unit="s")
buck = Buck(sim, name="buck").start()
Controller(sim, buck=buck).activate()
sim.process(drops_load(sim, buck))
curve = sim.record(buck, every=5e-6)
sim.run(until=12e-3)
print(f"{buck.voltage:.3f} V after {sim.report().events} events")

# %%
# The load is dropped after 6 ms: the coil then carries no current for a part of each period.

_, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
curve.plot(ax=above, columns=["buck.voltage"])
curve.plot(ax=below, columns=["buck.current"])
