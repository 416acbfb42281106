"""The least that Python can do: a heap, a deque of those who go on now, a deque of those who wait.

Whoever waits stands in the heap, too, at the end of its patience; who has been granted the server by then forgets that
place, and who has left by then is passed over in the deque.
"""

from collections import deque
from heapq import heappop, heappush
from itertools import count
from random import Random


class Process:
    __slots__ = ("generator", "place")

    def __init__(self, generator):
        self.generator = generator
        self.place = None


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    served, lost = [], []
    is_busy = False
    waiting = deque()

    def arrivals():
        for _ in range(customers):
            yield rng.expovariate(load)
            ready.append((Process(customer()), None))

    def customer():
        nonlocal is_busy
        patience = rng.expovariate(0.5)
        if is_busy:
            is_served = yield -patience
            if not is_served:
                lost.append(now)
                return
        else:
            is_busy = True
        yield rng.expovariate(1.0)
        served.append(now)
        while waiting:
            process, number = waiting.popleft()
            if process.place == number:
                process.place = None
                ready.append((process, True))
                return
        is_busy = False

    now = 0.0
    heap = []
    ready = deque([(Process(arrivals()), None)])
    serial = count().__next__
    while ready or heap:
        if ready:
            process, sent = ready.popleft()
        else:
            time, number, process = heappop(heap)
            if process.place != number:
                continue
            now, sent = time, None
        process.place = None
        try:
            delay = process.generator.send(sent)
        except StopIteration:
            continue
        process.place = number = serial()
        if delay < 0.0:
            waiting.append((process, number))
            delay = -delay
        heappush(heap, (now + delay, number, process))
    return {
        "served": len(served),
        "lost": len(lost),
        "end": served[-1],
        "last_lost": lost[-1],
        "next_draw": rng.random(),
    }
