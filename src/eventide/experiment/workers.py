"""Workers: the runs of a study in this process, in processes of our own, or by any executor.

What is sent are the packed model and some tasks at a time, about a second of work; what comes back are results. Which
worker makes which run, and when, changes none of them.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import islice
from multiprocessing import connection, parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from eventide.errors import ModelError
from eventide.experiment.results import Result, Settings, Task, perform
from eventide.experiment.travel import pack, pack_tasks, unpack, unpack_tasks
from eventide.simulation import Simulation

if TYPE_CHECKING:
    from eventide.experiment.models import Model

CHUNK: Final = 1.0
"""Seconds of work that are sent at a time: short enough to see progress, long enough to cost nothing."""
GROWTH: Final = 4
"""How much longer than the last one a chunk is at most, as the first runs tell little."""
WORTHWHILE: Final = 3.0
"""Seconds of work for which processes are started: that takes about one."""


def here(model: Model[..., Any], tasks: Iterable[Task], settings: Settings) -> Iterator[Result]:
    """The results of runs in this process, one after the other."""
    return (perform(model, task, settings) for task in tasks)


def here_or_beside(model: Model[..., Any], tasks: Iterable[Task], settings: Settings, count: int) -> Iterator[Result]:
    """The results of `count` runs, in processes on all cores as soon as that is worth while."""
    workers, start = cores(), perf_counter()
    tasks = iter(tasks)
    for done, task in enumerate(tasks, 1):
        yield perform(model, task, settings)
        took = perf_counter() - start
        # The first run compiles, and tells nothing of the others.
        if done == 1:
            start = perf_counter()
        elif workers > 1 and took / (done - 1) * (count - done) > WORTHWHILE and count - done > 1:
            break
    yield from beside(model, tasks, settings, workers)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def beside(model: Model[..., Any], tasks: Iterable[Task], settings: Settings, workers: int) -> Iterator[Result]:
    """The results of runs in processes of our own, as they come."""
    tasks = iter(tasks)
    first = next(tasks, None)
    if first is None:
        return
    with _processes(workers) as executor:
        yield from by(executor, model, _again(first, tasks), settings, workers)


def _again(first: Task, others: Iterable[Task]) -> Iterator[Task]:
    yield first
    yield from others


def by(
    executor: Executor, model: Model[..., Any], tasks: Iterable[Task], settings: Settings, workers: int
) -> Iterator[Result]:
    """The results of runs by an executor, as they come.

    workers     how many it has: twice as many chunks are under way, so that none waits
    Raises      ModelError if the model cannot be sent or a worker dies
    """
    parcel, tasks, pace = pack(model), iter(tasks), _Pace()
    under_way: dict[Future[tuple[list[Result], float]], list[Task]] = {}
    try:
        while True:
            while len(under_way) < 2 * workers and (chunk := list(islice(tasks, pace.size))):
                under_way[executor.submit(work, parcel, pack_tasks(model, chunk), settings)] = chunk
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                results, seconds = future.result()
                chunk = under_way.pop(future)
                pace.note(len(results), seconds)
                for task, result in zip(chunk, results, strict=True):
                    yield replace(result, parameters=model(**task.values).values)
    except BrokenExecutor as error:
        numbers = sorted(task.number for chunk in under_way.values() for task in chunk)
        raise ModelError(
            f"a worker process of {model.name} has died, as for want of memory; it was one of the runs "
            f"{numbers[0]} to {numbers[-1]}: run these with workers=1 to see which"
        ) from error
    finally:
        for future in under_way:
            future.cancel()


def work(parcel: bytes, tasks: bytes, settings: Settings) -> tuple[list[Result], float]:
    """What a worker does: some runs; their results, and the seconds that they took.

    Parameters do not come back: who has sent them knows them, and their classes may be known there only.
    """
    if settings.time_limit is not None:
        _load_engine()
    model, start = unpack(parcel), perf_counter()
    results = [replace(perform(model, task, settings), parameters={}) for task in unpack_tasks(tasks)]
    return results, perf_counter() - start


@cache
def _load_engine() -> None:
    """Load all that native code needs, which takes about a second: no run is to be blamed for it."""
    from eventide.continuous import Variable  # a discrete model does not load its room

    sim = Simulation()
    Variable(sim, 0.0).start()
    sim.run(until=1.0)


class _Pace:
    """How many runs make a chunk.

    size    of the next one
    """

    def __init__(self) -> None:
        self.size = 1

    def note(self, count: int, seconds: float) -> None:
        """So many runs took so long."""
        fitting = int(CHUNK * count / max(seconds, 1e-6))
        self.size = max(1, min(fitting, GROWTH * self.size))


# --- processes of our own ---------------------------------------------------------------------------------------------


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """An executor of so many processes, which end with the block: at once if it is left by an error."""
    context = _Context()
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    try:
        yield executor
    except BaseException:
        for process in context.started:
            process.terminate()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


class _Context(SpawnContext):
    """Starts processes that do not import the program's main file: models travel with all that they need.

    So a script needs no `if __name__ == "__main__"`, and nothing in it runs twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802  # a class there
        """A process that is not started yet."""
        process = _Process(*arguments, **options)
        self.started.append(process)
        return process


class _Process(SpawnProcess):
    def start(self) -> None:
        """Start it, told of a main program that is empty."""
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = main


def _begin() -> None:
    """A worker begins: Ctrl-C is for who has started it, and it ends when that has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
