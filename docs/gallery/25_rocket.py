"""
Rocket in two stages
====================

A rocket burns its first stage, drops it, coasts, and lights the second. Mass, drag and thrust change at events; the
highest point is an event too.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev


class Rocket(ev.Continuous):
    height: ev.State = ev.state(0.0, unit="m")
    speed: ev.State = ev.state(0.0, unit="m/s")
    fuel: ev.State = ev.state(60.0, unit="kg")
    dry: float = ev.field(default=40.0, unit="kg")
    flow: float = ev.field(default=3.0, unit="kg/s")

    def equations(self):
        mass = self.dry + self.fuel
        density = 1.225 * np.exp(-self.height / 8500.0)
        drag = 0.5 * density * 0.01 * self.speed * abs(self.speed)
        self.rate.height = self.speed
        self.rate.speed = (2400.0 * self.flow - drag) / mass - 9.81
        self.rate.fuel = -self.flow


def flight(sim, rocket):
    yield ev.until(lambda: rocket.fuel <= 0.0)
    rocket.flow = rocket.fuel = 0.0
    print(f"{sim.time:7.3f} s  the first stage is empty at {rocket.height:7.0f} m")
    yield ev.hold(2.0)
    rocket.dry, rocket.fuel = 12.0, 15.0
    print(f"{sim.time:7.3f} s  it falls away")
    yield ev.hold(5.0)
    rocket.flow = 1.0
    yield ev.until(lambda: rocket.fuel <= 0.0)
    rocket.flow = rocket.fuel = 0.0
    print(f"{sim.time:7.3f} s  the second stage is empty at {rocket.height:7.0f} m")
    yield ev.until(lambda: rocket.speed <= 0.0)
    print(f"{sim.time:7.3f} s  highest point: {rocket.height:7.0f} m")
    yield ev.until(lambda: rocket.height <= 0.0)
    print(f"{sim.time:7.3f} s  back, with {rocket.speed:.1f} m/s")


sim = ev.Simulation(time_unit="s", rel_error=1e-8)
rocket = Rocket(sim, name="rocket").start()
curve = sim.record(rocket, every=0.5)
sim.run(until=sim.process(flight(sim, rocket)))

# %%

_, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
curve.plot(ax=above, columns=["rocket.height"])
curve.plot(ax=below, columns=["rocket.speed"])
