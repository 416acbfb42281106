"""Input signals: values, the instants where they are not smooth, and what they refuse."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import pairwise
from math import cos, exp, inf, nan, nextafter, pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eventide as ev
from eventide.discrete import Stream
from eventide.inputs import (
    Chirp,
    CubicTable,
    HeldNoise,
    HeldTable,
    Input,
    LinearTable,
    Pulse,
    Ramp,
    Sampled,
    Sine,
    Step,
    common_grid,
)

TIMES, VALUES = (0.0, 1.0, 1.5, 3.0), (2.0, 2.0, -1.0, 0.5)

EXAMPLES: dict[str, Input] = {
    "step": Step(1.25, height=3.0, before=-1.0),
    "ramp": Ramp(2.0, start=0.5, end=2.25, initial=-1.0),
    "sine": Sine(2.0, 0.5, 0.3, 1.0),
    "chirp": Chirp(0.5, 2.0, 3.0, 1.5, 0.25),
    "pulse": Pulse(0.7, 0.2, width=0.3, high=2.0, low=-1.0),
    "few pulses": Pulse(0.7, 0.2, width=0.3, count=2),
    "noise": HeldNoise(0.4, 0.3, deviation=2.0, key_1=11, key_2=12),
    "held": HeldTable(TIMES, VALUES),
    "linear": LinearTable(TIMES, VALUES),
    "cubic": CubicTable(TIMES, VALUES),
    "clamped": CubicTable(TIMES, VALUES, ends="clamped"),
    "sampled": Sampled(0.25, 0.1, source=Sine(1.0, 1.0)),
}


def test_step_and_ramp() -> None:
    step = Step(1.0, height=3.0, before=-1.0)
    assert [step(t) for t in (-5.0, 0.999, 1.0, 2.0)] == [-1.0, -1.0, 3.0, 3.0]
    ramp = Ramp(2.0, start=1.0, end=3.0, initial=0.5)
    assert [ramp(t) for t in (0.0, 1.0, 2.0, 3.0, 9.0)] == [0.5, 0.5, 2.5, 4.5, 4.5]
    assert Ramp()(1e9) == 1e9


def test_sine_and_chirp() -> None:
    assert Sine(2.0, 0.25, phase=pi / 2, offset=1.0)(1.0) == pytest.approx(1.0 + 2.0 * cos(pi / 2))
    chirp = Chirp(1.0, 3.0, 2.0, amplitude=5.0, start=1.0)
    assert chirp(1.0) == chirp(0.0) == 0.0
    # The phase is the integral of the frequency: 1 Hz + t/2 * 2 Hz for 2 s, then 3 Hz.
    assert chirp(2.0) == pytest.approx(5.0 * sin(2.0 * pi * 1.5), abs=1e-12)
    assert chirp(1.5) == pytest.approx(5.0 * sin(2.0 * pi * 0.625), abs=1e-12)
    assert chirp(3.1) == pytest.approx(5.0 * sin(2.0 * pi * (4.0 + 0.3)), abs=1e-12)


def test_pulses() -> None:
    pulse = Pulse(1.0, 0.5, width=0.25, high=2.0, low=-1.0, count=2)
    assert [pulse(t) for t in (-0.6, -0.5, -0.4)] == [-1.0] * 3
    values = [pulse(t) for t in (0.0, 0.49, 0.5, 0.74, 0.75, 1.49, 1.5, 1.76, 2.5, 9.0)]
    assert values == [-1.0, -1.0, 2.0, 2.0, -1.0, -1.0, 2.0, -1.0, -1.0, -1.0]
    assert pulse.breakpoints(0.0, 9.0) == (0.5, 0.75, 1.5, 1.75)
    assert Pulse(1.0, width=0.25).breakpoints(0.0, 2.0) == (0.25, 1.0, 1.25, 2.0)


@pytest.mark.parametrize("period", [0.1, 0.2, 0.7, Fraction(1, 3), 1e-3, 200.0])
def test_periodic_instants_do_not_drift(period: float | Fraction) -> None:
    exact = period if isinstance(period, Fraction) else Fraction(str(period))
    pulse = Pulse(period, width=float(period) / 2)
    for k in (0, 1, 3, 10, 12345, 10**6):
        instant = float(k * exact)
        assert (pulse(instant), pulse(np.nextafter(instant, -inf))) == (1.0, 0.0)
        assert pulse.next_breakpoint(np.nextafter(instant, -inf)) == instant


def test_a_start_of_many_digits_is_itself() -> None:
    for start in (963.6708728449709, 0.1 + 0.2, 73.19007239096598):
        pulse = Pulse(0.1, start, width=0.05)
        assert pulse.next_breakpoint(0.0) == start
        assert (pulse(start), pulse(nextafter(start, 0.0))) == (1.0, 0.0)
    assert Pulse(1e-300, 0.1, width=5e-301).next_breakpoint(0.0) == 0.1


def test_tables() -> None:
    held, linear, cubic = (table(TIMES, VALUES) for table in (HeldTable, LinearTable, CubicTable))
    points = (-1.0, 0.0, 0.5, 1.0, 1.25, 1.5, 2.25, 3.0, 4.0)
    assert [held(t) for t in points] == [2.0, 2.0, 2.0, 2.0, 2.0, -1.0, -1.0, 0.5, 0.5]
    assert [linear(t) for t in points] == [2.0, 2.0, 2.0, 2.0, 0.5, -1.0, -0.25, 0.5, 0.5]
    assert [cubic(t) for t in TIMES] == list(VALUES)
    assert (cubic(-1.0), cubic(4.0)) == (2.0, 0.5)


def test_a_spline_is_exact_for_cubics_and_smooth() -> None:
    def cube(t: float) -> float:
        return 1.0 - 2.0 * t + 0.5 * t**3

    times = (-1.0, 0.0, 0.3, 2.0, 2.5)
    spline = CubicTable(times, tuple(map(cube, times)))
    assert [spline(t) for t in (-0.5, 0.1, 1.7, 2.2)] == pytest.approx([cube(t) for t in (-0.5, 0.1, 1.7, 2.2)])
    for ends, slope in (("natural", None), ("clamped", 0.0)):
        spline = CubicTable(TIMES, VALUES, ends=ends)
        d = 1e-6
        for knot in TIMES[1:-1]:
            before, after = (spline(knot) - spline(knot - d)) / d, (spline(knot + d) - spline(knot)) / d
            assert before == pytest.approx(after, abs=1e-4)
        if slope is not None:
            assert (spline(TIMES[0] + d) - spline(TIMES[0])) / d == pytest.approx(slope, abs=1e-4)
        else:
            bend = spline(TIMES[0]) - 2.0 * spline(TIMES[0] + 1e-3) + spline(TIMES[0] + 2e-3)
            assert bend / 1e-6 == pytest.approx(0.0, abs=0.1)


def test_where_signals_are_not_smooth() -> None:
    found = {name: signal.breakpoints(0.0, 3.0) for name, signal in EXAMPLES.items()}
    assert found == {
        "step": (1.25,),
        "ramp": (0.5, 2.25),
        "sine": (),
        "chirp": (0.25,),
        "pulse": (0.2, 0.5, 0.9, 1.2, 1.6, 1.9, 2.3, 2.6, 3.0),
        "few pulses": (0.2, 0.5, 0.9, 1.2),
        "noise": (0.3, 0.7, 1.1, 1.5, 1.9, 2.3, 2.7),
        "held": (1.5, 3.0),
        "linear": (1.0, 1.5, 3.0),
        "cubic": (3.0,),
        "clamped": (),
        "sampled": (0.35, 0.6, 0.85, 1.1, 1.35, 1.6, 1.85, 2.1, 2.35, 2.6, 2.85),
    }
    assert CubicTable(TIMES, VALUES).breakpoints(-1.0, 9.0) == (0.0, 3.0)
    assert LinearTable((0.0, 1.0, 2.0), (1.0, 2.0, 3.0)).breakpoints(-1.0, 9.0) == (0.0, 2.0)
    assert Step(1.0, height=0.0).breakpoints(0.0, 3.0) == Ramp(0.0).breakpoints(-1.0, 3.0) == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
@given(start=st.floats(-1.0, 3.0), length=st.floats(0.0, 3.0))
def test_intervals_of_breakpoints_are_half_open_and_add_up(name: str, start: float, length: float) -> None:
    signal, end = EXAMPLES[name], start + length
    found = signal.breakpoints(start, end)
    assert all(start < t <= end for t in found)
    assert list(found) == sorted(set(found))
    middle = found[len(found) // 2] if found else (start + end) / 2
    assert signal.breakpoints(start, middle) + signal.breakpoints(middle, end) == found


@pytest.mark.parametrize("name", EXAMPLES)
def test_between_breakpoints_signals_are_smooth(name: str) -> None:
    """No second difference over a thousandth of a second is larger than smooth examples can make it."""
    signal = EXAMPLES[name]
    edges = (-1.0, *signal.breakpoints(-1.0, 3.95), 3.95)
    d = 1e-4
    for left, right in pairwise(edges):
        for t in np.linspace(left, right - 3 * d, 50).tolist():
            bend = signal(t) - 2.0 * signal(t + d) + signal(t + 2 * d)
            assert abs(bend) < 500.0 * d * d, (name, t)


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n not in {"sine", "clamped"}])
def test_each_breakpoint_is_a_jump_of_the_value_or_the_slope(name: str) -> None:
    signal, d = EXAMPLES[name], 1e-5
    found = signal.breakpoints(-1.0, 3.5)
    assert found
    for t in found:
        before = np.nextafter(t, -inf)
        jump = abs(signal(t) - signal(before))
        slopes = (signal(before) - signal(before - d)) / d, (signal(t + d) - signal(t)) / d
        assert jump > 1e-3 or abs(slopes[1] - slopes[0]) > 1e-2, (name, t)


def test_noise_is_a_function_of_time_and_keys() -> None:
    noise = HeldNoise(0.5, key_1=3, key_2=4)
    forth = [noise(0.5 * k) for k in range(200)]
    assert [noise(0.5 * k + 0.49) for k in reversed(range(200))] == forth[::-1]
    assert len(set(forth)) == 200
    assert HeldNoise(0.5, key_1=3, key_2=5)(0.0) != noise(0.0) != HeldNoise(0.5, key_1=4, key_2=4)(0.0)
    assert HeldNoise(0.5, 1.0, mean=7.0)(0.99) == 7.0
    doubled = HeldNoise(0.5, deviation=2.0, mean=1.0, key_1=3, key_2=4)
    assert [doubled(0.5 * k) for k in range(5)] == pytest.approx([1.0 + 2.0 * x for x in forth[:5]])


def test_noise_comes_from_a_named_stream() -> None:
    first, again, other = (HeldNoise.drawn(Stream.named(5, name), 0.1) for name in ("road", "road", "wind"))
    assert first == again != other
    sims = [ev.Simulation(rng=entropy) for entropy in (5, 6)]
    noises = [HeldNoise.drawn(sim.stream("road"), 0.1, deviation=2.0, mean=1.0, start=3.0) for sim in sims]
    assert (noises[0].key_1, noises[0].key_2) == (first.key_1, first.key_2)
    assert noises[0] != noises[1]
    assert (noises[0].deviation, noises[0].mean, noises[0].start) == (2.0, 1.0, 3.0)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [(0, 0), (1, 0), (0, 1), (12345, 54321), (2**26 - 1, 17)])
def test_noise_is_normal_and_independent(keys: tuple[int, int]) -> None:
    noise = HeldNoise(1.0, key_1=keys[0], key_2=keys[1])
    x = np.array([noise(float(k)) for k in range(20_000)])
    n = len(x)
    # Each bound is met by all but one in 100,000 of truly random sequences (4.4 standard errors).
    assert abs(x.mean()) < 4.4 / sqrt(n)
    assert abs(x.var() - 1.0) < 4.4 * sqrt(2.0 / n)
    assert stats.kstest(x, "norm").pvalue > 1e-5
    assert np.abs(x).max() < 6.0
    for lag in (1, 2, 3, 7, 64):
        assert abs(np.mean(x[lag:] * x[:-lag])) < 4.4 / sqrt(n)
        assert abs(np.mean((x[lag:] ** 2 - 1.0) * (x[:-lag] ** 2 - 1.0))) < 4.4 * 2.0 / sqrt(n)


@pytest.mark.slow
def test_noises_of_neighbouring_keys_are_unrelated() -> None:
    def sequence(key_1: int, key_2: int) -> np.ndarray:
        noise = HeldNoise(1.0, key_1=key_1, key_2=key_2)
        return np.array([noise(float(k)) for k in range(5_000)])

    base = sequence(100, 200)
    for neighbour in (sequence(101, 200), sequence(100, 201), sequence(200, 100)):
        for lag in range(-3, 4):
            product = base[3:-3] * np.roll(neighbour, lag)[3:-3]
            assert abs(product.mean()) < 4.4 / sqrt(len(product))


@pytest.mark.row("R-265")
def test_inputs_on_one_common_grid() -> None:
    signals = (Step(1.0), Pulse(0.5, width=0.25), HeldTable((0.0, 0.75, 1.1), (1.0, 2.0, 1.0)))
    assert common_grid(*signals, start=0.0, end=1.2) == (0.25, 0.5, 0.75, 1.0, 1.1)
    assert common_grid(start=0.0, end=1.0) == ()


@pytest.mark.row("R-265")
def test_inputs_on_a_grid_of_their_own_neglect_what_is_between() -> None:
    fast = Pulse(0.1, width=0.05)
    assert LinearTable.of(fast, (0.0, 0.35, 0.61))(0.35) == 0.0
    assert HeldTable.of(Sine(1.0, 1.0), (0.0, 0.25, 0.5)) == HeldTable((0.0, 0.25, 0.5), (0.0, 1.0, sin(pi)))


@pytest.mark.row("R-265")
def test_measurements_are_held_until_the_next() -> None:
    held = Sampled(0.1, source=Ramp(1.0))
    assert [held(t) for t in (0.0, 0.05, 0.1, 0.299, 0.3, 0.35)] == [0.0, 0.0, 0.1, 0.2, 0.3, 0.3]
    assert held.breakpoints(0.0, 0.35) == (0.1, 0.2, 0.3)
    late = Sampled(0.5, 1.0, source=Ramp(1.0))
    assert (late(0.2), late(1.2), late(1.6)) == (1.0, 1.0, 1.5)
    assert late.breakpoints(0.0, 2.0) == (1.5, 2.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Step(nan), "Step has at = nan"),
        (lambda: Ramp(1.0, start=2.0, end=2.0), "its end comes after its start"),
        (lambda: Sine(inf), "Sine has amplitude = inf"),
        (lambda: Chirp(1.0, 2.0, 0.0), "Chirp has duration = 0.0"),
        (lambda: Pulse(1.0, width=1.0), "the width is above 0 and below the period"),
        (lambda: Pulse(1.0), "Pulse has width = 0.0"),
        (lambda: Pulse(0.0, width=0.5), "a period is a positive number"),
        (lambda: HeldNoise(1.0, key_1=-1), "a key -1"),
        (lambda: HeldNoise(1.0, key_1=0.5), "a key 0.5"),
        (lambda: HeldNoise(1.0, deviation=-1.0), "deviation = -1.0: a standard deviation"),
        *[(lambda n=n: Pulse(1.0, width=0.5, count=n), f"Pulse has count = {n}") for n in (2.5, -1, nan, None)],
        (lambda: HeldTable("012", (0.0, 1.0, 2.0)), "takes times as a list of numbers in their order, and got '012'"),
        (lambda: HeldTable((0.0, 1.0), {1.0, 2.0}), "takes values as a list of numbers in their order"),
        (lambda: HeldTable({0.0: 1.0, 1.0: 2.0}, (1.0, 2.0)), "takes times as a list of numbers in their order"),
        (lambda: HeldTable((0.0,), (1.0,)), "HeldTable has 1 times and 1 values"),
        (lambda: LinearTable((0.0, 1.0), (1.0,)), "LinearTable has 2 times and 1 values"),
        (lambda: LinearTable((0.0, 0.0), (1.0, 2.0)), "time 0.0 after 0.0: times grow strictly"),
        (lambda: HeldTable((0.0, 1.0), (1.0, nan)), r"values\[1\] = nan"),
        (lambda: CubicTable(TIMES, VALUES, ends="loose"), "ends = 'loose'"),
    ],
)
def test_what_is_refused(make, message: str) -> None:
    with pytest.raises(ev.ModelError, match=message):
        make()


def test_texts_in_a_table_are_refused() -> None:
    with pytest.raises(TypeError, match=r"LinearTable.values\[1\] takes a number, and got '1'"):
        LinearTable((0.0, 1.0), (0.0, "1"))


def test_instants_that_times_cannot_tell_apart_are_an_error() -> None:
    with pytest.raises(ev.ModelError, match=r"Sampled.*changes more often than times near [19]\.?\d*e\+1[78] can tell"):
        Sampled(0.1, source=Step()).breakpoints(1e18 - 1e3, 1e18 + 1e3)


def test_a_law_follows_an_input() -> None:
    class Filter(ev.Continuous):
        """x' = u - x, which after a step of the input at 1 is 1 - exp(1 - t)."""

        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = push(self.sim.time) - self.x

    push = Step(1.0)
    sim = ev.Simulation(rng=1, rel_error=1e-9, abs_error=1e-9, compile=False)
    plant = Filter(sim).start()
    sim.run(until=3.0)
    assert plant.x == pytest.approx(1.0 - exp(-2.0), abs=1e-6)


