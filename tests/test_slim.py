"""A run needs numpy, scipy, llvmlite and cloudpickle alone; what else is missing is named with its extra."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "pyproject.toml"

ROOM = Path(__file__).parent

HIDE = """
import runpy, sys

MISSING = {"pandas", "matplotlib", "PIL", "rich", "typer", "IPython", "pyarrow", "polars", "xarray", "sqlalchemy"}


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Finder())
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.mark.slow
def test_a_run_needs_four_libraries_and_the_rest_is_named_with_its_extra() -> None:
    program = [sys.executable, "-c", HIDE, ROOM / "slim_program.py"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"eventide {version('eventide-sim')}\n"


def test_the_extra_all_has_every_other_extra() -> None:
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert everything == f"eventide-sim[{','.join(sorted(extras.keys() - {'all'}))}]"
