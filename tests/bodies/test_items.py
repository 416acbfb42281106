"""Numbers that rows read from lists and tuples are those that are there, and errors come where they come in Python."""

from __future__ import annotations

import traceback
from random import Random
from typing import Any

import pytest
from bodies.holders import both, numbers_of
from random_bodies import hurry, taken

import eventide as ev

RATES = [0.5, 1.0, 2.0, 4.0]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Plan:
    """What is done when."""

    def __init__(self, steps: tuple[int, ...]) -> None:
        self.steps = steps


def arrivals(sim: ev.Simulation, gaps: list[float], plan: Plan, log: list[Any], rng: Random) -> ev.ProcessGenerator:
    for k in range(len(gaps)):
        yield ev.hold(gaps[k])
        rate = RATES[int(sim.time) % len(RATES)]
        if rng.random() * 4.0 < rate:
            log.append((sim.time, plan.steps[k % len(plan.steps)], gaps[-1]))


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_tables_and_traces_are_read_in_rows(native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        log, rng = list[Any](), Random(4)
        for number in range(3):
            gaps = [rng.expovariate(1.0) for _ in range(60 + number)]
            sim.process(arrivals(sim, gaps, Plan((1, 2, 3 + number)), log, rng))
        sim.run()
        return log, sim.events, rng.random()

    found, sim = both(run, native=native)
    assert len(found[0]) > 50
    assert taken(sim) > 0.9 * sim.events
    assert sim._migration is not None
    assert sim._migration.exits == {}


def reader(sim: ev.Simulation, table: list[Any], log: list[Any], rng: Random) -> ev.ProcessGenerator:
    for k in range(30):
        yield ev.hold(0.5)
        log.append((k, table[k % 4]))
        x = table[int(4.0 * rng.random())]
        log.append(x)
        yield ev.hold(0.25)


def changer(table: list[Any]) -> ev.ProcessGenerator:
    for what in iter([1.5, 2, "word", True, None]):
        yield ev.hold(3.1)
        table[2] = what
    del table[2:]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_items_that_have_changed_or_are_gone_are_pythons(native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        table, log, rng, errors = [0.25, 0.5, 0.75, 1.0], list[Any](), Random(4), list[Any]()
        for _ in range(3):
            sim.process(reader(sim, table, log, rng))
        sim.process(changer(table))
        for _ in range(4):
            try:
                sim.run()
            except IndexError as error:
                errors.append((repr(error), sim.time, getattr(error, "__notes__", None)))
        return repr(log), errors, sim.events, rng.random()

    found, sim = both(run, native=native)
    assert len(found[1]) == 3
    assert "word" in found[0]
    assert taken(sim) > 20


class Machine:
    """What a worker goes to, one after the other."""

    def __init__(self, number: int) -> None:
        self.number, self.used, self.time, self.last = number, 0, 0.25 * number + 0.5, -1.0


def going_round(sim: ev.Simulation, stops: tuple[float, ...], *, is_disturbed: bool) -> list[Any]:
    """Workers go through lists of numbers, objects and resources, which somebody in Python may change."""
    machines, log = [Machine(k) for k in range(4)], list[Any]()
    desks = [ev.Resource(sim, name=f"desk {k}") for k in range(3)]
    gaps, flags, counts = [0.5, 0.25, 1.0, 0.125], [True, False], [3, 1, 2]

    def worker(number: int, gaps: list[float]) -> ev.ProcessGenerator:
        while True:
            for gap in gaps:
                yield ev.hold(gap)
                for machine in machines:
                    machine.used += 1
                    if machine.number == 2:
                        continue
                    yield ev.hold(machine.time)
                    machine.last = sim.time
                    if machine.used % 7 == 6:
                        break
                else:
                    log.append((sim.time, number))
                log.append((sim.time, gap))
            for desk in desks:
                with desk.request() as place:
                    yield place
                    yield ev.hold(0.3)
            for flag in flags:
                if flag:
                    yield ev.hold(0.1)
            for count in counts:
                log.append(count)
            yield ev.hold(0.1)

    def changer() -> ev.ProcessGenerator:
        for what in iter(range(40)):
            yield ev.hold(1.3)
            [
                lambda: gaps.append(0.25), lambda: gaps.pop(0), lambda: machines.append(Machine(7)), machines.reverse,
                machines.pop, lambda: counts.append(4), desks.reverse, lambda: flags.append(True),
                lambda: machines.insert(1, machines.pop()), lambda: gaps.insert(0, 0.5),
            ][what % 10]()  # fmt: skip

    for number in range(3):
        sim.process(worker(number, gaps if number else gaps[1:]))
    if is_disturbed:
        sim.process(changer())
    for until in stops:
        sim.run(until=until)
        log.append(numbers_of(sim))
    return [log, [(one.number, one.used, one.last) for one in machines], [one.waits.mean for one in desks], sim.events]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_disturbed", [False, True])
def test_loops_over_lists_are_native_and_go_by_what_the_lists_have(is_disturbed: bool, native: bool) -> None:
    for stops in ((80.0,), (10.0, 11.3, 12.2, 17.0, 30.0, 31.0, 55.0)):
        _, sim = both(lambda sim, at=stops: going_round(sim, at, is_disturbed=is_disturbed), native=native)  # type: ignore[misc]
        assert taken(sim) > (0.2 if is_disturbed else 0.5) * sim.events
        assert sim._migration is not None
        if not is_disturbed:
            assert sim._migration.exits == {}


def counting(sim: ev.Simulation, stops: tuple[float, ...]) -> list[Any]:
    """Workers go through tuples, and count what they go through."""
    machines, log = [Machine(k) for k in range(4)], list[Any]()
    desks = tuple([ev.Resource(sim, name=f"desk {k}") for k in range(3)])

    def worker(number: int, gaps: tuple[float, ...], lengths: list[float]) -> ev.ProcessGenerator:
        while True:
            for gap in gaps:
                yield ev.hold(gap)
            for turn, machine in enumerate(machines, 1):
                machine.used += turn
                yield ev.hold(machine.time)
                for place, length in enumerate(lengths, start=-2):
                    if place == 0 and machine.number == turn - 2:
                        continue
                    yield ev.hold(length)
                    log.append((sim.time, number, turn, place))
                if machine.used % 7 == 6:
                    break
            else:
                log.append((sim.time, number))
            for k, desk in enumerate(desks):
                with desk.request() as unit:
                    yield unit
                    yield ev.hold(0.3 + 0.1 * k)
            log.append((turn, k))

    for number in range(3):
        sim.process(worker(number, (0.5, 0.25, 0.125 * number), [0.25, 0.5, 1.0, 0.125][number:]))
    for until in stops:
        sim.run(until=until)
        log.append(numbers_of(sim))
    return [log, [(one.number, one.used) for one in machines], [one.waits.mean for one in desks], sim.events]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_loops_that_count_and_loops_over_tuples_are_native(native: bool) -> None:
    for stops in ((80.0,), (10.0, 11.3, 12.2, 17.0, 30.0, 31.0, 55.0)):
        _, sim = both(lambda sim, at=stops: counting(sim, at), native=native)  # type: ignore[misc]
        assert taken(sim) > 0.85 * sim.events
        assert sim._migration is not None
        assert sim._migration.exits == {}


def job_shop(sim: ev.Simulation, stops: tuple[float, ...], *, is_disturbed: bool) -> list[Any]:
    """Jobs go through routes, lists of desks and times, which somebody in Python may change."""
    desks, log, rng = [ev.Resource(sim, 1 + k % 2, name=f"desk {k}") for k in range(4)], list[Any](), Random(5)
    route: list[Any] = [(desks[k], work) for k, work in enumerate((0.5, 1, 0.25, 2))]
    shifts: tuple[Any, ...] = ((2, 0.5, None, True), (1, 3, 0.25, False))

    def job(way: list[tuple[ev.Resource, float]], number: int) -> ev.ProcessGenerator:
        for step, (desk, work) in enumerate(way, 1):
            with desk.request() as place:
                yield place
                yield ev.hold(work * rng.random())
                if step == 2 and number % 3 == 0:
                    continue
            log.append((sim.time, number, step, work))

    def source() -> ev.ProcessGenerator:
        for number in range(150):
            yield ev.hold(rng.expovariate(0.5))
            sim.process(job(route, number))

    def keeper() -> ev.ProcessGenerator:
        while True:
            for turns, gap, extra, is_late in shifts:
                for _ in range(turns):
                    yield ev.hold(gap if extra is None else extra)
                if is_late:
                    log.append((sim.time, gap))
            for desk, work in route:
                with desk.request() as place:
                    yield place
                    yield ev.hold(work)

    def changed(turn: int) -> list[Any]:
        k = turn % len(route)
        others = (
            [(desks[(k + 1) % 4], 0.5)],
            [route[k], (desks[0], 1.0)],
            [],
            [(desks[k % 4], 3)],
            [(desks[2], 0.75), route[k]],
        )
        return [*route[:k], *others[turn % 5], *route[k + 1 :]][:: 1 if turn % 3 else -1]

    def changer() -> ev.ProcessGenerator:
        for turn in iter(range(50)):
            yield ev.hold(5.3)
            route[:] = changed(turn)
        yield ev.hold(5.3)
        route[1] = (*route[1], "one too many")

    sim.process(source())
    sim.process(keeper())
    if is_disturbed:
        sim.process(changer())
    for until in stops:
        try:
            sim.run(until=until)
        except ValueError as error:
            log.append((str(error), sim.time))
        log.append(numbers_of(sim))
    return [log, [one.waits.mean for one in desks], rng.random(), sim.events]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_disturbed", [False, True])
def test_loops_over_pairs_are_native_and_go_by_what_the_list_has(is_disturbed: bool, native: bool) -> None:
    for stops in ((300.0, 310.0), (10.0, 11.3, 12.2, 57.0, 130.0, 131.0, 300.0)):
        found, sim = both(lambda sim, at=stops: job_shop(sim, at, is_disturbed=is_disturbed), native=native)  # type: ignore[misc]
        assert taken(sim) > (0.1 if is_disturbed else 0.9) * sim.events
        assert sim._migration is not None
        if not is_disturbed:
            assert sim._migration.exits == {}
        else:
            assert any("too many values to unpack" in str(line) for line in found[0])


def test_pairs_that_have_become_longer_are_not_unpacked() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        pairs, log = [(0.5, 1), (0.25, 2), (0.125, 3)], list[Any]()

        def worker() -> ev.ProcessGenerator:
            while True:
                for gap, count in pairs:
                    yield ev.hold(gap)
                    log.append((sim.time, count))

        def changer() -> ev.ProcessGenerator:
            yield ev.hold(40.1)
            pairs[1] = (0.5, 1, 2)  # type: ignore[call-overload]

        sim.process(worker())
        sim.process(changer())
        with pytest.raises(ValueError, match="too many values to unpack"):
            sim.run(until=80.0)
        return [log, sim.time, sim.events]

    found, sim = both(run)
    assert len(found[0]) > 130
    assert taken(sim) > 100


def test_a_loop_goes_on_with_the_numbers_of_the_list_that_it_began_with() -> None:
    """The dictionary that had the list gets another one, and the memory of the first gets other contents."""

    def run(sim: ev.Simulation) -> list[Any]:
        gaps, log, junk = {"a": [0.5 + 0.01 * k for k in range(40)], "b": [0.25] * 30}, list[Any](), list[Any]()

        def worker(word: str) -> ev.ProcessGenerator:
            while True:
                for gap in gaps[word]:
                    yield ev.hold(gap)
                    log.append((sim.time, gap))

        def changer() -> ev.ProcessGenerator:
            for turn in iter(range(300)):
                yield ev.hold(0.7)
                gaps["ab"[turn % 2]] = [0.3 + 0.01 * turn + 0.001 * k for k in range(30)]
                junk[:] = [[7.0 + turn] * 30 for _ in range(50)]

        for word in ("a", "b"):
            sim.process(worker(word))
        sim.process(changer())
        sim.run(until=250.0)
        return [log, sim.events]

    found, sim = both(run)
    assert len(found[0]) > 400
    assert taken(sim) > 20


def test_a_loop_that_counts_otherwise_stays_python() -> None:
    """It has begun with another function of the same name, which counts from 5."""

    def run(sim: ev.Simulation) -> list[Any]:
        numbers, log = [0.5] * 40, list[Any]()
        enumerate = lambda items: _builtin(items, 5)  # noqa: A001, E731  # the name has another meaning at first

        def worker() -> ev.ProcessGenerator:
            for _ in range(6):
                for place, number in enumerate(numbers):
                    yield ev.hold(number)
                    log.append((sim.time, place))

        def changer() -> ev.ProcessGenerator:
            nonlocal enumerate
            enumerate = _builtin  # type: ignore[assignment]  # noqa: A001  # as above
            yield ev.hold(0.25)

        sim.process(worker())
        sim.process(changer())
        sim.run()
        return [log, sim.events]

    found, sim = both(run)
    assert [place for _, place in found[0]] == [*range(5, 45), *5 * [*range(40)]]
    assert taken(sim) > 100


_builtin = enumerate


def test_why_a_loop_stays_python_is_told() -> None:
    sim = ev.Simulation()
    pairs, numbers = [(0.5, (1, 2)), (0.25, (2, 3))], [0.5, 0.25]

    def by_pairs() -> ev.ProcessGenerator:
        while True:
            for gap, (count, _) in pairs:
                yield ev.hold(gap * count)

    def from_far() -> ev.ProcessGenerator:
        while True:
            for _, number in enumerate(numbers, 4611686018427387900):
                yield ev.hold(number)

    whys = {
        by_pairs: "only loops whose variables have names, each another one, are native",
        from_far: "`enumerate` is native with a list or a tuple, and a constant as its start",
    }
    for story in whys:
        sim.process(story())
    sim.run(until=2.0)
    assert sorted((note.refusal.line, note.refusal.why) for note in sim.explain().processes if note.refusal) == [
        (story.__code__.co_firstlineno + 2, f"no native code is made of its waits, as {why}")
        for story, why in whys.items()
    ]


EVERYWHERE: list[Machine] = []


@pytest.mark.parametrize("is_global", [True, False])
def test_a_loop_keeps_the_objects_of_its_list_alive(is_global: bool) -> None:
    """Python takes one out of the list while a row is at it."""

    def run(sim: ev.Simulation) -> list[Any]:
        machines, others, log = [Machine(k) for k in range(4)], list[Machine](), list[Any]()
        if is_global:
            EVERYWHERE[:], machines = machines, EVERYWHERE

        def worker() -> ev.ProcessGenerator:
            while True:
                for machine in machines:
                    machine.used += 1
                    yield ev.hold(0.5)
                    log.append((sim.time, machine.number, machine.used))

        def worker_everywhere() -> ev.ProcessGenerator:
            while True:
                for machine in EVERYWHERE:
                    machine.used += 1
                    yield ev.hold(0.5)
                    log.append((sim.time, machine.number, machine.used))

        def changer() -> ev.ProcessGenerator:
            for turn in iter(range(20)):
                yield ev.hold(1.7)
                machines[turn % 4] = Machine(10 + turn)
                others[:] = [Machine(100 + k) for k in range(50)]  # where the one that is gone has been

        for work in 2 * [worker_everywhere if is_global else worker]:
            sim.process(work())
        sim.process(changer())
        sim.run(until=40.0)
        return [log, [(machine.number, machine.used) for machine in machines]]

    found, sim = both(run)
    assert len(found[0]) > 150
    assert taken(sim) > 20


class Site:
    """A worker with a list that may become another one."""

    def __init__(self, sim: ev.Simulation, machines: list[Machine], log: list[Any]) -> None:
        self.sim, self.machines, self.log = sim, machines, log

    def work(self) -> ev.ProcessGenerator:
        while True:
            for machine in self.machines:
                machine.used += 1
                yield ev.hold(0.5)
                self.log.append((self.sim.time, machine.number, machine.used))


def test_a_loop_goes_on_with_the_objects_of_the_list_that_it_began_with() -> None:
    """Python takes them out of a list from which a process has come, and not only out of the one that it has now."""

    def run(sim: ev.Simulation) -> list[Any]:
        plans, log = [[Machine(k) for k in range(40)]], list[Any]()
        site = Site(sim, plans[0], log)

        def changer() -> ev.ProcessGenerator:
            for turn in iter(range(200)):
                yield ev.hold(0.3)
                for plan in plans[:-1]:
                    plan[:] = [Machine(100 + turn) for _ in plan]

        sim.process(site.work())
        sim.process(site.work())
        sim.process(changer())
        for turn in range(6):
            sim.run(until=5.25 + 5.0 * turn)
            site.machines = [Machine(k) for k in range(40)]
            plans.append(site.machines)
        sim.run(until=50.0)
        return [log, [[machine.used for machine in plan] for plan in plans]]

    found, sim = both(run)
    assert len(found[0]) > 100
    assert taken(sim) > 10


class Tank(ev.Continuous):
    """Something that leaks."""

    level: ev.State = ev.state(1.0)
    leak: float = 0.25
    filled: int = 0

    def equations(self) -> None:
        self.rate.level = -self.leak * self.level


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("has_stranger", [False, True])
def test_loops_over_components_are_native_if_all_are_of_the_simulation(has_stranger: bool, native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tanks, log = [Tank(sim, leak=0.1 * k).start() for k in range(1, 4)], list[Any]()
        tanks += [Tank(ev.Simulation())] if has_stranger else []
        tanks.append(tanks[0])

        def filler(pause: float) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(pause)
                for tank in tanks:
                    if tank.level < 0.7:
                        tank.level += 0.1
                        tank.filled += 1
                        yield ev.hold(0.05)
                    tank.leak = tank.leak * 0.99
                log.append(sim.time)

        sim.process(filler(0.5))
        sim.process(filler(0.7))
        for until in (8.0, 15.5, 30.0):
            sim.run(until=until)
            log.append([(tank.level, tank.leak, tank.filled) for tank in tanks])
        return [log, sim.events]

    found, sim = both(run, native=native)
    assert found[0][-1][0][2] > 3
    assert (taken(sim) > 0.5 * sim.events) != has_stranger


def of_several(sim: ev.Simulation, log: list[Any], times: list[Any], turns: int = 40) -> ev.ProcessGenerator:
    gear = 1
    for k in range(turns):
        yield ev.hold(min(times))
        slow = max(times) + max(COUNTS)
        gear = gear % 3 + 1
        yield ev.hold((0.01, 0.02, 0.25)[gear - 1] + (1, 2)[-1] * 0.125)
        log.append((slow, gear, (True, False)[k % 2], min(COUNTS)))
        if k % 4 == 1:
            times[k % 3] = times[k % 3] * 1.5


COUNTS = (3, 1, 2)


@pytest.mark.parametrize(
    "times", [[0.5, 0.25, 1.5], [0.5, 0.5], [0.0, -0.0, 0.25], [1.0, float("nan"), 0.5], [0.5, 1.0, 1, 2], [3, 2, 4]]
)
@pytest.mark.parametrize("more", [None, 0.125, 7, "late"])
def test_the_least_of_a_list_and_items_of_a_tuple_that_is_written_there(times: list[Any], more: Any) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log, held = list[Any](), [*times]
        sim.process(of_several(sim, log, held))
        for horizon in (9.2, 15.1, 40.0):
            try:
                sim.run(until=horizon)
            except (TypeError, IndexError, ev.ModelError) as error:
                log.append((repr(error), traceback.extract_tb(error.__traceback__)[-1].lineno))
            held += [] if more is None else [more]
        return [log, held, sim.time]

    both(run)


def of_three(sim: ev.Simulation, log: list[Any], times: list[float]) -> ev.ProcessGenerator:
    for k in range(60):
        yield ev.hold(min(times))
        log.append((max(times), k))


def adding(sim: ev.Simulation, times: list[float]) -> ev.ProcessGenerator:
    yield ev.hold(6.3)
    times.append(0.125)
    yield ev.hold(3.0)
    times.append(2.0)


def test_the_least_of_a_list_that_grows() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log, times = list[Any](), [0.5, 0.25, 1.5]
        sim.process(of_three(sim, log, times))
        sim.process(adding(sim, times))
        sim.run()
        return log

    log, sim = both(run)
    assert len(log) == 60
    assert taken(sim) > 30


def reaching(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
    for k in range(40):
        yield ev.hold(0.5)
        log.append((1.5, 2.5, 3.5)[k // 10])


def test_a_place_that_a_written_tuple_does_not_have_is_an_error_of_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()
        sim.process(reaching(sim, log))
        try:
            sim.run()
        except IndexError as error:
            log.append((repr(error), traceback.extract_tb(error.__traceback__)[-1].lineno, error.__notes__))
        return [log, sim.time]

    (log, _), sim = both(run)
    assert len(log) == 31
    assert taken(sim) > 20
