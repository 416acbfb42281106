"""`eventide verify`: what it prints, writes and answers."""

import shlex
import xml.etree.ElementTree as ET

import pytest

import eventide as ev

PLANT = """
    from eventide.verify import Component, Requirement, Test, stays_within

    pump = Component("pump", lambda speed: 2.0 * speed)
    tank = Component("tank", lambda inflow: inflow - 1.0)
    plant = Component("plant", lambda speed: 2.0 * speed - 1.0, (pump, tank))

    flow = Requirement(
        "P-1", "The pump shall give at most 5.", pump, stays_within(high=5.0), {"speed": [1.0, 2.0, 3.0]},
        source="sheet", need="the pipe holds",
    )
    level = Requirement("P-2", "It should stay above 0.", plant, stays_within(low=0.0), {"speed": [1.0]}, source="x")
    spare = Requirement("P-3", "It should be dry.", tank, stays_within(low=0.0), {"inflow": [1.0]}, source="x")
    tests = [Test(level), Test(flow)]
"""


@pytest.mark.row("R-311")
def test_what_fails_is_told_with_the_line_that_replays_it(command, model_file, tmp_path):
    path = model_file(PLANT)
    done = command("verify", path, "--structured", "--junit", tmp_path / "v.xml", "--html", tmp_path / "v.html")

    replay = f"eventide verify {path} --only P-1 --case 2"
    assert done.status == 1
    rows = [line.split() for line in done.out.splitlines() if line.startswith("P-")]
    assert rows[0] == ["P-1", "unit", "verification", "pump", "FAILED", "2/3", "0.5", "1", "-1", "speed=3.0"]
    assert rows[1] == ["P-2", "system", "verification", "plant", "not", "run"]
    assert done.out.splitlines()[-7:] == [
        "",
        "P-1 failed: The pump shall give at most 5.",
        "  at most 5",
        "  case 2, speed=3.0: 6",
        f"    {replay}",
        "",
        "plant is not releasable: 1 of 1 tests failed at the level of unit tests, 1 not run.",
    ]
    assert ET.parse(tmp_path / "v.xml").getroot().get("failures") == "1"
    assert replay in (tmp_path / "v.html").read_text()

    again = command(*shlex.split(replay)[1:])
    assert again.status == 1
    assert "case 2, speed=3.0: 6" in again.out
    assert "releasable" not in again.out  # one case does not tell
    assert command(*shlex.split(replay.replace("case 2", "case 1"))[1:]).status == 0


@pytest.mark.row("R-310", "R-309")
def test_without_structure_all_are_run_and_what_is_open_is_told(command, model_file, tmp_path):
    path = model_file(PLANT.replace("[1.0, 2.0, 3.0]", "[1.0, 2.0]"))
    done = command("verify", path, "--out", tmp_path / "q.csv")

    assert done.status == 0
    assert done.out.splitlines()[-5:] == [
        "plant is releasable: 2 tests passed.",
        "",
        "not test-ready: 3 cases",
        "requirement P-3 has no test",
        "unit tank has no test",
    ]
    assert ev.load(tmp_path / "q.csv")[["test", "kind", "case", "quality"]].values.tolist() == [
        ["P-2", "system", 0, 1.0],
        ["P-1", "unit", 0, 1.0],
        ["P-1", "unit", 1, 1.0],
    ]
    assert command("verify", path, "--budget", "1000").status == 0


@pytest.mark.parametrize(
    ("source", "options", "told"),
    [
        ("x = 1", (), "has no tests: put ev.verify.Test(requirement) into it"),
        (PLANT, ("--only", "P-9"), "--only P-9: there is no test of that id; there are: P-2, P-1"),
        (PLANT, ("--case", "1"), "name that with --only"),
        (PLANT, ("--only", "P-1", "--case", "3"), "--case 3: P-1 has cases 0 to 2"),
        (
            PLANT + '    other = Component("other", abs)\n',
            (),
            "no component that contains all the others, which are pump",
        ),
        (PLANT, ("--junit", "nowhere/v.xml"), "there is no folder nowhere"),
        (PLANT, ("--budget", "no"), "`eventide verify --help` tells how it is written"),
    ],
)
def test_what_cannot_be_done_is_refused(command, model_file, source, options, told):
    done = command("verify", model_file(source), *options)

    assert done.status == 2
    assert told in done.err


@pytest.mark.row("R-305")
def test_a_consumer_of_junit_files_reads_what_is_written(command, model_file, tmp_path):
    junitparser = pytest.importorskip("junitparser", reason="junitparser reads JUnit files")
    path = model_file(PLANT)
    command("verify", path, "--structured", "--junit", tmp_path / "v.xml")
    found = junitparser.JUnitXml.fromfile(str(tmp_path / "v.xml"))

    assert (found.name, found.tests, found.failures, found.errors, found.skipped) == ("plant", 2, 1, 0, 1)
    assert [(suite.name, suite.tests, suite.failures, suite.skipped) for suite in found] == [
        ("plant: unit", 1, 1, 0), ("plant: system", 1, 0, 1),
    ]  # fmt: skip
    first, second = (case for suite in found for case in suite)
    assert (first.classname, first.name) == ("pump", "P-1: The pump shall give at most 5.")
    (failure,) = first.result
    assert isinstance(failure, junitparser.Failure)
    assert f"eventide verify {path} --only P-1 --case 2" in failure.text
    properties = {one.name: one.value for one in first.child(junitparser.Properties)}
    assert (properties["purpose"], properties["margin"], properties["cases"]) == ("verification", "-1.0", "3")
    assert isinstance(second.result[0], junitparser.Skipped)
