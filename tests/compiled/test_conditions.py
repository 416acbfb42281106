"""Conditions as kernels: Python's truth, a guide on its side, and the guide's slope."""
# ruff: noqa: PLW0177, SIM110, SIM201  # conditions are written in every way that Python allows

from __future__ import annotations

import math
from bisect import bisect
from math import exp, sin
from typing import Any

import numpy as np
import pytest
from compiled.formulas import drag
from compiled.harness import REFUSED_BY_PYTHON, Answer, Moment, new_registry, run_condition, set_clock, shake, table_of

import eventide as ev
from eventide.engine.stepper import R, Y

DRAW_AT = 1.5


class Ingot(ev.Continuous):
    temperature: ev.State = ev.state(1.0)
    coefficient: float = 0.15
    hot: bool = False


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(1.0)
    limit: float = 0.5
    count: int = 2
    is_open: bool = True
    load: list[Ingot] = ev.field(default_factory=list)
    flow: ev.Computed = ev.computed()
    total: ev.Summed = ev.summed()
    ingot: Ingot | None = None
    marks: tuple[float, ...] = (-1.0, 0.5, 2.0)

    def is_full(self) -> bool:
        return self.level >= self.limit

    def is_ready(self) -> bool:
        return any(ingot.temperature >= DRAW_AT for ingot in self.load)

    def is_ready_by_loop(self) -> bool:
        for ingot in self.load:
            if ingot.temperature >= DRAW_AT:
                return True
        return False

    def are_cold(self) -> bool:
        for ingot in self.load:
            if ingot.temperature < DRAW_AT:
                continue
            return False
        return True

    def energy(self) -> float:
        height = self.level * 9.81
        if self.is_open:
            height += 1.0
        total = 0
        for ingot in self.load:
            total += ingot.temperature * ingot.coefficient
        for k in range(self.count):
            total = total + height * k
        return total + self.speed**2 / 2.0

    @property
    def rise(self) -> float:
        return exp(-self.level) * self.speed

    def fold(self) -> float:
        k = 0
        x = self.level
        while k < 3 and x > 0.5:
            x = x / 2.0
            k += 1
        return x


def new_tank() -> Tank:
    sim = ev.Simulation(rng=1)
    load = [Ingot(sim, hot=k == 1) for k in range(3)]
    return Tank(sim, load=load, ingot=load[0])


@pytest.fixture(scope="module")
def registry():
    return new_registry()


@pytest.fixture
def tank() -> Tank:
    return new_tank()


