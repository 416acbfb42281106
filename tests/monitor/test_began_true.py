"""Handlers whose condition has been true from the start on: they never run, and are named with what to do."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev

REMEDY = "a handler runs when its condition becomes true; for the start too write @ev.when(..., at_start=True)"


class Thermostat(ev.Continuous):
    """It is cold, and nobody switches the heating on."""

    temperature: ev.State = ev.state(15.0)
    outside: float = 5.0
    heating: bool = False

    def equations(self) -> None:
        self.rate.temperature = 0.1 * (self.outside - self.temperature) + (3.0 if self.heating else 0.0)

    @ev.when(lambda self: self.temperature < 19.0)
    def on(self) -> None:
        self.heating = True

    @ev.when(lambda self: self.temperature > 21.0)
    def off(self) -> None:
        self.heating = False

    @ev.when(ev.crosses(lambda self: self.temperature, 10.0, direction="up"))
    def mild(self) -> None: ...

    @ev.when(lambda self: self.temperature < 16.0, at_start=True)
    def cold(self) -> None: ...


@pytest.mark.parametrize("compiles", ["auto", False])
def test_what_has_been_true_from_the_start_is_named(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    thermostat = Thermostat(sim, name="room").start()
    assert sim.report().began_true == ()  # nothing has been tested yet
    sim.run(until=24.0)
    assert sim.report().began_true == ("room.on",)
    assert f"true from the start, and so never run: room.on; {REMEDY}" in str(sim.report()).splitlines()
    assert [(note.name, note.began_true) for note in sim.explain().conditions] == [
        ("room.on", True),
        ("room.off", False),
        ("room.mild", False),
        ("room.cold", False),
    ]
    assert f"    true from the start, so that its handler has never run: {REMEDY}" in str(sim.explain()).splitlines()
    thermostat.temperature = 22.0  # so it becomes true some time later
    sim.run(until=48.0)
    assert sim.report().began_true == ()
    assert thermostat.heating
