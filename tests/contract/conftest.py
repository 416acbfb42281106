"""What the tests of the contract share: a promise holds compiled and plain, apart and together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev

WAYS = [("auto", "apart"), ("auto", "together"), (False, "apart"), (False, "together")]


@pytest.fixture(params=WAYS, ids=lambda way: f"{'plain' if way[0] is False else 'compiled'}-{way[1]}")
def simulate(request: pytest.FixtureRequest) -> Callable[..., ev.Simulation]:
    """A function: a simulation that compiles or not and steps apart or together."""
    compiles, stepping = request.param

    def make(**options: Any) -> ev.Simulation:
        return ev.Simulation(**{"rng": 1, "compile": compiles, "stepping": stepping, **options})

    return make
