"""Two machines that break down and are repaired: by two repairers, by one, or by one who comes only when both are down.

Covers:   processes as classes, a condition on discrete state, a level of the model's own, a choice of policies.
Scenario: a machine runs for a random time and is repaired for a random time, half as long on average. What share of
          their time do the machines run? With one repairer, how often is he free when a machine breaks down?
Source:   Matloff, Introduction to Discrete-Event Simulation and the SimPy Language: the programs MachRep1 to MachRep3.

Correctness:   the share of time in which the machines run agrees with the book's, within its interval.
Relevance:     for policies of repair; spare parts and wages are left out.
Economy:       two machines, the least number for which the policies differ.
Clarity:       a machine runs for one unit of time on average, and a repair takes half of it.
Comparability: with three programs of the book, by the name of the policy.
Structure:     machines as processes, a level of those that run, and a policy that says when repair begins.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from steady_state import batch_means

import eventide as ev

MACHINES = 2

EXACT = {
    "two": {"share of time running": 2.0 / 3.0},
    "one": {"share of time running": 0.6, "repairs that begin at once": 2.0 / 3.0},
    "late": {"share of time running": 5.0 / 11.0},
}
"""The balance of chances of 0, 1, 2 running machines; for "late" with one running machine before or after the call."""


class Machine(ev.Process):
    """Runs, breaks down, is repaired, and runs again."""

    repairers: ev.Resource
    running: ev.Level
    comes_late: bool

    def is_served(self) -> bool:
        """Whether the repairer is there, or is called because nothing runs any more."""
        return self.running.value == 0 or self.repairers.in_use.value > 0

    def run(self) -> ev.ProcessGenerator:
        lives, repairs = self.sim.stream(f"lives of {self.name}"), self.sim.stream(f"repairs of {self.name}")
        while True:
            yield lives.exponential(1.0)
            self.running.change(-1)
            if self.comes_late:
                yield ev.until(self.is_served)
            yield from self.repairers.use(repairs.exponential(0.5))
            self.running.change(+1)


@ev.model
def machine_repair(
    sim: ev.Simulation,
    *,
    repairers: Literal["two", "one", "late"] = "one",
    warm_up: float = 50.0,
    batches: int = 20,
    length: float = 500.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """Two machines and their repairers, "late": one who is called when both machines are down."""
    shop = ev.Resource(sim, 2 if repairers == "two" else 1, name="repairers")
    running = ev.Level(MACHINES, clock=sim, name="running machines")
    for _ in range(MACHINES):
        Machine(sim, repairers=shop, running=running, comes_late=repairers == "late").activate()
    readings = {
        "running machines": running,
        "share of time running": lambda: running.mean / MACHINES,
        "repairs that begin at once": lambda: float(np.mean(shop.waits.values == 0.0)),
    }
    exact = EXACT[repairers]
    return (yield from batch_means(sim, readings, exact, warm_up=warm_up, batches=batches, length=length))
