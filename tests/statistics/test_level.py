"""Level: weighted by time, against fractions and against a slow, obvious model."""

from fractions import Fraction
from math import inf, isnan, nan

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import eventide as ev
from eventide.statistics import Level, level


class Watch:
    def __init__(self, time=0.0):
        self.time = time


class SlowLevel:
    """The whole history as (duration, value), summed in fractions at every question."""

    def __init__(self, value):
        self.history = [[Fraction(0), Fraction(value)]]

    def hold(self, duration):
        self.history[-1][0] += Fraction(duration)

    def set(self, value):
        self.history.append([Fraction(0), Fraction(value)])

    def reset(self):
        self.history = [[Fraction(0), self.history[-1][1]]]

    def elapsed(self):
        return sum(duration for duration, _ in self.history)

    def integral(self):
        return sum(duration * value for duration, value in self.history)

    def mean(self):
        return self.integral() / self.elapsed()

    def variance(self):
        mean = self.mean()
        return sum(duration * (value - mean) ** 2 for duration, value in self.history) / self.elapsed()

    def time_at(self, wanted):
        return sum(duration for duration, value in self.history if value == wanted)


values = st.integers(-40, 40).map(lambda k: k / 4)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("hold"), st.integers(0, 20).map(lambda k: k / 8)),
        st.tuples(st.just("set"), values),
        st.tuples(st.just("change"), values),
        st.tuples(st.just("read"), st.none()),
        st.tuples(st.just("reset"), st.none()),
    ),
    max_size=40,
)


def play(steps, *, offset=0.0, factor=1.0):
    """A level and its slow model after the same steps."""
    watch = Watch(100.0)
    fast = Level(offset + factor * 2.0, clock=watch)
    slow = SlowLevel(offset + factor * 2.0)
    for what, number in steps:
        if what == "hold":
            watch.time += number
            slow.hold(number)
        elif what == "set":
            fast.set(offset + factor * number)
            slow.set(offset + factor * number)
        elif what == "change":
            fast.change(factor * number)
            slow.set(slow.history[-1][1] + Fraction(factor * number))
        elif what == "reset":
            fast.reset()
            slow.reset()
        else:
            _ = fast.mean, fast.maximum, fast.time_at(2.0) if fast._is_told_apart else None
    return fast, slow


def check(fast, slow):
    assert fast.elapsed == slow.elapsed()
    assert fast.integral == pytest.approx(float(slow.integral()), rel=1e-12, abs=1e-12)
    taken = [value for _, value in slow.history]
    assert (fast.value, fast.minimum, fast.maximum) == (taken[-1], min(taken), max(taken))
    if slow.elapsed():
        assert fast.mean == pytest.approx(float(slow.mean()), rel=1e-12, abs=1e-12)
        assert fast.variance == pytest.approx(float(slow.variance()), rel=1e-9, abs=1e-9)
    else:
        assert [isnan(answer) for answer in (fast.mean, fast.variance, fast.fraction(2.0))] == [True] * 3


def test_small_case():
    watch = Watch()
    queue = Level(clock=watch)
    watch.time = 3.0
    queue.set(2)
    watch.time = 4.0
    queue.change(+3)
    watch.time = 6.0

    assert queue.value == 5
    assert queue.elapsed == 6.0
    assert queue.integral == 12.0
    assert queue.mean == 2.0
    assert queue.variance == (3 * 4 + 1 * 0 + 2 * 9) / 6
    assert queue.stdev == queue.variance**0.5
    assert (queue.minimum, queue.maximum) == (0, 5)
    assert [queue.time_at(k) for k in (0, 2, 3, 5)] == [3.0, 1.0, 0.0, 2.0]
    assert [queue.fraction(k) for k in (0, 5)] == [1 / 2, 1 / 3]


@pytest.mark.slow
@given(steps)
def test_against_the_slow_model(steps):
    fast, slow = play(steps)

    check(fast, slow)
    for _, value in slow.history:
        assert fast.time_at(float(value)) == slow.time_at(value)


@pytest.mark.slow
@given(steps)
def test_against_the_slow_model_when_values_are_let_go(steps):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(level, "MOST_VALUES", 3)
        fast, slow = play(steps)

    assume(slow.elapsed() or fast._is_told_apart)
    check(fast, slow)


