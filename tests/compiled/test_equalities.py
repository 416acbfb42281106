"""Who waits until what moves is equal to a number is told so, once, at the user's line."""

from __future__ import annotations

import enum
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev

MODES = [pytest.param(True, id="compiled"), pytest.param(False, id="plain")]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Mode(enum.IntEnum):
    OFF = 0
    ON = 1


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    mark: ev.State = ev.state(0.5)
    parts: ev.StateVector = ev.state_vector(1.0, size=2)
    depth: ev.Computed = ev.computed()
    limit: float = 0.5
    count: int = 3
    is_open: bool = True
    name_of: str = "tank"
    colour: Colour = Colour.RED
    mode: Mode = Mode.OFF
    guest: Any = None

    def equations(self) -> None:
        self.rate.level = 1.0
        self.depth = 2.0 * self.level
        self.rate.parts = -self.parts


MOVING: dict[str, Callable[[Tank], bool]] = {
    "a state and a number": lambda self: self.level == 0.25,
    "a state and a field": lambda self: self.level == self.limit,
    "unequal": lambda self: self.level != 0.25 and self.level < 0.0,
    "a function of it": lambda self: abs(2.0 * self.level - 1.0) ** 2 == 0.0,
    "a computed value": lambda self: self.depth == 0.5,
    "two states, one of which moves": lambda self: self.mark == self.level,
    "an item of a vector": lambda self: self.parts[1] == 0.5,
    "beside others": lambda self: self.is_open and self.level == 0.25,
    "in a chain": lambda self: 0.0 < self.level == 0.25,
}
STILL: dict[str, Callable[[Tank], bool]] = {
    "a whole number": lambda self: self.count == 4,
    "a field": lambda self: self.limit == 0.25,
    "a flag": lambda self: self.is_open == False,  # noqa: E712  # as some write it
    "None": lambda self: self.guest == None and self.guest is not None,  # noqa: E711  # as some write it
    "a text": lambda self: self.name_of == "other",
    "an enumeration": lambda self: self.colour == Colour.BLUE,
    "a whole enumeration": lambda self: self.mode == Mode.ON,
    "a state that only events set": lambda self: self.mark == 0.25,
    "whole parts": lambda self: int(self.level) == 7,
    "a floor": lambda self: self.level // 1.0 == 7.0,
    "what stands still for a while": lambda self: max(self.level, 8.0) == 9.0,
    "a choice": lambda self: (1.0 if self.level > 8.0 else 0.0) == 1.0,
    "a truth": lambda self: (self.level > 8.0) == True,  # noqa: E712  # as some write it
    "the time": lambda self: self.sim.time == 0.25,
    "what is not a number": lambda self: self.level != self.level,
    "at least": lambda self: self.level >= 8.0,
}


def told(compiled: Any, test: Callable[[Tank], bool], stepping: Any = "apart") -> tuple[list[Any], Any, list[Any]]:
    """The warnings of a run in which two tanks have the same condition; what is explained; the conditions' kinds."""
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    tanks = [Tank(sim), Tank(sim)]

    def life(tank: Tank) -> ev.ProcessGenerator:
        yield ev.until(lambda: test(tank))

    for tank in tanks:
        tank.start()
        sim.process(life(tank))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.step(), sim.step()
        account = sim.explain()  # while both wait
        sim.run(until=1.0)
    return caught, account, [note.equalities for note in account.conditions]


@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("kind", MOVING)
def test_who_waits_for_what_moves_to_be_equal_is_told_once(kind: str, compiled: Any, stepping: str) -> None:
    caught, account, equalities = told(compiled, MOVING[kind], stepping)
    (warning,) = caught
    code = MOVING[kind].__code__
    assert (warning.category, warning.filename, warning.lineno) == (ev.EqualityWarning, __file__, code.co_firstlineno)
    text = str(warning.message)
    assert "ev.crosses(" in text and ">= or <=" in text  # noqa: PT018  # one sentence
    assert text[1:].split("`", maxsplit=1)[0] in inspect.getsource(MOVING[kind])
    assert equalities == [(text,)] * 2
    assert str(account).count(text) == 2


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("kind", STILL)
def test_who_compares_what_does_not_move_on_is_told_nothing(kind: str, compiled: Any) -> None:
    caught, _, equalities = told(compiled, STILL[kind])
    assert [str(warning.message) for warning in caught] == []
    assert equalities == [()] * 2


def test_a_handler_is_told_too_and_what_it_calls_is_named() -> None:
    class Handled(Tank):
        def is_there(self) -> bool:
            return self.level == 0.25

        @ev.when(lambda self: self.is_there())
        def handle(self) -> None: ...

    sim = ev.Simulation()
    Handled(sim).start()
    lines, first = inspect.getsourcelines(Handled.is_there)
    with pytest.warns(ev.EqualityWarning, match="`self.level == 0.25` compares what moves") as caught:
        sim.run(until=1.0)
    assert (caught[0].filename, caught[0].lineno) == (__file__, first + 1)
    assert len(caught) == len(lines) - 1 == 1


def test_an_event_that_sets_the_very_number_makes_it_true() -> None:
    sim = ev.Simulation()
    tank = Tank(sim)
    fired = []

    def life() -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level == 7.0)
        fired.append(sim.time)

    def fill() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        tank.level = 7.0

    tank.start()
    sim.process(life())
    sim.process(fill())
    with pytest.warns(ev.EqualityWarning):
        sim.run(until=1.0)
    assert fired == [0.5]
