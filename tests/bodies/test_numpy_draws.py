"""Native processes draw from numpy's generators what Python draws, to the bit, and leave them in the same state."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import random_bodies
from hypothesis import given
from hypothesis import strategies as st
from random_bodies import load, simulation, taken

import eventide as ev
from eventide.bodies.arithmetic import best_of, without_sign
from eventide.bodies.operands import Operand
from eventide.streams.numpy_draws import DRAWS, draw_of


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


Make = Callable[[int], Any]
MAKERS: dict[str, Make] = {
    "default_rng": np.random.default_rng,
    "MT19937": lambda seed: np.random.Generator(np.random.MT19937(seed)),
    "Philox": lambda seed: np.random.Generator(np.random.Philox(seed)),
    "SFC64": lambda seed: np.random.Generator(np.random.SFC64(seed)),
    "RandomState": np.random.RandomState,
}
DURATIONS = (
    "gen.random()",
    "gen.exponential()",
    "gen.exponential(0.5)",
    "gen.exponential(scale=x)",
    "gen.exponential(n)",
    "gen.standard_exponential()",
    "gen.uniform()",
    "gen.uniform(0.25, x + 1.0)",
    "gen.uniform(high=2)",
    "gen.rayleigh(x)",
    "gen.lognormal(0.0, 0.5)",
    "gen.lognormal(sigma=0.25, mean=-x)",
    "gen.gamma(2.0)",
    "gen.gamma(x + 0.5, scale=0.25)",
    "gen.weibull(1.5)",
    "gen.triangular(0.0, x, x + 2)",
    "gen.poisson(2)",
    "gen.poisson(lam=x)",
    "gen.geometric(0.4)",
    "abs(gen.normal(1, x))",
    "max(0.0, gen.normal(1.0, 0.75))",
    "max(gen.exponential(x), gen.gamma(0.5), 0.125)",
    "min(gen.normal(2.0, 0.5) ** 2, 3.0)",
)
VALUES = (
    *DURATIONS,
    "gen.standard_normal()",
    "gen.normal()",
    "gen.normal(scale=0.5, loc=n)",
    "gen.normal(gen.random(), 0.5)",
    "-gen.exponential(2.0)",
    "gen.poisson(3.0) * n",
    "gen.random() < 0.5",
)
STORY = """
def story{number}(sim, gen, desk, log, x, n):
    while True:
        yield ev.hold({durations[0]})
        y = {values[0]}
        log.append(({number}, n, sim.time, y))
        with desk.request() as place:
            yield place
            if gen.random() < 0.5:
                n = 1 + n % 4
            else:
                x = 0.5 + abs({values[1]}) % 2.0
            yield ev.hold({durations[1]})
        log.append(({number}, {values[2]}, x, sim.time))
