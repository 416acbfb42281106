"""Requirements as items of pytest. The hooks, loaded by each run of pytest, are in `eventide.cli.pytest_plugin`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from eventide.experiment.files import imported
from eventide.experiment.report import plain_table
from eventide.verify.automation import checked_tests
from eventide.verify.collecting import command_for, tests_in
from eventide.verify.components import KINDS, Kind, kind_of
from eventide.verify.telling import failure_of

if TYPE_CHECKING:
    from eventide.verify.results import TestResult
    from eventide.verify.testing import Test

FACTS: Final = ("requirement", "kind", "cases", "quality", "threshold", "margin")
"""What the report of an item holds as properties, which `--junit-xml` writes."""


class RequirementNotMetError(Exception):
    """A test of a requirement failed; it holds the result."""

    def __init__(self, result: TestResult) -> None:
        super().__init__(result.test.id)
        self.result = result


class RequirementItem(pytest.Item):
    """The test of one requirement, over all its inputs; `-k` finds it by its id and its kind."""

    def __init__(self, *, test: Test, kind: Kind, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.test = test
        self.kind = kind
        self.extra_keyword_matches.add(kind)

    def runtest(self) -> None:
        """Run the test and note its margin. Raises RequirementNotMetError if an input fails."""
        result = self.test.run()
        worst, count = result.worst, len(result.outcomes)
        margin = "" if worst.score.margin is None else f"{worst.score.margin:.6g}"
        cases = f"{count - len(result.failures)}/{count}"
        values = (self.test.id, self.kind, cases, f"{worst.quality:.6g}", f"{worst.threshold:.6g}", margin)
        self.user_properties += zip(FACTS, values, strict=True)
        if not result.passed:
            raise RequirementNotMetError(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What failed, with the lines that replay it."""
        if isinstance(excinfo.value, RequirementNotMetError):
            return failure_of(excinfo.value.result, command_for(self.path))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The file, and the phrase of the requirement."""
        return self.path, None, f"{self.test.id}: {self.test.requirement.phrase}"


class RequirementsFile(pytest.File):
    """A file with tests of requirements; it stays imported until pytest ends.

    Units come first, then integrations, then the system, so that `pytest -x` stops as `run_structured` does.
    """

    def collect(self) -> Iterator[RequirementItem]:
        """An item for each test. Raises what the file raises, and InputError if it has no tests."""
        stack = ExitStack()
        self.config.add_cleanup(stack.close)
        module = stack.enter_context(imported(self.path))
        system, tests = tests_in(module, self.path)
        kinds = {test: kind_of(test.requirement.component, system) for test in checked_tests(system, tests)}
        for test in sorted(kinds, key=lambda test: KINDS.index(kinds[test])):
            yield RequirementItem.from_parent(self, name=test.id, test=test, kind=kinds[test])


def write_table(terminalreporter: pytest.TerminalReporter) -> None:
    """A row for each requirement that was tested, with its margin."""
    rows = []
    for name in ("passed", "failed"):
        for report in terminalreporter.stats.get(name, []):
            facts = dict(getattr(report, "user_properties", ()))
            if facts.keys() >= set(FACTS):
                key = (KINDS.index(facts["kind"]), report.nodeid)
                rows.append((key, (*(facts[fact] for fact in FACTS), name)))
    if rows:
        terminalreporter.section("requirements")
        table = plain_table(
            (*FACTS, "result"), [row for _, row in sorted(rows)], texts=("requirement", "kind", "result")
        )
        terminalreporter.write_line(table)
