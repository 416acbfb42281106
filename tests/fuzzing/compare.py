"""What is wrong with the runs of a program: against the reference within tolerance, among each other to the bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from fuzzing import model as m
from fuzzing.exceptions import Skip
from fuzzing.running import FAILING, METHODS, OBSERVED, Result, Setting, module_of, run, unload
from fuzzing.source import source_of
from fuzzing.stories import Outcome, simulate

PUSH = 2e-7
"""What is added to all rates to see how much a program makes of little."""
LEAST = 5e-7
"""The tolerance of times and values that depend on nothing; values have it relative to 1 and their size."""
MARGIN = 5.0
"""So many times the effect of the push is tolerated as well."""
MOST = 3e-3
"""With a larger tolerance nothing would be compared."""


@dataclass(frozen=True)
class Finding:
    """Something wrong. kind: what is; of: in which settings; text: what was got and what is right."""

    kind: str
    of: tuple[Setting, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.kind} ({'; '.join(map(str, self.of))}): {self.text}"


@dataclass
class Expected:
    """The reference's log and values, with a tolerance for each number."""

    outcome: Outcome
    log_bounds: list[list[float]]
    value_bounds: list[list[float]]
    row_bounds: dict[float, dict[str, float]]
    area_bound: float


@dataclass
class Report:
    """What came of one program."""

    seed: int
    skipped: str = ""
    events: int = 0
    runs: list[Setting] = field(default_factory=list)
    comparisons: int = 0
    findings: list[Finding] = field(default_factory=list)
    slow: list[Setting] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    others: list[Report] = field(default_factory=list)
    """Of other programs of the same seed."""


