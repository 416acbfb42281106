"""The build that every change has to pass: `.ci/run`."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERBS = ["check", "test", "slow", "fuzz", "docs", "dist", "rows"]
TWICE = {"test", "slow"}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with the build alone, in which `make` writes down its verbs and fails at one."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "model.py").write_text("x = 1\n")
    subprocess.run(
        "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first",
        shell=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    make = tmp_path / "bin" / "make"
    make.parent.mkdir()
    make.write_text(
        '#!/bin/sh\necho "$1" >> verbs; echo "$*" >> calls; echo "$PYTEST_ADDOPTS" >> inherited\n'
        'case "$*" in *ARGS=--last-failed*) again=1;; esac\n'
        '[ "$1" != "$BROKEN" ] && [ "$1$again" != "$ONCE" ] || '
        '{ echo "$1 has failed" >&2; exit 3; }\n'
    )
    make.chmod(0o755)
    monkeypatch.setenv("PATH", str(make.parent), prepend=":")

    def build(broken="", once=""):
        monkeypatch.setenv("BROKEN", broken)
        monkeypatch.setenv("ONCE", once)
        found = subprocess.run(["bash", ".ci/run"], cwd=tmp_path, capture_output=True, text=True, check=False)
        verbs = tmp_path / "verbs"
        return found.returncode, verbs.read_text().split() if verbs.exists() else [], found.stderr

    return tmp_path, build


@pytest.mark.row("R-313")
def test_the_build_runs_all_verbs_and_gates_the_rows(checkout):
    assert checkout[1]() == (0, VERBS, "")
    calls = (checkout[0] / "calls").read_text().splitlines()
    assert [call for call in calls if "=" in call] == [call for call in calls if call.startswith("slow ")]
    assert "SHARE=--share=2/4 " in calls[VERBS.index("slow")]  # after one commit


def test_the_tests_that_start_pytest_themselves_inherit_no_options_of_the_build(checkout, monkeypatch):
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    checkout[1]()
    assert (checkout[0] / "inherited").read_text().split() == []


@pytest.mark.row("R-313")
@pytest.mark.parametrize("broken", VERBS)
def test_the_build_stops_at_the_first_failure_and_says_what_failed(checkout, broken):
    status, verbs, told = checkout[1](broken)

    assert status != 0
    assert verbs == VERBS[: VERBS.index(broken) + 1] + [broken] * (broken in TWICE)
    assert f"{broken} has failed" in told


@pytest.mark.parametrize("once", sorted(TWICE))
def test_what_fails_on_a_busy_machine_alone_is_run_again_and_stands_in_the_log(checkout, once):
    status, verbs, told = checkout[1](once=once)

    index = VERBS.index(once)
    assert (status, verbs) == (0, [*VERBS[:index], once, *VERBS[index:]])
    assert told == f"{once} has failed\n"


@pytest.mark.row("R-313")
def test_the_build_begins_from_a_clean_checkout(checkout):
    folder, build = checkout
    (folder / "model.py").write_text("x = 2\n")

    status, verbs, told = build()
    assert (status, verbs) == (1, [])
    assert "not a clean checkout" in told
    assert "model.py" in told


@pytest.mark.row("R-313")
def test_every_verb_of_the_build_is_one_of_the_makefile():
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert set(VERBS) <= set(targets)
