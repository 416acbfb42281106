"""DESIGN.md names a test beside every line of the step; those tests are there."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
import tomllib
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import numpy as np
import private_names
import pytest
from mutate import homes
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from syntax import nodes_of

import eventide as ev

ROOT = Path(__file__).parents[1]


def test_every_test_that_the_design_names_is_there() -> None:
    named = sorted(set(re.findall(r"\btest_\w+", (ROOT / "DESIGN.md").read_text())))
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    known = {path.stem for path in files}
    known |= {name for path in files for name in re.findall(r"def (test_\w+)", path.read_text())}
    assert len(named) > 20
    assert [name for name in named if name not in known] == []


def test_a_source_distribution_has_what_the_tests_read() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    given = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    always = ["LICENSE", "README.md", "pyproject.toml"]  # whatever is included
    made = ["PKG-INFO", "soaking_pit.png"]  # by the build, and by `make demo`
    present = (path.name for path in ROOT.iterdir() if path.is_file() and not path.name.startswith("."))
    files = sorted(name for name in present if name not in made)
    assert sorted([*always, *(name[1:] for name in given if (ROOT / name[1:]).is_file())]) == files


def test_rooms_use_no_private_names_of_each_other() -> None:
    assert [f"{use.place} {use.name}" for use in private_names.uses()] == []


def test_a_private_name_of_another_room_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room, text in {
        "one": "class A:\n    def __init__(self):\n        self._kept = self._own = 1\n",
        "two": "class B:\n    __slots__ = ('_own',)\n\n\ndef of(a, b):\n    return a._kept + a._own + b.__class__._x\n",
    }.items():
        (tmp_path / room).mkdir()
        (tmp_path / room / "file.py").write_text(text)
    monkeypatch.setattr(private_names, "SOURCE", tmp_path)
    assert private_names.uses() == [private_names.Use("two", ("one",), "_kept", "two/file.py:6")]


class Plain(ev.Continuous):
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    restitution: float = 0.8

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81


class Bouncing(Plain):
    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -self.restitution


def story() -> ev.ProcessGenerator:
    while True:
        yield ev.hold(1.0)


@pytest.mark.slow
@pytest.mark.row("R-216")
@pytest.mark.parametrize(
    ("title", "make"),
    [
        ("a process that holds", lambda sim: sim.process(story())),
        ("a component of two states and one number", Plain),
        ("the same, started, alone in its flow", lambda sim: Plain(sim).start()),
        ("the same with a handler that watches a condition", lambda sim: Bouncing(sim).start()),
    ],
    ids=["process", "component", "started", "handler"],
)
def test_objects_take_the_memory_that_is_told(title: str, make: Callable[[ev.Simulation], Any]) -> None:
    """Within a quarter of it: tables grow by doubling, and Python's own objects differ from version to version."""
    told = float(re.findall(rf"^\| {title} \| ([\d.]+) \|$", (ROOT / "DESIGN.md").read_text(), flags=re.MULTILINE)[0])
    sim = ev.Simulation(rng=1)
    kept = [make(sim)]
    sim.run(until=1e-3)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    kept += [make(sim) for _ in range(2000)]
    sim.run(until=1e-2)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 2001
    assert (after - before) / 2000 / 1000 == pytest.approx(told, rel=0.25)


NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def told_runs(what: str) -> int:
    """How many runs of a flow's laws something takes, by the table of what it costs."""
    found = re.findall(rf"^\| {what} \| (\w+)", (ROOT / "DESIGN.md").read_text(), flags=re.MULTILINE)
    assert len(found) == 1
    return NUMBERS.index(found[0])


class Counted(Plain):
    """Counts the runs of its laws."""

    locate_branches = False
    smooth_laws = True  # else each step would be checked for a jump, by an evaluation
    total: ev.Computed = ev.computed()
    runs: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.runs.append(self.sim.time)
        self.total = self.height
        self.rate.height = self.velocity
        self.rate.velocity = -9.81 if self.height > 3.0 else 20.0


@pytest.mark.row("R-216")
def test_steps_cost_what_is_told() -> None:
    sim = ev.Simulation(rng=1, compile=False, stepping="together", rel_error=1e-9, abs_error=1e-9)
    counted = Counted(sim).start()

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        counted.velocity = 0.0

    sim.process(clerk())
    sim.run(until=2.0)
    report = sim.report()
    accepted, refused, first = map(told_runs, ("a step that is accepted", "a step that is refused", "a first step.*?"))
    assert report.refused > 0
    settled = report.evaluations - accepted * report.steps - refused * report.refused - first
    # At the start twice, as it is seen there what the law reads, and after both events: what cannot be followed is cut.
    assert settled == 4
    assert len(counted.runs) == report.evaluations


@pytest.mark.row("R-216")
def test_a_look_inside_a_step_costs_what_is_told_and_is_none_of_its_evaluations() -> None:
    found = []
    for every in (0.25, 0.125):
        sim = ev.Simulation(rng=1, compile=False, dt_max=0.5)
        counted = Counted(sim, height=1e9).start()
        trace = sim.record(total=lambda: counted.total, every=every, events=False)  # noqa: B023  # called in this round
        sim.run(until=4.0)
        found.append((len(counted.runs), len(trace), sim.report().evaluations, sim.report().steps))
    (coarse, few, *costs), (fine, many, *others) = found
    assert (few, many, costs[1]) == (17, 33, 8)
    assert costs == others
    assert fine - coarse == 16 * told_runs("rates, computed values, sums at an instant inside")


