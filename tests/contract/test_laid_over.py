"""Methods that one object is given, and loses, in one run by way of its dict, in the file of its class: each counts."""

from __future__ import annotations

from types import MethodType
from typing import Any

import pytest

import eventide as ev
from eventide.reading.source import SourceFile


class Tank(ev.Continuous):
    x: ev.State = ev.state(0.0)
    emptied: float = 0.0

    def speed(self) -> float:
        return 1.0

    def is_full(self) -> bool:
        return self.x >= 0.125

    def equations(self) -> None:
        self.rate.x = self.speed()

    @ev.when(lambda self: self.is_full())
    def empty(self) -> None:
        self.x = 0.0
        self.emptied += 1


def faster(self: Any) -> None:
    self.rate.x = 4.0


def doubly(self: Any) -> None:
    self.x = 0.0
    self.emptied += 2


OWN = {"speed": lambda _: 4.0, "equations": faster, "is_full": lambda self: self.x >= 0.25, "empty": doubly}
EVERY = {"turn", "two", "any"}
RIGHT = {"speed": 8 + 16 + 8, "equations": 8 + 16 + 8, "is_full": 8 + 2 + 8, "empty": 8 + 8 + 8}


def pop(tank: Tank, name: str) -> None:
    tank.__dict__.pop(name)


def delete(tank: Tank, name: str) -> None:
    del vars(tank)[name]


@pytest.mark.slow
@pytest.mark.parametrize("lose", [pop, delete])
@pytest.mark.parametrize("name", OWN)
def test_what_an_object_has_in_its_dict_for_a_part_of_a_run_counts(name: str, lose: Any, simulate: Any) -> None:
    sim = simulate()
    tank, other = Tank(sim, name="tank").start(), Tank(sim, name="other").start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0625)
        vars(tank)[name] = MethodType(OWN[name], tank)
        yield ev.hold(0.5)
        lose(tank, name)

    sim.process(story())
    sim.run(until=2.59375)
    assert (tank.emptied, other.emptied) == (RIGHT[name], 20)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("def f(x): x.__dict__.pop('turn')", {"turn"}),
        ("def f(x): del vars(x)['turn']", {"turn"}),
        ("def f(x): vars(x)['turn'] = f", {"turn"}),
        ("def f(x): x.__dict__.update(turn=f)", {"turn"}),
        ("def f(x): vars(x).update({'turn': f, 'two': f})", {"turn", "two"}),
        ("def f(x): object.__setattr__(x, 'turn', f)", {"turn"}),
        ("def f(x, n): x.__dict__.pop(n)", EVERY),
        ("def f(x): x.__dict__.clear()", EVERY),
        ("def f(x): x.__dict__ = {}", EVERY),
        ("def f(x): x.__dict__ |= {'turn': f}", EVERY),
        ("def f(x):\n    space = vars(x)\n    space['turn'] = f", EVERY),
        ("def f(x, d): vars(x).update(d)", EVERY),
        ("def f(x): return dict(vars(x)), x.__dict__['turn'], vars(x).items()", set()),
        ("def __init__(self, **named): self.__dict__.update(named)", set()),
        ("def f(x): x.other.pop('turn')", set()),
    ],
)
def test_a_file_tells_which_attributes_it_may_set(text: str, stored: set[str]) -> None:
    file = SourceFile("some.py", text.splitlines(keepends=True))
    assert {name for name in EVERY if file.stores(name)} == stored
