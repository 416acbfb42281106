"""State events inside a step: none is passed over, and the first of several is found."""

from __future__ import annotations

import itertools
import math
import random
import types
from typing import Any

import numpy as np
import pytest
from arrays import blank
from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.python_callbacks import Host
from eventide.engine import root_search

each_way = pytest.mark.parametrize("compiles", ["auto", False])


class Path(ev.Continuous):
    """A polynomial of the time since 10, made to be stepped over: steps are one unit long and exact."""

    x: ev.State = ev.state(0.0)
    time: ev.State = ev.state(-10.0)
    a: float = 0.0
    b: float = 0.0
    c: float = 0.0
    d: float = 0.0

    def equations(self) -> None:
        s = self.time
        self.rate.time = 1.0
        self.rate.x = (self.a + s * (2.0 * self.b + s * (3.0 * self.c + s * 4.0 * self.d))) if s >= 0.0 else 0.0


class Draining(ev.Continuous):
    """A tank whose level decays, and what has left it."""

    level: ev.State = ev.state(10.0)
    drained: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.level = -0.1 * self.level
        self.rate.drained = 0.3 * self.level


def begin(compiles: Any = "auto", level: float = 0.0, **coefficients: float) -> tuple[ev.Simulation, Path]:
    """A simulation at time 10, whose next step goes to 11; there x is `level`."""
    sim = ev.Simulation(rng=1, compile=compiles, stepping="together", dt_max=1.0, abs_error=1e-9, rel_error=1e-9)
    path = Path(sim, x=level).start()
    sim.run(until=10.0)
    for name, value in coefficients.items():
        setattr(path, name, value)
    path.time = 0.0
    return sim, path


def with_roots(first: float, second: float, third: float) -> dict[str, float]:
    """The cubic that is zero there and rises at the first."""
    pairs = first * second + first * third + second * third
    return {"level": -first * second * third, "a": pairs, "b": -(first + second + third), "c": 1.0}


def fired(sim: ev.Simulation, condition: Any, until: float = 11.0) -> list[float]:
    """When a handler with this condition has fired."""
    log: list[float] = []

    class Witness(ev.Continuous):
        @ev.when(lambda self: condition())
        def note(self) -> None:
            log.append(sim.time - 10.0)

    Witness(sim).start()
    sim.run(until=until)
    return log


# --- whole runs ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@each_way
@pytest.mark.parametrize("poke", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11])
def test_every_peak_that_pokes_through_a_level_is_found_and_no_other(poke: float, compiles: Any) -> None:
    """A ball thrown up again and again to the height of 1, steps as long as the flights."""
    sim = ev.Simulation(rng=1, compile=compiles, abs_error=1e-9, rel_error=1e-9)
    seen: list[float] = []
    missed: list[float] = []

    class Ball(ev.Continuous):
        height: ev.State = ev.state(0.0)
        velocity: ev.State = ev.state(2.0)

        def equations(self) -> None:
            self.rate.height = self.velocity
            self.rate.velocity = -2.0

        @ev.when(lambda self: self.height > 1.0 - poke)
        def pokes(self) -> None:
            seen.append(self.sim.time)

        @ev.when(lambda self: self.height > 1.0 + poke)
        def never(self) -> None:
            missed.append(self.sim.time)

    ball = Ball(sim).start()

    def thrower() -> ev.ProcessGenerator:
        for _ in range(40):
            yield ev.hold(2.0)
            ball.height, ball.velocity = 0.0, 2.0

    sim.process(thrower())
    sim.run(until=80.5)
    assert (len(seen), missed) == (40, [])
    # 1 - u**2 meets 1 - poke at u = -sqrt(poke); an error of 4e-16 in the height shifts that by 2e-16 / sqrt(poke).
    rising = [2.0 * k + 1.0 - math.sqrt(poke) for k in range(40)]
    assert seen == pytest.approx(rising, rel=0.0, abs=1e-14 / math.sqrt(poke) + 1e-13)