# Conditions whose guide is a smooth function of states and time nearly everywhere.
SMOOTH = {
    "state": lambda tank, sim, k: lambda: tank.level >= 1.0,
    "less": lambda tank, sim, k: lambda: tank.level < k,
    "method": lambda tank, sim, k: tank.is_full,
    "and": lambda tank, sim, k: lambda: tank.level <= 0.0 and tank.speed < 0.0,
    "or not": lambda tank, sim, k: lambda: tank.level > k or not tank.speed <= tank.limit,
    "chain": lambda tank, sim, k: lambda: -1.0 < tank.level <= tank.speed < 3.0,
    "deep": lambda tank, sim, k: (
        lambda: ((tank.level > k and tank.speed > 0) or tank.level < -k) and not (tank.speed > 2 or sim.time < 1)
    ),
    "equal": lambda tank, sim, k: lambda: not tank.level == tank.speed and tank.level > k,
    "time": lambda tank, sim, k: lambda: sim.time >= k and sim.dt < 1.0 and sim.last_time < 3.0,
    "arithmetic": lambda tank, sim, k: (
        lambda: -tank.level * tank.speed / (2.0 + tank.speed) - tank.level % 0.7 + +tank.speed > k * sim.time
    ),
    "powers": lambda tank, sim, k: (
        lambda: (
            tank.level**2 + abs(tank.speed) ** 1.5 + abs(tank.level) ** 0.5 + 2.0**tank.speed + tank.level**-2
            > abs(tank.level) ** tank.speed + tank.level**tank.count
        )
    ),
    "math": lambda tank, sim, k: (
        lambda: (
            sin(tank.level)
            + math.cos(tank.speed)
            + exp(tank.level / 5)
            + math.log(abs(tank.speed))
            + math.tanh(tank.level)
            + math.sqrt(abs(tank.level))
            + math.tan(tank.level / 9)
            + math.asin(math.sin(tank.level) / 2)
            + math.acos(math.cos(tank.speed) / 2)
            + math.atan(tank.level)
            + math.atan2(tank.level, tank.speed)
            + math.hypot(tank.level, tank.speed)
            + math.copysign(tank.level, tank.speed)
            + math.fmod(tank.level, tank.speed)
            > math.log(abs(tank.level) + 2.0, 3) + k
        )
    ),
    "more math": lambda tank, sim, k: (
        lambda: (
            math.sinh(tank.level / 4)
            + math.cosh(tank.speed / 4)
            + math.asinh(tank.level)
            + math.acosh(2 + abs(tank.speed))
            + math.atanh(math.sin(tank.level) / 2)
            + math.expm1(tank.level / 4)
            + math.log1p(abs(tank.level))
            + math.log2(abs(tank.level))
            + math.log10(abs(tank.speed))
            + math.exp2(tank.level / 2)
            + math.cbrt(tank.speed)
            + math.erf(tank.level)
            + math.erfc(tank.speed)
            + math.degrees(tank.level)
            + math.radians(tank.speed)
            + math.pow(abs(tank.level), 2.5)
            > k
        )
    ),
    "least and greatest": lambda tank, sim, k: (
        lambda: min(tank.level, tank.speed, 1.0) + max(tank.level, k) + abs(tank.level) > float(tank.limit)
    ),
    "choice": lambda tank, sim, k: lambda: (tank.level if tank.speed > 0.0 else -2.0 * tank.level) > k,
    "any": lambda tank, sim, k: tank.is_ready,
    "any by a loop": lambda tank, sim, k: tank.is_ready_by_loop,
    "all by a loop": lambda tank, sim, k: tank.are_cold,
    "all": lambda tank, sim, k: lambda: all(ingot.temperature < k for ingot in tank.load),
    "sum": lambda tank, sim, k: lambda: sum(i.temperature for i in tank.load if i.coefficient > 0) > len(tank.load) * k,
    "extremes": lambda tank, sim, k: (
        lambda: max(i.temperature for i in tank.load) - min(i.temperature * k for i in tank.load) > tank.level
    ),
    "helper with loops": lambda tank, sim, k: lambda: tank.energy() < 5.0,
    "loop without bound": lambda tank, sim, k: lambda: tank.level > 0 and tank.fold() > 0.4,
    "property": lambda tank, sim, k: lambda: tank.rise > 0.3,
    "function of another file": lambda tank, sim, k: lambda: drag(tank.speed, k) > 0.5,
    "reference": lambda tank, sim, k: lambda: tank.ingot is not None and tank.ingot.temperature > k,
    "discrete parts": lambda tank, sim, k: lambda: (tank.is_open and tank.level > k) or tank.count > 5,
    "flag first": lambda tank, sim, k: lambda: (tank.is_open or tank.level < 0) & (tank.speed > k),
    "numbers told": lambda tank, sim, k: lambda: tank.level * tank.marks[tank.count] > tank.marks[0] + len(tank.marks),
    "a number sought": lambda tank, sim, k: lambda: tank.marks[bisect(tank.marks, tank.level) % 3] > tank.speed,
    "last": lambda tank, sim, k: lambda: tank.level > tank.last.level,
    "variable": lambda tank, sim, k: lambda: tank["level"].state > k,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMOOTH)
def test_truth_guide_and_slope(registry, tank, name) -> None:
    sim, rng = tank.sim, np.random.default_rng(7)
    test = SMOOTH[name](tank, sim, 0.75)
    bound = registry.condition(test)
    truths, compared = [], 0
    for _ in range(60):
        shake(sim, rng, share=0.0)
        table = table_of(sim)
        rates = table[R].copy()
        moment = Moment(*np.abs(rng.normal(0.0, 2.0, 3)).tolist())
        set_clock(sim, moment)
        answer = run_condition(bound, table, moment)
        try:
            expected = bool(test())
        except REFUSED_BY_PYTHON:
            assert answer.raises
            continue
        assert not answer.raises
        truths.append(expected)
        assert answer.holds is expected
        assert answer.guide >= 0.0 if expected else answer.guide <= 0.0
        compared += compare_slope(bound, table, rates, moment, answer)
    assert len(set(truths)) == 2
    assert compared >= 40


def compare_slope(bound, table, rates, moment: Moment, answer: Answer) -> bool:
    """Hold the slope against differences of the guide; False where they cannot tell."""
    guides = []
    for step in (-2e-6, -1e-6, 1e-6, 2e-6):
        moved = table.copy()
        moved[Y] += step * rates
        guides.append(run_condition(bound, moved, Moment(moment.time + step, moment.dt + step, moment.last_time)).guide)
    inner, outer = (guides[2] - guides[1]) / 2e-6, (guides[3] - guides[0]) / 4e-6
    if not abs(inner - outer) <= 1e-4 * (1.0 + abs(inner)):  # a kink, or a number at its limits
        return False
    assert answer.slope == pytest.approx(inner, rel=2e-4, abs=2e-4)
    return True


