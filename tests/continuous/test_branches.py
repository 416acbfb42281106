"""What branches in laws: steps end where a comparison changes, so that each step sees one smooth law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import pytest

import eventide as ev

METHODS = {
    "England": ev.methods.ENGLAND,
    "Dormand-Prince": ev.methods.DORMAND_PRINCE,
    "order 8": ev.methods.DOP853,
    "Radau": ev.methods.RADAU,
    "Euler": ev.methods.EULER,
    "Adams": ev.methods.ADAMS,
    "Gauss": ev.methods.Newton(ev.methods.GAUSS_2),
}
FIXED = ("Euler", "Adams", "Gauss")


def simulation(method: str = "England", **options: Any) -> ev.Simulation:
    sim = ev.Simulation(rel_error=1e-10, abs_error=1e-12, **options)
    sim.method = METHODS[method]
    if method in FIXED:
        sim.dt_max = 0.3
    return sim


class Valve(ev.Continuous):
    level: float = 0.5
    low: float = 0.1
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0 if self.x < self.level else self.low


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_law_that_jumps_at_a_level_is_exact_with_every_method(method: str, compiles: Any, stepping: Any) -> None:
    for level in (0.2, 0.464, 0.626, 0.794):
        sim = simulation(method, compile=compiles, stepping=stepping)
        valve = Valve(sim, level=level).start()
        sim.run(until=1.0)
        assert sim.report().switches == 1
        assert sim.report().state_events == 0
        assert abs(valve.x - (level + 0.1 * (1.0 - level))) < 1e-14


class Steps(ev.Reporter):
    """When each step begins and ends."""

    seen: list[tuple[float, float]] = ev.field(default_factory=list)

    def report(self) -> None:
        self.seen.append((self.sim.last_time, self.sim.time))


class Patient(ev.Continuous):
    """Two doses, infused 0.1 h each."""

    drug: ev.State = ev.state(0.0)

    def equations(self) -> None:
        t = self.sim.time
        dose = 100.0 if 3.0 <= t < 3.1 or 30.0 <= t < 30.1 else 0.0
        self.rate.drug = dose


@pytest.mark.parametrize("dt_min", [0.0, 1e-3])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_pulse_is_found_and_is_as_long_as_its_floats_say(method: str, compiles: Any, dt_min: float) -> None:
    sim = simulation(method, compile=compiles)
    sim.dt_min = dt_min
    if method in FIXED:
        sim.dt_max = 1.7
    patient = Patient(sim).start()
    steps = Steps(sim, every="step").start()
    sim.run(until=48.0)
    assert sim.report().switches == 4
    # A fixed step may be shorter than a pulse; the first in it begins, and the last ends, at its floats.
    assert [a for a, _ in steps.seen if a in (3.0, 3.1, 30.0, 30.1)] == [3.0, 3.1, 30.0, 30.1]
    assert [b for _, b in steps.seen if b in (3.0, 3.1, 30.0, 30.1)] == [3.0, 3.1, 30.0, 30.1]
    assert abs(patient.drug - 100.0 * ((3.1 - 3.0) + (30.1 - 30.0))) < 1e-12


class Everything(ev.Continuous):
    """What branches in all the ways that are located, with known integrals."""

    period: float = 0.7
    nested: ev.State = ev.state(0.0)
    ramp: ev.State = ev.state(-1.0)
    comb: ev.State = ev.state(0.0)
    stairs: ev.State = ev.state(0.0)
    parts: ev.State = ev.state(0.0)
    whole: ev.State = ev.state(0.0)
    size: ev.State = ev.state(0.0)
    clipped: ev.State = ev.state(0.0)
    truth: ev.State = ev.state(0.0)
    early: ev.Computed = ev.computed()

    def equations(self) -> None:
        t = self.sim.time
        self.rate.ramp = 1.0
        self.early = 1.0 - self.ramp
        if self.ramp < 0.0:
            speed = 1.0 if self.ramp < -0.25 else 2.0
        elif not (self.ramp >= 1.0) and self.early > 0.5:
            speed = 3.0
        else:
            speed = 4.0
        self.rate.nested = speed
        self.rate.comb = 1.0 if t % 1.0 < 0.01 else 0.0
        self.rate.stairs = math.floor(t) + np.ceil(t)
        self.rate.parts = t // self.period
        self.rate.whole = int(self.ramp)
        self.rate.size = abs(self.ramp) + np.sign(self.ramp)
        self.rate.clipped = max(min(self.ramp, 1), 0) + np.clip(t, 1, 2)
        self.rate.truth = (self.ramp > 0.5) * 2.0


def integrals() -> dict[str, float]:
    """From 0 to 4.5, where ramp is t - 1."""
    return {
        "nested": 0.75 + 2 * 0.25 + 3 * 0.5 + 4 * 3.0,
        "ramp": 3.5,
        "comb": 0.05,
        "stairs": (0 + 1 + 2 + 3) + 4 * 0.5 + (1 + 2 + 3 + 4) + 5 * 0.5,
        "parts": 0.7 * (1 + 2 + 3 + 4 + 5) + 6 * (4.5 - 4.2),
        "whole": 1.0 + 2.0 + 3 * 0.5,
        "size": 0.5 + 3.5**2 / 2 - 1.0 + 3.5,
        "clipped": 0.5 + 2.5 + 1.0 + 1.5 + 2 * 2.5,
        "truth": 2.0 * 3.0,
    }


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("method", [m for m in METHODS if m != "Euler"])
def test_all_that_branches_is_located_with_the_same_bits_plain_and_native(method: str, stepping: Any) -> None:
    found = []
    for compiles in ("auto", False):
        sim = simulation(method, compile=compiles, stepping=stepping)
        every = Everything(sim).start()
        sim.run(until=4.5)
        found.append({name: getattr(every, name) for name in integrals()})
        report = sim.report()
        found[-1] |= {"switches": report.switches, "steps": report.steps, "refused": report.refused}
    assert found[0] == found[1]
    assert {name: found[0][name] for name in integrals()} == pytest.approx(integrals(), rel=1e-12, abs=1e-12)


class Tank(ev.Continuous):
    """Torricelli's: it is empty at time 2, where the law has no value beyond."""

    height: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.height = -math.sqrt(self.height) if self.height > 0.0 else 0.0


