"""One step of an implicit method for one flow: Newton's method for all stages at once, error estimate, step control.

In: the state at the start of the step, and its length. Out: the ratio of tolerance to error, below 1 if the step is
refused. The unknowns are the mean rates z_i up to the stages, in rows K+1 ...: so stages, result and interpolant are
combinations of rates as those of explicit methods are, and steps, proofs, recordings and integrals know one kind of
method. RADAU5 iterates increments instead; the price here is a rounding. After the rate at the end come the rates at
the stages, then the transformed means.

The iteration starts at the extrapolated interpolant of the step before; after an event at zero rates. Its rate of
convergence decides whether the derivatives serve another step. A step that would grow by less than a fifth keeps its
length, and so its factors. The error estimate is filtered by the real factor, at a first step and after a refusal
twice, and the next length follows from two errors (Gustafsson). With derivatives from before an event one iteration is
no proof of convergence. Methods without an error estimate make steps of dt_max.

Plain functions over records, which are also translated to native code.
Source: Hairer & Wanner, Solving ODEs II, IV.8, program RADAU5; the norm is the maximum here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    ABS,
    DEGREE,
    DENSE,
    ERROR_ORDER,
    ESTIMATE,
    ESTIMATED,
    FACTORS,
    IMPLICIT,
    MIDDLE,
    PAIRS,
    REALS,
    REL,
    STAGES,
    Y0,
    K,
    P,
    Y,
)
from eventide.engine.law_evaluation import copy
from eventide.engine.newton_matrices import (
    CAREFUL,
    DOUBTED,
    ETA,
    FACTORED,
    FACTORED_STEP,
    FRESH,
    GROUPS,
    ITERATIONS,
    JACOBIAN,
    KEPT,
    MISSING,
    NUMBERS,
    PAST_RATIO,
    PAST_STEP,
    PATCHED,
    RATIO,
    REJECTED,
    SIZE,
    SLOTS,
    THETA,
    differentiate,
    factorize,
    resolve,
    resolve_pair,
    vector_at,
)
from eventide.engine.stepper import HUGE, combine, fit, run_laws

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

MOST: Final = 7
"""The largest number of iterations."""
STRICT: Final = 0.03
"""How much of the tolerance the iteration may leave at most."""
TINY: Final = 1e-2
"""A correction below this fraction of the allowed remainder ends the iteration, whatever the last one was."""
ROUNDING: Final = 2.220446049250313e-16
STALE: Final = 1e-3
"""Derivatives with which an iteration converges by this factor at least are kept for the next step; so are they"""
QUICK: Final = 2
"""with which it takes at most this number of iterations."""
SAFETY: Final = 0.9
LONGEST: Final = 8.0
SHORTEST: Final = 0.2
FIRST: Final = 0.1
"""Where the first step is refused, the next attempt is so long."""
FARTHEST_GUESS: Final = 100.0
"""The interpolant is not drawn out to a step that is longer than this many of its own."""
KEEP: Final = 1.2
"""A step that would become longer by less stays, and with it what is factorized."""
CAP: Final = 1e8
"""The largest ratio of tolerance to error that is returned."""


def attempt_implicitly(a: Arrays, f: int, step: float) -> float:
    """Solve for the stages of one step and estimate its error.

    Derivatives that an earlier step has left are tried first; where the iteration fails with them it is tried again
    with those of this step's start.
    Returns     as `attempt`; 0 if there is no solution
    """
    s = a.flow.system[f]
    numbers = a.lists[s + NUMBERS]
    a.constants[numbers + RATIO] = 0.0
    copy(a, f, Y0, MIDDLE)
    if a.lists[s + JACOBIAN] == PATCHED and not differentiate(a, f, step, False):
        return 0.0
    while True:
        if a.lists[s + JACOBIAN] == MISSING and not differentiate(a, f, step, True):
            return 0.0
        is_ready = a.lists[s + FACTORED] == 1 and a.constants[numbers + FACTORED_STEP] == step
        if (is_ready or factorize(a, f, step)) and iterate(a, f, step):
            break
        if a.lists[s + JACOBIAN] == FRESH or a.run.aborted != 0:
            if a.lists[s + DOUBTED] == 0 and a.lists[s + GROUPS] < a.lists[s + SIZE]:
                a.lists[s + DOUBTED] = 1
            return 0.0
        a.run.raised = 0
        a.lists[s + JACOBIAN] = MISSING
    ratio = estimate(a, f, step)
    a.constants[numbers + RATIO] = ratio
    return ratio


# --- the iteration ----------------------------------------------------------------------------------------------------


def iterate(a: Arrays, f: int, step: float) -> bool:
    """Find the mean rates up to all stages by Newton's method; whether it has converged."""
    s = a.flow.system[f]
    numbers = a.lists[s + NUMBERS]
    before, enough, eta = 0.0, undone(a, f), max(a.constants[numbers + ETA], ROUNDING) ** 0.8
    a.constants[numbers + THETA] = 0.0
    guess(a, f, step)
    for k in range(1, MOST + 1):
        if not evaluate_stages(a, f, step):
            return False
        moved = correct(a, f, step)
        if not moved < HUGE:
            return False
        if k > 1:
            theta = moved / before if before > 0.0 else 0.0
            a.constants[numbers + THETA] = max(a.constants[numbers + THETA], theta)
            eta = 1.0
            if moved > TINY * enough:
                if not theta < 1.0:
                    return is_rounding(a, f, k, max(before, moved))
                eta = theta / (1.0 - theta)
                left = eta * moved
                for _ in range(k, MOST):
                    left = left * theta
                if left > enough:
                    return is_rounding(a, f, k, max(before, eta * moved))
        # With derivatives from before an event one iteration proves nothing.
        if eta * moved <= enough and (k > 1 or a.lists[s + CAREFUL] == 0 or moved == 0.0):
            a.constants[numbers + ETA] = eta
            a.lists[s + ITERATIONS] = k
            return True
        before = moved
    return False


