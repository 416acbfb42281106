"""The bare loop behind the calls that a library's user makes (hold, process, `with request`), hardly anything in them.

What it loses to the bare loop is the price of the calls and their objects, and the limit for any library written so.
"""

from collections import deque
from heapq import heappop, heappush, heapreplace
from itertools import count
from random import Random
from statistics import fmean


def hold(duration):
    if type(duration) is float and duration == duration:
        return duration
    raise TypeError(duration)


class Request:
    __slots__ = ("server",)

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.server.release()


class Server:
    def __init__(self, sim):
        self.sim = sim
        self.is_busy = False
        self.waiting = deque()

    def request(self):
        return Request(self)

    def release(self):
        if self.waiting:
            self.sim.ready.append(self.waiting.popleft())
        else:
            self.is_busy = False


class Process:
    __slots__ = ("generator",)

    def __init__(self, generator):
        self.generator = generator


class Simulation:
    def __init__(self):
        self.time = 0.0
        self.ready = deque()

    def process(self, generator):
        process = Process(generator)
        self.ready.append(process)
        return process

    def run(self):
        ready, heap = self.ready, []
        serial = count().__next__
        while ready or heap:
            if ready:
                process, is_root = ready.popleft(), False
            else:
                self.time, _, process = heap[0]
                is_root = True
            try:
                command = next(process.generator)
                if type(command) is not float:
                    server = command.server
                    if server.is_busy:
                        server.waiting.append(process)
                        continue
                    server.is_busy = True
                    command = next(process.generator)
            except StopIteration:
                if is_root:
                    heappop(heap)
            else:
                if is_root:
                    heapreplace(heap, (self.time + command, serial(), process))
                else:
                    heappush(heap, (self.time + command, serial(), process))


def arrivals(sim, rng, server, customers, load, waits):
    for _ in range(customers):
        yield hold(rng.expovariate(load))
        sim.process(customer(sim, rng, server, waits))


def customer(sim, rng, server, waits):
    arrived = sim.time
    with server.request() as unit:
        yield unit
        waits.append(sim.time - arrived)
        yield hold(rng.expovariate(1.0))


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    waits = []
    sim = Simulation()
    server = Server(sim)
    sim.process(arrivals(sim, rng, server, customers, load, waits))
    sim.run()
    return {"customers": len(waits), "mean_wait": fmean(waits), "end": sim.time, "next_draw": rng.random()}