@pytest.mark.slow
@each_way
@pytest.mark.parametrize("poke", [1e-3, 1e-5, 1e-7])
def test_every_peak_of_an_oscillator_is_found(poke: float, compiles: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles, abs_error=1e-12, rel_error=1e-12)
    seen: list[float] = []

    class Swing(ev.Continuous):
        x: ev.State = ev.state(0.0)
        y: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x, self.rate.y = self.y, -self.x

        @ev.when(lambda self: self.x > 1.0 - poke)
        def high(self) -> None:
            seen.append(self.sim.time)

    Swing(sim).start()
    periods = 25 if compiles else 3
    sim.run(until=2.0 * math.pi * periods)
    assert len(seen) == periods
    first = math.asin(1.0 - poke)
    expected = [first + 2.0 * math.pi * k for k in range(periods)]
    assert seen == pytest.approx(expected, rel=0.0, abs=1e-9 / math.sqrt(poke))


@pytest.mark.slow
@each_way
def test_of_three_roots_in_one_step_the_first_is_found_and_then_the_others(compiles: Any) -> None:
    """Wherever they lie among the samples: each threesome of these shares of the step."""
    shares = [0.03, 0.17, 0.21, 0.22, 0.3, 0.38, 0.39, 0.62, 0.97]
    wrong = []
    for roots in itertools.combinations(shares, 3):
        sim, path = begin(compiles, **with_roots(*roots))
        log: list[float] = []

        def crosses(path: Path = path, log: list[float] = log) -> ev.ProcessGenerator:
            yield ev.until(lambda: path.x > 0.0)
            log.append(path.sim.time - 10.0)
            yield ev.until(lambda: path.x < 0.0)
            log.append(path.sim.time - 10.0)
            yield ev.until(lambda: path.x > 0.0)
            log.append(path.sim.time - 10.0)

        sim.process(crosses())
        sim.run(until=11.0)
        if log != pytest.approx(roots, rel=0.0, abs=1e-9):
            wrong.append((roots, log))
    assert wrong == []


@each_way
def test_the_point_of_several_conditions_does_not_depend_on_which_was_planned_again(compiles: Any) -> None:
    """Conditions stand in a flow in the order in which they were planned; their events are those of their arrival."""
    limits = [types.SimpleNamespace(low=5.0), types.SimpleNamespace(low=5.0)]

    def events_where(chosen: slice) -> list[tuple[float, float, float]]:
        sim = ev.Simulation(compile=compiles, rel_error=1e-6, abs_error=1e-6, dt_min=0.0)
        tank, told = Draining(sim).start(), list[tuple[float, float, float]]()

        def waits(limit: types.SimpleNamespace, share: float) -> ev.ProcessGenerator:
            while True:
                yield ev.until(lambda: share * tank.level <= share * limit.low)
                told.append((sim.time, tank.level, tank.drained))
                yield ev.hold(0.1)

        def fills() -> ev.ProcessGenerator:
            for _ in range(40):
                tank.level = 7.0
                for limit in limits[chosen]:
                    limit.low = 6.0
                yield ev.hold(0.01)
                for limit in limits:
                    limit.low = 5.0
                yield ev.hold(7.0)

        for limit, share in zip(limits, (1.0, 0.3), strict=True):
            sim.process(waits(limit, share))
        sim.process(fills())
        sim.run(until=100.0)
        return told

    both = events_where(slice(2))
    assert len(both) > 100
    assert events_where(slice(1)) == both
    assert events_where(slice(1, 2)) == both


@each_way
def test_a_condition_that_is_true_for_a_moment_between_samples_is_found_by_proof(compiles: Any) -> None:
    """X has a peak at 0.5 between two valleys: at the samples beside it, it falls before it and rises after it."""
    c, w, poke = 0.5, 0.08, 1e-7
    # x = (u**2 - w**2)**2 - w**4 + poke with u = s - c, in powers of s.
    p = -2.0 * w * w
    coefficients = {
        "level": c**4 + p * c * c + poke,
        "a": -4.0 * c**3 - 2.0 * p * c,
        "b": 6.0 * c * c + p,
        "c": -4.0 * c,
        "d": 1.0,
    }
    sim, path = begin(compiles, **coefficients)
    log = fired(sim, lambda: path.x > 0.0 and 0.39 < path.time < 0.61)
    # u**2 * (u**2 - 2 * w**2) + poke = 0
    edge = math.sqrt(w * w - math.sqrt(w**4 - poke))
    assert log == pytest.approx([c - edge], rel=0.0, abs=1e-9)
    coefficients["level"] -= 2.0 * poke
    sim, path = begin(compiles, **coefficients)
    assert fired(sim, lambda: path.x > 0.0 and 0.39 < path.time < 0.61) == []