class Clipped(Tank):
    def equations(self) -> None:
        self.rate.height = -math.sqrt(max(self.height, 0))


@pytest.mark.parametrize("cls", [Tank, Clipped])
@pytest.mark.parametrize("method", [m for m in METHODS if m not in FIXED])
@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_law_without_a_value_on_the_other_side_goes_over(cls: Any, method: str, compiles: Any) -> None:
    sim = simulation(method, compile=compiles)
    tank = cls(sim).start()
    sim.run(until=1.5)
    assert tank.height == pytest.approx(0.0625, rel=1e-9)
    sim.run(until=3.0)
    assert abs(tank.height) < 1e-9
    assert sim.report().switches == 1


class Heater(ev.Continuous):
    """A thermostat's band: its handlers set the mode, its law branches on that and on the sun."""

    temperature: ev.State = ev.state(15.0)
    is_on: float = 1.0
    sunrise: float = 6.0

    def equations(self) -> None:
        gain = 2.0 if self.is_on else -1.0
        if self.sim.time >= self.sunrise:
            gain = gain + 1.5
        self.rate.temperature = gain

    @ev.when(lambda self: self.temperature > 20.0)
    def off(self) -> None:
        self.is_on = 0.0

    @ev.when(lambda self: self.temperature < 18.0)
    def on(self) -> None:
        self.is_on = 1.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("compiles", ["auto", False])
def test_events_are_where_they_are_beside_branches(method: str, compiles: Any) -> None:
    sim = simulation(method, compile=compiles)
    heater = Heater(sim).start()
    log = []

    def watch() -> ev.ProcessGenerator:
        yield ev.until(lambda: heater.temperature > 19.0)
        log.append(("warm", sim.time))
        yield ev.until(lambda: heater.temperature > 20.0)
        yield ev.until(lambda: heater.temperature < 18.0)
        log.append(("cool", sim.time))
        heater.sunrise = 5.0
        yield ev.until(lambda: heater.temperature > 20.0)
        log.append(("hot", sim.time))

    sim.process(watch())
    sim.run(until=10.0)
    # 15 + 2 t; off at 2.5; 18 at 4.5, when the sun is told to rise at 5: 19 there, then 3.5 an hour
    assert [name for name, _ in log] == ["warm", "cool", "hot"]
    assert [time for _, time in log] == pytest.approx([2.0, 4.5, 5.0 + 1.0 / 3.5], rel=1e-13)
    assert sim.report().switches == 1


