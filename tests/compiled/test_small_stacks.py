"""A kernel keeps large vectors in memory that it allocates: threads may have a small stack."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import threading
import eventide as ev

class Rod(ev.Continuous):
    x: ev.StateVector = ev.state_vector(0.5, size=16000)
    def equations(self):
        a = self.x * 2.0
        b = a + self.x
        a[0] = 1.0
        b[0] = 1.0
        self.rate.x[:] = -b * a * 1e-3

found = []
def work():
    sim = ev.Simulation(rng=1, compile=True)
    rod = Rod(sim).start()
    sim.run(until=0.1)
    found.append((rod.x[0], rod.x[1]))

work()
threading.stack_size(256 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(len(found), found[0] == found[1], *found[0])
"""


@pytest.mark.slow
def test_vectors_that_a_law_keeps_have_room_in_a_thread_with_a_small_stack(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    count, is_same, first, second = done.stdout.split() or ["", done.stderr, "", ""]
    assert (count, is_same) == ("2", "True")
    assert float(first) == pytest.approx(0.4999, rel=1e-9)
    # x' = -6e-3 x^2 from 0.5 on
    assert float(second) == pytest.approx(0.5 / (1.0 + 0.5 * 6e-3 * 0.1), rel=1e-6)
