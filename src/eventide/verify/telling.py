"""What is printed of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.experiment.report import plain_table
from eventide.verify.results import replay_of

if TYPE_CHECKING:
    from eventide.verify.results import Report, TestResult

SHOWN = 5
"""The most failed inputs of a test that are listed; all are in the table."""


def told(report: Report, command: str = "", *, is_whole: bool = True) -> str:
    """A row for each test, what failed and how it is replayed, and whether the system can be released.

    is_whole    whether all tests were asked for: only then is the last known
    """
    heads = ("test", "kind", "purpose", "component", "result", "cases", "quality", "asked", "margin", "worst at")
    rows = [_row(report, result) for result in report.results]
    for test in report.not_run:
        component = test.requirement.component.name
        rows.append((test.id, report.kind(test), test.purpose, component, "not run", "", "", "", "", ""))
    parts = [plain_table(heads, rows, texts=("test", "kind", "purpose", "component", "result", "worst at"))]
    parts += [failure_of(result, command) for result in report.results if not result.passed]
    parts += ["\n".join(report.contradictions)] * bool(report.contradictions)
    return "\n\n".join([*parts, verdict(report)] if is_whole else parts)


def verdict(report: Report) -> str:
    """Whether the system can be released, in a line."""
    count, failed = len(report.results), len(report.failing)
    if report.is_releasable:
        return f"{report.system.name} is releasable: {count} test{'s' * (count > 1)} passed."
    left = f", {len(report.not_run)} not run" if report.not_run else ""
    level = f" at the level of {report.kind(report.failing[0])} tests" if report.not_run else ""
    return f"{report.system.name} is not releasable: {failed} of {count} tests failed{level}{left}."


def _row(report: Report, result: TestResult) -> tuple[str, ...]:
    test, worst = result.test, result.worst
    margin = "" if worst.score.margin is None else f"{worst.score.margin:.4g}"
    count = len(result.outcomes)
    cases = f"{count - len(result.failures)}/{count}"
    state = "passed" if result.passed else "FAILED"
    return (
        test.id, report.kind(test), test.purpose, test.requirement.component.name, state, cases,
        f"{worst.quality:.4g}", f"{worst.threshold:.4g}", margin, worst.input,
    )  # fmt: skip


def failure_of(result: TestResult, command: str) -> str:
    """What failed: the phrase, the worst inputs and the lines that replay them."""
    test = result.test
    lines = [f"{test.id} failed: {test.requirement.phrase}", f"  {test.requirement.quality.name}"]
    for outcome in result.failures[:SHOWN]:
        lines.append(f"  case {outcome.case}{', ' if outcome.input else ''}{outcome.input}: {outcome.told}")
        lines.append(f"    {replay_of(outcome, command)}")
    if len(result.failures) > SHOWN:
        lines.append(f"  and {len(result.failures) - SHOWN} more")
    return "\n".join(lines)
