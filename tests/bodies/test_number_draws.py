"""Native processes draw from generators what Python draws, to the bit, and leave them in the same state.

So they do with what they let functions of `math` and `round` make of numbers.
"""

from __future__ import annotations

import ast
import math
import traceback
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random
from types import MethodType, ModuleType
from typing import Any

import numpy as np
import pytest
import random_bodies
from hypothesis import given
from hypothesis import strategies as st
from random_bodies import load, simulation, taken

import eventide as ev
from eventide.bodies import calls
from eventide.bodies.arithmetic import best_of, without_sign
from eventide.bodies.operands import Kind, Operand
from eventide.bodies.points import Told
from eventide.rows.mersenne_twister import (
    MOST_BELOW,
    is_gauss_as_here,
    is_normal_as_here,
    next_below,
    next_normal,
    next_uniform,
    place_of_words,
)
from eventide.streams import numpy_functions
from eventide.streams.number_draws import GENERATORS, ByFunction, OfTables, draw_of


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
    "Random": Random,
    "Stream": lambda seed: ev.Stream.named(seed, "draws"),
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
    "gen.uniform(n, n + x)",
    "gen.standard_normal() ** 2",
    "gen.weibull(x + 0.5)",
    "gen.rayleigh(x)",
    "gen.lognormal(0.0, 0.5)",
    "gen.lognormal(sigma=0.25, mean=-x)",
    "gen.gamma(2.0)",
    "gen.gamma(x + 0.5, scale=0.25)",
    "gen.weibull(1.5)",
    "gen.beta(2, x)",
    "gen.triangular(0.0, x, x + 2)",
    "gen.poisson(2)",
    "gen.poisson(lam=x)",
    "gen.geometric(0.4)",
    "abs(gen.normal(1, x))",
    "max(0.0, gen.normal(1.0, 0.75))",
    "max(0, gen.normal(0.5, x))",
    "min(n, gen.exponential(x))",
    "max(gen.exponential(x), gen.gamma(0.5), 0.125)",
    "min(gen.normal(2.0, 0.5) ** 2, 3.0)",
)
OF_GENERATOR = (
    *DURATIONS,
    "int(gen.integers(n, 9)) / n",
    "TIMES[gen.integers(3)]",
)
OF_RANDOM = (
    "gen.random()",
    "gen.expovariate(2.0)",
    "gen.uniform(0.25, x + 1.0)",
    "gen.randint(1, n)",
    "gen.randint(a=n, b=6) * 0.5",
    "gen.randrange(4)",
    "gen.randrange(n + 1)",
    "gen.randrange(n, n + 3)",
    "gen.randint(-n, 4294967290 - n) / 1e9 + n",
    "abs(gen.gauss(1, x))",
    "max(gen.gauss(1, x), 0)",
    "max(1, gen.randint(0, 4) * 0.5)",
    "abs(gen.normalvariate(x, sigma=0.5))",
    "gen.lognormvariate(0.0, 0.5)",
    "gen.gammavariate(x + 0.5, 0.25)",
    "abs(gen.triangular(0.25, 0.5 + x, mode=1))",
    "gen.gammavariate(0.5, x)",
    "gen.betavariate(2, x)",
    "gen.paretovariate(3) - 1.0",
    "gen.weibullvariate(x, 1.5)",
    "gen.vonmisesvariate(0.0, x)",
)
"""What `random` has in place of these."""
OF_STREAM = (
    "gen.random()",
    "gen.exponential(0.5)",
    "gen.negexp(x)",
    "gen.uniform(0.25, x + 1.0)",
    "gen.randint(1, n)",
    "abs(gen.normal(1, x))",
    "max(gen.normal(stdev=x, mean=1), 0)",
    "gen.poisson(2)",
    "gen.poisson(mean=x)",
    "gen.geometric(0.4)",
    "gen.erlang(x, 2)",
    "gen.erlang(k=n, mean=0.5)",
    "gen.triangular(0.0, x, x + 2)",
    "gen.lognormal(1.0, x)",
    "gen.gamma(x + 0.5, 0.25)",
    "gen.beta(2, x)",
    "gen.weibull(1.5, scale=x)",
    "gen.random() * gen.draw(0.25)",
    "TIMES[gen.histd(TIMES)]",
    "gen.discrete(CHANCES) + 0.5",
    "gen.linear([0.0, 0.5, 1.0], SPREAD) + x",
    "gen.linear(CHANCES, SPREAD)",
)
COMPUTED = (
    "round({0}, 2)",
    "round({0})",
    "round({0}) % 5",
    "math.floor({0} * 3) / 3",
    "math.ceil({0} - 0.5)",
    "math.hypot({0}, n)",
    "{0} ** 0.5 if {0} > 0 else 0.0",
    "(1.0 + abs({0})) ** -1.5",
    "math.tanh({0}) + math.atan2({0}, x)",
    "math.log10(1.0 + abs({0}))",
)
VALUES = (
    "gen.standard_normal()",
    "gen.normal()",
    "gen.normal(scale=0.5, loc=n)",
    "gen.normal(gen.random(), 0.5)",
    "-gen.exponential(2.0)",
    "gen.poisson(3.0) * n",
    "gen.random() < 0.5",
)
TABLES = "CHANCES, SPREAD = (0.0, 0.25, 1.0), [0.5, 1, 2.5]"
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


