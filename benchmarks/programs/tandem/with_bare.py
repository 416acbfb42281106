"""The least that Python can do: a heap, a deque of those who go on now, a deque for each station."""

from collections import deque
from heapq import heappop, heappush, heapreplace
from itertools import count
from random import Random
from statistics import fmean


class Station:
    __slots__ = ("is_busy", "waiting")

    def __init__(self):
        self.is_busy = False
        self.waiting = deque()


def run(*, stations: int, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    waits = []
    line = [Station() for _ in range(stations)]

    def arrivals():
        for _ in range(customers):
            yield rng.expovariate(load)
            ready.append(customer())

    def customer():
        for station in line:
            arrived = now
            yield station
            waits.append(now - arrived)
            yield rng.expovariate(1.0)
            if station.waiting:
                ready.append(station.waiting.popleft())
            else:
                station.is_busy = False

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
        command = next(process, None)
        if command.__class__ is Station:
            if command.is_busy:
                command.waiting.append(process)
                command = None
            else:
                command.is_busy = True
                command = next(process)
        if command is None:
            if is_root:
                heappop(heap)
        elif is_root:
            heapreplace(heap, (now + command, serial(), process))
        else:
            heappush(heap, (now + command, serial(), process))
    return {"visits": len(waits), "mean_wait": fmean(waits), "end": now, "next_draw": rng.random()}
