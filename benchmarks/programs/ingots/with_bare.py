"""Arrays of temperatures, the whole loop by numba; a drawn ingot's place is taken by the next."""

from functools import cache

import answers
import limits
import numpy as np

COLD, HOT = answers.COLD, answers.HOT


@cache
def loop(alive):
    n = alive + 1  # the furnace is the last state
    shares = limits.ROWS * n  # behind the rows: the coefficient of each ingot, then the one that is looked for
    looked = shares + alive
    share = 0.5 / alive
    start, start_rest, end, seen, fitted = (
        row * n for row in (limits.START, limits.START_REST, limits.END, limits.SEEN, limits.FITTED)
    )

    @limits.native
    def law(y, rate, at, to):
        furnace = y[at + alive]
        heat = 0.0
        for i in range(alive):
            flow = y[shares + i] * (furnace - y[at + i])
            rate[to + i] = flow
            heat += flow
        rate[to + alive] = 0.2 * (2600.0 - furnace) - share * heat

    begin, rates, first, attempt, complete, advance, fit, place = limits.england(law, n, parameters=alive + 1)

    @limits.native
    def place_one(w, theta):
        i = int(w[looked])
        total = 0.0
        for m in range(4, -1, -1):
            total = theta * (total + w[fitted + m * n + i])
        w[seen + i] = w[start + i] + (w[start_rest + i] + total)

    @limits.native
    def distance(w):
        return HOT - w[seen + int(w[looked])]

    @limits.native
    def holds(w):
        return distance(w) <= 0.0

    locate = limits.locator(place_one, holds, distance)

    @limits.native
    def hottest(w, time, step):
        """The first ingot that becomes hot in the step, and at which fraction of it; -1 if none does."""
        who, fraction = -1, 2.0
        for i in range(alive):
            if w[end + i] >= HOT:
                if who < 0:
                    fit(w, step)
                w[looked] = i
                found = locate(w, time, step)
                if found < fraction:
                    who, fraction = i, found
        return who, fraction

    @limits.native
    def simulate(temperatures, coefficients, draws, tolerance):
        w = begin(temperatures)
        w[shares:looked] = coefficients
        rates(w)
        step = first(w, tolerance, tolerance)
        time, rest, drawn = 0.0, 0.0, 0
        while True:
            ratio = attempt(w, step, tolerance, tolerance)
            if ratio < 1.0:
                step /= 2
                continue
            complete(w, step)
            longer = limits.next_step(step, ratio)
            who, fraction = hottest(w, time, step)
            if who < 0:
                time, rest = limits.two_sum(time, rest + step)
                advance(w)
                step = longer
                continue
            place(w, fraction)
            time += rest + fraction * step
            rest = 0.0
            for i in range(n):
                w[start + i] = w[seen + i]
                w[start_rest + i] = 0.0
            drawn += 1
            if drawn == draws:
                return drawn, time, w[start + alive]
            w[start + who] = COLD
            rates(w)
            step = longer

    # Compiled before the clock runs: the first ingot is drawn.
    simulate(np.full(n, HOT + 300.0), np.full(alive, 0.1), 1, 1e-8)
    return simulate


class Trial:
    def __init__(self, *, alive, draws, seed):
        self.draws = draws
        first = answers.first_ingots(alive)
        self.temperatures = np.array([temperature for temperature, _ in first] + [answers.FURNACE_START])
        self.coefficients = np.array([coefficient for _, coefficient in first])
        self.simulate = loop(alive)

    def run(self):
        self.found = self.simulate(self.temperatures, self.coefficients, self.draws, answers.INGOT_TOLERANCE)

    def result(self):
        draws, end, furnace = self.found
        return {"draws": draws, "end": end, "furnace": furnace}
