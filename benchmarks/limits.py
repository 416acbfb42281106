"""What a hand-written loop reaches: Runge-Kutta-England by numba, without anything that a simulator has beside it.

The same method, the same step control and the same sums in the same order as eventide's, so that both make the same
steps to the last bit. All numbers of a step stand in one flat array at places that are known when it is compiled.
Laws are `law(y, rate, at, to)`: they read the states from `y[at:]` and leave their rates in `rate[to:]`, which is the
same array; nothing in them depends on time.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

CAP = 64.0  # a step is at most doubled


class Stepper(NamedTuple):
    """The parts of a loop; `work` is the flat array that they share, made by `begin`.

    begin       (start) -> work
    rates       (work): evaluate the laws at the start
    first       (work, rel, abs) -> first step; one evaluation
    attempt     (work, step, rel, abs) -> ratio of tolerance to error, below 1 if refused; seven evaluations
    complete    (work, step): the states at the end; two evaluations
    advance     (work): begin the next step where this one ends
    fit         (work, step): the coefficients of the interpolant
    place       (work, theta): the states at a fraction of the step in the row SEEN
    """

    begin: Any
    rates: Any
    first: Any
    attempt: Any
    complete: Any
    advance: Any
    fit: Any
    place: Any


# Rows of the flat array, each of the size of the state.
START, START_REST, END, END_REST, SEEN, MIDDLE, FITTED, RATES = 0, 1, 2, 3, 4, 5, 6, 11
ROWS = RATES + 10  # nine stages and the rates at the end


def native(function: Callable[..., Any]) -> Any:
    return njit(error_model="numpy")(function)


def england(law: Any, size: int, parameters: int = 0) -> Stepper:
    """The method for `size` states with the given law; all is compiled into the loop that uses it.

    parameters  numbers behind the last row of `work`, for the law to read
    """
    n = size
    y0, e0, y2, e2, y, mid, p = (row * n for row in (START, START_REST, END, END_REST, SEEN, MIDDLE, FITTED))
    k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 = ((RATES + stage) * n for stage in range(10))

    @native
    def begin(start):
        work = np.zeros(ROWS * n + parameters)
        work[:n] = start
        return work

    @native
    def rates(w):
        law(w, w, y0, k0)

    @native
    def first(w, rel, absolute):
        size = slope = 0.0
        for i in range(n):
            scale = absolute + abs(rel * w[y0 + i])
            size = max(size, abs(w[y0 + i]) / scale)
            slope = max(slope, abs(w[k0 + i]) / scale)
        trial = 0.01 * size / slope if size > 1e-5 and slope > 1e-5 else 1e-6
        for i in range(n):
            w[y + i] = w[y0 + i] + trial * w[k0 + i]
        law(w, w, y, k1)
        bend = 0.0
        for i in range(n):
            scale = absolute + abs(rel * w[y0 + i])
            bend = max(bend, abs(w[k1 + i] - w[k0 + i]) / scale)
        steepest = max(slope, bend / trial)
        second = max(1e-6, trial * 1e-3)
        if steepest > 1e-15:
            second = (0.01 / steepest) ** (1.0 / 5)
        return min(100.0 * trial, second)

    @native
    def attempt(w, h, rel, absolute):
        a, b, c, d = h * (1 / 12), h * (1 / 3), h * (1 / 8), h * (1 / 4)
        for i in range(n):
            w[y + i] = w[y0 + i] + (w[e0 + i] + d * w[k0 + i])
        law(w, w, y, k1)
        for i in range(n):
            w[y + i] = w[y0 + i] + (w[e0 + i] + (c * w[k0 + i] + c * w[k1 + i]))
        law(w, w, y, k2)
        m = h * (-1 / 2)
        for i in range(n):
            w[y + i] = w[y0 + i] + (w[e0 + i] + (m * w[k1 + i] + h * w[k2 + i]))
        law(w, w, y, k3)
        for i in range(n):
            w[mid + i] = w[y0 + i] + (w[e0 + i] + (a * w[k0 + i] + b * w[k2 + i] + a * w[k3 + i]))
        law(w, w, mid, k4)
        for i in range(n):
            half = a * w[k0 + i] + b * w[k2 + i] + a * w[k3 + i]
            w[y + i] = w[y0 + i] + (w[e0 + i] + (half + d * w[k4 + i]))
        law(w, w, y, k5)
        for i in range(n):
            half = a * w[k0 + i] + b * w[k2 + i] + a * w[k3 + i]
            w[y + i] = w[y0 + i] + (w[e0 + i] + (half + c * w[k4 + i] + c * w[k5 + i]))
        law(w, w, y, k6)
        r0, r1, r2, r3, r4, r5, r6 = h * (-1 / 12), h * -8, h * (23 / 3), h * (-121 / 12), h * 12, h * (1 / 2), h * -1
        for i in range(n):
            total = r0 * w[k0 + i] + r1 * w[k1 + i] + r2 * w[k2 + i] + r3 * w[k3 + i]
            w[y + i] = w[y0 + i] + (w[e0 + i] + (total + r4 * w[k4 + i] + r5 * w[k5 + i] + r6 * w[k6 + i]))
        law(w, w, y, k7)
        s0, s2, s3, s4 = h * (-1 / 180), h * (1 / 45), h * (17 / 180), h * (-23 / 180)
        ratio = CAP
        for i in range(n):
            total = s0 * w[k0 + i] + s2 * w[k2 + i] + s3 * w[k3 + i] + s4 * w[k4 + i]
            error = abs(total + s2 * w[k6 + i] + s0 * w[k7 + i])
            tolerance = absolute + abs(rel * w[mid + i])
            if not error * ratio <= tolerance:
                ratio = tolerance / error
        return ratio

    @native
    def complete(w, h):
        a, b, m = h * (1 / 12), h * (1 / 3), h * (-1 / 2)
        for i in range(n):
            half = a * w[k0 + i] + b * w[k2 + i] + a * w[k3 + i]
            w[y + i] = w[y0 + i] + (w[e0 + i] + (half + m * w[k5 + i] + h * w[k6 + i]))
        law(w, w, y, k8)
        s0, s2, s3, s4, s7 = h * (7 / 90), h * (16 / 45), h * (8 / 45), h * (-2 / 45), h * (-1 / 180)
        for i in range(n):
            total = s0 * w[k0 + i] + s2 * w[k2 + i] + s3 * w[k3 + i] + s4 * w[k4 + i]
            increment = w[e0 + i] + (total + s2 * w[k6 + i] + s7 * w[k7 + i] + a * w[k8 + i])
            value = w[y0 + i] + increment
            part = value - w[y0 + i]
            w[e2 + i] = (w[y0 + i] - (value - part)) + (increment - part)
            w[y2 + i] = value
        law(w, w, y2, k9)

    @native
    def advance(w):
        for i in range(n):
            w[y0 + i] = w[y2 + i]
            w[e0 + i] = w[e2 + i]
            w[k0 + i] = w[k9 + i]

    fit = _fit(n)

    @native
    def place(w, theta):
        for i in range(n):
            total = 0.0
            for m in range(4, -1, -1):
                total = theta * (total + w[p + m * n + i])
            w[y + i] = w[y0 + i] + (w[e0 + i] + total)

    return Stepper(begin, rates, first, attempt, complete, advance, fit, place)


def _fit(n: int) -> Any:
    """The quintic through values and rates at start, middle and end of a step, as powers of its fraction."""
    p1, p2, p3, p4, p5 = ((FITTED + m) * n for m in range(5))
    k0, k2, k3, k4, k6, k7, k8, k9 = ((RATES + stage) * n for stage in (0, 2, 3, 4, 6, 7, 8, 9))

    @native
    def fit(w, h):
        a0, a2, a3, a4, a6 = h * (-25 / 6), h * 8, h * (10 / 3), h * (-28 / 3), h * (8 / 3)
        a7, a8, a9 = h * (-1 / 12), h * (7 / 12), h * -1
        b0, b2, b3, b4, b6 = h * (70 / 9), h * (-208 / 9), h * (-92 / 9), h * (320 / 9), h * (-112 / 9)
        b7, b8, b9 = h * (5 / 18), h * (-17 / 6), h * 5
        c0, c2, c3, c4, c6 = h * (-20 / 3), h * 24, h * (34 / 3), h * (-130 / 3), h * (56 / 3)
        c7, c8, c9 = h * (-1 / 3), h * (13 / 3), h * -8
        d0, d2, d3, d4, d6 = h * (32 / 15), h * (-128 / 15), h * (-64 / 15), h * (256 / 15), h * (-128 / 15)
        d7, d8, d9 = h * (2 / 15), h * -2, h * 4
        for i in range(n):
            f0, f2, f3, f4, f6 = w[k0 + i], w[k2 + i], w[k3 + i], w[k4 + i], w[k6 + i]
            f7, f8, f9 = w[k7 + i], w[k8 + i], w[k9 + i]
            w[p1 + i] = h * f0
            w[p2 + i] = a0 * f0 + a2 * f2 + a3 * f3 + a4 * f4 + a6 * f6 + a7 * f7 + a8 * f8 + a9 * f9
            w[p3 + i] = b0 * f0 + b2 * f2 + b3 * f3 + b4 * f4 + b6 * f6 + b7 * f7 + b8 * f8 + b9 * f9
            w[p4 + i] = c0 * f0 + c2 * f2 + c3 * f3 + c4 * f4 + c6 * f6 + c7 * f7 + c8 * f8 + c9 * f9
            w[p5 + i] = d0 * f0 + d2 * f2 + d3 * f3 + d4 * f4 + d6 * f6 + d7 * f7 + d8 * f8 + d9 * f9

    return fit


@native
def next_step(step, ratio):
    return min(2.0, (ratio / 2.0) ** (1.0 / 5)) * step


@native
def two_sum(a, b):
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def integral(stepper: Stepper, size: int) -> Any:
    """The loop from 0 to `until` without events: (start, until, rel, abs) -> states, steps, refused, evaluations."""
    begin, rates, first, attempt, complete, advance, fit, place = stepper
    seen = SEEN * size

    @native
    def integrate(start, until, rel, absolute):
        w = begin(start)
        rates(w)
        step = first(w, rel, absolute)
        time, rest, steps, refused, evaluations = 0.0, 0.0, 0, 0, 2
        while True:
            ratio = attempt(w, step, rel, absolute)
            evaluations += 7
            if ratio < 1.0:
                refused += 1
                step /= 2
                continue
            complete(w, step)
            evaluations += 2
            steps += 1
            end, end_rest = two_sum(time, rest + step)
            if end >= until:
                break
            advance(w)
            time, rest = end, end_rest
            step = next_step(step, ratio)
        fit(w, step)
        place(w, 1.0 if end == until else ((until - time) - rest) / step)
        return w[seen : seen + size].copy(), steps, refused, evaluations

    return integrate


def locator(place: Any, holds: Any, distance: Any) -> Any:
    """The search inside a step at whose end a condition holds: (work, start of the step, step) -> fraction.

    holds       (work): whether the condition holds in the row SEEN
    distance    (work): how far it is from holding there, where it does not; not positive if that tells nothing

    Regula falsi (Illinois) until no time is left between the points, the condition being true at the one answered,
    where the row SEEN then stands. Where there is no distance, as at the start of a bounce, the interval is halved.
    """

    @native
    def locate(w, time, step):
        low, high, side = 0.0, 1.0, 0
        place(w, 0.0)
        above = max(distance(w), 0.0)
        place(w, 1.0)
        below = distance(w)
        while True:
            width = 2.0**-52 * (time + high * step) / step
            if high - low <= width:
                break
            theta = low + (high - low) / 2
            if above > 0.0 and below < 0.0:
                theta = (low * below - high * above) / (below - above)
                theta = min(max(theta, low + width / 2), high - width / 2)
            if not low < theta < high:
                break
            place(w, theta)
            value = distance(w)
            if holds(w):
                high, below = theta, value
                if side == 1:
                    above /= 2
                side = 1
            else:
                low, above = theta, value
                if side == -1:
                    below /= 2
                side = -1
        place(w, high)
        return high

    return locate
