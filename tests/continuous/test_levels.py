"""Conditions that rest on their level: functions that jump, bend or stand still, proved over whole steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from continuous.enclosed import DEGREE, prepared, state

import eventide as ev
from eventide.enclosures import guard_expressions
from eventide.enclosures.trees import Comparison
from eventide.engine import guard_signs

each_way = pytest.mark.parametrize("compiles", ["auto", False])
PLACE = 0.43
PLACES, HEIGHTS = np.array([0.0, 0.5, 0.75, 1.0, 1.5]), np.array([-1.0, 0.25, 0.25, 1.0, 1.0])

STEEP = np.array([0.0, 0.5, 0.9, 0.999, 1.2])


class Arch(ev.Continuous):
    """X is a parabola of the time since 10, and u rests; steps are one unit long and exact."""

    x: ev.State = ev.state(0.0)
    u: ev.State = ev.state(1.0)
    time: ev.State = ev.state(-10.0)

    def equations(self) -> None:
        self.rate.time = 1.0
        self.rate.x = -2.0 * (self.time - PLACE) if self.time >= 0.0 else 0.0
        self.rate.u = 0.0


def begin(compiles: Any, top: float, **numbers: float) -> tuple[ev.Simulation, Arch]:
    """A simulation at time 10, whose next step goes to 11; x rises to `top` in it, at PLACE."""
    sim = ev.Simulation(rng=1, compile=compiles, stepping="together", dt_max=1.0, abs_error=1e-9, rel_error=1e-9)
    arch = Arch(sim).start()
    sim.run(until=10.0)
    arch.x, arch.time = top - PLACE**2, 0.0
    for name, value in numbers.items():
        setattr(arch, name, value)
    return sim, arch


def fired(sim: ev.Simulation, condition: Callable[[], Any]) -> list[float]:
    """When a handler with this condition has fired."""
    log: list[float] = []

    class Witness(ev.Continuous):
        @ev.when(lambda self: condition())
        def note(self) -> None:
            log.append(sim.time - 10.0)

    Witness(sim).start()
    sim.run(until=11.0)
    return log


ABOVE_ONE: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "least": lambda o: lambda: min(o.x, 1.0) >= 1.0,
    "least turned": lambda o: lambda: not min(o.x, 1.0) < 1.0,
    "least alike": lambda o: lambda: min(o.x, 1.0) == 1.0,
    "greatest": lambda o: lambda: max(o.x, 1.0) > 1.0,
    "greatest unlike": lambda o: lambda: max(o.x, 1.0) != 1.0,
    "size": lambda o: lambda: abs(o.x - 1.0) <= o.x - 1.0,
    "choice": lambda o: lambda: (2.0 if o.x >= 1.0 else 1.0) >= 2.0,
    "floor": lambda o: lambda: math.floor(o.x) >= 1,
    "floor alike": lambda o: lambda: math.floor(o.x) == 1,
    "floor of tenths": lambda o: lambda: 0.1 * math.floor(10.0 * o.x) >= 1.0,
    "floor division": lambda o: lambda: o.x // 0.5 == 2.0,
    "ceil": lambda o: lambda: math.ceil(-o.x) <= -1,
    "int": lambda o: lambda: int(o.x) > 0,
    "trunc": lambda o: lambda: math.trunc(o.x + 2.0) >= 3,
    "round": lambda o: lambda: round(o.x - 0.5) >= 1,
    "parity": lambda o: lambda: int(o.x * 2.0) % 2 == 0,
    "remainder": lambda o: lambda: (o.x + 2.0) % 3.0 < 1.0,
    "fmod": lambda o: lambda: math.fmod(o.x, 1.0) < 0.5,
    "copysign": lambda o: lambda: math.copysign(1.0, o.x - 1.0) > 0.0,
    "numpy's floor": lambda o: lambda: np.floor(o.x) >= 1.0,
    "numpy's sign": lambda o: lambda: np.sign(o.x - 1.0) > -1.0,
    "numpy's remainder": lambda o: lambda: np.remainder(o.x + 2.0, 3.0) < 1.0,
    "numpy's minimum": lambda o: lambda: np.minimum(o.x, 1.0) >= 1.0,
    "numpy's clip": lambda o: lambda: np.clip(o.x, 0.0, 1.0) >= 1.0,
    "numpy's sine": lambda o: lambda: np.sin(np.floor(o.x)) > 0.5,
    "table": lambda o: lambda: np.interp(o.x, PLACES, HEIGHTS) >= 1.0,
    "beside another": lambda o: lambda: o.u < 0.0 or (math.floor(o.x) == 1 and o.u > 0.5),
}
"""Conditions that hold where x is above one."""


@each_way
@pytest.mark.parametrize("name", ABOVE_ONE)
def test_what_holds_for_a_moment_within_a_step_is_found_by_proof(name: str, compiles: Any) -> None:
    poke = 1e-7
    sim, arch = begin(compiles, 1.0 + poke)
    log = fired(sim, ABOVE_ONE[name](arch))
    assert log == pytest.approx([PLACE - math.sqrt(poke)], rel=0.0, abs=1e-9)
    report = sim.report()
    assert (report.certified, report.sampled, report.opaque, report.unproved) == (1, 0, 0, 0)
    sim, arch = begin(compiles, 1.0 - poke)
    assert fired(sim, ABOVE_ONE[name](arch)) == []


@each_way
@pytest.mark.parametrize("word", ["weak", "strict", "other"])
def test_a_state_that_rests_on_its_level_is_on_it_all_the_step(word: str, compiles: Any) -> None:
    """Beside what holds for a moment: at its level `>=` holds, and `>` does not."""
    conditions: dict[str, Callable[[Any], Callable[[], Any]]] = {
        "weak": lambda o: lambda: o.u >= 1.0 and PLACE < o.time < PLACE + 1e-7,
        "strict": lambda o: lambda: o.u > 1.0 or PLACE < o.time < PLACE + 1e-7,
        "other": lambda o: lambda: not (o.u > 1.0 or not PLACE < o.time < PLACE + 1e-7),
    }
    sim, arch = begin(compiles, 0.0)
    assert fired(sim, conditions[word](arch)) == pytest.approx([PLACE], rel=0.0, abs=1e-9)
    assert sim.report().unproved == 0


def test_what_rests_on_its_level_is_decided_without_a_test() -> None:
    rests, moves = [1.0, *[0.0] * DEGREE], [1.25, 0.5, *[0.0] * (DEGREE - 1)]
    one = guard_expressions.literal(1.0)
    state_less, whole_less = (
        guard_expressions.difference(f, one) for f in (state(), guard_expressions.whole_below(state()))
    )
    for form, path in ((state_less, rests), (whole_less, rests), (whole_less, moves)):
        for each in (form, guard_expressions.negative(form)):
            signs = [
                guard_signs.sign_within(prepared(Comparison(each, is_weak), [path]), 0, 0, 0.0, 1.0)
                for is_weak in (True, False)
            ]
            assert signs == [guard_signs.ALWAYS, guard_signs.NEVER]


@pytest.mark.slow
@each_way
def test_whole_numbers_are_counted_one_by_one(compiles: Any) -> None:
    """Fifty levels of an oscillator, and ten changes of a remainder."""
    sim = ev.Simulation(rng=1, compile=compiles, abs_error=1e-11, rel_error=1e-11)

    class Swing(ev.Continuous):
        x: ev.State = ev.state(0.0)
        y: ev.State = ev.state(50.5)

        def equations(self) -> None:
            self.rate.x, self.rate.y = self.y, -self.x

    swing = Swing(sim).start()
    counted: list[float] = []

    def counts() -> ev.ProcessGenerator:
        for level in range(1, 51):
            yield ev.until(lambda level=level: math.floor(swing.x) >= level)
            counted.append(sim.time)

    waves: list[float] = []

    def wraps() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: swing.x % 10.0 >= 5.0)
            waves.append(sim.time)
            yield ev.until(lambda: swing.x % 10.0 < 5.0)
            waves.append(sim.time)

    sim.process(counts())
    sim.process(wraps())
    sim.run(until=math.pi / 2.0)
    assert counted == pytest.approx([math.asin(level / 50.5) for level in range(1, 51)], rel=0.0, abs=1e-9)
    assert waves == pytest.approx([math.asin(5.0 * k / 50.5) for k in range(1, 11)], rel=0.0, abs=1e-9)
    report = sim.report()
    assert (report.certified, report.sampled, report.unproved) == (3, 0, 0)


@each_way
def test_the_sign_of_what_moves_moves(compiles: Any) -> None:
    """`copysign(1.0, x)` has no slope, and is no constant."""
    sim, arch = begin(compiles, 1.0 + 1e-7)
    log = fired(sim, lambda: math.copysign(2.0, arch.x - 1.0) == 2.0)
    assert log == pytest.approx([PLACE - math.sqrt(1e-7)], rel=0.0, abs=1e-9)


class Table(ev.Continuous):
    """X circles, and w adds up what a table says of it."""

    x: ev.State = ev.state(0.0)
    v: ev.State = ev.state(1.0)
    w: ev.State = ev.state(0.0)
    q: ev.Computed = ev.computed()
    places: Any = ev.field(default_factory=lambda: PLACES)

    def equations(self) -> None:
        self.q = np.interp(self.x, self.places, HEIGHTS)
        self.rate.x, self.rate.v = self.v, -self.x
        self.rate.w = self.q


@each_way
def test_a_table_is_looked_up_as_numpy_does(compiles: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles)
    table = Table(sim).start()
    wanted = [-1.0, -0.0, 0.0, 0.1, 0.3, 0.5, 0.6, 0.75, 0.8, 0.9999999999999999, 1.0, 1.25, 1.5, 2.0, 1e300]
    found: list[float] = []

    def looks() -> ev.ProcessGenerator:
        for x in wanted:
            table.x = x
            yield ev.hold(0.0)
            found.append(table.q)

    sim.process(looks())
    sim.run(until=1e-9)
    assert found == np.interp(wanted, PLACES, HEIGHTS).tolist()
    assert sim.explain().laws[0].is_compiled == (compiles == "auto")


@pytest.mark.slow
@each_way
def test_what_was_hard_to_prove_keeps_no_step_short_when_nobody_waits_for_it(compiles: Any) -> None:
    """The event is where the table ends to rise: near it, steps are short."""
    sim = ev.Simulation(rng=1, compile=compiles, abs_error=1e-9, rel_error=1e-9)
    table = Table(sim, places=STEEP).start()
    log: list[float] = []

    def waits() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: np.interp(table.x, STEEP, HEIGHTS) >= 1.0)
            log.append(sim.time)
            yield ev.hold(1.0)

    sim.process(waits())
    sim.run(until=10.0)
    first = math.asin(0.999)
    assert log == pytest.approx([first, first + 2.0 * math.pi], rel=0.0, abs=1e-7)
    assert sim.report().steps < 1000
