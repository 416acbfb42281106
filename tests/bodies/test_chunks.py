"""Events of rows between two looks at the clock: many where it moves; where it does not, all happens as in Python."""

from __future__ import annotations

from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.discrete import same_time_limit
from eventide.migration import row_migration
from eventide.rows import memory


def holder(holds: int, pause: float) -> ev.ProcessGenerator:
    for _ in range(holds):
        yield ev.hold(pause)


def stuck(holds: int, pause: float) -> ev.ProcessGenerator:
    for _ in range(holds):
        yield ev.hold(pause)
    while True:
        yield ev.hold(0.0)


def run_stuck(compiles: Any, others: int, holds: int) -> tuple[list[Any], int]:
    """Two processes let time stand still while others would go on; who is told, and how many events were of rows."""
    sim = simulation(compiles)
    for k in range(others):
        sim.process(holder(500, 1.0 + k), name=f"holder {k}")
    for k in (1, 2):
        sim.process(stuck(holds, 1.0), name=f"stuck {k}")
    with pytest.raises(ev.ModelError) as told:
        sim.run()
    names = [name in str(told.value) for name in ("stuck 1 (", "stuck 2 (", "holder")]
    return [names, sim.time, sim.events < 60 + (others + 2) * (holds + 1)], taken(sim) if compiles else 0


@pytest.mark.parametrize("others", range(1, 9))
def test_who_lets_time_stand_still_is_told_as_in_python(others: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)
    monkeypatch.setattr(same_time_limit, "MOST_AT_ONE_INSTANT", 10)
    monkeypatch.setattr(same_time_limit, "EVENTS_AT_ONE_INSTANT", 60)
    for holds in (40, 41, 42, 43):
        plain, rows = run_stuck(False, others, holds), run_stuck("auto", others, holds)
        assert rows[0] == plain[0]
        assert rows[1] > 40


def test_while_the_clock_moves_rows_are_left_alone_for_many_events(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    proceed = row_migration.RowMigration._proceed

    def counted(away: row_migration.RowMigration, horizon: float, left: int) -> int:
        calls.append(left)
        return proceed(away, horizon, left)

    random_bodies.hurry(monkeypatch)
    monkeypatch.setattr(row_migration.RowMigration, "_proceed", counted)
    sim = simulation("auto")
    for k in range(3):
        sim.process(holder(2_000, 1.0 + k))
    sim.run(until=1_900.0)
    spells = taken(sim) // same_time_limit.CHUNK
    assert (spells > 800, len(calls) < spells // 8) == (True, True)


def waits(sim: ev.Simulation, ended: list[float]) -> ev.ProcessGenerator:
    yield ev.hold(40.0)
    ended.append(sim.time)


def makes(sim: ev.Simulation, gap: float, ended: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(gap)
        sim.process(waits(sim, ended))


@pytest.mark.slow
def test_an_event_that_waits_for_room_goes_on_where_it_is_the_last_of_its_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random_bodies.hurry(monkeypatch)
    monkeypatch.setattr(memory, "FIRST", 2)
    monkeypatch.setattr(memory, "FEWEST", 2)

    def run(compiles: Any, gaps: tuple[float, ...]) -> list[Any]:
        sim, ended = simulation(compiles), list[float]()
        for gap in gaps:
            sim.process(makes(sim, gap, ended))
        sim.process(0.2 for _ in range(400))
        sim.run(until=56.1)
        return [sim.events, ended, [(one.name, one.idle) for one in sim.processes]]

    for gaps in ((1.0,), (1.0, 1.5), (0.75, 2.0, 1.25)):
        assert run("auto", gaps) == run(False, gaps)