def is_rounding(a: Arrays, f: int, k: int, left: float) -> bool:
    """Whether corrections that no longer shrink are so small, with derivatives of this step, that they may be left.

    Rates are differences of what may be far larger than they are, as near rest: corrections then end in its rounding.
    """
    s = a.flow.system[f]
    if left > STRICT or a.lists[s + JACOBIAN] != FRESH:
        return False
    a.constants[a.lists[s + NUMBERS] + ETA] = 1.0
    a.lists[s + ITERATIONS] = k
    return True


def undone(a: Arrays, f: int) -> float:
    """How much the iteration may leave undone, in units of the tolerance: little of it, and not less than rounding."""
    rows = a.rows
    least, floor = 1.0, 0.0
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            relative = abs(rows[REL, i])
            if 0.0 < relative < least:
                least = relative
            tolerance = abs(rows[ABS, i]) + relative * abs(rows[Y0, i])
            if tolerance > 0.0:
                floor = max(floor, 10.0 * ROUNDING * abs(rows[Y0, i]) / tolerance)
    return float(max(floor, min(STRICT, least**0.5)))


def guess(a: Arrays, f: int, step: float) -> None:
    """Begin at the interpolant of the step before, drawn out; without one at rates of zero."""
    stages, past = a.method.sizes[IMPLICIT], a.flow.past_step[f]
    if step > FARTHEST_GUESS * past:
        past = 0.0
    rows = a.rows
    for stage in range(1, stages + 1):
        share = a.method.nodes[stage] * step
        for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
            for i in range(a.segments[s, 0], a.segments[s, 1]):
                mean = 0.0
                if past > 0.0:
                    # Of theta**m - 1 at theta = 1 + x the factor x is taken out: no difference of near numbers is left.
                    x, total, sums = share / past, 0.0, 0.0
                    for m in range(a.method.sizes[DEGREE] - 1, -1, -1):
                        sums = rows[P + m, i] + sums
                        total = total * (1.0 + x) + sums
                    mean = total * a.method.nodes[stage] / past
                rows[K + stage, i] = mean
    transform(a, f, 2, K + a.method.sizes[STAGES] + 1 + stages)


def evaluate_stages(a: Arrays, f: int, step: float) -> bool:
    """Evaluate the laws at all stages; whether they raised nothing."""
    stages = a.method.sizes[STAGES]
    for stage in range(1, stages):
        combine(a, f, stage, stages, step, Y, True)
        elapsed = a.method.nodes[stage] * step
        time = a.flow.start[f] + (a.flow.start_rest[f] + elapsed)
        run_laws(a, f, time, elapsed, K + stages + stage)
        if a.run.raised != 0 or a.run.aborted != 0:
            return False
    return True


def correct(a: Arrays, f: int, step: float) -> float:
    """Make one correction of the means; how far it moves a stage at most, in units of the tolerance."""
    s = a.flow.system[f]
    real, reals = vector_at(a, s, 0), a.method.sizes[REALS]
    imaginary, largest = vector_at(a, s, 1), 0.0
    # Residues overwrite the means, which are computed again later; corrections overwrite the rates at the stages.
    transform(a, f, 0, K + 1)
    for b in range(reals):
        residue(a, f, b, real)
        resolve(a, s, min(b, a.method.sizes[FACTORS] - 1), real)
        largest = move(a, f, b, real, step, largest)
    for p in range(a.method.sizes[PAIRS]):
        b = reals + 2 * p
        residue(a, f, b, real)
        residue(a, f, b + 1, imaginary)
        resolve_pair(a, s, p, real, imaginary)
        largest = move(a, f, b, real, step, largest)
        largest = move(a, f, b + 1, imaginary, step, largest)
    transform(a, f, 1, K + 1)
    return largest