@each_way
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (lambda p: p.time > 0.43 and p.x < 0.43 + 1e-10, [0.43]),
        (lambda p: p.time > 0.43 and p.x < 0.43 - 1e-10, []),
        (lambda p: p.time > 0.71 or 0.33 < p.x < 0.33 + 1e-10, [0.33, 0.71]),
        (lambda p: (p.time > 0.25 or p.x > 0.5) and not (p.x > 0.5 or p.time < 0.25), [0.25]),
        (lambda p: p.time > 0.2 and p.x > 0.4 and p.time < 0.4 + 1e-10, [0.4]),
    ],
    ids=["and", "never", "or", "not", "three"],
)
def test_comparisons_that_are_joined(condition: Any, expected: list[float], compiles: Any) -> None:
    """Two states that run alike: what holds between their levels lasts for a ten-thousand-millionth of the step."""
    sim, path = begin(compiles, a=1.0)
    assert fired(sim, lambda: condition(path)) == pytest.approx(expected, rel=0.0, abs=1e-9)


@each_way
def test_a_handler_whose_condition_was_true_is_armed_inside_the_step(compiles: Any) -> None:
    """Above at the start and at the end of the step, below in between: for longer than from sample to sample or not."""
    for low, high in ((0.3, 0.7), (0.15, 0.25)):
        sim, path = begin(compiles, level=low * high, a=-(low + high), b=1.0)
        assert fired(sim, lambda path=path: path.x > 0.0) == pytest.approx([high], rel=0.0, abs=1e-9)


@each_way
@pytest.mark.parametrize("valley", [0.07, 0.33, 0.43, 0.91])
def test_a_handler_that_nobody_encloses_is_armed_between_samples(valley: float, compiles: Any) -> None:
    """Its condition is true but for 2e-5 of the step: the slope of the error function turns there."""
    for depth, expected in ((1e-10, [valley + 1e-5]), (-1e-10, [])):
        sim, path = begin(compiles, level=valley**2 - depth, a=-2.0 * valley, b=1.0)
        log = fired(sim, lambda path=path: math.erf(path.x) > 0.0)
        assert log == pytest.approx(expected, rel=0.0, abs=1e-9)
        assert (sim.report().certified, sim.report().sampled) == (0, 1)


@pytest.mark.slow
@each_way
def test_a_condition_that_nobody_encloses_is_found_by_its_slope(compiles: Any) -> None:
    """The error function: erf(s) is 2 / sqrt(pi) * s and less."""
    for peak in (0.07, 0.33, 0.5, 0.91):
        sim, path = begin(compiles, a=1.0)
        log = fired(sim, lambda path=path, peak=peak: math.erf((path.time - peak) ** 2) < 1e-10)
        assert log == pytest.approx([peak - math.sqrt(1e-10 * math.sqrt(math.pi) / 2.0)], rel=0.0, abs=1e-7)
        sim, path = begin(compiles, a=1.0)
        assert fired(sim, lambda path=path, peak=peak: math.erf((path.time - peak) ** 2) < -1e-10) == []
        assert (sim.report().certified, sim.report().sampled) == (0, 1)


@each_way
def test_who_waits_again_waits_with_another_priority(compiles: Any) -> None:
    """Two wait for one thing again and again; the second wait of each takes up its first row."""
    sim, path = begin(compiles, a=1.0)
    log: list[tuple[str, float]] = []

    def waits(name: str, priorities: tuple[float, ...]) -> ev.ProcessGenerator:
        for level, priority in zip((0.25, 0.5, 0.75), priorities, strict=True):
            yield ev.until(lambda level=level: path.x >= level, priority=priority)
            log.append((name, round(sim.time - 10.0, 9)))

    sim.process(waits("a", (1.0, 0.0, 1.0)))
    sim.process(waits("b", (0.0, 1.0, 0.0)))
    sim.run(until=11.0)
    assert log == [("a", 0.25), ("b", 0.25), ("b", 0.5), ("a", 0.5), ("a", 0.75), ("b", 0.75)]


# --- the search ------------------------------------------------------------------------------------------------------


