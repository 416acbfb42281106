from math import sqrt

import numpy as np
from smooth import CELLS, COUPLING, MASS, SmoothTrial

import eventide as ev


class Lorenz(ev.Continuous):
    x: ev.State
    y: ev.State
    z: ev.State

    def equations(self):
        self.rate.x = 10.0 * (self.y - self.x)
        self.rate.y = self.x * (28.0 - self.z) - self.y
        self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z

    def values(self):
        return self.x, self.y, self.z


class Orbit(ev.Continuous):
    x: ev.State
    y: ev.State
    u: ev.State
    v: ev.State

    def equations(self):
        x, y, u, v = self.x, self.y, self.u, self.v
        near, far = (x + MASS) * (x + MASS) + y * y, (x - (1.0 - MASS)) * (x - (1.0 - MASS)) + y * y
        pull, other = (1.0 - MASS) / (near * sqrt(near)), MASS / (far * sqrt(far))
        self.rate.x = u
        self.rate.y = v
        self.rate.u = x + 2.0 * v - pull * (x + MASS) - other * (x - (1.0 - MASS))
        self.rate.v = y - 2.0 * u - pull * y - other * y

    def values(self):
        return self.x, self.y, self.u, self.v


class Brusselator(ev.Continuous):
    u: ev.StateVector = ev.state_vector(size=CELLS)
    v: ev.StateVector = ev.state_vector(size=CELLS)

    def equations(self):
        u, v, last = self.u, self.v, CELLS - 1
        for i in range(CELLS):
            reaction = u[i] * u[i] * v[i]
            self.rate.u[i] = 1.0 + reaction - 4.0 * u[i]
            self.rate.v[i] = 3.0 * u[i] - reaction
        self.rate.u[0] += COUPLING * (1.0 - 2.0 * u[0] + u[1])
        self.rate.v[0] += COUPLING * (3.0 - 2.0 * v[0] + v[1])
        self.rate.u[1:-1] += COUPLING * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        self.rate.v[1:-1] += COUPLING * (v[:-2] - 2.0 * v[1:-1] + v[2:])
        self.rate.u[last] += COUPLING * (u[last - 1] - 2.0 * u[last] + 1.0)
        self.rate.v[last] += COUPLING * (v[last - 1] - 2.0 * v[last] + 3.0)

    def values(self):
        return np.concatenate((self.u, self.v))


def lorenz(sim, start):
    x, y, z = start
    return Lorenz(sim, x=x, y=y, z=z).start()


def arenstorf(sim, start):
    x, y, u, v = start
    return Orbit(sim, x=x, y=y, u=u, v=v).start()


def brusselator(sim, start):
    return Brusselator(sim, u=start[:CELLS], v=start[CELLS:]).start()


MODELS = {"lorenz": lorenz, "arenstorf": arenstorf, "brusselator": brusselator}


class Trial(SmoothTrial):
    def prepare(self):
        self.sim = ev.Simulation(rel_error=self.tolerance, abs_error=self.tolerance)
        self.model = MODELS[self.name](self.sim, self.problem.start)

    def solve(self, until):
        self.sim.run(until=until)
        monitor = self.sim.monitor
        return self.model.values(), {
            "steps": monitor.steps,
            "refused": monitor.refused,
            "evaluations": monitor.system.evaluations,
        }
