"""Dictionaries of the model's, and such as are written in laws and conditions, by constant keys and by modes."""

from __future__ import annotations

import enum
from random import Random
from typing import Any

import pytest

import eventide as ev

LEVELS = {"low": 0.5, "high": 1.0}


class Way(enum.Enum):
    UP = 1
    DOWN = 2


class Tank(ev.Continuous):
    x: ev.State = ev.state(0.0)
    mode: str = "fill"
    way: Way = Way.UP
    limits: dict[str, float] = ev.field(default_factory=lambda: {"low": 0.5, "high": 1.0})
    rates: dict[str, float] = ev.field(default_factory=lambda: {"fill": 1.0, "rest": 0.0, "drain": -1.0})
    by_number: dict[int, float] = ev.field(default_factory=lambda: {0: 0.25, 1: 0.5})

    def equations(self) -> None:
        self.rate.x = self.rates[self.mode] * {Way.UP: 1.0, Way.DOWN: -1.0}[self.way]


CONDITIONS = {
    "key": lambda tank: tank.limits["low"] < tank.x < tank.limits["low"] + 1e-3,
    "number": lambda tank: tank.by_number[1] < tank.x < tank.by_number[1] + 1e-3,
    "module": lambda tank: LEVELS["low"] < tank.x < LEVELS["low"] + 1e-3,
    "mode": lambda tank: 0.0 < tank.x - {"fill": 0.5, "rest": 9.0}[tank.mode] < 1e-3,
}


