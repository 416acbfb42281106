"""The requirements of the soaking pit: what is sound passes, a broken queue discipline is found at its level."""

from pathlib import Path

import pytest

import eventide as ev
from eventide.experiment import imported
from eventide.verify import readiness, run_all, run_structured

pytestmark = pytest.mark.slow

FILE = Path(__file__).parents[2] / "examples" / "soaking_pit_requirements.py"


@pytest.fixture(scope="module")
def asked():
    with imported(FILE) as module:
        yield module


def failed(report):
    return [test.id for test in report.failing]


def test_the_pit_is_releasable_and_its_tests_are_ready(asked):
    report = run_structured(asked.system, asked.tests)

    kinds = [report.kind(result.test) for result in report.results]
    assert kinds == ["unit"] * 6 + ["integration"] * 2 + ["system"] * 7
    assert report.is_releasable, str(report)
    ready = readiness(asked.system, asked.tests)
    assert ready.is_ready, str(ready)
    # With randomness: each requirement of the whole is met in five runs, which differ.
    assert [len(result.outcomes) for result in report.results[8:]] == [5] * 7
    assert len({outcome.score.margin for outcome in report.results[-2].outcomes}) == 5


def test_a_bank_that_prefers_the_last_is_found_among_the_units_and_in_the_whole(asked, monkeypatch):
    request = ev.Resource.request
    monkeypatch.setattr(ev.Resource, "request", lambda self: request(self, priority=self.sim.time))
    at_once, report = run_all(asked.system, asked.tests), run_structured(asked.system, asked.tests)

    assert failed(at_once) == ["SP-05", "SP-13"]  # no ingot is lost by it, and none is drawn too cold
    assert failed(report) == ["SP-05"]
    assert report.kind(report.failing[0]) == "unit"
    assert [result.test.id for result in report.results] == [f"SP-0{number}" for number in range(1, 6)]
    assert [outcome.told for outcome in report.failures] == [
        "item 19 error 18",  # one pit: the second to come is the last to go
        "item 19 error 17",
        "item 10 error 9",  # ten pits: after the first ten the last
    ]


def test_a_furnace_that_admits_nobody_again_is_found_where_its_parts_work_together(asked, monkeypatch):
    def draw(furnace):
        """Take out what is hot, and never tell the ingots, which keep their places."""
        furnace.load = [ingot for ingot in furnace.load if ingot.temperature < asked.DRAW_FROM]

    monkeypatch.setattr(type(asked.plant_of(1).furnace), "draw", draw)
    at_once, report = run_all(asked.system, asked.tests), run_structured(asked.system, asked.tests)

    assert failed(report) == ["SP-08"]
    assert [outcome.quality for outcome in report.failures] == [0.0, 0.0]  # nobody is let in, and nobody has waited
    assert report.kind(report.failing[0]) == "integration"
    assert len(report.not_run) == 7
    assert failed(at_once) == ["SP-08", "SP-10", "SP-14", "SP-15"]
