"""The programs in the README run as they stand there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.slow
def test_the_programs_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other, in one file, as a reader would try them."""
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(programs) >= 7
    file = tmp_path / "reader.py"
    file.write_text("\n\n".join(programs), encoding="utf-8")
    runpy.run_path(str(file))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ball.csv", "ball.json", "long.csv", "reader.py"]
    printed = capsys.readouterr().out
    assert "conditions proved over whole steps" in printed
    assert "16.5893 short of it" in printed


def test_what_the_readme_refers_to_is_there() -> None:
    text = README.read_text(encoding="utf-8")
    files = re.findall(r"\b(?:examples|benchmarks)/[\w.]*", text) + re.findall(r"`(\w+\.md)`", text)
    assert len(files) > 5
    assert [name for name in files if not (README.parent / name).exists()] == []
