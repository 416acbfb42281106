"""One model of all balls, RK45, begun again at every bounce as the manual's example of a ball shows."""

import answers
import numpy as np
from scipy.integrate import solve_ivp


class Trial:
    def __init__(self, *, balls, seed):
        self.balls = balls
        self.start = np.array([(answers.height_of(ball, balls), 0.0) for ball in range(balls)]).ravel()
        self.times = [[] for _ in range(balls)]

    def run(self):
        balls, state, time = self.balls, self.start, 0.0
        moves = np.ones(balls)
        events = [self.floor(ball, moves) for ball in range(balls)]

        def rates(t, y):
            rate = np.empty_like(y)
            rate[::2] = moves * y[1::2]
            rate[1::2] = moves * -answers.GRAVITY
            return rate

        while True:
            found = solve_ivp(rates, (time, 20.0), state, events=events, rtol=1e-6, atol=1e-9)
            if found.status != 1:
                break
            time, state = found.t[-1], found.y[:, -1]
            for ball, times in enumerate(found.t_events):
                if len(times):
                    self.times[ball].append(time)
                    state[2 * ball : 2 * ball + 2] = 0.0, -answers.SHARE * state[2 * ball + 1]
                    if state[2 * ball + 1] < answers.SLOWEST:
                        moves[ball] = 0.0

    @staticmethod
    def floor(ball, moves):
        def height(t, y):
            return y[2 * ball] if moves[ball] else 1.0

        height.terminal, height.direction = True, -1.0
        return height

    def result(self):
        return answers.judged_bounces(self.times)