class Probed:
    """Tests a function of time in the place of a condition, and counts."""

    def __init__(self, function: Any, *, has_guide: bool) -> None:
        self.function = function
        self.has_guide = has_guide
        self.count = 0

    def is_true(self, c: int, f: int, time: float, dt: float) -> bool:
        """Whether it is above zero, by the function; its value and slope only if it is to guide."""
        self.count += 1
        value, slope = self.function(time)
        guard = self.arrays.guard
        guard.value[c], guard.slope[c] = (value, slope) if self.has_guide else (math.nan, math.nan)
        return bool(value >= 0.0)

    def find(self, dt_min: float, guess: float = -1.0) -> tuple[float, float]:
        """The bracket that is left in [0, 1], where it is false and true."""
        self.arrays = arrays = blank(host=self)
        guard, flow = arrays.guard, arrays.flow
        guard.floats[:] = math.nan
        guard.certificate[0] = -1
        flow.step[0] = flow.end[0] = 1.0
        flow.empty[0] = 1
        arrays.run.dt_min = dt_min
        self.is_true(0, 0, 0.0, 0.0)
        guard.low[0], guard.value_low[0], guard.slope_low[0] = 0.0, guard.value[0], guard.slope[0]
        self.is_true(0, 0, 1.0, 1.0)
        guard.high[0], guard.value_high[0], guard.slope_high[0] = 1.0, guard.value[0], guard.slope[0]
        guard.guess[0] = guess
        self.count = 0
        root_search.find(arrays, 0, 0)
        return guard.low[0], guard.high[0]


SHAPES = {
    "line": lambda t, r: (t - r, 1.0),
    "cubic": lambda t, r: (t**3 - r**3, 3.0 * t * t),
    "flat": lambda t, r: ((t - r) ** 9, 9.0 * (t - r) ** 8),
    "steep": lambda t, r: (math.tanh(1e4 * (t - r)), 1e4 / math.cosh(min(300.0, abs(1e4 * (t - r)))) ** 2),
    "jump": lambda t, r: (1.0 if t >= r else -1e-9, 0.0),
    "wrong": lambda t, r: (t - r, -5.0),
    "infinite": lambda t, r: (math.copysign(math.inf, t - r), math.nan),
}


@pytest.mark.slow
@pytest.mark.row("R-147")
@pytest.mark.parametrize("dt_min", [0.0, 1e-6])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_search_gives_what_halving_gives_with_hardly_more_tests(shape: str, dt_min: float) -> None:
    """Whatever the event function says: to the last float the bracket is the same, and never wider than dt_min."""
    source, probes = random.Random(1), []
    for _ in range(100):
        root = source.uniform(1e-3, 1.0)

        def function(time: float, root: float = root) -> tuple[float, float]:
            return SHAPES[shape](time, root)

        guided, halving = Probed(function, has_guide=True), Probed(function, has_guide=False)
        found, expected = guided.find(dt_min), halving.find(dt_min)
        assert function(found[0])[0] < 0.0 <= function(found[1])[0]
        if dt_min == 0.0:
            assert found == expected
            assert found[1] == math.nextafter(found[0], 2.0)
        else:
            assert 0.0 < found[1] - found[0] <= dt_min
        assert guided.count <= halving.count + 9
        probes.append(guided.count)
    if shape in ("line", "cubic"):
        assert sum(probes) / len(probes) < 10.0


@pytest.mark.slow
@pytest.mark.parametrize("dt_min", [0.0, 1e-6])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_proof_has_told_of_the_place_changes_nothing_but_the_number_of_tests(shape: str, dt_min: float) -> None:
    """It may be exact, or off by any distance; then four tests more are made than without it, at most."""
    source, probes = random.Random(2), []
    for k in range(100):
        root = source.uniform(1e-3, 1.0)

        def function(time: float, root: float = root) -> tuple[float, float]:
            return SHAPES[shape](time, root)

        told, halving = Probed(function, has_guide=True), Probed(function, has_guide=False)
        off = 0.0 if k % 2 else source.choice([-1.0, 1.0]) * 10.0 ** source.uniform(-17.0, 0.0)
        found, expected = told.find(dt_min, guess=root + off), halving.find(dt_min)
        if dt_min == 0.0:
            assert found == expected
        else:
            assert function(found[0])[0] < 0.0 <= function(found[1])[0]
            assert 0.0 < found[1] - found[0] <= dt_min
        assert told.count <= halving.count + 13
        if off == 0.0:
            probes.append(told.count)
    if shape != "infinite" and dt_min == 0.0:
        assert sum(probes) / len(probes) < 4.0


