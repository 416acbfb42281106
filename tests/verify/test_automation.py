"""Tests and their automation: all of them, or by kind until one fails."""

import os
import xml.etree.ElementTree as ET

import pytest

import eventide as ev
from eventide.verify import Component, Quality, Requirement, Test, run_all, run_structured, stays_within


class Plant:
    """Units a and b, an integration ab of them, a unit c and the whole; what was measured is noted."""

    def __init__(self, **faults):
        self.faults, self.log = faults, []
        self.a, self.b, self.c = (Component(name, self.map_of(name)) for name in "abc")
        self.ab = Component("ab", self.map_of("ab"), (self.a, self.b))
        self.whole = Component("whole", self.map_of("whole"), (self.ab, self.c))

    def map_of(self, name):
        def measure(u):
            self.log.append((name, u))
            if self.faults.get(name) == "error" and u == 2:
                raise ZeroDivisionError("no flow")
            return u if self.faults.get(name) == "error" else self.faults.get(name, 1.0) * u

        return measure

    def tests(self):
        order = (self.whole, self.ab, self.a, self.c, self.b)  # which is not that of their kinds
        return [self.test(component) for component in order]

    def test(self, component, use=""):
        quality = Quality.of("yield", lambda y: y, threshold=1.0)
        phrase = f"{component.name} should work."
        return Test(Requirement(f"R-{component.name}", phrase, component, quality, {"u": [1, 2]}), use)


@pytest.mark.row("R-305", "R-310")
def test_all_tests_are_run_and_the_quality_of_each_input_is_kept():
    plant = Plant(a=0.25)
    report = run_all(plant.whole, plant.tests())

    found = report.table[["test", "kind", "case", "input", "quality", "threshold", "passed"]].values.tolist()
    kinds = {"whole": "system", "ab": "integration", "a": "unit", "c": "unit", "b": "unit"}
    assert found == [
        [f"R-{name}", kind, u - 1, f"u={u}", u * (0.25 if name == "a" else 1.0), 1.0, name != "a"]
        for name, kind in kinds.items()
        for u in (1, 2)
    ]
    assert plant.log == [(name, u) for name in kinds for u in (1, 2)]
    assert [test.id for test in report.failing] == ["R-a"]
    assert report.not_run == ()


@pytest.mark.row("R-308")
def test_releasable_is_what_has_its_threshold_for_every_test_and_input():
    good, bad = Plant(), Plant(ab=0.75)  # 0.75 for the first input, 1.5 for the second
    of_good, of_bad = run_all(good.whole, good.tests()), run_all(bad.whole, bad.tests())

    assert of_good.is_releasable
    assert not of_bad.is_releasable
    assert [of_bad.releasable(one) for one in (bad.a, bad.ab, bad.whole)] == [True, False, True]
    with pytest.raises(ev.ModelError, match="whether b can be released is not known"):
        run_all(good.whole, [good.test(good.a)]).releasable(good.b)


@pytest.mark.row("R-311")
@pytest.mark.parametrize(
    ("fault", "ran", "left"),
    [
        ({}, ["a", "c", "b", "ab", "whole"], []),
        ({"c": 0.25}, ["a", "c"], ["b", "ab", "whole"]),
        ({"ab": 0.25}, ["a", "c", "b", "ab"], ["whole"]),
        ({"whole": 0.25}, ["a", "c", "b", "ab", "whole"], []),
        ({"b": "error"}, ["a", "c", "b"], ["ab", "whole"]),
    ],
)
def test_units_come_first_and_the_first_failure_ends_it(fault, ran, left):
    plant = Plant(**fault)
    report = run_structured(plant.whole, plant.tests())

    assert [result.test.id for result in report.results] == [f"R-{name}" for name in ran]
    assert [test.id for test in report.not_run] == [f"R-{name}" for name in left]
    assert [test.id for test in report.failing] == [f"R-{name}" for name in fault]
    assert plant.log == [(name, u) for name in ran for u in (1, 2)]
    assert len(report.table) == 2 * len(ran)  # what was found so far is kept
    assert report.is_releasable is (not fault)


@pytest.mark.row("R-312")
def test_every_test_says_whether_it_validates_or_verifies():
    plant = Plant()
    verifying, validating = plant.test(plant.a), plant.test(plant.b, use="a dry summer")

    assert (verifying.purpose, validating.purpose) == ("verification", "validation")
    lines = str(run_all(plant.whole, [verifying, validating])).splitlines()
    assert [line.split()[:3] for line in lines if line.startswith("R-")] == [
        ["R-a", "unit", "verification"],
        ["R-b", "unit", "validation"],
    ]


def test_an_error_is_a_failed_case_that_can_be_replayed():
    plant = Plant(a="error")
    report = run_all(plant.whole, [plant.test(plant.a)])
    (failure,) = report.failures

    assert (failure.case, failure.quality, failure.error) == (1, 0.0, "ZeroDivisionError: no flow")
    assert failure.replay == "report.test('R-a').measure(1)"
    with pytest.raises(ZeroDivisionError, match="no flow"):
        eval(failure.replay, {"report": report})  # noqa: S307  # the line that a user would paste
    assert str(report).splitlines()[-7:] == [
        "",
        "R-a failed: a should work.",
        "  yield",
        "  case 1, u=2: ZeroDivisionError: no flow",
        "    report.test('R-a').measure(1)",
        "",
        "whole is not releasable: 1 of 1 tests failed.",
    ]


