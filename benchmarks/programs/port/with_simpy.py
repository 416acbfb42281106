"""It has no states: the law of the tank is solved by hand, and a process waits until there is room."""

from math import exp, log
from random import Random
from statistics import fmean

import simpy


class Tank:
    def __init__(self, env):
        self.env = env
        self.inflow = 0.0
        self._level, self._since = 10.0, 0.0
        self._room, self._watcher = None, None

    @property
    def level(self):
        full = 10.0 * self.inflow
        return full + (self._level - full) * exp(-0.1 * (self.env.now - self._since))

    def pump(self, change):
        self._level, self._since = self.level, self.env.now
        self.inflow += change
        if self._room is not None:
            self._watcher.interrupt()

    def room(self):
        """The event of the level's being at most 12."""
        if self._room is None:
            self._room = self.env.event()
            self._watcher = self.env.process(self._watch())
        return self._room

    def _watch(self):
        while True:
            try:
                full = 10.0 * self.inflow
                if self.level > 12.0:
                    yield self.env.timeout(10.0 * log((self.level - full) / (12.0 - full)) if full < 12.0 else 1e9)
                self._room.succeed()
                self._room = None
                return
            except simpy.Interrupt:
                pass


def ship(env, rng, berths, tank, stays):
    arrived = env.now
    with berths.request() as berth:
        yield berth
        if tank.level > 12.0:
            yield tank.room()
        tank.pump(1.0)
        yield env.timeout(rng.uniform(4.0, 8.0))
        tank.pump(-1.0)
    stays.append(env.now - arrived)


def arrivals(env, rng, berths, tank, stays):
    while True:
        yield env.timeout(rng.expovariate(0.2))
        env.process(ship(env, rng, berths, tank, stays))


def run(*, hours: float, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    stays = []
    env = simpy.Environment()
    tank = Tank(env)
    berths = simpy.Resource(env, capacity=2)
    env.process(arrivals(env, rng, berths, tank, stays))
    env.run(until=hours)
    return {"ships": len(stays), "mean_stay": fmean(stays), "level": tank.level, "next_draw": rng.random()}
