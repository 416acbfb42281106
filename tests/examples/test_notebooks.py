"""The notebooks of the site run from their first cell to the last, in a kernel, and show what they are to show."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

BOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
COMPILES = "eventide: compiling"
"""A first start says that on standard error."""
SHOWN = {  # figures, tables and pages
    "calibration": {"image/png": 2, "text/html": 1},
    "combined_model": {"image/png": 1, "text/html": 1},
    "debugging": {"image/png": 2},
    "experiment": {"image/png": 2, "text/html": 3},
    "first_model": {"image/png": 2, "text/html": 2},
    "requirements": {"image/png": 1, "text/html": 1},
}
SAID = {
    "calibration": "after two days: ",
    "combined_model": "trays in four hours; the oven was in use for ",
    "debugging": "IdleWarning: the run has ended at time 10.0: tank was never started",
    "experiment": "between -15.9853 and -10.0984: the first is smaller",
    "first_model": "simulated 58.416808 degC, by the formula 58.416815 degC",
    "requirements": "I-2: margin -0.577 degC at 9.3 min, for room=25.0",
}


def test_each_notebook_is_expected_here() -> None:
    assert sorted(path.stem for path in BOOKS.glob("*.ipynb")) == sorted(SHOWN) == sorted(SAID)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_notebook_runs_and_shows_its_story(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="no notebook: install the extra dev")
    nbformat = pytest.importorskip("nbformat", reason="no notebook: install the extra dev")
    pytest.importorskip("ipykernel", reason="no notebook: install the extra dev")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel's own shows figures below their cells
    book = nbformat.read(BOOKS / f"{name}.ipynb", as_version=4)
    assert all(cell.get("execution_count") is None and not cell.get("outputs") for cell in book.cells)

    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()

    outputs: list[Any] = [output for cell in book.cells for output in cell.get("outputs", [])]
    shown = Counter(kind for o in outputs for kind in o.get("data", {}) if kind == "image/png")
    results = [output for output in outputs if output.output_type == "execute_result"]  # a bar of progress is none
    shown.update(kind for output in results for kind in output.data if kind == "text/html")
    said = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")
    complained = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stderr")
    assert dict(shown) == SHOWN[name]
    assert SAID[name] in said
    assert [line for line in complained.splitlines() if COMPILES not in line] == []
