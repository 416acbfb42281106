"""Numbers that are now whole, now floats, handed to functions that are gone through and to processes that are made."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from bodies.holders import both, numbers_of
from random_bodies import hurry, taken

import eventide as ev

Route = list[tuple[ev.Resource, float]]
WORKS = (1, 0.5, 2, 0.25, 3.0)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def longer(work: float, share: float) -> float:
    return work + work * share


def stay(work: float, log: list[Any]) -> ev.ProcessGenerator[float]:
    begun = work
    yield ev.hold(work)
    work = work + 1
    yield ev.hold(begun)
    log.append((begun, work))
    return work


def visit(desk: ev.Resource, work: float, count: int, log: list[Any]) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(work)
    log.append((work, work + count, count))
    work = work + 1
    yield ev.hold(0.25)
    log.append(work)


def unused(work: float, log: list[Any]) -> ev.ProcessGenerator:
    yield ev.hold(0.5)
    log.append("unused")


def models(sim: ev.Simulation, route: Route, rng: Random, log: list[Any]) -> dict[str, Any]:
    def user() -> ev.ProcessGenerator:
        for desk, work in route:
            yield from desk.use(work)
            log.append((sim.time, work))

    def goes() -> ev.ProcessGenerator:
        for _, work in route:
            try:
                left = yield from stay(work, log)
                log.append(left)
            except ev.Interrupt as cut:
                log.append((cut.left, work))
            yield ev.hold(longer(work, 0.5) * rng.random())

    def makes() -> ev.ProcessGenerator:
        for step, (desk, work) in enumerate(route):
            yield sim.process(visit(desk, work, step, log))
            sim.process(unused(work, log), name=f"unused {step}")

    return {"used": user, "gone through": goes, "made": makes}


def jobs(sim: ev.Simulation, how: str, stops: tuple[float, ...], every: float, seed: int) -> list[Any]:
    rng, log, desks = Random(seed), list[Any](), [ev.Resource(sim, name=f"desk {k}") for k in range(3)]
    route: Route = [(desks[0], 1), (desks[1], 0.5), (desks[2], 2), (desks[0], 0.25)]
    story = models(sim, route, rng, log)[how]

    def source() -> ev.ProcessGenerator:
        for _ in range(80):
            yield ev.hold(rng.expovariate(0.3))
            sim.process(story())

    def changer() -> ev.ProcessGenerator:
        for step in iter(range(60)):
            yield ev.hold(every)
            route[rng.randrange(4)] = desks[rng.randrange(3)], rng.choice(WORKS)
            alive = [one for one in sim.processes if one.name[0] not in "sc"]
            if alive:
                log.append(alive[step % len(alive)].why_waiting().rpartition("/")[2])
            if alive and step % 3 == 0:
                alive[-1].interrupt(step)

    sim.process(source())
    if every:
        sim.process(changer())
    for until in stops:
        while sim.time < until:
            try:
                sim.run(until=until)
            except ev.Interrupt as cut:
                log.append(("raised", sim.time, cut.left))
        log.append([sorted(one.items()) for one in numbers_of(sim)])
    return [log, [(one.waits.count, one.waits.mean, one.queue.mean) for one in desks], rng.random(), sim.events]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("how", ["used", "gone through", "made"])
def test_a_number_of_either_type_is_handed_on(how: str, native: bool) -> None:
    for seed, stops in enumerate([(250.0,), (31.0, 50.5, 70.0, 101.0, 101.0, 250.0)]):
        for every in (0.0, 4.3):
            _, sim = both(lambda sim, at=stops, e=every, s=seed: jobs(sim, how, at, e, s), native=native)  # type: ignore[misc]
            assert sim._migration is not None
            assert taken(sim) > (0.02 if every else 0.9) * sim.events
            if not every:
                assert sim._migration.exits == {}