@pytest.mark.slow
@given(steps, values, st.sampled_from([-2.0, 0.5, 4.0]))
def test_shift_and_scale(steps, offset, factor):
    plain, _ = play(steps)
    moved, _ = play(steps, offset=offset, factor=factor)

    assert moved.mean == pytest.approx(offset + factor * plain.mean, rel=1e-12, abs=1e-9, nan_ok=True)
    assert moved.stdev == pytest.approx(abs(factor) * plain.stdev, rel=1e-6, abs=1e-6, nan_ok=True)


@pytest.mark.slow
@given(steps)
def test_reading_changes_no_bit(steps):
    read, _ = play(steps)
    unread, _ = play([step for step in steps if step[0] != "read"])

    assert repr((read.integral, read.variance, read)) == repr((unread.integral, unread.variance, unread))


def test_reading_brings_the_integral_to_the_present():
    watch = Watch()
    queue = Level(3.0, clock=watch)

    watch.time = 2.0
    assert (queue.integral, queue.integral) == (6.0, 6.0)
    watch.time = 5.0
    assert (queue.integral, queue.time_at(3.0)) == (15.0, 15.0 / 3.0)


def test_reset_keeps_the_value():
    watch = Watch()
    queue = Level(9.0, clock=watch)
    watch.time = 10.0
    queue.set(4.0)
    watch.time = 12.0

    queue.reset()
    watch.time = 14.0

    assert (queue.value, queue.elapsed, queue.mean, queue.maximum, queue.time_at(9.0)) == (4.0, 2.0, 4.0, 4.0, 0.0)


def test_too_many_values_are_not_told_apart():
    watch = Watch()
    stock = Level(clock=watch, name="stock")
    many = 3 * level.MOST_VALUES
    for k in range(many):
        watch.time = float(k)
        stock.set(k / 2)

    with pytest.raises(ValueError, match="level 'stock' took more than 10000 different values"):
        stock.time_at(1.0)
    assert stock.integral == sum(k / 2 for k in range(many - 1))
    stock.reset()
    assert stock.time_at(1.0) == 0.0


@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_what_is_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match=f"level 'x': initial value {bad}: a level is a finite number"):
        Level(bad, clock=Watch(), name="x")
    queue = Level(clock=Watch())
    with pytest.raises(ValueError, match=f"a level: set {bad}"):
        queue.change(bad)
    assert queue.value == 0.0


def test_repr():
    watch = Watch()
    stock = Level(3, clock=watch, name="stock", unit="t")
    assert repr(stock) == "<Level 'stock': 3 t>"
    watch.time = 2.0
    assert repr(stock) == "<Level 'stock': 3 t, mean 3 t>"


def test_a_level_is_taken_for_no_number():
    """`if desk.in_use:` would always be true, and `tank.level == 0` never."""
    one, other = Level(3.0, clock=Watch(), name="one"), Level(3.0, clock=Watch())
    advice = "take its `.value`, the number that it has now, or write `is None`"
    start = "level 'one' is a Level, which has statistics over time, and was"
    uses = {
        "asked whether it is true": lambda: bool(one),
        "compared with 3": lambda: one == 3,
        "compared with 0.5": lambda: one != 0.5,
        "compared with 2.5": lambda: 2.5 == one,  # noqa: SIM300  # the other way round
        "compared with 1/2": lambda: one == Fraction(1, 2),
    }
    for use, do in uses.items():
        with pytest.raises(TypeError) as caught:
            do()
        assert str(caught.value).replace("Fraction(1, 2)", "1/2") == f"{start} {use}: {advice}"
    same = one == one  # by identity
    assert (same, one == other, one != other, one in [other, one], one == "one") == (True, False, True, True, False)
    assert len({one, other, one}) == 2


def test_who_sets_the_value_of_a_level_is_told_how():
    sim = ev.Simulation()
    level = sim.level("inside")
    with pytest.raises(ev.ModelError) as info:
        level.value = 3
    assert str(info.value) == (
        "inside.value cannot be set, and got 3: level.set(value) sets it from now on, level.change(difference) raises "
        "it"
    )
