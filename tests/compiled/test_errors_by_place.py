"""What Python raises is raised at the same time, as the same error, wherever it stands and however it runs."""

from __future__ import annotations

from typing import Any

import pytest
from compiled.errors_by_place import KINDS, PLACES, class_of, play

AT_EVENT = ("a law at an event", "a law without states", "a law of a vector", "a condition")


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_the_same_compiled_and_plain(kind: str, place: str, stepping: Any) -> None:
    cls = class_of(kind, place)
    compiled, plain = (play(cls, compile=way, stepping=stepping) for way in ("auto", False))
    assert compiled == plain
    if (kind, place) != ("complex", "a law of a vector"):  # numpy warns of that
        assert plain["error"][0] is KINDS[kind][1]
    assert plain["time"] == 0.5 if place in AT_EVENT else plain["time"] > 0.49
    if place == "a handler":
        assert plain["times"] > 30  # native for most of them


@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("kind", ["division", "domain"])
def test_an_error_in_a_step_is_none_where_an_event_comes_before(kind: str, stepping: Any) -> None:
    cls = class_of(kind, "a law in a step", saved=True)
    compiled, plain = (play(cls, until=2.5, compile=way, stepping=stepping) for way in ("auto", False))
    assert compiled == plain
    assert plain["error"] == (type(None), "None", None)
    assert plain["times"] == 2
