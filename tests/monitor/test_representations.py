"""What a simulation, a run, its account and an object tell of themselves, as text and in a notebook."""

from __future__ import annotations

import re

import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0, unit="m", description="of <water>")
    k: float = 0.5

    def equations(self) -> None:
        self.rate.level = -self.k * self.level

    @ev.when(lambda self: self.level < 0.5)
    def low(self) -> None:
        self.level = 1.0


class Rod(ev.Continuous):
    u: ev.StateVector = ev.state_vector(0.0, size=5)


class Odd(ev.Continuous):
    x: ev.State = ev.state(0.0)
    table: dict[str, float] = ev.field(default_factory=dict)

    def equations(self) -> None:
        self.rate.x = self.table.get("k", 1.0)


@ev.model(until=2.0)
def falling(sim: ev.Simulation, height: float = 10.0) -> dict[str, object]:
    tank = Tank(sim, level=height).start()
    return {"end": lambda: tank.level, "size": ev.Quantity(2.0, unit="m")}


def story() -> ev.ProcessGenerator:
    while True:
        yield ev.hold(1.5)


def test_a_simulation_tells_its_time_and_what_is_in_it() -> None:
    sim = ev.Simulation(time_unit="s", seed=1)
    assert repr(sim) == "<Simulation at time 0 s: events 0, components 0, processes 0>"
    tank = Tank(sim).start()
    rod = Rod(sim)
    sim.process(story())
    sim.run(until=2.0)
    assert repr(sim) == "<Simulation at time 2 s: events 3, components 2 (1 active), processes 1>"
    assert re.findall("<td>(.*?)</td><td>(.*?)</td>", sim._repr_html_()) == [
        ("time", "2 s"),
        ("events", "3"),
        ("components", "2 (1 active)"),
        ("processes", "1"),
        ("next time event", "3"),
        ("conditions waited for", "1"),
        ("entropy", "1"),
        ("method", "Runge-Kutta-England"),
    ]
    assert (tank.active, rod.active) == (True, False)


def test_a_component_tells_its_values_and_whether_it_takes_part() -> None:
    sim = ev.Simulation()
    tank, rod = Tank(sim, name="tank"), Rod(sim)
    assert (repr(tank), repr(rod)) == ("<tank: level = 1 m, not started>", "<Rod 1: u of 5 items, not started>")
    tank.start()
    sim.run(until=1.0)
    assert repr(tank) == "<tank: level = 0.606531 m>"
    page = tank._repr_html_()
    assert "<p><b>tank</b></p>" in page
    assert "<td>level</td><td>0.606531</td><td>m</td><td>of &lt;water&gt;</td>" in page
    tank.stop()
    assert repr(tank) == "<tank: level = 0.606531 m, stopped>"


def test_a_run_tells_its_responses_and_its_cost() -> None:
    run = falling.run()
    steps = run.account.steps
    assert repr(run) == f"<Run of falling(height=10.0): end 3.67879, size 2 m; 0 events and {steps} steps until time 2>"
    assert str(run).splitlines()[0] == "falling(height=10.0)"
    assert "<td>size</td><td>2 m</td>" in run._repr_html_()


def test_an_account_is_a_small_table() -> None:
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.run(until=2.0)
    report = sim.report()
    assert str(report) == repr(report)
    lines = str(report).splitlines()
    assert lines[:3] == [
        f"{'events':<34} {1:>3}",
        f"{'state events, of these':<34} {1:>3}",
        f"{'steps':<34} {report.steps:>3}",
    ]
    assert len({len(line) for line in lines}) == 1
    assert "<td>events</td><td>1</td>" in report._repr_html_()
    assert tank.level < 1.0


def test_an_explanation_groups_objects_and_begins_with_the_share_of_native_code() -> None:
    sim = ev.Simulation()
    tanks = [Tank(sim).start() for _ in range(30)]
    odds = [Odd(sim).start() for _ in range(2)]
    sim.run(until=1.0)
    lines = str(sim.explain()).splitlines()
    assert lines[:3] == [
        "native code: 30 of 32 laws, 30 of 30 conditions, 30 of 30 handlers; the rest is Python",
        "laws, in the order in which they run",
        "  Tank 1.equations ... Tank 30.equations (30): native code, flows 1 ... 30",
    ]
    assert "  Tank 1.low ... Tank 30.low (30): native code" in lines
    assert "  flow 1 ... flow 30 (30): Tank 1 ... Tank 30" in lines
    assert len(lines) < 20
    assert sim.explain()._repr_html_().startswith("<pre>native code: 30 of 32 laws")
    assert len(tanks) + len(odds) == 32


@pytest.mark.parametrize("count", [3, 4])
def test_a_flow_of_many_names_the_first_and_the_last(count: int) -> None:
    sim = ev.Simulation(stepping="together")
    tanks = [Tank(sim).start() for _ in range(count)]
    sim.run(until=0.5)
    named = ", ".join(tank.name for tank in tanks) if count == 3 else "Tank 1 ... Tank 4 (4)"
    assert f"  flow 1: {named}" in str(sim.explain()).splitlines()
