"""
Electric buses under a grid limit
=================================

Buses come back to the depot and charge. All chargers together may draw 300 kW; when more is asked for, each gets
its share. A bus that is full, or must leave, goes. Charging slows down above 80 %.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Grid(ev.Continuous):
    limit: float = ev.field(default=300.0, unit="kW")
    demand: ev.Summed = ev.summed(unit="kW")
    share: ev.Computed = ev.computed()
    drawn: ev.Computed = ev.computed(unit="kW")

    def equations(self):
        self.share = self.limit / max(self.demand, self.limit)
        self.drawn = self.demand * self.share


class Bus(ev.Process, ev.Continuous):
    grid: Grid
    charge: ev.State = ev.state(unit="kWh")
    capacity: float = ev.field(default=350.0, unit="kWh")
    power: float = ev.field(default=120.0, unit="kW")
    leaves_at: float = ev.field(unit="h")
    left_with: list = ev.field(default_factory=list)

    def wanted(self):
        return self.power if self.charge < 0.8 * self.capacity else 0.3 * self.power

    def contributions(self):
        self.grid.demand += self.wanted()

    def equations(self):
        self.rate.charge = self.wanted() * self.grid.share

    def run(self):
        self.start()
        yield ev.first_of(
            full=ev.until(lambda: self.charge >= self.capacity), departure=ev.hold(self.leaves_at - self.sim.time)
        )
        self.stop()
        self.left_with.append((round(self.sim.time, 3), self.name, round(self.charge / self.capacity, 3)))


sim = ev.Simulation(rng=4, time_unit="h")
grid = Grid(sim, name="grid").start()
left_with = []
for number in range(8):
    arrives = 20.0 + 0.4 * number
    bus = Bus(
        sim, grid=grid, charge=sim.stream("charge").uniform(30.0, 120.0), leaves_at=26.7 + 0.2 * number,
        left_with=left_with, name=f"bus {number}",
    )  # fmt: skip
    bus.activate(at=arrives)
power = sim.record(grid, every=0.02)
charges = sim.record(Bus, every=0.05)
sim.run(until=32.0)
for time, name, share in left_with:
    print(f"{time:7.3f} h  {name}  {share:.1%}")

# %%
# Power at the connection, and the charge of each bus.

_, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
power.plot(ax=above, columns=["grid.demand", "grid.drawn"])
charges.plot(ax=below)
