"""Qualities: numbers from 0 on of which more is better, with margins and the worst point."""

from math import inf, nan, nextafter

import numpy as np
import pytest

import eventide as ev
from eventide import verify
from eventide.verify import Quality, Score


@pytest.mark.row("R-301")
def test_a_quality_is_made_of_an_error_a_statement_or_a_number():
    error = Quality.from_error("miss", abs, bound=3.0)
    positive = Quality.indicator("positive", lambda y: y > 0)
    own = Quality.of("yield", lambda y: 2.0 * y, threshold=5.0)

    assert [error(y).value for y in (0.0, 1.0, -3.0, 7.0, nan)] == [1.0, 0.5, 0.25, 0.125, 0.0]
    assert [error(y).margin for y in (1.0, 7.0, nan)] == [2.0, -4.0, -inf]
    assert (error.threshold, positive.threshold, own.threshold) == (0.25, 1.0, 5.0)
    assert [positive(y).value for y in (2, -2)] == [1.0, 0.0]
    assert own(3.0) == Score(6.0)


@pytest.mark.row("R-301")
@pytest.mark.parametrize("value", [-1e-300, nan])
def test_what_is_below_zero_or_no_number_is_no_quality(value):
    with pytest.raises(ev.ModelError, match="a quality is at least 0, and more is better"):
        Quality.of("own", lambda y: y, threshold=1.0)(value)
    with pytest.raises(ev.ModelError, match="an error is at least 0"):
        Quality.from_error("miss", lambda y: -1.0, bound=1.0)(0.0)


@pytest.mark.row("R-301")
@pytest.mark.parametrize("value", ["much", "1.5", None, np.array([1.0, 2.0])])
def test_what_is_no_single_number_is_no_quality(value):
    with pytest.raises(ev.ModelError, match=r"the quality 'own' of an output is .*: a quality is one number"):
        Quality.of("own", lambda y: value, threshold=1.0)(0.0)


@pytest.mark.row("R-301")
@pytest.mark.parametrize("bound", [0.1, 0.3, 1 / 3, 1e-17, 1e10])
def test_rounding_does_not_change_on_which_side_of_its_bound_an_error_is(bound):
    quality, ready = Quality.from_error("miss", abs, bound=bound), verify.error_below(bound, 0.0)

    for one in (quality, ready):
        assert one(bound).value >= one.threshold
        assert one(nextafter(bound, inf)).value < one.threshold


TIMES = [0.0, 1.0, 2.0, 3.0, 4.0]
SWING = (TIMES, [0.0, 3.0, 1.0, 2.0, 1.5])


@pytest.mark.parametrize(
    ("quality", "output", "score"),
    [
        (verify.stays_within(-1.0, 3.5), SWING, (1.0, 0.5, 1.0)),
        (verify.stays_within(-1.0, 2.0), SWING, (0.5, -1.0, 1.0)),
        (verify.stays_within(low=-0.25), SWING, (1.0, 0.25, 0.0)),
        (verify.settles(1.0, 2.5, 2.0), SWING, (1.0, 0.0, 2.0)),
        (verify.settles(1.5, 3.5, 1.0), SWING, (1.0 / 1.5, -0.5, 2.0)),
        (verify.reaches_within(2.5, 4.0, 1.0), SWING, (1.0, 0.5, 1.0)),
        (verify.reaches_within(2.5, 4.0, 0.5), SWING, (1.0 / 3.5, -2.5, 0.0)),
        (verify.overshoot(0.5, 2.0), SWING, (1.0, 0.0, 1.0)),
        (verify.overshoot(0.25, 2.0), SWING, (0.8, -0.25, 1.0)),
        (verify.overshoot(0.25, -2.0), (TIMES, [0.0, -1.0, -3.0, -2.0, -2.0]), (0.8, -0.25, 2.0)),
        (verify.energy_never_grows(), SWING, (0.25, -3.0, 1.0)),
        (verify.energy_never_grows(tolerance=1.0), (TIMES, [5.0, 4.0, 4.5, 3.0, 3.75]), (1.0, 0.25, 4.0)),
        (verify.invariant(tolerance=0.5), (TIMES, [5.0, 5.25, 4.25, 5.0, 5.0]), (0.8, -0.25, 2.0)),
        (verify.throughput(0.25), (TIMES, [2.0, 2.0, 2.0, 3.0, 4.0]), (1.0, 0.25, 4.0)),
        (verify.throughput(0.75), (TIMES, [2.0, 2.0, 2.0, 3.0, 4.0]), (0.8, -0.25, 4.0)),
        (verify.throughput(3.0), 2.0, (0.5, -1.0, None)),
        (verify.error_below(0.5, [1.0, 2.0]), [1.0, 3.5], (0.5, -1.0, None)),
        (verify.stays_within(0.0, 9.0), (TIMES, [1.0, nan, -5.0, 1.0, 1.0]), (0.0, -inf, 1.0)),
        (verify.stays_within(low=1.0), inf, (1.0, inf, None)),
        (verify.stays_within(high=1.0), inf, (0.0, -inf, None)),
        (verify.reaches_within(0.0, 9.0, 4.0), (TIMES, [1.0, 1.0, nan, 1.0, 1.0]), (0.0, -inf, 2.0)),
    ],
)
def test_ready_qualities_have_margins_and_the_time_of_the_worst_point(quality, output, score):
    found = quality(output)

    assert (found.value, found.margin, found.time) == score
    assert (found.value >= quality.threshold) is (found.margin >= 0.0)


