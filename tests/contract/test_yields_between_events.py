"""Commands where no process can wait."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from worlds import COMMANDS, COMPILE, Act, World

import eventide as ev
from eventide.errors import TEXTS

HERE = re.escape(Path(__file__).name)


@pytest.fixture(params=COMPILE, ids=["compiled", "plain"])
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    return ev.Simulation(rng=1, compile=request.param)


def yielding_equations(sim: ev.Simulation, make: Act) -> str:
    class Rogue(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self):
            self.rate.x = 1.0
            yield make()

    Rogue(sim, name="rogue").start()
    return "the equations of rogue"


def yielding_contributions(sim: ev.Simulation, make: Act) -> str:
    class Rogue(ev.Continuous):
        def contributions(self):
            yield make()

    Rogue(sim, name="rogue").start()
    return "the equations of rogue"


def yielding_report(sim: ev.Simulation, make: Act) -> str:
    class Rogue(ev.Reporter):
        def report(self):
            yield make()

    Rogue(sim, name="rogue").start()
    return "the report of rogue"


def yielding_condition(sim: ev.Simulation, make: Act) -> str:
    def condition():
        yield make()

    def rogue() -> ev.ProcessGenerator:
        yield ev.until(condition)

    sim.process(rogue(), name="rogue")
    return "the condition of rogue"


YIELDING = (yielding_equations, yielding_contributions, yielding_report, yielding_condition)


@pytest.mark.row("R-051", "R-201", "R-203", "R-211", "R-212")
@pytest.mark.parametrize("place", YIELDING, ids=lambda place: place.__name__)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_yields_between_events(sim: ev.Simulation, command: str, place: Callable[..., str]) -> None:
    world = World(sim)
    number, make = COMMANDS[command]
    where = place(sim, lambda: make(world))
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=2.0)
    error = caught.value
    assert (error.number, error.text, error.time) == (number, TEXTS[number], 0.0)
    assert f"was met in {where}, where nothing can wait" in str(error)
    assert getattr(error.caller, "name", None) == "rogue"
    assert getattr(error.reporter, "name", None) == ("rogue" if place is yielding_report else None)
    is_law = place in (yielding_equations, yielding_contributions)
    assert getattr(error.continuous, "name", None) == ("rogue" if is_law else None)


def test_equations_that_never_reach_their_yield_are_told(sim: ev.Simulation) -> None:
    class Rogue(ev.Continuous):
        def equations(self):
            if self.sim.time > 5.0:
                yield None

    Rogue(sim, name="rogue").start()
    with pytest.raises(ev.ModelError, match="the equations of rogue contain a `yield`, but nothing can wait"):
        sim.run(until=2.0)


class Dropping(ev.Continuous):
    desk: ev.Resource
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0
        if self.x > 100.0:
            self.desk.request()


def test_a_dropped_request_in_equations_is_found_when_they_start(sim: ev.Simulation) -> None:
    dropping = Dropping(sim, name="dropping", desk=ev.Resource(sim, 1))
    with pytest.raises(ev.SimulationError, match=rf"request\(\) at .*{HERE}:\d+ makes a command") as caught:
        dropping.start()
    assert (caught.value.number, caught.value.caller, dropping.active) == (18, None, False)


def dropped_in_equations(sim: ev.Simulation) -> None:
    class Rogue(ev.Continuous):
        def equations(self) -> None:
            ev.pause()

    Rogue(sim, name="rogue").start()


def dropped_in_contributions(sim: ev.Simulation) -> None:
    class Rogue(ev.Continuous):
        def contributions(self) -> None:
            ev.activate(None)

    Rogue(sim, name="rogue").start()


def dropped_in_report(sim: ev.Simulation) -> None:
    passivate = ev.passivate

    class Rogue(ev.Reporter):
        def report(self) -> None:
            passivate()

    Rogue(sim, name="rogue").start()


def dropped_in_when(sim: ev.Simulation) -> None:
    class Rogue(ev.Continuous):
        @ev.when(lambda self: bool(ev.tick(1.0)))
        def handler(self) -> None:
            pass

    Rogue(sim, name="rogue").start()


def dropped_in_a_law(sim: ev.Simulation) -> None:
    ev.law(sim, lambda: ev.until(bool), name="rogue").start()


DROPPING = {
    "equations": (8, dropped_in_equations),
    "contributions": (17, dropped_in_contributions),
    "report": (18, dropped_in_report),
    "when": (19, dropped_in_when),
    "law": (10, dropped_in_a_law),
}


@pytest.mark.parametrize("where", DROPPING)
def test_a_dropped_command_is_found_when_its_object_starts(sim: ev.Simulation, where: str) -> None:
    number, begin = DROPPING[where]
    with pytest.raises(ev.SimulationError, match=rf"{HERE}:\d+ makes a command in the .* of rogue") as caught:
        begin(sim)
    assert (caught.value.number, caught.value.time) == (number, 0.0)


def test_a_dropped_command_in_a_condition_is_found_when_it_is_waited_for(sim: ev.Simulation) -> None:
    def rogue() -> ev.ProcessGenerator:
        yield ev.hold(1.5)
        yield ev.until(lambda: ev.hold(1.0) > 0.5)

    sim.process(rogue(), name="rogue")
    with pytest.raises(ev.SimulationError, match=r"hold\(\) at .* in the condition of rogue") as caught:
        sim.run()
    assert (caught.value.number, caught.value.time) == (19, 1.5)
    assert caught.traceback[-1].name == "rogue"


def test_names_that_only_look_like_commands_are_left_alone(sim: ev.Simulation) -> None:
    class Tank(ev.Continuous):
        hold: float = 2.0
        tick: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.tick = self.hold

    tank = Tank(sim).start()
    sim.run(until=lambda: tank.tick > tank.hold)
    assert sim.time == pytest.approx(1.0)


named: Any = float


def test_what_a_name_means_is_found_out_in_each_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same code is fine in one simulation, and makes a command in the next, where a name stands for another."""

    class Tank(ev.Continuous):
        level: ev.State = ev.state(0.0)

        def equations(self) -> None:
            named(1.0)
            self.rate.level = 1.0

    Tank(ev.Simulation()).start()
    monkeypatch.setitem(globals(), "named", ev.hold)
    with pytest.raises(ev.SimulationError, match=rf"hold\(\) at .*{HERE}:\d+ makes a command in the equations"):
        Tank(ev.Simulation()).start()
