"""
Rooms with thermostats
======================

Six rooms in a row lose heat to their neighbours and to the outside. Each has a thermostat of its own; one boiler
feeds two heaters at a time, so that heaters wait for it.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Room(ev.Continuous):
    temperature: ev.State = ev.state(17.0, unit="degC")
    neighbours: list = ev.field(default_factory=list)
    left: "Room | None" = None
    heater: float = ev.field(default=0.0, unit="K/h")
    flow: ev.Summed = ev.summed(unit="K/h")

    def contributions(self):
        if self.left is not None:
            exchange = 0.6 * (self.left.temperature - self.temperature)
            self.flow += exchange
            self.left.flow -= exchange

    def equations(self):
        self.rate.temperature = self.heater + self.flow - 0.15 * (self.temperature - 4.0)


def thermostat(sim, room, boiler):
    while True:
        yield ev.until(lambda: room.temperature <= 19.0)
        with boiler.request() as turn:
            yield turn
            room.heater = 12.0
            yield ev.until(lambda: room.temperature >= 21.0)
            room.heater = 0.0


sim = ev.Simulation(time_unit="h")
boiler = ev.Resource(sim, 2, name="boiler")
rooms = []
for number in range(6):
    room = Room(sim, temperature=15.0 + number, left=rooms[-1] if rooms else None, name=f"room {number}")
    rooms.append(room.start())
    sim.process(thermostat(sim, room, boiler), name=f"thermostat {number}")
curve = sim.record(*rooms, every=0.02)
sim.run(until=12.0)
print(
    f"the boiler was in use for {boiler.utilisation:.0%}; a heater waited {boiler.waits.mean * 60:.1f} min on average"
)

# %%

_, axes = plt.subplots(figsize=(8, 4))
curve.plot(ax=axes, columns=[f"room {number}.temperature" for number in range(6)])