def test_what_happens_at_each_event_takes_a_short_way_through_the_code() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "walks.py"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    found = {name: (int(functions), int(files)) for name, functions, _, _, files, *_ in rows}
    assert list(found) == ["placed", "located", "steady", "requested", "recorded"]
    limits = {"placed": (55, 15), "located": (14, 8), "steady": (8, 5), "requested": (5, 4), "recorded": (35, 10)}
    assert {name: way for name, way in found.items() if way[0] > limits[name][0] or way[1] > limits[name][1]} == {}


@cache
def source() -> dict[Path, str]:
    """The text of each file of the library."""
    return {path: path.read_text() for path in sorted((ROOT / "src" / "eventide").rglob("*.py"))}


def test_files_functions_and_folders_stay_small() -> None:
    files = source()
    functions = [
        (path.name, node.name)
        for path, text in files.items()
        for node in nodes_of(text)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > 60
    ]
    folders = Counter(path.parent for path in files)
    rooms: Counter[str] = Counter()
    for path, text in files.items():
        rooms[path.relative_to(ROOT / "src" / "eventide").parts[0]] += text.count("\n")
    assert [path.name for path, text in files.items() if text.count("\n") > 600] == []
    assert functions == []
    assert {folder.name: count for folder, count in folders.items() if count > 25} == {}
    assert {room: count for room, count in rooms.items() if count > 8000} == {}


MOST_ANY = 198
"""The most places where a type may be `Any`. Whoever lowers their number lowers this limit.

What is left, by kinds. Users' own: parameters and results of functions that they write, whose types are theirs, and
what we return to them, who compute with it (an array where a base has a float, a dual number, a quantity's value, what
a `yield` gives). None for a moment, or what stands for another: the generator of a process, its neighbours in the list
of processes, the flow of what stands still; an assertion in each use would cost time. Objects that a model refers to,
as lowering follows them, and what was found out about them (facts, samples, kept kernels). Functions and classes that
are made of text, nodes of syntax, indices of arrays. What numpy, pandas, scipy, matplotlib, pytest, ctypes and LLVM
take or return without types, and arguments that are handed on to them. Where several places have one reason it stands
beside a name for the type, as `Declared`, `Output`, `Column`.
"""


PRIVATE_WORDS = """
    admission arena attendance awake berth birth cohort company deed depot doze errand guest heir hop hurry journey
    lease lull mould mourner outlet reel reliance rival roster seat shelf sight sitter spell surrounding tenancy
    tend trail trouble unborn vigil welcome wish witness
"""
"""Metaphors of our own that stood for what has a standard term."""


def test_names_are_standard_terms_and_no_private_metaphors() -> None:
    private = {*PRIVATE_WORDS.split()}
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in source().items()
        for name in (path.stem, *names_of(text))
        if private & {part.lower().removesuffix("s") for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    }
    assert sorted(found) == []


def names_of(text: str) -> Iterator[str]:
    """All names in the code of a file."""
    for node in nodes_of(text):
        for word in ("id", "attr", "name", "arg"):
            if isinstance(name := getattr(node, word, None), str):
                yield name


def test_types_are_told_where_they_are_known() -> None:
    names = (node.id for text in source().values() for node in nodes_of(text) if isinstance(node, ast.Name))
    assert 100 < sum(name == "Any" for name in names) <= MOST_ANY


LARGEST_KNOT = 30
"""The most modules that need each other, annotations included. Whoever lowers their number lowers this limit."""


def test_rooms_name_rooms_below_them_alone_and_few_modules_need_each_other_annotations_included() -> None:
    """But for the class `Simulation`, which users' models reach by `self.sim`, and for late imports of `view`."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rooms = [layer.strip("()") for one in contracts if one["id"] == "rooms" for layer in one["layers"]]
    graph, runtime = (grimp.build_graph("eventide", exclude_type_checking_imports=only) for only in (False, True))
    modules = sorted(graph.modules - {"eventide"})
    room_of = {module: module.split(".")[1] for module in modules}
    uses = [
        (one, other)
        for one in modules
        for other in sorted(graph.find_modules_directly_imported_by(one))
        if other != "eventide"
    ]
    upward = [(one, other) for one, other in uses if rooms.index(room_of[one]) > rooms.index(room_of[other])]
    assert [use for use in upward if use[1] not in {"eventide.simulation", "eventide.view"}] == []
    assert len(upward) > 30
    late = [use for use in upward if use[1] == "eventide.simulation"]
    assert [use for use in late if runtime.direct_import_exists(importer=use[0], imported=use[1])] == []
    place = {module: k for k, module in enumerate(modules)}
    down = [(place[one], place[other]) for one, other in uses if (one, other) not in upward]
    matrix = csr_array((np.ones(len(down)), tuple(zip(*down, strict=True))), shape=(len(modules),) * 2)
    _, labels = connected_components(matrix, connection="strong")
    knots = [[modules[k] for k in np.flatnonzero(labels == label)] for label in range(max(labels) + 1)]
    assert max(map(len, knots)) <= LARGEST_KNOT
    assert [knot for knot in knots if len({room_of[module] for module in knot}) > 1] == []


def test_every_function_that_contributing_walks_through_is_there() -> None:
    walk = (ROOT / "CONTRIBUTING.md").read_text().partition("## A walk through the code")[2].partition("\n## ")[0]
    named = [name for name in re.findall(r"`([A-Z]\w+\.\w+)`", walk) if not name.startswith("Simulation.")]
    assert len(named) > 15
    assert [name for name in named if name not in homes()] == []
