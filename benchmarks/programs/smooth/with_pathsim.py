"""One block of ordinary differential equations; its method of order 8, faster here than that of order 5."""

import numpy as np
from pathsim import Simulation
from pathsim.blocks import ODE
from pathsim.solvers import RKDP87
from smooth import SmoothTrial


class Trial(SmoothTrial):
    def prepare(self):
        rates = self.problem.right_hand_side(np)
        self.evaluations = 0

        def right_hand_side(x, u, t):
            self.evaluations += 1
            return rates(x)

        tolerance = self.tolerance
        self.block = ODE(right_hand_side, self.start)
        self.simulation = Simulation(
            blocks=[self.block],
            dt=1e-3,
            Solver=RKDP87,
            tolerance_lte_abs=tolerance,
            tolerance_lte_rel=tolerance,
            log=False,
        )

    def solve(self, until):
        self.simulation.run(until, adaptive=True)
        return self.block.engine.state, {"evaluations": self.evaluations}
