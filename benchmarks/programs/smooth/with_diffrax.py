"""Tsit5, compiled once by its first run."""

from functools import cache

import diffrax
import jax
from smooth import PROBLEMS, SmoothTrial

jax.config.update("jax_enable_x64", True)


@cache
def solver(problem):
    rates = PROBLEMS[problem].right_hand_side(jax.numpy)
    term = diffrax.ODETerm(lambda t, y, args: rates(y))

    @jax.jit
    def solve(start, until, tolerance):
        control = diffrax.PIDController(rtol=tolerance, atol=tolerance)
        found = diffrax.diffeqsolve(
            term, diffrax.Tsit5(), 0.0, until, None, start, stepsize_controller=control, max_steps=10**6
        )
        return found.ys[-1], found.stats["num_accepted_steps"], found.stats["num_rejected_steps"]

    return solve


class Trial(SmoothTrial):
    def prepare(self):
        self.solver = solver(self.name)

    def solve(self, until):
        state, steps, refused = jax.block_until_ready(self.solver(self.start, until, self.tolerance))
        return state, {"steps": int(steps), "refused": int(refused)}