class Plant(ev.Continuous):
    """x' = u - x."""

    push: Input
    x: ev.State = ev.state(0.5)

    def equations(self) -> None:
        self.rate.x = self.push(self.sim.time) - self.x


@pytest.mark.parametrize("name", EXAMPLES)
def test_laws_that_call_inputs_are_compiled_to_the_same_bits(name: str) -> None:
    def run(compiled: bool) -> tuple[list[float], int]:
        sim = ev.Simulation(rng=1, compile=compiled, stepping="together")
        plant = Plant(sim, push=EXAMPLES[name], name="plant").start()
        trace = sim.record(plant, every=0.1)
        sim.run(until=3.5)
        return list(trace["plant.x"]), sim.monitor.steps

    assert run(True) == run(False)


class Driven(ev.Continuous):
    """Its law calls an input that jumps at 1.25."""

    signal: object
    x: ev.State = ev.state(0.0)
    drive: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.drive = self.signal(self.sim.time)
        self.rate.x = self.drive - self.x


class Still(ev.Continuous):
    """Moves by itself, without any law."""

    y: ev.State = ev.state(1.0)


WATCHES = {
    "nobody": lambda sim, thing: None,
    "an integral": lambda sim, thing: sim.integral(lambda: thing.x),
    "a dense recording": lambda sim, thing: sim.record(thing, every=0.5, dense=True),
    "a recording of events": lambda sim, thing: sim.record(thing, every="event"),
}


