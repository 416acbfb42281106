"""The tests of the requirements in a file: `eventide verify`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from eventide.cli.options import Command
from eventide.cli.telling import DONE, FAILED, check_outputs, check_target, note, say, write_table, writing
from eventide.errors import InputError

if TYPE_CHECKING:
    from eventide.verify import Component, Report, Requirement, Test


@dataclass(frozen=True, kw_only=True)
class VerifyJob(Command):
    """One call of `eventide verify`."""

    file: Annotated[
        Path, Argument(metavar="FILE", help="A Python file with tests (ev.verify.Test) in it.", show_default=False)
    ]
    structured: Annotated[
        bool,
        Option("--structured", help="Units first, then integrations, then the system; stop at the first failure."),
    ] = False
    junit: Annotated[Path | None, Option(metavar="FILE.xml", help="Write a JUnit file for continuous integration.")] = (
        None
    )
    html: Annotated[Path | None, Option(metavar="FILE.html", help="Write a page of its own.")] = None
    out: Annotated[
        Path | None, Option(metavar="FILE.csv", help="Write a row for each input (.csv, .parquet, .json, .db).")
    ] = None
    only: Annotated[
        list[str] | None, Option(metavar="ID", help="Run the test of this requirement alone. May be repeated.")
    ] = None
    case: Annotated[int | None, Option(metavar="N", min=0, help="With --only: the input of this number alone.")] = None
    budget: Annotated[
        float | None, Option(metavar="SECONDS", min=0.001, help="The status is 1 also if the tests would take longer.")
    ] = None
    workers: Annotated[
        int | None, Option(metavar="N", min=1, help="Processes that run models side by side. Otherwise one.")
    ] = 1

    def do(self) -> int:
        """Run the tests, tell what came of them, write the files."""
        from eventide.experiment import imported
        from eventide.verify import Requirement
        from eventide.verify.collecting import command_for, tests_in, values_in
        from eventide.verify.telling import told

        for path, option in ((self.junit, "--junit"), (self.html, "--html")):
            check_target(path, option)
        check_outputs(self.out)
        with imported(self.file) as module:
            system, found = tests_in(module, self.file)
            requirements = values_in(module, Requirement)
            start = perf_counter()
            report = self._run(system, self._chosen(found))
            count = len(report.results)
            note(f"{count} test{'s' * (count > 1)} of {system.name} took {perf_counter() - start:.2f} s")
            command = command_for(self.file)
            try:
                self._write(report, command)
            finally:
                say(told(report, command, is_whole=not self.only))
            return self._told_ready(system, found, requirements) if report.is_releasable else FAILED

    def _chosen(self, tests: list[Test]) -> list[Test]:
        known = [test.id for test in tests]
        for name in self.only or ():
            if name not in known:
                raise InputError(f"--only {name}: there is no test of that id; there are: {', '.join(known)}")
        return [test for test in tests if test.id in self.only] if self.only else tests

    def _run(self, system: Component, tests: list[Test]) -> Report:
        from eventide.verify import Report, run_all, run_structured

        if self.case is not None:
            if len(tests) != 1 or not self.only:
                raise InputError("--case is a number among the inputs of one test: name that with --only")
            count = tests[0].requirement.count
            if self.case >= count:
                raise InputError(f"--case {self.case}: {tests[0].id} has cases 0 to {count - 1}")
            return Report(system, (tests[0].run(cases=[self.case]),))
        return (run_structured if self.structured else run_all)(system, tests, workers=self.workers)

    def _write(self, report: Report, command: str) -> None:
        if self.junit is not None:
            with writing(self.junit):
                report.to_junit(self.junit, command)
            note(f"JUnit file written to {self.junit}")
        if self.html is not None:
            with writing(self.html):
                report.to_html(self.html, command)
            note(f"page written to {self.html}")
        if self.out is not None:
            write_table(report.table, self.out)

    def _told_ready(self, system: Component, tests: list[Test], requirements: list[Requirement]) -> int:
        """Say what the tests leave open, which does not hinder a release; but for a budget that is exceeded."""
        if self.only:
            return DONE
        from eventide.verify import readiness

        ready = readiness(system, tests, requirements, budget=self.budget)
        say(f"\n{ready}")
        return DONE if ready.is_practicable else FAILED
