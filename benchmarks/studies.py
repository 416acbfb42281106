"""What studies cost beyond their runs: `python benchmarks/studies.py [--memory] [--rounds N]`, some minutes.

Prints, each as the least of several rounds, with the bound that it is to keep:
the time of two workers over that of two processes that make a half each, by themselves;
the processor time that a run of a study costs beyond the run, on processes and on dask;
the processor time of an empty run of a small model, warm;
with --memory the memory of this process after 10,000 and after 100,000 runs into a store.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

from soaking_pit import soaking_pit

import eventide as ev

RUNS = 200
EMPTY = 4_000
MANY = 100_000

HALF = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1] / "examples")!r})
import eventide as ev
from soaking_pit import soaking_pit
ev.Study(soaking_pit(hours=100.0), replications={RUNS}, entropy=1).run(workers=1, shard=(int(sys.argv[1]), 2))
"""


@ev.model
def small(sim: ev.Simulation, *, size: float = 1.0) -> ev.ProcessGenerator[dict[str, float]]:
    """Hold once: nearly nothing."""
    yield ev.hold(size)
    return {"size": size}


def used() -> float:
    """The processor time of this process and of those that it has waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def cost(make: Callable[[int], object], rounds: int) -> float:
    """Processor seconds a run: of many runs less those of few, so that what is started is not counted."""
    make(EMPTY // 4)  # what is loaded and compiled is not counted either
    few, many = (min(_used_by(make, count) for _ in range(rounds)) for count in (EMPTY // 4, EMPTY))
    return (many - few) / (EMPTY - EMPTY // 4)


def _used_by(make: Callable[[int], object], count: int) -> float:
    begun = used()
    make(count)
    return used() - begun


def halves() -> float:
    """Seconds of two processes that make a half each."""
    begun = perf_counter()
    both = [subprocess.Popen([sys.executable, "-c", HALF, str(part)]) for part in (1, 2)]
    assert [one.wait() for one in both] == [0, 0]
    return perf_counter() - begun


def two_workers() -> float:
    """Seconds of a study with two workers in a process of its own."""
    program = HALF.replace("workers=1, shard=(int(sys.argv[1]), 2)", "workers=2")
    begun = perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return perf_counter() - begun


def alone(count: int) -> object:
    """Runs without a study."""
    for number in range(count):
        small.run(entropy=1, replication=number)
    return None


def study(count: int, workers: int) -> object:
    """Runs of a study."""
    return ev.Study(small, replications=count, entropy=1).run(workers=workers, progress=False)


def by_dask() -> float:
    """Processor seconds a run by a scheduler in this process with two worker processes."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:

        def make(count: int) -> float:
            begun = process_time() + sum(client.run(process_time).values())
            ev.Study(small, replications=count, entropy=1).run(executor=client.get_executor(), workers=2)
            return process_time() + sum(client.run(process_time).values()) - begun

        make(EMPTY // 4)
        return (make(EMPTY) - make(EMPTY // 4)) / (EMPTY - EMPTY // 4)


def say(what: str, found: float, bound: float, unit: str) -> None:
    """One line."""
    print(f"{what:60} {found:8.3f} {unit:4} (at most {bound:g})", flush=True)


def memory() -> None:
    """The memory of this process as a study grows."""
    with tempfile.TemporaryDirectory() as folder:
        for count in (MANY // 10, MANY):
            ev.Study(small, replications=count, entropy=1).run(workers=2, store=f"{folder}/store", progress=False)
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            print(f"memory after {count:7} runs: {pages * resource.getpagesize() / 2**20:.1f} MB", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--memory", action="store_true", help="also run a study of 100,000 runs")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    soaking_pit(hours=1.0).run(entropy=1)  # what is compiled is kept on disk
    rounds = range(chosen.rounds)
    pairs = [(two_workers(), halves()) for _ in rounds]
    ratio = min(one for one, _ in pairs) / min(other for _, other in pairs)
    say("two workers / two processes with a half each", ratio, 1.15, "")
    plain = cost(alone, chosen.rounds)
    for workers, what in ((1, "in this process"), (2, "on two processes")):
        found = cost(partial(study, workers=workers), chosen.rounds)
        say(f"a run of a study beyond the run, {what}", 1e3 * (found - plain), 1.0, "ms")
    say("a run of a study beyond the run, on dask", 1e3 * (min(by_dask() for _ in rounds) - plain), 4.0, "ms")
    begun = process_time()
    alone(EMPTY)
    say("an empty run of a small model, warm", 1e3 * (process_time() - begun) / EMPTY, 0.2, "ms")
    if chosen.memory:
        memory()


if __name__ == "__main__":
    main()
