"""Random programs of processes alone: what they are, what the reference says of them, and who is found to be wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fuzzing import errand_runs
from fuzzing.compare import Finding
from fuzzing.errand_reference import follow
from fuzzing.errand_runs import NATIVE, PLAIN, ROWS, difference, examine, outcome, settings_of, write_script
from fuzzing.errands import Errands, errands

SHOP = """
def kid0(sim, rng, log, seen, desk0, desk1, n, x):
    with desk0.request(x) as unit:
        yield unit
        log.append((n, "served", sim.time))
        yield ev.hold(1.0)
    log.append((n, "leaves", sim.time, [p.name for p in sim.processes]))


def begin(sim, rng, log, seen, desk0, desk1):
    sim.process(story0(sim, rng, log, seen, desk0, desk1, 0, 0.0))


def story0(sim, rng, log, seen, desk0, desk1, n, x):
    for m in range(3):
        sim.process(kid0(sim, rng, log, seen, desk0, desk1, m, float(m)))
    yield sim.process(kid0(sim, rng, log, seen, desk0, desk1, 3, 5.0))
    log.append(("over", sim.time, sim.processes[0].name))
    yield from desk1.use(0.5)
    seen.append(sim.time)
"""
SERVED = [
    (0, "served", 0.0),
    (0, "leaves", 1.0, ["story0 1", "kid0 1", "kid0 2", "kid0 3", "kid0 4"]),
    (3, "served", 1.0),
    (3, "leaves", 2.0, ["story0 1", "kid0 2", "kid0 3", "kid0 4"]),
    (2, "served", 2.0),
    ("over", 2.0, "story0 1"),
    (2, "leaves", 3.0, ["kid0 2", "kid0 3"]),
    (1, "served", 3.0),
    (1, "leaves", 4.0, ["kid0 2"]),
]
"""The first is served at once; the others by priority, high first."""


def test_the_reference_serves_by_priority_and_begins_what_is_made_in_front() -> None:
    program = Errands(1, 10.0, SHOP, (1, 1))
    found = follow(program)
    assert (found["log"], found["seen"], found["processes"]) == (SERVED, [2.5], [])
    assert found["desks"] == [(0, 4, 0, [0.0, 1.0, 2.0, 3.0]), (0, 1, 0, [0.0])]
    for setting in (PLAIN, ROWS):
        assert difference(outcome(program, setting)[0], found) == ""


def test_a_seed_is_one_program_and_all_kinds_of_statements_occur() -> None:
    texts = [errands(seed).text for seed in range(40)]
    assert [errands(seed).text for seed in range(40)] == texts
    assert len(set(texts)) == 40
    parts = [
        ".interrupt(", "except ev.Interrupt", "ev.hold", ".request(", ".use(", "yield sim.process", "    sim.process",
        "seen.append", "log.append", "else:", "for i", "sim.processes", "units=2", "rng.expovariate",
        "yield ev.first_of(served=u", "yield ev.first_of(gave_up", "first_of(served=desk", ".granted", ".value:",
        "load.change", "load.set", "load.value",
    ]  # fmt: skip
    for part in parts:
        assert any(part in text for text in texts), part


@pytest.mark.slow
def test_processes_in_python_and_as_rows_do_what_the_reference_says() -> None:
    found = [examine(seed, "plain") for seed in range(10)]
    assert [report.findings for report, _ in found] == [[]] * 10
    assert sum(taken for _, taken in found) > 300
    assert sum(report.events for report, _ in found) > 1000


LATE = """
def kid0(sim, rng, log, seen, desk0, desk1, n, x):
    with desk1.request(-0.5) as u0:
        yield u0
        yield ev.hold(0.5)
    if n == 1:
        sim.process(kid1(sim, rng, log, seen, desk0, desk1, n - 1, rng.random()))
    yield ev.hold(0.25)


def kid1(sim, rng, log, seen, desk0, desk1, n, x):
    yield ev.hold(rng.uniform(0.25, 1.5))
    yield ev.hold(min(abs(x), 2.0))


def story0(sim, rng, log, seen, desk0, desk1, n, x):
    for m in range(11):
        yield ev.hold(rng.expovariate(1.5))
        yield sim.process(kid1(sim, rng, log, seen, desk0, desk1, n % 2, 1.5))
        seen.append(sim.time)
        with desk1.request() as u1:
            yield u1
            log.append(len(desk0.waiting))
        sim.process(kid0(sim, rng, log, seen, desk0, desk1, n % 2, x))


def story1(sim, rng, log, seen, desk0, desk1, n, x):
    for m in range(37):
        yield ev.hold(rng.uniform(0.25, 1.5))
        sim.process(kid0(sim, rng, log, seen, desk0, desk1, n % 2, 1.5))
        sim.process(kid0(sim, rng, log, seen, desk0, desk1, n % 2, max(0.25, x - n)))


def begin(sim, rng, log, seen, desk0, desk1):
    for k in range(6):
        sim.process([story0, story1][k % 2](sim, rng, log, seen, desk0, desk1, k, 0.5 * k))
"""


@pytest.mark.slow
def test_rows_have_room_for_the_numbers_of_processes_that_go_away_late() -> None:
    program = Errands(353, 30.0, LATE, (3, 2))
    found, taken = outcome(program, ROWS)
    assert difference(found, follow(program)) == ""
    assert taken > 100


@pytest.mark.slow
def test_native_rows_do_what_the_reference_says() -> None:
    report, taken = examine(0, "brief")
    assert (report.findings, report.runs) == ([], [NATIVE])
    assert taken > 50


@pytest.mark.slow
def test_who_is_wrong_is_found_and_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def wrong(program: Errands, setting: Any, **options: bool) -> tuple[dict[str, Any], int]:
        found, taken = outcome(program, setting, **options)
        if setting is ROWS:
            found["seen"][3] += 1e-15
        return found, taken

    monkeypatch.setattr(errand_runs, "outcome", wrong)
    report, _ = examine(7, "plain")
    assert [(finding.kind, finding.of) for finding in report.findings] == [("errands", (ROWS,))]
    assert report.findings[0].text.startswith("seen, entry 3: ")
    assert difference({"error": "ValueError: none"}, {}) == "ValueError: none"
    assert difference({"seen": [1.0]}, {"seen": [1.0, 2.0]}) == "seen: 1 entries, and should be 2"
    assert difference({"events": 3}, {"events": 4}) == "events: 3, and should be 4"
    monkeypatch.undo()
    path = write_script(7, Finding("errands", (ROWS,), "nothing"), tmp_path)
    shown = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    assert shown.count("as it should be") == 3


def test_native_rows_are_run_where_machine_code_may_be_made() -> None:
    assert [settings_of("plain", 0), settings_of("brief", 1)] == [[PLAIN, ROWS], [NATIVE]]
    assert [NATIVE in settings_of("some", seed) for seed in range(4)] == [True, False, False, True]
    assert settings_of("whole", 1) == [PLAIN, ROWS, NATIVE]
