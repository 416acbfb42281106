"""A wait for as long as a field says whose unit is not that of the clock."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev


class Desk(ev.Component):
    service: float = ev.field(default=2.0, unit="h")
    pause: float = ev.field(default=3.0, unit="minutes")
    log: list[Any] = ev.field(default_factory=list)

    def serve(self) -> ev.ProcessGenerator:
        yield ev.hold(self.service)

    def rest(self) -> ev.ProcessGenerator:
        yield ev.hold(ev.Quantity(self.service, unit="h"))
        yield ev.hold(self.service * 60)
        yield ev.hold(self.pause)
        self.log.append(self.sim.time)


def test_a_field_in_hours_is_no_duration_where_the_clock_counts_minutes() -> None:
    desk = Desk(ev.Simulation(time_unit="min"))
    with pytest.raises(ev.ModelError) as error:
        desk.sim.process(desk.serve())
    told = str(error.value)
    assert told.startswith("ev.hold(self.service) at ")
    assert told.endswith(
        "waits for a number of h, the unit of the field, and the clock counts min: write "
        "`ev.hold(ev.Quantity(self.service, unit='h'))`"
    )


@pytest.mark.parametrize(("unit", "end"), [("h", 2.0), ("", 2.0), ("hours", 2.0)])
def test_one_of_the_same_unit_is_and_where_the_clock_has_none(unit: str, end: float) -> None:
    desk = Desk(ev.Simulation(time_unit=unit))
    desk.sim.process(desk.serve())
    desk.sim.run()
    assert desk.sim.time == end


def test_what_is_converted_there_is_as_well() -> None:
    pytest.importorskip("pint")
    desk = Desk(ev.Simulation(time_unit="min"))
    desk.sim.process(desk.rest())
    desk.sim.run()
    assert desk.log == [243.0]