@ev.model(until=2.0)
def leaking(sim, *, rate: float = 1.0):
    if rate == 3.0:
        raise ValueError("burst")
    return {"lost": lambda: rate * sim.time}


@pytest.mark.slow
def test_models_are_judged_in_other_processes_alike_and_their_errors_too():
    component = Component("leak", leaking)
    quality = stays_within(high=2.5, of="lost")
    one = Test(Requirement("L-1", "It should lose 2.5.", component, quality, {"rate": [1.0, 2.0, 3.0]}))
    here, beside = one.run(), one.run(workers=2)

    assert here.outcomes == beside.outcomes
    assert [(o.quality, o.score.margin, o.error) for o in here.outcomes] == [
        (1.0, 0.5, ""), (0.4, -1.5, ""), (0.0, None, "ValueError: burst"),
    ]  # fmt: skip
    assert [o.replay for o in here.failures] == [f"leaking(rate={rate}).run(entropy=0)" for rate in (2.0, 3.0)]
    assert one.measure(1).responses == {"lost": 4.0}


@ev.model(until=1.0)
def located(sim):
    return {"process": os.getpid}


@pytest.mark.slow
@pytest.mark.parametrize("run", [run_all, run_structured])
def test_processes_are_started_once_for_all_tests(run):
    component, seen = Component("located", located), []
    quality = Quality.of("process", lambda result: seen.append(result.responses["process"]) or 1.0, threshold=1.0)
    study = ev.Study(located, replications=2, entropy=1)
    tests = [Test(Requirement(name, "It should run.", component, quality, study)) for name in ("L-1", "L-2")]

    assert run(component, tests, workers=2).is_releasable
    assert len(seen) == 4
    assert len(set(seen)) <= 2
    assert os.getpid() not in seen


def test_what_cannot_be_run_is_refused():
    plant, other = Plant(), Plant()
    for tests, told in [
        ([], "no tests to be run"),
        ([plant.test(plant.a), plant.test(plant.a)], "two tests of R-a"),
        ([other.test(other.a)], "a is no part of whole"),
    ]:
        for run in (run_all, run_structured):
            with pytest.raises(ev.ModelError, match=told):
                run(plant.whole, tests)
    with pytest.raises(ev.ModelError, match="R-a has cases 0 to 1, and not 2"):
        plant.test(plant.a).run(cases=[2])
    with pytest.raises(ev.ModelError, match="R-a is run for one case at least"):
        plant.test(plant.a).run(cases=[])


def test_the_table_is_saved_and_the_report_written(tmp_path):
    plant = Plant(ab="error")
    report = run_structured(plant.whole, plant.tests())
    ev.save(report.table, tmp_path / "q.csv")
    report.to_junit(tmp_path / "q.xml", "again {test} {case}")
    report.to_html(tmp_path / "q.html", "again {test} {case}")

    assert ev.load(tmp_path / "q.csv")["quality"].tolist() == [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 0.0]
    root = ET.parse(tmp_path / "q.xml").getroot()
    cases = [(case.get("name").split(":")[0], [child.tag for child in case]) for case in root.iter("testcase")]
    passed = ["properties"]
    assert cases == [
        ("R-a", passed), ("R-c", passed), ("R-b", passed), ("R-ab", [*passed, "failure"]), ("R-whole", ["skipped"]),
    ]  # fmt: skip
    assert [(s.get("tests"), s.get("failures"), s.get("skipped")) for s in root] == [
        ("3", "0", "0"), ("1", "1", "0"), ("1", "0", "1"),
    ]  # fmt: skip
    assert root.find(".//failure").text == "case 1 u=2: ZeroDivisionError: no flow\n  again R-ab 1"
    page = (tmp_path / "q.html").read_text()
    assert "again R-ab 1" in page
    assert "not releasable" in page
    failed = (
        '<td class="word failed">failed</td><td class="n" data-name="cases">1/2</td><td class="n" data-name="quality">0'
    )
    assert failed in page
    assert "\nbody {" in page
    assert "\nbody {" not in report._repr_html_()  # the colours of a notebook are its own
    axes = report.plot()
    assert [label.get_text() for label in axes.get_yticklabels()][3] == "R-ab (integration)"
    assert [[float(x) for x in line.get_xdata()] for line in axes.lines[:2]] == [[1.0, 2.0], []]


def test_a_component_that_would_end_the_program_fails_its_case_alone():
    def leave(x):
        if x > 1.0:
            raise SystemExit(3)
        return x

    requirement = Requirement(
        "L-1", "It should stay.", Component("leave", leave), stays_within(0.0, 9.0), {"x": [1, 2]}
    )
    assert [one.error for one in Test(requirement).run().outcomes] == ["", "SystemExit: 3"]