@pytest.mark.row("R-147")
def test_a_proof_spares_most_tests_of_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve bounces and eight switches: each is found by some three tests behind those at the ends of steps."""
    tests: list[int] = []
    is_true = Host.is_true
    monkeypatch.setattr(Host, "is_true", lambda self, c, *rest: tests.append(c) or is_true(self, c, *rest))
    sim = ev.Simulation(compile=False)
    ball, room = Ball(sim).start(), Room(sim).start()
    sim.run(until=12.0)
    assert (ball.bounces, room.switches) == (12, 8)
    assert len(tests) <= 180


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    bounces: int = 0

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.8
        self.bounces += 1


class Room(ev.Continuous):
    temperature: ev.State = ev.state(20.0)
    source: float = 0.0
    switches: int = 0

    def equations(self) -> None:
        self.rate.temperature = 0.1 * (self.source - self.temperature)

    @ev.when(lambda self: self.temperature <= 18.0)
    def heat(self) -> None:
        self.source = 30.0
        self.switches += 1

    @ev.when(lambda self: self.temperature >= 20.0)
    def rest(self) -> None:
        self.source = 0.0
        self.switches += 1


# --- conditions of all kinds -----------------------------------------------------------------------------------------

KINDS: dict[str, tuple[Any, Any]] = {
    "product": (lambda p: p.x * p.time - 0.25 * p.x >= LEVEL, lambda x, t: x * t - 0.25 * x),
    "cube": (lambda p: p.x**3 - p.x >= LEVEL, lambda x, t: x**3 - x),
    "quotient": (lambda p: p.x / (1.5 + p.time) >= LEVEL, lambda x, t: x / (1.5 + t)),
    "sine": (lambda p: math.sin(9.0 * p.x) - p.time >= LEVEL, lambda x, t: math.sin(9.0 * x) - t),
    "root": (
        lambda p: math.sqrt(p.x * p.x + p.time) >= 0.5 - LEVEL,
        lambda x, t: math.sqrt(x * x + t) - 0.5 + 2 * LEVEL,
    ),
    "size": (
        lambda p: abs(p.x - 0.3) + abs(p.time - 0.6) <= 0.2,
        lambda x, t: LEVEL + 0.2 - abs(x - 0.3) - abs(t - 0.6),
    ),
    "extremes": (lambda p: min(p.x, 1.0 - p.time) >= LEVEL, lambda x, t: min(x, 1.0 - t)),
    "exponential": (lambda p: math.exp(-p.x * p.x) >= 1.0 - LEVEL, lambda x, t: math.exp(-x * x) - 1.0 + 2.0 * LEVEL),
    "choice": (lambda p: (p.x if p.time < 0.5 else -p.x) >= LEVEL, lambda x, t: x if t < 0.5 else -x),
    "tanh": (lambda p: math.tanh(8.0 * (p.x - p.time)) >= LEVEL, lambda x, t: math.tanh(8.0 * (x - t))),
}
LEVEL = 0.125
wiggles = st.tuples(st.integers(-4, 4), *[st.integers(-24, 24)] * 4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(wiggles)
def test_no_event_of_a_condition_that_is_certified_is_missed(kind: str, wiggle: tuple[int, ...]) -> None:
    """Of polynomials of degree four, which one step follows exactly: a dense look finds no event more, and no less."""
    condition, value = KINDS[kind]
    level, *slopes = (number / 8 for number in wiggle)
    sim, path = begin("auto", level=level, **dict(zip("abcd", slopes, strict=True)))
    found = fired(sim, lambda: condition(path))
    report = sim.report()
    assert (report.certified, report.sampled, report.opaque, report.unproved) == (1, 0, 0, 0)
    count = 4001
    values = [
        value(level + t * (slopes[0] + t * (slopes[1] + t * (slopes[2] + t * slopes[3]))), t)
        for t in (k / (count - 1) for k in range(count))
    ]
    # What is nearer to the level than this may be on either side of it between two points of the dense look.
    clear = [(k, v >= LEVEL) for k, v in enumerate(values) if abs(v - LEVEL) > 1e-9]
    risen = [k / (count - 1) for (_, before), (k, after) in itertools.pairwise(clear) if after and not before]
    assert [time for time in risen if not any(abs(time - other) < 2e-3 for other in found)] == []
    # Between two points there may be an event that the dense look has not seen: then the value is near its level.
    for time in found:
        near = values[max(0, int(time * 4000) - 3) : int(time * 4000) + 4]
        assert min(near) - 0.05 <= LEVEL <= max(near) + 0.05


class Dip(ev.Continuous):
    """It is above its level but for a moment in the middle of a step, far from all samples."""

    x: ev.State = ev.state(0.0)
    moment: float = 0.47
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: (self.x - self.moment) ** 2 >= 1e-9)
    def again(self) -> None:
        self.log.append(("when", self.sim.time))

    @ev.when(ev.crosses(lambda self: math.cosh(self.x - self.moment), 1.0 + 1e-9))
    def crossing(self) -> None:
        self.log.append(("crosses", self.sim.time))


@pytest.mark.slow
@each_way
@pytest.mark.parametrize("moment", [0.03, 0.47, 0.73, 0.999])
def test_a_handler_is_armed_where_its_condition_is_false_between_two_samples_only(moment: float, compiles: Any) -> None:
    """Disarmed at the start, as its condition is true then; it is false for 6e-5 of the step, or 9e-5."""
    sim = ev.Simulation(rng=1, compile=compiles, dt_max=1.0)
    dip = Dip(sim, moment=moment).start()
    sim.run(until=3.0)
    assert [name for name, _ in dip.log] == ["crosses", "when", "crosses"]
    half, width = math.sqrt(1e-9), math.acosh(1.0 + 1e-9)
    assert [time - moment for _, time in dip.log] == pytest.approx([-width, half, width], rel=0.0, abs=1e-10)
    assert (sim.report().certified, sim.report().unproved) == (3, 0)


class Veil(ev.Continuous):
    """Nothing is proved near 0.4, where a power of e is beyond what is enclosed; the condition is true near 0.8."""

    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: math.exp(700.0 - 1e6 * (self.x - 0.4) ** 2) < -1.0 or (self.x - 0.8) ** 2 < 1e-10)
    def pulse(self) -> None:
        self.log.append(self.sim.time)


@each_way
def test_what_stays_unsure_however_short_the_part_is_sampled_and_the_rest_of_the_step_is_proved(compiles: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles, dt_max=1.0)
    veil = Veil(sim).start()
    sim.run(until=3.0)
    assert veil.log == pytest.approx([0.79999], rel=0.0, abs=1e-12)
    report = sim.report()
    assert (report.steps, report.refused, report.unproved) == (4, 0, 1)


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)
    none: float = 0.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -self.x


class Divided(Decay):
    """A quotient by zero, infinite all the time, of which nothing is proved."""

    @ev.when(lambda self: np.divide(self.x, self.none) > 3.0 and self.x < 0.5)
    def fire(self) -> None:
        self.log.append(self.sim.time)


class Undivided(Decay):
    @ev.when(lambda self: self.x < 0.5)
    def fire(self) -> None:
        self.log.append(self.sim.time)


class Steep(Decay):
    """True from the start on, and beyond what is enclosed once x is below 0.4."""

    @ev.when(lambda self: math.exp(1000.0 - 1000.0 * max(self.x, 0.0)) > -1.0)
    def fire(self) -> None:
        self.log.append(self.sim.time)


@each_way
@pytest.mark.parametrize(("kind", "events", "unproved"), [(Divided, 1, 2), (Steep, 0, 1)])
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_a_condition_of_which_nothing_can_be_proved_shortens_no_step(
    kind: type[Decay], events: int, unproved: int, compiles: Any
) -> None:
    """The steps are those of a condition that is proved, and so is the event."""
    expected = ev.Simulation(compile=compiles)
    model = Undivided(expected).start()
    expected.run(until=1.0)
    sim = ev.Simulation(compile=compiles)
    found = kind(sim).start()
    sim.run(until=1.0)
    assert found.log == model.log[:events]
    steps = 7 + events
    assert (sim.report().steps, sim.report().refused, sim.report().unproved) == (steps, 0, unproved)
    assert (expected.report().steps, expected.report().unproved) == (8, 0)
