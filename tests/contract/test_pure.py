"""What holds between events gives the same result whenever it is evaluated: random numbers and clocks are refused."""

from __future__ import annotations

import datetime as dt
import random
import secrets
import time
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eventide as ev

RANDOM = (
    "Draw in an event, from sim.stream(name), and keep the number in a field; or take an input, as ev.inputs.HeldNoise"
)
TIME = "The time of the model is sim.time"
generator = np.random.default_rng(1)
python_generator = random.Random(1)


class Noisy(ev.Continuous):
    x: ev.State = ev.state(1.0)
    noise: Any = None

    def equations(self):
        self.rate.x = 1.0


CALLS = [
    (lambda self: random.random(), "random.random", RANDOM),
    (lambda self: random.gauss(0.0, 1.0), "random.gauss", RANDOM),
    (lambda self: np.random.normal(), "np.random.normal", RANDOM),  # noqa: NPY002  # as above
    (lambda self: generator.normal(), "generator.normal", RANDOM),
    (lambda self: python_generator.random(), "python_generator.random", RANDOM),
    (lambda self: secrets.randbelow(3), "secrets.randbelow", RANDOM),
    (lambda self: self.sim.stream("a").uniform(0.0, 1.0), "self.sim.stream", RANDOM),
    (lambda self: self.noise.uniform(0.0, 1.0), "self.noise.uniform", RANDOM),
    (lambda self: time.time(), "time.time", TIME),
    (lambda self: perf_counter(), "perf_counter", TIME),
    (lambda self: dt.datetime.now().second, "dt.datetime.now", TIME),  # noqa: DTZ005  # what a hurried user writes
]


@pytest.mark.parametrize(("read", "name", "advice"), CALLS, ids=[name for _, name, _ in CALLS])
def test_a_condition_that_calls_it_is_refused_by_name(read, name, advice):
    sim = ev.Simulation(rng=1)
    noisy = type("Noisy", (Noisy,), {"look": ev.when(read)(lambda self: None)})(sim, noise=sim.stream("a"), name="n")
    with pytest.raises(ev.ModelError) as info:
        noisy.start()
    assert str(info.value) == (
        f"{name}() at {__file__}:{read.__code__.co_firstlineno} is called in the condition of n, where the same time "
        f"and states have to give the same result: a step evaluates it at many points. {advice}"
    )


def test_equations_that_call_it_are_refused_when_they_are_started():
    class Drifting(Noisy):
        def equations(self):
            self.rate.x = random.random()

    sim = ev.Simulation(rng=1)
    with pytest.raises(
        ev.ModelError, match=r"^random.random\(\) at .* is called in the equations of Drifting 1, where "
    ):
        Drifting(sim).start()


def test_handlers_and_seeded_objects_are_free():
    class Free(Noisy):
        limit: float = 1.5

        def equations(self):
            self.rate.x = math_of(self.sim.time)

        @ev.when(lambda self: self.x > self.limit)
        def reached(self):
            self.limit = self.sim.stream("a").uniform(1.0, 2.0)

    def math_of(time):
        return 1.0 + 0.0 * time

    sim = ev.Simulation(rng=1)
    free = Free(sim, noise=sim.stream("b")).start()
    sim.run(until=1.0)
    assert free.limit != 1.5


@pytest.mark.parametrize("draw", ["random.random", "np.random.exponential"])
def test_a_process_that_draws_from_the_generator_of_the_program_is_warned_of_once(draw):
    def by_random():
        yield ev.hold(random.random())

    def by_numpy():
        yield ev.hold(np.random.exponential())  # noqa: NPY002  # it is warned of

    story = by_random if draw == "random.random" else by_numpy
    sim = ev.Simulation(rng=1)
    with pytest.warns(ev.RandomWarning) as caught:
        _ = sim.process(story()), sim.process(story())
    message = (
        f"{draw}() draws from the generator of the whole program, which neither the entropy of a simulation nor the "
        'number of a replication determines: write `sim.stream("name").uniform(0.0, 1.0)`, or another of its '
        "distributions"
    )
    assert [(str(one.message), one.filename) for one in caught] == [(message, __file__)]


