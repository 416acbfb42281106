"""A finite source: ten machines and two repairers; who is down cannot break down once more.

Covers:   processes that go round for ever, a resource of several units, throughput from counts.
Scenario: ten machines run for five hours on average until they break down. Two repairers, one hour for each repair on
          average, serve them in the order of their breakdowns.
Source:   Kleinrock, Queueing Systems, volume 1, section 3.8.

Correctness:   shares of time and throughput agree with the formulas for a finite source, within their intervals.
Relevance:     for how many repairers pay; ways between the machines are left out.
Economy:       a process for each machine; the formula is cheaper, as long as nothing else is asked.
Clarity:       times in h; a machine is up, waits or is repaired.
Comparability: with the formula, and with any numbers of machines and repairers by its parameters.
Structure:     machines that go round for ever, and one resource of repairers.
"""

from __future__ import annotations

from math import comb, factorial

from steady_state import batch_means

import eventide as ev


def steady_state(machines: int, repairers: int, failure_rate: float, repair_rate: float) -> dict[str, float]:
    """The exact values, from the chances of 0, 1, 2, ... machines being down."""
    ratio = failure_rate / repair_rate
    weights = []
    for down in range(machines + 1):
        waiting = max(down - repairers, 0)
        orders = factorial(down) / (factorial(down - waiting) * repairers**waiting)
        weights.append(comb(machines, down) * orders * ratio**down)
    broken = sum(down * weight for down, weight in enumerate(weights)) / sum(weights)
    throughput = failure_rate * (machines - broken)
    return {"machines down": broken, "repairs per hour": throughput, "hours down": broken / throughput}


def machine(
    sim: ev.Simulation, shop: ev.Resource, failure_rate: float, repair_rate: float, downs: ev.Tally
) -> ev.ProcessGenerator:
    lives, repairs = sim.stream("lives"), sim.stream("repairs")
    while True:
        yield lives.negexp(failure_rate)
        broken = sim.time
        yield from shop.use(repairs.negexp(repair_rate))
        downs.add(sim.time - broken)


@ev.model(time_unit="h")
def finite_source(
    sim: ev.Simulation,
    *,
    machines: int = 10,
    repairers: int = 2,
    failure_rate: float = 0.2,
    repair_rate: float = 1.0,
    warm_up: float = 100.0,
    batches: int = 20,
    length: float = 500.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """Machines that break down and their repairers: the steady state beside the exact one."""
    shop = ev.Resource(sim, repairers, name="repairers")
    downs = ev.Tally(name="hours down")
    for _ in range(machines):
        sim.process(machine(sim, shop, failure_rate, repair_rate, downs))
    readings = {
        "machines down": lambda: shop.queue.mean + shop.in_use.mean,
        "repairs per hour": lambda: downs.count / length,
        "hours down": downs,
    }
    exact = steady_state(machines, repairers, failure_rate, repair_rate)
    return (yield from batch_means(sim, readings, exact, warm_up=warm_up, batches=batches, length=length))
