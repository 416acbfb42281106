"""
Elevator
========

The cabin is driven by a motor with limited acceleration, so that its position is continuous; it brakes in time for
the next floor where somebody waits. People call, enter and leave.
"""

import matplotlib.pyplot as plt

import eventide as ev

FLOOR = 3.0  # metres


class Cabin(ev.Continuous):
    height: ev.State = ev.state(0.0, unit="m")
    speed: ev.State = ev.state(0.0, unit="m/s")
    acceleration: float = ev.field(default=0.0, unit="m/s2")

    def equations(self):
        self.rate.height = self.speed
        self.rate.speed = self.acceleration


class Elevator(ev.Process):
    cabin: Cabin
    calls: ev.Store
    stops: list = ev.field(default_factory=list)

    def go_to(self, floor):
        """Accelerate, travel, brake: each until the state says so."""
        cabin, target = self.cabin, floor * FLOOR
        way = target - cabin.height
        if abs(way) < 1e-6:
            return
        sign = 1.0 if way > 0.0 else -1.0
        cabin.acceleration = sign * 1.0
        yield ev.until(
            lambda: abs(cabin.speed) >= 2.0 or sign * (target - cabin.height) <= cabin.speed * cabin.speed / 2.0
        )
        cabin.acceleration = 0.0
        yield ev.until(lambda: sign * (target - cabin.height) <= cabin.speed * cabin.speed / 2.0)
        cabin.acceleration = -sign * 1.0
        yield ev.until(lambda: sign * cabin.speed <= 0.0)
        cabin.acceleration = cabin.speed = 0.0
        cabin.height = target

    def run(self):
        while True:
            person = yield self.calls.get()
            yield from self.go_to(person.floor)
            self.stops.append((self.sim.time, person.floor))
            yield ev.hold(3.0)
            yield from self.go_to(person.goal)
            self.stops.append((self.sim.time, person.goal))
            yield ev.hold(3.0)
            person.activate()


class Person(ev.Process):
    calls: ev.Store
    floor: int
    goal: int
    travel: ev.Tally

    def run(self):
        begin = self.sim.time
        yield self.calls.put(self)
        yield ev.passivate()
        self.travel.add(self.sim.time - begin)


def people(sim, calls, travel):
    chance = sim.stream("floors")
    while True:
        yield ev.hold(sim.stream("gaps").exponential(40.0))
        floor, goal = chance.randint(0, 7), chance.randint(0, 7)
        Person(sim, calls=calls, floor=floor, goal=goal, travel=travel).activate()


sim = ev.Simulation(rng=2, time_unit="s")
cabin = Cabin(sim, name="cabin").start()
calls, travel = ev.Store(sim, name="calls"), ev.Tally(name="from call to arrival", unit="s")
elevator = Elevator(sim, cabin=cabin, calls=calls)
elevator.activate()
sim.process(people(sim, calls, travel))
curve = sim.record(cabin, every=0.2)
sim.run(until=900.0)
print(travel)

# %%
# Height over time, and where the doors opened.

_, axes = plt.subplots(figsize=(8, 4))
curve.plot(ax=axes, columns=["cabin.height"])
axes.plot([time for time, _ in elevator.stops], [FLOOR * floor for _, floor in elevator.stops], "o", markersize=4)
axes.set_xlim(0.0, 300.0)
