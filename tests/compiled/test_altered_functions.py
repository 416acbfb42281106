"""A function that stays the same gets another code or other defaults while a model goes on: they count from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import eventide as ev

Function = Callable[..., float]


class Tank(ev.Continuous):
    x: ev.State = ev.state(0.0)
    count: float = 0.0
    f: Any = None

    def equations(self) -> None:
        self.rate.x = 1.0


class Driven(Tank):
    def equations(self) -> None:
        self.rate.x = self.f(self.x)


class Handled(Tank):
    @ev.when(lambda self: self.x > 0.125)
    def tick(self) -> None:
        self.count += self.f(1.0)
        self.x = 0.0


class Watched(Tank):
    @ev.when(lambda self: self.x > 0.125 * self.f(1.0))
    def tick(self) -> None:
        self.count += 1.0
        self.x = 0.0


def of_state(sim: ev.Simulation, f: Function) -> Callable[[], float]:
    tank = Driven(sim, f=f).start()
    return lambda: tank.x


def of_handler(sim: ev.Simulation, f: Function) -> Callable[[], float]:
    tank = Handled(sim, f=f).start()
    return lambda: tank.count


def of_condition(sim: ev.Simulation, f: Function) -> Callable[[], float]:
    tank = Watched(sim, f=f).start()
    return lambda: tank.count


def of_wait(sim: ev.Simulation, f: Function) -> Callable[[], float]:
    tank = Tank(sim).start()

    def wait() -> Iterator[object]:
        while True:
            yield ev.until(lambda: tank.x > 0.125 * f(1.0))
            tank.count += 1.0
            tank.x = 0.0

    sim.process(wait())
    return lambda: tank.count


def of_recording(sim: ev.Simulation, f: Function) -> Callable[[], float]:
    tank = Tank(sim).start()
    recording = sim.record(y=lambda: f(1.0) * tank.x, every=0.5)
    return lambda: float(recording["y"][-1])


def plain() -> Function:
    return lambda x: 1.0 + 0.0 * x


def with_default() -> Function:
    return lambda x, a=1.0: a + 0.0 * x


def with_keyword() -> Function:
    return lambda x, *, a=1.0: a + 0.0 * x


def set_code(f: Any) -> None:
    f.__code__ = (lambda x: 3.0 + 0.0 * x).__code__


def set_defaults(f: Any) -> None:
    f.__defaults__ = (3.0,)


def set_keywords(f: Any) -> None:
    f.__kwdefaults__["a"] = 3.0


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("is_between", [False, True], ids=["in an event", "between runs"])
@pytest.mark.parametrize(
    ("make", "alter"), [(plain, set_code), (with_default, set_defaults), (with_keyword, set_keywords)]
)
@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (of_state, 7.96875),
        (of_handler, 16.0 + 3 * 16.0),
        (of_condition, 21.0),
        (of_wait, 21.0),
        (of_recording, 12.09375),
    ],
)
def test_functions_that_are_altered_count_as_they_are_now(build, expected, make, alter, is_between, compiled) -> None:
    sim, f = ev.Simulation(compile=compiled), make()
    read = build(sim, f)

    def change() -> Iterator[object]:
        yield ev.hold(2.0625)
        alter(f)

    if is_between:
        sim.run(until=2.0625)
        alter(f)
    else:
        sim.process(change())
    sim.run(until=4.03125)
    assert read() == pytest.approx(expected, rel=1e-9)
