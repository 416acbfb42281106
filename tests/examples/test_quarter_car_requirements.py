"""The requirements of the quarter car: what is sound passes, what is broken is found at its level."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import eventide as ev
from eventide.experiment import imported
from eventide.verify import properties, readiness, run_all, run_structured

pytestmark = pytest.mark.slow

FILE = Path(__file__).parents[2] / "examples" / "quarter_car_requirements.py"


@pytest.fixture(scope="module")
def asked():
    with imported(FILE) as module:
        yield module


def test_the_quarter_car_is_releasable_and_its_tests_are_ready(asked):
    report = run_structured(asked.system, asked.tests)

    kinds = [report.kind(result.test) for result in report.results]
    assert kinds == ["unit"] * 6 + ["integration"] * 3 + ["system"] * 5
    assert report.is_releasable, str(report)
    ready = readiness(asked.system, asked.tests)
    assert ready.is_ready, str(ready)
    requirements = [test.requirement for test in asked.tests]
    assert {one.state for each in requirements for one in properties(each, requirements)} == {"holds", "missing"}


def failed(report):
    return [test.id for test in report.failing]


def test_a_broken_strut_is_found_among_the_units(asked):
    system, tests = asked.demands(strut=asked.Strut(spring=12000.0))
    at_once, report = run_all(system, tests[:9]), run_structured(system, tests)

    assert failed(report) == ["QC-02"]
    assert {report.kind(test) for test in report.failing} == {"unit"}
    assert [result.test.id for result in report.results] == ["QC-01", "QC-02"]
    # It lacks 4 kN per metre, and 1 N is allowed: at 80 mm that is 319 N too little.
    assert report.failures[0].score.margin == pytest.approx(1.0 - 4000.0 * 0.08)
    assert "QC-07" in failed(at_once)
    assert not {"QC-01", "QC-03", "QC-04", "QC-05", "QC-06"} & set(failed(at_once))


def test_a_broken_integrator_is_found_among_the_units(asked):
    # Both solutions go too far, so that the estimate of the error, which is their difference, sees nothing.
    sound = ev.methods.DORMAND_PRINCE.tableau
    both = {
        name: (row[0] + Fraction(1, 1000), *row[1:])
        for name in ("weights", "embedded")
        if (row := getattr(sound, name))
    }
    broken = replace(ev.methods.DORMAND_PRINCE, tableau=replace(sound, **both))
    report = run_structured(*asked.demands(method=broken))

    assert failed(report) == ["QC-05"]
    assert report.kind(report.failing[0]) == "unit"
    assert len(report.not_run) == 9


def test_a_broken_drive_is_found_on_the_level_of_the_system_alone(asked):
    report = run_structured(*asked.demands(drive=asked.quarter_car(damper=100.0)))

    assert failed(report) == ["QC-10"]
    assert report.kind(report.failing[0]) == "system"
    assert report.failures[0].replay.startswith("quarter_car(road=")
    assert replace(report, not_run=()).is_releasable is False