def program(seed: int, durations: tuple[str, ...], values: tuple[str, ...]) -> str:
    chance = Random(seed)
    texts = []
    for k in range(4):
        drawn = chance.sample(values, 3)
        drawn[2] = chance.choice(COMPUTED).format("y") if chance.random() < 0.7 else drawn[2]
        texts.append(STORY.format(number=k, durations=chance.sample(durations, 2), values=drawn))
    return "\n\n".join([f"import math\n\nimport eventide as ev\n\nTIMES = [0.5, 1.5, 0.25]\n{TABLES}", *texts])


def state_of(gen: Any) -> Any:
    if isinstance(gen, Random):
        return gen.getstate()
    if isinstance(gen, ev.Stream):
        return gen.drawn
    return gen.get_state() if isinstance(gen, np.random.RandomState) else gen.bit_generator.state


def outcome(compiles: Any, module: ModuleType, make: Make, *, native: bool) -> tuple[str, ev.Simulation]:
    sim, gen, log = simulation(compiles, native=native), make(3), list[Any]()
    desk = ev.Resource(sim, 3)
    for k in range(4):
        sim.process(getattr(module, f"story{k}")(sim, gen, desk, log, 0.5 + k, 1 + k))
    sim.run(until=120.0)
    return repr([log, sim.time, sim.events, desk.waits.mean, gen.random(), state_of(gen)]), sim


def compare(seed: int, made: str, folder: Path, *, native: bool) -> None:
    own = {"Random": OF_RANDOM, "Stream": OF_STREAM}.get(made)
    durations = DURATIONS if made == "RandomState" else OF_GENERATOR
    words = (own, own) if own else (durations, (*durations, *VALUES))
    make, module = MAKERS[made], load(program(seed, *words), folder, f"number_draws_{seed}")
    (expected, _), (found, sim) = (outcome(way, module, make, native=native) for way in (False, "auto"))
    assert found == expected, seed
    assert taken(sim) > 0.5 * sim.events, seed


@pytest.mark.slow
@pytest.mark.parametrize("made", MAKERS)
def test_rows_that_run_as_python_draw_the_same(made: str, tmp_path: Path) -> None:
    for seed in range(8):
        compare(seed, made, tmp_path, native=False)


@pytest.mark.slow
@pytest.mark.parametrize("made", MAKERS)
def test_native_rows_draw_the_same(made: str, tmp_path: Path) -> None:
    compare(sum(map(ord, made)), made, tmp_path, native=True)


NATIVE = pytest.mark.parametrize("native", [False, True])


class Shop:
    mean = 1.0
    most = 1