def test_a_process_may_draw_from_a_generator_of_its_own():
    """Whose seed is the model's: a warning would be an error here."""
    own, of_numpy = random.Random(1), np.random.RandomState(1)  # an old one is a model's own as well

    def story(own, of_numpy):
        yield ev.hold(own.expovariate(1.0))
        yield ev.hold(of_numpy.exponential())

    sim = ev.Simulation()
    sim.process(story(own, of_numpy))
    sim.run()
    assert sim.time > 0.0


def noise():
    return 1.0 + random.random()


def gusts():
    return 2.0 * noise()


def test_functions_and_methods_that_a_law_calls_are_looked_through():
    class Drifting(Noisy):
        def equations(self):
            self.rate.x = self.wind()

        def wind(self):
            return gusts() if self.x > 0.0 else self.wind()

    with pytest.raises(ev.ModelError) as info:
        Drifting(ev.Simulation(rng=1), name="d").start()
    assert str(info.value) == (
        f"random.random() at {__file__}:{noise.__code__.co_firstlineno + 1} is called in the equations of d, where the "
        f"same time and states have to give the same result: a step evaluates it at many points. {RANDOM}"
    )


@pytest.mark.parametrize("table", [np.array([1.0, 2.0]), pd.Series([1.0, 2.0]), pd.DataFrame({"a": [1.0, 2.0]})["a"]])
def test_methods_of_arrays_and_tables_in_fields_are_pure(table):
    """They were compared with classes of dates, which to an array is a question about each item."""

    class Summing(Noisy):
        def equations(self):
            self.rate.x = self.noise.sum()

    one = Summing(ev.Simulation(), noise=table).start()
    one.sim.run(until=2.0)
    assert one.x == pytest.approx(7.0)


def drawn() -> float:
    return random.expovariate(1.0)


def by_helper(sim: ev.Simulation) -> ev.ProcessGenerator:
    yield ev.hold(drawn())


class Chooser(ev.Process):
    def choice(self) -> int:
        return random.choice([1, 2])

    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(self.choice())


class Jumper(ev.Continuous):
    level: float = 0.0

    @ev.every(1.0)
    def jump(self) -> None:
        self.level = random.random()


def by_own(sim: ev.Simulation) -> ev.ProcessGenerator:
    yield ev.hold(np.random.default_rng().random())


def by_seed(sim: ev.Simulation) -> ev.ProcessGenerator:
    yield ev.hold(np.random.default_rng(3).random() + random.Random(3).random())


DRAWERS: dict[str, tuple[Callable[[ev.Simulation], object], list[str]]] = {
    "a function": (
        lambda sim: sim.process(by_helper(sim)),
        ["random.expovariate() draws from the generator of the wh"],
    ),
    "a method": (lambda sim: Chooser(sim).activate(), ["random.choice() draws from the generator of the whole progra"]),
    "a handler": (lambda sim: Jumper(sim).start(), ["random.random() draws from the generator of the whole program"]),
    "no seed": (lambda sim: sim.process(by_own(sim)), ["np.random.default_rng() makes a generator without a seed, "]),
    "a seed": (lambda sim: sim.process(by_seed(sim)), []),
}


@pytest.mark.parametrize("what", DRAWERS)
def test_draws_that_no_seed_determines_are_warned_of_wherever_a_model_makes_them(what):
    begin, expected = DRAWERS[what]
    sim = ev.Simulation(rng=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        begin(sim)
        sim.run(until=2.0)
    assert [(one.category, one.filename) for one in caught] == [(ev.RandomWarning, __file__)] * len(expected)
    assert all(str(one.message).startswith(text) for one, text in zip(caught, expected, strict=True))
