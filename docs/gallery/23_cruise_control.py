"""
Cruise control
==============

A car on a hilly road, with a controller that is sampled twenty times a second and keeps a distance to the car
ahead. Gears are shifted by the speed of the engine.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev


class Car(ev.Continuous):
    place: ev.State = ev.state(0.0, unit="m")
    speed: ev.State = ev.state(15.0, unit="m/s")
    gear: int = 3
    throttle: float = 0.3
    ratio: float = 0.030

    def slope(self):
        return 0.04 * np.sin(self.place / 150.0)

    def equations(self):
        engine = self.speed / self.ratio / 20.0
        force = self.throttle * 190.0 * (1.0 - (engine / 60.0 - 0.6) ** 2) / (self.ratio * 20.0)
        self.rate.place = self.speed
        self.rate.speed = force / 160.0 - 0.0004 * self.speed**2 - 0.1 - 9.81 * self.slope()

    def shift(self, gear):
        self.gear = gear
        self.ratio = (0.010, 0.018, 0.026, 0.034, 0.042)[gear - 1]

    @ev.when(lambda self: self.gear < 5 and self.speed / self.ratio > 1050.0)
    def up(self):
        self.shift(self.gear + 1)

    @ev.when(lambda self: self.gear > 1 and self.speed / self.ratio < 450.0)
    def down(self):
        self.shift(self.gear - 1)


class Ahead(ev.Continuous):
    """The car in front; its driver is not steady."""

    place: ev.State = ev.state(40.0, unit="m")
    speed: ev.Computed = ev.computed(unit="m/s")

    def equations(self):
        self.speed = 22.0 + 6.0 * np.sin(0.05 * self.sim.time)
        self.rate.place = self.speed


class Controller(ev.Process):
    car: Car
    ahead: Ahead
    wanted: float = ev.field(default=25.0, unit="m/s")

    def run(self):
        total = 0.3
        while True:
            distance = self.ahead.place - self.car.place
            limit = self.ahead.speed + 0.2 * (distance - 1.5 * self.car.speed)
            error = min(self.wanted, limit) - self.car.speed
            total = min(max(total + 0.002 * error, 0.0), 1.0)
            self.car.throttle = min(max(0.15 * error + total, -1.0), 1.0)
            yield ev.tick(0.05)


sim = ev.Simulation(time_unit="s")
car, ahead = Car(sim, name="car").start(), Ahead(sim, name="ahead").start()
Controller(sim, car=car, ahead=ahead).activate()
speeds = sim.record(car, ahead, every=0.2, distance=lambda: ahead.place - car.place)
sim.run(until=240.0)
print(f"the least distance was {min(speeds['distance']):.1f} m")

# %%

_, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
speeds.plot(ax=above, columns=["car.speed", "ahead.speed"])
speeds.plot(ax=below, columns=["distance"])
