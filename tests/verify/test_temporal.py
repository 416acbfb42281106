"""Requirements over trajectories: margins against closed forms, an independent monitor, and the laws of the logic."""

from math import exp, inf, log, nextafter, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev
from eventide.verify import (
    Component,
    Requirement,
    Test,
    always,
    eventually,
    holds,
    properties,
    quantity,
    reaches_within,
    settles,
    stays_within,
    until,
    within,
)
from eventide.verify.time_sets import first_with, last_with

q = quantity()
first, second = quantity(lambda output: output[0]), quantity(lambda output: output[1])
HILL = ([0.0, 3.0, 6.0, 8.0], [0.0, 3.0, 0.0, -2.0])  # up to 3 and down again


def margin(statement, output):
    return holds(statement)(output).margin


@pytest.mark.row("R-301")
@pytest.mark.parametrize(
    ("statement", "expected", "time"),
    [
        (always(q <= 2.5), -0.5, 3.0),
        (always(q >= -2.5), 0.5, 8.0),
        (always(q <= 2.5, 0.0, 2.0), 0.5, 2.0),
        (always(q <= 2.5, 5.0, 6.0), 1.5, 5.0),
        (eventually(q >= 2.75), 0.25, 3.0),
        (within(1.0, q >= 2.0), -1.0, 1.0),
        (eventually(q <= -1.0, 1.0, 7.0), 0.0, 7.0),
        (q >= 1.0, -1.0, 0.0),
        (~always(q <= 2.5), 0.5, 3.0),
        (always(q.between(-3.0, 4.0)), 1.0, 3.0),
        # From each time on a value of at least -1 comes within a second: the last second is from 7 to 8.
        (always(within(1.0, q >= -1.0)), 0.0, 7.0),
        (always(within(1.0, q >= -1.0), 1.0, 5.5), 1.5, 5.5),
        # Where it is above 2.5 it is at most 1 two seconds later: at 2.75 it is 0.25 above, and comes down to 1.25.
        (always((q >= 2.5).implies(within(2.0, q <= 1.0))), -0.25, 2.75),
        # min(2 - q before, q - 1.5): both are 0.25 at 1.75.
        (until(q <= 2.0, q >= 1.5), 0.25, 1.75),
        (until(q <= 2.0, q >= 1.5, 2.5, 8.0), -0.5, 2.5),
        (until(q <= 3.5, q <= -1.0, 4.0), 0.5, 3.0),
        ((always(q <= 2.0) | eventually(q <= -1.5)), 0.5, 8.0),
    ],
)
def test_margins_and_times_are_those_of_a_closed_form(statement, expected, time):
    found = holds(statement)(HILL)

    assert found.margin == pytest.approx(expected, abs=1e-9)
    assert found.time == pytest.approx(time, abs=1e-8)
    assert (found.value >= 1.0) is (found.margin >= 0.0)


def test_a_jump_counts_on_both_sides_and_what_lasts_no_time_counts_against():
    step = ([0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 5.0, 5.0])
    spike = ([0.0, 1.0, 1.0, 1.0, 2.0], [0.0, 0.0, 5.0, 0.0, 0.0])

    assert margin(until(q <= 0.5, q >= 4.0), step) == 0.5
    assert margin(until(~(q >= 0.5), ~(q <= 4.0)), step) == 0.5
    assert margin(always(q <= 3.0), step) == -2.0
    assert margin(always(q <= 1.0), spike) == -4.0
    assert holds(always(q <= 1.0))(spike).time == 1.0
    assert margin(eventually(q >= 4.0), spike) == -4.0


@pytest.mark.parametrize(("at", "later"), [(0.8, 1.4), (0.83, 0.45), (0.3, 1.2), (0.1, 0.2)])
def test_windows_end_where_a_clock_that_adds_comes_to(at, later):
    """What answers at `at + later`, as `hold(later)` does, is within `later`; what does one float later is not."""
    due = at + later
    for answer in (due, nextafter(due, inf)):
        output = (
            [0.0, at, at, answer, answer, 3.0],
            [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]],
        )
        asked, answered = (quantity(lambda one, k=k: (one[0], [row[k] for row in one[1]])) for k in (0, 1))
        statement = always((asked >= 0.5).implies(within(later, answered >= 0.5)), 0.0, at)
        assert margin(statement, output) == (0.5 if answer == due else -0.5)
        assert margin(always((asked >= 0.5).implies(always(answered <= 0.5, 0.0, later)), 0.0, at), output) == (
            -0.5 if answer == due else 0.5
        )


