"""Replications that draw from a generator which the model has not made are warned of, as they depend on workers."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import pytest

import eventide as ev

rng, gen, seeded = Random(1), np.random.default_rng(2), Random(3)


def draws() -> float:
    return float(gen.random())


class Drawing(ev.Process):
    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(rng.random())


def by_function(sim: ev.Simulation) -> dict[str, float]:
    return {"x": draws()}


def by_class(sim: ev.Simulation) -> dict[str, float]:
    Drawing(sim).activate()
    return {"x": 1.0}


def of_its_own(sim: ev.Simulation) -> dict[str, float]:
    rng = Random(sim.stream("seed").randint(0, 10**9))
    return {"x": rng.random()}


def seeded_anew(sim: ev.Simulation) -> dict[str, float]:
    seeded.seed(sim.replication)
    return {"x": seeded.random()}


def given(around: Random) -> Any:
    def by_closure(sim: ev.Simulation) -> dict[str, float]:
        return {"x": around.random()}

    return by_closure


@pytest.mark.parametrize(
    ("function", "word"),
    [(by_function, "gen"), (by_class, "rng"), (given(rng), "around"), (of_its_own, ""), (seeded_anew, "")],
)
def test_a_generator_that_a_model_has_not_made_is_told(function: Any, word: str) -> None:
    model = ev.model(until=1.0)(function)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ev.Study(model, replications=1)
        assert told == []
        ev.Study(model, replications=2)
    code = function.__code__
    places = [(one.filename, one.lineno, one.category) for one in told]
    assert places == [(code.co_filename, code.co_firstlineno, ev.RandomWarning)] * bool(word)
    start = (
        f"{function.__name__} draws from {word}, which it has not made: replications go on where others have left it"
    )
    assert all(str(one.message).startswith(start) for one in told)