def test_the_worst_place_is_named_and_one_quantity_is_chosen():
    states = (TIMES, np.column_stack([np.zeros(5), [0.0, 1.0, 7.0, 2.0, 3.0]]))
    worst = verify.stays_within(-1.0, 5.0)(states)
    expected = verify.error_below(1.0, lambda slope: np.column_stack([np.zeros(5), slope * np.arange(5.0)]))

    assert (worst.place, worst.time, worst.margin, worst.found) == ("item 1", 2.0, -2.0, "7")
    assert verify.stays_within(-1.0, 5.0, of=0)(states).margin == 1.0
    assert expected(states, {"slope": 1.0}).found == "error 5"
    with pytest.raises(ev.ModelError, match="one quantity is judged here, and the output has 2"):
        verify.overshoot(0.1, 1.0)(states)
    with pytest.raises(ev.ModelError, match="of=2 is the number of a state, and the output has 2"):
        verify.stays_within(0.0, of=2)(states)
    with pytest.raises(ev.ModelError, match="times are judged here, and the output has none"):
        verify.settles(0.0, 1.0, 1.0)(3.0)
    with pytest.raises(ev.ModelError, match=r"the output ends at 4.0: whether it has settled by 9.0"):
        verify.settles(0.0, 1.0, 9.0)(SWING)


def test_numbers_are_not_taken_for_those_of_other_times():
    states = np.column_stack([np.zeros(5), [0.0, 1.0, 7.0, 2.0, 3.0]])
    within = verify.stays_within(-1.0, 5.0, of=0)

    assert within((TIMES, states)).margin == 1.0
    for table in (states.T, np.zeros(10), 1.0):  # with a column for each time, as solve_ivp has it
        with pytest.raises(ev.ModelError, match=r"two parts has times \(m,\) and for each of them .*: turn a table"):
            within((TIMES, table))
    for times in (TIMES[::-1], [0.0, 1.0, nan, 3.0, 4.0], [0.0, 2.0, 1.0, 3.0, inf]):
        with pytest.raises(ev.ModelError, match="finite numbers that do not fall"):
            verify.reaches_within(2.5, 4.0, 1.0)((times, SWING[1]))
    with pytest.raises(ev.ModelError, match=r"in the shape \(5, 2\), and 10 are expected, in the shape \(2, 5\)"):
        verify.error_below(1.0, states.T)((TIMES, states))
    for time in (-1.0, nan):
        with pytest.raises(ev.ModelError, match="takes a finite time from 0 on, and got"):
            verify.settles(0.0, 1.0, time)
        with pytest.raises(ev.ModelError, match="takes a time from 0 on, and got"):
            verify.reaches_within(0.0, 1.0, time)


