"""Runge-Kutta-England with local extrapolation, eventide's step control, the whole loop by numba."""

import answers
import limits
import numpy as np


@limits.native
def law(y, rate, at, to):
    rate[to] = 10.0 * (y[at + 1] - y[at])
    rate[to + 1] = y[at] * (28.0 - y[at + 2]) - y[at + 1]
    rate[to + 2] = y[at] * y[at + 1] - 8.0 / 3.0 * y[at + 2]


integrate = limits.integral(limits.england(law, 3), 3)


class Trial:
    def __init__(self, *, until, tolerance, seed):
        self.until, self.tolerance = until, tolerance
        self.start = np.ones(3)

    def run(self):
        self.found = integrate(self.start, self.until, self.tolerance, self.tolerance)

    def result(self):
        state, steps, refused, evaluations = self.found
        return {
            "steps": steps,
            "refused": refused,
            "evaluations": evaluations,
            "x": float(state[0]),
            "error_5": answers.lorenz_error(lambda until: self.again(until)),
        }

    def again(self, until):
        return integrate(self.start, until, self.tolerance, self.tolerance)[0]
