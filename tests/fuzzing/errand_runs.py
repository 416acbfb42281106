"""Runs of programs of processes by eventide: in Python, as rows, and as rows that are native code."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from bodies.early import hurried
from fuzzing.compare import Finding, Report
from fuzzing.errand_reference import follow
from fuzzing.errands import Errands, errands
from fuzzing.exceptions import Skip
from fuzzing.running import Setting, module_of, unload
from fuzzing.watches import watches
from fuzzing.words import words

import eventide as ev
from eventide.migration.bodies import Bodies

HEAD = "import eventide as ev\n\n\n"
KINDS: dict[str, Callable[[int], Errands]] = {"errands": errands, "watches": watches, "words": words}
"""What makes programs, by the words by which such are asked for beside the features of others."""
PLAIN, ROWS, NATIVE = (
    Setting(method, compiled=method != "processes") for method in ("processes", "rows", "native rows")
)
"""The settings: processes in Python, as rows without machine code, as native rows."""


class Drift(ev.Continuous):
    """What moves beside all else."""

    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = 1.0


def outcome(program: Errands, setting: Setting, *, is_recorded: bool = False) -> tuple[dict[str, Any], int]:
    """All that can be seen of a run, and how many of its events were of rows.

    is_recorded     whether there are recordings, whose rows are seen as well
    """
    names = module_of(HEAD + program.text)
    sim, rng = ev.Simulation(compile="auto" if setting.compiled else False), Random(program.seed)
    if setting is ROWS:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    desks = [ev.Resource(sim, units) for units in program.units]
    names["load"] = load = ev.Level(0, clock=sim)
    names |= {"tank": ev.Container(sim, 4, 1), "line": ev.Queue(sim), "drift": Drift(sim)}
    names["rg"] = rg = np.random.default_rng(program.seed)
    if program.has_drift:
        names["drift"].start()
    log: list[Any] = []
    seen: list[float] = []
    names |= {"log": log, "seen": seen, "desk0": desks[0], "desk1": desks[1]}
    recordings = recordings_of(sim, desks, load, seen) if is_recorded else []
    try:
        with hurried(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names["begin"](sim, rng, log, seen, *desks)
            for time in program.pauses:
                sim.run(until=time)
                names["between"](sim, rng, log, seen, *desks)
            sim.run(until=program.end)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is told
        return {"error": f"{type(error).__name__}: {error}"}, 0
    finally:
        unload(names["begin"])
    found = {
        "log": log,
        "seen": seen,
        "events": sim.events,
        "processes": [process.name for process in sim.processes],
        "desks": [
            (sum(r.units for r in d.users), d.counts.asked, len(d.waiting), d.waits.values.tolist()) for d in desks
        ],
        "load": [load.value, *load._held.items()],
        "tank": names["tank"].amount,
        "line": list(names["line"]),
        "next numbers": [rng.random(), rg.random()],
    }
    if is_recorded:
        found["rows"] = [row for one in recordings for row in zip(*rows_of(one), strict=True)]
    return found, 0 if sim._migration is None else sim._migration.taken


def recordings_of(sim: ev.Simulation, desks: list[ev.Resource], load: ev.Level, seen: list[float]) -> list[Any]:
    """Recordings of what a program uses, at events and at regular times, some of which are those of events."""
    one, other = desks
    return [
        sim.record(one, load, every="event"),
        sim.record(other, load, every=0.25),
        sim.record(one, other, every=0.375, events=False),
        sim.record(every=0.5, waiting=lambda: len(one.waiting) + 0.5 * load.value, known=lambda: len(seen)),
        sim.record(every="event", late=lambda: int(sim.time * 1e15), used=lambda: min(other.in_use.value, 1)),
    ]


def rows_of(recording: ev.Recording) -> list[list[float]]:
    """The columns of a recording, with times and sides."""
    columns = [recording[column.name].tolist() for column in recording.columns]
    return [recording.times.tolist(), recording.sides.tolist(), *columns]


def difference(found: dict[str, Any], right: dict[str, Any]) -> str:
    """The first thing in which a run is not what the reference says; empty if it is the same, to the bit."""
    if "error" in found:
        return str(found["error"])
    for word, value in right.items():
        got = found[word]
        if repr(got) == repr(value):
            continue
        if not isinstance(value, list):
            return f"{word}: {got!r}, and should be {value!r}"
        for k, (one, other) in enumerate(zip(got, value, strict=False)):
            if repr(one) != repr(other):
                return f"{word}, entry {k}: {one!r}, and should be {other!r}"
        return f"{word}: {len(got)} entries, and should be {len(value)}"
    return ""


def settings_of(mode: str, seed: int) -> list[Setting]:
    """The settings in a mode of `compare.plan`; machine code takes a second to make, so some do without it."""
    if mode == "brief":
        return [NATIVE]
    return [PLAIN, ROWS, NATIVE] if mode == "whole" or (mode == "some" and seed % 3 == 0) else [PLAIN, ROWS]


def examine(seed: int, mode: str, kind: str = "errands") -> tuple[Report, int]:
    """The program of a seed in all settings of a mode beside the reference; how many events of rows there were."""
    program, report = KINDS[kind](seed), Report(seed, features=[kind])
    try:
        right = follow(program)
    except Skip as reason:
        report.skipped = f"{kind}: {reason}"
        return report, 0
    report.events, taken = right["events"], 0
    is_recorded = seed % 4 < 2
    if is_recorded:
        right["rows"] = outcome(program, PLAIN, is_recorded=True)[0].get("rows")
    for setting in settings_of(mode, seed):
        found, in_rows = outcome(program, setting, is_recorded=is_recorded and setting is not PLAIN)
        report.runs.append(setting)
        report.comparisons += 1
        taken += in_rows
        text = difference(found, right if "rows" in found else {word: right[word] for word in right if word != "rows"})
        if text:
            report.findings.append(Finding(kind, (setting,), text))
    return report, taken


def show(seed: int, kind: str = "errands") -> None:
    """Print the program of a seed, and in what its runs differ from the reference."""
    program = KINDS[kind](seed)
    print(HEAD + program.text)
    print(f"# two desks of {program.units} units, Random({seed}), until {program.end!r}")
    for setting in (PLAIN, ROWS, NATIVE):
        print(f"# {setting.method}: {difference(outcome(program, setting)[0], follow(program)) or 'as it should be'}")


def write_script(seed: int, finding: Finding, folder: Path) -> Path:
    """A script that shows a program on which a run differs from the reference."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed_{seed}_{finding.kind}.py"
    lines = (
        f"# {finding}", "import sys", "", f"sys.path.insert(0, {str(Path(__file__).parents[1])!r})",
        "from fuzzing.errand_runs import show", "", f"show({seed}, {finding.kind!r})", "",
    )  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
