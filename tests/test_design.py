"""DESIGN.md names a test beside every line of the step; those tests are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_test_that_the_design_names_is_there() -> None:
    named = sorted(set(re.findall(r"\btest_\w+", (ROOT / "DESIGN.md").read_text())))
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    known = {path.stem for path in files}
    known |= {name for path in files for name in re.findall(r"def (test_\w+)", path.read_text())}
    assert len(named) > 20
    assert [name for name in named if name not in known] == []
