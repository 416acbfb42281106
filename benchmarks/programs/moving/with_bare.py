"""The least that Python can do: a heap of one, and what is known of the spring where the holds end."""

from heapq import heappop, heapreplace
from itertools import count
from math import cos, sin
from random import Random


def run(*, holds: int, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)

    def holder():
        for _ in range(holds):
            yield rng.expovariate(100.0)

    now = 0.0
    heap = [(0.0, 0, holder())]
    serial = count(1).__next__
    while heap:
        now, _, process = heap[0]
        try:
            delay = next(process)
        except StopIteration:
            heappop(heap)
        else:
            heapreplace(heap, (now + delay, serial(), process))
    return {"end": now, "position": cos(now) + 0.5 * sin(now), "next_draw": rng.random()}
