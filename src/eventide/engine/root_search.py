"""The first point of a bracket at which a condition is true.

In: a bracket, false at its start and true at its end. Out: the bracket reduced to dt_min, or to neighbouring floats.
Source: Oliveira & Takahashi, ACM TOMS 47 (2020), article 5, with a cubic in place of the chord.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.engine.law_evaluation import is_true
from eventide.engine.stepper import HUGE

if TYPE_CHECKING:
    from eventide.engine.records import Arrays
from eventide.engine.probing import show, time_at

CAUTION: Final = 0.01
"""How far ITP truncates its guess, in units of bracket * bracket / first bracket."""
SLACK: Final = 256.0
"""2**8: it may take eight probes more than halving would, lest a bad beginning forbid a good end."""
NEXT_FLOAT: Final = 0.75
"""A time at this number of the widest spacings away is the next float, or the one after it."""
FARTHER: Final = 4.0
"""The factor by which the distance from a predicted event grows while the event has not been found there ..."""
FARTHEST: Final = 32.0
"""... up to this number of spacings."""
CORRECTIONS: Final = 30
"""How often the root of a cubic is corrected by Newton's method at most."""
CLOSE: Final = 1e-3
"""A smaller relative correction is the last: the next would be about its square."""
SPACING: Final = 2.220446049250313e-16
"""The largest relative spacing of floats."""


def find(a: Arrays, c: int, f: int) -> float:
    """The first point of its bracket at which a condition is true, by ITP where it has an event function.

    The Boolean decides the side; the event function only says where to look. Where it gives no hint, and before many
    more probes are made than bisection would take, the bracket is halved. Where a proof has predicted the point, and
    the event is located to the last float, probes start there and then go ever farther beyond it, on the other side.
    Source      Oliveira & Takahashi, ACM TOMS 47 (2020), article 5; here with a cubic in place of the chord
    """
    least = 0.0 if a.guard.exact[c] == 1 else a.run.dt_min
    low, high = a.guard.low[c], a.guard.high[c]
    guard_low, guard_high = a.guard.value_low[c], a.guard.value_high[c]
    slope_low, slope_high = a.guard.slope_low[c], a.guard.slope_high[c]
    spacing = max(least, SPACING * abs(a.flow.end[f]))
    caution, slack = CAUTION / (high - low), SLACK * (high - low)
    guess, reach = a.guard.guess[c], NEXT_FLOAT * spacing
    if least > 0.0:
        guess = -1.0
    elif guess > 0.0:
        guess = (time_at(a, f, guess) - a.flow.start[f]) - a.flow.start_rest[f]
    time_low, time_high = time_at(a, f, low), time_at(a, f, high)
    while high - low > least and a.run.aborted == 0:
        probe = max(low + (high - low) / 2, least)
        time = time_at(a, f, probe)
        if not (low < probe < high and time_low < time < time_high):
            break
        slack = slack / 2
        is_near = low < guess < high and time_low < time_at(a, f, guess) < time_high
        if is_near:
            probe, time = guess, time_at(a, f, guess)
        elif -HUGE < guard_low < 0.0 <= guard_high < HUGE and high - low > 2.0 * spacing:
            width = high - low
            share = share_of_root(guard_low, guard_high, slope_low * width, slope_high * width)
            better = pushed(low, width, low + width * share, caution * width * width, slack - width / 2)
            better = min(max(better, low + spacing), high - spacing)
            sooner = time_at(a, f, better)
            if low < better < high and time_low < sooner < time_high:
                probe, time = better, sooner
        show(a, c, f, probe, time)
        truth = is_true(a, c, f, time, probe)
        guard, slope = a.guard.value[c], a.guard.slope[c]
        guess = probe
        if slope > 0.0 and abs(guard) > 2.0 * spacing * slope:
            guess = probe - guard / slope
        if truth:
            high, time_high, guard_high, slope_high, guess = probe, time, guard, slope, guess - reach
        else:
            low, time_low, guard_low, slope_low, guess = probe, time, guard, slope, guess + reach
        reach = FARTHER * reach
        if not is_near or reach > FARTHEST * spacing:
            guess = -1.0
    a.guard.low[c], a.guard.high[c] = low, high
    return float(high)


def pushed(low: float, width: float, guess: float, push: float, reach: float) -> float:
    """Where ITP looks: the guess, pushed towards the middle, and not farther from it than halving would still keep up.

    The push brings the next point to the other side of the root, so that the bracket shrinks from both.
    """
    middle = low + width / 2
    if push >= abs(middle - guess):
        return middle
    point = guess + push if guess < middle else guess - push
    if abs(point - middle) <= reach:
        return point
    return middle - reach if guess < middle else middle + reach


def share_of_root(at_low: float, at_high: float, slope_low: float, slope_high: float) -> float:
    """About where in [0, 1] a function with these values and slopes at its ends is zero; at_low < 0 <= at_high.

    Where it rises at both ends it is the cubic through them of the inverse function; where slopes are not known, the
    chord; else the cubic of the function itself.
    """
    rise = at_high - at_low
    share = at_low / (at_low - at_high)
    if slope_low > 0.0 and slope_high > 0.0:
        rest = 1.0 - share
        share = share * (share * (3.0 - 2.0 * share) + rest * (rest * (rise / slope_low) - share * (rise / slope_high)))
        return share if 0.0 <= share <= 1.0 else 0.5
    if slope_low != slope_low or slope_high != slope_high:
        return share
    return root_of_cubic(
        at_low, slope_low, 3.0 * rise - 2.0 * slope_low - slope_high, slope_low + slope_high - 2 * rise
    )


def root_of_cubic(at_low: float, slope: float, second: float, third: float) -> float:
    """Where in [0, 1] a polynomial is zero that is negative at 0 and not at 1, by Newton's method from 1."""
    share, low, high = 1.0, 0.0, 1.0
    for _ in range(CORRECTIONS):
        value = at_low + share * (slope + share * (second + share * third))
        if value < 0.0:
            low = share
        else:
            high = share
        steepness = slope + share * (2.0 * second + share * 3.0 * third)
        better = low + (high - low) / 2
        if steepness > 0.0 and low < share - value / steepness < high:
            better = share - value / steepness
        change, share = abs(better - share), better
        if change < CLOSE * share:
            break
    return share
