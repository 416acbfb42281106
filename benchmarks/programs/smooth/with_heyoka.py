"""A Taylor method of adaptive order, compiled for the equations; making it is compiling it."""

import heyoka
from smooth import SmoothTrial


class Trial(SmoothTrial):
    def prepare(self):
        size = len(self.start)
        states = heyoka.make_vars(*(f"y{i}" for i in range(size)))
        equations = list(zip(states, self.problem.rates(states), strict=True))
        self.integrator = heyoka.taylor_adaptive(equations, self.start, tol=self.tolerance, compact_mode=size > 10)

    def solve(self, until):
        steps = self.integrator.propagate_until(until)[3]
        return self.integrator.state, {"steps": steps}