def test_the_guide_is_the_margin(registry, tank) -> None:
    tank.level, tank.speed = 3.0, -1.0
    tank.load[0].temperature, tank.load[1].temperature, tank.load[2].temperature = 0.0, 2.0, -4.0
    tank.rate  # noqa: B018  # rates are read from row R below
    table_of(tank.sim)[R] = 0.0
    rates, others = (one._layout.rates(one) for one in (tank, tank.load[1]))
    rates.level, rates.speed, others.temperature = 5.0, 0.25, 0.5
    sim, limit = tank.sim, 7

    def answer(test):
        return tuple(run_condition(registry.condition(test), table_of(sim), Moment(2.0, 0.5, 1.5))[:3])

    assert answer(lambda: tank.level >= 1.0) == (True, 2.0, 5.0)
    assert answer(lambda: tank.level <= 1.0) == (False, -2.0, -5.0)
    assert answer(lambda: not tank.level <= 1.0) == (True, 2.0, 5.0)
    assert answer(lambda: tank.level > 1.0 and tank.speed > 0.0) == (False, -1.0, 0.25)
    assert answer(lambda: tank.level > 1.0 or tank.speed > 0.0) == (True, 2.0, 5.0)
    assert answer(lambda: tank.level > 1.0 and tank.speed < 0.0) == (True, 1.0, -0.25)
    assert answer(lambda: tank.level == 3.5) == (False, -0.5, 5.0)
    assert answer(lambda: tank.level != 3.5) == (True, 0.5, -5.0)
    assert answer(lambda: sim.time >= limit) == (False, -5.0, 1.0)
    assert answer(tank.is_ready) == (True, 0.5, 0.5)
    assert answer(tank.is_ready_by_loop) == (True, 0.5, 0.5)
    assert answer(tank.are_cold) == (False, -0.5, -0.5)
    assert answer(lambda: tank.load == 0 if False else tank.count >= 2) == (True, 0.0, 0.0)


