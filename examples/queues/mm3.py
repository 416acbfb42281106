"""M/M/3: several servers with one line, with room for all or for some; also the loss systems of Erlang.

Covers:   a resource of several units, balking, time shares of a level, waits of single customers as an array.
Scenario: customers arrive at random and are served by whichever server is free. Where the room to wait is limited,
          those who find it full go away at once. `servers=5 arrival_rate=3 room=0` is a telephone exchange,
          `servers=1 arrival_rate=0.8 room=4` a single server with five places in all.
Source:   Kleinrock, Queueing Systems, volume 1, sections 3.5 to 3.7.

Correctness:   waits and losses agree with Erlang's formulas, within their intervals.
Relevance:     for sizes of counters and exchanges; customers who call again are left out.
Economy:       one resource of several units; one line of code decides who is sent away.
Clarity:       the mean service is the unit of time; room counts those who wait.
Comparability: with a single server of the same load, and with loss systems by room=0.
Structure:     customers as plain generators, one resource, and a limit of its line.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from steady_state import batch_means

import eventide as ev


def steady_state(servers: int, arrival_rate: float, service_rate: float, room: int | None) -> dict[str, float]:
    """The exact values, from the chances of 0, 1, 2, ... customers in the system.

    Raises  ValueError if the line grows without end
    """
    offered = arrival_rate / service_rate
    share = offered / servers  # each state from `servers` on has this share of the chance of the one before
    if room is None and share >= 1.0:
        raise ValueError(f"{servers} servers cannot serve a load of {offered!r}: give more, or a limited room")
    weights = [offered**n / factorial(n) for n in range(servers)]
    full = offered**servers / factorial(servers)
    if room is None:
        at_full, waiting, lost = full / (1.0 - share), full * share / (1.0 - share) ** 2, 0.0
    else:
        line = [full * share**n for n in range(room + 1)]
        at_full, waiting, lost = sum(line), sum(n * weight for n, weight in enumerate(line)), line[-1]
    total = sum(weights) + at_full
    entering = arrival_rate * (1.0 - lost / total)
    return {
        "all servers idle": weights[0] / total,
        "customers waiting": waiting / total,
        "waiting time": waiting / total / entering,
        "share that waits": (at_full - lost) / (total - lost),
        "share that goes away": lost / total,
        "utilisation": entering / (servers * service_rate),
    }


@ev.model
def mm3(
    sim: ev.Simulation,
    *,
    servers: int = 3,
    arrival_rate: float = 2.4,
    service_rate: float = 1.0,
    room: int | None = None,
    warm_up: float = 200.0,
    batches: int = 20,
    length: float = 600.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """Several servers, one line, `room` customers who can wait: its steady state beside the exact one."""
    desk = ev.Resource(sim, servers, name="desk")
    gone = ev.Tally(name="share that goes away")
    gaps, services = sim.stream("gaps"), sim.stream("services")

    def arrivals() -> ev.ProcessGenerator:
        while True:
            yield gaps.negexp(arrival_rate)
            is_full = room is not None and not desk.available and desk.queue.value >= room
            gone.add(is_full)
            if not is_full:
                sim.process(desk.use(services.negexp(service_rate)))

    sim.process(arrivals())
    readings = {
        "all servers idle": lambda: desk.in_use.fraction(0),
        "customers waiting": desk.queue,
        "waiting time": desk.waits,
        "share that waits": lambda: float(np.mean(desk.waits.values > 0.0)),
        "share that goes away": gone,
        "utilisation": lambda: desk.utilisation,
    }
    exact = steady_state(servers, arrival_rate, service_rate, room)
    return (yield from batch_means(sim, readings, exact, warm_up=warm_up, batches=batches, length=length))
