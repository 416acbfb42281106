"""Entities that move through queues and resources, and tanks: the page, and what is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import eventide as ev
from eventide.view import animate_entities


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0, unit="m")

    def equations(self) -> None:
        self.rate.level = 1.0


def customer(desk: ev.Resource) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(1.0)


@pytest.fixture
def ran() -> tuple[ev.Occupancy, Any]:
    sim = ev.Simulation(seed=1, time_unit="min")
    desk, tank = ev.Resource(sim, 1, name="</desk>"), Tank(sim, name="tank").start()
    stays, trace = ev.Occupancy(sim, desk), sim.record(tank, every=1.0)
    for name in ("A", "B"):
        sim.process(customer(desk), name=name)
    sim.run(until=1.5)
    return stays, trace


def test_the_page_has_the_stays_and_the_levels(ran, tmp_path):
    stays, trace = ran
    page = animate_entities(
        stays, {"</desk>": (30, 50), "tank.level": (75, 50)}, levels=trace, title="a & b", seconds=4.0
    )
    page.save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.search(r"const data=(\{.*\}),picture", text)
    assert found is not None
    assert json.loads(found[1]) == {
        "places": [{"name": "</desk>", "x": 30, "y": 50, "capacity": 1}],
        "stays": [["A", 0, True, 0.0, 1.0], ["B", 0, False, 0.0, 1.0], ["B", 0, True, 1.0, None]],
        "tanks": [
            {"name": "tank.level", "unit": "m", "x": 75, "y": 50, "low": 0.0, "high": trace["tank.level"].max()}
            | {"times": trace.times.tolist(), "values": trace["tank.level"].tolist()}
        ],
        "end": 1.5,
        "unit": "min",
        "seconds": 4.0,
        "height": 420,
    }
    assert "</desk>" not in text
    assert "<title>a &amp; b</title>" in text
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def test_a_layout_with_slips_is_refused(ran):
    stays, trace = ran
    for layout, message in (
        ({}, "the layout gives no position for </desk>: write {'</desk>': (30, 50)}"),
        (
            {"</desk>": (30, 50), "tank.levl": (1, 1)},
            "the layout has 'tank.levl', which is neither a place nor a level: </desk>, tank.level",
        ),
        ({"</desk>": (30, 150)}, "the position of </desk> is two numbers from 0 to 100, and got (30, 150)"),
    ):
        with pytest.raises(ev.ModelError) as info:
            animate_entities(stays, layout, levels=trace)
        assert str(info.value) == message
