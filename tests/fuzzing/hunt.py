"""Looks for seeds whose programs go wrong: workers of their own, which may crash or hang; what they find is shrunk."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from fuzzing import errand_runs
from fuzzing import model as m
from fuzzing.compare import Finding, Report, examine, expect, judge, names_of, plan, same_bits
from fuzzing.generate import FEATURES, generate
from fuzzing.running import Result, Setting, module_of, run, unload, warm_up
from fuzzing.shrink import script_of, shrink
from fuzzing.source import source_of
from fuzzing.stories import simulate

SLOW = 12.0
"""Seconds of the processor that a run is given; one that takes longer is counted and not compared."""
HANGS = 300.0
"""Seconds after which a worker is taken for hanging."""
PATIENCE = 4.0
"""So many times as long where it has had a processor for less than that part of the time."""
PROGRAMS = 60
"""So many programs does a worker run before another takes its place, so that memory stays small."""


class TooSlow(Exception):
    """A run took too long."""


@dataclass(frozen=True)
class Options:
    """What is asked for.

    features    what programs may be made of; has_all: each is made of all of them. Words of `errand_runs.KINDS` stand
                for programs of processes alone, one of each kind beside each other program
    mode        as in `plan`
    seconds     to shrink a finding, 0: not at all
    """

    features: frozenset[str] = frozenset([*FEATURES, *errand_runs.KINDS])
    has_all: bool = False
    mode: str = "some"
    threads: bool = True
    seconds: float = 60.0
    folder: Path | None = None


@dataclass
class Totals:
    """What was done, in numbers."""

    programs: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    events: int = 0
    runs: int = 0
    settings: set[Setting] = field(default_factory=set)
    comparisons: int = 0
    slow: int = 0
    features: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[int, str]] = field(default_factory=list)

    def add(self, report: Report) -> None:
        """Count one program, and others of its seed."""
        for other in report.others:
            self.add(other)
        self.programs += 1
        if report.skipped:
            self.skipped[report.skipped] += 1
            return
        self.events += report.events
        self.runs += len(report.runs)
        self.settings |= set(report.runs)
        self.comparisons += report.comparisons
        self.slow += len(report.slow)
        self.features.update(report.features)
        self.findings += [(report.seed, str(finding)) for finding in report.findings]

    def __str__(self) -> str:
        reasons = "".join(f"\n    {number} {reason}" for reason, number in sorted(self.skipped.items()))
        return (
            f"{self.programs} programs, {self.events} events of the reference, {self.runs} runs in "
            f"{len(self.settings)} settings, {self.comparisons} comparisons, {self.slow} runs too slow to compare, "
            f"{len({seed for seed, _ in self.findings})} programs with findings\n"
            f"{sum(self.skipped.values())} programs skipped{reasons}"
        )


def timed_run(build: Any, setting: Setting, end: float) -> list[Result]:
    """As `run`, but for `SLOW` seconds at most."""

    def too_slow(*_: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, too_slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOW, 1.0)  # again and again: callbacks of native code swallow an exception
    try:
        return run(build, setting, end)
    except TooSlow:
        return [Result(error="TooSlow")]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def fails_alike(program: m.Program, finding: Finding) -> bool:
    """Whether a program goes wrong in the way of a finding."""
    if not m.is_whole(program):
        return False
    try:
        build = module_of(source_of(program))["build"]
        names = None if finding.kind.startswith("bits") else names_of(simulate(program).log)
    except Exception:  # noqa: BLE001  # what is left may be no program any more
        return False
    try:
        results = [timed_run(build, setting, program.end) for setting in dict.fromkeys(finding.of)]
    finally:
        unload(build)
    if any(r.error == "TooSlow" for several in results for r in several):
        return False
    if finding.kind.startswith("bits"):
        if "no error" not in finding.text and any(r.error for several in results for r in several):
            return False
        others = results[1] if len(results) > 1 else results[0][1:]
        return any(same_bits(results[0][0], other, finding.of, finding.kind) for other in others)  # type: ignore[arg-type]
    if finding.kind == "events" and all(not r.error and names_of(r.log) == names for r in results[0]):
        return False
    try:
        expected = expect(program)
    except Exception:  # noqa: BLE001  # too close to call is no finding
        return False
    found = [judge(expected, r, finding.of[0]) for r in results[0]]
    alike = (finding.kind, finding.text[:40] if finding.kind in {"error", "refusal"} else "")
    return alike in [(f.kind, f.text[:40] if f.kind in {"error", "refusal"} else "") for f in found if f is not None]


def write_script(program: m.Program, finding: Finding, folder: Path) -> Path:
    """The script of a finding, in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        expected = expect(program)
    except Exception:  # noqa: BLE001  # too close to call, or the reference's own error, which is the finding
        expected = None
    word = finding.kind.replace(" ", "_")
    path = folder / f"seed_{program.seed}_{word}.py"
    path.write_text(script_of(program, finding, expected), encoding="utf-8")
    return path


