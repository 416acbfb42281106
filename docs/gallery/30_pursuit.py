"""
Game of pursuit
===============

A dog chases a rabbit that runs for its burrow and turns sharply when the dog is near. The dog corrects its course
twenty times a second and gets tired. Who wins depends on when the rabbit turns.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev


class Animal(ev.Continuous):
    x: ev.State = ev.state(unit="m")
    y: ev.State = ev.state(unit="m")
    course: float = ev.field(default=0.0, unit="rad")
    speed: float = ev.field(unit="m/s")

    def equations(self):
        self.rate.x = self.speed * np.cos(self.course)
        self.rate.y = self.speed * np.sin(self.course)


def dog(hunter, prey):
    while True:
        aim = np.arctan2(prey.y - hunter.y, prey.x - hunter.x)
        turn = (aim - hunter.course + np.pi) % (2.0 * np.pi) - np.pi
        hunter.course += min(max(turn, -0.12), 0.12)  # it cannot turn at once
        hunter.speed *= 0.9995
        yield ev.tick(0.05)


def rabbit(prey, hunter, near, burrow):
    while True:
        yield ev.until(lambda: (prey.x - hunter.x) ** 2 + (prey.y - hunter.y) ** 2 <= near**2)
        side = 1.0 if np.sin(hunter.course - prey.course) < 0.0 else -1.0
        prey.course += side * 1.6
        yield ev.hold(0.8)
        prey.course = np.arctan2(burrow[1] - prey.y, burrow[0] - prey.x)
        yield ev.hold(0.4)


def chase(near):
    sim = ev.Simulation(time_unit="s")
    prey = Animal(sim, x=0.0, y=0.0, speed=9.0, name="rabbit").start()
    hunter = Animal(sim, x=-20.0, y=8.0, speed=11.0, name="dog").start()
    burrow = (120.0, 40.0)
    prey.course = float(np.arctan2(burrow[1], burrow[0]))
    sim.process(dog(hunter, prey))
    sim.process(rabbit(prey, hunter, near, burrow))
    path = sim.record(prey, hunter, every=0.05)

    def ends():
        outcome = yield ev.first_of(
            caught=ev.until(lambda: (prey.x - hunter.x) ** 2 + (prey.y - hunter.y) ** 2 <= 0.25),
            home=ev.until(lambda: (prey.x - burrow[0]) ** 2 + (prey.y - burrow[1]) ** 2 <= 1.0),
            tired=ev.hold(60.0),
        )
        return outcome.name

    end = sim.process(ends())
    sim.run(until=end)
    return path, end.result, sim.time


_, axes = plt.subplots(1, 3, figsize=(11, 4), sharey=True)
for ax, near in zip(axes, (1.0, 3.0, 6.0), strict=True):
    path, outcome, time = chase(near)
    ax.plot(path["rabbit.x"], path["rabbit.y"], path["dog.x"], path["dog.y"])
    ax.plot(120.0, 40.0, "ks")
    ax.set_title(f"turns at {near:.0f} m: {outcome} after {time:.2f} s", fontsize=10)
    ax.set_aspect("equal")
    print(f"turns at {near:.0f} m: {outcome} after {time:.3f} s")
