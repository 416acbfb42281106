"""LSODA with the right-hand side by numba."""

from functools import cache

import numpy as np
from laws import LAWS
from numba import njit
from scipy.integrate import solve_ivp
from smooth import SmoothTrial


@cache
def right_hand_side(problem):
    law = LAWS[problem]

    @njit(error_model="numpy")
    def rates(t, y):
        rate = np.empty_like(y)
        law(y, rate, 0, 0)
        return rate

    return rates


class Trial(SmoothTrial):
    def prepare(self):
        self.rates = right_hand_side(self.name)

    def solve(self, until):
        tolerance = self.tolerance
        found = solve_ivp(self.rates, (0.0, until), self.start, method="LSODA", rtol=tolerance, atol=tolerance)
        return found.y[:, -1], {"steps": len(found.t) - 1, "evaluations": found.nfev}
