"""Understand what was: hares and lynxes, a century ago, by a model whose parameters are found from data.

Covers:   calibration by exact derivatives, confidence intervals, data against model.
Scenario: pelts that the Hudson's Bay Company bought from 1900 to 1920, in thousands; hares grow by themselves and are
          eaten, lynxes live on them and die out without (Lotka and Volterra).
Source:   data of Elton and Nicholson 1942, as in Carpenter 2018.
Run:      python examples/hares_and_lynxes.py [FOLDER]; the picture goes into FOLDER.

Correctness:   parameters with their intervals, found from the data; what they leave unexplained is drawn beside
               these.
Relevance:     for two species that live on each other; weather, food and hunters are left out.
Economy:       two states and four rates; twenty-one years of data would not tell more of them apart.
Clarity:       animals in thousands, as pelts that were bought; times in years from 1900.
Comparability: with the published fits of the same data.
Structure:     a forest with its law; the search for parameters stands outside of it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

import eventide as ev

PELTS = pd.DataFrame(
    {
        "hares": [
            30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1,
            40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7,
        ],
        "lynxes": [
            4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4,
            8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6,
        ],
    },
    index=pd.RangeIndex(21, name="time"),
)  # fmt: skip
"""By the years since 1900."""

RANGES = {
    "growth": (0.1, 1.5),
    "hunting": (0.005, 0.1),
    "hunger": (0.1, 2.0),
    "feeding": (0.005, 0.1),
    "hares": (10.0, 60.0),
    "lynxes": (1.0, 20.0),
}


class Forest(ev.Continuous):
    """Both populations, in thousands of pelts."""

    hares: ev.State = ev.state(30.0)
    lynxes: ev.State = ev.state(4.0)
    growth: float = ev.field(default=0.5, unit="1/a")
    hunting: float = ev.field(default=0.03, unit="1/a")
    hunger: float = ev.field(default=0.9, unit="1/a")
    feeding: float = ev.field(default=0.03, unit="1/a")

    def equations(self) -> None:
        self.rate.hares = (self.growth - self.hunting * self.lynxes) * self.hares
        self.rate.lynxes = (self.feeding * self.hares - self.hunger) * self.lynxes


@ev.model(until=20.0, rel_error=1e-8, abs_error=1e-8, time_unit="a")
def forest(
    sim: ev.Simulation,
    *,
    growth: float = 0.5,
    hunting: float = 0.03,
    hunger: float = 0.9,
    feeding: float = 0.03,
    hares: float = 30.0,
    lynxes: float = 4.0,
) -> dict[str, object]:
    """Hares and lynxes from 1900 on."""
    one = Forest(
        sim, hares=hares, lynxes=lynxes, growth=growth, hunting=hunting, hunger=hunger, feeding=feeding, name="forest"
    ).start()
    sim.record(one, every=0.1)
    return {"hares at the end": lambda: one.hares, "lynxes at the end": lambda: one.lynxes}


def understand(folder: Path) -> ev.Calibration:
    """What the data say of the forest."""
    found = ev.calibrate(forest, PELTS, RANGES, entropy=1)
    ev.view.save(found.plot(), folder / "hares_and_lynxes.png")
    return found


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    found = understand(folder)
    print(found)
    around = found.best["hunger"] / found.best["feeding"], found.best["growth"] / found.best["hunting"]
    print(f"both go around {around[0]:.1f} thousand hares and {around[1]:.1f} thousand lynxes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "hares_and_lynxes"))
