"""Processes of our own: each does one thing at a time, so that one that dies takes nothing else with it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import connection, current_process, parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from time import perf_counter
from typing import Any, Final, ParamSpec, TypeVar

from eventide.errors import ModelError

Given = ParamSpec("Given")
T = TypeVar("T")


@dataclass
class _Job:
    """Something to be made.

    alone   whether a process has nothing else meanwhile, so that its end is to blame on this
    """

    future: Future[Any]
    task: Callable[[], object]
    alone: bool


class DeadWorkerError(ModelError):
    """A worker process has ended in the middle of what it was given; the message says how."""


@contextmanager
def processes(workers: int) -> Iterator[Processes]:
    """An executor of `workers` processes, which end with the block: at once if it is left by an error.

    Raises ModelError where none can be started.
    """
    if obstacle():
        raise ModelError(obstacle())
    executor = Processes(workers)
    try:
        yield executor
    except BaseException:
        executor.kill()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


class Processes(Executor):
    """Carries out tasks in a number of processes, which start as they are needed.

    A pool of several processes is lost as a whole when one of them dies, and does not tell what that one was at. So
    each has a pool of its own, and what it had raises DeadWorkerError; while that is brief, it has one more than it is
    at, so that it never waits. Only `submit`, `submit_alone` and `restart` start processes, in the thread that calls
    them: what is packed there must not meet the empty main program of `_Process`.
    """

    def __init__(self, count: int) -> None:
        self._workers = [_Worker() for _ in range(count)]
        self._waiting: deque[_Job] = deque()
        self._lock = threading.RLock()  # a callback may be called at once, where it is given

    def submit(self, task: Callable[Given, T], /, *arguments: Given.args, **named: Given.kwargs) -> Future[T]:
        """What `task(*arguments)` answers, in some process."""
        return self._submitted(partial(task, *arguments, **named), alone=False)

    def submit_alone(self, task: Callable[Given, T], /, *arguments: Given.args, **named: Given.kwargs) -> Future[T]:
        """The same, in a process that has nothing else meanwhile."""
        return self._submitted(partial(task, *arguments, **named), alone=True)

    def _submitted(self, task: Callable[[], T], *, alone: bool) -> Future[T]:
        future: Future[T] = Future()
        job = _Job(future, task, alone)
        with self._lock:
            self._waiting.append(job)
            self.restart()
        return future

    def restart(self) -> None:
        """Hand out what waits, to new processes where there are too few or some have died."""
        with self._lock:
            self._hand_out(starts=True)

    def kill(self) -> None:
        """End all processes at once."""
        with self._lock:
            self._waiting.clear()
            for worker in self._workers:
                worker.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when they have done what they are at."""
        with self._lock:
            if cancel_futures:
                for job in self._waiting:
                    job.future.cancel()
                self._waiting.clear()
            pools = [worker.pool for worker in self._workers if worker.pool is not None]
        for ends in (False, wait):  # all are told before one is waited for
            for pool in pools:
                pool.shutdown(wait=ends, cancel_futures=cancel_futures)

    def _hand_out(self, *, starts: bool) -> None:
        """Give waiting tasks to the workers that have room.

        starts      whether processes may be started
        """
        while self._waiting:
            alone = self._waiting[0].alone
            free = [one for one in self._workers if one.has_room(alone=alone) and (starts or one.pool is not None)]
            if not free:
                return
            worker = min(free, key=lambda one: (one.load, one.pool is None))
            job = self._waiting.popleft()
            if job.future.set_running_or_notify_cancel():
                self._give(worker, job)

    def _give(self, worker: _Worker, job: _Job) -> None:
        try:
            inner = worker.submit(job)
        except BrokenExecutor as error:  # it has died with nothing to do
            lost = worker.death(error)
            worker.pool = None
            job.future.set_exception(lost)
        else:
            inner.add_done_callback(partial(self._done, worker, worker.pool, worker.process, job, perf_counter()))

    def _done(
        self,
        worker: _Worker,
        pool: object,
        process: SpawnProcess | None,
        job: _Job,
        begun: float,
        inner: Future[object],
    ) -> None:
        error = None if inner.cancelled() else inner.exception()
        is_lost = inner.cancelled() or isinstance(error, BrokenExecutor)
        if is_lost:
            error = worker.death(error, process)
        with self._lock:
            if worker.pool is pool:  # another may be in its place already
                worker.load -= 1
                worker.is_brief = perf_counter() - begun < BRIEF
                if is_lost:
                    worker.pool, worker.load = None, 0
                else:
                    self._hand_out(starts=False)
        if error is None:
            job.future.set_result(inner.result())
        else:
            job.future.set_exception(error)