def transform(a: Arrays, f: int, part: int, target: int) -> None:
    """Combine rows by one part of the table's last rows: 0 gives residues, 1 means, 2 transformed means."""
    stages, count = a.method.sizes[STAGES], a.method.sizes[IMPLICIT]
    first = stages + DENSE + a.method.sizes[DEGREE] + part * count
    for b in range(count):
        combine(a, f, first + b, stages + 1 + 2 * count, 1.0, target + b, False)


def residue(a: Arrays, f: int, b: int, v: int) -> None:
    """Set a vector to what is left of the equations of block `b`, given the corrections of those before."""
    s, end, reals = a.flow.system[f], K + a.method.sizes[STAGES], a.method.sizes[REALS]
    rows = a.rows
    for k in range(a.lists[s + SIZE]):
        i = a.lists[s + SLOTS + k]
        total = rows[K + 1 + b, i]
        for j in range(min(b, reals)):
            weight = a.method.blocks[b, j]
            if weight != 0.0:
                total -= weight * rows[end + 1 + j, i]
        a.constants[v + k] = total


def move(a: Arrays, f: int, b: int, v: int, step: float, before: float) -> float:
    """Add a correction to the transformed means of block `b`; its size in units of the tolerance, or `before`.

    Where it is larger than that WORST becomes the slot where it is largest.
    """
    s, first = a.flow.system[f], K + a.method.sizes[STAGES] + 1
    means, largest = first + a.method.sizes[IMPLICIT], before
    rows = a.rows
    for k in range(a.lists[s + SIZE]):
        i = a.lists[s + SLOTS + k]
        change = a.constants[v + k]
        tolerance = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[MIDDLE, i])
        size = abs(step * change)
        if not size <= largest * tolerance:
            largest = size / tolerance if tolerance > 0.0 and size < HUGE else 2.0 * HUGE
            a.flow.worst[f] = i
        rows[first + b, i] = change
        rows[means + b, i] += change
    return largest


# --- the error and the next step --------------------------------------------------------------------------------------


def estimate(a: Arrays, f: int, step: float) -> float:
    """The smallest ratio of tolerance to estimated error, capped; WORST becomes the slot where it was met.

    At a first step and after a refusal an error that is too large is filtered once more: there the estimate is far too
    large for what is stiff. Not so where laws may jump unlocated: the filter evaluates them at the start, moved by the
    error, and beyond a jump they agree with the stages.
    """
    if a.method.sizes[ESTIMATED] == 0:
        return CAP
    s, stages = a.flow.system[f], a.method.sizes[STAGES]
    error, first = vector_at(a, s, 0), K + stages + 1
    combine(a, f, stages - 1, stages, step, Y, True)
    note_size(a, f)
    add_means(a, f, K, error)
    resolve(a, s, 0, error)
    keep_error(a, f, error)
    ratio = ratio_of(a, f, error, step)
    if ratio >= 1.0 or a.flow.unseen[f] > 0.0 or (a.flow.past_step[f] > 0.0 and a.lists[s + REJECTED] == 0):
        return ratio
    rows = a.rows
    for k in range(a.lists[s + SIZE]):
        i = a.lists[s + SLOTS + k]
        rows[Y, i] = rows[Y0, i] + step * a.constants[error + k]
    run_laws(a, f, a.flow.start[f], 0.0, first)
    if a.run.raised != 0 or a.run.aborted != 0:
        return ratio
    add_means(a, f, first, error)
    resolve(a, s, 0, error)
    keep_error(a, f, error)
    return ratio_of(a, f, error, step)


def note_size(a: Arrays, f: int) -> None:
    """Measure relative tolerances at the larger of the states at the start and those in row Y."""
    rows = a.rows
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            if abs(rows[Y, i]) > abs(rows[MIDDLE, i]):
                rows[MIDDLE, i] = rows[Y, i]


def add_means(a: Arrays, f: int, rates: int, v: int) -> None:
    """Set a vector to rates in a row and the estimate's multiples of the means."""
    s, stages = a.flow.system[f], a.method.sizes[STAGES]
    rows = a.rows
    for k in range(a.lists[s + SIZE]):
        i = a.lists[s + SLOTS + k]
        total = a.method.table[stages + ESTIMATE, 0] * rows[rates, i]
        for j in range(1, stages):
            total += a.method.table[stages + ESTIMATE, j] * rows[K + j, i]
        a.constants[v + k] = total


