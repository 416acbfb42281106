"""Recordings see of events of rows what they see of those in Python, and rows go on beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.monitor import tape
from eventide.rows import memory


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    parts: ev.StateVector = ev.state_vector(size=2)
    inflow: float = 0.5
    double: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.level = self.inflow - 0.25 * self.level
        self.rate.parts = 0.125 - self.parts
        self.double = 2.0 * self.level


def worker(tank: Tank, desk: ev.Resource, stock: ev.Container) -> ev.ProcessGenerator:
    while True:
        with desk.request() as place:
            yield place
            yield ev.hold(0.25)
            tank.inflow = 0.5 + 0.125 * tank.level
            yield stock.put(0.5)
            yield ev.hold(0.0)
        yield stock.get(0.5)
        yield ev.hold(0.375)


def drain(tank: Tank) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tank.level >= 1.25)
        tank.level -= 0.5
        yield ev.until(lambda: tank.level <= 1.0)


def begin(compiles: Any) -> tuple[ev.Simulation, Tank, ev.Resource, ev.Container]:
    sim = simulation(compiles, native=False)
    tank = Tank(sim, name="tank").start()
    desk, stock = ev.Resource(sim, 1, name="desk"), ev.Container(sim, 4.0, name="stock")
    for _ in range(2):
        sim.process(worker(tank, desk, stock))
    sim.process(drain(tank))
    return sim, tank, desk, stock


Rows = list[list[float]]


def rows_of(recording: Any) -> Rows:
    names = getattr(recording, "components", [])
    return [
        list(recording.times),
        list(recording.sides),
        *(list(recording[c.name]) for c in recording.columns),
        [float(name.partition(" ")[2] or 0.0) for name in names],
    ]


def both(record: Callable[..., list[Any]], *ends: float) -> tuple[list[Rows], list[Rows], int]:
    """The rows of recordings beside rows, and in Python, after some runs; how many events were those of rows."""
    found, counts = [], []
    for compiles in ("auto", False):
        sim, tank, desk, stock = begin(compiles)
        recordings = record(sim, tank, desk, stock)
        for end in ends or (8.0,):
            sim.run(until=end)
        found.append([rows_of(one) for one in recordings])
        counts.append(taken(sim) if compiles else 0)
    return found[0], found[1], counts[0]


WHAT: dict[str, Callable[..., list[Any]]] = {
    "each event of what moves": lambda sim, tank, desk, stock: [sim.record(tank, every="event")],
    "regular times": lambda sim, tank, desk, stock: [sim.record(tank, every=0.125)],
    "regular times alone": lambda sim, tank, desk, stock: [sim.record(tank, every=0.125, events=False)],
    "levels": lambda sim, tank, desk, stock: [sim.record(desk, stock, every="event")],
    "levels at regular times": lambda sim, tank, desk, stock: [
        sim.record(desk, stock, every=0.125),
        sim.record(desk, every=0.1, events=False),
    ],
    "levels beside what moves, at regular times": lambda sim, tank, desk, stock: [
        sim.record(desk, tank["double"], every=0.125),
        sim.record(tank, stock, every=0.3, events=False),
        sim.record(tank, every=0.25),
    ],
    "functions": lambda sim, tank, desk, stock: [
        sim.record(every="event", twice=lambda: 2.0 * tank.level - tank.double),
        sim.record(tank, every=0.125, waiting=lambda: len(desk.waiting) + 0.5 * stock.level.value),
        sim.record(every=0.3, events=False, energy=lambda: tank.level**2 / 2, inflow=lambda: tank.inflow),
        sim.record(every=0.25, is_full=lambda: tank.level > 1.125),
    ],
    "functions that Python has to call now and then": lambda sim, tank, desk, stock: [
        sim.record(every="event", many=lambda: int(tank.level * 8e15), level=lambda: tank.level),
        sim.record(desk, every=0.125, more=lambda: int(tank.level * 7.9e15)),
    ],
    "functions that Python has to call before state events": lambda sim, tank, desk, stock: [
        sim.record(every="event", many=lambda: int(tank.level * 7.206e15)),
    ],
    "a class": lambda sim, tank, desk, stock: [
        sim.record(Tank, every="event"),
        sim.record(Tank, every=0.125),
        sim.record(Tank, every=0.3, events=False),
        sim.record(desk, every=0.125),
    ],
    "all of these": lambda sim, tank, desk, stock: [
        sim.record(tank["double"], every=0.1),
        sim.record(tank, desk, every="event"),
        sim.record(stock, every="event"),
        sim.record(tank, every=0.25),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("record", WHAT.values(), ids=WHAT)
@pytest.mark.parametrize(
    "ends", [(8.0,), pytest.param((1.5, 1.75, 3.1, 3.1, 8.0), marks=pytest.mark.slow)], ids=["one run", "several"]
)
def test_recordings_beside_rows_have_the_same_rows(record: Callable[..., list[Any]], ends: tuple[float, ...]) -> None:
    rows, plain, count = both(record, *ends)
    assert [len(one[0]) for one in rows] == [len(one[0]) for one in plain]
    assert rows == plain
    assert count > 20


@pytest.mark.slow
def test_rows_go_on_where_what_recordings_have_read_fills_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MOST_LOOKS", 1)
    monkeypatch.setattr(tape, "FEWEST", 8)
    monkeypatch.setattr(tape, "MOST", 8)
    rows, plain, count = both(WHAT["all of these"])
    assert rows == plain
    assert count > 20


class Counts:
    """A plain object."""

    def __init__(self) -> None:
        self.served, self.stock, self.seen = 0, 4.0, list[float]()


@pytest.mark.parametrize("ends", [(40.0,), (1.5, 3.1, 40.0)], ids=["one run", "several"])
def test_functions_of_what_rows_set_in_plain_objects_where_nothing_moves(ends: tuple[float, ...]) -> None:
    found = []
    for compiles in ("auto", False):
        sim, desk, _ = shop(compiles)
        counts = Counts()

        def serves(sim: ev.Simulation = sim, counts: Counts = counts) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.7)
                counts.served += 1
                counts.stock = 0.5 * counts.stock + sim.time
                counts.seen.append(sim.time)

        sim.process(serves())
        recordings = [
            sim.record(every=0.25, stock=lambda: counts.stock, served=lambda: counts.served),  # noqa: B023
            sim.record(desk, every="event", seen=lambda: len(counts.seen) + len(desk.waiting)),  # noqa: B023
        ]
        for end in ends:
            sim.run(until=end)
        found.append([rows_of(one) for one in recordings])
        assert (taken(sim) > 20) == (compiles == "auto")
    assert found[0] == found[1]


def test_a_level_of_a_resource_is_read_by_python_where_a_function_has_it_alone() -> None:
    found = []
    for compiles in ("auto", False):
        sim, desk, _ = shop(compiles)
        level = desk.queue
        recording = sim.record(every=0.5, waiting=lambda: level.value)  # noqa: B023
        sim.run(until=40.0)
        found.append(rows_of(recording))
        assert taken(sim) == 0
    assert found[0] == found[1]


@pytest.mark.slow
def test_functions_in_machine_code_give_the_same_bits() -> None:
    found = []
    for compiles in ("auto", False):
        sim, counts = simulation(compiles, native=True), Counts()

        def turns(sim: ev.Simulation = sim, counts: Counts = counts) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                counts.stock = 20.0 * sim.stream("stock").random() - 10.0

        sim.process(turns())
        recording = sim.record(
            every="event",
            square=lambda: counts.stock**2,  # noqa: B023
            more=lambda: counts.stock**3 + (counts.stock > 0.0),  # noqa: B023
            is_much=lambda: counts.stock > 5.0,  # noqa: B023
        )
        sim.run(until=4000.0)
        found.append(rows_of(recording))
        assert (taken(sim) > 1000) == (compiles == "auto")
    assert found[0] == found[1]


@pytest.mark.slow
def test_functions_in_machine_code_are_computed_where_the_march_has_come_back_in_between() -> None:
    found = []
    for compiles in ("auto", False):
        sim = simulation(compiles, native=True)
        tanks = [Tank(sim, name=f"tank {k}").start() for k in range(4)]
        desk, stock = ev.Resource(sim, 2, name="desk"), ev.Container(sim, 9.0, name="stock")
        for tank in tanks:
            sim.process(worker(tank, desk, stock))
        recordings = [
            sim.record(every=0.5, energy=lambda: tank.level**2 / 2 + len(desk.waiting)),  # noqa: B023
            sim.record(every="event", sum=lambda: tank.level + stock.level.value),  # noqa: B023
        ]
        for end in range(1, 60):
            sim._the_monitor.integrator.return_soon()
            sim.run(until=float(end))
        found.append([rows_of(one) for one in recordings])
        assert (taken(sim) > 100) == (compiles == "auto")
    assert found[0] == found[1]


def test_a_recorded_function_that_comes_to_refer_to_another_object_reads_that() -> None:
    found = []
    for compiles in ("auto", False):
        sim, _, _ = shop(compiles)
        counts = Counts()
        recording = sim.record(every="event", stock=lambda: counts.stock)  # noqa: B023

        def renews(sim: ev.Simulation = sim) -> ev.ProcessGenerator:
            nonlocal counts
            for k in range(4):
                yield ev.hold(5.1)
                counts = Counts()
                counts.stock = len(str(sim.time)) + k  # left to Python

        sim.process(renews())
        sim.run(until=40.0)
        found.append(rows_of(recording))
        assert (taken(sim) > 20) == (compiles == "auto")
    assert found[0] == found[1]
    assert len(set(found[0][2])) > 3


def test_an_error_of_a_recorded_function_is_raised_where_python_has_it() -> None:
    found = []
    for compiles in ("auto", False):
        sim, tank, desk, _ = begin(compiles)
        recording = sim.record(every=0.25, ratio=lambda: 1.0 / (tank.level - 1.0 if sim.time > 3.0 else 1.0))  # noqa: B023
        others = sim.record(desk, every="event", late=lambda: 1.0 / (0.0 if sim.time > 6.0 else 1.0))  # noqa: B023
        with pytest.raises(ZeroDivisionError) as failure:
            sim.run(until=8.0)
        found.append((failure.value.__notes__, sim.time, sim.events, rows_of(recording), rows_of(others)))
        assert (taken(sim) > 20) == (compiles == "auto")
    assert found[0] == found[1]
    assert found[0][0] == ["raised by the recorded expression late"]


def shop(compiles: Any) -> tuple[ev.Simulation, ev.Resource, ev.Container]:
    """Rows beside which nothing moves."""
    sim = simulation(compiles, native=False)
    desk, stock = ev.Resource(sim, 1, name="desk"), ev.Container(sim, 4.0, name="stock")

    def works(pause: float) -> ev.ProcessGenerator:
        while True:
            with desk.request() as place:
                yield place
                yield ev.hold(pause)
                yield stock.put(0.5)
                yield ev.hold(0.0)
            yield stock.get(0.5)
            yield ev.hold(0.375)

    for pause in (0.25, 0.5, 0.8):
        sim.process(works(pause))
    return sim, desk, stock


@pytest.mark.slow
@pytest.mark.parametrize("ends", [(40.0,), (1.5, 1.75, 3.1, 3.1, 40.0)], ids=["one run", "several"])
def test_levels_at_regular_times_where_nothing_moves(ends: tuple[float, ...]) -> None:
    found = []
    for compiles in ("auto", False):
        sim, desk, stock = shop(compiles)
        recordings = [
            sim.record(desk, stock, every=0.125),
            sim.record(desk, every=0.1, events=False),
            sim.record(stock, every=5.0),
            sim.record(stock, every="event"),
        ]
        for end in ends:
            sim.run(until=end)
        found.append([rows_of(one) for one in recordings])
        assert (taken(sim) > 20) == (compiles == "auto")
    assert found[0] == found[1]
    assert len(found[0][1][0]) >= 401


def test_a_recording_that_begins_and_ends_within_the_run_has_the_rows_of_that_time() -> None:
    found = []
    for compiles in ("auto", False):
        sim, tank, desk, _ = begin(compiles)
        recordings: list[ev.Recording] = []

        def looker(sim: ev.Simulation = sim, tank: Tank = tank, desk: ev.Resource = desk) -> ev.ProcessGenerator:
            yield ev.hold(2.1)
            recordings.append(sim.record(tank, every=0.25, twice=lambda: 2.0 * tank.level))  # noqa: B023
            recordings.append(sim.record(desk, every="event"))  # noqa: B023
            yield ev.hold(2.0)
            recordings[0].stop()  # noqa: B023
            yield ev.hold(2.0)

        sim.process(looker())
        sim.run(until=8.0)
        found.append([rows_of(one) for one in recordings])
        assert (taken(sim) > 20) == (compiles == "auto")
    assert found[0] == found[1]


@pytest.mark.slow
def test_what_is_computed_for_a_recording_that_begins_within_the_run_is_native_from_then_on() -> None:
    found = []
    for compiles in ("auto", False):
        sim, tank, _, _ = begin(compiles)
        recordings: list[ev.Recording] = []
        before = 0

        def looker(sim: ev.Simulation = sim, tank: Tank = tank) -> ev.ProcessGenerator:
            nonlocal before
            yield ev.hold(2.1)
            before = taken(sim)
            recordings.append(sim.record(every=0.25, twice=lambda: 2.0 * tank.level))  # noqa: B023
            yield ev.hold(40.0)

        sim.process(looker())
        sim.run(until=30.0)
        found.append([*map(rows_of, recordings), sim.events])
        assert (taken(sim) - before > 0.8 * sim.events) == (compiles == "auto")
    assert found[0] == found[1]


class Answer:
    """Something that can be called, and is no function."""

    def __call__(self) -> float:
        return 2.0


OTHERS: dict[str, tuple[str, Callable[[], float]]] = {
    "Random.random": ("it has an effect", Random(3).random),
    "partial": ("what it calls is left to Python", partial(max, 1.0, 2.0)),
    "Answer": ("what it calls is left to Python", Answer()),
    "float": ("it is called in another way than others are", float),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_can_be_called_and_is_no_function_of_python_is_recorded_by_python(name: str) -> None:
    why, read = OTHERS[name]
    sim, *_ = begin("auto")
    sim.record(every=0.25, told=read)
    sim.run(until=8.0)
    assert taken(sim) == 0
    assert f"(because of `{name}`: {why}) looks at events" in str(sim.explain())


def test_regular_times_go_by_where_a_recorded_class_has_no_objects_yet() -> None:
    found = []
    for compiles in ("auto", False):
        sim, _, _ = shop(compiles)
        recording = sim.record(Tank, every=0.25)
        sim.run(until=20.0)
        assert (taken(sim) > 20) == (compiles == "auto")
        Tank(sim, name="tank 1").start()
        sim.run(until=25.0)
        found.append(rows_of(recording))
    assert found[0] == found[1]
    assert len(found[0][0]) > 20


@pytest.mark.slow
@pytest.mark.parametrize("ends", [(16.0,), (1.5, 3.0, 3.1, 16.0)], ids=["one run", "several"])
def test_objects_of_a_recorded_class_come_and_go_beside_rows(ends: tuple[float, ...]) -> None:
    found = []
    for compiles in ("auto", False):
        sim, desk, _ = shop(compiles)
        tanks: list[Tank] = []

        def comes(sim: ev.Simulation = sim, tanks: list[Tank] = tanks) -> ev.ProcessGenerator:
            for number in (3, 2, 1):  # in the order of their starts, which is not that of their names
                yield ev.hold(1.5)
                tanks.append(Tank(sim, name=f"tank {number}", level=0.5 * number).start())
            while tanks:
                yield ev.hold(2.0)
                tanks.pop(1 if len(tanks) > 1 else 0).stop()

        def fills(sim: ev.Simulation = sim, tanks: list[Tank] = tanks) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.7)
                for tank in tanks:
                    tank.inflow += 0.125

        sim.process(comes())
        sim.process(fills())
        recordings = [
            sim.record(Tank, every=0.25),
            sim.record(Tank, every="event"),
            sim.record(Tank, every=0.5, events=False),
            sim.record(desk, every=0.5),
        ]
        for end in ends:
            sim.run(until=end)
        found.append([rows_of(one) for one in recordings])
        assert (taken(sim) > 20) == (compiles == "auto")
    assert found[0] == found[1]
    assert {*found[0][0][-1]} == {1.0, 2.0, 3.0}


def test_an_instant_with_several_events_leaves_one_row_before_and_one_after() -> None:
    found = []
    for compiles in ("auto", False):
        sim = simulation(compiles, native=False)
        tank = Tank(sim, name="tank").start()

        def turn(tank: Tank = tank) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                tank.inflow += 0.25
                yield ev.hold(0.0)
                tank.inflow -= 0.25

        sim.process(turn())
        recording, other = sim.record(tank["level"], every="event"), sim.record(tank["level"], every=0.5)
        sim.run(until=10.25)
        found.append([rows_of(recording), rows_of(other)])
        assert (taken(sim) > 20) == (compiles == "auto")
    assert found[0] == found[1]
    assert found[0][0][1] == [1, *[-1, 1] * 20, -1]
    assert found[0][1][1] == [1, *[0] * 20, -1]


class Alarm(Tank):
    rings: int = 0

    @ev.when(lambda self: self.level >= 1.1)
    def ring(self) -> None:
        self.rings += len(str(self.level))  # left to Python
        self.level -= 0.25


def test_a_handler_in_python_beside_rows_leaves_its_rows() -> None:
    found = []
    for compiles in ("auto", False):
        sim = simulation(compiles, native=False)
        alarm = Alarm(sim, name="alarm").start()
        sim.process(worker(alarm, ev.Resource(sim, 1), ev.Container(sim, 4.0)))
        recordings = sim.record(alarm, every="event"), sim.record(alarm, every=0.25)
        sim.run(until=8.0)
        assert alarm.rings > 0
        found.append([rows_of(one) for one in recordings])
        assert (taken(sim) > 10) == (compiles == "auto")
    assert found[0] == found[1]


class Hourglass(ev.Continuous):
    sand: ev.State = 0.0
    flow: float = 1.0
    turns: int = 0

    def equations(self) -> None:
        self.rate.sand = self.flow

    @ev.when(lambda self: self.sand >= 0.5)
    def fall(self) -> None:
        self.flow = -1.0
        self.turns += len(str(self.flow))  # left to Python

    @ev.when(lambda self: self.sand <= 0.0)
    def rise(self) -> None:
        self.flow = 1.0


class Bath(ev.Continuous):
    warmth: ev.State = 0.0

    def equations(self) -> None:
        self.rate.warmth = HEATING(self.sim.time)


HEATING = ev.inputs.Pulse(1.0, start=0.6, width=0.05)


def holding(step: float) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(step)


class Basin(ev.Continuous):
    level: ev.State = 0.0
    turns: int = 0

    def equations(self) -> None:
        self.rate.level = 1.0

    @ev.when(lambda self: self.level >= 0.75)
    def empty(self) -> None:
        self.level = 0.0
        self.turns += 1


def turns_of(one: Hourglass | Basin) -> Callable[[], float]:
    return lambda: one.turns * 1.0


@pytest.mark.slow
@pytest.mark.parametrize("is_mixed", [False, True], ids=["a handler in Python", "an input that jumps before"])
def test_a_state_event_at_a_regular_time_leaves_a_row_before_and_one_after(is_mixed: bool) -> None:
    found = []
    for compiles in ("auto", False):
        sim = simulation(compiles, native=is_mixed, dt_max=0.25)
        if is_mixed:
            Bath(sim).start()
        one = (Basin if is_mixed else Hourglass)(sim, name="one").start()
        for step in (0.1171, 0.3313) if is_mixed else (0.03, 0.03):
            sim.process(holding(step))
        recordings = [
            sim.record(turns=turns_of(one), every=0.25 if is_mixed else 0.5),
            sim.record(one, every=0.5 if is_mixed else 1.0),
            sim.record(type(one), every=0.25 if is_mixed else 0.5),
        ]
        sim.run(until=14.0)
        found.append([rows_of(recording) for recording in recordings])
        assert (taken(sim) > 50) == (compiles == "auto")
    assert found[0] == found[1]


def reporting(sim: ev.Simulation) -> None:
    type("Looks", (ev.Reporter,), {"report": lambda self: None})(sim, every="event", name="looks").start()


PYTHON: dict[str, tuple[Callable[[ev.Simulation, Tank], Any], str]] = {
    "a function": (
        lambda sim, tank: sim.record(every="event", twice=lambda: next(iter([tank.level])), name="twice"),
        "twice",
    ),
    "a function with an effect": (
        lambda sim, tank: sim.record(every=0.25, drawn=lambda: sim.stream("drawn").random(), name="drawn"),
        "drawn",
    ),
    "a field": (lambda sim, tank: sim.record(tank, "inflow", every="event", name="inflow"), "inflow"),
    "each step": (lambda sim, tank: sim.record(tank, every="step", name="steps"), "steps"),
    "a reporter": (lambda sim, tank: reporting(sim), "looks"),
    "an integral": (lambda sim, tank: sim.integral(lambda: tank.level, name="area"), "area"),
}


@pytest.mark.parametrize(("observe", "name"), PYTHON.values(), ids=PYTHON)
def test_what_only_python_can_look_at_keeps_processes_in_python_and_is_named(
    observe: Callable[[ev.Simulation, Tank], Any], name: str
) -> None:
    sim, tank, _, _ = begin("auto")
    observe(sim, tank)
    sim.run(until=4.0)
    assert taken(sim) == 0
    told = str(sim.explain()).partition("processes are Python as ")[2]
    assert told.startswith(name)
    assert " looks at events; native code can do so for" in told


def test_rows_that_stream_are_read_by_python() -> None:
    sim, tank, _, _ = begin("auto")
    recording, got = sim.record(tank, every="event"), []
    with recording.drain(lambda frame: got.append(len(frame)), rows=8):
        sim.run(until=4.0)
    assert taken(sim) == 0
    assert sum(got) > 20
    sim.run(until=8.0)
    assert taken(sim) > 10
