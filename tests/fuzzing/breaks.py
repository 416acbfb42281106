"""Breaks of the library that seeds must find: each is made in a copy of the tree, and its seeds are run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("breaks.toml")
TIME = 600.0
"""Seconds that the seeds of a break are given; one that makes them run for longer is found."""


@dataclass(frozen=True)
class Break:
    """A piece of a file that stands there once, what it becomes, and seeds that then find something.

    features    what the programs of the seeds are made of; without it, what seeds say
    mode        as in `plan`: "plain" finds what is in the stepper without compiling the broken one, "brief" what is in
                handlers and laws that are native code
    """

    name: str
    file: str
    line: str
    becomes: str
    seeds: str
    features: str = ""
    mode: str = "some"

    def applied(self, text: str) -> str:
        """The text of the file with the break."""
        if text.count(self.line) != 1:
            raise ValueError(f"{self.file}: {self.line!r} stands there {text.count(self.line)} times, and not once")
        return text.replace(self.line, self.becomes)


def load_breaks(table: Path = TABLE) -> list[Break]:
    """The breaks of the table, in its order."""
    return [Break(**entry) for entry in tomllib.loads(table.read_text(encoding="utf-8")).get("break", [])]


def run_seeds(tree: Path, broken: Break) -> int:
    """The exit status of the fuzzer on the seeds of a break: 1 if it finds something."""
    command = [
        sys.executable, str(tree / "tools" / "fuzz.py"), "--seeds", broken.seeds, "--jobs", "1", "--shrink", "0",
        "--mode", broken.mode,
        "--out", str(tree / "findings"), *(["--exactly", broken.features] if broken.features else []),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(command, env=environment, capture_output=True, timeout=TIME, check=False).returncode
    except subprocess.TimeoutExpired:
        return 1


def check_breaks(word: str = "", table: Path = TABLE) -> bool:
    """Make the breaks with a word in their names one by one, tell of each; whether all were found, by them alone."""
    with tempfile.TemporaryDirectory(prefix="breaks-") as folder:
        tree = Path(folder)
        for name in ("src", "tests/fuzzing", "tests/bodies", "tools"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        found = 0
        breaks = [broken for broken in load_breaks(table) if word in broken.name]
        for broken in breaks:
            path = tree / broken.file
            text = path.read_text(encoding="utf-8")
            start = time.monotonic()
            clean = run_seeds(tree, broken)
            path.write_text(broken.applied(text), encoding="utf-8")
            status = run_seeds(tree, broken)
            path.write_text(text, encoding="utf-8")
            verdict = "found" if (clean, status) == (0, 1) else f"NOT FOUND (status {status}; {clean} without it)"
            found += verdict == "found"
            print(f"{verdict}: {broken.name}, by seeds {broken.seeds}, in {time.monotonic() - start:.0f} s", flush=True)
        print(f"{found} of {len(breaks)} breaks found")
        return found == len(breaks) > 0