def keep_error(a: Arrays, f: int, v: int) -> None:
    """Keep the estimate, as a rate, for the interpolant."""
    s, row = a.flow.system[f], K + a.method.sizes[STAGES] + 1
    for k in range(a.lists[s + SIZE]):
        a.rows[row, a.lists[s + SLOTS + k]] = a.constants[v + k]


def ratio_of(a: Arrays, f: int, v: int, step: float) -> float:
    """The smallest ratio of tolerance to step * the errors in a vector; 0 if one is not finite."""
    s, ratio = a.flow.system[f], CAP
    a.flow.worst[f] = -1
    rows = a.rows
    for k in range(a.lists[s + SIZE]):
        i = a.lists[s + SLOTS + k]
        size = abs(step * a.constants[v + k])
        tolerance = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[MIDDLE, i])
        if not size * ratio <= tolerance:
            ratio = tolerance / size if 0.0 < size < HUGE else 0.0
            a.flow.worst[f] = i
            if not ratio > 0.0:
                return 0.0
    return ratio


def share_of(a: Arrays, f: int, ratio: float) -> float:
    """By which factor a step has just the error that is wanted, less some safety for each iteration."""
    s = a.flow.system[f]
    safety = SAFETY * (2.0 * MOST + 1.0) / (2.0 * MOST + a.lists[s + ITERATIONS])
    return float(safety * ratio ** (1.0 / (a.method.sizes[ERROR_ORDER] + 1)))


def shorter(a: Arrays, f: int, step: float, ratio: float) -> float:
    """The length of the next attempt after one was refused; half if there is no estimate."""
    s = a.flow.system[f]
    if a.lists[s + JACOBIAN] == KEPT:
        a.lists[s + JACOBIAN] = MISSING
    known = a.constants[a.lists[s + NUMBERS] + RATIO]
    is_first = a.flow.past_step[f] == 0.0 and a.lists[s + REJECTED] == 0
    a.lists[s + REJECTED] = 1
    if not (ratio > 0.0 and 0.0 < known < 1.0):
        return step / 2
    if is_first:
        return FIRST * step
    return step * max(SHORTEST, share_of(a, f, known))


def longer(a: Arrays, f: int, step: float) -> float:
    """The length of the step after one that was accepted.

    Source      Gustafsson, ACM TOMS 20 (1994), for the part that foresees the next error from the last two
    """
    s = a.flow.system[f]
    numbers = a.lists[s + NUMBERS]
    ratio = a.constants[numbers + RATIO]
    factor = min(LONGEST, max(SHORTEST, share_of(a, f, ratio)))
    if a.method.sizes[ESTIMATED] == 0:
        factor = LONGEST
    elif a.constants[numbers + PAST_STEP] > 0.0 and a.flow.past_step[f] > 0.0:
        trend = ratio * ratio / a.constants[numbers + PAST_RATIO]
        foreseen = step / a.constants[numbers + PAST_STEP] * share_of(a, f, trend)
        factor = min(factor, max(SHORTEST, foreseen))
    if a.lists[s + REJECTED] == 1:
        factor = min(factor, 1.0)
    if a.lists[s + JACOBIAN] != MISSING and 1.0 <= factor <= KEEP:
        factor = 1.0
    a.constants[numbers + PAST_STEP] = step
    a.constants[numbers + PAST_RATIO] = min(max(ratio, STALE), 100.0)
    return factor * step


def keep_derivatives(a: Arrays, f: int) -> None:
    """After a step that was accepted: its derivatives are kept if the iteration was fast with them."""
    s = a.flow.system[f]
    is_slow = a.lists[s + ITERATIONS] > QUICK and a.constants[a.lists[s + NUMBERS] + THETA] > STALE
    a.lists[s + JACOBIAN] = MISSING if is_slow else KEPT
    a.lists[s + CAREFUL] = a.lists[s + DOUBTED] = 0


def is_in_doubt(a: Arrays, f: int) -> bool:
    """Whether fresh derivatives have failed, and it has not been looked at since what depends on which state."""
    s = a.flow.system[f]
    return bool(a.lists[s + DOUBTED] == 1)


def begin_again(a: Arrays, f: int) -> None:
    """After an event: what it has changed may change the derivatives, too."""
    s = a.flow.system[f]
    if s >= 0:
        if a.lists[s + JACOBIAN] == FRESH:
            a.lists[s + JACOBIAN] = KEPT
        a.lists[s + CAREFUL] = 1
        a.lists[s + REJECTED] = 0


def remember(a: Arrays, f: int) -> None:
    """The next step begins where this one ends: its iteration begins at this one's interpolant."""
    if a.flow.fitted[f] == 0:
        fit(a, f)
    a.flow.past_step[f] = a.flow.step[f]
    a.lists[a.flow.system[f] + REJECTED] = 0