def work_on(seed: int, options: Options) -> tuple[Report, list[str]]:
    """Examine a program; the report, and scripts of what is wrong, one for each kind."""
    others, features = work_on_errands(seed, options), options.features - errand_runs.KINDS.keys()
    if others and not features:
        (report, scripts), *rest = others
        report.others += [one for one, _ in rest]
        return report, [script for _, theirs in others for script in theirs]
    program = generate(seed, features, has_all=options.has_all)
    settings, pairs = plan(seed, mode=options.mode, threads=options.threads)
    report = examine(program, settings, pairs, timed_run)
    scripts = [script for _, theirs in others for script in theirs]
    report.others += [one for one, _ in others]
    if options.folder is not None:
        for kind in dict.fromkeys(f.kind for f in report.findings):
            finding = next(f for f in report.findings if f.kind == kind)
            small = program
            if options.seconds:
                small = shrink(program, lambda p, finding=finding: fails_alike(p, finding), options.seconds)
            scripts.append(str(write_script(small, finding, options.folder)))
    return report, scripts


def work_on_errands(seed: int, options: Options) -> list[tuple[Report, list[str]]]:
    """The same for programs of processes alone, of each kind that is asked for."""
    found: list[tuple[Report, list[str]]] = []
    for kind in (word for word in errand_runs.KINDS if word in options.features):
        report, _ = errand_runs.examine(seed, options.mode, kind)
        shown = [] if options.folder is None else report.findings[:1]
        found.append((report, [str(errand_runs.write_script(seed, finding, options.folder)) for finding in shown]))
    return found


# --- workers ----------------------------------------------------------------------------------------------------------


def _serve(line: Connection, options: Options) -> None:
    os.nice(5)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if options.mode != "plain":
        warm_up()
    while True:
        seed = line.recv()
        if seed is None:
            return
        line.send(work_on(seed, options))


class Worker:
    """A process that examines one program after another."""

    def __init__(self, options: Options) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, options), daemon=True)
        self.process.start()
        theirs.close()
        self.options = options
        self.seed: int | None = None
        self.since = self.used = 0.0
        self.left = PROGRAMS

    def begin(self, seed: int) -> None:
        """Examine a program."""
        self.seed = seed
        self.since, self.used = time.monotonic(), self._processor_time()
        self.left -= 1
        self.line.send(seed)

    def answer(self) -> tuple[Report, list[str]]:
        """What came of it; a crash is a finding."""
        assert self.seed is not None
        seed, self.seed = self.seed, None
        try:
            return self.line.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            return self._lost(seed, "crash", f"a worker ended with status {self.process.exitcode}")

    def hangs(self) -> bool:
        """Whether it has been busy for too long; one that others keep from the processor is given more time."""
        waited, limit = time.monotonic() - self.since, HANGS + 3 * self.options.seconds
        if self.seed is None or waited <= limit:
            return False
        return waited > PATIENCE * limit or self._processor_time() - self.used > limit / PATIENCE

    def _processor_time(self) -> float:
        """The seconds for which it has had a processor; of the clock, where the system does not tell."""
        try:
            told = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> tuple[Report, list[str]] | None:
        """End it; a report if it was at work."""
        self.process.kill()
        self.process.join()
        return None if self.seed is None else self._lost(self.seed, "hang", f"no answer after {HANGS:g} s")

    def _lost(self, seed: int, kind: str, text: str) -> tuple[Report, list[str]]:
        self.left = 0
        finding = Finding(kind, (Setting(),), text)
        scripts = []
        if self.options.folder is not None:
            features = self.options.features - errand_runs.KINDS.keys()
            program = generate(seed, features, has_all=self.options.has_all)
            scripts = [str(write_script(program, finding, self.options.folder))]
        return Report(seed, findings=[finding]), scripts


def hunt(seeds: Iterable[int], options: Options, jobs: int, until: float) -> Iterator[tuple[Report, list[str]]]:
    """Reports of programs, as they come, until the seeds or the time are over."""
    if options.mode != "plain":
        warm_up()  # or the first workers would make machine code while their time runs
    waiting = iter(seeds)
    workers = [Worker(options) for _ in range(jobs)]
    idle = list(workers)
    try:
        while True:
            for worker in list(idle):
                seed = next(waiting, None) if time.monotonic() < until else None
                if seed is not None:
                    idle.remove(worker)
                    worker.begin(seed)
            busy = [w for w in workers if w.seed is not None]
            if not busy:
                return
            ready = wait([w.line for w in busy], timeout=5.0)
            for worker in busy:
                if worker.line in ready:
                    yield worker.answer()
                elif worker.hangs():
                    lost = worker.end()
                    assert lost is not None
                    yield lost
                else:
                    continue
                if worker.left <= 0:
                    worker.seed = None
                    worker.end()
                    workers.remove(worker)
                    worker = Worker(options)  # noqa: PLW2901  # another in its place
                    workers.append(worker)
                idle.append(worker)
    finally:
        for worker in workers:
            worker.seed = None
            worker.end()
