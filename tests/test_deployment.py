"""The recipes of `deploy/`: what they call is there, and their parts make the whole study."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import eventide as ev
from eventide.cli import main
from eventide.experiment import imported

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
MODEL = """
import eventide as ev

@ev.model(until=1.0)
def coin(sim):
    return {"side": sim.stream("coin").uniform(0.0, 1.0)}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a model, in which `eventide` writes down what it is called with."""
    (tmp_path / "model.py").write_text(MODEL)
    stub = tmp_path / "bin" / "eventide"
    stub.parent.mkdir()
    stub.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >> calls\n')
    stub.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(stub.parent), prepend=":")
    return tmp_path


def check_parts(folder, parts):
    """The calls that were written down make each run of the study once."""
    calls = [shlex.split(line) for line in (folder / "calls").read_text().splitlines()]
    assert len(calls) == parts
    for number, call in enumerate(calls, start=1):
        assert call[call.index("--shard") + 1] == f"{number}/{parts}"
        assert main(call) == 0
    made = [path.stat().st_mtime_ns for path in sorted((folder / "results").rglob("*.parquet"))]
    with imported(folder / "model.py") as module:
        study = ev.Study(module.coin, replications=30, entropy=1)
        done = study.run(store=folder / "results", workers=1)
        assert sorted(result.number for result in done) == list(range(30))
    assert [path.stat().st_mtime_ns for path in sorted((folder / "results").rglob("*.parquet"))] == made  # none again


@pytest.mark.slow
@pytest.mark.row("R-315")
def test_the_parts_of_a_job_for_kubernetes_make_the_whole_study(folder):
    job = yaml.safe_load((DEPLOY / "job.yaml").read_text())
    container = job["spec"]["template"]["spec"]["containers"][0]
    parts = job["spec"]["completions"]

    assert (job["kind"], job["spec"]["completionMode"]) == ("Job", "Indexed")
    assert {one["name"] for one in container["volumeMounts"]} == {
        one["name"] for one in job["spec"]["template"]["spec"]["volumes"]
    }
    for index in range(parts):
        subprocess.run(
            [*container["command"], *container["args"]], env={**env(), "JOB_COMPLETION_INDEX": str(index)}, check=True
        )
    check_parts(folder, parts)


@pytest.mark.slow
@pytest.mark.row("R-315")
def test_the_parts_of_an_array_for_slurm_make_the_whole_study(folder):
    script = DEPLOY / "array.slurm"
    first, last = map(int, re.search(r"--array=(\d+)-(\d+)", script.read_text()).groups())

    for index in range(first, last + 1):
        variables = {"SLURM_ARRAY_TASK_ID": str(index), "SLURM_ARRAY_TASK_COUNT": str(last - first + 1)}
        subprocess.run(["bash", str(script)], env={**env(), **variables}, check=True)
    check_parts(folder, last - first + 1)


def env():
    return dict(os.environ)


@pytest.mark.row("R-315")
def test_what_the_recipe_of_a_container_copies_installs_and_starts_is_there():
    lines = [line.split(maxsplit=1) for line in (DEPLOY / "Containerfile").read_text().splitlines()
             if line and not line.startswith("#")]  # fmt: skip
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    copied = [name for word, rest in lines if word == "COPY" for name in rest.split()[:-1]]

    assert lines[0][0] == "FROM"
    assert all((ROOT / name).exists() for name in copied)
    assert {project["readme"], *project["license-files"], "pyproject.toml", "src"} <= set(copied)
    (install,) = [rest for word, rest in lines if word == "RUN"]
    extras = re.search(r"\[([\w,]+)\]", install).group(1).split(",")
    assert set(extras) <= set(project["optional-dependencies"])
    python = re.search(r"python:3\.(\d+)", dict(lines)["FROM"])
    assert int(python.group(1)) >= int(project["requires-python"].rpartition(".")[2])
    assert dict(lines)["ENTRYPOINT"] == '["eventide"]'
    assert "eventide" in project["scripts"]