def names_of(log: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What of a log is no number that was computed: labels, words."""
    return [tuple(part for part in entry if isinstance(part, str)) for entry in log]


def numbers_of(entry: tuple[Any, ...]) -> list[float]:
    """The numbers of an entry."""
    return [float(part) for part in entry if not isinstance(part, str) and part is not None]


def expect(program: m.Program) -> Expected:
    """What the reference says, and how exactly. Raises Skip where it is too close to call."""
    outcome = simulate(program)
    others = [simulate(program, push) for push in (PUSH, -PUSH)]
    for other in others:
        counts = [(len(one.values), one.refused) for one in (outcome, other)]
        if names_of(other.log) != names_of(outcome.log) or counts[0] != counts[1]:
            raise Skip("events depend on less than the tolerance")

    def bound(value: float, pushed: list[float]) -> float:
        return LEAST * (1.0 + abs(value)) + MARGIN * max(abs(other - value) for other in pushed)

    def bounds(rows: list[list[float]], pushed: list[list[list[float]]]) -> list[list[float]]:
        made = []
        for k, row in enumerate(rows):
            made.append([bound(value, [other[k][i] for other in pushed]) for i, value in enumerate(row)])
            if max(made[-1], default=0.0) > MOST:
                raise Skip("small causes have large effects")
        return made

    log = bounds([numbers_of(e) for e in outcome.log], [[numbers_of(e) for e in o.log] for o in others])
    values = bounds([list(v) for v in outcome.values], [[list(v) for v in o.values] for o in others])
    shown = {
        time: {name: bound(value, [o.rows[time][name] for o in others]) for name, value in row.items()}
        for time, row in outcome.rows.items()
        if all(row.keys() == o.rows.get(time, {}).keys() for o in others)
    }
    return Expected(outcome, log, values, shown, bound(outcome.area, [o.area for o in others]))


def judge(expected: Expected, result: Result, setting: Setting) -> Finding | None:
    """The first thing in which a run is not what the reference says."""
    want = expected.outcome
    if want.refused >= 0:
        return judge_refusal(expected, result, setting)
    if result.error:
        return Finding("error", (setting,), result.error)
    got_names, names = names_of(result.log), names_of(want.log)
    for k, (got, name) in enumerate(zip(got_names, names, strict=False)):
        if got != name:
            return Finding("events", (setting,), f"entry {k} is {result.log[k]}, and should be {want.log[k]}")
    if len(got_names) > len(names):
        return Finding("events", (setting,), f"entry {len(names)} is {result.log[len(names)]}, and should not be")
    if len(got_names) < len(names):
        return Finding("events", (setting,), f"entry {len(got_names)} is missing: {want.log[len(got_names)]}")
    if found := judge_numbers(expected, result, setting):
        return found
    if len(result.values) != len(want.values):
        return Finding("events", (setting,), f"{len(result.values)} objects at the end, not {len(want.values)}")
    for k, (right, bounds) in enumerate(zip(want.values, expected.value_bounds, strict=True)):
        if not all(abs(g - r) <= b for g, r, b in zip(result.values[k], right, bounds, strict=True)):
            return Finding("values", (setting,), f"object {k} ends with {result.values[k]}, and should with {right}")
    return judge_observed(expected, result, setting)


def judge_observed(expected: Expected, result: Result, setting: Setting) -> Finding | None:
    """What is wrong with what observers have seen, where nothing changes at once."""
    want = expected.outcome
    if result.area is not None and not abs(result.area - want.area) <= expected.area_bound:
        return Finding("observed", (setting,), f"the integral is {result.area}, and should be {want.area}")
    for time, row in result.rows.items():
        bounds = expected.row_bounds.get(time)
        if bounds is None or any(abs(time - end) < MOST for end in want.ends):
            continue
        for name, bound in bounds.items():
            if name in row and bound <= MOST and not abs(row[name] - want.rows[time][name]) <= bound:
                text = f"{name} is {row[name]} at {time}, and should be {want.rows[time][name]}"
                return Finding("observed", (setting,), text)
    return None


def judge_numbers(expected: Expected, result: Result, setting: Setting) -> Finding | None:
    """The first entry whose numbers are not what the reference says."""
    entries = zip(result.log, expected.outcome.log, expected.log_bounds, strict=False)
    for k, (got, entry, bounds) in enumerate(entries):
        pairs = zip(numbers_of(got), numbers_of(entry), bounds, strict=True)
        if not all(abs(one - right) <= bound for one, right, bound in pairs):
            return Finding("values", (setting,), f"entry {k} is {got}, and should be {entry}")
    return None


def judge_refusal(expected: Expected, result: Result, setting: Setting) -> Finding | None:
    """What is wrong with a run whose laws have to be refused: it ends with the event that brings them."""
    want, names = expected.outcome, names_of(expected.outcome.log)
    if not result.error.startswith("UnsoundLaw"):
        text = f"{result.error or 'no error'} after {len(result.log)} entries; {want.refused} stand before the refusal"
        return Finding("refusal", (setting,), text)
    if len(result.log) < want.refused or names_of(result.log) != names[: len(result.log)]:
        return Finding("refusal", (setting,), f"refused after {result.log[-3:]}, not after {want.log[-3:]}")
    return judge_numbers(expected, result, setting)


def same_bits(one: Result, other: Result, settings: tuple[Setting, Setting], kind: str) -> Finding | None:
    """The first difference of two runs that are promised to be the same."""
    if (one.error != "") != (other.error != ""):
        return Finding(kind, settings, f"{one.error or 'no error'}, and {other.error or 'no error'}")
    for k, (a, b) in enumerate(zip(one.log, other.log, strict=False)):
        if repr(a) != repr(b):
            return Finding(kind, settings, f"entry {k}: {a}, and {b}")
    if len(one.log) != len(other.log) or repr(one.values) != repr(other.values):
        return Finding(kind, settings, f"{len(one.log)} entries, {one.values}, and {len(other.log)}, {other.values}")
    if settings[0].observed == settings[1].observed and not one.error:
        for time in dict.fromkeys((*one.rows, *other.rows)):
            if repr(one.rows.get(time)) != repr(other.rows.get(time)):
                return Finding(kind, settings, f"at {time}: {one.rows.get(time)}, and {other.rows.get(time)}")
        # Without machine code a regular time where a step ends may have a row of its own.
        for first, second in zip(one.seen, other.seen, strict=True) if kind == "bits of rows" else ():
            if repr(first) != repr(second):
                at = [
                    k
                    for k, (a, b) in enumerate(zip(*map(rows_of, (first, second)), strict=False))
                    if repr(a) != repr(b)
                ]
                text = f"rows {at[:3]} of {len(first[0])} and {len(second[0])} of a recording differ"
                return Finding(kind, settings, text)
        if repr(one.area) != repr(other.area):
            return Finding(kind, settings, f"the integral is {one.area}, and {other.area}")
    return None


def rows_of(recording: list[list[float]]) -> list[tuple[float, ...]]:
    """The rows of columns."""
    return list(zip(*recording, strict=True))


Pair = tuple[str, Setting, Setting]
ROWS = ("rows", "native rows")
"""Machine code of rows takes a second to make, so it is tried seldom."""


def plan(seed: int, *, mode: str = "some", threads: bool = True) -> tuple[list[Setting], list[Pair]]:
    """The settings in which a program is run, and the pairs of them that are promised to be the same.

    mode    "some": each method, and some of the rest; "whole": all; "plain": what needs no machine code; "brief": one
            method, with native handlers from the first event on, and plain
    """
    random = Random(f"settings {seed}")
    first, second, third = random.sample(METHODS[:3], 3)
    last = random.choice(METHODS)
    settings = [Setting(method) for method in METHODS if mode in {"some", "whole"}]
    pairs: list[Pair] = []

    def pair(kind: str, base: Setting, **changes: Any) -> Setting:
        other = replace(base, **changes)
        for setting in (base, other):
            if setting not in settings:
                settings.append(setting)
        pairs.append((kind, base, other))
        return other

    if mode == "brief":
        plain = pair("bits of plain", Setting(first, eager=True), compiled=False, eager=False)
        pair("bits of rows", plain, compiled=True, rows="rows")
        return settings, pairs
    if mode == "plain":
        pair("bits of observed", Setting(first, compiled=False), observed=random.choice(OBSERVED))
        return [*settings, Setting(second, compiled=False, stepping="together")], pairs
    if mode == "whole":
        for method in METHODS:
            for stepping in ("apart", "together"):
                base = Setting(method, stepping=stepping)
                plain = pair("bits of plain", base, compiled=False)
                pair("bits of eager", base, eager=True)
                for observed in OBSERVED:
                    pair("bits of observed", base, observed=observed)
                pair("bits of observed", plain, observed=random.choice(OBSERVED))
                pair("bits of plain", replace(base, pieces=3), compiled=False)
            for rows in ROWS:
                pair("bits of rows", Setting(method, compiled=False), compiled=True, rows=rows)
                seen = Setting(method, observed="recorded in rows")
                pair("bits of rows", seen, rows=rows)
                pair("bits of rows", replace(seen, pieces=3), rows=rows)
            pair("bits of rows", Setting(method, compiled=False, pieces=3), compiled=True, rows=ROWS[0])
    else:
        plain = pair("bits of plain", Setting(first), compiled=False)
        pair("bits of eager", Setting(first), eager=True)
        pair("bits of observed", plain, observed=random.choice(OBSERVED))
        pair("bits of observed", Setting(last), observed=random.choice(OBSERVED))
        pair("bits of plain", Setting(second, stepping="together"), compiled=False)
        settings.append(Setting(third, stepping="together"))
        stepping = random.choice(("apart", "together"))
        pieces, looks = random.choice((2, 3, 7)), random.choice(("", *OBSERVED))
        cut = pair("bits of plain", Setting(last, stepping=stepping, pieces=pieces, observed=looks), compiled=False)
        pair("bits of rows", plain, compiled=True, rows=ROWS[seed % 7 == 0])
        pair("bits of rows", replace(cut, observed=""), compiled=True, rows=ROWS[0])
        seen = Setting(third, observed="recorded in rows", pieces=random.choice((1, 1, 2, 7)))
        pair("bits of rows", seen, rows=ROWS[seed % 5 == 0])
    if threads:
        pair("bits of threads", Setting(second), threads=2)
    fails = Random(f"failing {seed}")
    stepping, compiled = fails.choice(("apart", "together")), fails.random() < 0.7
    settings.append(Setting(fails.choice(METHODS), compiled, stepping, observed=fails.choice(FAILING)))
    settings.append(Setting(last, observed="processes fail", eager=True, rows="rows"))
    return settings, pairs


def examine(program: m.Program, settings: Sequence[Setting], pairs: Sequence[Pair], runner: Any = run) -> Report:
    """Run a program in all settings and compare."""
    report = Report(program.seed, features=program.features)
    try:
        expected = expect(program)
    except Skip as reason:
        report.skipped = str(reason)
        return report
    if any(isinstance(part, m.SetGlobal) for part in m.parts_of(program)):  # runs of one module share its numbers
        settings = [setting for setting in settings if setting.threads == 1]
    if "rows" not in program.features:  # few of its events would be of rows
        settings = [setting for setting in settings if not setting.rows]
    report.events = expected.outcome.events
    build = module_of(source_of(program))["build"]
    results: dict[Setting, Result] = {}
    for setting in settings:
        several = runner(build, setting, program.end)
        if any(r.error.startswith("TooSlow") for r in several):
            report.slow.append(setting)
            continue
        report.runs.append(setting)
        results[setting] = several[0]
        for result in several:
            report.comparisons += 1
            finding = judge(expected, result, setting)
            if finding is not None:
                report.findings.append(finding)
                break
        for other in several[1:]:
            finding = same_bits(several[0], other, (setting, setting), "bits of threads")
            report.findings += [finding] if finding is not None else []
    for kind, one, other in pairs:
        if one in results and other in results:
            report.comparisons += 1
            finding = same_bits(results[one], results[other], (one, other), kind)
            report.findings += [finding] if finding is not None else []
    unload(build)
    return report
