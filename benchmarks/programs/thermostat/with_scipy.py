"""RK45, begun again at every switch."""

import answers
from scipy.integrate import solve_ivp


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches, self.tolerance = switches, tolerance

    def run(self):
        self.times = []
        source, level, direction = 0.0, 18.0, -1.0
        time, state = 0.0, [20.0]
        while len(self.times) < self.switches:

            def switch(t, y):
                return y[0] - level

            switch.terminal, switch.direction = True, direction
            found = solve_ivp(
                lambda t, y: [0.1 * (source - y[0])],
                (time, time + 10.0),
                state,
                events=switch,
                rtol=self.tolerance,
                atol=self.tolerance,
            )
            time, state = found.t[-1], found.y[:, -1]
            if found.status == 1:
                self.times.append(time)
                source, level, direction = 30.0 - source, 38.0 - level, -direction

    def result(self):
        return answers.judged_switches(self.times, self.switches)
