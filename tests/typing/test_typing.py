"""Small programs with the findings of mypy --strict that they expect, written at the lines where they belong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"


def expected(path: Path) -> list[str]:
    return [
        f"{path.name}:{number}: error: {finding.strip()}"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for finding in line.split("# E: ")[1:]
    ]


def reported(output: str) -> list[str]:
    lines = (re.sub(r"^.*/", "", line) for line in output.splitlines() if ": error: " in line)
    return [re.sub(r"\s+", " ", line) for line in lines]


@pytest.fixture(scope="module")
def findings() -> list[str]:
    from mypy import api

    output, _, _ = api.run(["--strict", "--config-file=", "--no-error-summary", str(PROGRAMS)])
    return reported(output)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_the_checker_finds_what_is_wrong_and_nothing_else(path: Path, findings: list[str]) -> None:
    here = [line for line in findings if line.startswith(path.name)]
    assert here == [re.sub(r"\s+", " ", line) for line in expected(path)]


def test_there_are_programs_with_and_without_mistakes() -> None:
    counts = {path.stem: len(expected(path)) for path in PROGRAMS.glob("*.py")}
    assert counts["right"] == 0
    assert counts["misspelt"] == 15
