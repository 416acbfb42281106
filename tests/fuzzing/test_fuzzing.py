"""The fuzzer: what it writes are programs, of every feature; it finds what is wrong, and makes it small."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from fuzzing import breaks, compare, hunt, running
from fuzzing import model as m
from fuzzing.generate import FEATURES, generate
from fuzzing.reference import Skip
from fuzzing.running import Result, Setting
from fuzzing.shrink import script_of, shrink
from fuzzing.source import source_of
from fuzzing.stories import simulate

STATEMENTS = m.Statement.__args__  # type: ignore[attr-defined]  # of a union


def test_a_seed_is_one_program() -> None:
    assert [source_of(generate(seed)) for seed in range(5)] == [source_of(generate(seed)) for seed in range(5)]
    assert len({source_of(generate(seed)) for seed in range(50)}) == 50


def test_what_is_left_out_stands_nowhere() -> None:
    text = "".join(source_of(generate(seed, frozenset(FEATURES) - {"resources", "opaque"})) for seed in range(30))
    assert "request(" not in text
    assert "pool" in text


@pytest.mark.slow
def test_every_program_is_python_and_every_feature_and_statement_occurs() -> None:
    features: Counter[str] = Counter()
    statements: Counter[type] = Counter()
    expressions: Counter[type] = Counter()
    for seed in range(100):
        program = generate(seed)
        compile(source_of(program), f"seed {seed}", "exec", dont_inherit=True)
        features.update(program.features)
        parts = {type(part) for part in m.parts_of(program)}
        statements.update(parts & set(STATEMENTS))
        expressions.update(parts & set(m.Expr.__args__ + m.Test.__args__))  # type: ignore[attr-defined]  # of unions
    assert min(features[name] for name in FEATURES) >= 10
    assert sorted(kind.__name__ for kind in STATEMENTS if statements[kind] < 3) == []
    assert min(expressions[kind] for kind in expressions) >= 3
    assert len(expressions) == len(m.Expr.__args__ + m.Test.__args__)  # type: ignore[attr-defined]  # of unions


@pytest.mark.slow
def test_empty_bodies_are_python() -> None:
    empty: list[m.Statement] = []
    statements = [m.Loop(2, empty), m.If(m.Cmp("<", m.Num(1.0), m.Num(2.0)), empty, empty), m.Guarded(empty, "g")]
    kind = m.Class(0, "ramp", {"x": 0.0}, {}, handlers=[m.Handler("h", m.Cmp(">", m.Num(1.0), m.Num(2.0)), empty)])
    for style in ("generator", "class"):
        program = m.Program(
            0, 1.0, classes=[kind], processes=[m.Process(0, statements, style), m.Process(1, [], style)]
        )
        build = running.module_of(source_of(program))["build"]
        assert running.run(build, Setting(), 1.0)[0].error == ""


# --- the reference ----------------------------------------------------------------------------------------------------


def oscillator(body: list[m.Statement], *, handlers: list[m.Handler] | None = None) -> m.Program:
    """An oscillator, x'' = -k x from x = 1, and a process."""
    x, v, k = (m.Read(("self", name)) for name in ("x", "v", "k"))
    force = m.Bin("*", m.Num(-1.0), m.Bin("*", k, x))
    rates = [m.Law(("self", "x"), v), m.Law(("self", "v"), force)]
    numbers = {"k": 4.0, "c": 0.0, "level": 0.0}
    kind = m.Class(0, "oscillator", {"x": 1.0, "v": 0.0}, numbers, rates=rates, handlers=handlers or [])
    one = m.Object("n0", 0, {"tag": 0.0}, {}, {})
    return m.Program(0, 4.0, classes=[kind], objects=[one], order=["n0"], processes=[m.Process(0, body)])


def below(level: float) -> m.Test:
    return m.Cmp("<", m.Read(("n0", "x")), m.Num(level))


def test_the_reference_agrees_with_a_solution_in_closed_form() -> None:
    log = m.Log("met", [m.Read(("n0", "x")), m.Read(("n0", "v"))])
    outcome = simulate(oscillator([m.Until(below(0.5), 0.0), log, m.Hold(m.Num(0.25)), log]))
    time = math.acos(0.5) / 2.0
    later = time + 0.25
    expected = [t for at in (time, later) for t in (at, math.cos(2.0 * at), -2.0 * math.sin(2.0 * at))]
    assert [label for label, *_ in outcome.log] == ["met", "met"]
    assert [number for _, *numbers in outcome.log for number in numbers] == pytest.approx(expected, abs=1e-10)
    assert outcome.values == [pytest.approx((math.cos(8.0), -2.0 * math.sin(8.0), 4.0, 0.0, 0.0), abs=1e-10)]


def test_what_is_too_close_to_call_is_skipped() -> None:
    touches = m.Until(m.Cmp("<=", m.Read(("n0", "x")), m.Num(-1.0)), 0.0)
    with pytest.raises(Skip, match="touches its level"):
        simulate(oscillator([touches]))
    program = oscillator([m.Until(below(0.5), 0.0)])
    program.processes.append(m.Process(1, [m.Until(below(0.5), 0.0)]))
    with pytest.raises(Skip, match="too close to each other"):
        simulate(program)


def test_a_law_that_jumps_is_integrated_exactly() -> None:
    program = oscillator([])
    jumps = m.Choice(m.Cmp("<", m.Read(("self", "x")), m.Num(1.3)), m.Num(1.0), m.Num(0.1))
    program.classes[0].rates = [m.Law(("self", "x"), jumps)]
    assert simulate(program).values[0][0] == pytest.approx(1.3 + 0.1 * 3.7, abs=1e-11)


# --- findings ---------------------------------------------------------------------------------------------------------


def wrong_runs(build: object, setting: Setting, end: float) -> list[Result]:
    """Runs of a library in which every second state event is lost, in compiled runs only."""
    result = running.run(build, setting, end)[0]
    if setting.compiled:
        result.log = [entry for k, entry in enumerate(result.log) if k != 1]
    return [result]


@pytest.mark.slow
def test_a_right_library_has_no_findings_and_a_wrong_one_has() -> None:
    log = m.Log("met", [m.Read(("n0", "x"))])
    program = oscillator([m.Loop(3, [m.Until(below(0.5), 0.0), log, m.Hold(m.Num(0.7))])])
    settings, pairs = compare.plan(1, threads=False)
    report = compare.examine(program, settings, pairs)
    assert report.findings == []
    assert len(report.runs) == len(settings)
    assert report.comparisons == len(settings) + len(pairs)
    findings = compare.examine(program, settings, pairs, wrong_runs).findings
    assert {f.kind for f in findings} == {"events", "bits of plain"}


def test_values_are_compared_as_closely_as_they_are_known() -> None:
    program = oscillator([m.Hold(m.Num(1.0)), m.Log("held", [m.Read(("n0", "x"))])])
    expected = compare.expect(program)
    right = Result(expected.outcome.log, expected.outcome.values)
    assert compare.judge(expected, right, Setting()) is None
    label, time, value = expected.outcome.log[0]
    for error, kind in ((1e-8, None), (1e-4, "values")):
        found = compare.judge(expected, replace(right, log=[(label, time, value + error)]), Setting())
        assert (found.kind if found else None) == kind


@pytest.mark.slow
def test_a_finding_is_made_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def runs(build: object, setting: Setting, end: float) -> list[Result]:
        """A library that takes each hold for 1 % longer."""
        result = running.run(build, setting, end)[0]
        result.log = [(e[0], e[1] * 1.01, *e[2:]) if e[0].startswith("process") else e for e in result.log]
        return [result]

    monkeypatch.setattr(hunt, "timed_run", runs)
    seed, features = 5, frozenset({"hold", "parameters", "every", "resources", "references", "handlers"})
    program = generate(seed, features)
    report = compare.examine(program, [Setting()], [], runs)
    assert [f.kind for f in report.findings] == ["values"]
    small = shrink(program, lambda p: hunt.fails_alike(p, report.findings[0]), 20.0)
    assert hunt.fails_alike(small, report.findings[0])
    assert len(source_of(small)) < 0.5 * len(source_of(program))
    assert sum(isinstance(part, STATEMENTS) for part in m.parts_of(small)) <= 4
    path = hunt.write_script(small, report.findings[0], tmp_path)
    script = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert (script.returncode, script.stderr) == (0, "")
    assert "process" in script.stdout


@pytest.mark.slow
def test_scripts_of_two_settings_run_both(tmp_path: Path) -> None:
    settings = (Setting("RADAU"), Setting("RADAU", compiled=False, observed="recorded", eager=True))
    text = script_of(oscillator([]), compare.Finding("bits of plain", settings, "two\nlines"), None)
    path = tmp_path / "script.py"
    path.write_text(text)
    assert subprocess.run([sys.executable, path], check=False).returncode == 0


def test_breaks_are_of_lines_that_are_there() -> None:
    for broken in breaks.load_breaks():
        text = (breaks.ROOT / broken.file).read_text(encoding="utf-8")
        assert broken.applied(text) != text
        assert set(filter(None, broken.features.split(","))) <= set(FEATURES)
