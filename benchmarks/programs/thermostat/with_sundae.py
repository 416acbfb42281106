"""SUNDIALS' CVODE, Adams' methods, by scikit-sundae, begun again at every switch."""

import answers
from sksundae.cvode import CVODE

PACKAGE = "scikit-sundae"


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches = switches
        options = {"method": "Adams", "rtol": tolerance, "atol": tolerance, "num_events": 1}
        self.off = CVODE(cool, eventsfn=is_cold, **options)
        self.on = CVODE(heat, eventsfn=is_warm, **options)

    def run(self):
        self.times = []
        time, state = 0.0, [20.0]
        now, other = self.off, self.on
        while len(self.times) < self.switches:
            found = now.solve([time, time + 10.0], state)
            time, state = found.t[-1], found.y[-1]
            if found.t_events is not None:
                self.times.append(time)
                now, other = other, now

    def result(self):
        return answers.judged_switches(self.times, self.switches)


def cool(t, y, rate):
    rate[0] = -0.1 * y[0]


def heat(t, y, rate):
    rate[0] = 0.1 * (30.0 - y[0])


def is_cold(t, y, events):
    events[0] = y[0] - 18.0


def is_warm(t, y, events):
    events[0] = y[0] - 20.0


is_cold.terminal, is_cold.direction = [True], [-1]
is_warm.terminal, is_warm.direction = [True], [1]
