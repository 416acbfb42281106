"""M/G/1: one server and services of any distribution; the more they vary, the longer the line.

Covers:   a choice among names as a parameter, draws of several distributions, a mixture by its own chance.
Scenario: customers arrive at random at one server. Services take one unit of time on average: always, or anything up
          to two, or the sum of two exponential stages, or exponential, or mostly short and sometimes long.
Source:   Pollaczek and Khinchine's formula; Kleinrock, Queueing Systems, volume 1, section 5.6.

Correctness:   mean waits agree with the formula of Pollaczek and Khinchine, within their intervals.
Relevance:     for what variation of services costs; several servers and impatience are left out.
Economy:       one resource; the longest run is that of the distribution that varies most.
Clarity:       the mean service is the unit of time.
Comparability: five distributions of equal mean, under the same arrivals.
Structure:     customers as plain generators, one resource, the distribution as a parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from steady_state import batch_means

import eventide as ev

Service = Literal["constant", "uniform", "erlang", "exponential", "hyperexponential"]

SECOND_MOMENT = {"constant": 1.0, "uniform": 4.0 / 3.0, "erlang": 1.5, "exponential": 2.0, "hyperexponential": 2.5}
"""Of each service time of mean one: its variance and one."""


def service_times(sim: ev.Simulation, service: Service) -> Callable[[], float]:
    """A function that gives the next service time."""
    times = sim.stream("services")
    kinds = sim.stream("kinds of service")
    return {
        "constant": lambda: 1.0,
        "uniform": lambda: times.uniform(0.0, 2.0),
        "erlang": lambda: times.erlang(1.0, 2),
        "exponential": lambda: times.exponential(1.0),
        "hyperexponential": lambda: times.exponential(0.5 if kinds.draw(0.5) else 1.5),
    }[service]


@ev.model
def mg1(
    sim: ev.Simulation,
    *,
    service: Service = "hyperexponential",
    arrival_rate: float = 0.8,
    warm_up: float = 1000.0,
    batches: int = 20,
    length: float = 2000.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """One server whose services have mean one and the distribution `service`: its steady state beside the exact one."""
    server = ev.Resource(sim, name="server")
    gaps = sim.stream("gaps")
    next_service = service_times(sim, service)

    def arrivals() -> ev.ProcessGenerator:
        while True:
            yield gaps.negexp(arrival_rate)
            sim.process(server.use(next_service()))

    sim.process(arrivals())
    waiting = arrival_rate * SECOND_MOMENT[service] / (2.0 * (1.0 - arrival_rate))
    readings = {
        "waiting time": server.waits,
        "customers waiting": server.queue,
        "utilisation": lambda: server.utilisation,
    }
    exact = {"waiting time": waiting, "customers waiting": arrival_rate * waiting, "utilisation": arrival_rate}
    return (yield from batch_means(sim, readings, exact, warm_up=warm_up, batches=batches, length=length))
