"""Tsit5 from switch to switch in a scan, each switch an event located by bisection; compiled once for each number."""

from functools import cache, partial

import answers
import diffrax
import jax
import jax.numpy as jnp
import optimistix

jax.config.update("jax_enable_x64", True)


@partial(jax.jit, static_argnums=0)
def simulate(switches, tolerance):
    term = diffrax.ODETerm(lambda t, y, mode: 0.1 * (mode[0] - y))
    event = diffrax.Event(lambda t, y, args, **_: y - args[1], optimistix.Bisection(1e-12, 1e-12))
    control = diffrax.PIDController(rtol=tolerance, atol=tolerance)

    def fly(carry, number):
        time, state = carry
        mode = (jnp.where(number % 2 == 0, 0.0, 30.0), jnp.where(number % 2 == 0, 18.0, 20.0))
        found = diffrax.diffeqsolve(
            term,
            diffrax.Tsit5(),
            time,
            time + 10.0,
            None,
            state,
            mode,
            stepsize_controller=control,
            event=event,
        )
        return (found.ts[-1], found.ys[-1]), found.ts[-1]

    return jax.lax.scan(fly, (0.0, 20.0), jnp.arange(switches))[1]


@cache
def compiled(switches):
    """Compile for so many switches, once."""
    jax.block_until_ready(simulate(switches, 1e-8))


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches, self.tolerance = switches, tolerance
        compiled(switches)

    def run(self):
        self.times = jax.block_until_ready(simulate(self.switches, self.tolerance))

    def result(self):
        return answers.judged_switches(self.times.tolist(), self.switches)
