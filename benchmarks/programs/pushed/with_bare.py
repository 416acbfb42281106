"""The least that Python can do: a heap of one; the law is solved by hand, from one push to the next."""

from heapq import heappop, heapreplace
from itertools import count
from math import cos, sin
from random import Random


def run(*, pushes: int, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    position, velocity = 1.0, 0.5

    def pusher():
        nonlocal position, velocity
        for _ in range(pushes):
            begin = now
            yield rng.expovariate(100.0)
            c, s = cos(now - begin), sin(now - begin)
            position, velocity = c * position + s * velocity, c * velocity - s * position + 0.01

    now = 0.0
    heap = [(0.0, 0, pusher())]
    serial = count(1).__next__
    while heap:
        now, _, process = heap[0]
        try:
            delay = next(process)
        except StopIteration:
            heappop(heap)
        else:
            heapreplace(heap, (now + delay, serial(), process))
    return {"end": now, "position": position, "next_draw": rng.random()}
