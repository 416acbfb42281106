"""Rows that go away and come home: what is refused, and what is raised amid native code."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import random_bodies
from bodies.holders import both, holder
from random_bodies import simulation, taken

import eventide as ev
from eventide.migration import row_migration
from eventide.streams.uniforms import Uniforms


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


def test_a_body_that_begins_with_a_declaration_goes_away() -> None:
    def run(sim: ev.Simulation) -> list[int]:
        served = 0

        def worker() -> ev.ProcessGenerator:
            nonlocal served
            for k in range(40):
                yield ev.hold(1.0)
                yield ev.hold(0.5)
                if k % 10 == 9:
                    served += k

        sim.process(worker())
        sim.run()
        return [sim.events, served]

    assert taken(both(run)[1]) > 50


def test_who_looks_amid_an_event_in_native_code_is_refused_and_no_process_is_lost() -> None:
    sim = simulation("auto", native=False)
    stream, seen = sim.stream("drawn"), list[int]()
    looks = {200}

    def numbers() -> Any:
        for k in range(100_000):
            if k in looks:  # as a signal handler may
                seen.append(len([process.event_time for process in sim.processes]))
            yield 0.5

    def worker() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(stream.uniform(0.5, 1.5))

    stream.random = Uniforms.from_iterable([numbers()]).__next__
    for _ in range(4):
        sim.process(worker())
    with pytest.raises(ev.ModelError, match="looked at a process or a resource amid an event in native code"):
        sim.run(until=100.0)
    assert taken(sim) > 100
    assert len(sim.processes) == 3  # the one that was drawing has met the error
    assert seen == []


def test_what_a_signal_handler_raises_between_two_events_of_rows_leaves_all_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for compiles in (False, "auto"):
        sim, rng, ended = simulation(compiles, native=False), Random(1), list[float]()
        for _ in range(5):
            sim.process(holder(sim, rng, 50, ended))
        if compiles:
            proceed = row_migration.RowMigration._proceed

            def rings(away: Any, horizon: float, most: int, proceed: Any = proceed) -> Any:
                engine = away._memory.engine

                def proceed_rows(*arguments: Any) -> int:
                    code: int = engine.proceed_rows(*arguments)
                    if away._memory.run.current < 0 and away.taken > 50:
                        monkeypatch.undo()
                        raise LookupError("rings")
                    return code

                away._memory.engine = SimpleNamespace(
                    **{name: getattr(engine, name) for name in dir(engine) if name[:2] != "__"}
                    | {"proceed_rows": proceed_rows}
                )
                try:
                    return proceed(away, horizon, most)
                finally:
                    away._memory.engine = engine

            monkeypatch.setattr(row_migration.RowMigration, "_proceed", rings)
            with pytest.raises(LookupError, match="rings"):
                sim.run()
            assert len(sim.processes) == 5
            random_bodies.hurry(monkeypatch)
        sim.run()
        found.append([ended, sim.time, sim.events, rng.random()])
    assert found[0] == found[1]
