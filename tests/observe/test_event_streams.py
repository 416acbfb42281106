"""Logs for other programs: XES for process mining, the columns of vidigi."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

import eventide as ev

XES = "{http://www.xes-standard.org/}"


def customer(desk: ev.Resource, duration: float) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(duration)


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(seed=1, time_unit="min")


def test_a_log_is_written_as_traces_of_processes(sim, tmp_path):
    desk, log = ev.Resource(sim, 1, name="desk"), sim.log()
    for name, duration in (("A", 1.5), ("B", 0.5)):
        sim.process(customer(desk, duration), name=name)
    sim.run()
    log.to_xes(tmp_path / "log.xes", start="2026-01-31T08:00:00+01:00", seconds=60.0)
    root = ET.parse(tmp_path / "log.xes").getroot()
    told = [
        [tuple(str(attribute.get("value")) for attribute in event) for event in trace.iter(f"{XES}event")]
        for trace in root.iter(f"{XES}trace")
    ]
    begin, middle, end = (f"2026-01-31T08:0{minute}.000+01:00" for minute in ("0:00", "1:30", "2:00"))
    assert root.get("xes.version") == "1849-2016"
    assert told == [
        [
            ("activated by whoever runs the model", "complete", begin),
            ("hold", "start", begin),
            ("hold ended", "complete", middle),
            ("hold", "complete", middle),
        ],
        [
            ("activated by whoever runs the model", "complete", begin),
            ("a unit of desk", "start", begin),
            ("got a unit of desk", "complete", middle),
            ("a unit of desk", "complete", middle),
            ("hold", "start", middle),
            ("hold ended", "complete", end),
            ("hold", "complete", end),
        ],
    ]


def test_dates_that_are_none_are_refused(sim, tmp_path):
    log = sim.log()
    sim.process(customer(ev.Resource(sim, 1), 1.0))
    sim.run()
    with pytest.raises(ev.InputError, match=r"^start= takes a date and time as 2026-01-31T08:00:00, and got 'today'$"):
        log.to_xes(tmp_path / "log.xes", start="today")
    with pytest.raises(ev.InputError, match=r"is beyond the calendar: give seconds= less$"):
        log.to_xes(tmp_path / "log.xes", seconds=1e12)
    assert list(tmp_path.iterdir()) == []


def test_stays_have_the_columns_of_vidigi(sim):
    desk = ev.Resource(sim, 2, name="desk")
    stays = ev.Occupancy(sim, desk)
    for name, duration in (("A", 1.0), ("B", 3.0), ("C", 1.0)):
        sim.process(customer(desk, duration), name=name)
    sim.run(until=2.5)
    frame = stays.to_vidigi()
    assert list(frame.columns) == ["entity_id", "event_type", "event", "time", "resource_id", "pathway"]
    assert [tuple(row) for row in frame.drop(columns="pathway").fillna(0).itertuples(index=False)] == [
        (1, "arrival_departure", "arrival", 0.0, 0),
        (1, "resource_use", "desk_begins", 0.0, 1),
        (2, "arrival_departure", "arrival", 0.0, 0),
        (2, "queue", "desk_wait", 0.0, 0),
        (3, "arrival_departure", "arrival", 0.0, 0),
        (3, "resource_use", "desk_begins", 0.0, 2),
        (1, "resource_use_end", "desk_ends", 1.0, 1),
        (2, "resource_use", "desk_begins", 1.0, 1),
        (1, "arrival_departure", "depart", 1.0, 0),
        (2, "resource_use_end", "desk_ends", 2.0, 1),
        (2, "arrival_departure", "depart", 2.0, 0),
    ]
    assert frame.attrs["entities"] == {1: "A", 2: "C", 3: "B"}  # who still stays is told last of its instant
