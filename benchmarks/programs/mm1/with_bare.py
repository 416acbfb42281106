"""The least that Python can do: a heap, a deque of those who go on now, a deque of those who wait for the server."""

from collections import deque
from heapq import heappop, heappush, heapreplace
from itertools import count
from random import Random
from statistics import fmean

REQUEST = object()


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    waits = []
    is_busy = False
    waiting = deque()

    def arrivals():
        for _ in range(customers):
            yield rng.expovariate(load)
            ready.append(customer())

    def customer():
        nonlocal is_busy
        arrived = now
        yield REQUEST
        waits.append(now - arrived)
        yield rng.expovariate(1.0)
        if waiting:
            ready.append(waiting.popleft())
        else:
            is_busy = False

    now = 0.0
    heap = []
    ready = deque([arrivals()])
    serial = count().__next__
    while ready or heap:
        if ready:
            process, is_root = ready.popleft(), False
        else:
            now, _, process = heap[0]
            is_root = True
        try:
            command = next(process)
            if command is REQUEST:
                if is_busy:
                    waiting.append(process)
                    continue
                is_busy = True
                command = next(process)
        except StopIteration:
            if is_root:
                heappop(heap)
        else:
            if is_root:
                heapreplace(heap, (now + command, serial(), process))
            else:
                heappush(heap, (now + command, serial(), process))
    return {"customers": len(waits), "mean_wait": fmean(waits), "end": now, "next_draw": rng.random()}
