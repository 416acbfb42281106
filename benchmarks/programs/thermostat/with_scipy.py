"""RK45, begun again at every switch."""

import answers
from scipy.integrate import solve_ivp


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches, self.tolerance = switches, tolerance

    def run(self):
        self.times = []
        now, other = (cool, is_cold), (heat, is_warm)
        time, state = 0.0, [20.0]
        while len(self.times) < self.switches:
            rates, switch = now
            found = solve_ivp(
                rates, (time, time + 10.0), state, events=switch, rtol=self.tolerance, atol=self.tolerance
            )
            time, state = found.t[-1], found.y[:, -1]
            if found.status == 1:
                self.times.append(time)
                now, other = other, now

    def result(self):
        return answers.judged_switches(self.times, self.switches)


def cool(t, y):
    return [-0.1 * y[0]]


def heat(t, y):
    return [0.1 * (30.0 - y[0])]


def is_cold(t, y):
    return y[0] - 18.0


def is_warm(t, y):
    return y[0] - 20.0


is_cold.terminal, is_cold.direction = True, -1.0
is_warm.terminal, is_warm.direction = True, 1.0
