"""Four counters, each with a line of its own: who stays where he is, who gives up, who changes lines.

Covers:   a choice among resources, order of events at one instant, reneging, requests that move to another resource.
Scenario: a hundred customers, one every minute, join the shortest of four lines, counting whoever is being served; of
          equal ones the first. Each is served for 4.5 minutes, so that many services end just when somebody comes.
          They stay; or they go away after nine minutes of waiting, even if it would be their turn at that minute; or,
          whenever a service ends, the last of the longest line goes over to that counter if he stands further ahead
          there.
Source:   ARGESIM comparison C22, non-standard queuing policies. Its first policy is the one with known results; the
          other two follow its idea by the rules written here.

Correctness:   the first policy has the known results; all three agree with a plain list of events.
Relevance:     for what lines and leaving them do to waiting; how quickly people walk is left out.
Economy:       a hundred customers without chance, so that one run is enough.
Clarity:       times in min; lines are numbered from 0, and equal ones are taken in this order.
Comparability: with the solutions of C22 by other tools.
Structure:     counters as resources, customers as processes, the policy as a parameter.
"""

from __future__ import annotations

from typing import Literal

import eventide as ev

COUNTERS = 4
CUSTOMERS = 100
SERVICE = 4.5  # min
PATIENCE = 9.0  # min


def length(counter: ev.Resource) -> float:
    """How many stand at a counter, being served or waiting."""
    return counter.in_use.value + counter.queue.value


class Hall:
    """The counters, and what became of the customers."""

    def __init__(self, sim: ev.Simulation, policy: str) -> None:
        self.sim = sim
        self.policy = policy
        self.counters = [ev.Resource(sim, name=f"counter {number}") for number in range(1, COUNTERS + 1)]
        self.waits = ev.Tally(name="waiting time", unit="min")
        self.at_once = self.gave_up = self.changes = 0
        self.last_departure = 0.0

    def customer(self) -> ev.ProcessGenerator:
        sim = self.sim
        # A service that ends at this very minute has ended: its end was scheduled before this arrival was.
        arrived = sim.time
        with min(self.counters, key=length).request() as place:
            if self.policy == "renege":
                outcome = yield ev.first_of(served=place, gave_up=ev.hold(PATIENCE))
                if outcome.name == "gave_up":
                    self.gave_up += 1
                    return
            else:
                yield place
            self.waits.add(sim.time - arrived)
            self.at_once += sim.time == arrived
            yield ev.hold(SERVICE)
            self.last_departure = sim.time
            counter = place.resource  # where he came, or where he changed over to
        if self.policy == "jockey":
            self.change_lines(counter)

    def change_lines(self, counter: ev.Resource) -> None:
        """Let the last of the longest line come to `counter` if that is worth it."""
        longest = max(self.counters, key=length)
        if length(longest) >= length(counter) + 2:
            longest.waiting[-1].move(counter)
            self.changes += 1


@ev.model(time_unit="min")
def four_queues(
    sim: ev.Simulation, *, policy: Literal["stay", "renege", "jockey"] = "stay"
) -> ev.ProcessGenerator[dict[str, object]]:
    """A hundred customers at four counters who stay in their line, or give up, or change lines."""
    hall = Hall(sim, policy)
    customers = []
    for _ in range(CUSTOMERS):
        yield ev.hold(1.0)
        customers.append(sim.process(hall.customer()))
    yield from customers  # wait for the end of each
    return {
        "waiting time": hall.waits,
        "longest wait": ev.Quantity(hall.waits.maximum, unit="min"),
        "last departure": ev.Quantity(hall.last_departure, unit="min"),
        "served": hall.waits.count,
        "served at once": hall.at_once,
        "gave up": hall.gave_up,
        "changes of line": hall.changes,
    }