def customer(sim: ev.Simulation, shop: Shop, gen: Any, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(gen.random())
        log.append(gen.exponential(shop.mean))


def manager(shop: Shop) -> ev.ProcessGenerator:
    for mean in (2.0, -1.0, 0.5):
        yield ev.hold(10.0)
        shop.mean = mean


NUMBERS = (2.0, -0.5, 0.0, -0.0, 1.5, 2.5, -1e300, 1e300, 0.1 + 0.2, 2.675, 1e17, float("inf"), float("nan"), -3.0, 8.0)


def calculator(sim: ev.Simulation, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(shop.mean**0.5)
        yield ev.hold(0.25)
        log.append(2.0**shop.mean)
        yield ev.hold(0.25)
        log.append(math.floor(shop.mean))
        yield ev.hold(0.25)
        log.append((math.fmod(shop.mean, 0.5), round(shop.mean, 1), round(shop.mean)))
        yield ev.hold(0.25)
        log.append((math.acosh(shop.mean), math.log(shop.mean, 3)))
        yield ev.hold(0.25)
        log.append(math.atan2(shop.mean, -shop.mean))


def calculated(way: Any, *, native: bool) -> tuple[str, ev.Simulation]:
    sim, shop, log = simulation(way, native=native), Shop(), list[Any]()
    for _ in range(3):
        sim.process(calculator(sim, shop, log))
    for number in NUMBERS:
        shop.mean = number
        end = sim.time + 20.0
        while sim.time < end:  # each error ends its process
            try:
                sim.run(until=end)
            except (ArithmeticError, ValueError) as error:
                frames = traceback.extract_tb(error.__traceback__)
                log.append((repr(error), [(f.name, f.lineno) for f in frames if f.filename == __file__], sim.time))
                sim.process(calculator(sim, shop, log))
    return repr([log, sim.time, sim.events]), sim


@pytest.mark.slow
@NATIVE
def test_errors_of_functions_are_raised_where_they_stand(native: bool) -> None:
    (expected, _), (found, sim) = (calculated(way, native=native) for way in (False, "auto"))
    assert found == expected
    assert taken(sim) > 0.4 * sim.events


def thrown(sim: ev.Simulation, gen: Random, log: list[int]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(gen.randint(1, 6))


@pytest.mark.slow
@NATIVE
def test_a_generator_with_methods_of_its_own_is_python_s(native: bool) -> None:
    told = []
    for way in (False, "auto"):
        sim, gen, log = simulation(way, native=native), Random(1), list[int]()
        sim.process(thrown(sim, gen, log))
        sim.run(until=20.0)
        gen.getrandbits = lambda bits: 2 if bits == 3 else 0  # type: ignore[method-assign]
        sim.run(until=40.0)
        del gen.getrandbits
        sim.run(until=60.0)
        told.append((log, gen.getstate()))
        assert taken(sim) > 0.4 * sim.events or not way
    assert told[0] == told[1]
    assert told[0][0][80:159] == [3] * 79


def test_a_generator_draws_by_its_words_what_its_methods_draw() -> None:
    known, drawn, counts = Random(4), Random(4), [1, 2, 3, 4, 5, 6, 1000, 2**31, 2**31 + 1, MOST_BELOW]
    place = place_of_words()
    assert place is not None
    for k in range(1500):  # the words are made anew at each 624th
        if k % 7 == 0:
            assert next_normal(id(drawn) + place) == known.normalvariate(0.0, 1.0)
        elif k % 3:
            assert next_uniform(id(drawn) + place) == known.random()
        else:
            count = counts[k // 3 % len(counts)]
            assert next_below(id(drawn) + place, count) == known.randrange(count)
    assert drawn.getstate() == known.getstate()


def shaped(sim: ev.Simulation, shop: Shop, draw: Callable[[float], float], log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(draw(shop.mean))


@NATIVE
@pytest.mark.parametrize(("made", "name"), [("default_rng", "weibull"), ("Random", "paretovariate")])
def test_a_shape_that_may_be_any_number_is_native(made: str, name: str, native: bool) -> None:
    told, sim = [], ev.Simulation()
    for way in (False, "auto"):
        sim, shop, gen, log = simulation(way, native=native), Shop(), MAKERS[made](2), list[float]()
        sim.process(shaped(sim, shop, getattr(gen, name), log))
        for shape in (1.0, 2.5, 1e300, float("inf"), 1.5):
            shop.mean = shape
            sim.run(until=sim.time + 10.0)
        told.append((log, state_of(gen)))
    assert repr(told[0]) == repr(told[1])
    assert taken(sim) > 0.7 * sim.events


def measured(sim: ev.Simulation, stream: ev.Stream, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(max(stream.normal(1.0, 0.25), 0.0))
        log.append(stream.normal(sim.time, 2.0))


@NATIVE
def test_normal_numbers_of_a_stream_are_native(native: bool) -> None:
    told, sim = [], ev.Simulation()
    for way in (False, "auto"):
        sim, stream, log = simulation(way, native=native), MAKERS["Stream"](2), list[float]()
        sim.process(measured(sim, stream, log))
        sim.run(until=200.0)
        told.append((log, state_of(stream)))
    assert told[0] == told[1]
    assert taken(sim) > 0.9 * sim.events


MOCKED = """import eventide as ev

def mocked(sim, gen, log):
    while True:
        yield ev.hold(0.25)
        log.append({})
"""


@pytest.mark.parametrize(
    ("made", "name", "draw"),
    [
        ("Random", "getrandbits", "gen.randint(1, 6)"),
        ("Random", "randint", "gen.randint(1, 6)"),
        ("Random", "choices", "gen.choices([1, 2, 3])[0]"),
        ("Stream", "randint", "gen.randint(1, 6)"),
        ("Stream", "poisson", "gen.poisson(2.0)"),
    ],
)
def test_a_class_whose_methods_are_exchanged_draws_by_these(
    made: str, name: str, draw: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As tests of models do."""

    def other(self: object, *given: object) -> Any:
        return [2.5] if name == "choices" else 2 if name == "getrandbits" else 2.5

    other.__name__ = name
    story, told = load(MOCKED.format(draw), tmp_path, f"mocked_{made}_{name}").mocked, []
    for way in (False, "auto"):
        sim, gen, log = simulation(way), MAKERS[made](1), list[Any]()
        sim.process(story(sim, gen, log))
        sim.run(until=20.0)
        with monkeypatch.context() as exchanged:
            exchanged.setattr(type(gen), name, other)
            sim.run(until=40.0)
            fresh = simulation(way)
            fresh.process(story(fresh, gen, log))
            fresh.run(until=20.0)
        sim.run(until=60.0)
        told.append((log, state_of(gen)))
    assert told[0] == told[1]
    assert len({*told[0][0][81:230]}) == 1


def bound(sim: ev.Simulation, draw: Callable[..., float], log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(draw(1.0, 2.0))


@pytest.mark.parametrize("made", ["default_rng", "Random", "Stream"])
def test_a_function_that_was_bound_to_a_generator_draws_itself(made: str) -> None:
    """Under the name of one of its methods."""

    def uniform(self: object, low: float, high: float) -> float:
        return low + 0.5 * (high - low)

    told = []
    for way in (False, "auto"):
        sim, gen, log = simulation(way), MAKERS[made](2), list[float]()
        sim.process(bound(sim, MethodType(uniform, gen), log))
        sim.run(until=20.0)
        told.append((log, state_of(gen)))
    assert told[0] == told[1]
    assert {*told[0][0]} == {1.5}


def drawing(sim: ev.Simulation, shop: Shop, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(shop.random())  # type: ignore[attr-defined]  # it is set below


@pytest.mark.parametrize("made", ["Random", "Stream", "default_rng"])
def test_a_method_of_a_generator_that_an_object_keeps_is_native(made: str) -> None:
    told, sim = [], ev.Simulation()
    for way in (False, "auto"):
        sim, shop, log = simulation(way), Shop(), list[float]()
        gen, other = MAKERS[made](2), MAKERS[made](3)
        shop.random = gen.random  # type: ignore[attr-defined]
        sim.process(drawing(sim, shop, log))
        sim.run(until=50.0)
        shop.random = other.random  # type: ignore[attr-defined]
        sim.run(until=100.0)
        told.append((log, state_of(gen), state_of(other)))
    assert told[0] == told[1]
    assert taken(sim) > 0.9 * sim.events
    assert sim._migration is not None
    assert sim._migration.exits == {}


def test_other_iterators_are_no_streams() -> None:
    told = []
    for way in (False, "auto"):
        sim, shop, log = simulation(way), Shop(), list[float]()
        shop.random = cycle([1, 2.5]).__next__  # type: ignore[attr-defined]
        sim.process(drawing(sim, shop, log))
        sim.run(until=50.0)
        told.append(log)
    assert repr(told[0]) == repr(told[1])


def staged(sim: ev.Simulation, stream: ev.Stream, log: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(stream.erlang(1.0, k=3))
        log.append(stream.erlang(0.5, 2))


def test_a_sum_of_a_few_stages_is_written_out() -> None:
    told, sim = [], ev.Simulation()
    for way in (False, "auto"):
        sim, stream, log = simulation(way), MAKERS["Stream"](2), list[float]()
        sim.process(staged(sim, stream, log))
        sim.run(until=100.0)
        told.append((log, state_of(stream)))
    assert told[0] == told[1]
    assert taken(sim) > 0.8 * sim.events
    assert sim._migration is not None
    bodies = [one for known in sim._migration._bodies._known.values() for one in known]
    assert not any("call_builtin" in one.text for one in bodies)


def far(sim: ev.Simulation, gen: Random, log: list[int]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        n = gen.randint(1, 2**34)
        yield ev.hold(0.25)
        log.append(gen.randint(1, n))


@pytest.mark.slow
@NATIVE
def test_a_number_below_what_one_word_holds_no_more_is_python_s(native: bool) -> None:
    told = []
    for way in (False, "auto"):
        sim, gen, log = simulation(way, native=native), Random(1), list[int]()
        sim.process(far(sim, gen, log))
        sim.run(until=200.0)
        told.append((log, gen.getstate()))
    assert told[0] == told[1]
    assert any(n > 2**32 for n in told[0][0])


def paired(sim: ev.Simulation, gen: Random, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(abs(gen.gauss(1.0, 0.25)))
        log.append(gen.gauss(0.0, 2.0))
        yield ev.hold(0.25)
        log.append(gen.gauss(sim.time, 2.0))


@NATIVE
def test_who_draws_one_of_a_pair_leaves_the_other_to_whoever_comes_next(native: bool) -> None:
    told, sim = [], ev.Simulation()
    for way in (False, "auto"):
        sim, gen, log = simulation(way, native=native), Random(1), list[Any]()
        sim.process(paired(sim, gen, log))
        for k in range(1, 41):
            sim.run(until=5.0 * k)
            log += [gen.gauss_next, gen.gauss(0.0, 1.0) if k % 3 else None]  # type: ignore[attr-defined]  # it has that
            if k % 5 == 0:
                gen.seed(k)
        told.append((log, gen.getstate()))
    assert told[0] == told[1]
    assert taken(sim) > 0.4 * sim.events


def test_this_python_draws_as_native_code_does() -> None:
    assert place_of_words() is not None
    assert is_normal_as_here()
    assert is_gauss_as_here()


def tossed(sim: ev.Simulation, gen: Random, log: list[int]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        log.append(gen.randint(0, 1))


def test_a_generator_whose_words_are_not_found_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "place_of_words", lambda: None)
    told = []
    for way in (False, "auto"):
        sim, gen, log = simulation(way), Random(1), list[int]()
        sim.process(tossed(sim, gen, log))
        sim.run(until=50.0)
        told.append((log, gen.getstate()))
    assert told[0] == told[1]
    assert taken(sim) > 0.9 * sim.events


WAYS = {name: draw.way for name, draw in GENERATORS[np.random.Generator].items()}
BY_FUNCTION = {name: way for name, way in WAYS.items() if isinstance(way, ByFunction)}


@pytest.mark.parametrize("name", BY_FUNCTION)
@pytest.mark.parametrize("made", ["default_rng", "MT19937", "Philox", "SFC64"])
def test_a_function_of_numpy_draws_what_the_method_draws_that_calls_it(made: str, name: str) -> None:
    known, other, chance = MAKERS[made](6), MAKERS[made](6), Random(7)
    draw = GENERATORS[np.random.Generator][name]
    entry = numpy_functions.entry_of(getattr(other, name), BY_FUNCTION[name].name, counts=draw.counts)
    for _ in range(500):
        given: list[Any] = [abs(chance.gauss(0.0, 10.0 ** chance.randint(-2, 1))) for _ in draw.arguments]
        if name == "integers":
            low, width = chance.randint(-9, 9), chance.choice([0, 1, 5, 2**31, 2**32 - 1, 2**32, 2**50])
            assert entry.call(low, width, 0, 0) == known.integers(low, low + width + 1)
        elif name == "uniform":
            low, high = sorted(given)
            assert entry.call(low, high - low) == known.uniform(low, high)
        else:
            given = [min(max(x, one.low), one.high) for x, one in zip(given, draw.arguments, strict=True)]
            assert entry.call(*given) == getattr(known, name)(*given)
    assert repr(state_of(other)) == repr(state_of(known))


def changing(shop: Shop, numbers: tuple[float, ...]) -> ev.ProcessGenerator:
    for number in numbers:
        yield ev.hold(10.0)
        shop.mean, shop.most = number, int(number)


SIZED = """import eventide as ev

def sized(sim, shop, gen, log):
    while True:
        yield ev.hold(0.25)
        log.append({})
"""


@NATIVE
@pytest.mark.parametrize("is_called", [False, True])
@pytest.mark.parametrize(
    "draw", ["gen.exponential(shop.mean)", "gen.uniform(1.0, shop.mean)", "int(gen.integers(0, shop.most))"]
)
def test_what_methods_of_numpy_refuse_is_left_to_them(
    draw: str, native: bool, is_called: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if is_called:  # as where the library of numpy does not show its functions
        monkeypatch.setattr(calls, "address_of", lambda name: None)
    story, told = load(SIZED.format(draw), tmp_path, f"sized_{is_called}").sized, []
    for way in (False, "auto"):
        sim, shop, gen, log = simulation(way, native=native), Shop(), np.random.default_rng(2), list[Any]()
        sim.process(changing(shop, (2.0, 0.0, -0.0, 1.0, 3.0, -1.0, 1e10)))
        for _ in range(12):
            sim.process(story(sim, shop, gen, log))
            try:
                sim.run(until=80.0)
            except ValueError as error:
                log.append((str(error), sim.time))
        told.append(repr([log, sim.events, gen.random(), state_of(gen)]))
    assert told[0] == told[1]
    assert taken(sim) > 0.3 * sim.events


class OwnGenerator(np.random.Generator):
    """One that might draw otherwise."""

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return 0.5 * super().exponential(scale, size)


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


@pytest.mark.parametrize("made", ["default_rng", "RandomState"])
def test_what_is_no_number_is_drawn_as_in_python(made: str) -> None:
    told = []
    for way in (False, "auto"):
        sim, shop, gen, log = simulation(way), Shop(), MAKERS[made](2), list[float]()
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


@pytest.mark.slow
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


KINDS = [
    (kind, name)
    for kind, table in GENERATORS.items()
    for name, draw in table.items()
    if not isinstance(draw.way, OfTables)
]


@pytest.mark.slow
@given(st.sampled_from(KINDS), st.integers(0, 2**32 - 1), st.data())
def test_what_is_drawn_lies_within_the_bounds_that_are_told(
    kind: tuple[type, str], seed: int, data: st.DataObject
) -> None:
    owner, name = kind
    draw = GENERATORS[owner][name]
    ranges = [(max(one.low, -1e6), min(one.high, 1e6)) for one in draw.arguments]
    given: list[float] = [data.draw(st.floats(*bounds)) for bounds in ranges]
    if name == "triangular":
        given = sorted(given)
        given[2] += given[2] == given[0]
    if name == "uniform":
        given.sort()
    if draw.kinds == ("int",):
        given = sorted(abs(int(number)) + k for k, number in enumerate(given, 1))
    if name == "erlang":
        given[1] = 1.0 + int(given[1]) % 40
    if name == "gammavariate":
        given[1] += given[1] == 0.0
    low, high = draw.range_of(*((one, one) for one in given))
    makers = [make for make in MAKERS.values() if draw_of(getattr(make(seed), name, None)) is draw]
    assert makers
    for make in makers:
        method = getattr(make(seed), name)
        numbers = [method(*given) for _ in range(100)]
        assert low <= min(numbers) <= max(numbers) <= high
        assert {type(number) for number in numbers} == {np.int64 if draw.is_numpy else int if draw.counts else float}


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


TIMES = [0.25, 0.5, 1.5]


def dice(sim: ev.Simulation, gen: Any, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(gen.integers(1, 4))
        n, x = int(gen.integers(6)), TIMES[gen.integers(3)]
        if gen.integers(2) == 0 and 0 < gen.integers(4) <= n:
            n += 1
        log.append((n, x, float(gen.integers(2, 5)), bool(gen.integers(2)), sim.time))
        yield ev.hold(x / (1 + int(gen.integers(n, 9))))


def unlucky(sim: ev.Simulation, gen: Any, log: list[Any]) -> ev.ProcessGenerator:
    n = 0
    while True:
        yield ev.hold(0.5)
        n = n % 40 + 1
        log.append((int(gen.integers(n, 40)), sim.time))


def below(sim: ev.Simulation, gen: Any, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(gen.integers(-1, 19))
        yield ev.hold(0.25)
        log.append(TIMES[gen.integers(3)] / (gen.random() + 0.5))
        yield ev.hold(0.25)


def largest(sim: ev.Simulation, gen: Any, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        log.append((max(gen.integers(7), 3), sim.time))


def typed(sim: ev.Simulation, gen: Any, log: list[Any]) -> ev.ProcessGenerator:
    n = 0
    while True:
        yield ev.hold(0.5)
        n, is_six, is_low = gen.integers(7), gen.integers(7) == 6, 0 < gen.integers(7) < 3
        log.append((type(n), type(is_six), type(is_low), n, gen.integers(3)))


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("story", [dice, unlucky, below, typed, largest])
def test_whole_numbers_of_numpy_are_of_its_own_class(story: Any, native: bool) -> None:
    told = []
    for way in (False, "auto"):
        sim, gen, log = simulation(way, native=native), np.random.default_rng(3), list[Any]()
        for _ in range(3):
            sim.process(story(sim, gen, log))
        for _ in range(10):
            try:
                sim.run(until=120.0)
            except (ValueError, ev.ModelError) as error:
                frames = traceback.extract_tb(error.__traceback__)
                log.append((str(error), [(f.name, f.lineno) for f in frames if f.filename == __file__], sim.time))
                sim.process(story(sim, gen, log))
        told.append((repr(log), sim.events, repr(gen.bit_generator.state), taken(sim)))
    assert len(told[0][0]) > 1000
    assert told[0][:3] == told[1][:3]
    assert (told[1][3] > 0.5 * told[1][1]) == (story is not typed)


def test_python_is_told_numbers_of_their_own_classes() -> None:
    node = ast.Constant(0)
    kinds: list[tuple[Kind, bool]] = [("int", True), ("bool", True), ("int", False), ("bool", False)]
    found = [Told(node, kind, is_numpy, "c").value({"c": 1}) for kind, is_numpy in kinds]
    assert [type(one) for one in found] == [np.int64, np.bool_, int, bool]
    assert [Told(node, "mixed", False, "c", "i").value({"c": 1.0, "i": i}) for i in (0, 1)] == [1.0, 1]
