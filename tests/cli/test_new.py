"""`eventide new`: the first files of a project, which run as they are."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from eventide.cli.new_project import WORDS


@pytest.mark.slow
def test_the_files_of_a_new_project_run(command):
    outcome = command("new", "tank")
    assert (outcome.status, outcome.out) == (0, "")
    assert outcome.err.splitlines() == [
        "written: tank.py, test_tank.py, tank.ipynb",
        "try: eventide run tank.py --plot tank.png; pytest; jupyter lab tank.ipynb",
    ]
    ran = command("run", "tank.py:tank", "--entropy", "1", "--plot", "tank.png")
    assert (ran.status, Path("tank.png").is_file()) == (0, True)
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "3 passed" in tested.stdout
    cells = json.loads(Path("tank.ipynb").read_text(encoding="utf-8"))["cells"]
    program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    subprocess.run([sys.executable, "-c", program], check=True)


def test_files_that_are_there_stay(command):
    Path("test_tank.py").write_text("mine", encoding="utf-8")
    outcome = command("new", "tank")
    assert (outcome.status, outcome.err) == (
        2,
        "eventide: test_tank.py is there already: choose another name, or another folder\n",
    )
    assert sorted(path.name for path in Path().iterdir()) == ["test_tank.py"]


@pytest.mark.parametrize("name", ["1x", "class", "a-b", "Tank"])
def test_a_name_that_is_none_of_a_module_is_refused(command, name):
    outcome = command("new", name)
    assert (outcome.status, outcome.err) == (
        2,
        f"eventide: {name!r} cannot be the name of a model: take a word of small letters, digits and _, as `tank`\n",
    )


@pytest.mark.parametrize("name", ["eventide", "random", "pandas", "ev", "refill", "run", "first", "test_tank", "_x"])
def test_a_name_that_something_else_has_is_refused(command, name):
    outcome = command("new", name)
    assert (outcome.status, list(Path().iterdir())) == (2, [])
    assert outcome.err == (
        f"eventide: {name!r} cannot be the name of a model: {name}.py would stand in the way of what is called so "
        "already; take another word, as `tank`\n"
    )


def test_no_function_of_the_new_files_hides_their_model(command):
    for name in ("sim", "level", "tank", "low", "amount"):
        assert command("new", name).status == 0
    hidden = {
        node.id
        for path in Path().glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and path.name.startswith("test_")
    }
    assert hidden - set(WORDS) <= {"sim", "tank"}  # in a test that does not run the model
