"""Every block of code in README, CONTRIBUTING and the site is run somewhere, or it stands here why it is not."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from eventide.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]
PAGES += [page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts]

RALSTON = 'RALSTON: Final = fixed("Ralston", 2, rows("", "2/3"), row("1/4 3/4"), "Ralston, Math. Comp. 16 (1962)")'
NOT_RUN = {
    ("CONTRIBUTING.md", "class HoldUntil:"): "a command that is not there, as an example of one",
    ("CONTRIBUTING.md", RALSTON): "a method that is not there, as an example of one",
    ("CONTRIBUTING.md", "@lowers(np.cumsum)"): "the head of a rule that somebody is about to write",
    (
        "docs/how-to/document-a-model.md",
        '"""A tank that a float valve keeps full.',
    ): "text; test_model_pages.py reads it",
    (
        "docs/how-to/document-a-model.md",
        "import ast",
    ): "a test for the reader's folder; test_model_pages.py has its like",
    ("docs/guides/from-the-manual.md", "PROCESS class OPERATOR;"): "SIMULA beside Python, which the next block runs",
}
DIRECTIVES = ["{toctree}", "{include}"]
DRAWN_ELSEWHERE = ["examples/gallery.py", "examples/animations.py"]  # by tests/examples/test_galleries.py


class Block(NamedTuple):
    page: str
    language: str
    text: str

    @property
    def place(self) -> tuple[str, str]:
        """The page, and how the block begins."""
        return self.page, self.text.splitlines()[0].partition("  ")[0]

    @property
    def commands(self) -> list[list[str]]:
        """The words of each line of a shell, without its remark."""
        return [] if self.language else [shlex.split(line, comments=True) for line in self.text.splitlines()]


def blocks() -> list[Block]:
    fence = re.compile(r"^(`{3,}|~{3,})([^\n]*)\n(.*?)^\1$", flags=re.MULTILINE | re.DOTALL)
    return [
        Block(page.relative_to(ROOT).as_posix(), language.strip(), text)
        for page in PAGES
        for _, language, text in fence.findall(page.read_text(encoding="utf-8"))
    ]


CODE = [one for one in blocks() if one.language.partition(" ")[0] not in DIRECTIVES and one.place not in NOT_RUN]
COMMANDS = [(one.page, words) for one in CODE for words in one.commands]
OURS = [(page, words[1:]) for page, words in COMMANDS if words[0].rpartition("/")[2] == "eventide"]


def is_run(block: Block) -> bool:
    if block.language == "{code-cell}":  # by `make docs`, where the page is a notebook
        is_notebook = (ROOT / block.page).read_text(encoding="utf-8").startswith("---\nfile_format: mystnb\n")
        return is_notebook and "skip-execution" not in block.text
    if block.language == "python":  # by test_readme.py
        return block.page == "README.md"
    return bool(block.commands)  # by the tests below


def test_every_block_is_run() -> None:
    assert len(CODE) > 90
    assert [block for block in CODE if not is_run(block)] == []


def test_every_reason_is_that_of_a_block() -> None:
    assert sorted(NOT_RUN) == sorted(one.place for one in blocks() if one.place in NOT_RUN)


def test_every_verb_that_is_called_is_there() -> None:
    verbs = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    others = [words for _, words in COMMANDS if words[0].rpartition("/")[2] != "eventide"]
    called = [words[1] for words in others if words[0] == "make"]
    drawn = [words[1] for words in others if words[0] == ".venv/bin/python"]
    assert [verb for verb in called if verb not in verbs] == []
    assert drawn == DRAWN_ELSEWHERE
    assert len(called) + len(drawn) == len(others)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "words"), OURS, ids=[" ".join(words) for _, words in OURS])
def test_our_commands_run(
    page: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder with the examples, or with the model that the page shows."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    model = next((one.text for one in CODE if one.page == page and "@ev.model" in one.text), "")
    (tmp_path / "shop.py").write_text(model, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if "tank.py" in words:  # the line before has made it
        assert main(["new", "tank"]) == 0
    assert main(words) == 0
    told = capsys.readouterr()
    assert told.out or told.err