@pytest.mark.parametrize("time", [0.3, 1.0, 1e9, 5.0, nextafter(1.0, 0.0)])
@pytest.mark.parametrize("later", [0.1, 0.2, 1.0, 1e-9, 7.0, 1e9])
def test_the_ends_of_windows_are_floats_between_which_sums_change_sides(time, later):
    first, last = first_with(time, later), last_with(time, later)
    assert nextafter(first, -inf) + later < time <= first + later
    assert last + later <= time < nextafter(last, inf) + later


LEVELS = st.lists(st.integers(-4, 4), min_size=9, max_size=9)
STATEMENTS = st.recursive(
    st.builds(lambda q, side, level: q <= level if side else q >= level,
              st.sampled_from([first, second]), st.booleans(), st.integers(-3, 3)),
    lambda inner: st.one_of(
        st.builds(lambda one: ~one, inner),
        st.builds(lambda one, other: one & other, inner, inner),
        st.builds(lambda one, other: one | other, inner, inner),
        st.builds(lambda one, a, b: always(one, a, a + b), inner, st.integers(0, 1), st.integers(0, 2)),
        st.builds(lambda one, a, b: eventually(one, a, a + b), inner, st.integers(0, 1), st.integers(0, 2)),
        st.builds(lambda one, other, a, b: until(one, other, a, a + b),
                  inner, inner, st.integers(0, 1), st.integers(0, 2)),
    ),
    max_leaves=3,
)  # fmt: skip


def drawn(one, other):
    times = [3.0 * k for k in range(9)]
    return (times, [float(v) for v in one]), (times, [float(v) for v in other])


@pytest.mark.slow
@settings(max_examples=25)
@given(STATEMENTS, LEVELS, LEVELS)
def test_the_margin_is_that_of_the_definition(statement, one, other):
    """The definition, on a grid that has all corners; the slopes are at most 8/3, and a step is 1/16."""
    trajectories = drawn(one, other)
    step = 0.0625
    grid = [step * k for k in range(int(24.0 / step) + 1)]
    sampled = [np.interp(grid, *one) for one in trajectories]

    assert margin(statement, trajectories) == pytest.approx(sampled_margin(statement, sampled, step)[0], abs=0.17)


def sampled_margin(statement, signals, step):
    """The robustness at each sample, by loops over windows. Source: Donze & Maler 2010, definition 3."""
    parts = [sampled_margin(getattr(statement, name), signals, step) for name in ("one", "other")
             if hasattr(statement, name)]  # fmt: skip
    kind, size = type(statement).__name__, len(signals[0])
    if kind == "Comparison":
        signal = signals[statement.of(range(2))]
        return statement.side * (signal - statement.level)
    if kind == "Negation":
        return -parts[0]
    if kind in {"Conjunction", "Disjunction"}:
        return (np.minimum if kind == "Conjunction" else np.maximum)(*parts)
    low, high = round(statement.start / step), round(statement.end / step)
    found = np.empty(size)
    for k in range(size):
        window = range(min(k + low, size - 1), min(k + high, size - 1) + 1)
        if kind == "Until":
            found[k] = max(min(parts[1][j], min(parts[0][k:j], default=inf)) for j in window)
        else:
            found[k] = (min if kind == "Always" else max)(parts[0][j] for j in window)
    return found


@pytest.mark.slow
@settings(max_examples=25)
@given(STATEMENTS, LEVELS, LEVELS, st.integers(0, 2), st.integers(0, 2))
def test_always_and_eventually_are_dual(statement, one, other, start, length):
    trajectories, window = drawn(one, other), (start, start + length)

    assert margin(~statement, trajectories) == pytest.approx(-margin(statement, trajectories), abs=1e-9)
    assert margin(~always(statement, *window), trajectories) == pytest.approx(
        margin(eventually(~statement, *window), trajectories), abs=1e-9
    )
    assert margin(until(statement | ~statement, statement, *window), trajectories) <= (
        margin(eventually(statement, *window), trajectories) + 1e-9
    )


