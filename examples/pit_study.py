"""How many places should the soaking pit have? A study on all cores, its table and its pictures.

Covers:   studies over a grid, replications under common random numbers, confidence intervals, a Latin hypercube with
          main effects, draws from a distribution, a store from which a killed study goes on.
Scenario: the furnace of `soaking_pit.py`. Places cost money, waiting ingots cool and cost heat.
Run:      python examples/pit_study.py [FOLDER]; pictures go into FOLDER, results into FOLDER/store.
"""

from __future__ import annotations

import sys
from pathlib import Path

import scipy.stats
from soaking_pit import soaking_pit

import eventide as ev
from eventide.view import save

HOURS = 200.0
REPLICATIONS = 20
POINTS = 64


def compare_places(folder: Path) -> ev.Replication:
    """Waiting for 8 to 12 places, each as often under the same arrivals."""
    study = ev.Study(soaking_pit(hours=HOURS), {"pits": [8, 9, 10, 11, 12]}, replications=REPLICATIONS, entropy=1)
    runs = study.run(store=folder / "store")
    save(runs.plot("waiting time").figure, folder / "places.png")
    return runs


def find_what_matters(folder: Path) -> ev.Replication:
    """Main effects of places and arrivals over many points that fill their ranges."""
    design = ev.designs.sobol(POINTS, {"pits": (8, 14), "gap": (2.0, 3.0), "arrivals": ["random", "regular"]})
    runs = ev.Study(soaking_pit(hours=HOURS), design, entropy=1).run()
    save(runs.plot("waiting time").figure, folder / "effects.png")
    return runs


def predict(folder: Path) -> ev.Replication:
    """Waiting at an order book that is known roughly: each replication draws its gap between ingots."""
    gap = scipy.stats.norm(2.5, 0.15)
    study = ev.Study(soaking_pit(hours=HOURS), {"pits": [10, 12], "gap": gap}, replications=2 * REPLICATIONS, entropy=2)
    runs = study.run()
    save(runs.plot("waiting time", by="pits").figure, folder / "prediction.png")
    return runs


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    runs = compare_places(folder)
    print(runs)
    print(runs.plan("waiting time", half_width=0.5))
    print(find_what_matters(folder).table[["pits", "gap", "arrivals", "waiting time"]].head())
    for pits, waiting in predict(folder).table.groupby("pits")["waiting time"]:
        low, high = waiting.quantile([0.05, 0.95])
        print(f"with {pits} places nine of ten months wait from {low:.1f} h to {high:.1f} h")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "pit_study"))
