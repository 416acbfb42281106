"""
Quarter car
===========

A wheel and a quarter of the body over a bump: two masses, two springs, a damper. Which damper keeps the body calm,
and what does it do to the wheel? The derivative of the cost with respect to each parameter is exact.
"""

import matplotlib.pyplot as plt

import eventide as ev

road = ev.inputs.Pulse(period=10.0, start=0.5, width=0.3, high=0.08)


class QuarterCar(ev.Continuous):
    """Displacements from rest; y1 the body, y2 the wheel."""

    y1: ev.State = ev.state(0.0, unit="m")
    y2: ev.State = ev.state(0.0, unit="m")
    v1: ev.State = ev.state(0.0, unit="m/s")
    v2: ev.State = ev.state(0.0, unit="m/s")
    cost: ev.State = ev.state(0.0, unit="m2/s3")
    damper: float = ev.field(default=1000.0, unit="N s/m")
    spring: float = ev.field(default=16000.0, unit="N/m")

    def equations(self):
        force = self.damper * (self.v1 - self.v2) + self.spring * (self.y1 - self.y2)
        self.rate.y1, self.rate.y2 = self.v1, self.v2
        self.rate.v1 = -force / 300.0
        self.rate.v2 = (force - 190000.0 * (self.y2 - road(self.sim.time))) / 60.0
        self.rate.cost = (force / 300.0) ** 2


@ev.model(until=5.0, rel_error=1e-9, abs_error=1e-9, time_unit="s")
def bump(sim, *, damper: float = 1000.0, spring: float = 16000.0):
    car = QuarterCar(sim, damper=damper, spring=spring, name="car").start()
    sim.record(car, every=0.005, name="car")
    return {"cost": lambda: car.cost}


# %%
# Body and wheel for three dampers.

_, axes = plt.subplots(3, 1, figsize=(8, 7), sharex=True)
for ax, damper in zip(axes, (300.0, 1000.0, 4000.0), strict=True):
    run = bump(damper=damper).run(entropy=0)
    run.recordings[0].plot(ax=ax, columns=["car.y1", "car.y2"])
    ax.set_title(f"damper {damper:.0f} N s/m, cost {run.responses['cost']:.2f}", fontsize=10)

# %%
# How the cost changes with each parameter, by variational equations through the jumps of the road.

found = ev.sensitivity(bump)
print({name: found["cost", name] for name in ("damper", "spring")})
