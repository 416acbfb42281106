"""A Jackson network: two servers one after the other, and some work that comes back to the first.

Covers:   a process that visits several resources and loops, routing by chance, statistics of whole visits.
Scenario: jobs arrive at random, are worked on and then inspected. Three of ten fail the inspection and begin again
          at the end of the first line, until they pass.
Source:   Jackson 1957; Kleinrock, Queueing Systems, volume 1, section 4.8.

Correctness:   means at both servers agree with the product form, within their intervals.
Relevance:     for rework in a line of production; batches and breaks are left out.
Economy:       two resources and a loop; a formula is cheaper for these distributions alone.
Clarity:       rates are by unit of time; a visit is all from arrival to departure.
Comparability: with the product form, and with other networks by rates and the chance of rework.
Structure:     jobs are processes that visit two resources; chance decides on another round.
"""

from __future__ import annotations

from steady_state import batch_means

import eventide as ev


class Shop:
    """The two stations and what is known of the jobs that left."""

    def __init__(self, sim: ev.Simulation) -> None:
        self.sim = sim
        self.works, self.inspections, self.verdicts = map(sim.stream, ("works", "inspections", "verdicts"))
        self.work = ev.Resource(sim, name="work")
        self.inspection = ev.Resource(sim, name="inspection")
        self.stays = ev.Tally(name="time in the shop")

    def job(self, work_rate: float, inspection_rate: float, failing: float) -> ev.ProcessGenerator:
        arrived = self.sim.time
        while True:
            yield from self.work.use(self.works.negexp(work_rate))
            yield from self.inspection.use(self.inspections.negexp(inspection_rate))
            if not self.verdicts.draw(failing):
                break
        self.stays.add(self.sim.time - arrived)


@ev.model
def jackson(
    sim: ev.Simulation,
    *,
    arrival_rate: float = 1.0,
    work_rate: float = 2.0,
    inspection_rate: float = 2.5,
    failing: float = 0.3,
    warm_up: float = 200.0,
    batches: int = 20,
    length: float = 600.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """Two stations and a share `failing` of the work that is done again: the steady state beside the exact one."""
    shop = Shop(sim)
    gaps = sim.stream("gaps")

    def arrivals() -> ev.ProcessGenerator:
        while True:
            yield gaps.negexp(arrival_rate)
            sim.process(shop.job(work_rate, inspection_rate, failing))

    sim.process(arrivals())
    through = arrival_rate / (1.0 - failing)  # each station sees every job this often, and is an M/M/1 of its own
    working, inspected = through / (work_rate - through), through / (inspection_rate - through)
    readings = {
        "jobs at work": lambda: shop.work.queue.mean + shop.work.in_use.mean,
        "jobs at inspection": lambda: shop.inspection.queue.mean + shop.inspection.in_use.mean,
        "time in the shop": shop.stays,
    }
    exact = {
        "jobs at work": working,
        "jobs at inspection": inspected,
        "time in the shop": (working + inspected) / arrival_rate,
    }
    return (yield from batch_means(sim, readings, exact, warm_up=warm_up, batches=batches, length=length))
