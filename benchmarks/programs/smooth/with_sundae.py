"""SUNDIALS' CVODE, Adams' methods, by scikit-sundae, with the right-hand side in Python."""

import numpy as np
from sksundae.cvode import CVODE
from smooth import SmoothTrial

PACKAGE = "scikit-sundae"


class Trial(SmoothTrial):
    def prepare(self):
        rates = self.problem.right_hand_side(np)

        def right_hand_side(t, y, rate):
            rate[:] = rates(y)

        tolerance = self.tolerance
        self.solver = CVODE(right_hand_side, method="Adams", rtol=tolerance, atol=tolerance, max_num_steps=10**6)

    def solve(self, until):
        found = self.solver.solve([0.0, until], self.start)
        return found.y[-1], {"evaluations": found.nfev}
