"""The least that Python can do: a heap of (time, serial, generator), and a loop that takes its root."""

from heapq import heapify, heappop, heapreplace
from itertools import count
from random import Random


def run(*, processes: int, holds: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    ended = []

    def holder():
        for _ in range(holds):
            yield rng.expovariate(1.0)
        ended.append(now)

    now = 0.0
    heap = [(0.0, number, holder()) for number in range(processes)]
    heapify(heap)
    serial = count(processes).__next__
    while heap:
        now, _, process = heap[0]
        try:
            delay = next(process)
        except StopIteration:
            heappop(heap)
        else:
            heapreplace(heap, (now + delay, serial(), process))
    return {"ended": len(ended), "end": ended[-1], "next_draw": rng.random()}
