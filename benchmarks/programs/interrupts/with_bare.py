"""The least that Python can do: whoever is interrupted forgets its place in the heap and is thrown the exception."""

from collections import deque
from heapq import heapify, heappop, heappush, heapreplace
from itertools import count
from random import Random


class Interrupt(Exception):
    pass


class Process:
    __slots__ = ("generator", "place")

    def __init__(self, generator, place):
        self.generator = generator
        self.place = place


def run(*, pairs: int, interrupts: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    caught = []

    def victim():
        met = 0
        for _ in range(interrupts):
            try:
                yield 2.0
            except Interrupt:
                met += 1
        caught.append(met)

    def interrupter(other):
        for _ in range(interrupts):
            yield rng.uniform(0.5, 1.5)
            other.place = None
            ready.append(other)

    now = 0.0
    ready = deque()
    heap = []
    serial = count().__next__
    for _ in range(pairs):
        number = serial()
        other = Process(victim(), number)
        heap.append((0.0, number, other))
        number = serial()
        heap.append((0.0, number, Process(interrupter(other), number)))
    heapify(heap)
    end = 0.0
    while ready or heap:
        if ready:
            process = ready.popleft()
            end = now
            try:
                delay = process.generator.throw(Interrupt())
            except StopIteration:
                continue
            process.place = number = serial()
            heappush(heap, (now + delay, number, process))
        else:
            time, number, process = heap[0]
            if process.place != number:
                heappop(heap)
                continue
            now = time
            try:
                delay = next(process.generator)
            except StopIteration:
                heappop(heap)
            else:
                process.place = number = serial()
                heapreplace(heap, (now + delay, number, process))
    return {"interrupts": sum(caught), "end": end, "next_draw": rng.random()}
