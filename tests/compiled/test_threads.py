"""Simulations that know nothing of each other, in threads and in processes, with machine code to make or on disk."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MODEL = """
import os, signal, sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from threading import Barrier, Event, Thread

import eventide as ev
from eventide.native.store import Store
from eventide.methods import ADAMS_SIMPSON, DORMAND_PRINCE, ENGLAND, HEUN

def draught(t):
    return opened(t) if t > 20.5 else 0.05 * abs(t - 20.0)

def opened(t):
    return 0.3 if t < 20.75 else 0.2

class Room(ev.Continuous):
    t: ev.State = ev.state(19.0)
    heat: float = 1.0
    bells: int = 0

    def equations(self):
        self.rate.t = self.heat * 2.0 - 0.1 * (self.t - 5.0) - draught(self.t)

    @ev.when(lambda self: self.t > 20.0)
    def warm(self):
        self.bells += 1

class Hall(Room):
    count: int
    walls: ev.StateVector = ev.state_vector(size="count")

    def equations(self):
        super().equations()
        self.rate.walls = -0.1 * self.walls
        self.rate.t += 0.01 if self.walls[0] < 0.0 else 0.02

def thermostat(room):
    while True:
        yield ev.until(lambda: room.t > 21.0)
        room.heat = 0.0
        yield ev.until(lambda: room.t < 19.0)
        room.heat = 1.0

METHODS = ENGLAND, DORMAND_PRINCE, ADAMS_SIMPSON, HEUN

def work(k):
    found = []
    for _ in range(2):
        sim = ev.Simulation()
        sim.method, sim.dt_max = METHODS[k % 4], 0.125
        rooms = [Room(sim, t=19.0 + 0.01 * i).start() for i in range(3)]
        rooms += [Hall(sim, count=3 - k % 2, t=19.0 + 0.01 * i).start() for i in range(2)]
        for room in rooms:
            sim.process(thermostat(room))
        sim.run(until=20.0)
        assert "native code" in str(sim.explain())
        found.append((sim.events, [(room.t, room.bells) for room in rooms]))
    return found

def together(k):
    begin.wait()
    return work(k)

def half_made():
    inside.set()
    forked.wait(0.2)  # who waits for this thread before it forks forks after that
    return "define i64 @kernel() { ret i64 1 }"

if __name__ == "__main__":
    way = sys.argv[1]
    if way == "threads":
        begin = Barrier(8)
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(together, range(8)))
    elif way == "fork amid threads":
        inside, forked, store = Event(), Event(), Store(None)
        maker = Thread(target=store.load, args=(half_made,), kwargs={"key": "half made"})
        maker.start()
        inside.wait()
        child = os.fork()
        if not child:
            signal.alarm(300)
            os._exit(work(0)[0][0])
        forked.set()
        maker.join()
        code = os.waitpid(child, 0)[1]
        found = list(map(work, range(8)))
        assert code == 256 * found[0][0][0] > 0, code
    else:
        if way == "fork":
            work(0)
        with ProcessPoolExecutor(2, mp_context=get_context(way)) as pool:
            found = list(pool.map(work, range(8)))
    assert found == list(map(work, range(8)))
    print("the same", len(found))
"""


@pytest.mark.slow
def test_what_begins_in_threads_or_processes_is_what_begins_alone(tmp_path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    ways = ["spawn", "fork", "fork amid threads"] if hasattr(os, "fork") else ["spawn"]

    def run(way: str) -> tuple[int, str]:
        environment = {**os.environ, "EVENTIDE_CACHE_DIR": str(tmp_path / "kernels")}
        command = [sys.executable, "model.py", way]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr[-300:] * (done.returncode != 0)

    found = [run("threads")]  # all is to be made
    found += [run("threads")]  # nothing is
    for path in (tmp_path / "kernels").iterdir():
        if path.stat().st_size < 100_000:  # all but the stepper is
            path.unlink()
    found += map(run, ways)
    assert found == [(0, "the same 8\n")] * (2 + len(ways))
