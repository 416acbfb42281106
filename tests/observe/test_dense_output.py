"""Dense output: a quantity at all times, proved, without any effect on the run."""

from math import exp, pi, sin

import numpy as np
import pytest

import eventide as ev
from eventide.observe.dense_output import DenseOutputs
from eventide.observe.piecewise import PiecewisePolynomial

PEAK, WIDTH = 0.5123, 1e-4


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)
    level: ev.Computed = ev.computed()

    def equations(self):
        self.rate.x = -0.1 * self.x
        self.level = self.x + exp(-(((self.sim.time - PEAK) / WIDTH) ** 2))


def unreadable(x):
    return eval("x + 1.0", {"x": x})  # noqa: S307  # code that the compiler cannot read


def run(names=(), **settings):
    sim = ev.Simulation(**settings)
    if names:
        sim.dense_outputs = DenseOutputs(sim, names)
    one, other = Decay(sim, name="one").start(), Decay(sim, name="other").start()
    free = ev.Variable(sim, 3.0, name="free").start()
    steps = sim.level(name="steps")

    def count():
        for _ in range(3):
            yield ev.hold(0.5)
            steps.change(1.0)
            free.state -= 1.0

    def jolt():
        yield ev.hold(1.25)
        steps.change(7.0)
        sim.process(ease())

    def ease():
        yield ev.hold(0.0)
        steps.change(-7.0)

    sim.process(count())
    sim.process(jolt())
    sim.record(
        one, other, free, steps,
        bend=lambda: abs(one.x - 0.9) * 2.0,
        wave=lambda: sin(100.0 * sim.time),
        both=lambda: one.x + 2.0 * other.level,
        unread=lambda: unreadable(one.x),
    )  # fmt: skip
    sim.run(until=2.0)
    return sim


NAMES = ("one.x", "one.level", "free", "steps", "bend", "wave", "both", "unread")


@pytest.fixture(scope="module", params=["auto", False])
def found(request):
    return run(NAMES, compile=request.param).dense_outputs.results()


@pytest.mark.slow
def test_the_extremes_between_the_steps_are_proved(found):
    def peak(time):
        return exp(-0.1 * time)

    for name, factor in (("one.level", 1.0), ("both", 2.0)):
        times, values = found[name].knots()
        top = int(np.argmax(values))
        base = peak(PEAK) if factor == 1.0 else 3.0 * peak(PEAK)
        assert found[name].is_proved
        assert values[top] == pytest.approx(base + factor, abs=1e-6)
        assert times[top] == pytest.approx(PEAK, abs=1e-8)
        assert len(found[name].starts) < 300
    times, values = found["bend"].knots()
    assert values.min() == pytest.approx(0.0, abs=1e-9)
    assert times[np.argmin(values)] == pytest.approx(-np.log(0.9) / 0.1, abs=1e-6)
    wave = found["wave"]
    assert wave.is_proved
    assert len(wave.stretches.times) - len(wave.starts) >= int(200.0 / pi)
    for time in np.linspace(0.0, 2.0, 97):
        assert wave.at(time) == pytest.approx(sin(100.0 * time), abs=2e-7)
        assert found["one.x"].at(time) == pytest.approx(peak(time), abs=1e-6)


@pytest.mark.slow
def test_what_events_change_jumps_and_what_cannot_be_read_is_sampled(found):
    free, steps, unread = found["free"], found["steps"], found["unread"]

    assert [free.at(time) for time in (0.0, 0.25, 0.5, 1.25, 1.75)] == [3.0, 3.0, 2.0, 1.0, 0.0]
    assert [steps.at(time) for time in (0.25, 0.75, 1.25, 2.0)] == [0.0, 1.0, 2.0, 3.0]
    assert (free.is_proved, steps.is_proved, unread.is_proved) == (True, True, False)
    assert unread.at(1.0) == pytest.approx(1.0 + exp(-0.1), abs=1e-6)
    assert {value for time, value in steps.instants if time == 1.25} == {9.0}
    assert {time for time, _ in steps.instants} == {0.0, 1.25}


@pytest.mark.slow
@pytest.mark.parametrize("compiled", ["auto", False])
def test_it_changes_no_bit_of_a_run(compiled):
    plain, looked_at = run(compile=compiled), run(NAMES, compile=compiled)

    assert plain.recordings[0].to_pandas().equals(looked_at.recordings[0].to_pandas())
    assert str(plain.report()) == str(looked_at.report())


def test_a_quantity_has_to_be_finite():
    sim = ev.Simulation()
    sim.dense_outputs = DenseOutputs(sim, ["ratio"])
    sim.record(ratio=lambda: 1.0 / (sim.time - 1.0) if sim.time != 1.0 else float("inf"))
    sim.process(iter_to(1.0))
    with pytest.raises(ev.ModelError, match=r"ratio is judged between events, where it has to be finite: it is inf"):
        sim.run(until=2.0)


def iter_to(time):
    yield ev.hold(time)


def test_stretches_rise_or_fall_and_levels_are_found_in_them():
    # s**3 - s turns twice in [-1, 1], at -+1/sqrt(3).
    no_rows, no_instants = np.full((1, 2), np.nan), np.zeros((0, 2))
    path = PiecewisePolynomial(
        np.array([0.0]), np.array([4.0]), np.array([[0.0, -1.0, 0.0, 1.0]]), no_rows, no_instants
    )
    turn = 3.0**-0.5

    assert path.stretches.spans == pytest.approx(np.array([[-1.0, -turn], [-turn, turn], [turn, 1.0]]))
    top = turn - turn**3
    assert path.knots()[1] == pytest.approx([0.0, top, top, -top, -top, 0.0], abs=1e-15)
    # s**3 - s = 0.3 has its roots at 2/sqrt(3) cos(a), with cos(3 a) = 0.3 sqrt(27) / 2; two of them lie inside.
    angle = np.arccos(-0.3 * 27.0**0.5 / 2.0) / 3.0
    roots = sorted(-2.0 * turn * np.cos(angle + k * 2.0 * pi / 3.0) for k in range(3))
    inside = [2.0 * (root + 1.0) for root in roots[:2]]
    assert path.stretches.where(0.3, 1, strictly=False) == [pytest.approx(inside, abs=1e-14)]
    assert path.stretches.where(2.0, 1, strictly=False) == []
    assert path.stretches.where(2.0, -1, strictly=True) == [(0.0, 4.0)]
