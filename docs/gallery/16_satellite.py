"""
Satellite in eclipse
====================

A satellite circles the earth; its panels load the battery in the sun, the heater draws on it in the shadow. The
shadow's border is a condition of the position. When the battery is low, the payload is switched off until it is
half full.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev

MU, RADIUS = 398600.0, 6371.0


class Satellite(ev.Continuous):
    x: ev.State = ev.state(6871.0, unit="km")
    y: ev.State = ev.state(0.0, unit="km")
    vx: ev.State = ev.state(0.0, unit="km/s")
    vy: ev.State = ev.state(float(np.sqrt(MU / 6871.0)), unit="km/s")
    battery: ev.State = ev.state(60.0, unit="Wh")
    in_sun: bool = True
    payload: float = ev.field(default=45.0, unit="W")

    def equations(self):
        r3 = (self.x**2 + self.y**2) ** 1.5
        self.rate.x, self.rate.y = self.vx, self.vy
        self.rate.vx, self.rate.vy = -MU * self.x / r3, -MU * self.y / r3
        power = (70.0 if self.in_sun else -8.0) - self.payload
        self.rate.battery = 0.0 if self.battery >= 80.0 and power > 0.0 else power / 3600.0

    @ev.when(lambda self: self.x < 0.0 and abs(self.y) < RADIUS)
    def enters_shadow(self):
        self.in_sun = False

    @ev.when(lambda self: self.x > 0.0 or abs(self.y) > RADIUS)
    def leaves_shadow(self):
        self.in_sun = True

    @ev.when(lambda self: self.battery < 20.0)
    def low(self):
        self.payload = 0.0

    @ev.when(lambda self: self.battery > 40.0)
    def recovers(self):
        self.payload = 45.0


sim = ev.Simulation(method="dop853", rel_error=1e-10, abs_error=1e-10, time_unit="s")
satellite = Satellite(sim, name="satellite").start()
log = sim.log()
curve = sim.record(satellite, every=20.0)
sim.run(until=6 * 5668.0)
shadows = [entry.time for entry in log if "enters_shadow" in str(entry)]
print("enters the shadow every", np.round(np.diff(shadows), 6), "s")

# %%

_, axes = plt.subplots(figsize=(8, 3))
curve.plot(ax=axes, columns=["satellite.battery"])
