"""Improve what is: how fast should a desk serve? The rate of least cost, beside the exact one.

Covers:   minimising the mean of a random model under common random numbers, its value by replications that the search
          has not seen, the history of a search.
Scenario: customers arrive at random, one a minute, and wait in a line. A minute of a customer in the shop costs 1, and
          so does a desk that serves one a minute: a faster one costs more. With the rate mu the mean cost a minute is
          mu + 1 / (mu - 1), least at mu = 2 where it is 3.
Source:   Gross, Shortle, Thompson & Harris 2008, Fundamentals of Queueing Theory, 2.2.
Run:      python examples/best_rate.py [FOLDER]; the picture goes into FOLDER.

Correctness:   the rate that is found and its cost are compared with the exact ones.
Relevance:     for one desk and its speed; wages by the hour and several desks are left out.
Economy:       one resource; runs are as long as the search needs to tell neighbouring rates apart.
Clarity:       times in min, costs by the minute; the rate is that of a desk that is busy.
Comparability: with the formula of the queue, under the same arrivals and works at every rate.
Structure:     customers as plain generators and one resource; the search stands outside of the model.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import eventide as ev

MINUTES = 2000.0
REPLICATIONS = 10


def customer(sim: ev.Simulation, desk: ev.Resource, work: float, inside: ev.Level) -> ev.ProcessGenerator:
    inside.change(1.0)
    with desk.request() as place:
        yield place
        yield ev.hold(work)
    inside.change(-1.0)


@ev.model(time_unit="min")
def shop(
    sim: ev.Simulation, *, rate: float = 3.0, minutes: float = MINUTES
) -> ev.ProcessGenerator[dict[str, ev.Quantity]]:
    """A shop with one desk: its mean cost a minute."""
    desk, inside = ev.Resource(sim, 1, name="desk"), sim.level("customers inside")
    arrivals, works = sim.stream("arrivals"), sim.stream("works")
    while sim.time < minutes:
        yield ev.hold(arrivals.exponential(1.0))
        # The work is drawn as the customer arrives, so that each has the same at every rate.
        sim.process(customer(sim, desk, works.exponential(1.0) / rate, inside))
    return {"cost": ev.Quantity(rate + inside.mean, unit="1/min")}


def improve(folder: Path) -> ev.Optimum:
    """The best rate, and a picture of the way to it."""
    found = ev.minimise(
        shop(minutes=MINUTES), "cost", {"rate": (1.2, 5.0)}, replications=REPLICATIONS, tolerance=0.01, entropy=1
    )
    figure = ev.view.new_figure()
    axes = figure.add_subplot()
    rates = np.linspace(1.2, 5.0, 200)
    axes.plot(rates, rates + 1.0 / (rates - 1.0), label="exact")
    tried = found.history
    axes.errorbar(
        tried["rate"], tried["value"], yerr=2.0 * tried["standard error"], linestyle="", marker="o", markersize=4,
        label=f"what the search tried: means of {REPLICATIONS} runs, +- 2 standard errors",
    )  # fmt: skip
    axes.set(xlabel="rate of service [1/min]", ylabel="cost [1/min]", ylim=(2.5, 6.5))
    figure.legend(loc="outside lower center", frameon=False)
    ev.view.save(figure, folder / "best_rate.png")
    return found


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    print(improve(folder))
    print("exactly: least cost 3 at rate 2")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "best_rate"))