@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)
def test_a_moment_by_an_item_of_a_dictionary_is_found(condition: Any, compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    tank, times = Tank(sim).start(), []

    def watch() -> Any:
        yield ev.until(lambda: condition(tank))
        times.append(sim.time)

    sim.process(watch())
    sim.run(until=0.1)
    assert [note.kind for note in sim.explain().conditions] == ["certified"]
    sim.run(until=2.0)
    assert times == pytest.approx([0.5], abs=1e-6)


@pytest.mark.parametrize("compiles", ["auto", False])
def test_items_that_change_and_modes_that_come_are_heard_of(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    tank, found = Tank(sim).start(), []

    def watch() -> Any:
        yield ev.until(lambda: tank.x > tank.limits["high"])
        found.append(sim.time)

    def change() -> Any:
        yield ev.hold(0.5)
        tank.limits["high"] = 0.75
        yield ev.hold(0.5)
        tank.rates["fill"] = 2.0
        yield ev.hold(0.5)
        tank.rates["flood"] = 4.0
        tank.mode = "flood"
        yield ev.hold(0.5)
        tank.way = Way.DOWN
        yield ev.hold(0.5)
        tank.rates = {"flood": 0.5}

    sim.process(watch())
    sim.process(change())
    sim.run(until=3.0)
    assert found == pytest.approx([0.75], abs=1e-9)
    assert tank.x == pytest.approx(1.0 + 1.0 + 2.0 - 2.0 - 0.25, abs=1e-9)


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_mode_that_a_dictionary_lacks_is_an_error_of_the_users(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    tank = Tank(sim).start()
    sim.run(until=1.0)
    tank.mode = "broken"
    with pytest.raises(KeyError, match="broken"):
        sim.run(until=2.0)


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_key_that_is_gone_is_an_error_of_the_users(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    tank = Tank(sim).start()

    def watch() -> Any:
        yield ev.until(lambda: tank.x > tank.limits["high"])

    sim.process(watch())
    sim.run(until=0.5)
    del tank.limits["high"]
    with pytest.raises(KeyError, match="high"):
        sim.run(until=2.0)


SCALES = {"all": 1.0}


class Machine(ev.Continuous):
    x: ev.State = ev.state(0.0)
    mode: str = "fill"
    limits: dict[str, float]
    rates: dict[str, float]
    gains: dict[str, dict[str, float]] = ev.field(default_factory=lambda: {"own": {"by": 1.0}})
    log: list[tuple[object, ...]]

    def equations(self) -> None:
        self.rate.x = self.rates[self.mode] * SCALES["all"] * self.gains["own"]["by"]

    @ev.when(lambda self: self.x >= self.limits["high"])
    def is_full(self) -> None:
        self.mode = "drain"

    @ev.when(lambda self: self.x <= self.limits["low"])
    def is_empty(self) -> None:
        self.mode = "fill"
        self.limits["low"] = -self.limits["low"] - 0.125
        self.log.append((self.sim.time, self.name))


Action = tuple[float, int, int, float]


def actions(chance: Random) -> list[Action]:
    """When, of which machine, what is done, and with which number."""
    times = sorted(chance.uniform(0.0, 10.0) for _ in range(14))
    return [(time, chance.randrange(2), chance.randrange(7), chance.uniform(0.5, 1.5)) for time in times]


def act(machine: Any, other: Any, what: int, number: float) -> None:
    """Change what a machine finds in dictionaries, in one way of several."""
    if what == 0:
        machine.limits["high"] = number
    elif what == 1:
        machine.rates["fill"] = number
    elif what == 2:
        machine.rates = {**machine.rates, "drain": -number}
    elif what == 3:
        SCALES["all"] = number
    elif what == 4:
        machine.limits = other.limits
    elif what == 5:
        machine.rates[f"extra {number}"] = -number
        machine.mode = f"extra {number}"
    else:
        machine.gains["own"] = {"by": number}


def parts() -> dict[str, Any]:
    """What a machine begins with."""
    return {"limits": {"low": -0.25, "high": 1.0}, "rates": {"drain": -0.75, "fill": 1.0}}


def run_machines(seed: int, compiles: Any) -> tuple[list[Any], list[float]]:
    SCALES["all"] = 1.0
    log: list[Any] = []
    sim = ev.Simulation(compile=compiles, stepping="together" if seed % 3 == 0 else "apart")
    machines = [Machine(sim, name=f"machine {k}", x=0.0625 * k, log=log, **parts()).start() for k in range(2)]

    def change() -> ev.ProcessGenerator:
        for time, which, what, number in actions(Random(seed)):
            yield ev.hold(time - sim.time)
            act(machines[which], machines[1 - which], what, number)

    def look() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: machines[0].x > machines[1].limits["high"] - 0.1)
            log.append((sim.time, "above"))
            yield ev.until(lambda: machines[0].x < machines[1].limits["high"] - 0.2)

    sim.process(change())
    sim.process(look())
    sim.run(until=12.0)
    return log, [machine.x for machine in machines]


class Line:
    """A machine whose state is a straight line between events."""

    def __init__(self, number: int) -> None:
        self.name, self.x, self.mode = f"machine {number}", 0.0625 * number, "fill"
        self.limits, self.rates = parts().values()
        self.gains = {"own": {"by": 1.0}}

    def slope(self) -> float:
        return float(self.rates[self.mode] * SCALES["all"] * self.gains["own"]["by"])


def expected_machines(seed: int) -> tuple[list[Any], list[float]]:
    """The same by straight lines, without the library."""
    SCALES["all"] = 1.0
    lines, log, plan, time = [Line(0), Line(1)], [], actions(Random(seed)), 0.0
    armed = {(k, end): True for k in range(2) for end in ("high", "low")}
    is_above = False
    levels: Any = {
        "high": lambda k: lines[k].x - lines[k].limits["high"],
        "low": lambda k: lines[k].limits["low"] - lines[k].x,
    }

    def gap() -> float:
        level = lines[1].limits["high"]
        return lines[0].x - (level - 0.1) if not is_above else (level - 0.2) - lines[0].x

    while True:
        due = plan[0][0] if plan else 12.0
        slopes = [line.slope() for line in lines]
        found: list[tuple[float, Any]] = [(due, None)]
        for (k, end), is_armed in armed.items():
            value, slope = levels[end](k), slopes[k] if end == "high" else -slopes[k]
            if is_armed and (value >= 0.0 or slope > 0.0):
                found.append((time + max(-value / slope, 0.0) if value < 0.0 else time, (k, end)))
        value, slope = gap(), slopes[0] if not is_above else -slopes[0]
        if value > 0.0 or slope > 0.0:
            found.append((time + (max(-value / slope, 0.0) if value <= 0.0 else 0.0), "look"))
        at, what = min(found, key=lambda one: one[0])
        for line, slope in zip(lines, slopes, strict=True):
            line.x += slope * (at - time)
        time = at
        if what is None and not plan:
            return log, [line.x for line in lines]
        if what is None:
            _, which, kind, number = plan.pop(0)
            act(lines[which], lines[1 - which], kind, number)
        elif what == "look":
            if not is_above:
                log.append((time, "above"))
            is_above = not is_above
        else:
            k, end = what
            armed[what] = False
            lines[k].mode = "drain" if end == "high" else "fill"
            if end == "low":
                lines[k].limits["low"] = -lines[k].limits["low"] - 0.125
                log.append((time, lines[k].name))
        armed = {(k, end): is_armed or levels[end](k) < -1e-12 for (k, end), is_armed in armed.items()}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_changes_of_dictionaries_are_what_python_says(seed: int) -> None:
    plain, compiled, expected = run_machines(seed, False), run_machines(seed, "auto"), expected_machines(seed)
    assert repr(compiled) == repr(plain)
    assert [name for _, name in compiled[0]] == [name for _, name in expected[0]]
    assert [time for time, _ in compiled[0]] == pytest.approx([time for time, _ in expected[0]], abs=1e-7)
    assert compiled[1] == pytest.approx(expected[1], abs=1e-7)
