"""One model of all balls at the default tolerance, one terminal event for each; a bounce is a callback."""

from functools import partial

import answers
import heyoka


class Trial:
    def __init__(self, *, balls, seed):
        self.balls = balls
        self.times = [[] for _ in range(balls)]
        equations, start, events = [], [], []
        for ball in range(balls):
            height, velocity = heyoka.make_vars(f"h{ball}", f"v{ball}")
            # A ball that lies still has the factor 0 before its rates.
            moves = heyoka.par[ball]
            equations += [(height, moves * velocity), (velocity, moves * -answers.GRAVITY)]
            start += [answers.height_of(ball, balls), 0.0]
            down = heyoka.event_direction.negative
            events.append(heyoka.t_event(height, callback=partial(self.bounce, ball), direction=down))
        pars = [1.0] * balls
        self.integrator = heyoka.taylor_adaptive(equations, start, pars=pars, t_events=events)

    def bounce(self, ball, integrator, sign):
        self.times[ball].append(integrator.time)
        velocity = -answers.SHARE * integrator.state[2 * ball + 1]
        integrator.state[2 * ball + 1] = velocity
        if velocity < answers.SLOWEST:
            integrator.pars[ball] = 0.0
        return True

    def __deepcopy__(self, memo):
        return self  # heyoka copies callbacks, and with them what they belong to

    def run(self):
        self.integrator.propagate_until(20.0)

    def result(self):
        return answers.judged_bounces(self.times)
