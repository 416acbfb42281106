"""Workers: the runs of a study in this process, in processes of our own, or by any executor.

What is sent are the packed model and some tasks at a time, about a second of work; what comes back are results. Which
worker makes which run, and when, changes none of them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from time import perf_counter
from typing import TYPE_CHECKING, Final

from eventide.errors import ModelError
from eventide.experiment.processes import DeadWorkerError, Processes, obstacle, processes
from eventide.experiment.results import Failure, Result, Settings, Task, perform
from eventide.experiment.travel import pack, pack_tasks, unpack, unpack_tasks
from eventide.simulation import Simulation

if TYPE_CHECKING:
    from eventide.experiment.models import Model

CHUNK: Final = 1.0
"""Seconds of work that are sent at a time: short enough to see progress, long enough to cost nothing."""
LAST: Final = 20
"""How many times shorter the last chunks are at most, so that all workers end together."""
GROWTH: Final = 4
"""How much longer than the last one a chunk is at most, as the first runs tell little."""
WORTHWHILE: Final = 3.0
"""Seconds of work for which processes are started: that takes about one."""


def here(model: Model[..., object], tasks: Iterable[Task], settings: Settings) -> Iterator[Result]:
    """The results of runs in this process, one after the other."""
    return (perform(model, task, settings) for task in tasks)


def here_or_beside(
    model: Model[..., object], tasks: Iterable[Task], settings: Settings, count: int
) -> Iterator[Result]:
    """The results of `count` runs, in processes on all cores as soon as that is worth while."""
    workers, start = cores(), perf_counter()
    tasks = iter(tasks)
    for done, task in enumerate(tasks, 1):
        yield perform(model, task, settings)
        took = perf_counter() - start
        # The first run compiles, and tells nothing of the others.
        if done == 1:
            start = perf_counter()
        elif workers > 1 and not obstacle() and took / (done - 1) * (count - done) > WORTHWHILE and count - done > 1:
            break
    yield from beside(model, tasks, settings, workers, count)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def beside(
    model: Model[..., object], tasks: Iterable[Task], settings: Settings, workers: int, count: int
) -> Iterator[Result]:
    """The results of at most `count` runs in processes of our own, as they come."""
    tasks = iter(tasks)
    first = next(tasks, None)
    if first is None:
        return
    with processes(workers) as executor:
        yield from by(executor, model, _again(first, tasks), settings, workers, count)


def _again(first: Task, others: Iterable[Task]) -> Iterator[Task]:
    yield first
    yield from others


def by(
    executor: Executor, model: Model[..., object], tasks: Iterable[Task], settings: Settings, workers: int, count: int
) -> Iterator[Result]:
    """The results of at most `count` runs by an executor, as they come.

    Where a process of our own dies, the runs that it had are made again, each in a process that has nothing else; one
    that ends two of these is a failure. Which run ended the first is not known: some only waited there. Other executors
    are lost with a worker of theirs.
    workers     how many it has: twice as many chunks are under way, so that none waits
    Raises      ModelError if the model cannot be sent or the executor breaks
    """
    packed, tasks, pace = pack(model), iter(tasks), _Pace()
    under_way: dict[Future[tuple[list[Result], float]], list[Task]] = {}
    suspects: deque[Task] = deque()
    again: dict[int, int] = {}  # how many processes these runs have ended alone

    def next_chunk() -> list[Task]:
        return [suspects.popleft()] if suspects else list(islice(tasks, pace.size_of(count, workers)))

    try:
        while True:
            while len(under_way) < 2 * workers and (chunk := next_chunk()):
                count -= sum(task.number not in again for task in chunk)
                is_again = chunk[0].number in again
                submit = executor.submit_alone if is_again and isinstance(executor, Processes) else executor.submit
                under_way[submit(work, packed, pack_tasks(model, chunk), settings)] = chunk
            if not under_way:
                return
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                chunk, is_again = under_way[future], under_way[future][0].number in again
                results: list[Result] = []
                try:
                    results, seconds = future.result()
                except DeadWorkerError as error:
                    for task in chunk:
                        again[task.number] = again.get(task.number, -1) + 1
                    if again[chunk[0].number] == 2:
                        results = [_ended(model, chunk[0], settings, error)]
                    else:
                        suspects.extend(chunk)
                    if isinstance(executor, Processes):
                        executor.restart()
                else:
                    if not is_again:
                        pace.note(len(results), seconds)
                del under_way[future]
                for task, result in zip(chunk, results, strict=bool(results)):
                    yield replace(result, parameters=model(**task.values).values)
    except Exception as error:
        if isinstance(error, ModelError) or settings.raises or not _is_of(executor, error):
            raise
        raise ModelError(_broken(executor, model, chain.from_iterable(under_way.values()))) from error
    finally:
        for future in under_way:
            future.cancel()


def _ended(model: Model[..., object], task: Task, settings: Settings, error: DeadWorkerError) -> Result:
    """The result of a run that has ended two processes which it had alone."""
    own = model(**task.values)
    twice = DeadWorkerError(f"this run has ended two worker processes; of the second it is known that {error}")
    if settings.raises:
        raise twice from error
    known = task.number, task.point, task.replication, own.values, settings.entropy
    return Result(*known, {}, False, None, failure=Failure.of(twice, own, task, settings))


def _is_of(executor: Executor, error: Exception) -> bool:
    """Whether an error says that an executor is lost, and not that a run has failed: KilledWorker is one of dask."""
    library = type(executor).__module__.partition(".")[0]
    return isinstance(error, BrokenExecutor) or type(error).__module__.partition(".")[0] == library


def _broken(executor: Executor, model: Model[..., object], tasks: Iterable[Task]) -> str:
    numbers = sorted(task.number for task in tasks)
    which = f"; it was one of the runs {numbers[0]} to {numbers[-1]}" if numbers else ""
    return (
        f"the executor {type(executor).__name__} has broken in a study of {model.name}, as one does when a worker "
        f"process dies, for want of memory or in code that is no Python{which}. Give a new executor, with store= to go "
        "on from what was made; workers= without an executor keeps such a run as a failure, and goes on"
    )


def work(packed: bytes, tasks: bytes, settings: Settings) -> tuple[list[Result], float]:
    """What a worker does: some runs; their results, and the seconds that they took.

    Parameters do not come back: the sender knows them, and their classes may be known there only.
    """
    if settings.time_limit is not None:
        _load_engine()
    model, start = unpack(packed), perf_counter()
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

    size    of the next one, while there are many
    """

    def __init__(self) -> None:
        self.size = 1

    def size_of(self, left: int, workers: int) -> int:
        """How many of the runs that are left the next chunk has."""
        return min(self.size, max(1, left // (4 * workers), self.size // LAST))

    def note(self, count: int, seconds: float) -> None:
        """Note how long some runs took."""
        fitting = int(CHUNK * count / max(seconds, 1e-6))
        self.size = max(1, min(fitting, GROWTH * self.size))