@pytest.mark.slow
@settings(max_examples=25)
@given(LEVELS, LEVELS, st.integers(0, 3), st.integers(0, 3), st.floats(0.0, 3.0))
def test_what_is_asked_less_is_met_by_more(one, other, start, length, ease):
    trajectories = drawn(one, other)

    def asked(more=0.0, longer=0):
        return [
            always((first <= 1.0 + more) | (second >= 0.5 - more), start, start + length),
            eventually(first >= 1.0 - more, start, start + length + longer),
            until(first <= 2.0 + more, second >= 1.0 - more, start, start + length + longer),
        ]

    strict = [margin(one, trajectories) for one in asked()]
    assert [margin(one, trajectories) for one in asked(ease)] == pytest.approx([m + ease for m in strict], abs=1e-9)
    longer = [margin(one, trajectories) for one in asked(longer=3)]
    assert all(later >= known - 1e-9 for later, known in zip(longer[1:], strict[1:], strict=True))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("always[0:10](a >= -0.5)", lambda a, b: always(a >= -0.5, 0.0, 10.0)),
        ("eventually[2:7](b >= 1.5)", lambda a, b: eventually(b >= 1.5, 2.0, 7.0)),
        ("always[0:8]((a >= 0.6) implies (eventually[0:6](b >= 0.4)))",
         lambda a, b: always((a >= 0.6).implies(within(6.0, b >= 0.4)), 0.0, 8.0)),
        ("(a >= -0.9) until[1:9] (b >= 1.2)", lambda a, b: until(a >= -0.9, b >= 1.2, 1.0, 9.0)),
        ("always[1:4](eventually[0:5]((a >= 0.5) and (b <= 0.2)))",
         lambda a, b: always(within(5.0, (a >= 0.5) & (b <= 0.2)), 1.0, 4.0)),
    ],
    ids=["always", "eventually", "response", "until", "nested"],
)  # fmt: skip
@pytest.mark.slow
def test_an_independent_monitor_finds_the_same_on_dense_samples(text, statement):
    rtamt = pytest.importorskip("rtamt", reason="rtamt monitors signal temporal logic")
    step, end = 0.05, 16.0
    times = [step * k for k in range(round(end / step) + 1)]
    a, b = [sin(t) + 0.3 * sin(3.7 * t) for t in times], [1.4 * sin(0.8 * t + 1.0) for t in times]
    spec = rtamt.StlDiscreteTimeSpecification()
    for name in "ab":
        spec.declare_var(name, "float")
    spec.set_sampling_period(50, "ms", 0.001)
    spec.spec = text
    spec.unit = "s"
    spec.parse()

    theirs = spec.evaluate({"time": times, "a": a, "b": b})[0][1]
    # Both take the samples; ours joins them by lines, and the slopes are at most 2.2: half a step makes 0.055.
    assert margin(statement(first, second), ((times, a), (times, b))) == pytest.approx(theirs, abs=0.055)


class Flash(ev.Continuous):
    """Decays, with a flash of 1e-4 s in steps of about a second."""

    at: float
    charge: ev.State = ev.state(1.0)
    light: ev.Computed = ev.computed(unit="mm")

    def equations(self):
        self.rate.charge = -0.05 * self.charge
        self.light = self.charge + exp(-(((self.sim.time - self.at) / 5e-5) ** 2))


@ev.model(until=8.0)
def lamp(sim, *, at: float = 4.5678):
    flash = Flash(sim, at=at, name="lamp").start()
    sim.record(flash, every=1.0)


def of_lamp(quality, **values):
    requirement = Requirement("L-1", "It should not flash.", Component("lamp", lamp), quality, values or None)
    return Test(requirement).run()


@pytest.mark.row("R-301")
@pytest.mark.parametrize("band", [1e-3, 1e-9, 0.0])
def test_a_narrow_band_that_is_passed_inside_a_step_is_reached(band):
    at = -log(0.9) / 0.05
    [found] = of_lamp(reaches_within(0.9 - band, 0.9 + band, at + 0.1, of="lamp.charge")).outcomes
    [early] = of_lamp(reaches_within(0.9 - band, 0.9 + band, at - 0.1, of="lamp.charge")).outcomes
    [above] = of_lamp(reaches_within(0.8, inf, 8.0, of="lamp.charge")).outcomes

    assert (found.passed, found.score.margin) == (True, pytest.approx(band, abs=1e-15))
    assert found.score.time == pytest.approx(at, abs=1e-4)
    assert (early.passed, early.score.margin) == (False, pytest.approx(band - 0.9 * 0.005, abs=2e-5))
    assert above.score.margin == pytest.approx(0.2)


