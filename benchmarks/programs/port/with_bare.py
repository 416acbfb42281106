"""The least that Python can do: a heap, a deque of those who go on now, and the law of the tank solved by hand.

Ships that wait for room stand in a list. When there will be room stands in the heap, with None for a process; its
serial is the one that is due until a pump begins or ends.
"""

from collections import deque
from heapq import heappop, heappush
from itertools import count
from math import exp, log
from random import Random
from statistics import fmean

BERTH, ROOM = object(), object()


def run(*, hours: float, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    stays = []
    free = 2
    at_sea, for_room = deque(), []
    level, inflow, since, due = 10.0, 0.0, 0.0, -1

    def arrivals():
        while True:
            yield rng.expovariate(0.2)
            ready.append(ship())

    def ship():
        nonlocal free
        arrived = now
        yield BERTH
        yield ROOM
        pump(1.0)
        yield rng.uniform(4.0, 8.0)
        pump(-1.0)
        if at_sea:
            ready.append(at_sea.popleft())
        else:
            free += 1
        stays.append(now - arrived)

    def level_now():
        full = 10.0 * inflow
        return full + (level - full) * exp(-0.1 * (now - since))

    def pump(change):
        nonlocal level, inflow, since
        level, since = level_now(), now
        inflow += change
        if for_room:
            foresee()

    def foresee():
        """Put the time into the heap at which there is room, if nothing changes before."""
        nonlocal due
        due = -1
        full = 10.0 * inflow
        if full < 12.0:
            due = serial()
            heappush(heap, (since + 10.0 * log((level - full) / (12.0 - full)), due, None))

    now = 0.0
    heap = []
    ready = deque([arrivals()])
    serial = count().__next__
    while True:
        if ready:
            process = ready.popleft()
        else:
            time, number, process = heappop(heap)
            if time > hours:
                break
            if process is None:
                if number == due:
                    now = time
                    ready.extend(for_room)
                    for_room.clear()
                continue
            now = time
        command = next(process, None)
        if command is BERTH:
            if not free:
                at_sea.append(process)
                continue
            free -= 1
            command = next(process)
        if command is ROOM:
            if level_now() > 12.0:
                for_room.append(process)
                foresee()
                continue
            command = next(process)
        if command is not None:
            heappush(heap, (now + command, serial(), process))
    now = hours
    return {"ships": len(stays), "mean_stay": fmean(stays), "level": level_now(), "next_draw": rng.random()}
