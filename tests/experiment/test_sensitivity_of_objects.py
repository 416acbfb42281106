"""Derivatives of objects that set what is of others, and of states that are stopped one by one, beside closed forms."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import pytest

import eventide as ev


class Total(ev.Continuous):
    flow: ev.Summed = ev.summed()
    x: ev.State = 0.0

    def equations(self) -> None:
        self.rate.x = self.flow


class Part(ev.Continuous):
    total: Total
    y: ev.State = 1.0
    pace: float = 1.0

    def equations(self) -> None:
        self.total.flow += self.pace * self.y
        self.rate.y = -self.pace * self.y


class Follower(ev.Continuous):
    part: Part
    z: ev.State = 0.0

    def equations(self) -> None:
        self.rate.z = self.part.rate.y


class Pushed(ev.Continuous):
    v: ev.State = 0.0


class Push(ev.Continuous):
    pushed: Pushed
    w: ev.State = 1.0

    def equations(self) -> None:
        self.pushed.rate.v = self.w
        self.rate.w = -0.5 * self.w


@ev.model(until=1.0, rel_error=1e-10, abs_error=1e-12)
def whole(sim: ev.Simulation, *, pace: float = 0.7, push: float = 2.0) -> dict[str, Callable[[], float]]:
    total = Total(sim, name="total")
    parts = [Part(sim, total=total, pace=k * pace, name=f"part {k}") for k in (1, 2)]
    follower = Follower(sim, part=parts[1], name="follower").start()
    total.start()
    for part in parts:
        part.start()
    pushed = Pushed(sim, name="pushed")
    pushed["v"].start()
    Push(sim, pushed=pushed, w=push, name="push").start()
    return {"x": lambda: total.x, "z": lambda: follower.z, "v": lambda: pushed.v}


@pytest.mark.slow
@pytest.mark.row("R-290")
def test_sums_and_rates_that_laws_of_later_objects_set_have_derivatives() -> None:
    found = ev.sensitivity(whole)
    expected = {
        ("x", "pace"): exp(-0.7) + 2.0 * exp(-1.4),  # x = 2 - exp(-pace) - exp(-2 pace)
        ("z", "pace"): -2.0 * exp(-1.4),  # z = exp(-2 pace) - 1
        ("v", "push"): 2.0 * (1.0 - exp(-0.5)),  # of a state whose object has no laws at work
        ("x", "push"): 0.0,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-8)


class Runner(ev.Continuous):
    x: ev.State = 0.0
    y: ev.State = 0.0

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = 1.0


@ev.model(until=2.0, rel_error=1e-10, abs_error=1e-12)
def resting(sim: ev.Simulation, *, stop: float = 0.75, rest: float = 0.5) -> dict[str, Callable[[], float]]:
    runner = Runner(sim, name="runner").start()

    def meddle() -> ev.ProcessGenerator:
        yield ev.hold(stop)
        runner["y"].stop()
        yield ev.hold(rest)
        runner["y"].start()

    sim.process(meddle())
    return {"x": lambda: runner.x, "y": lambda: runner.y}


@pytest.mark.row("R-290")
def test_a_state_that_is_stopped_by_itself_has_the_derivatives_of_one_that_stands_still() -> None:
    found = ev.sensitivity(resting)
    # y = 2 - rest; x = stop**2 / 2 + stop * rest + stop * left + left**2 / 2, where left = 2 - stop - rest
    left = 2.0 - 0.75 - 0.5
    expected = {
        ("y", "stop"): 0.0,
        ("y", "rest"): -1.0,
        ("x", "stop"): 0.75 + 0.5 + left - 0.75 - left,
        ("x", "rest"): 0.75 - 0.75 - left,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-8, abs=1e-8)
    near = ev.linearize(resting, time=1.0)  # y stands still, and does not grow with anything
    assert (near.names, near.rates.tolist(), near.A.tolist()) == (
        ("runner.x", "runner.y"),
        [0.75, 0.0],
        [[0.0, 1.0], [0.0, 0.0]],
    )


# --- quantities of what is varied -------------------------------------------------------------------------------------


class Walker(ev.Continuous):
    x: ev.State = ev.state(0.0, unit="m")
    pace: float = ev.field(default=1.0, unit="m/s")

    def equations(self) -> None:
        self.rate.x = self.pace


@ev.model(time_unit="h")
def walk(sim: ev.Simulation, *, gap: float = 2.0, pace: float = 3.0):
    walker = Walker(sim, pace=ev.Quantity(pace, unit="m/s")).start()
    yield ev.hold(ev.Quantity(gap, unit="h"))
    return {"x": ev.Quantity(walker.x, unit="m")}


def test_a_quantity_of_what_is_varied_is_its_number_where_that_unit_is_wanted() -> None:
    found = ev.sensitivity(walk)
    assert [(one.input, one.output_value, one.sensitivity) for one in found.entries] == [
        ("gap", pytest.approx(6.0), pytest.approx(3.0)),
        ("pace", pytest.approx(6.0), pytest.approx(2.0)),
    ]
    assert found.units["x"] == "m"


@ev.model(time_unit="min")
def hike(sim: ev.Simulation, *, gap: float = 2.0, pace: float = 3.0, first: float = 50.0):
    metre, start = ev.Quantity(1.0, unit="m"), ev.Quantity(first, unit="cm")
    is_behind = start < metre and not metre <= start and start != ev.Quantity(50.0, unit="m")
    walker = Walker(sim, x=start, pace=ev.Quantity(pace, unit="cm/s")).start()
    yield ev.hold(ev.Quantity(gap, unit="h"))
    walker.pace = ev.Quantity(2.0 * pace, unit="cm/s")
    yield ev.Quantity(gap, unit="min")
    return {"x": walker.x, "sum": metre + start, "less": start - metre, "behind": is_behind * start}


@pytest.mark.slow
def test_a_quantity_of_what_is_varied_is_converted_with_its_derivatives() -> None:
    """It lost its unit: hours were taken for minutes."""
    pytest.importorskip("pint")
    slopes = {
        "x": (62 * 0.03, 124 * 0.01, 0.01),  # x = first / 100 + 60 gap pace / 100 + gap 2 pace / 100
        "sum": (0.0, 0.0, 0.01),  # in metres
        "less": (0.0, 0.0, 1.0),  # in centimetres
        "behind": (0.0, 0.0, 1.0),
    }
    values = {"x": 4.22, "sum": 1.5, "less": -50.0, "behind": 50.0}
    for by in ("variational", "central"):
        for one in ev.sensitivity(hike, by=by).entries:
            expected = slopes[one.output][["gap", "pace", "first"].index(one.input)]
            assert one.output_value == pytest.approx(values[one.output]), one
            assert one.sensitivity == pytest.approx(expected, abs=1e-7), one


@ev.model(until=1.0)
def loud(sim: ev.Simulation, *, level: float = 3.0) -> dict[str, Callable[[], float]]:
    walker = Walker(sim, x=ev.Quantity(level, unit="cm") - ev.Quantity(level, unit="s")).start()
    return {"x": lambda: walker.x}


@ev.model(until=1.0)
def warm(sim: ev.Simulation, *, level: float = 3.0) -> dict[str, Callable[[], float]]:
    oven = Oven(sim, power=ev.Quantity(level, unit="dBm")).start()
    return {"heat": lambda: oven.heat}


class Oven(ev.Continuous):
    heat: ev.State = 0.0
    power: float = ev.field(default=0.0, unit="mW")

    def equations(self) -> None:
        self.rate.heat = self.power


@pytest.mark.slow
def test_a_quantity_that_cannot_be_converted_is_refused_with_its_derivatives() -> None:
    pytest.importorskip("pint")
    with pytest.raises(ev.ModelError, match=r"^3\.0 cm is in cm, and got 3\.0 s, which cannot be converted: "):
        ev.sensitivity(loud)
    told = r"^the derivatives of 3\.0 dBm cannot be converted: their scale is not even$"
    with pytest.raises(ev.ModelError, match=told):
        ev.sensitivity(warm)