@pytest.mark.slow
@pytest.mark.row("R-301")
@pytest.mark.parametrize("at", [0.7, 4.5678, 6.25])
def test_a_peak_of_a_tenth_of_a_millisecond_between_the_rows_is_found_with_its_time_and_margin(at):
    light = quantity("lamp.light")
    top = exp(-0.05 * at) + 1.0  # the charge changes by 2e-6 while it lasts
    for quality, expected in [
        (holds(always(light <= 1.25)), 1.25 - top),
        (stays_within(high=1.25, of="lamp.light"), 1.25 - top),
        (settles(0.0, 1.25, at - 0.5, of="lamp.light"), 1.25 - top),
        (holds(~eventually(light >= 1.25)), 1.25 - top),
        (holds(eventually(light >= 1.25)), top - 1.25),
        (holds(until(light <= 1.25, light >= top - 0.01)), 1.25 - top + 0.01),
    ]:
        found = of_lamp(quality, at=[at]).worst
        assert not found.error
        assert found.score.margin == pytest.approx(expected, abs=5e-6 if "until" not in quality.name else 1.0)
        assert found.score.time == pytest.approx(at, abs=1e-4)
    # Its width, at half of the flash's height, is 2 * 5e-5 * sqrt(log 2).
    half = exp(-0.05 * at) + 0.5
    width = 1e-4 * sqrt(np.log(2.0))
    for longer, passes in ((1.01, True), (0.99, False)):
        statement = always((light >= half).implies(within(longer * width, light <= half)))
        assert of_lamp(holds(statement), at=[at]).passed is passes


@pytest.mark.slow
def test_what_is_sampled_says_so():
    hidden = {"f": exp}

    @ev.model(until=2.0)
    def odd(sim):
        state = ev.Variable(sim, 1.0, name="x").start()
        sim.record(value=lambda: eval("f(x)", {**hidden, "x": state.state}))  # noqa: S307  # not to be read

    requirement = Requirement("O-1", "It should stay.", Component("odd", odd), holds(always(quantity("value") <= 3.0)))
    assert Test(requirement).run().worst.score.found == f"{exp(1.0):.6g} (sampled)"


@pytest.mark.slow
def test_workers_send_what_is_known_at_all_times():
    requirement = Requirement(
        "L-1", "It should not flash.", Component("lamp", lamp), holds(always(quantity("lamp.light") <= 1.25)),
        {"at": [1.5, 2.5]},
    )  # fmt: skip
    one, two = Test(requirement).run(workers=1), Test(requirement).run(workers=2)

    assert [outcome.score for outcome in one.outcomes] == [outcome.score for outcome in two.outcomes]
    assert len(one.failures) == 2


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        (lambda: 0.0 <= q <= 1.0, TypeError, r"write \(low <= q\) & \(q <= high\)"),
        (lambda: q == 1.0, TypeError, "hardly ever equal"),
        (lambda: q <= "1", ev.ModelError, "compared with a number, and got '1'"),
        (lambda: q >= -inf, ev.ModelError, "a finite number"),
        (lambda: always(q), ev.ModelError, "statements are made of statements, and got <quantity"),
        (lambda: (q <= 1.0) & True, ev.ModelError, "statements are made of statements, and got True"),
        (lambda: within(-1.0, q <= 1.0), ev.ModelError, "a window begins at 0 or later"),
        (lambda: always(q <= 1.0, 3.0, 2.0), ev.ModelError, "does not end before that; got 3.0 to 2.0"),
        (lambda: holds(q), ev.ModelError, "takes a statement"),
        (
            lambda: margin(within(9.0, q <= 1.0), HILL),
            ev.ModelError,
            "the output ends at 8.0, and `eventually within 9",
        ),
        (lambda: margin(always(within(9.0, q <= 1.0)), HILL), ev.ModelError, "looks from 0.0 to 9.0: run it longer"),
        (lambda: margin(q <= 1.0, 3.0), ev.ModelError, "times are judged here"),
        (lambda: margin(q <= 1.0, ([0.0, 1.0], [0.0, float("nan")])), ev.ModelError, "is finite, and is"),
        (lambda: margin(q <= 1.0, ([0.0], [0.0])), ev.ModelError, "two points or more"),
    ],
)
def test_what_has_no_sense_is_refused(wrong, error, told):
    with pytest.raises(error, match=told):
        wrong()


def test_statements_read_as_they_are_meant():
    light = quantity("lamp.light")
    statement = always((light >= 1.5).implies(within(0.5, light <= 0.2)), 1.0) & until(light <= 2.0, light >= 3.0)

    assert str(statement) == (
        "(always from 1 on ((lamp.light at least 1.5) implies (eventually within 0.5 (lamp.light at most 0.2))))"
        " and ((lamp.light at most 2) until (lamp.light at least 3))"
    )
    assert holds(statement).quantities == ("lamp.light",)


def test_statements_that_contradict_each_other_are_found():
    lamps = Component("lamp", lambda: HILL)

    def asked(name, statement):
        return Requirement(name, "It should.", lamps, holds(statement), source="x")

    low, high = asked("A", always(q <= 1.0)), asked("B", always(q.between(2.0, 3.0)))
    found = {one.name: one.detail for one in properties(low, [low, high])}
    assert found["consistent"].startswith("B asks for always")
