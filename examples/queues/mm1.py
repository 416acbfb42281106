"""M/M/1: one server, arrivals and services without memory; the first queue of every textbook.

Covers:   plain generators as processes, a resource and its statistics, named random streams, warm-up, batch means with
          confidence intervals.
Scenario: customers arrive at random, wait in one line for one server, are served and leave. The mean service is the
          unit of time.
Source:   Kleinrock, Queueing Systems, volume 1, section 3.2.

Correctness:   mean wait, length and utilisation agree with the formulas, within intervals of batch means.
Relevance:     for the first acquaintance with queues; whatever makes real lines differ is left out.
Economy:       one resource; the formula costs nothing, which is why this run can be checked.
Clarity:       the mean service is the unit of time; a wait ends as the service begins.
Comparability: with every textbook, and with the other queues of this folder under the same load.
Structure:     customers as plain generators, one resource, a main program for warm-up and run.
"""

from __future__ import annotations

from math import exp

from steady_state import batch_means

import eventide as ev

LONG = 10.0
"""A time in the system beyond which a customer has been there for long."""


def customer(
    sim: ev.Simulation, server: ev.Resource, service: float, stays: ev.Tally, long_stays: ev.Tally
) -> ev.ProcessGenerator:
    arrived = sim.time
    yield from server.use(service)
    stay = sim.time - arrived
    stays.add(stay)
    long_stays.add(stay > LONG)


@ev.model
def mm1(
    sim: ev.Simulation,
    *,
    arrival_rate: float = 0.8,
    service_rate: float = 1.0,
    warm_up: float = 1000.0,
    batches: int = 20,
    length: float = 2000.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """One server with a random stream of customers: its steady state beside the exact one."""
    server = ev.Resource(sim, name="server")
    stays = ev.Tally(name="time in the system")
    long_stays = ev.Tally(name="share of long stays")
    gaps, services = sim.stream("gaps"), sim.stream("services")

    def arrivals() -> ev.ProcessGenerator:
        while True:
            yield gaps.negexp(arrival_rate)
            sim.process(customer(sim, server, services.negexp(service_rate), stays, long_stays))

    sim.process(arrivals())
    load = arrival_rate / service_rate
    rest = service_rate - arrival_rate  # a stay is exponential with this rate
    readings = {
        "time in the system": stays,
        "waiting time": server.waits,
        "customers in the system": lambda: server.queue.mean + server.in_use.mean,
        "customers waiting": server.queue,
        "utilisation": lambda: server.utilisation,
        "stays longer than 10": long_stays,
    }
    exact = {
        "time in the system": 1.0 / rest,
        "waiting time": load / rest,
        "customers in the system": arrival_rate / rest,
        "customers waiting": load * arrival_rate / rest,
        "utilisation": load,
        "stays longer than 10": exp(-rest * LONG),
    }
    return (yield from batch_means(sim, readings, exact, warm_up=warm_up, batches=batches, length=length))
