"""A block for each ball and an event for each, located to 1e-9 by repeated steps."""

import answers
import numpy as np
from pathsim import Simulation
from pathsim.blocks import ODE
from pathsim.events import ZeroCrossingDown
from pathsim.solvers import RKDP54


class Trial:
    def __init__(self, *, balls, seed):
        self.times = [[] for _ in range(balls)]
        blocks, events = [], []
        for ball in range(balls):
            block, event = self.make(ball, answers.height_of(ball, balls))
            blocks.append(block)
            events.append(event)
        self.simulation = Simulation(
            blocks=blocks,
            events=events,
            dt=1e-3,
            Solver=RKDP54,
            tolerance_lte_abs=1e-9,
            tolerance_lte_rel=1e-6,
            log=False,
        )

    def make(self, ball, height):
        moves = True

        def rates(x, u, t):
            return np.array([x[1], -answers.GRAVITY]) if moves else np.zeros(2)

        def act(t):
            nonlocal moves
            self.times[ball].append(t)
            speed = -answers.SHARE * block.engine.state[1]
            block.engine.state = np.array([0.0, speed])
            moves = bool(speed >= answers.SLOWEST)

        block = ODE(rates, np.array([height, 0.0]))
        return block, ZeroCrossingDown(lambda t: float(block.engine.state[0]), act, tolerance=1e-9)

    def run(self):
        self.simulation.run(20.0, adaptive=True)

    def result(self):
        return answers.judged_bounces(self.times)
