"""The least that Python can do: a heap of (time, serial, generator), and a loop that takes its root."""

from hashlib import blake2b
from heapq import heapify, heappop, heapreplace
from itertools import count
from random import Random


def run(*, processes: int, notes: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    book = blake2b(digest_size=6)
    ended = []

    def clerk():
        for number in range(notes):
            yield rng.expovariate(1.0)
            book.update(b"%d" % number)
        ended.append(now)

    now = 0.0
    heap = [(0.0, number, clerk()) for number in range(processes)]
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
    return {"ended": len(ended), "end": ended[-1], "next_draw": rng.random(), "book": int(book.hexdigest(), 16)}
