"""The first start on an installation compiles the stepper and says so; later ones find it on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import eventide as ev

class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)
    def equations(self):
        self.rate.x = -self.x

for _ in range(2):
    sim = ev.Simulation()
    decay = Decay(sim).start()
    sim.run(until=1.0)
print(round(decay.x, 6))
"""


def start(folder: Path, cache: Path) -> tuple[str, list[str]]:
    """What a program writes to its output and, line by line, to its error output."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "EVENTIDE_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-W", "error", program], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr.splitlines()


def compiled_in(cache: Path) -> dict[str, int]:
    """The files of machine code in the cache, and when each was written."""
    return {str(path): path.stat().st_mtime_ns for path in cache.rglob("*.o")}


@pytest.mark.slow
def test_the_first_start_says_once_that_it_compiles_and_the_second_is_silent(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    out, told = start(tmp_path, cache)
    assert out == "0.367879\n"
    assert [line.partition(",")[0] for line in told] == ["eventide: compiling its stepper"]
    made = compiled_in(cache)
    assert len(made) == 4  # the stepper, its method, the law, the step of its flow
    assert start(tmp_path, cache) == ("0.367879\n", [])
    assert compiled_in(cache) == made