@pytest.mark.parametrize("watch", WATCHES)
@pytest.mark.parametrize("is_compiled", [False, "auto"])
@pytest.mark.parametrize("kinds", [(Driven,), (Still, Driven), (Driven, Driven)])
def test_an_event_at_a_jump_of_an_input_reads_what_holds_from_then_on(kinds, is_compiled, watch) -> None:
    """Whoever looks on, and whatever else has come to that time."""
    sim = ev.Simulation(compile=is_compiled, dt_max=1.25)
    things = [kind(sim, signal=HeldTable((0.0, 1.25), (3.0, -2.0))) if kind is Driven else kind(sim) for kind in kinds]
    for thing in things:
        thing.start()
    driven = [thing for thing in things if isinstance(thing, Driven)]
    seen = []

    def looks() -> ev.ProcessGenerator:
        yield ev.hold(1.25)
        seen.extend((thing.drive, thing.rate.x + thing.x) for thing in driven)

    sim.process(looks())
    WATCHES[watch](sim, driven[-1])
    sim.run(until=2.0)
    assert seen == [(-2.0, pytest.approx(-2.0))] * len(driven)


def test_inputs_are_frozen_and_comparable() -> None:
    assert Step(1.0) == Step(1.0) != Step(2.0)
    assert hash(Pulse(0.1, width=0.05)) == hash(Pulse(0.1, width=0.05))
    assert HeldTable([0, 1], [1, 2]).times == (0.0, 1.0)
    with pytest.raises(AttributeError):
        Step(1.0).at = 3.0


def test_an_input_that_compares_and_does_not_tell_where_it_jumps_is_told_where_it_stands() -> None:
    def compares(_: Input, t: float) -> float:
        return 1.0 if t < 3.0 else 0.0

    def remainder(_: Input, t: float) -> float:
        return t % 3.0

    def whole(_: Input, t: float) -> float:
        return t // 3.0

    def smooth(_: Input, t: float) -> float:
        return -(2.0 + t) * t / 3.0 if t == t else 0.0

    lines = []
    for call in (compares, remainder, whole, smooth):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for bases in ((Input,), (Step,)):
                type("Wind", bases, {"__call__": call})
            tells = {"__call__": call, "next_breakpoint": lambda _, after: 3.0}
            type("Gust", (type("Still", (Input,), tells),), {"__call__": call})
        lines.append([(note.category, note.filename, note.lineno - call.__code__.co_firstlineno) for note in caught])
    assert lines == [*[[(ev.SwitchWarning, __file__, 0)]] * 3, []]
