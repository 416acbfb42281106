"""Who looks at statistics of what is away sees what they are now, and brings nobody home."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from random_bodies import hurry, simulation, taken

import eventide as ev
from eventide.migration import row_migration


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def machine(sim: ev.Simulation, crew: ev.Resource, running: ev.Level, downs: ev.Tally, rng: Random) -> Any:
    while True:
        yield rng.expovariate(1.0)
        running.change(-1)
        broken = sim.time
        yield from crew.use(rng.expovariate(1.5))
        downs.add(sim.time - broken)
        running.change(+1)


def read(crew: ev.Resource, running: ev.Level, downs: ev.Tally) -> list[Any]:
    """All that is told of statistics."""
    found = [(one.mean, one.value, one.maximum, one.fraction(1), one.elapsed) for one in (crew.queue, running)]
    waits = crew.waits
    return [*found, crew.in_use.integral, waits.mean, list(waits.values), crew.counts, crew.available, downs.count]


class Model:
    """Machines, and a main program that looks after each batch."""

    def __init__(self, sim: ev.Simulation, fetched: list[object], *, spoils: float = 0.0, until: float = 410.0) -> None:
        self.sim, self.fetched, self.spoils, self.until = sim, fetched, spoils, until
        self.crew, self.running = ev.Resource(sim, 2, name="crew"), ev.Level(6, clock=sim)
        self.downs, self.rng = ev.Tally(), Random(3)
        self.log: list[Any] = []
        self.trips: list[int] = []
        for _ in range(6):
            sim.process(machine(sim, self.crew, self.running, self.downs, self.rng))

    def main(self) -> Any:
        crew, running = self.crew, self.running
        for batch in iter(range(20)):
            yield ev.hold(20.0)
            self.log.append(read(crew, running, self.downs))
            self.log.append((crew.name, isinstance(crew, ev.Resource), isinstance(running, ev.Tally | ev.Level)))
            self.log.append((crew.utilisation, crew.waits.__class__, crew.capacity))
            if batch % 3 == 0:
                self.sim.reset_statistics()
                running.reset()
            elif batch % 3 == 1:
                crew.waits.reset()
                crew.queue.reset()
            else:
                running.change(self.spoils)
            self.trips.append(len(self.fetched))

    def run(self) -> list[Any]:
        self.sim.process(self.main())
        self.sim.run(until=self.until)
        return [self.log, self.sim.events, self.rng.random(), read(self.crew, self.running, self.downs)]


def both(monkeypatch: pytest.MonkeyPatch, *, native: bool = False, **options: Any) -> tuple[list[Any], Model]:
    """What the model leaves in rows, as in Python, and the model."""
    fetched: list[object] = []
    fetch = row_migration.RowMigration._fetch
    monkeypatch.setattr(row_migration.RowMigration, "_fetch", lambda *of: fetched.append(of) or fetch(*of))
    expected = Model(simulation(False), fetched, **options).run()
    model = Model(simulation("auto", native=native), fetched, **options)
    assert model.run() == expected
    return expected, model


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_looks_at_statistics_or_restarts_them_brings_nobody_home(
    native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, model = both(monkeypatch, native=native, spoils=1)
    assert len(found[0]) == 60
    assert taken(model.sim) > 0.9 * model.sim.events
    assert model.trips == [0] * 20


def test_who_sets_a_level_to_what_rows_cannot_keep_brings_all_home(monkeypatch: pytest.MonkeyPatch) -> None:
    _, model = both(monkeypatch, spoils=0.5, until=81.0)
    assert model.trips[:3] == [0] * 3
    assert model.trips[3] > 4


def test_who_looks_too_often_has_all_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_migration, "EACH", 4)
    monkeypatch.setattr(row_migration, "EACH_EARLY", 4)
    monkeypatch.setattr(row_migration, "BACK", 4)

    def run(sim: ev.Simulation) -> list[Any]:
        rng, found = Random(1), []
        crew, running = ev.Resource(sim, 2), ev.Level(6, clock=sim)
        for _ in range(6):
            sim.process(machine(sim, crew, running, ev.Tally(), rng))
        sim.process(watcher(running, found))
        sim.run(until=101.0)
        return [found, sim.events, rng.random()]

    sim = simulation("auto")
    assert run(sim) == run(simulation(False))
    assert sim._migration is not None
    assert sim._migration._pause > 1


def watcher(level: ev.Level, found: list[Any]) -> Any:
    for _ in iter(range(200)):
        yield ev.hold(0.5)
        found.append(level.mean)
