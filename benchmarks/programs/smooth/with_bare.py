"""Runge-Kutta-England with local extrapolation, eventide's step control, the whole loop by numba."""

from functools import cache

import limits
from laws import LAWS
from smooth import PROBLEMS, SmoothTrial


@cache
def loop(problem):
    size = len(PROBLEMS[problem].start)
    return limits.integral(limits.england(LAWS[problem], size), size)


class Trial(SmoothTrial):
    def prepare(self):
        self.integrate = loop(self.name)

    def solve(self, until):
        state, steps, refused, evaluations = self.integrate(self.start, until, self.tolerance, self.tolerance)
        return state, {"steps": steps, "refused": refused, "evaluations": evaluations}
