"""Radau IIA of order 5 with the right-hand side in Python."""

from scipy.integrate import solve_ivp
from stiff import StiffTrial


class Trial(StiffTrial):
    def solve(self, until):
        tolerance, scale = self.tolerance, self.problem.scale
        found = solve_ivp(
            self.problem.rates, (0.0, until), self.start, method="Radau", rtol=tolerance, atol=tolerance * scale
        )
        return found.y[:, -1], {"steps": len(found.t) - 1, "evaluations": found.nfev, "factorizations": found.nlu}
