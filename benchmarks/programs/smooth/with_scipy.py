"""DOP853 with the right-hand side in Python."""

import numpy as np
from scipy.integrate import solve_ivp
from smooth import SmoothTrial


class Trial(SmoothTrial):
    def solve(self, until):
        rates = self.problem.right_hand_side(np)
        found = solve_ivp(
            lambda t, y: rates(y), (0.0, until), self.start, method="DOP853", rtol=self.tolerance, atol=self.tolerance
        )
        return found.y[:, -1], {"steps": len(found.t) - 1, "evaluations": found.nfev}
