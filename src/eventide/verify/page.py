"""A report as a page of its own: what is asked, what came of it, what failed and how it is replayed."""

from __future__ import annotations

from html import escape
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventide.verify.results import replay_of
from eventide.verify.telling import verdict

if TYPE_CHECKING:
    from eventide.verify.results import Outcome, Report, TestResult
    from eventide.verify.testing import Test

STYLE: Final = """
.ev { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); --ink: #1a1a1a;
  --paper: #fff; --line: #d9d9d9; --soft: #f4f4f4; --good: #00694f; --bad: #b34700; --rest: #595959; }
@media (prefers-color-scheme: dark) { .ev { --ink: #e8e8e8; --paper: #14181d; --line: #353c44; --soft: #1d232a;
  --good: #2ebd90; --bad: #f08a5d; --rest: #b0b6bd; } }
.ev h1 { font-size: 1.4em; margin: 0 0 .3em } .ev .verdict { font-weight: 600 }
.ev .wide { overflow-x: auto } .ev table { border-collapse: collapse; margin: 1em 0; width: 100% }
.ev th, .ev td { text-align: left; padding: .35em .7em; border-bottom: 1px solid var(--line); vertical-align: top }
.ev td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap } .ev th.n { text-align: right }
.ev .passed { color: var(--good) } .ev .failed { color: var(--bad); font-weight: 600 } .ev .rest { color: var(--rest) }
.ev .small { font-size: .87em; color: var(--rest) } .ev td { overflow-wrap: anywhere }
.ev .word { white-space: nowrap } .ev .asked { min-width: 18em } .ev .at { min-width: 14em }
.ev section { border-left: 4px solid var(--bad); padding: .2em 1em; margin: 1.2em 0; background: var(--soft) }
.ev code { font: 13px/1.4 ui-monospace, monospace } .ev section { overflow-wrap: anywhere }
@media (max-width: 50em) { .ev thead { display: none } .ev table, .ev tbody { display: block }
  .ev tr { display: block; border-bottom: 1px solid var(--line); padding: .6em 0 }
  .ev tbody td { display: inline-block; border: 0; padding: 0 .7em 0 0 }
  .ev tbody td.asked, .ev tbody td.at { display: block; min-width: 0 } .ev tbody td:empty { display: none }
  .ev td[data-name]::before { content: attr(data-name) " "; color: var(--rest); font-size: 13px } }
"""

PAGE_STYLE: Final = """
body { max-width: 70em; margin: 2em auto; padding: 0 1em; background: #fff }
@media (prefers-color-scheme: dark) { body { background: #14181d } }
"""
"""Only of a page of its own: in a notebook the rest of the page keeps its colours."""

SHOWN: Final = 20
"""The most failed inputs of a test that are listed; all are in the table of the report."""


def write_page(report: Report, path: str | PathLike[str], command: str = "") -> None:
    """Write the page; see `Report.to_html`."""
    title = escape(f"Tests of {report.system.name}")
    Path(path).write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{PAGE_STYLE}</style></head>\n<body>\n{body_of(report, command)}\n</body></html>\n",
        encoding="utf-8",
    )


def body_of(report: Report, command: str = "") -> str:
    """The report as an element that brings its style."""
    rows = [_result_row(report, result) for result in report.results]
    rows += [_left_out_row(report, test) for test in report.not_run]
    heads = "".join(
        f'<th class="{"n" if head in {"cases", "quality", "asked", "margin"} else ""}">{head}</th>'
        for head in ("test", "kind", "requirement", "result", "cases", "quality", "asked", "margin", "worst at")
    )
    state = "passed" if report.is_releasable else "failed"
    failures = "\n".join(_failure(result, command) for result in report.results if not result.passed)
    failures += "".join(f"\n<section><p>{escape(one)}</p></section>" for one in report.contradictions)
    return (
        f'<div class="ev"><style>{STYLE}</style><h1>Tests of {escape(report.system.name)}</h1>\n'
        f'<p class="verdict {state}">{escape(verdict(report))}</p>\n'
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead>\n<tbody>\n{"".join(rows)}</tbody></table></div>\n'
        f"{failures}</div>"
    )


def _result_row(report: Report, result: TestResult) -> str:
    worst, state = result.worst, "passed" if result.passed else "failed"
    count = len(result.outcomes)
    margin = worst.score.margin
    at = " ".join(part for part in (worst.input, _when(worst)) if part)
    return (
        f"<tr>{_head(report, result.test)}"
        f'<td class="word {state}">{state}</td>{_cell("cases", f"{count - len(result.failures)}/{count}")}'
        f"{_cell('quality', f'{worst.quality:.4g}')}{_cell('asked', f'{worst.threshold:.4g}')}"
        f"{_cell('margin', '' if margin is None else _number(margin))}"
        f'<td class="at small" data-name="worst at">{escape(at)}</td></tr>\n'
    )


def _cell(name: str, number: str) -> str:
    """A number, with its name for narrow screens, on which the heads of the columns are not shown."""
    return f'<td class="n" data-name="{name}">{number}</td>'


def _left_out_row(report: Report, test: Test) -> str:
    return f'<tr>{_head(report, test)}<td class="word rest">not run</td>{"<td></td>" * 5}</tr>\n'


def _head(report: Report, test: Test) -> str:
    requirement = test.requirement
    use = f" of {test.use}" if test.use else ""
    about = f"{test.purpose}{use}; {requirement.component.name}: {requirement.quality.name}"
    if requirement.source:
        about += f"; source: {requirement.source}"
    return (
        f'<td class="word">{escape(test.id)}</td><td class="word">{report.kind(test)}</td>'
        f'<td class="asked">{escape(requirement.phrase)}<div class="small">{escape(about)}</div></td>'
    )


def _failure(result: TestResult, command: str) -> str:
    lines = [
        f"<p>case {one.case} {escape(one.input)}: {escape(one.told)}"
        f"<br><code>{escape(replay_of(one, command))}</code></p>"
        for one in result.failures[:SHOWN]
    ]
    if len(result.failures) > SHOWN:
        lines.append(f"<p>and {len(result.failures) - SHOWN} more</p>")
    test = result.test
    return f"<section><p><b>{escape(test.id)}</b> {escape(test.requirement.phrase)}</p>{''.join(lines)}</section>"


def _when(outcome: Outcome) -> str:
    time = outcome.score.time
    return "" if time is None else f"at time {time:.6g}"


def _number(value: float) -> str:
    return f"{value:.4g}" if isfinite(value) else str(value).replace("-inf", "none")
