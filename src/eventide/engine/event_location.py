"""State events inside a step: find the first point at which a monitored condition becomes true, or show that none does.

In: a step with its interpolant. Out: the time of its first event, or -1; or the request to repeat it, shorter.
Invariant: the Boolean of the user's condition decides; event functions and proofs only say where to look.

1. Each condition that is not screened is tested at the end of the step.
2. One that can be enclosed (`guard_signs.py`) is proved over parts, halved where undecided. If PARTS do not suffice the
   step is repeated, at no more than half its length and as far as all is decided, down to dt_min and SHORTEST. A proof
   that fails even then is counted (`sim.report().unproved`), and the condition is sampled, as is a stretch that stays
   undecided at single points (a large power of e).
3. Others are sampled at as many inner points as the interpolant has degrees, and where a peak lies between samples; for
   a handler that is not armed, where a valley does.
4. One of the time alone is halved until its event function agrees with the cubic through its ends within ALIKE.
5. Once a true point is known, `root_search.py` finds the first one, to the last float.

Where a condition raises an error the step is repeated at half its length: its event may come before.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import AS_NEEDED, AT_END, DEGREE, EXTRA
from eventide.engine.guard_screening import catch_up, first_unscreened, screen, screen_after_step, unscreened
from eventide.engine.guard_signs import ALWAYS, FALLS, NEVER, PERHAPS, RISES, beyond, crossed, sign_over
from eventide.engine.law_evaluation import is_true
from eventide.engine.probing import climb, is_between, keep_high, keep_low, test_inside, time_at, uncover, visit
from eventide.engine.root_search import find
from eventide.engine.stepper import HUGE, fit

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

PARTS: Final = 128
"""The largest number of parts of a step that are examined to prove that a condition stays false."""
DEPTH_OF_FALSE: Final = 24
"""The largest number of halvings of a part to find where a trigger is false."""
DEPTH: Final = 40
"""The largest number of halvings of a part: shorter parts differ by rounding only."""
SMALL: Final = 2.0**-12
"""An undecided part is tested for undecided single points if it is no larger than this fraction of the step ..."""
TINY: Final = 2.0**-20
"""... and no smaller than this: where a condition changes it is undecided within rounding."""
SHORTEST: Final = 2.0**-30
"""Proofs never make a step shorter than this fraction of the time ..."""
SHORTEST_SHARE: Final = 2.0**-36
"""... or than this fraction of the length that error control would allow: work before an accumulation stays finite."""
EARLY: Final = 0.23
"""Where in a part an event function is compared with a cubic, besides in the middle, where symmetry may deceive."""
ALIKE: Final = 0.01
"""The largest relative difference from the cubic."""
ROUNDED: Final = 2.0**-48
"""The largest relative rounding error of the time within an event function."""


# --- which conditions become true in a step --------------------------------------------------------------------------


def locate(a: Arrays, f: int, is_final: bool) -> bool:
    """Find the first point of the step at which a condition becomes true, if one does.

    is_final    whether the step is to be taken as it is
    Returns     False if the step has to be repeated, at most as long as `longest_step` of the flow

    The point is on the true side: some condition is true there and none was at most dt_min earlier. With dt_min = 0
    these are neighbouring floats.
    """
    a.flow.event[f] = -1.0
    a.flow.key[f] = a.flow.end[f]
    if a.flow.entries[f] == 0:
        a.flow.longest_step[f] = inf  # what was hard to prove is awaited no more
        return True
    screen_after_step(a, f)
    test_at_end(a, f)
    look_inside(a, f)
    if not is_final and (has_no_value(a, f) or is_too_long(a, f)):
        return False
    count_doubts(a, f)
    first = find_first(a, f)
    if not is_final and has_no_value(a, f):
        return False
    if first < 0.0:
        return True
    mark(a, f, first)
    a.flow.turns[f] = 1.0 if a.flow.switches[f] > 0.0 and is_turn(a, f) else 0.0
    a.flow.event[f] = first
    a.flow.key[f] = time_at(a, f, first)
    return True


def note_start(a: Arrays, c: int, truth: bool, moment: int) -> None:
    """Keep what a test at the end of a step gave, or at the start of one."""
    a.guard.seen[c] = moment
    a.guard.true_at_end[c] = 1 if truth else 0
    a.guard.value_at_end[c] = a.guard.value[c]
    a.guard.slope_at_end[c] = a.guard.slope[c]


def test_at_end(a: Arrays, f: int) -> None:
    """Test conditions at the end of the step; what the end of the one before gave is what holds at its start."""
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        catch_up(a, c, f)
        a.guard.value_at_start[c] = a.guard.value_at_end[c]
        a.guard.slope_at_start[c] = a.guard.slope_at_end[c]
        a.guard.due[c] = 0
        a.guard.ready[c] = 1 if a.guard.trigger[c] == 0 or a.guard.armed[c] == 1 else 0
        a.guard.high[c] = -1.0
        keep_low(a, c, 0.0, a.guard.value_at_end[c], a.guard.slope_at_end[c])
        truth = is_true(a, c, f, a.flow.end[f], a.flow.step[f])
        note_start(a, c, truth, a.flow.moment[f] + 1)
        if not truth and a.guard.ready[c] == 1 and a.guard.can_be_screened[c] == 1:
            screen(a, c, f)


def look_inside(a: Arrays, f: int) -> None:
    """Look for the first point inside the step where each condition becomes true: by proofs, else by samples."""
    step, wanted = a.flow.step[f], False
    a.run.complete, a.run.clear, a.run.used, a.run.in_doubt = 0, 1.0, 0, 0
    if step < HUGE and is_between(a, f, 0.0, step / a.method.sizes[DEGREE], step):
        a.run.complete = 1
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        a.guard.sampled[c] = examine(a, c, f) if is_provable(a, c, f) else 1
        if a.guard.sampled[c] == 1 and is_followable(a, c) and follow_through(a, c, f):
            a.guard.sampled[c] = AS_NEEDED
        if a.guard.certificate[c] >= 0 and a.guard.sampled[c] != 0:
            a.run.in_doubt += 1
        if a.guard.sampled[c] == 1:
            wanted = True
        else:
            look_to_the_end(a, c, f)
    if wanted:
        look_at_samples(a, f)
        for k in range(a.flow.unscreened[f]):
            c = unscreened(a, f, k)
            if a.guard.sampled[c] == 1:
                look_to_the_end(a, c, f)


def look_at_samples(a: Arrays, f: int) -> None:
    """Test conditions that are sampled at as many points inside as the interpolant has degrees."""
    step, before, parts = a.flow.step[f], 0.0, a.method.sizes[DEGREE]
    for k in range(1, parts):
        elapsed = step * (k / parts)
        if not is_between(a, f, before, elapsed, step):
            return
        look_at(a, f, elapsed)
        before = elapsed


def look_to_the_end(a: Arrays, c: int, f: int) -> None:
    """Take up what a condition is at the end of the step, and what it may have been since the last sample."""
    step, guard, slope = (
        a.flow.step[f],
        a.guard.value_at_end[c],
        a.guard.slope_at_end[c],
    )
    truth = a.guard.true_at_end[c] == 1
    if a.guard.sampled[c] == 1:
        if guard != guard:
            look_in_the_middle(a, c, f)
        if a.guard.high[c] < 0.0 and a.guard.ready[c] == 0 and truth:
            uncover(a, c, f)
    if a.guard.high[c] >= 0.0:
        return
    if a.guard.sampled[c] != 0:
        note_point(a, c, f, step, truth, guard, slope)
    elif truth and a.guard.ready[c] == 1:
        keep_high(a, c, step, guard, slope)


def look_at(a: Arrays, f: int, elapsed: float) -> None:
    """Test the conditions that are sampled and have an event function at a point inside the step."""
    time, seen, laws = time_at(a, f, elapsed), False, False
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        guard = a.guard.value_at_end[c]
        wanted = a.guard.sampled[c] == 1 and a.guard.low[c] < elapsed
        if wanted and guard == guard and a.guard.high[c] < 0.0:
            needed = a.guard.needs_laws[c] == 1
            if not seen or (needed and not laws):
                visit(a, f, elapsed, time, needed)
                seen, laws = True, needed
            truth = is_true(a, c, f, time, elapsed)
            seen = not note_test(a, c, f, elapsed, truth)


def look_in_the_middle(a: Arrays, c: int, f: int) -> None:
    """Test a condition without an event function once inside the step."""
    elapsed = a.flow.step[f] / 2
    if is_between(a, f, 0.0, elapsed, a.flow.step[f]):
        note_test(a, c, f, elapsed, test_inside(a, c, f, elapsed))


def note_test(a: Arrays, c: int, f: int, elapsed: float, truth: bool) -> bool:
    """Take up what the last test gave; whether other points have been visited since."""
    return note_point(a, c, f, elapsed, truth, a.guard.value[c], a.guard.slope[c])


def note_point(a: Arrays, c: int, f: int, elapsed: float, truth: bool, guard: float, slope: float) -> bool:
    """Take up what a test gave, if nothing is known beyond it; whether other points have been visited since."""
    if a.guard.low[c] >= elapsed:
        return False
    if a.guard.ready[c] == 1:
        return consider(a, c, f, elapsed, truth, guard, slope)
    visited = False
    if not truth:
        a.guard.ready[c] = 1
    elif a.guard.slope_low[c] < 0.0 and slope > 0.0:
        visited = climb(a, c, f, elapsed, guard, slope, -1.0)
    if a.guard.high[c] < 0.0:
        keep_low(a, c, elapsed, guard, slope)
    return visited


def consider(a: Arrays, c: int, f: int, elapsed: float, truth: bool, guard: float, slope: float) -> bool:
    """Whether a condition, false at LOW, has been true since; then HIGH is such a point.

    Returns     whether other points have been visited
    """
    visited = False
    if not truth and a.guard.slope_low[c] > 0.0 and slope < 0.0:
        visited = climb(a, c, f, elapsed, guard, slope, 1.0)
    if a.guard.high[c] >= 0.0:
        return visited
    if truth:
        keep_high(a, c, elapsed, guard, slope)
    else:
        keep_low(a, c, elapsed, guard, slope)
    return visited


# --- proofs ----------------------------------------------------------------------------------------------------------


def is_provable(a: Arrays, c: int, f: int) -> bool:
    """Whether a condition can be proved false, or true, within a part of the step."""
    return bool(a.guard.certificate[c] >= 0 and a.flow.assigns[f] == 0 and a.run.complete != 0)


def examine(a: Arrays, c: int, f: int) -> int:
    """Find between LOW and HIGH the first part of the step where a condition becomes true, or make sure of none.

    A trigger that has not been false since it fired is looked for where it is false first: it is armed there.
    Returns     0 if nothing is left in doubt; else it is sampled, and that is counted

    What stays unsure however short the part is no reason for a shorter step; if it leaves too few parts for the rest,
    a step ends before it.
    """
    if a.flow.empty[f] == 0 and a.flow.fitted[f] == 0:
        fit(a, f)
        if a.method.sizes[EXTRA] > 0:
            a.flow.at[f] = nan
    a.run.budget = PARTS
    a.run.false_to = a.run.sought = a.run.unsure_from = a.run.unsure_to = 0.0
    a.run.sure_to = 1.0
    if a.guard.ready[c] == 0:
        if find_false(a, c, f, 0.0, 1.0, DEPTH_OF_FALSE):
            a.guard.ready[c] = 1
        elif a.guard.true_at_end[c] == 0 and a.run.budget > 0:
            a.guard.ready[c] = 1
            a.run.false_to = 1.0
            keep_low(a, c, a.flow.step[f], a.guard.value_at_end[c], nan)
    if a.guard.ready[c] == 1:
        a.run.sought = max(a.run.sought, a.run.false_to)
        search(a, c, f, a.run.false_to, 1.0, DEPTH)
    a.run.sought = min(a.run.sought, a.run.sure_to)
    if not is_settled(a, c):
        return 1
    if a.run.sure_to == 1.0:
        return 0
    return AS_NEEDED if a.guard.high[c] >= 0.0 else 1


def is_settled(a: Arrays, c: int) -> bool:
    """Whether the parts sufficed to find where a condition becomes true, or to prove that it does nowhere."""
    a.run.used = max(a.run.used, PARTS - a.run.budget)
    if a.run.budget > 0 or a.guard.high[c] >= 0.0:
        return True
    a.run.clear = min(a.run.clear, a.run.sought)
    return False


def has_no_value(a: Arrays, f: int) -> bool:
    """Whether a condition, or a law it needs, has no value inside the step, which is then repeated at half length."""
    half, aborted = a.flow.step[f] / 2.0, a.run.aborted
    if (aborted == 0.0 and a.run.raised == 0) or aborted == 1.0 or not half > shortest(a, f):
        return False
    a.run.aborted = a.run.raised = 0
    a.flow.longest_step[f] = half
    return True


def is_too_long(a: Arrays, f: int) -> bool:
    """Whether to repeat the step, only as far as all conditions are decided in it.

    What little is left of it where a doubt stays a doubt, however short the part, is not worth a step. A step without
    laws, which costs nothing, is then the shortest, and the next ones grow again.
    """
    step, known = a.flow.step[f], a.run.clear
    if known >= 1.0 or a.run.complete == 0:
        return False
    if a.run.aborted != 0 or a.run.raised != 0:
        return False
    least = shortest(a, f)
    if known * step > least:
        a.flow.longest_step[f] = min(known, 0.5) * step
        return True
    if a.flow.empty[f] == 1 and a.flow.doubted[f] == 0 and step > 2.0 * least:
        a.flow.longest_step[f] = least
        a.flow.doubted[f] = 1
        return True
    return False


def shortest(a: Arrays, f: int) -> float:
    """A step is not made shorter than this for the sake of proofs."""
    now, asked = abs(a.flow.start[f]), a.flow.asked_step[f]
    return float(max(a.run.dt_min, SHORTEST * now, SHORTEST_SHARE * asked))


def count_doubts(a: Arrays, f: int) -> None:
    """Count the proofs that failed in an accepted step, and choose the longest next step."""
    if a.run.complete == 1 or a.flow.assigns[f] == 1:
        a.run.unproved += a.run.in_doubt
    a.flow.doubted[f] = 1 if a.run.clear < 1.0 else 0
    is_easy = a.run.clear < 1.0 or a.run.used < PARTS / 2
    if is_easy and a.flow.step[f] >= a.flow.longest_step[f]:
        a.flow.longest_step[f] = 2.0 * a.flow.step[f]


# --- event functions of the time alone -------------------------------------------------------------------------------


def is_followable(a: Arrays, c: int) -> bool:
    """Whether a condition on time alone, of which nothing is proved, has an event function to be followed by."""
    guard = a.guard.value_at_end[c]
    return bool(a.guard.timed[c] == 1 and a.run.complete != 0 and guard == guard)


def follow_through(a: Arrays, c: int, f: int) -> bool:
    """Test a condition at points so near to each other that cubics between them are its event function, about.

    Returns     whether there were parts enough
    """
    a.run.budget, a.run.sought = PARTS, 0.0
    a.guard.value_before[c] = a.guard.value_at_start[c]
    a.guard.slope_before[c] = a.guard.slope_at_start[c]
    truth = a.guard.true_at_end[c] == 1
    follow(a, c, f, 0.0, 1.0, truth, a.guard.value_at_end[c], a.guard.slope_at_end[c])
    return is_settled(a, c)


def follow(a: Arrays, c: int, f: int, low: float, high: float, truth: bool, guard: float, slope: float) -> None:
    """Follow the event function from one fraction of the step, where it is known, to another, where it is `guard`."""
    if a.run.budget <= 0 or a.guard.high[c] >= 0.0:
        return
    a.run.budget -= 1
    step = a.flow.step[f]
    early, middle = step * (low + EARLY * (high - low)), step * (low + (high - low) / 2)
    if is_between(a, f, step * low, early, middle) and is_between(a, f, early, middle, step * high):
        truth_early = test_inside(a, c, f, early)
        guard_early, slope_early = a.guard.value[c], a.guard.slope[c]
        truth_middle = test_inside(a, c, f, middle)
        guard_middle, slope_middle = a.guard.value[c], a.guard.slope[c]
        width = step * (high - low)
        if not (
            is_cubic(a, c, f, EARLY, width, guard_early, guard, slope)
            and is_cubic(a, c, f, 0.5, width, guard_middle, guard, slope)
        ):
            half = low + (high - low) / 2
            follow(a, c, f, low, half, truth_middle, guard_middle, slope_middle)
            follow(a, c, f, half, high, truth, guard, slope)
            return
        note_point(a, c, f, early, truth_early, guard_early, slope_early)
        if a.guard.high[c] < 0.0:
            note_point(a, c, f, middle, truth_middle, guard_middle, slope_middle)
    if a.guard.high[c] < 0.0 and high < 1.0:
        note_point(a, c, f, step * high, truth, guard, slope)
    a.guard.value_before[c], a.guard.slope_before[c] = guard, slope
    a.run.sought = high


def is_cubic(a: Arrays, c: int, f: int, share: float, width: float, value: float, guard: float, slope: float) -> bool:
    """Whether the event function agrees at a fraction of a part with the cubic through its ends, approximately."""
    before, rising = a.guard.value_before[c], a.guard.slope_before[c]
    rest, steepness = 1.0 - share, max(abs(rising), abs(slope))
    expected = before + share * share * (3.0 - 2.0 * share) * (guard - before)
    if steepness == steepness and steepness < HUGE:
        expected += width * share * rest * (rest * rising - share * slope)
    else:
        expected, steepness = before + share * (guard - before), 0.0
    size = max(abs(before), abs(guard), abs(value))
    return bool(abs(value - expected) <= ALIKE * size + ROUNDED * abs(a.flow.end[f]) * steepness)


def find_false(a: Arrays, c: int, f: int, low: float, high: float, depth: int) -> bool:
    """Look for the first part between two fractions of the step where a condition is false; LOW is set to a point."""
    if a.run.budget <= 0:
        return False
    a.run.budget -= 1
    sign = sign_over(a, c, f, low, high)
    middle = low + (high - low) / 2
    point = low if sign == RISES else 0.0
    is_unsure = sign == PERHAPS and stays_unsure(a, c, f, low, high)
    if sign == NEVER or is_unsure:
        point = middle
    elif sign == FALLS:
        point = beyond(a, f, low, high)
    elapsed = a.flow.step[f] * point
    if is_between(a, f, 0.0, elapsed, a.flow.step[f]) and not test_inside(a, c, f, elapsed):
        keep_low(a, c, elapsed, a.guard.value[c], a.guard.slope[c])
        a.run.false_to = low if sign == RISES else high
        return True
    if is_unsure or sign in (NEVER, ALWAYS) or depth == 0:
        a.run.sought = high
        return False
    return find_false(a, c, f, low, middle, depth - 1) or find_false(a, c, f, middle, high, depth - 1)


def search(a: Arrays, c: int, f: int, low: float, high: float, depth: int) -> bool:
    """Look for the first part between two fractions of the step where a condition becomes true; whether there is one.

    LOW and HIGH are set to its ends then.
    """
    if a.run.budget <= 0 or low >= high:
        return False
    a.run.budget -= 1
    sign = sign_over(a, c, f, low, high)
    if sign == NEVER:
        a.run.sought = high
        return False
    middle = low + (high - low) / 2
    is_unsure = sign == PERHAPS and stays_unsure(a, c, f, low, high)
    if not ALWAYS <= sign <= RISES and depth > 0 and not is_unsure:
        return search(a, c, f, low, middle, depth - 1) or search(a, c, f, middle, high, depth - 1)
    guess = a.flow.step[f] * crossed(a, low, high) if sign == RISES else -1.0
    if bracket(a, c, f, low, high if sign == RISES else middle):
        a.guard.guess[c] = guess
        return True
    a.run.sought = high
    return False


def stays_unsure(a: Arrays, c: int, f: int, low: float, high: float) -> bool:
    """Whether halving an undecided part cannot help, because the condition is undecided at single points of it.

    Tested for small parts, and for a part no longer than the stretch before it for which that is known: so the parts
    grow again. Two points are tested, because one may be a pole; an isolated point does not count.
    """
    width, length = high - low, a.run.unsure_to - a.run.unsure_from
    follows, is_small = a.run.unsure_to == low and width <= length, TINY <= width <= SMALL
    if not (follows or is_small):
        return False
    early, late = low + EARLY * width, high - EARLY * width if is_small else high
    if sign_over(a, c, f, early, early) != PERHAPS or sign_over(a, c, f, late, late) != PERHAPS:
        return False
    if a.run.unsure_to != low:
        a.run.unsure_from = low
    a.run.unsure_to = high
    if high - a.run.unsure_from > SMALL:
        a.run.sure_to = min(a.run.sure_to, a.run.unsure_from)
    return True


def bracket(a: Arrays, c: int, f: int, low: float, high: float) -> bool:
    """Set LOW and HIGH to two fractions of the step if a condition is true at the second; returns whether it is.

    LOW keeps its value if the condition is also true at the first.
    """
    step = a.flow.step[f]
    if high == 1.0:
        if a.guard.true_at_end[c] == 0:
            return False
        guard, slope = a.guard.value_at_end[c], a.guard.slope_at_end[c]
    else:
        if not test_inside(a, c, f, step * high):
            return False
        guard, slope = a.guard.value[c], a.guard.slope[c]
    if step * low > a.guard.low[c] and not test_inside(a, c, f, step * low):
        keep_low(a, c, step * low, a.guard.value[c], a.guard.slope[c])
    keep_high(a, c, step * high, guard, slope)
    return True


# --- where the first of them does ------------------------------------------------------------------------------------


def find_first(a: Arrays, f: int) -> float:
    """The first point at which a condition becomes true; -1 if none does. Triggers found false will be armed."""
    first = -1.0
    put_latest_first(a, f)
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        if a.guard.high[c] >= 0.0:
            if first >= 0.0:
                reduce(a, c, f, first)
            if a.guard.high[c] >= 0.0:
                first = find(a, c, f)
        if a.guard.ready[c] == 1:
            if a.guard.high[c] >= 0.0:
                a.guard.due[c] = 1
            if a.guard.armed[c] == 0:
                a.guard.armed[c] = AT_END
    return first


def put_latest_first(a: Arrays, f: int) -> None:
    """Order those of the flow's unscreened conditions that become true in the step by rank, and put them in front.

    Each reduces the bracket of the next, so that the last bits of the point depend on their order; that of the entries
    is another where rows have returned to Python, or conditions were planned again.
    """
    first, count = first_unscreened(a, f), 0
    for k in range(first, first + a.flow.unscreened[f]):
        c = a.constants[k]
        if a.guard.high[int(c)] >= 0.0:
            a.constants[k] = a.constants[first + count]
            j = first + count
            while j > first and a.guard.rank[int(a.constants[j - 1])] < a.guard.rank[int(c)]:
                a.constants[j] = a.constants[j - 1]
                j -= 1
            a.constants[j] = c
            count += 1


def reduce(a: Arrays, c: int, f: int, first: float) -> None:
    """Reduce the bracket of a condition to a point at which another is true, if this one is true there too."""
    if a.guard.high[c] <= first:
        return
    if a.guard.low[c] < first and test_inside(a, c, f, first):
        keep_high(a, c, first, a.guard.value[c], a.guard.slope[c])
    else:
        a.guard.high[c] = -1.0


def is_turn(a: Arrays, f: int) -> bool:
    """Whether nothing is due but comparisons of laws that change."""
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        if a.guard.due[c] == 1 and a.guard.switch[c] == 0:
            return False
    return True


def mark(a: Arrays, f: int, elapsed: float) -> None:
    """Keep DUE for the conditions that are true at the point that was found."""
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        # Where its own search has ended a condition is known to be true.
        if a.guard.due[c] == 1 and a.guard.high[c] != elapsed:
            is_due = a.guard.low[c] < elapsed and test_inside(a, c, f, elapsed)
            a.guard.due[c] = 1 if is_due else 0
