"""Requirements as items of pytest, in a process of its own."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow

PLANT = """
from helper import gain
from eventide.verify import Component, Requirement, Test, stays_within

pump = Component("pump", lambda speed: gain(speed))
tank = Component("tank", lambda inflow: inflow - 1.0)
plant = Component("plant", lambda speed: gain(speed) - 1.0, (pump, tank))

def test(name, component, quality, inputs):
    return Test(Requirement(name, f"It should do {name}.", component, quality, inputs))

tests = [
    test("P-3", plant, stays_within(low=0.0), {"speed": [1.0]}),
    test("P-1", pump, stays_within(high=5.0), {"speed": [1.0, 2.0, 3.0]}),
    test("P-2", tank, stays_within(low=0.0), {"inflow": [1.5]}),
]
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """A function: what pytest says, in a folder with requirements and a test beside them."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the entry point may be installed, or not
    pytester.makepyfile(
        pump_requirements=PLANT, helper="def gain(speed):\n    return 2.0 * speed", test_more="def test_it(): ..."
    )
    pytester.makepyfile(test_my_requirements="def test_mine(): ...")
    return lambda *options: pytester.runpytest_subprocess("-p", "eventide.cli.pytest_plugin", *options)


def test_without_the_option_requirements_are_left_alone(run):
    run().assert_outcomes(passed=2)


def test_runs_of_pytest_that_ask_for_nothing_load_no_room_of_eventide():
    program = (
        "import sys, eventide.cli.pytest_plugin; print(*sorted(m for m in sys.modules if m.startswith('eventide.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    loaded = [name for name in done.stdout.split() if name.split(".")[1] not in ("cli", "stubs")]
    assert loaded == []


@pytest.mark.parametrize("named", [(), ("pump_requirements.py", "test_more.py", "test_my_requirements.py")])
def test_a_requirement_is_an_item_with_its_margin(run, pytester, named):
    done = run("--requirements", "--junit-xml=out.xml", "-v", *named)

    done.assert_outcomes(passed=4, failed=1)
    ran = [line.split()[0] for line in done.outlines if line.startswith("pump_requirements.py::")]
    assert ran == [f"pump_requirements.py::P-{number}" for number in (1, 2, 3)]
    start = done.outlines.index(next(line for line in done.outlines if line.startswith("requirement ")))
    assert [line.split() for line in done.outlines[start + 2 : start + 5]] == [
        ["P-1", "unit", "2/3", "0.5", "1", "-1", "failed"],
        ["P-2", "unit", "1/1", "1", "1", "0.5", "passed"],
        ["P-3", "system", "1/1", "1", "1", "1", "passed"],
    ]
    told = done.outlines.index("P-1 failed: It should do P-1.")
    assert done.outlines[told + 1 : told + 4] == [
        "  at most 5",
        "  case 2, speed=3.0: 6",
        f"    eventide verify {pytester.path / 'pump_requirements.py'} --only P-1 --case 2",
    ]
    cases = {case.get("name"): case for case in ET.parse(pytester.path / "out.xml").getroot().iter("testcase")}
    found = {one.get("name"): one.get("value") for one in cases["P-2"].iter("property")}
    assert found == {
        "requirement": "P-2", "kind": "unit", "cases": "1/1", "quality": "1", "threshold": "1", "margin": "0.5",
    }  # fmt: skip


def test_the_first_failure_of_a_unit_ends_it_and_a_kind_is_chosen_by_name(run):
    run("--requirements", "-x").assert_outcomes(failed=1)
    run("--requirements", "-k", "system").assert_outcomes(passed=1, deselected=4)


def test_a_file_without_tests_is_an_error_of_collection(run, pytester):
    pytester.makepyfile(empty_requirements="x = 1")
    done = run("--requirements")

    assert done.ret == 2
    done.stdout.fnmatch_lines(["*empty_requirements.py has no tests: put ev.verify.Test(requirement) into it*"])
