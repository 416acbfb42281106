"""Methods that one object is given in place of its class's, by code that does not say so in the class's file."""

from __future__ import annotations

from types import MethodType
from typing import Any

import pytest

import eventide as ev


class Tank(ev.Continuous):
    x: ev.State = ev.state(0.0)
    emptied: int = 0

    def speed(self) -> float:
        return 1.0

    def is_full(self) -> bool:
        return self.x >= 2.0

    def equations(self) -> None:
        self.rate.x = self.speed()

    @ev.when(lambda self: self.is_full())
    def empty(self) -> None:
        self.x = 0.0
        self.emptied += 1


def faster(self: Any) -> None:
    self.rate.x = 4.0


OWN = {"speed": lambda: 4.0, "equations": faster, "is_full": lambda: False}


def lay(tank: Tank, name: str) -> None:
    function = OWN[name]
    setattr(tank, name, MethodType(function, tank) if name == "equations" else function)


@pytest.mark.parametrize("name", OWN)
def test_what_an_object_is_given_between_two_runs_holds_from_the_next_on(name: str, simulate: Any) -> None:
    sim = simulate()
    tank, other = Tank(sim, name="tank").start(), Tank(sim, name="other").start()
    sim.run(until=1.0)
    lay(tank, name)
    sim.run(until=3.0 if name == "is_full" else 2.125)
    expected = (pytest.approx(3.0), 0) if name == "is_full" else (pytest.approx(1.5), 2)
    assert (tank.x, tank.emptied) == expected
    assert (other.emptied, other.x) == (1, pytest.approx(sim.time - 2.0))


@pytest.mark.parametrize("name", OWN)
def test_what_an_object_is_given_before_it_starts_is_its_own(name: str, simulate: Any) -> None:
    sim = simulate()
    other, tank = Tank(sim, name="other").start(), Tank(sim, name="tank")
    lay(tank, name)
    tank.start()
    sim.run(until=2.125)
    assert (tank.x, tank.emptied) == ((pytest.approx(2.125), 0) if name == "is_full" else (pytest.approx(0.5), 4))
    assert other.x == pytest.approx(0.125)


@pytest.mark.parametrize("name", OWN)
def test_what_an_object_is_given_while_a_run_goes_on_is_refused(name: str, simulate: Any) -> None:
    sim = simulate()
    tank = Tank(sim, name="tank").start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        lay(tank, name)

    sim.process(story())
    with pytest.raises(ev.ModelError, match=f"tank was given its own '{name}' while the run went on, and its laws or"):
        sim.run(until=1.5)
