"""The least that Python can do: a heap, one who has the machine, one deque for each priority."""

from collections import deque
from heapq import heapify, heappop, heappush, heapreplace
from itertools import count
from random import Random

LOW = object()
HIGH = object()


class Preempted(Exception):
    pass


class Process:
    __slots__ = ("generator", "place")

    def __init__(self, generator, place):
        self.generator = generator
        self.place = place


def run(*, arrivals: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    holder = None
    is_urgent = False
    high, low = deque(), deque()
    preemptions = 0

    def job(left):
        nonlocal preemptions
        while left > 0.0:
            yield LOW
            began = now
            try:
                yield left
            except Preempted:
                preemptions += 1
                left -= now - began
            else:
                left = 0.0
                release()

    def urgent():
        for _ in range(arrivals):
            yield rng.expovariate(1.0)
            yield HIGH
            yield rng.expovariate(2.0)
            release()

    def release():
        nonlocal holder, is_urgent
        holder = None
        if high or low:
            is_urgent = bool(high)
            holder = (high or low).popleft()
            ready.append((holder, False))

    def grant(process, command):
        """Whether the process has the machine now; else it waits."""
        nonlocal holder, is_urgent
        if holder is not None:
            if command is LOW or is_urgent:
                (low if command is LOW else high).append(process)
                return False
            holder.place = None
            ready.append((holder, True))
        holder, is_urgent = process, command is HIGH
        return True

    now = 0.0
    ready = deque()
    heap = [(0.0, 0, Process(job(2.0 * arrivals), 0)), (0.0, 1, Process(urgent(), 1))]
    heapify(heap)
    serial = count(2).__next__
    while ready or heap:
        if ready:
            process, is_preempted = ready.popleft()
            is_root = False
        else:
            time, number, process = heap[0]
            if process.place != number:
                heappop(heap)
                continue
            now = time
            is_preempted, is_root = False, True
        try:
            command = process.generator.throw(Preempted()) if is_preempted else next(process.generator)
            if command is LOW or command is HIGH:
                if not grant(process, command):
                    process.place = None
                    continue
                command = next(process.generator)
        except StopIteration:
            process.place = None
            continue
        process.place = number = serial()
        if is_root:
            heapreplace(heap, (now + command, number, process))
        else:
            heappush(heap, (now + command, number, process))
    return {"preemptions": preemptions, "end": now, "next_draw": rng.random()}
