"""Predict what is not known: how many will be ill, when contacts and recovery are known only roughly.

Covers:   bands of a prediction from uncertain parameters, a decision by state events, which parameters matter.
Scenario: an infection spreads (Kermack and McKendrick). When one in twenty is ill contacts are cut, and set free again
          below one in fifty. How often people meet, and how long they are ill, is known as a distribution each.
Run:      python examples/epidemic.py [FOLDER]; the picture goes into FOLDER.

Correctness:   parameters that are certain give the plain run; the bands are quantiles of runs, which more runs
               confirm.
Relevance:     for how far a forecast can be trusted; ages, places and seasons are left out.
Economy:       two states for a whole town; people one by one would cost a thousand times as much for the same bands.
Clarity:       shares of the town from 0 to 1, times in days.
Comparability: with every model of Kermack and McKendrick, by contacts a day and days of illness.
Structure:     an epidemic with its law, and an authority as a process that waits for its levels.
"""

from __future__ import annotations

import sys
from pathlib import Path

from scipy import stats

import eventide as ev

RUNS = 200
UNCERTAIN = {"contact": stats.norm(0.4, 0.04), "days_ill": stats.triang(0.5, loc=8.0, scale=4.0)}


class Epidemic(ev.Continuous):
    """Shares of all people."""

    susceptible: ev.State = ev.state(0.999)
    ill: ev.State = ev.state(0.001, unit="of all")
    contact: float = ev.field(default=0.4, unit="1/d")
    days_ill: float = ev.field(default=10.0, unit="d")

    def equations(self) -> None:
        new = self.contact * self.susceptible * self.ill
        self.rate.susceptible = -new
        self.rate.ill = new - self.ill / self.days_ill


def authority(epidemic: Epidemic, closed: ev.Level) -> ev.ProcessGenerator:
    """Cuts contacts by half while too many are ill."""
    free = epidemic.contact
    while True:
        yield ev.until(lambda: epidemic.ill > 0.05)
        epidemic.contact = 0.5 * free
        closed.change(1.0)
        yield ev.until(lambda: epidemic.ill < 0.02)
        epidemic.contact = free
        closed.change(-1.0)


@ev.model(until=365.0, time_unit="d")
def town(sim: ev.Simulation, *, contact: float = 0.4, days_ill: float = 10.0) -> dict[str, object]:
    """A year of an epidemic, under an authority that reacts."""
    epidemic = Epidemic(sim, contact=contact, days_ill=days_ill, name="town").start()
    closed = sim.level("closed")
    sim.process(authority(epidemic, closed))
    sim.record(epidemic, every=1.0)
    most = sim.integral(lambda: epidemic.ill, name="ill")
    return {"most ill at once": lambda: most.maximum, "share of days closed": closed}


def predict(folder: Path) -> ev.Prediction:
    """The share that is ill, in bands over a year."""
    found = ev.predict(town, UNCERTAIN, runs=RUNS, entropy=1)
    axes = found.plot("ill")
    axes.axhline(0.05, linestyle="--", linewidth=1.0, color="0.5")
    ev.view.save(axes.figure, folder / "epidemic.png")
    return found


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    print(predict(folder))
    print(ev.global_sensitivity(town, UNCERTAIN, samples=64, entropy=1))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "epidemic"))
