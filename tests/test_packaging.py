"""What the project says of itself for those who package, cite and test it: told once, and elsewhere the same."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import floors
import pytest
import yaml

import eventide as ev

ROOT = Path(__file__).parents[1]
CONTENT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONTENT["project"]
ON_CONDA = {"matplotlib": "matplotlib-base"}  # without the parts that need a screen


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_version_is_that_of_the_installed_package() -> None:
    assert ev.__version__ == metadata.version("eventide-sim")
    assert "__version__" in dir(ev)
    assert "version" not in PROJECT
    assert "version" not in read("CITATION.cff")


@pytest.mark.parametrize(
    ("requirement", "told"),
    [("numpy", "has no floor"), ("numpy==2.2", "no requirement with a floor"), ("numpy>=2.2,<3", "with a floor")],
)
def test_a_library_without_a_floor_is_refused(tmp_path: Path, requirement: str, told: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f'[project]\nname = "x"\ndependencies = ["{requirement}"]\noptional-dependencies = {{}}\n')
    with pytest.raises(ValueError, match=told):
        floors.floors(file)


def test_each_library_has_one_floor() -> None:
    names = [requirement for extra in PROJECT["optional-dependencies"].values() for requirement in extra]
    theirs = [name for name in [*PROJECT["dependencies"], *names] if not name.startswith("eventide-sim[")]
    assert [re.sub(r"\[\w+\]", "", one) for one in theirs] == [
        f"{name}>={low}" for name, low in floors.floors().items()
    ]


def test_the_recipe_for_conda_forge_asks_for_what_the_project_asks_for() -> None:
    recipe = read("recipe/recipe.yaml")
    core = [re.split(r">=", one)[0] for one in PROJECT["dependencies"]]
    wanted = {ON_CONDA.get(name, name.lower()): low for name, low in floors.floors().items()}
    requirements = recipe["requirements"]
    assert requirements["run"] == ["python >=${{ python_min }}", *(f"{name} >={wanted.pop(name)}" for name in core)]
    assert requirements["run_constraints"] == sorted(f"{name} >={low}" for name, low in wanted.items())
    build = [one.replace(">=", " >=") for one in CONTENT["build-system"]["requires"]]
    assert requirements["host"] == ["python ${{ python_min }}.*", "pip", *build]


def test_the_recipe_for_conda_forge_says_what_the_project_says() -> None:
    recipe = read("recipe/recipe.yaml")
    assert recipe["schema_version"] == 1
    assert {"context", "package", "source", "build", "requirements", "tests", "about"} < set(recipe)
    assert recipe["context"]["name"] == PROJECT["name"]
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert [recipe["about"]["license_file"]] == PROJECT["license-files"]
    scripts = [f"{name} = {entry}" for name, entry in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts
    files = [name for test in recipe["tests"] for name in test.get("files", {}).get("source", [])]
    assert files == ["tests/slim_program.py"]
    assert (ROOT / files[0]).is_file()


def test_the_recipe_s_fallback_is_that_of_the_project() -> None:
    fallback = CONTENT["tool"]["hatch"]["version"]["fallback-version"]
    assert f'default="{fallback}"' in read("recipe/recipe.yaml")["context"]["version"]


def test_the_citation_says_what_the_project_says() -> None:
    citation = read("CITATION.cff")
    assert set(citation) >= {"cff-version", "message", "title", "authors"}  # what version 1.2.0 of the format demands
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]


def test_the_workflow_runs_the_verbs_on_every_python_that_is_promised() -> None:
    jobs = read(".github/workflows/ci.yml")["jobs"]
    marks = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one) for one in PROJECT["classifiers"]]
    promised = [mark[1] for mark in marks if mark]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"
    called = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert called == [".ci/run", "make test", "make slow", "make floors"]
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert {"test", "floors"} < set(targets)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100
