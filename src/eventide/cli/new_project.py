"""The first files of a project: `eventide new NAME` writes a model, a test of it and a notebook."""

from __future__ import annotations

import json
import keyword
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

from eventide.cli.telling import DONE, note
from eventide.errors import InputError

MODEL: Final = '''"""A tank that leaks and is filled again: `eventide run {name}.py --plot {name}.png`."""

import eventide as ev


class Tank(ev.Continuous):
    """Water that leaves through a hole."""

    level: ev.State = ev.state(2.0, unit="m", description="height of the water")
    leak: float = ev.field(default=0.2, unit="1/h")

    def equations(self):
        self.rate.level = -self.leak * self.level


def refill(tank, low, amount):
    while True:
        yield ev.until(lambda: tank.level < low)  # a state event, located inside the step
        yield ev.hold(tank.sim.stream("delay").exponential(0.5))  # somebody has to come
        tank.level += amount


@ev.model(until=24.0, time_unit="h")
def {name}(sim, *, low: float = 1.0, amount: float = 1.0):
    """The level of the tank over a day."""
    tank = Tank(sim, name="tank").start()
    sim.process(refill(tank, low, amount))
    sim.record(tank, every=0.05)
    level = sim.integral(tank["level"], name="level")
    return {{
        "mean level": lambda: ev.Quantity(level.average, unit="m"),
        "lowest level": lambda: ev.Quantity(level.minimum, unit="m"),
    }}
'''
TEST: Final = '''"""What the model of {name}.py promises: run it with `pytest`."""

import math

import eventide as ev
from {name} import Tank, {name}


def test_the_level_decays_as_the_formula_says():
    sim = ev.Simulation()
    tank = Tank(sim, level=2.0, leak=0.2).start()
    sim.run(until=3.0)
    assert math.isclose(tank.level, 2.0 * math.exp(-0.2 * 3.0), rel_tol=1e-5)


def test_equal_runs_give_equal_results():
    first, second = {name}.run(entropy=1), {name}.run(entropy=1)
    assert first.responses == second.responses


def test_the_tank_is_refilled_in_time():
    responses = {name}.run(entropy=1).responses
    assert 0.0 < responses["lowest level"] < 1.0 < responses["mean level"]
'''
CELLS: Final = (
    ("markdown", "# {name}\n\nA first look at the model in `{name}.py`."),
    ("code", "from {name} import {name}\n\nrun = {name}.run(entropy=1)\nrun"),
    ("code", "run.recordings[0].plot()"),
    ("markdown", "Ten runs, each with random numbers of its own:"),
    ("code", "{name}.replicate(10, entropy=1)"),
)


WORDS: Final = ("eventide", "ev", "refill", "run", "first", "second", "responses", "conftest")
"""Names that mean something else in these files or beside them."""


def write_project(name: str) -> int:
    """Write the files of a new project into this folder; returns the exit status.

    Raises InputError for a name that is none of a module, or another's, and if one of the files is there already
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower():
        raise InputError(
            f"{name!r} cannot be the name of a model: take a word of small letters, digits and _, as `tank`"
        )
    if name in WORDS or name.startswith(("_", "test_")) or _is_module(name):
        raise InputError(
            f"{name!r} cannot be the name of a model: {name}.py would stand in the way of what is called so already; "
            "take another word, as `tank`"
        )
    files = {
        Path(f"{name}.py"): MODEL.format(name=name),
        Path(f"test_{name}.py"): TEST.format(name=name),
        Path(f"{name}.ipynb"): json.dumps(_notebook(name), indent=1) + "\n",
    }
    there = [str(path) for path in files if path.exists()]
    if there:
        raise InputError(f"{', '.join(there)} is there already: choose another name, or another folder")
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    note(f"written: {', '.join(map(str, files))}")
    note(f"try: eventide run {name}.py --plot {name}.png; pytest; jupyter lab {name}.ipynb")
    return DONE


def _is_module(name: str) -> bool:
    """Whether Python or a library that is installed has a module of this name."""
    # What is in this folder is told of as a file that is there already.
    elsewhere = [folder for folder in sys.path if folder and Path(folder).resolve() != Path.cwd()]
    spec = PathFinder.find_spec(name, elsewhere)
    return name in sys.stdlib_module_names or (spec is not None and spec.loader is not None)


def _notebook(name: str) -> dict[str, object]:
    """The notebook as nbformat 4.5 keeps it. Source: the schema of nbformat 4.5."""
    cells = []
    for number, (kind, text) in enumerate(CELLS):
        cell: dict[str, object] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        cell["source"] = text.format(name=name).splitlines(keepends=True)
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
