"""What a discrete model loads: the standard library, numpy and the rooms it uses, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
before = set(sys.modules)
import eventide as ev

def customer(sim, counter):
    with counter.request() as place:
        yield place
        yield ev.hold(sim.stream("service").exponential(0.8))

def arrivals(sim, counter):
    for _ in range(50):
        sim.process(customer(sim, counter))
        yield sim.stream("gaps").exponential(1.0)

sim = ev.Simulation(rng=1)
counter = ev.Resource(sim)
sim.process(arrivals(sim, counter))
sim.run()
assert counter.waits.count == 50
loaded = {name for name in set(sys.modules) - before}
print(*sorted({name.split(".")[0] for name in loaded if not name.startswith("eventide")} - sys.stdlib_module_names))
ours = {name.removeprefix("eventide.") for name in loaded if name.startswith("eventide.")}
print(*sorted({name if name.startswith(("rows", "native")) else name.split(".")[0] for name in ours}))
"""


@pytest.mark.slow
def test_a_discrete_model_loads_the_rooms_it_uses() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    others, rooms = done.stdout.splitlines()
    # numpy's random generators are written in Cython and register their run-time parts under names of their own.
    assert [name for name in others.split() if "cython" not in name] == ["numpy"]
    used = ["declare", "discrete", "errors", "reading", "simulation", "statistics", "streams", "stubs"]
    # Of the native processes only what counts the events, by which it is seen whether to load the others; of native
    # code only the lock of what threads share.
    assert rooms.split() == sorted([*used, "rows", "rows.loading", "native", "native.locking"])


STANDARD = {"__future__", "array", "ast", "copy", "dataclasses", "decimal", "dis", "fractions", "heapq", "inspect"}
STANDARD |= {"importlib", "keyword", "linecache", "opcode", "re", "statistics", "token", "tokenize", "weakref"}
STANDARD |= {"hashlib"}  # numpy loads it too before CPython 3.14


@pytest.mark.slow
def test_a_discrete_model_loads_little_of_the_standard_library_beyond_what_numpy_loads() -> None:
    program = PROGRAM.replace("import sys\n", "import sys\nimport numpy.random\n", 1)
    program += "print(*sorted({name.split('.')[0] for name in loaded} & sys.stdlib_module_names))\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    _, _, modules = done.stdout.splitlines()
    assert {name for name in modules.split() if name == "__future__" or not name.startswith("_")} <= STANDARD
    assert "heapq" in modules.split()


ENDING = """
import eventide as ev

def waits():
    while True:
        try:
            yield ev.hold(1.0)
        except ev.Interrupt:
            pass

sim = ev.Simulation()
sim.process(waits())
sim.run(until=5.5)
"""


@pytest.mark.slow
def test_processes_that_wait_as_python_ends_leave_no_traceback(tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text(ENDING)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
