"""Two classes of customers at one server: the urgent ones go first, and may or may not interrupt a service.

Covers:   requests by priority, preemption, services that go on where they were interrupted.
Scenario: urgent and ordinary customers arrive at random at one server. An urgent one passes the ordinary ones in the
          line. Where services can be interrupted, it also takes the server from an ordinary one, who comes back at
          the head of the ordinary ones and is served for the time that was left.
Source:   Cobham 1954; White and Christie 1958; Kleinrock, Queueing Systems, volume 2, sections 3.3 and 3.6.

Correctness:   mean waits of both classes agree with Cobham's formulas and with those for preemption, within their
               intervals.
Relevance:     for what urgent customers cost the others; more than two classes are left out.
Economy:       one resource that knows priorities; services that are interrupted go on, which needs no second model.
Clarity:       the mean service is the unit of time; urgent ones have the higher priority.
Comparability: with and without interruption, under the same arrivals and services.
Structure:     two sources of customers, and one resource, preemptive or not.
"""

from __future__ import annotations

from steady_state import Reading, batch_means

import eventide as ev

URGENT, ORDINARY = 1.0, 0.0


def customer(
    sim: ev.Simulation, server: ev.Resource, priority: float, service: float, stays: ev.Tally, delays: ev.Tally
) -> ev.ProcessGenerator:
    arrived = sim.time
    yield from server.use(service, priority, resume=True)
    stays.add(sim.time - arrived)
    delays.add(sim.time - arrived - service)


def exact_stays(urgent: float, ordinary: float, *, is_preemptive: bool) -> tuple[float, float]:
    """Mean times in the system of both classes, for arrivals at these rates and exponential services of mean one."""
    load = urgent + ordinary
    if is_preemptive:
        return 1.0 / (1.0 - urgent), 1.0 / ((1.0 - urgent) * (1.0 - load))
    return 1.0 + load / (1.0 - urgent), 1.0 + load / ((1.0 - urgent) * (1.0 - load))


@ev.model
def priority(
    sim: ev.Simulation,
    *,
    urgent_rate: float = 0.3,
    ordinary_rate: float = 0.4,
    preemptive: bool = False,
    warm_up: float = 200.0,
    batches: int = 20,
    length: float = 1000.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """One server with urgent and ordinary customers: how long each class stays, beside the exact values."""
    server = (ev.PreemptiveResource if preemptive else ev.Resource)(sim, name="server")
    readings: dict[str, Reading] = {"utilisation": lambda: server.utilisation}

    def arrivals(name: str, priority: float, rate: float) -> ev.ProcessGenerator:
        stays = readings[f"time in the system, {name}"] = ev.Tally()
        delays = readings[f"time not served, {name}"] = ev.Tally()
        gaps, services = sim.stream(f"gaps, {name}"), sim.stream(f"services, {name}")
        while True:
            yield gaps.negexp(rate)
            sim.process(customer(sim, server, priority, services.exponential(1.0), stays, delays))

    sim.process(arrivals("urgent", URGENT, urgent_rate))
    sim.process(arrivals("ordinary", ORDINARY, ordinary_rate))
    yield ev.hold(0.0)  # both have begun
    urgent, ordinary = exact_stays(urgent_rate, ordinary_rate, is_preemptive=preemptive)
    exact = {
        "utilisation": urgent_rate + ordinary_rate,
        "time in the system, urgent": urgent,
        "time not served, urgent": urgent - 1.0,
        "time in the system, ordinary": ordinary,
        "time not served, ordinary": ordinary - 1.0,
    }
    return (yield from batch_means(sim, readings, exact, warm_up=warm_up, batches=batches, length=length))