"""


def program(seed: int) -> str:
    chance = Random(seed)
    stories = [
        STORY.format(number=k, durations=chance.sample(DURATIONS, 2), values=chance.sample(VALUES, 3)) for k in range(4)
    ]
    return "\n\n".join(["import eventide as ev\n", *stories])


def outcome(compiles: Any, module: ModuleType, make: Make, *, native: bool) -> tuple[str, ev.Simulation]:
    sim, gen, log = simulation(compiles, native=native), make(3), list[Any]()
    desk = ev.Resource(sim, 3)
    for k in range(4):
        sim.process(getattr(module, f"story{k}")(sim, gen, desk, log, 0.5 + k, 1 + k))
    sim.run(until=120.0)
    generator = gen if isinstance(gen, np.random.RandomState) else gen.bit_generator
    state = generator.get_state() if isinstance(gen, np.random.RandomState) else generator.state
    return repr([log, sim.time, sim.events, desk.waits.mean, gen.random(), state]), sim


def compare(seed: int, make: Make, folder: Path, *, native: bool) -> None:
    module = load(program(seed), folder, f"numpy_draws_{seed}")
    (expected, _), (found, sim) = (outcome(way, module, make, native=native) for way in (False, "auto"))
    assert found == expected, seed
    assert taken(sim) > 0.5 * sim.events, seed


@pytest.mark.parametrize("made", MAKERS)
def test_rows_that_run_as_python_draw_the_same(made: str, tmp_path: Path) -> None:
    for seed in range(8):
        compare(seed, MAKERS[made], tmp_path, native=False)


@pytest.mark.slow
@pytest.mark.parametrize("made", MAKERS)
def test_native_rows_draw_the_same(made: str, tmp_path: Path) -> None:
    compare(sum(map(ord, made)), MAKERS[made], tmp_path, native=True)


class Shop:
    mean = 1.0


def customer(sim: ev.Simulation, shop: Shop, gen: Any, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(gen.random())
        log.append(gen.exponential(shop.mean))


def manager(shop: Shop) -> ev.ProcessGenerator:
    for mean in (2.0, -1.0, 0.5):
        yield ev.hold(10.0)
        shop.mean = mean


class OwnGenerator(np.random.Generator):
    """One that might draw otherwise."""

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return 0.5 * super().exponential(scale, size)


NATIVE = pytest.mark.parametrize("native", [False, True])


def shopped(compiles: Any, gen: Any, *, native: bool) -> tuple[list[Any], ev.Simulation]:
    sim, shop, log = simulation(compiles, native=native), Shop(), list[Any]()
    for _ in range(2):
        sim.process(customer(sim, shop, gen, log))
    sim.process(manager(shop))
    for _ in range(3):
        try:
            sim.run(until=40.0)
        except ValueError as error:
            frames = traceback.extract_tb(error.__traceback__)
            log.append((str(error), [(f.name, f.lineno) for f in frames if f.filename == __file__]))
    return [*log, sim.events, sim.time, gen.random()], sim


@NATIVE
def test_arguments_that_numpy_refuses_are_told_as_in_python(native: bool) -> None:
    expected, _ = shopped(False, np.random.default_rng(5), native=native)
    found, sim = shopped("auto", np.random.default_rng(5), native=native)
    assert found == expected
    assert [one[0] for one in found if isinstance(one, tuple)] == ["scale < 0"] * 2
    assert taken(sim) > 0.5 * sim.events


def unsure(shop: Shop, gen: Any, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        log.append(gen.normal(shop.mean, shop.mean))


def test_what_is_no_number_is_drawn_as_in_python() -> None:
    told = []
    for way in (False, "auto"):
        sim, shop, gen, log = simulation(way), Shop(), np.random.default_rng(2), list[float]()
        sim.process(unsure(shop, gen, log))
        for mean in (1.0, float("inf"), 2.0):
            shop.mean = mean
            sim.run(until=sim.time + 50.0)
        told.append(repr([*log, sim.events, gen.random()]))
    assert told[0] == told[1]
    assert told[0].count("nan") > 10


def test_generators_of_other_classes_are_python_s() -> None:
    def own() -> OwnGenerator:
        return OwnGenerator(np.random.PCG64(5))

    (expected, _), (found, _) = (shopped(way, own(), native=False) for way in (False, "auto"))
    assert found == expected


def exchanged(sim: ev.Simulation, owner: Any, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(owner.gen.exponential(0.5))
        log.append(sim.time)


def replaced(sim: ev.Simulation, owner: Any, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(owner.gen.exponential(0.5))
        log.append(sim.time)


def exchanging(story: Any, seconds: list[Make], *, native: bool) -> ev.Simulation:
    """Other generators take the place of one, in Python and in rows, which leave the same."""
    told = []
    for way in (False, "auto"):
        sim, owner, log = simulation(way, native=native), Shop(), list[float]()
        vars(owner)["gen"] = np.random.default_rng(1)
        for _ in range(3):
            sim.process(story(sim, owner, log))
        sim.run(until=20.0)
        for k, make in enumerate(seconds, 2):
            vars(owner)["gen"] = make(k)
            sim.run(until=20.0 * k)
        told.append(log)
    assert len(told[0]) > 200
    assert told[0] == told[1]
    return sim


@NATIVE
def test_another_generator_counts_from_the_next_event(native: bool) -> None:
    sim = exchanging(exchanged, [np.random.default_rng, np.random.RandomState], native=native)
    assert taken(sim) > 0.9 * sim.events


def test_one_that_draws_otherwise_does_so_from_the_next_event() -> None:
    sim = exchanging(replaced, [lambda seed: OwnGenerator(np.random.PCG64(seed))], native=False)
    assert taken(sim) > 100


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    inflow: float = 1.0

    def equations(self) -> None:
        self.rate.level = self.inflow - 0.1 * self.level


def keeper(tank: Tank, gen: Any, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(gen.exponential(0.5))
        tank.inflow = gen.uniform(0.5, 2.0)
        log.append(tank.level)


@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_beside_flows_they_draw_the_same(stepping: Any) -> None:
    told, sim = [], ev.Simulation()
    for way in (False, "auto"):
        sim, gen, log = simulation(way, native=True, stepping=stepping), np.random.default_rng(4), list[float]()
        tanks = [Tank(sim, level=1.0 * k).start() for k in range(2)]
        for tank in tanks:
            sim.process(keeper(tank, gen, log))
        sim.run(until=60.0)
        told.append([*log, sim.events, gen.random(), *(tank.level for tank in tanks)])
    assert told[0] == told[1]
    assert taken(sim) > 0.8 * sim.events


@given(st.sampled_from(sorted(DRAWS)), st.integers(0, 2**32 - 1), st.data())
def test_what_is_drawn_lies_within_the_bounds_that_are_told(name: str, seed: int, data: st.DataObject) -> None:
    draw = DRAWS[name]
    ranges = [(max(one.low, -1e6), min(one.high, 1e6)) for one in draw.arguments]
    given = [data.draw(st.floats(*bounds)) for bounds in ranges]
    if name == "triangular":
        given = sorted(given)
        given[2] += given[2] == given[0]
    if name == "uniform":
        given.sort()
    low, high = draw.range_of(*((one, one) for one in given))
    for make in MAKERS.values():
        gen = make(seed)
        numbers = getattr(gen, name)(*given, 200)
        assert draw_of(getattr(gen, name)) is draw
        assert low <= numbers.min() <= numbers.max() <= high
        one = getattr(gen, name)(*given)
        assert type(one) is (int if draw.counts else float)


@given(st.data())
def test_bounds_of_sizes_and_of_the_least_and_greatest(data: st.DataObject) -> None:
    numbers, operands = [], []
    for _ in range(3):
        low, number, high = sorted(data.draw(st.floats(-1e3, 1e3)) for _ in range(3))
        numbers.append(number)
        operands.append(Operand("t", "float", low=low, high=high, is_number=True))
    for function in (min, max):
        known = best_of(function, operands)
        assert known["low"] <= function(numbers) <= known["high"]
    known = without_sign(operands[0])
    assert known["low"] <= abs(numbers[0]) <= known["high"]
    unsure = operands[0]._replace(is_number=False)
    assert best_of(min, [*operands, unsure]) == without_sign(unsure) == {}
