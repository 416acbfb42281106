"""`match` of a variable or an attribute with constants in processes that are rows."""

from __future__ import annotations

import traceback
from random import Random
from typing import Any

import pytest
from bodies.holders import State, both
from random_bodies import hurry, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Machine:
    """What has a state."""

    def __init__(self) -> None:
        self.state: Any = State.IDLE
        self.since: Any = None
        self.served = 0


def working(sim: ev.Simulation, machine: Machine, log: list[Any]) -> ev.ProcessGenerator:
    kind = "a"
    for k in range(60):
        match machine.state:
            case State.IDLE:
                machine.state = State.BUSY
                yield ev.hold(0.5)
            case State.BUSY if k % 5 == 4:
                machine.state, machine.since = State.DOWN, sim.time
            case State.BUSY:
                yield ev.hold(0.25)
                machine.served += 1
            case State.DOWN:
                yield ev.hold(1.0)
                machine.state = State.IDLE
        match kind:
            case "a" | None:
                kind = "b"
            case "b" if machine.served > 3 and k % 2:
                kind = "c"
            case "b":
                yield ev.hold(0.125)
                kind = "a"
            case _:
                log.append((sim.time, kind, k))
                kind = "a"
        match machine.since:
            case None:
                continue
            case 0 | 1 | 2.5:
                log.append(machine.since)
            case _:
                log.append(-machine.since)
        machine.since = None


def test_what_matches_constants_stays_in_rows() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        machines, log = [Machine(), Machine()], list[Any]()
        for machine in machines:
            sim.process(working(sim, machine, log))
        for horizon in (3.1, 7.3, 40.0):
            sim.run(until=horizon)
            log.append([vars(machine).copy() for machine in machines])
        return log

    log, sim = both(run)
    assert len(log) > 20
    assert taken(sim) > 40
    assert "but for" not in str(sim.explain())


def drawing(sim: ev.Simulation, rng: Random, machine: Machine, log: list[Any]) -> ev.ProcessGenerator:
    for k in range(60):
        yield ev.hold(0.5)
        match machine.served:
            case 0 | 1 if rng.random() < 0.5:
                machine.served += 1
            case 2 if log[k % 3] > 0:
                machine.served = 0
            case _:
                machine.served = k % 4
        log.append(machine.served)


def test_guards_that_draw_or_fail_are_left_to_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        machine, log, rng = Machine(), list[Any](), Random(3)
        sim.process(drawing(sim, rng, machine, log))
        sim.run(until=20.2)
        log[:] = [1, "x", 2]
        for _ in range(3):
            try:
                sim.run()
            except TypeError as error:
                log.append((repr(error), traceback.extract_tb(error.__traceback__)[-1].lineno))
        return [log, rng.random(), sim.time]

    (log, _, _), _ = both(run)
    assert "TypeError" in log[-1][0]


def counted(sim: ev.Simulation, log: list[Any], turns: int) -> ev.ProcessGenerator:
    for k in range(turns):
        match k % 3 + len(log) // 1000:
            case 0:
                yield ev.hold(0.5)
            case 1 | 2:
                yield ev.hold(0.25)
        match 1 / (9 - k):
            case _:
                pass
        match log and k / 40:
            case _ if k < 38:
                log.append(k)
            case True | 1.0:
                log.append(0.5)
        match 1 / (20 - k):
            case 1.0:
                log.append(-1)
            case 0.0:
                log.append(-2)


@pytest.mark.parametrize("turns", [8, 60])
def test_the_subject_may_be_computed_and_is_evaluated_whatever_follows(turns: int) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()
        sim.process(counted(sim, log, turns))
        try:
            sim.run()
        except ZeroDivisionError as error:
            log.append((repr(error), traceback.extract_tb(error.__traceback__)[-1].lineno))
        return [log, sim.time]

    both(run)


def turning(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
    for k in range(60):
        match k % 3:
            case 0:
                yield ev.hold(0.5)
            case 1 | 2:
                yield ev.hold(0.25)
        log.append((sim.time, k))


def test_a_computed_subject_stays_in_rows() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()
        sim.process(turning(sim, log))
        sim.run()
        return log

    log, sim = both(run)
    assert len(log) == 60
    assert taken(sim) > 50
