"""
Pilot ejection
==============

The classical test of combined simulation (CSSL; Mitchell and Gauthier): a pilot leaves a fighter along rails, then
flies free with the drag of the air. At which heights and speeds does he clear the tail?
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev

G, MASS, AREA, DRAG = 32.2, 7.0, 10.0, 1.0  # feet, slugs, seconds
RAIL_SPEED, RAIL_ANGLE, RAIL_LENGTH = 40.0, np.deg2rad(15.0), 4.0


class Pilot(ev.Continuous):
    """Position relative to the seat in the plane, and the velocity of the pilot."""

    x: ev.State = ev.state(0.0, unit="ft")
    y: ev.State = ev.state(0.0, unit="ft")
    v: ev.State = ev.state(unit="ft/s")
    angle: ev.State = ev.state(unit="rad")
    plane: float = ev.field(unit="ft/s")
    density: float = ev.field(unit="slug/ft3")
    on_rails: bool = True

    def equations(self):
        self.rate.x = self.v * np.cos(self.angle) - self.plane
        self.rate.y = self.v * np.sin(self.angle)
        if self.on_rails:
            self.rate.v = self.rate.angle = 0.0
        else:
            self.rate.v = -0.5 * DRAG * self.density * AREA * self.v**2 / MASS - G * np.sin(self.angle)
            self.rate.angle = -G * np.cos(self.angle) / self.v

    @ev.when(lambda self: self.y >= RAIL_LENGTH)
    def leaves_rails(self):
        self.on_rails = False


def eject(plane, density):
    """The path of the pilot, seen from the plane."""
    sim = ev.Simulation(time_unit="s")
    vx = plane - RAIL_SPEED * np.sin(RAIL_ANGLE)
    vy = RAIL_SPEED * np.cos(RAIL_ANGLE)
    pilot = Pilot(
        sim, v=float(np.hypot(vx, vy)), angle=float(np.arctan2(vy, vx)), plane=plane, density=density, name="pilot"
    )
    pilot.start()
    path = sim.record(pilot, every=0.005)

    def until_past_the_tail():
        yield ev.until(lambda: pilot.x <= -60.0 or pilot.y < 0.0)

    sim.run(until=sim.process(until_past_the_tail()))
    return path, pilot.y


_, axes = plt.subplots(figsize=(8, 4))
for plane in (300.0, 500.0, 700.0, 900.0):
    path, height = eject(plane, 2.377e-3)
    axes.plot(path["pilot.x"], path["pilot.y"], label=f"{plane:.0f} ft/s")
    print(f"{plane:5.0f} ft/s: {height:6.2f} ft above the seat at the tail, {'safe' if height >= 12.0 else 'not safe'}")
axes.plot([-60.0, -60.0], [0.0, 12.0], "k", linewidth=4)
axes.legend(title="speed of the plane")
axes.set(xlabel="x [ft]", ylabel="y [ft]")