NAN = "nan"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        pytest.param(lambda tank: lambda: tank.is_open, (True, 1.0, 0.0), id="a parameter stands still"),
        pytest.param(lambda tank: lambda: not tank.is_open, (False, -1.0, 0.0), id="its opposite too"),
        pytest.param(lambda tank: lambda: tank.count, (True, 2.0, 0.0), id="a number as a truth"),
        pytest.param(lambda tank: lambda: True, (True, 1.0, 0.0), id="a constant"),
        pytest.param(lambda tank: lambda: tank.level, (True, 3.0, 2.0), id="a state as a truth"),
        pytest.param(lambda tank: lambda: tank.flow > 1.0, (True, 3.0, NAN), id="computed"),
        pytest.param(lambda tank: lambda: tank.total > 1.0, (False, -1.0, NAN), id="sum"),
        pytest.param(lambda tank: lambda: tank.rate.level > 1.0, (True, 1.0, NAN), id="rate"),
        pytest.param(lambda tank: lambda: int(tank.level) == 3, (True, -0.0, NAN), id="a step"),
        pytest.param(lambda tank: lambda: (tank.level > 1) + 1 > 1.5, (True, 0.5, NAN), id="a truth as a number"),
        pytest.param(lambda tank: lambda: tank.level > math.inf, (False, -1.0, 0.0), id="an infinite limit"),
        pytest.param(lambda tank: lambda: tank.level < math.nan, (False, -1.0, NAN), id="no limit at all"),
        pytest.param(
            lambda tank: lambda: tank.level > 9.0 and math.log(tank.level - 9.0) > 1.0,
            (False, -6.0, 2.0),
            id="an operand that Python does not evaluate",
        ),
        pytest.param(
            lambda tank: lambda: not tank.is_open or tank.level > 4.0, (False, -1.0, 2.0), id="a flag gives way in or"
        ),
        pytest.param(
            lambda tank: lambda: tank.is_open and tank.level > 4.0, (False, -1.0, 2.0), id="a flag gives way in and"
        ),
        pytest.param(
            lambda tank: lambda: not tank.is_open and tank.level > 4.0, (False, -1.0, 0.0), id="or decides alone"
        ),
        pytest.param(
            lambda tank: lambda: bisect(tank.marks, tank.level) > 2, (True, 1.0, NAN), id="a place in a table"
        ),
        pytest.param(lambda tank: lambda: tank.level // 2.0 > 0.0, (True, 1.0, NAN), id="a quotient that steps"),
        pytest.param(lambda tank: lambda: 7.0 // tank.level > 1.0, (True, 1.0, NAN), id="a divisor that moves"),
        pytest.param(
            lambda tank: lambda: 7.0 // tank.limit > 1.0, (True, 13.0, 0.0), id="a quotient that stands still"
        ),
        pytest.param(
            lambda tank: lambda: (tank.level > 1) // 2 < 1, (True, 1.0, NAN), id="a whole quotient that steps"
        ),
        pytest.param(lambda tank: lambda: tank.count // 2 < 2, (True, 1.0, 0.0), id="a whole quotient"),
        pytest.param(lambda tank: lambda: round(tank.level) ** 2 > 1, (True, 8.0, NAN), id="a power that steps"),
        pytest.param(
            lambda tank: lambda: True if tank.level > 1 else False,  # noqa: SIM210  # as laws are rewritten
            (True, 1.0, NAN),
            id="a choice of two",
        ),
    ],
)
def test_where_there_is_no_guide_or_no_slope(registry, make, expected) -> None:
    sim = ev.Simulation(rng=1)
    tank = Tank(sim, level=3.0)
    tank.flow, tank._layout.rates(tank).level = 4.0, 2.0
    answer = run_condition(registry.condition(make(tank)), table_of(sim))
    shown = tuple(NAN if value != value else value for value in answer[:3])
    assert shown == expected


def test_a_flag_that_is_set_in_a_loop_is_guided_by_the_comparison_that_clears_it_last(registry) -> None:
    class Found(Tank):
        def found(self) -> bool:
            found, k = False, 0
            while k < 3:
                if self.level > k:
                    found = True
                k += 1
            return found

    sim = ev.Simulation(rng=1)
    tank = Found(sim, level=3.0)
    tank.flow, tank._layout.rates(tank).level = 4.0, 2.0
    assert run_condition(registry.condition(tank.found), table_of(sim))[:3] == (True, 3.0, 2.0)


def test_what_the_laws_must_have_set_is_told(registry, tank) -> None:
    sim = tank.sim

    def told(test):
        lowered = registry.condition(test).kernel.lowered
        return lowered.needs_rates, lowered.reads_time, lowered.reads_step

    assert told(lambda: tank.level > 1.0) == (False, False, False)
    assert told(lambda: tank.rate.level > 1.0) == (True, False, False)
    assert told(lambda: tank.flow > 1.0) == (True, False, False)
    assert told(lambda: tank.total > 1.0) == (True, False, False)
    assert told(lambda: tank.last.level + tank.limit > sim.time) == (False, True, False)
    assert told(lambda: sim.dt > 1.0 or sim.last_time > 0) == (False, False, True)


TABLE = [0.0, 1.0, 0.0]
LIMITS = [3.0, 3.125]
ARRAY = np.array(TABLE)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "condition",
    [
        lambda tank: np.where((tank.level >= 3.0) & (tank.level < 3.125), 1.0, 0.0) > 0.5,
        lambda tank: np.where(tank.level >= 3.0, 1.0, 0.0) - np.where(tank.level >= 3.125, 1.0, 0.0) > 0.5,
        lambda tank: np.where(tank.level >= 3.0, tank.level, 0.0) > 0.5,
    ],
    ids=["both", "difference", "moving"],
)
def test_a_choice_between_numbers_that_stand_still_is_proved_by_what_chooses(condition: Any, compiled: bool) -> None:
    sim, times = ev.Simulation(compile="auto" if compiled else False), []
    tank = Rising(sim).start()

    def process() -> ev.ProcessGenerator:
        yield ev.until(lambda: condition(tank))
        times.append(sim.time)

    sim.process(process())
    sim.run(until=10.0)
    assert times == [pytest.approx(3.0)]


class Rising(ev.Continuous):
    level: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.level = 1.0


@pytest.mark.parametrize(
    "condition",
    [
        lambda tank: TABLE[bisect(LIMITS, tank.level)] > 0.5,
        lambda tank: ARRAY[1 if 3.0 <= tank.level < 3.125 else 0] > 0.5,
    ],
    ids=["list", "array"],
)
def test_an_item_by_an_index_that_moves_is_not_proved(condition: Any) -> None:
    sim = ev.Simulation()
    tank = Rising(sim).start()

    def process() -> ev.ProcessGenerator:
        yield ev.until(lambda: condition(tank))

    sim.process(process())
    sim.run(until=1.0)
    assert [note.kind for note in sim.explain().conditions] == ["sampled"]
