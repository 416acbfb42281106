"""Processes that are methods, or objects of classes, leave the same as native code as in Python."""

from __future__ import annotations

import traceback
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest
import random_methods
from random_bodies import hurry, load, simulation

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def compare(seed: int, acts: int, tinkers: int, folder: Path, *, native: bool) -> tuple[int, int]:
    """Run a random model in Python and in rows; how many events of rows there were, and how many statements left."""
    text = random_methods.program(seed, acts, tinkers)
    expected = random_methods.outcome(simulation(False), load(text, folder, f"plain{seed}"), seed, acts, tinkers)
    sim = simulation("auto", native=native)
    found = random_methods.outcome(sim, load(text, folder, f"methods{seed}"), seed, acts, tinkers)
    assert found.replace(f"methods{seed}", f"plain{seed}") == expected, seed
    return (0, 0) if sim._migration is None else (sim._migration.taken, sum(sim._migration.exits.values()))


CHANGED = {"alone": (0, 0), "tinkered with": (0, 8), "changed": (0, 16), "meddled with": (14, 16)}


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "tinkers"), CHANGED.values(), ids=CHANGED)
def test_methods_that_run_as_rows_in_python_leave_the_same(acts: int, tinkers: int, tmp_path: Path) -> None:
    done = [compare(seed, acts, tinkers, tmp_path, native=False) for seed in (1, 2, 3, 4)]
    assert sum(taken for taken, _ in done) > 50


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "tinkers"), CHANGED.values(), ids=CHANGED)
def test_native_methods_leave_the_same(acts: int, tinkers: int, tmp_path: Path) -> None:
    done = [compare(seed, acts, tinkers, tmp_path, native=True) for seed in range(4)]
    assert sum(taken for taken, _ in done) > 50


class Worker(ev.Process):
    """Holds for times that are its own, and counts."""

    log: list[Any]
    gap: float = 1.0
    count: int = 0
    crew: Any = None

    def run(self) -> ev.ProcessGenerator:
        for _ in range(30):
            yield ev.hold(self.gap)
            self.count += 1
            yield ev.hold(0.25 + 0.5 * self.gap)
            self.gap = 0.5 + self.gap * 0.5


class Team:
    """Has processes that are methods."""

    def __init__(self, sim: ev.Simulation, log: list[Any], gap: float) -> None:
        self.sim, self.log, self.gap, self.count = sim, log, gap, 0

    def work(self) -> ev.ProcessGenerator:
        for _ in range(30):
            yield ev.hold(self.gap)
            self.count += 1
            yield ev.hold(0.25 + 0.5 * self.gap)
            self.gap = 0.5 + self.gap * 0.5


CLASS_OF_TEAM = [*vars(Team)]


def both(act: Any, kind: type[Any] = Worker, *, native: bool = False) -> tuple[list[Any], int]:
    """What a model logs in which somebody acts on four workers and a team, the same in rows; and events of rows."""
    found, taken = [], 0
    for compiles in (False, "auto"):
        for name in [name for name in vars(Team) if name not in CLASS_OF_TEAM]:
            delattr(Team, name)
        sim, log = simulation(compiles, native=native), []
        team = Team(sim, log, 1.5)
        workers = [kind(sim, log=log, gap=1.0 + k, name=f"w{k}") for k in range(4)]
        for worker in workers:
            worker.activate()
        sim.process(team.work())
        sim.process(team.work())
        sim.process(act(sim, log, workers, team))
        for _ in range(10):
            try:
                sim.run(until=40.0)
                break
            except (AttributeError, TypeError, ev.Interrupt, ev.ModelError) as error:
                log.append((sim.time, repr(error), traceback.extract_tb(error.__traceback__)[-1].name))
        log.append([(w.name, w.idle or w.event_time, w.terminated, w.__class__.__name__) for w in workers])
        log.append([[pair for pair in vars(w).items() if type(pair[1]) in (int, float)] for w in workers])
        found.append(
            [
                *log,
                getattr(team, "gap", None),
                getattr(team, "count", None),
                sim.events,
                [p.name for p in sim.processes],
            ]
        )
        taken = 0 if sim._migration is None else sim._migration.taken
    assert repr(found[1]) == repr(found[0])
    return found[0], taken


def resting(sim: ev.Simulation, log: list[Any], workers: list[Any], team: Team) -> ev.ProcessGenerator:
    yield 30.0


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_objects_and_methods_run_in_rows_with_their_attributes(native: bool) -> None:
    found, taken = both(resting, native=native)
    assert taken > 200
    assert found[-3] == 44


