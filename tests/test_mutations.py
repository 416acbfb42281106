"""The breaks of tests/mutations.toml are where they should be, and tests notice them."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from pathlib import Path

import pytest
from mutate import ROOT, Mutation, check, homes, load_mutations, main, part_of, verdict

QUICK = (
    "tests/statistics/test_level.py::test_reset_keeps_the_value",
    "tests/discrete/test_scheduling.py::test_prior_comes_before_all_that_stand_there",
)


@pytest.mark.slow
def test_every_break_is_of_a_line_that_is_there_and_names_a_test_that_is_there() -> None:
    wrong, mutations = [], load_mutations()
    for mutation in mutations:
        text = (ROOT / mutation.file).read_text()
        path, _, function = mutation.test.partition("::")
        known = re.findall(r"def (test_\w+)", (ROOT / path).read_text())
        try:
            is_break = mutation.applied(text) != text
        except ValueError:
            is_break = False
        if not is_break:
            wrong.append(f"{mutation.file}: {mutation.function}: {mutation.line}")
        if function and function.partition("[")[0] not in known:
            wrong.append(mutation.test)
    assert wrong == []
    assert len(mutations) >= 30
    rooms = {Path(mutation.file).parts[2].removesuffix(".py") for mutation in mutations}
    present = {path.stem for path in (ROOT / "src" / "eventide").iterdir() if not path.name.startswith(("_", "py."))}
    assert sorted(present - rooms) == []


@pytest.mark.slow
def test_the_quick_breaks_are_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = [m for m in load_mutations() if m.test.startswith(QUICK)]
    assert len(chosen) >= 2
    assert check(chosen)
    assert capsys.readouterr().out.count("noticed: src/") == len(chosen)


@pytest.mark.slow
def test_a_break_that_changes_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    harmless = Mutation(
        "src/eventide/statistics/level.py",
        "        self._start = self._changed = self._clock.time",
        "        self._changed = self._start = self._clock.time",
        "tests/statistics/test_level.py::test_reset_keeps_the_value",
    )
    assert not check([harmless])
    assert capsys.readouterr().out.startswith("NOT NOTICED: src/eventide/statistics/level.py")


def test_what_runs_for_too_long_is_noticed_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mutate.TIME", 0.0)
    path = tmp_path / "file"
    path.write_text("x")
    assert verdict(tmp_path, Mutation("file", "x", "y", "test")) == "noticed, by running for longer than 0 s"
    assert path.read_text() == "x"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (0, "NOT NOTICED"),
        (1, "noticed"),
        (4, "COULD NOT BE RUN (pytest answers 4)"),
        (-11, "noticed, by a crash (signal 11)"),
    ],
)
def test_how_tests_have_ended_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, told: str) -> None:
    monkeypatch.setattr("mutate.run_tests", lambda tree, tests: status)
    (tmp_path / "file").write_text("x")
    assert verdict(tmp_path, Mutation("file", "x", "y", "test")) == told


def test_a_line_that_is_not_there_once_is_refused() -> None:
    with pytest.raises(ValueError, match="'x' stands there 2 times"):
        Mutation("file", "x", "y", "test").applied("xx")


def test_a_line_is_found_in_its_function_only() -> None:
    text = "class A:\n    def f(self):\n        x = 1\n\n    def g(self):\n        x = 1\n"
    broken = Mutation("file", "x = 1", "pass", "test", "A.g").applied(text)
    assert broken == "class A:\n    def f(self):\n        x = 1\n\n    def g(self):\n        pass\n"
    with pytest.raises(ValueError, match=r"file, A\.h: 'x = 1' stands there 0 times"):
        Mutation("file", "x = 1", "pass", "test", "A.h").applied(text)


def test_a_function_of_several_files_needs_the_file_and_one_that_is_gone_is_named(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    common = next(name for name, files in homes().items() if len(files) > 1)
    for function, told in ((common, r" stands in src/.*, src/.*: give the"), ("no_such", "no_such stands in no file")):
        table.write_text(f'[[mutation]]\nfunction = "{function}"\nline = "a"\nbecomes = "b"\ntest = "t"\n')
        with pytest.raises(ValueError, match=told):
            load_mutations(table)


def test_parts() -> None:
    assert part_of("2/4") == (2, 4)
    for text in ("0/4", "5/4", "2", "a/b"):
        with pytest.raises(ArgumentTypeError, match="a part is written as 2/4"):
            part_of(text)


def test_a_text_that_no_break_has_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "no such test"])
    assert "no break is of a file or test with 'no such test' in its name" in capsys.readouterr().err
