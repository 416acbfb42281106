"""Steps of Runge-Kutta-England; where one passes the limit, the crossing is looked for on its interpolant."""

import answers
import limits
import numpy as np

SOURCE, LEVEL, SIGN = limits.ROWS, limits.ROWS + 1, limits.ROWS + 2  # behind the rows of the one state


@limits.native
def law(y, rate, at, to):
    rate[to] = 0.1 * (y[SOURCE] - y[at])


begin, rates, first, attempt, complete, advance, fit, place = limits.england(law, 1, parameters=3)


@limits.native
def distance(w):
    return w[SIGN] * (w[limits.SEEN] - w[LEVEL])


@limits.native
def holds(w):
    return distance(w) <= 0.0


locate = limits.locator(place, holds, distance)


@limits.native
def simulate(switches, tolerance):
    times = np.zeros(switches)
    w = begin(np.array([20.0]))
    w[SOURCE], w[LEVEL], w[SIGN] = 0.0, 18.0, 1.0
    rates(w)
    step = first(w, tolerance, tolerance)
    time, rest, count = 0.0, 0.0, 0
    while count < switches:
        ratio = attempt(w, step, tolerance, tolerance)
        if ratio < 1.0:
            step /= 2
            continue
        complete(w, step)
        end, end_rest = limits.two_sum(time, rest + step)
        if w[SIGN] * (w[limits.END] - w[LEVEL]) > 0.0:
            advance(w)
            time, rest = end, end_rest
            step = limits.next_step(step, ratio)
            continue
        fit(w, step)
        time += rest + locate(w, time, step) * step
        rest = 0.0
        times[count] = time
        count += 1
        w[limits.START] = w[limits.SEEN]
        w[limits.START_REST] = 0.0
        w[SOURCE], w[LEVEL], w[SIGN] = 30.0 - w[SOURCE], 38.0 - w[LEVEL], -w[SIGN]
        rates(w)
        step = limits.next_step(step, ratio)
    return times


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches, self.tolerance = switches, tolerance

    def run(self):
        self.times = simulate(self.switches, self.tolerance)

    def result(self):
        return answers.judged_switches(list(self.times), self.switches)
