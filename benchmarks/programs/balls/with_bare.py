"""Each ball apart, one after the other: what is independent shares no step."""

import answers
import limits
import numpy as np

GRAVITY, SHARE, SLOWEST = answers.GRAVITY, answers.SHARE, answers.SLOWEST
HEIGHT, VELOCITY = limits.SEEN * 2, limits.SEEN * 2 + 1
START, START_REST, END = limits.START * 2, limits.START_REST * 2, limits.END * 2


@limits.native
def law(y, rate, at, to):
    rate[to] = y[at + 1]
    rate[to + 1] = -GRAVITY


begin, rates, first, attempt, complete, advance, fit, place = limits.england(law, 2)


@limits.native
def holds(w):
    return w[HEIGHT] <= 0.0 and w[VELOCITY] < 0.0


@limits.native
def distance(w):
    return w[HEIGHT]


locate = limits.locator(place, holds, distance)


@limits.native
def fall(height, until, tolerance, times):
    """Write the times at which one ball meets the floor; their number."""
    w = begin(np.array([height, 0.0]))
    rates(w)
    step = first(w, tolerance[0], tolerance[1])
    time, rest, count = 0.0, 0.0, 0
    while time < until:
        ratio = attempt(w, step, tolerance[0], tolerance[1])
        if ratio < 1.0:
            step /= 2
            continue
        complete(w, step)
        end, end_rest = limits.two_sum(time, rest + step)
        longer = limits.next_step(step, ratio)
        if w[END] > 0.0 or w[END + 1] >= 0.0:
            advance(w)
            time, rest, step = end, end_rest, longer
            continue
        fit(w, step)
        time += rest + locate(w, time, step) * step
        rest, step = 0.0, longer
        if time > until:
            break
        times[count] = time
        count += 1
        w[START] = w[HEIGHT]
        w[START + 1] = -SHARE * w[VELOCITY]
        w[START_REST] = w[START_REST + 1] = 0.0
        if w[START + 1] < SLOWEST:
            break
        rates(w)
    return count


@limits.native
def simulate(heights, until, tolerance):
    times = np.zeros((len(heights), 100))
    counts = np.zeros(len(heights), np.int64)
    for ball in range(len(heights)):
        counts[ball] = fall(heights[ball], until, tolerance, times[ball])
    return times, counts


class Trial:
    def __init__(self, *, balls, seed):
        self.heights = np.array([answers.height_of(number, balls) for number in range(balls)])

    def run(self):
        self.times, self.counts = simulate(self.heights, 20.0, (1e-6, 1e-9))

    def result(self):
        return answers.judged_bounces([list(row[:count]) for row, count in zip(self.times, self.counts, strict=True)])