ACTS = {
    "sets": "one.gap = 2.0",
    "sets another type": "one.gap = 2",
    "sets a whole number that is too wide": "one.count = 2**63",
    "sets a whole number that is nearly too wide": "one.count = 2**62 - 1",
    "sets no number": "one.gap = None",
    "sets a text": "one.count = 'many'",
    "deletes": "del one.gap",
    "deletes what has no default": "del team.gap",
    "writes into the dictionary": "vars(one)['gap'] = 0.125",
    "replaces the dictionary of a team": "team.__dict__ = {**vars(team), 'gap': 0.75}",
    "sets a negative time": "one.gap = -1.0",
    "sets infinity": "one.gap = float('inf')",
    "sets NaN": "team.gap = float('nan')",
    "adds a property": "type(team).gap = property(lambda self: 0.5, lambda self, value: log.append(value))",
    "adds a default": "Team.spare = 1.0; del team.count; Team.count = 5",
    "adds __getattr__": "Team.__getattr__ = lambda self, name: log.append(name) or 0.5; del team.gap",
    "adds __setattr__": "Team.__setattr__ = lambda self, name, value: log.append(name)",
    "adds a look": "Team.__setattr__ = lambda *given: log.append([p.event_time for p in sim.processes if not p.idle])",
    "adds __getattribute__": "Team.__getattribute__ = lambda self, name: log.append(name) or GET(self, name)",
    "exchanges the class": "one.__class__ = Slow; log.append((one.event_time, one.idle))",
    "exchanges the class of a team": "team.__class__ = Lazy",
    "asks for the class": "log.append((one.__class__ is Worker, isinstance(one, Worker), one.event_time))",
    "replaces the story": "one.run = lambda: iter(()); log.append(one.why_waiting()[:12])",
    "ends": "one.end()",
    "interrupts": "one.interrupt(7)",
    "activates": "one.reactivate(delay=0.25)",
    "looks at all": "log.append([p.name for p in sim.processes])",
    "looks at the schedule": "log.append([(e.time, e.name) for e in sim.schedule])",
    "hands a number over": "one.gap, team.gap = team.gap, one.gap",
    "makes another like it": "log.append(one.__class__(sim, log=log, gap=0.5).activate().name)",
    "gives it a name": "one.name = 'renamed'; log.append(str(one))",
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_whatever_is_done_to_an_object_is_seen_as_in_python(act: str) -> None:
    def acting(sim: ev.Simulation, log: list[Any], workers: list[Any], team: Team) -> ev.ProcessGenerator:
        one = workers[2]
        yield 12.0
        exec(act, {**globals(), "one": one, "team": team, "log": log, "sim": sim})  # noqa: S102  # of this test
        yield 6.0
        log.append((one.count, team.__dict__.get("gap"), one.terminated))

    assert both(acting)[1] > 20
    assert both(acting)[1] > -1  # with code that is known by now


GET = object.__getattribute__


class Slow(Worker):
    """Has a property in the place of an attribute."""

    @property
    def gap(self) -> float:  # type: ignore[override]  # that is the point
        return 3.0

    @gap.setter
    def gap(self, value: float) -> None:
        self.log.append(("gap", value))


class Lazy(Team):
    """Has other attributes."""

    gap: float = 9.0


class Watched(Worker):
    """Has its own way with attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "count":
            self.log.append(value)
        super().__setattr__(name, value)


class Asked(Worker):
    """Has attributes that nobody has set."""

    def __getattr__(self, name: str) -> Any:
        self.log.append(name)
        raise AttributeError(name)


class Slotted(Worker):
    """Has an attribute more."""

    __slots__ = ("more",)


class Proud(Worker):
    """Knows its subclasses."""

    known: ClassVar[list[str]] = []

    def __init_subclass__(cls) -> None:
        Proud.known.append(cls.__name__)
        super().__init_subclass__()


@pytest.mark.parametrize("kind", [Watched, Asked, Slotted, Proud, Slow])
def test_classes_with_ways_of_their_own_are_the_same(kind: type[Worker]) -> None:
    assert both(resting, kind)[1] > (20 if kind not in (Watched, Asked, Slow) else -1)
    assert Proud.known == []


class Gauge:
    """Has a number that may be none."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.factor, self.told = rng, 1.0, list[float]()

    def measure(self) -> ev.ProcessGenerator:
        for _ in range(40):
            yield ev.hold(1.0)
            yield ev.hold(0.5)
            self.told.append(self.rng.random() * self.factor)


def test_what_a_statement_reads_is_read_before_it_draws_wherever_it_leads() -> None:
    found = []
    for compiles in (False, "auto"):
        sim, rng = simulation(compiles), Random(1)
        gauges = [Gauge(rng) for _ in range(3)]
        for gauge in gauges:
            sim.process(gauge.measure())

        def change(gauges: list[Gauge] = gauges) -> ev.ProcessGenerator:
            yield 20.25
            gauges[1].factor = 2
            yield 10.0
            gauges[0].rng, gauges[2].told = Random(9), []

        sim.process(change())
        sim.run()
        found.append([*(gauge.told for gauge in gauges), rng.random(), sim.events])
        assert compiles is False or (sim._migration is not None and sim._migration.taken > 50)
    assert found[0] == found[1]


def test_a_method_that_stays_python_for_one_class_is_native_for_another() -> None:
    assert both(resting, Slow)[1] >= 0
    assert both(resting)[1] > 100