class _Worker:
    """A place for a process.

    pool        of the one process that is there; None before the first, and when one has died
    load        how many jobs it has; is_alone: whether it may have no other
    is_brief    whether the last one was: then it is given one more than it is at
    """

    def __init__(self) -> None:
        self.pool: ProcessPoolExecutor | None = None
        self.load = 0
        self.is_alone = self.is_brief = False
        self._context = _Context()

    @property
    def process(self) -> SpawnProcess | None:
        """The last process that was started."""
        return self._context.started

    def has_room(self, *, alone: bool) -> bool:
        """Whether it may be given one more."""
        return self.load == 0 or (self.load == 1 and self.is_brief and not self.is_alone and not alone)

    def submit(self, job: _Job) -> Future[object]:
        """Let the process do something; it is started if there is none."""
        if self.pool is None:
            self.pool = ProcessPoolExecutor(1, mp_context=self._context, initializer=_begin)
            self.load = 0
        inner = self.pool.submit(job.task)
        self.load += 1
        self.is_alone = job.alone
        return inner

    def kill(self) -> None:
        """End the process at once."""
        if self.process is not None:
            self.process.terminate()

    def death(self, cause: BaseException | None, process: SpawnProcess | None = None) -> DeadWorkerError:
        """The error that says how a process has ended."""
        process = process or self.process
        assert process is not None
        process.join(PATIENCE)
        how = "has sent what cannot be read" if process.is_alive() else _ending(process.exitcode)
        error = DeadWorkerError(f"the worker process {how}")
        error.__cause__ = cause
        return error


BRIEF: Final = 2.0
"""Seconds: where jobs take longer, a process that has to wait a moment for the next one loses nothing."""
PATIENCE: Final = 5.0
"""Seconds within which a process that has ended can be asked how: its pipes close before."""


def _ending(code: int | None) -> str:
    if code is None:
        return "has ended"
    if code >= 0:
        return f"ended itself with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:  # a real-time signal has no name
        name = f"signal {-code}"
    return f"was ended by {name}" + ", as the system does when memory runs out" * (name == "SIGKILL")


def obstacle() -> str:
    """Why this process can start no others; empty if it can."""
    this = current_process()
    if getattr(this, "_inheriting", False):
        return (
            "a study was begun while a process that something else has started imports the main file of the program, "
            'which would begin it again in each: put what starts processes below `if __name__ == "__main__":`'
        )
    if this.daemon:
        return (
            f"{this.name} is a daemon, which can start no processes, as those of multiprocessing.Pool: give the study "
            "workers=1, or let one of concurrent.futures.ProcessPoolExecutor run it"
        )
    return ""


class _Context(SpawnContext):
    """Starts processes that do not import the program's main file: models travel with all that they need.

    So a script needs no `if __name__ == "__main__"`, and nothing in it runs twice.
    started     the last process
    """

    def __init__(self) -> None:
        super().__init__()
        self.started: SpawnProcess | None = None

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802  # a class there
        """A process that is not started yet."""
        self.started = _Process(*arguments, **options)
        return self.started


class _Process(SpawnProcess):
    def start(self) -> None:
        """Start it, told of a main program without a file. Other threads find there meanwhile what its classes name."""
        with _STARTING:
            main = vars(sys.modules["__main__"])
            kept = {name: value for name, value in main.copy().items() if name in ("__file__", "__spec__")}
            main.update(dict.fromkeys(kept))
            try:
                super().start()
            finally:
                main.update(kept)


_STARTING: Final = threading.Lock()
"""Held while a process starts: studies in two threads must not take each other's main program for theirs."""


def _begin() -> None:
    """A worker begins: it leaves Ctrl-C to the process that has started it, and ends when that is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
