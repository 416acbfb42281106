"""The M/M/1 loop with what a simulator promises, and no more than this model needs of it.

Whoever begins or is granted a unit goes on in an event of its own, at a place that is a promise; events can be taken
back; processes have names, ends and a list of those alive; requests have a state, a priority and units; the resource
keeps its users, two levels over time and all waits. The README of the benchmarks tells what each of these costs.
"""

from array import array
from collections import deque
from heapq import heappop, heappush, heapreplace
from itertools import count
from math import inf
from random import Random
from statistics import fmean

FIRST = PLAIN = (0,)
NEW, WAITING, GRANTED, RELEASED = "new", "waiting", "granted", "released"


def hold(duration):
    if duration.__class__ is float and duration == duration:
        return duration
    raise TypeError(duration)


class Level:
    """How long each value was held."""

    __slots__ = ("changed", "held", "value")

    def __init__(self):
        self.held, self.changed, self.value = {0: 0.0}, 0.0, 0

    def move(self, value, now):
        try:
            self.held[self.value] += now - self.changed
        except KeyError:
            self.held[self.value] = now - self.changed
        self.changed = now
        self.value = value


class Request:
    __slots__ = ("activity", "number", "priority", "server", "since", "state", "units")

    def execute(self, sim, activity):
        server = self.server
        if self.state is not NEW or server.sim is not sim:
            raise ValueError(self)
        server.asked = self.number = server.asked + 1
        self.activity = activity
        self.since = now = sim.time
        if server.held + self.units <= server.capacity:
            self.state = GRANTED
            server.held += self.units
            server.users[self] = None
            server.in_use.move(server.held, now)
            server.add_wait(0.0)
            activity.value = self
            return activity
        self.state = WAITING
        server.waiting.append(self)
        server.queue.move(len(server.waiting), now)
        activity.wait = self
        return None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not GeneratorExit and self.state is GRANTED:
            self.state = RELEASED
            self.server.release(self)


class Server:
    def __init__(self, sim, capacity):
        self.sim, self.capacity, self.held, self.asked = sim, capacity, 0, 0
        self.waiting, self.users = deque(), {}
        self.queue, self.in_use, self.waits = Level(), Level(), array("d")
        self.add_wait = self.waits.append

    def request(self, priority=0.0, units=1):
        if priority != 0.0 or units != 1:
            raise ValueError((priority, units))
        request = Request()
        request.server = self
        request.state = NEW
        request.since = self.sim.time
        request.priority = priority
        request.units = units
        return request

    def release(self, request):
        now = self.sim.time
        del self.users[request]
        if self.waiting:
            heir = self.waiting.popleft()
            heir.state = GRANTED
            self.users[heir] = None
            self.add_wait(now - heir.since)
            self.queue.move(len(self.waiting), now)
            heir.since = now
            heir.activity.value = heir
            self.sim.schedule_last(heir.activity)
        else:
            self.held -= request.units
            self.in_use.move(self.held, now)


class Kind:
    __slots__ = ("code", "count")


class Process:
    __slots__ = (
        "after",
        "before",
        "generator",
        "kind",
        "notice",
        "number",
        "result",
        "sim",
        "terminated",
        "value",
        "wait",
    )


class Simulation:
    def __init__(self):
        self.time, self.current, self.turn = 0.0, None, 1
        self.front, self.ready = deque(), deque()
        self.latest = self.below = 0
        self.serial = count().__next__
        self.kinds = {}
        self.before = self.after = self

    def process(self, generator):
        kind = self.kinds.get(generator.__name__)
        if kind is None or kind.code is not generator.gi_code:
            kind = self.kinds[generator.__name__] = Kind()
            kind.count, kind.code = 0, generator.gi_code
        process = Process()
        process.sim = self
        process.kind = kind
        process.number = kind.count = kind.count + 1
        process.generator = generator
        process.value = process.wait = process.result = None
        process.terminated = False
        process.after = self
        process.before = last = self.before
        last.after = self.before = process
        self.schedule_front(process)
        return process

    def schedule_front(self, process):
        turn, front = self.turn, self.front
        process.notice = notice = (self.time, -turn, FIRST, process)
        if turn == self.latest:
            front.insert(self.below, notice)
        else:
            self.latest, self.below = turn, len(front)
            front.append(notice)

    def schedule_last(self, process):
        process.notice = notice = (self.time, self.turn - 0.5, (self.serial(), 0), process)
        self.ready.append(notice)

    def finish(self, process, result):
        process.terminated = True
        process.result = result
        process.generator = None
        before, after = process.before, process.after
        before.after, after.before = after, before
        process.before = process.after = None

    def run(self, until=inf):
        front, ready, heap, now = self.front, self.ready, [(inf, 0, PLAIN, None)], self.time
        for turn in count(2):
            if front:
                notice = front.pop()
                process = notice[3]
            elif ready and (heap[0][0] > now or ready[0] < heap[0]):
                notice = ready.popleft()
                process = notice[3]
            else:
                notice = heap[0]
                time, _, _, process = notice
                if time >= until:
                    return
                self.time = now = time
            if process.notice is not notice:
                if heap[0] is notice:
                    heappop(heap)
                continue
            process.notice = None
            self.current = process
            self.turn = turn
            while True:
                try:
                    value = process.value
                    if value is not None:
                        process.value = process.wait = None
                    command = process.generator.send(value)
                    if command.__class__ is float and command > 0.0:
                        process.notice = following = (now + command, turn, PLAIN, process)
                        if heap[0] is notice:
                            heapreplace(heap, following)
                        else:
                            heappush(heap, following)
                        break
                    process = command.execute(self, process)
                    if process is None:
                        break
                except StopIteration as end:
                    self.finish(process, end.value)
                    if heap[0] is notice:
                        heappop(heap)
                    break


def arrivals(sim, rng, server, customers, load):
    for _ in range(customers):
        yield hold(rng.expovariate(load))
        sim.process(customer(rng, server))


def customer(rng, server):
    with server.request() as unit:
        yield unit
        yield hold(rng.expovariate(1.0))


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    sim = Simulation()
    server = Server(sim, capacity=1)
    sim.process(arrivals(sim, rng, server, customers, load))
    sim.run()
    return {
        "customers": len(server.waits),
        "mean_wait": fmean(server.waits),
        "end": sim.time,
        "next_draw": rng.random(),
    }
