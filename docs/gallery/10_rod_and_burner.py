"""
Rod with a travelling burner
============================

Heat in a rod, as a vector of cells. A burner visits places one after the other and stays until the cell below it is
hot enough. The picture has space upwards and time to the right.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev


class Rod(ev.Continuous):
    cells: int = 60
    u: ev.StateVector = ev.state_vector(20.0, size="cells", unit="degC")
    source: ev.StateVector = ev.state_vector(0.0, size="cells", unit="K/s")

    def equations(self):
        u = self.u
        self.rate.u[1:-1] = 40.0 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) + self.source[1:-1]


def burner(sim, rod, visits):
    for cell in (10, 30, 50, 20, 40):
        rod.source = np.where(abs(np.arange(60) - cell) <= 2, 600.0, 0.0)
        yield ev.until(lambda cell=cell: rod.u[cell] >= 300.0)
        visits.append((sim.time, cell))
    rod.source = np.zeros(60)


sim = ev.Simulation(time_unit="s", method="radau")
rod = Rod(sim, name="rod").start()
visits = []
sim.process(burner(sim, rod, visits))
every = sim.record(rod, every=0.1)
sim.run(until=60.0)
print([(round(time, 3), cell) for time, cell in visits])

# %%
# Rows of the recording are profiles.

table = every.to_pandas()
profile = table[[name for name in table.columns if ".u" in name]]
_, axes = plt.subplots(figsize=(8, 4))
picture = axes.pcolormesh(profile.index, np.arange(profile.shape[1]), profile.to_numpy().T, cmap="inferno")
axes.plot(*zip(*visits, strict=True), "w.", markersize=8)
axes.set(xlabel="time [s]", ylabel="cell")
plt.colorbar(picture, label="temperature [degC]")
