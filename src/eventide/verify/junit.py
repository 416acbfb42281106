"""The file by which services of continuous integration read what came of tests: JUnit's XML."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from eventide.verify.components import KINDS
from eventide.verify.results import replay_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from eventide.verify.results import Report, TestResult
    from eventide.verify.testing import Test

UNWRITABLE: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have, as in an error's text."""


def write_junit(report: Report, path: str | PathLike[str], command: str = "") -> None:
    """Write a suite for each kind and in it a case for each test; see `Report.to_junit`."""
    root = ET.Element("testsuites", name=report.system.name)
    cases = 0
    for kind in KINDS:
        results = [result for result in report.results if report.kind(result.test) == kind]
        left_out = [test for test in report.not_run if report.kind(test) == kind]
        if not results and not left_out:
            continue
        cases += len(results) + len(left_out)
        suite = ET.SubElement(
            root,
            "testsuite",
            name=f"{report.system.name}: {kind}",
            tests=str(len(results) + len(left_out)),
            failures=str(sum(not result.passed for result in results)),
            errors="0",
            skipped=str(len(left_out)),
            time=f"{sum(result.seconds for result in results):.6f}",
        )
        for result in results:
            _add_result(suite, result, command)
        for test in left_out:
            case = _add_case(suite, test, 0.0)
            ET.SubElement(case, "skipped", message="a test before it failed")
    root.set("tests", str(cases))
    root.set("failures", str(len(report.failing)))
    root.set("errors", "0")
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode", xml_declaration=False)
    Path(path).write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n', encoding="utf-8")


def _add_case(suite: Element, test: Test, seconds: float) -> Element:
    return ET.SubElement(
        suite,
        "testcase",
        classname=_clean(test.requirement.component.name),
        name=_clean(f"{test.id}: {test.requirement.phrase}"),
        time=f"{seconds:.6f}",
    )


def _add_result(suite: Element, result: TestResult, command: str) -> None:
    case, worst = _add_case(suite, result.test, result.seconds), result.worst
    listed = ET.SubElement(case, "properties")
    facts = {
        "purpose": result.test.purpose,
        "cases": str(len(result.outcomes)),
        "quality": repr(worst.quality),
        "threshold": repr(worst.threshold),
        "margin": "" if worst.score.margin is None else repr(worst.score.margin),
    }
    for name, value in facts.items():
        ET.SubElement(listed, "property", name=name, value=value)
    if result.passed:
        return
    message = f"{len(result.failures)} of {len(result.outcomes)} cases failed; the worst: {worst.input} {worst.told}"
    failure = ET.SubElement(case, "failure", type="requirement", message=_clean(message))
    failure.text = _clean(
        "\n".join(f"case {one.case} {one.input}: {one.told}\n  {replay_of(one, command)}" for one in result.failures)
    )


def _clean(text: str) -> str:
    return UNWRITABLE.sub("?", text)
