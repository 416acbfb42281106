"""The pages on testing and documenting models: their programs run, and what they promise is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import eventide as ev
from eventide.verify import Component

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs"
STEPS = ["unit", "requirement", "one test for each requirement", "inputs and outputs", "code", "run", "analyse",
         "refine", "coverage"]  # fmt: skip
PRINCIPLES = ("Correctness", "Relevance", "Economy", "Clarity", "Comparability", "Structure")


def run_cells(page, capsys):
    """What the programs of a page print, and the names that they leave."""
    names = {"__name__": "__page__"}
    text = (PAGES / page).read_text(encoding="utf-8")
    for cell in re.findall(r"```\{code-cell\}\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(cell, page, "exec"), names)  # noqa: S102  # the page's own program
    return capsys.readouterr().out, names


@pytest.mark.slow
@pytest.mark.row("R-317")
def test_the_way_from_a_unit_to_its_tests_has_nine_steps_and_its_program_runs(capsys):
    text = (PAGES / "how-to/test-a-model.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\d)\. (.*)$", text, flags=re.MULTILINE)
    told, names = run_cells("how-to/test-a-model.md", capsys)

    assert [int(number) for number, _ in headings] == list(range(1, 10))
    assert [step for step, (_, heading) in zip(STEPS, headings, strict=True) if step not in heading.lower()] == []
    assert names["report"].is_releasable
    assert "supply is releasable: 2 tests passed." in told
    assert "unit drain has no test" in told
    assert "requirement T-3 has no test" in told


@pytest.mark.row("R-314")
def test_the_v_model_and_the_cycle_of_development_and_operation_are_documented(capsys):
    text = (PAGES / "background/v-model.md").read_text(encoding="utf-8")
    told, names = run_cells("background/v-model.md", capsys)

    assert "law: unit\nmethod: unit\nsolver: integration\nroad: unit\ncar: system\n" in told
    assert '    Wheel o-- "1" Tyre : tyre\n' in told
    assert names["found"].margin < 0.0
    assert isinstance(names["car"], Component)
    rows = [line.strip("| ").split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]
    phases = ["plan", "code", "build", "test", "release", "deploy", "operate", "monitor"]
    assert [phase for phase in phases if phase not in rows] == []
    assert [
        level for level in ("tests of units", "tests of integrations", "test of the system") if level not in text
    ] == []


MODELS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "examples").rglob("*.py")
    if "@ev.model" in path.read_text(encoding="utf-8")
)


@pytest.mark.row("R-316")
@pytest.mark.parametrize("model", MODELS)
def test_each_example_is_documented_along_the_six_principles(model):
    told = ast.get_docstring(ast.parse((ROOT / model).read_text(encoding="utf-8")))
    lines = {name: line.strip() for name, line in re.findall(r"^(\w+): +(.*)$", told, flags=re.MULTILINE)}

    assert [name for name in PRINCIPLES if not lines.get(name)] == []
    assert [name for name in PRINCIPLES if len(lines[name].split()) < 4] == []


@pytest.mark.row("R-316")
def test_the_template_has_the_six_principles():
    page = (PAGES / "how-to/document-a-model.md").read_text(encoding="utf-8")
    template = re.search(r'```python\n"""(.*?)"""', page, flags=re.DOTALL).group(1)

    assert re.findall(r"^(\w+):", template, flags=re.MULTILINE) == list(PRINCIPLES)
    assert re.findall(r"^\| (\w+) \|", page, flags=re.MULTILINE)[1:] == list(PRINCIPLES)
    assert len(MODELS) >= 12
    assert ev.__version__
