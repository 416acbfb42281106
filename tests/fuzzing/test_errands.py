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
from fuzzing.watches import WORLD, watches
from fuzzing.words import words

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


GATE = """
class Alarm(ev.Continuous):
    @ev.when(lambda self: box.flag)
    def opens(self):
        log.append(("opens", self.sim.time))

    @ev.when(lambda self: len(line) == 2, priority=5.0)
    def crowded(self):
        log.append(("crowded", self.sim.time))
        box.n += 10


def waits(sim, name, condition, **rank):
    try:
        ok = yield ev.until(condition, **rank)
    except ev.Interrupt as cut:
        log.append((name, cut.cause, cut.left, sim.time))
    else:
        log.append((name, ok, sim.time))
        line.into(name)


def races(sim, n):
    first = yield ev.first_of(late=ev.hold(n), got=ev.until(lambda: box.n > n))
    log.append((first.name, first.value, sim.time))


def acts(sim, other):
    yield ev.hold(1.0)
    box.flag = True
    box.flag = False  # nobody sees that
    yield ev.hold(1.0)
    box.flag = True
    yield ev.hold(0.0)  # before all that waits for it
    box.flag = False
    yield ev.hold(1.0)
    box.flag = True
    yield ev.hold(1.0)
    box.flag = False
    yield ev.hold(0.0)
    box.flag = True
    other.interrupt("enough")


def begin(sim, rng, log, seen, desk0, desk1):
    sim.process(waits(sim, 1, lambda: box.flag))
    sim.process(waits(sim, 2, lambda: box.flag, prior=True))
    Alarm(sim).start()
    sim.process(waits(sim, 3, lambda: box.flag and sim.time >= 3.5, priority=-1.0))
    other = sim.process(waits(sim, 4, lambda: box.n > 90))
    sim.process(waits(sim, 5, lambda: box.flag, priority=1.0))
    for n in (1, 3, 4):
        sim.process(races(sim, n))
    sim.process(acts(sim, other))


def between(sim, rng, log, seen, desk0, desk1):
    box.n = 2
"""
TOLD = [
    ("got", True, 0.5),
    ("late", None, 3.0),
    (5, True, 3.0),
    (2, True, 3.0),
    ("crowded", 3.0),
    ("opens", 3.0),
    (1, True, 3.0),
    ("got", True, 3.0),
    (3, True, 3.5),
    (4, "enough", None, 4.0),
    ("opens", 4.0),
]
"""What was changed before a run is seen as it begins. A time event comes first, then what has the highest priority,
what came before its equals, what these make true, and what came first; a handler runs again, as its condition was false
between two events."""


def test_the_reference_tests_conditions_after_each_event_in_their_order() -> None:
    program = Errands(1, 10.0, WORLD.replace("{base}", "(ev.Continuous)") + GATE, (1, 1), (0.5,))
    found = follow(program)
    assert (found["log"], found["processes"]) == (TOLD, [])
    assert found["line"] == [5, 2, 1, 3]
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
        "load.change", "load.set", "load.value", "back = yield sim.process", "yield two", "back = yield one", "return ",
    ]  # fmt: skip
    for part in parts:
        assert any(part in text for text in texts), part


def test_programs_that_wait_for_conditions_have_all_kinds_of_them() -> None:
    texts = [watches(seed).text for seed in range(40)]
    assert [watches(seed).text for seed in range(40)] == texts
    assert len(set(texts)) == 40
    parts = [
        "yield ev.until(lambda: ", "ev.first_of(one=ev.until", "other=ev.until", "ok = yield", "priority=1.0)",
        "prior=True", "priority=n)", "@ev.when(lambda self: ", "at_start=True", "(box.is_open", "(is_ready",
        "lambda k=n", "box.flag", "box.n", "post.n", "load.value", "desk0.available", "in_use.value",
        "len(desk0.waiting)", "len(line)", "line.length.value", "tank.amount", "tank.level.value", "len(items)",
        "items and", "sim.time >= ", "drift.y", "    box.flag = True\n    box.flag = False", "yield tank.get(",
        "done=tank.put(", "in iter(range(", "box.word ==", ".interrupt(", "    self.fired += 1", "class Post:",
        "class Post(ev.Continuous):",
    ]  # fmt: skip
    for part in parts:
        assert any(part in text for text in texts), part
    assert {len(watches(seed).pauses) for seed in range(9)} == {0, 1, 2}


def test_programs_of_words_have_all_kinds_of_statements() -> None:
    texts = [words(seed).text for seed in range(40)]
    parts = [
        " is None", " in TIMES", " not in KINDS", "== '", "== Mood.", "Colour.RED", "TIMES.get(", "COSTS.get(",
        "TIMES[k] if k in TIMES else r", "served[", "here.kind = ", "here.owner = ", "rng.choice(KINDS)", "drawn(rng)",
        "rng.choice(MOODS)", "CHOICES[rg.integers(4)]", "yield from later(rng, ", " and rg.random() < 0.25",
        " or rng.random() < 0.5", "0.25 if n > 1 else rg.uniform(", "if n > 0 else x)", "min(x, r", "rg.exponential(",
        "rg.poisson(", "abs(rg.normal(", "rng.gauss(", "tank.put(rng.choice(", "tank.get(int(rg.integers(", ", w=",
        "x = 0.25 * (yield tank.", "except ev.ModelError:",
    ]  # fmt: skip
    for part in parts:
        assert any(part in text for text in texts), part


@pytest.mark.slow
def test_who_waits_for_conditions_in_python_and_as_a_row_does_what_the_reference_says() -> None:
    found = [examine(seed, "plain", "watches") for seed in range(14, 20)]
    assert [report.findings for report, _ in found] == [[]] * 6
    assert sum(report.events for report, _ in found) > 300


@pytest.mark.slow
def test_words_and_draws_of_rows_are_those_of_the_reference() -> None:
    found = [examine(seed, "plain", "words") for seed in range(14, 20)]
    assert [report.findings for report, _ in found] == [[]] * 6
    assert sum(taken for _, taken in found) > 200


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
