"""Processes of one name are entities of their own wherever their ways are told."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import eventide as ev

NAME = "{http://www.xes-standard.org/}string[@key='concept:name']"


def run() -> tuple[ev.Occupancy, object]:
    sim = ev.Simulation()
    desk, row = ev.Resource(sim, 1, name="desk"), ev.Queue(sim, name="row")
    stays, log = ev.Occupancy(sim, desk, row), sim.log()

    def customer() -> ev.ProcessGenerator:
        with desk.request() as place:
            yield place
            yield ev.hold(1.0)
        row.into(sim.current)
        yield ev.hold(1.0)

    for name in ("customer", "customer", "customer 2", "customer"):
        sim.process(customer(), name=name)
    sim.run()
    return stays, log


def test_stays_are_of_each() -> None:
    stays, _ = run()

    assert [
        (stay.who, stay.where, stay.state, stay.start, stay.end) for stay in stays.stays if stay.end == stay.end
    ] == [
        ("customer", "desk", "holds", 0.0, 1.0),
        ("customer 2", "desk", "waits", 0.0, 1.0),
        ("customer 2 2", "desk", "waits", 0.0, 2.0),
        ("customer 3", "desk", "waits", 0.0, 3.0),
        ("customer 2", "desk", "holds", 1.0, 2.0),
        ("customer 2 2", "desk", "holds", 2.0, 3.0),
        ("customer 3", "desk", "holds", 3.0, 4.0),
    ]
    assert [stay.who for stay in stays.stays if stay.where == "row"] == [
        "customer",
        "customer 2",
        "customer 2 2",
        "customer 3",
    ]
    assert sorted(set(stays.to_vidigi()["entity_id"])) == [1, 2, 3, 4]


def test_each_has_a_trace_of_its_own(tmp_path: Path) -> None:
    _, log = run()
    log.to_xes(tmp_path / "log.xes")  # type: ignore[attr-defined]  # an EventLog
    traces = ET.parse(tmp_path / "log.xes").getroot().findall("{http://www.xes-standard.org/}trace")

    assert [trace.find(NAME).get("value") for trace in traces] == [
        "customer",
        "customer 2",
        "customer 2 2",
        "customer 3",
    ]


def test_each_has_a_track_of_its_own(tmp_path: Path) -> None:
    _, log = run()
    log.to_perfetto(tmp_path / "log.json")  # type: ignore[attr-defined]  # an EventLog
    events = json.loads((tmp_path / "log.json").read_text())["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}

    assert list(tracks.values()) == ["customer", "customer 2", "customer 2 2", "customer 3"]
    # A browser leaves out slices of one track that overlap.
    slices = [(tracks[event["tid"]], event["ts"] / 1e6, event["name"]) for event in events if event["ph"] == "X"]
    assert [who for who, start, _ in slices if start == 0.0] == ["customer", "customer 2", "customer 2 2", "customer 3"]
    assert {tracks[event["tid"]] for event in events if event["ph"] == "f"} <= set(tracks.values())


def test_who_forgets_the_simulation_is_told() -> None:
    sim = ev.Simulation()
    desk = ev.Resource(sim, 1, name="desk")
    with pytest.raises(
        ev.ModelError, match=r"^an Occupancy takes the simulation first, and got <desk: .*: write ev.Occ"
    ):
        ev.Occupancy(desk)  # type: ignore[arg-type]  # that is the point
