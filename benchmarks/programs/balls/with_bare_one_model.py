"""All balls in one state vector: every bounce ends the step of all and begins them anew."""

from functools import cache

import answers
import limits
import numpy as np

GRAVITY, SHARE, SLOWEST = answers.GRAVITY, answers.SHARE, answers.SLOWEST


@cache
def loop(balls):
    n = 2 * balls  # heights, then velocities
    moves = limits.ROWS * n  # behind the rows: 1 or 0 for each ball, then the ball that is looked for
    looked = moves + balls
    start, start_rest, end, seen, fitted = (
        row * n for row in (limits.START, limits.START_REST, limits.END, limits.SEEN, limits.FITTED)
    )

    @limits.native
    def law(y, rate, at, to):
        for i in range(balls):
            rate[to + i] = y[moves + i] * y[at + balls + i]
            rate[to + balls + i] = y[moves + i] * -GRAVITY

    begin, rates, first, attempt, complete, advance, fit, place = limits.england(law, n, parameters=balls + 1)

    @limits.native
    def place_one(w, theta):
        ball = int(w[looked])
        for i in (ball, ball + balls):
            total = 0.0
            for m in range(4, -1, -1):
                total = theta * (total + w[fitted + m * n + i])
            w[seen + i] = w[start + i] + (w[start_rest + i] + total)

    @limits.native
    def distance(w):
        return w[seen + int(w[looked])]

    @limits.native
    def holds(w):
        ball = int(w[looked])
        return w[seen + ball] <= 0.0 and w[seen + balls + ball] < 0.0

    locate = limits.locator(place_one, holds, distance)

    @limits.native
    def lowest(w, time, step):
        """The first ball that meets the floor in the step, and at which fraction of it; -1 if none does."""
        who, fraction = -1, 2.0
        for i in range(balls):
            if w[moves + i] == 1.0 and w[end + i] <= 0.0 and w[end + balls + i] < 0.0:
                if who < 0:
                    fit(w, step)
                w[looked] = i
                found = locate(w, time, step)
                if found < fraction:
                    who, fraction = i, found
        return who, fraction

    @limits.native
    def simulate(heights, present, until, tolerance, times, counts):
        state = np.zeros(n)
        state[:balls] = heights
        w = begin(state)
        w[moves : moves + present] = 1.0
        rates(w)
        step = first(w, tolerance[0], tolerance[1])
        time, rest, alive = 0.0, 0.0, present
        while time < until and alive > 0:
            ratio = attempt(w, step, tolerance[0], tolerance[1])
            if ratio < 1.0:
                step /= 2
                continue
            complete(w, step)
            longer = limits.next_step(step, ratio)
            who, fraction = lowest(w, time, step)
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
            times[who, counts[who]] = time
            counts[who] += 1
            w[start + balls + who] *= -SHARE
            if w[start + balls + who] < SLOWEST:
                w[moves + who] = 0.0
                alive -= 1
            rates(w)
            # No longer than the flights: a step that all of them cut would grow for ever.
            step = min(longer, 10.0 * fraction * step)

    simulate(np.full(balls, 10.0), balls, 0.0, (1e-6, 1e-9), np.zeros((balls, 1)), np.zeros(balls, np.int64))
    return simulate


class Trial:
    def __init__(self, *, balls, seed):
        room = 100 * -(-balls // 100)  # a small model is compiled no sooner: it shares the loop of a larger one
        self.balls = balls
        self.simulate = loop(room)
        self.heights = np.array([answers.height_of(number, balls) for number in range(room)])
        self.times, self.counts = np.zeros((room, 100)), np.zeros(room, np.int64)

    def run(self):
        self.simulate(self.heights, self.balls, 20.0, (1e-6, 1e-9), self.times, self.counts)

    def result(self):
        found = zip(self.times[: self.balls], self.counts[: self.balls], strict=True)
        return answers.judged_bounces([list(row[:count]) for row, count in found])
