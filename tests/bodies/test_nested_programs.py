"""Random programs whose functions are made within a function leave the same in each simulation."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from bodies.reads import MODELS, read_anew
from random_bodies import load, simulation, taken


@pytest.fixture(autouse=True)
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions whose bodies are read, where nothing is known at first."""
    return read_anew(monkeypatch)


CAPTURED = "sim", "rng", "stream", "log", "seen"


class Nested(ast.NodeTransformer):
    """Functions take some arguments from around them, and calls of them do not give these.

    taken   the places of these arguments, by function
    """

    def __init__(self, defined: list[ast.FunctionDef]) -> None:
        self.taken: dict[str, list[int]] = {}
        for node in defined:
            names = [one.arg for one in node.args.args]
            if node.name.startswith("story") and {*CAPTURED} <= {*names} and not node.args.defaults:
                self.taken[node.name] = [names.index(name) for name in CAPTURED]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        if node.name in self.taken:
            node.args.args = [one for one in node.args.args if one.arg not in CAPTURED]
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        places = self.taken.get(node.func.id, []) if isinstance(node.func, ast.Name) else []
        node.args = [one for k, one in enumerate(node.args) if k not in places]
        return node


WRAPPER = """
def {name}(*given):
    captured = [given[k] for k in {places}]
    key = tuple(map(id, captured))
    if key not in BUILT:
        BUILT[key] = build(*captured)
    return BUILT[key]["{name}"](*(one for k, one in enumerate(given) if k not in {places}))
"""


def nested(text: str) -> str:
    """A program whose functions are made anew in each run, and have what they share in cells."""
    defined = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    inside = Nested(defined)
    made = "\n".join(ast.unparse(inside.visit(node)) for node in defined)
    build = f"BUILT = {{}}\n\n\ndef build({', '.join(CAPTURED)}):\n{indent(made, '    ')}\n    return locals()\n"
    wrappers = [WRAPPER.format(name=name, places=places) for name, places in inside.taken.items()]
    assert wrappers
    return "\n\n".join((text, build, *wrappers))


def without_addresses(found: Any) -> str:
    """What a run has left, in which functions that are made anew have names."""
    return re.sub(" at 0x[0-9a-f]+", "", repr(found))


PROGRAMS = ("bodies", "queues", "interrupts", "spawning", "transfers")


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_random_programs_within_a_function_leave_the_same_in_each_simulation(
    name: str, tmp_path: Path, reads: list[str]
) -> None:
    program, run = MODELS[name]
    again = rows = 0
    for seed in range(4):
        module, before, counts = load(nested(program(seed)), tmp_path, f"nested_{name}{seed}"), len(reads), []
        for k in range(3):
            module.BUILT.clear()
            expected = without_addresses(run(simulation(False), module, seed + k))
            module.BUILT.clear()
            sim = simulation("auto")
            assert without_addresses(run(sim, module, seed + k)) == expected, (seed, k)
            rows += taken(sim)
            counts.append(len(reads))
        again += counts[0] - before - (counts[2] - counts[1])
    assert again > 3
    assert rows > 100
