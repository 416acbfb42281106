"""Every ball a lane of its own (no common model), Tsit5 from bounce to bounce in a scan of 50, located by Newton."""

from functools import cache

import answers
import diffrax
import jax
import jax.numpy as jnp
import optimistix

jax.config.update("jax_enable_x64", True)
MOST = 50  # more bounces than any ball makes: the number must be known when it is compiled


@jax.jit
def simulate(heights):
    term = diffrax.ODETerm(lambda t, y, args: jnp.array([y[1], -answers.GRAVITY]))
    floor = diffrax.Event(lambda t, y, args, **_: y[0], optimistix.Newton(1e-12, 1e-12), direction=False)
    control = diffrax.PIDController(rtol=1e-6, atol=1e-9)

    def fly(carry, _):
        time, state, moves = carry
        found = diffrax.diffeqsolve(
            term,
            diffrax.Tsit5(),
            time,
            20.0,
            0.01 * jnp.abs(state[1]) + 1e-6,  # a first step longer than a flight would miss it
            state,
            stepsize_controller=control,
            event=floor,
            throw=False,
        )
        speed = -answers.SHARE * found.ys[-1][1]
        met = moves & diffrax.is_event(found.result)
        time = jnp.where(met, found.ts[-1], time)
        state = jnp.where(met, jnp.array([0.0, speed]), state)
        return (time, state, met & (speed >= answers.SLOWEST)), (time, met)

    def whole(height):
        start = (0.0, jnp.array([height, 0.0]), True)
        return jax.lax.scan(fly, start, None, length=MOST)[1]

    return jax.vmap(whole)(heights)


@cache
def compiled(balls):
    """Compile for so many balls, once."""
    jax.block_until_ready(simulate(jnp.ones(balls)))


class Trial:
    def __init__(self, *, balls, seed):
        self.heights = jnp.array([answers.height_of(ball, balls) for ball in range(balls)])
        compiled(balls)

    def run(self):
        self.times, self.met = jax.block_until_ready(simulate(self.heights))

    def result(self):
        return answers.judged_bounces([times[met].tolist() for times, met in zip(self.times, self.met, strict=True)])