@ev.model(until=1.0)
def twofold(sim):
    level = ev.Variable(sim, 1.0, name="level").start()
    sim.record(level, every=0.5, name="coarse")
    sim.record(level, every=0.25, name="fine")
    return {"height": lambda: 3.0}


def test_a_name_that_stands_for_several_things_or_for_none_is_refused():
    output = verify.Component("model", twofold).measure({})
    (name,) = output.tables["fine"].columns

    assert verify.stays_within(0.0, 4.0, of="height")(output).margin == 1.0
    assert verify.stays_within(0.0, 4.0, of=lambda result: result.tables["fine"][name].to_numpy())(output).margin == 1.0
    with pytest.raises(ev.ModelError, match="stands in several places, recording coarse, recording fine"):
        verify.stays_within(0.0, 4.0, of=name)(output)
    with pytest.raises(ev.ModelError, match="has no response and records no quantity 'depth'; it has: height, "):
        verify.stays_within(0.0, 4.0, of="depth")(output)
    with pytest.raises(ev.ModelError, match="a bound is at least 0"):
        Quality.from_error("miss", abs, bound=-1.0)


def test_bounds_are_written_as_people_write_them():
    names = [
        verify.stays_within(high=1.2, unit="mm"), verify.stays_within(0.5, of="tank.level"),
        verify.stays_within(0.0, 3.0, unit="m"), verify.settles(-inf, 2.0, 1.5, of=0),
        verify.reaches_within(1.0, 2.0, 3.0), verify.reaches_within(1.0, inf, 3.0, unit="V"),
    ]  # fmt: skip
    assert [one.name for one in names] == [
        "at most 1.2 mm", "tank.level at least 0.5", "within [0, 3] m", "state 0 at most 2 from 1.5 on",
        "reaches [1, 2] within 3", "reaches at least 1 V within 3",
    ]  # fmt: skip
    with pytest.raises(ev.ModelError, match="takes low= or high="):
        verify.stays_within()


def test_a_number_that_misses_its_bound_is_told_with_the_digits_that_show_it():
    beyond = 20.5 + 3e-14

    assert verify.stays_within(high=20.5)(beyond).found == "20.50000000000003"
    assert (
        verify.holds(verify.always(verify.quantity() <= 20.5))(([0.0, 1.0], [20.0, beyond])).found
        == "20.50000000000003"
    )
    assert verify.error_below(1.0, 0.0)(1.0 + 1e-9).found == "error 1.000000001"
    assert verify.stays_within(high=20.0)(beyond).found == verify.stays_within(high=21.0)(beyond).found == "20.5"


HALF = ev.Quantity(50.0, unit="cm")


@pytest.mark.parametrize(
    ("make", "whose"),
    [
        (lambda: verify.quantity() <= HALF, "a comparison with a quantity"),
        (lambda: verify.quantity().between(0.0, HALF), "a comparison with a quantity"),
        (lambda: verify.stays_within(high=HALF), "a bound of stays_within"),
        (lambda: verify.reaches_within(HALF, 1.0, 2.0), "a bound of reaches_within"),
        (lambda: verify.settles(0.0, HALF, 2.0), "a bound of settles"),
        (lambda: verify.error_below(HALF, 1.0), "error_below(bound=...)"),
        (lambda: verify.overshoot(0.1, HALF), "overshoot(target=...)"),
        (lambda: verify.energy_never_grows(tolerance=HALF), "energy_never_grows(tolerance=...)"),
        (lambda: verify.invariant(tolerance=HALF), "invariant(tolerance=...)"),
        (lambda: verify.throughput(HALF), "throughput(least=...)"),
    ],
    ids=[
        "at most",
        "between",
        "stays",
        "reaches",
        "settles",
        "error",
        "overshoot",
        "energy",
        "invariant",
        "throughput",
    ],
)
def test_a_bound_with_a_unit_is_refused(make, whose):
    with pytest.raises(ev.ModelError) as info:
        make()
    assert str(info.value) == f"{whose} takes a plain number, in the unit of the quantity, and got 50.0 cm"