@pytest.mark.parametrize("compiles", ["auto", False])
def test_an_event_at_the_very_float_of_a_branch_sees_what_holds_from_then_on(compiles: Any) -> None:
    class Twin(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0 if self.x < 0.5 else 3.0

        @ev.when(lambda self: self.x >= 0.5)
        def passes(self) -> None:
            log.append((self.sim.time, self.rate.x))

    log: list[Any] = []
    sim = simulation(compile=compiles)
    twin = Twin(sim).start()
    sim.run(until=1.0)
    assert log == [(pytest.approx(0.5, rel=1e-15), 3.0)]
    assert twin.x == pytest.approx(2.0, rel=1e-15)
    assert (sim.report().state_events, sim.report().switches) == (1, 1)


class Rider(ev.Continuous):
    """A law that branches on what another object and a computed value say."""

    valve: Valve
    y: ev.State = ev.state(0.0)
    gap: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.gap = self.valve.x - 0.3
        self.rate.y = 1.0 if self.gap < 0.0 else -1.0


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_law_branches_on_other_objects_and_stops_and_starts(compiles: Any) -> None:
    sim = simulation(compile=compiles)
    valve = Valve(sim, low=1.0).start()
    rider = Rider(sim, valve=valve).start()
    sim.run(until=0.4)
    assert rider.y == pytest.approx(0.2, abs=1e-13)
    rider.stop()
    valve.x = 0.0
    sim.run(until=0.5)
    rider.start()
    sim.run(until=1.0)
    assert rider.y == pytest.approx(0.2 + 0.2 - 0.3, abs=1e-13)
    assert sim.report().switches == 3


class Below(Valve):
    """What a class above writes, and its branches, are used by `super`."""

    z: ev.State = ev.state(0.0)

    def equations(self) -> None:
        super().equations()
        self.rate.z = 5.0 if self.x > 0.25 else 0.0


@pytest.mark.parametrize("compiles", ["auto", False])
def test_branches_of_a_law_above_are_located_as_well(compiles: Any) -> None:
    sim = simulation(compile=compiles)
    below, above = Below(sim).start(), Valve(sim).start()
    sim.run(until=1.0)
    assert below.x == above.x == pytest.approx(0.55, abs=1e-13)
    assert below.z == pytest.approx(3.75, abs=1e-14)
    assert sim.report().switches == 3


@pytest.mark.slow
@pytest.mark.parametrize("every", [0.1, "step"])
def test_who_looks_changes_no_bit(every: Any) -> None:
    ends = []
    for looks in (False, True):
        sim = simulation()
        made = Everything(sim).start()
        trace = sim.record(made, every=every) if looks else None
        sim.run(until=4.5)
        ends.append([getattr(made, name) for name in integrals()])
    assert ends[0] == ends[1]
    assert trace is not None
    assert len(trace) == 46 if every == 0.1 else len(trace) > 40


class Relay(ev.Continuous):
    x: ev.State = ev.state(0.3)

    def equations(self) -> None:
        self.rate.x = -1.0 if self.x > 0.1 else 1.0


class FarRelay(Relay):
    """Far from zero its floats are far apart, seen from the time."""

    def equations(self) -> None:
        self.rate.x = -1.0 if self.x > 1e6 else 1.0


@pytest.mark.parametrize(("cls", "start"), [(Relay, 0.3), (FarRelay, 1e6 + 0.3)])
@pytest.mark.parametrize("compiles", ["auto", pytest.param(False, marks=pytest.mark.slow)])
def test_a_law_that_chatters_is_named_with_its_remedy(cls: Any, start: float, compiles: Any) -> None:
    sim = simulation(compile=compiles)
    cls(sim, x=start).start()
    with pytest.raises(ev.ModelError, match=r"the law chatters: `self\.x > .*` in .*Relay 1\.equations"):
        sim.run(until=1.0)
    assert sim.time == pytest.approx(start - (1e6 if cls is FarRelay else 0.1), abs=1e-5)


def test_what_switches_often_and_goes_on_is_no_chatter() -> None:
    class Comb(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0 if math.sin(1000.0 * self.sim.time) > 0.0 else -1.0

    sim = simulation()
    comb = Comb(sim).start()
    sim.run(until=8.0 * math.pi)
    assert sim.report().switches in (7999, 8000, 8001)
    assert abs(comb.x) < 1e-9


def test_a_class_may_say_that_nothing_is_located() -> None:
    class Loose(Valve):
        locate_branches = False

        def equations(self) -> None:
            self.rate.x = 1.0 if self.x < self.level else self.low

    sim = simulation()
    Loose(sim).start()
    sim.run(until=1.0)
    assert sim.report().switches == 0
    assert [(b.text, b.kind, b.why) for b in sim.explain().branches] == [
        ("equations", None, "as `Loose.locate_branches` says")
    ]


def test_what_is_located_and_what_is_not_is_told() -> None:
    class Told(ev.Continuous):
        n: int = 3
        x: ev.State = ev.state(0.0)
        mode: float = 1.0
        u: ev.StateVector = ev.state_vector(size="n")

        def equations(self) -> None:
            self.rate.x = 1.0 if self.x < 0.5 else 2.0
            if self.mode > 0.5:
                self.rate.x += round(self.x)
            for k in range(self.n):
                self.rate.u[k] = 1.0 if self.u[k] < 0.5 else 0.0
            self.rate.u += np.where(self.u > 0.25, 1.0, 0.0)
            self.rate.x += drag(self.x)

    def drag(x: float) -> float:
        return max(x, 0.0)

    sim = simulation()
    Told(sim).start()
    assert [(b.text, b.kind, b.why) for b in sim.explain().branches] == [
        ("self.x < 0.5", "certified", ""),
        ("max(x, 0.0)", "certified", ""),
        ("round(self.x)", None, "it jumps between whole numbers"),
        ("self.u[k] < 0.5", None, "it is in a loop"),
        ("self.u > 0.25", None, "it may be one of arrays, item by item"),
        ("np.where(self.u > 0.25, 1.0, 0.0)", None, "it chooses item by item"),
    ]
    text = str(sim.explain())
    assert "branches in laws: steps end where they change\n  Told 1.equations, `self.x < 0.5` (" in text
    assert "branches in laws that are not located: error control alone sees them\n  Told 1.equations, `round" in text


class Basin(ev.Continuous):
    """Its annotations name a class that is not there yet when they are read."""

    level: ev.State = ev.state(0.0)
    after: Basin | None = None
    line: Sequence[Basin] = ()
    named: dict[str, Optional[Basin]] = ev.field(default_factory=dict)  # noqa: UP045  # as users write it, too
    unknown: Any = None
    n: int = 1
    u: ev.StateVector = ev.state_vector(0.5, size=2)
    total: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.level = self.rate.u[1] = 1.0
        if self.after is not None:
            self.rate.total = (
                self.after.level // 0.3
                + self.line[0].level // 0.4
                + self.named["a"].level // 0.6
                + math.exp(self.unknown.level) // 0.7
                + max(0.7, self.unknown.level)
                + self.u[-1] // 0.8
                + self.u[self.n] % 0.9
            )


@pytest.mark.parametrize("compiles", ["auto", False])
def test_what_annotations_name_is_known_to_be_numbers(compiles: Any) -> None:
    sim = simulation("Dormand-Prince", compile=compiles)
    source = Basin(sim)
    basin = Basin(sim, after=source, line=[source], named={"a": source}, unknown=source)
    source.start()
    basin.start()
    sim.run(until=1.0)
    assert {(b.text, b.why) for b in sim.explain().branches if b.kind is None} == set()
    jumps = (0.7 + 0.4 + 0.1) + (0.6 + 0.2) + 0.4 + (3.0 - math.log(1.4) - math.log(2.1)) + 0.7
    remainder, largest = 1.0 - 0.9 * 0.6, 0.49 + 0.255
    assert source.total == 0.0
    assert basin.total == pytest.approx(jumps + remainder + largest, abs=1e-11)


class Follower(ev.Continuous):
    """What it follows is asked for only where there is something."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(0.0)
    ahead: Follower | None = None
    style: int = 0

    def equations(self) -> None:
        self.rate.x = 1.0
        if self.style == 0:
            if self.ahead is not None:
                self.rate.y = 1.0 if self.ahead.x < 0.5 else 0.1
        elif self.style == 1:
            self.rate.y = 1.0 - 0.9 * min(self.ahead.x // 0.5, 1.0) if self.ahead else 0.0
        elif self.style == 2:
            self.rate.y = 0.1
            if self.ahead is not None and self.ahead.x < 0.5:
                self.rate.y = 1.0
        elif self.style == 3:
            if not self.ahead:
                return
            self.rate.y = 1.0 if self.ahead.x < 0.5 else 0.1
        elif self.ahead is None or self.ahead.x >= 0.5:
            self.rate.y = 0.1
        else:
            self.rate.y = 1.0


@pytest.mark.slow
@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("style", range(5))
def test_a_branch_is_looked_at_only_where_the_law_goes_there(style: int, compiles: Any) -> None:
    sim = simulation("Dormand-Prince", compile=compiles)
    first = Follower(sim, style=style)
    second = Follower(sim, style=style, ahead=first)
    first.start()
    second.start()
    sim.run(until=1.0)
    alone = 0.1 if style in (2, 4) else 0.0
    assert [first.y, second.y] == pytest.approx([alone, 0.55], abs=1e-12)
    second.ahead = None
    sim.run(until=2.0)
    assert [first.y, second.y] == pytest.approx([2.0 * alone, 0.55 + alone], abs=1e-12)
    first.ahead = second
    sim.run(until=3.0)
    assert first.y == pytest.approx(2.0 * alone + 0.1, abs=1e-12)


def test_a_branch_in_a_part_of_the_law_that_is_not_run_ends_no_step() -> None:
    class Modes(ev.Continuous):
        mode: int = 0
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0
            if self.mode == 1:
                self.rate.x = 1.0 if self.x % 0.25 < 0.125 else 2.0

    sim = simulation()
    modes = Modes(sim)
    modes.start()
    sim.run(until=1.0)
    assert sim.report().switches == 0
    modes.mode = 1
    sim.run(until=2.0)
    assert sim.report().switches > 0


def test_branches_are_nothing_that_could_happen() -> None:
    sim = simulation()
    Valve(sim).start()
    with pytest.raises(ev.SimulationError) as caught:
        sim.run()
    assert caught.value.number == 7


def test_bends_that_are_located_cost_less() -> None:
    class Bent(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = abs(self.sim.time - 1.3)

    class Seen(Bent):
        locate_branches = False

        def equations(self) -> None:
            self.rate.x = abs(self.sim.time - 1.3)

    costs = {}
    for cls in (Bent, Seen):
        sim = simulation()
        bent = cls(sim).start()
        sim.run(until=3.0)
        costs[cls] = sim.report().evaluations
        if cls is Bent:
            assert bent.x == pytest.approx(1.3**2 / 2 + 1.7**2 / 2, abs=1e-13)
    assert costs[Bent] < 0.7 * costs[Seen]


threshold = -5.0


class Within(ev.Continuous):
    """One comparison decides whether the law comes to the other."""

    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        if self.x < threshold:
            self.rate.x = 2.0 if self.x > -1.0 else 7.0
        else:
            self.rate.x = 0.5


@pytest.mark.parametrize("method", ["england", "dop853", "radau"])
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("compiled", ["auto", False])
def test_an_inner_comparison_is_decided_after_the_outer_one_that_an_event_has_planned_anew(
    compiled: Any, stepping: Any, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "threshold", -5.0)
    sim = ev.Simulation(compile=compiled, stepping=stepping, method=method, rel_error=1e-9, abs_error=1e-9)
    within, switches = Within(sim).start(), list[int]()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        switches.append(sim.report().switches)
        globals()["threshold"] = 5.0

    sim.process(story())
    sim.run(until=1.0)
    assert within.x == pytest.approx(1.25, abs=1e-12)
    assert switches == [sim.report().switches]


class Jumping(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0 if self.x < 0.5 else 0.25


@pytest.mark.parametrize(("name", "value"), [("locate_branches", False), ("smooth_laws", True)])
def test_what_a_class_says_of_its_laws_is_not_said_of_an_object(name: str, value: bool) -> None:
    one = Jumping(ev.Simulation(), name="one")
    setattr(one, name, value)
    with pytest.raises(ev.ModelError, match=f"one.{name} was set.* Write `{name} = {value}` in the class Jumping"):
        one.start()
