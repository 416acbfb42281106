"""A block and two events of crossing, located to 1e-9 by repeated steps."""

import answers
from pathsim import Simulation
from pathsim.blocks import ODE
from pathsim.events import ZeroCrossingDown, ZeroCrossingUp
from pathsim.solvers import RKDP54


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches = switches
        self.times = []
        self.source = 0.0
        block = ODE(lambda x, u, t: 0.1 * (self.source - x), 20.0)

        def temperature():
            return float(block.engine.state[0])

        def switch(source):
            def act(t):
                self.source = source
                self.times.append(t)

            return act

        events = [
            ZeroCrossingDown(lambda t: temperature() - 18.0, switch(30.0), tolerance=1e-9),
            ZeroCrossingUp(lambda t: temperature() - 20.0, switch(0.0), tolerance=1e-9),
        ]
        self.simulation = Simulation(
            blocks=[block],
            events=events,
            dt=0.1,
            Solver=RKDP54,
            tolerance_lte_abs=tolerance,
            tolerance_lte_rel=tolerance,
            log=False,
        )

    def run(self):
        self.simulation.run(answers.switches(self.switches)[-1] + 0.5, adaptive=True)

    def result(self):
        return answers.judged_switches(self.times, self.switches)
