"""Interrupts and preemptions between rows of native code are those of Python, wherever they are cut."""

from __future__ import annotations

import traceback
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
import random_interrupts
from random_bodies import hurry, load, simulation, taken

import eventide as ev
from eventide.native.row_engine import NativeRows
from eventide.rows.interface import RowEngine


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def compare(seed: int, mode: tuple[int, int], folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = load(random_interrupts.program(seed, *mode), folder, f"interrupts{seed}")
    expected = random_interrupts.outcome(simulation(False), module, seed, *mode)
    sim = simulation("auto", native=native)
    assert random_interrupts.outcome(sim, module, seed, *mode) == expected, seed
    return taken(sim)


MODES = {"alone": (0, 0), "looked at": (6, 3), "meddled with": (13, 10)}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_interrupts_of_rows_that_run_as_python_are_the_same(mode: tuple[int, int], tmp_path: Path) -> None:
    assert sum(compare(seed, mode, tmp_path, native=False) for seed in (1, 2, 3)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_interrupts_of_rows_are_the_same_in_many_models(mode: tuple[int, int], tmp_path: Path) -> None:
    assert sum(compare(seed, mode, tmp_path, native=False) for seed in range(10, 25)) > 200


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_interrupts_of_native_rows_are_the_same(mode: tuple[int, int], tmp_path: Path) -> None:
    assert sum(compare(seed, mode, tmp_path, native=True) for seed in (1, 2)) > 20


def victim(sim: ev.Simulation, cuts: int, caught: list[Any]) -> ev.ProcessGenerator:
    met, rest = 0, 0.0
    for _ in range(cuts):
        try:
            yield ev.hold(2.0)
        except ev.Interrupt as cut:
            met += 1
            rest += cut.left
    caught.append((sim.time, met, rest))


def interrupter(rng: Random, other: ev.Process, cuts: int) -> ev.ProcessGenerator:
    for _ in range(cuts):
        yield ev.hold(rng.uniform(0.5, 1.5))
        other.interrupt()


def run_pairs(sim: ev.Simulation) -> list[Any]:
    rng, caught = Random(2), []
    for _ in range(8):
        other = sim.process(victim(sim, 30, caught))
        sim.process(interrupter(rng, other, 30))
    sim.run()
    return [caught, sim.events, sim.time, rng.random()]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_pairs_of_which_one_cuts_the_others_hold_stay_rows(native: bool) -> None:
    expected = run_pairs(simulation(False))
    sim = simulation("auto", native=native)
    assert run_pairs(sim) == expected
    assert len(expected[0]) == 8
    assert taken(sim) > 0.9 * sim.events
    assert sim._migration is not None
    assert sim._migration.exits == {}


def job(machine: ev.PreemptiveResource, left: float) -> ev.ProcessGenerator:
    cuts = 0
    while left:
        with machine.request(priority=0) as place:
            yield place
            try:
                yield ev.hold(left)
                left = 0.0
            except ev.Interrupt as interrupt:
                left = interrupt.left
                cuts += 1
    return cuts


def patient_job(machine: ev.PreemptiveResource, left: float) -> ev.ProcessGenerator:
    """Asks for its unit again, and so stands in line where it stood."""
    with machine.request() as place:
        while left > 0.0:
            yield place
            try:
                yield ev.hold(left)
                left = 0.0
            except ev.Interrupt as interrupt:
                left = interrupt.left
    yield ev.hold(1.0)


def used_job(machine: ev.PreemptiveResource, left: float) -> ev.ProcessGenerator:
    yield from machine.use(left, resume=True)
    yield ev.hold(1.0)


def told_job(machine: ev.PreemptiveResource, left: float) -> ev.ProcessGenerator:
    """Finds out whether it is its unit that was lost."""
    lost = 0
    with machine.request() as place:
        while left > 0.0:
            yield place
            try:
                yield ev.hold(left)
                left = 0.0
            except ev.Interrupt as cut:
                left = cut.left
                if not isinstance(cut.cause, ev.Preemption) or cut.cause.request is not place:
                    left = 0.0
                lost += 1
    return lost


def urgent(rng: Random, machine: ev.PreemptiveResource, arrivals: int) -> ev.ProcessGenerator:
    for _ in range(arrivals):
        yield ev.hold(rng.expovariate(1.0))
        with machine.request(1.0) as place:
            yield place
            yield ev.hold(rng.expovariate(4.0))


def run_machine(sim: ev.Simulation, *kinds: Any) -> list[Any]:
    rng, machine = Random(3), ev.PreemptiveResource(sim, 2)
    work = [sim.process(kind(machine, 60.0)) for kind in kinds]
    for _ in range(3):
        sim.process(urgent(rng, machine, 100))
    sim.run()
    levels = [(list(level._held.items()), level._changed) for level in (machine.in_use, machine.queue)]
    results = [one.result for one in work]
    return [results, sim.events, sim.time, rng.random(), machine.counts, list(machine.waits.values), levels]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_loses_its_machine_goes_on_with_what_is_left_in_its_row(native: bool) -> None:
    kinds = job, patient_job, job
    expected = run_machine(simulation(False), *kinds)
    sim = simulation("auto", native=native)
    assert run_machine(sim, *kinds) == expected
    assert expected[4].preempted > 50
    assert taken(sim) > 0.9 * sim.events
    assert not sim._migration.exits


@pytest.mark.parametrize(
    "kinds", [(used_job, used_job, used_job), (told_job, used_job, told_job)], ids=["used", "told"]
)
def test_whose_unit_was_lost_is_found_out_in_rows(kinds: tuple[Any, ...]) -> None:
    expected = run_machine(simulation(False), *kinds)
    sim = simulation("auto")
    assert run_machine(sim, *kinds) == expected
    assert expected[4].preempted > 50
    assert taken(sim) > 0.9 * sim.events
    assert not sim._migration.exits


ODD = '''
import traceback

import eventide as ev


class Broken(ev.Interrupt):
    """Nobody raises it."""


def told(cut, log, sim):
    if isinstance(cut.cause, ev.Preemption):
        cause = (cut.cause.by.name, cut.cause.since, cut.cause.request.state)
    else:
        cause = repr(cut.cause)
    frames = [(frame.name, frame.lineno) for frame in traceback.extract_tb(cut.__traceback__)]
    log.append((sim.time, sim.current.name, cause, cut.left, frames, repr(cut.__context__)))


def holds(sim, log, desk, machine):
    for k in range(40):
        {}


def cuts(sim, rng, other, log, kept):
    for k in range(40):
        yield ev.hold(rng.expovariate(1.0))
        {}


def rush(sim, rng, machine):
    for k in range(30):
        yield ev.hold(rng.expovariate(0.5))
        with machine.request(1.0) as place:
            yield place
            yield ev.hold(0.25)
'''


def indented(text: str) -> str:
    return text.strip("\n").replace("\n", "\n        ")


HANDLED = """
try:
    yield ev.hold(2.0)
except ev.Interrupt as cut:
    told(cut, log, sim)
"""
ODD_VICTIMS = {
    "told": HANDLED,
    "not named": "try:\n    yield ev.hold(2.0)\nexcept ev.Interrupt:\n    log.append(sim.time)",
    "not handled": "yield ev.hold(2.0)",
    "another error": "try:\n    yield ev.hold(2.0)\nexcept KeyError:\n    log.append(sim.time)",
    "a subclass of it": "try:\n    yield ev.hold(2.0)\nexcept Broken as cut:\n    told(cut, log, sim)",
    "any exception": "try:\n    yield ev.hold(2.0)\nexcept Exception as cut:\n    told(cut, log, sim)",
    "bare": "try:\n    yield ev.hold(2.0)\nexcept:\n    log.append(sim.time)\n    raise",
    "finally": "try:\n    yield ev.hold(2.0)\nfinally:\n    log.append(sim.time)",
    "else": "try:\n    yield ev.hold(1.0)\nexcept ev.Interrupt:\n    yield 0.25\nelse:\n    yield ev.hold(0.5)",
    "raised again": "try:\n    yield ev.hold(2.0)\nexcept ev.Interrupt:\n    if k == 20:\n        raise",
    "raised again later": "try:\n    yield 2.0\nexcept ev.Interrupt:\n    yield 0.5\n    if k > 9:\n        raise",
    "another error in it": "try:\n    yield ev.hold(2.0)\nexcept ev.Interrupt as cut:\n    log.append(1 // (k - 20))",
    "waits in it": """
try:
    yield ev.hold(2.0)
except ev.Interrupt as cut:
    yield ev.hold(0.5)
    with desk.request() as unit:
        yield unit
        yield ev.hold(0.25)
        told(cut, log, sim)
""",
    "cut in it": """
try:
    yield ev.hold(2.0)
except ev.Interrupt as first:
    try:
        yield ev.hold(1.5)
    except ev.Interrupt as second:
        told(second, log, sim)
        yield ev.hold(0.5)
        told(second, log, sim)
    told(first, log, sim)
""",
    "cut in it to the outer one": """
try:
    try:
        yield ev.hold(2.0)
    except ev.Interrupt as first:
        yield ev.hold(1.5)
        log.append(first.left)
except ev.Interrupt as second:
    told(second, log, sim)
""",
    "as it waits for a desk": """
try:
    with desk.request() as unit:
        yield unit
        yield ev.hold(1.0)
except ev.Interrupt as cut:
    told(cut, log, sim)
""",
    "as it waits, inside": """
with desk.request() as unit:
    try:
        yield unit
        yield ev.hold(1.0)
    except ev.Interrupt as cut:
        log.append(cut.left is None)
        yield 0.125
""",
    "asks once more": """
with desk.request() as unit:
    try:
        yield unit
    except ev.Interrupt:
        yield unit
yield 0.5
""",
    "loses its machine": """
with machine.request() as place:
    yield place
    try:
        yield ev.hold(3.0)
    except ev.Interrupt as cut:
        told(cut, log, sim)
""",
    "loses its machine outside": """
try:
    with machine.request() as place:
        yield place
        yield ev.hold(3.0)
except ev.Interrupt as cut:
    told(cut, log, sim)
""",
    "loses its machine, and waits then": """
with machine.request() as place:
    yield place
    try:
        yield ev.hold(3.0)
    except ev.Interrupt as cut:
        yield ev.hold(0.5)
        told(cut, log, sim)
""",
    "loses its machine as it waits for a desk": """
with machine.request() as place:
    yield place
    try:
        with desk.request() as unit:
            yield unit
            yield ev.hold(1.0)
    except ev.Interrupt as cut:
        told(cut, log, sim)
""",
    "reads what is left": """
x = 2.0
while x > 0.0:
    try:
        yield ev.hold(x)
        x = 0.0
    except ev.Interrupt as cut:
        x = cut.left - 0.125
""",
    "leaves the loop": "try:\n    yield 2.0\nexcept ev.Interrupt:\n    if k == 30:\n        break\n    continue",
    "the name is used elsewhere": HANDLED + "cut = 5\nlog.append(cut)",
    "the name is gone": HANDLED + "if k > 30:\n    log.append(cut)",
    "of a tuple": "try:\n    yield ev.hold(2.0)\nexcept (KeyError, ev.Interrupt) as cut:\n    told(cut, log, sim)",
    "two handlers": "try:\n    yield 2.0\nexcept ev.Interrupt:\n    pass\nexcept Exception:\n    log.append('not')",
}
CUT = "other.interrupt()"
ODD_CUTS = {
    "with a text": "other.interrupt('late')",
    "with a number": "other.interrupt(k * 3 - 7)",
    "with a float": "other.interrupt(k * 0.5)",
    "with an object": "other.interrupt(kept)",
    "by its name": "other.interrupt(cause=True)",
    "twice": "other.interrupt(1)\nother.interrupt(2)",
    "whether it has ended or not": "if not other.terminated:\n    other.interrupt('alive')",
    "itself": "try:\n    sim.current.interrupt()\nexcept ev.ModelError as error:\n    log.append(str(error))",
    "in a loop": "for n in range(k % 3):\n    other.interrupt(n)",
    "and holds no time": "other.interrupt()\nyield 0.0\nother.interrupt(k)",
}


def run_odd(sim: ev.Simulation, module: ModuleType) -> Any:
    rng, log, kept = Random(5), [], ["kept"]
    desk, machine = ev.Resource(sim), ev.PreemptiveResource(sim)
    others = [sim.process(module.holds(sim, log, desk, machine)) for _ in range(4)]
    for other in others:
        sim.process(module.cuts(sim, rng, other, log, kept))
    sim.process(module.rush(sim, rng, machine))
    for _ in range(20):
        try:
            sim.run()
        except Exception as error:  # noqa: BLE001  # whatever the program raises
            frames = traceback.extract_tb(error.__traceback__)
            lines = [(frame.name, frame.lineno) for frame in frames if frame.filename == module.__file__]
            log.append((repr(error), lines, error.__notes__))
        else:
            break
    return [log, sim.events, sim.time, rng.random(), [p.terminated for p in others], desk.counts, machine.counts]


def compare_odd(victims: str, cutters: str, folder: Path, *, native: bool = False) -> int:
    found = []
    for compiles in (False, "auto"):
        module = load(ODD.format(indented(victims), indented(cutters)), folder, "odd_interrupts")
        sim = simulation(compiles, native=native)
        found.append(repr(run_odd(sim, module)))
    assert found[0] == found[1]
    return taken(sim)


@pytest.mark.slow
@pytest.mark.parametrize("victims", ODD_VICTIMS.values(), ids=ODD_VICTIMS)
def test_whatever_the_interrupted_do_is_what_they_do_in_python(victims: str, tmp_path: Path) -> None:
    assert compare_odd(victims, CUT, tmp_path) > 5


@pytest.mark.slow
@pytest.mark.parametrize("cutters", ODD_CUTS.values(), ids=ODD_CUTS)
def test_whatever_interrupts_do_is_what_they_do_in_python(cutters: str, tmp_path: Path) -> None:
    assert compare_odd(HANDLED, cutters, tmp_path) > 5


NOT_HOLDING = """
with desk.request() as unit:
    try:
        yield unit
        yield ev.hold(1.0)
    except ev.Interrupt as cut:
        left = 5.0
        left = cut.left
        log.append(left)
"""


@pytest.mark.slow
def test_an_interrupt_of_a_wait_for_units_leaves_nothing_of_a_hold(tmp_path: Path) -> None:
    assert compare_odd(NOT_HOLDING, CUT, tmp_path) > 5


def test_native_code_is_not_loaded_where_no_process_can_go_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def reader(sim: ev.Simulation) -> ev.ProcessGenerator:
        for _ in range(30):
            yield ev.hold(1.0)
            vars()

    def refuse(_: NativeRows) -> RowEngine:
        raise NotImplementedError("native code is loaded")

    monkeypatch.setattr(NativeRows, "engine", property(refuse))
    sim = ev.Simulation(rng=7)
    for _ in range(3):
        sim.process(reader(sim))
    sim.run()
    assert sim._migration is not None
    assert taken(sim) == 0
    with pytest.raises(NotImplementedError, match="is loaded"):
        run_pairs(ev.Simulation(rng=7))


class Machine(ev.Process):
    """Breaks down whenever its own fault occurs."""

    made: int = 0
    lost: float = 0.0

    def run(self) -> ev.ProcessGenerator:
        while True:
            work = 1.5
            while work > 0.0:
                try:
                    yield ev.hold(work)
                    work = 0.0
                except ev.Interrupt as cut:
                    work = cut.left
                    self.lost += 0.25
                    try:
                        yield ev.hold(0.25)
                    except ev.Interrupt:
                        self.lost += 1.0
            self.made += 1


class Fault(ev.Process):
    machine: Machine
    rng: Random

    def run(self) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(self.rng.expovariate(0.5))
            self.machine.interrupt("broken")


def run_shop(sim: ev.Simulation) -> list[Any]:
    rng = Random(4)
    machines = [Machine(sim).activate() for _ in range(3)]
    faults = [Fault(sim, machine=machine, rng=rng).activate() for machine in machines]
    for time in (40.0, 60.0):
        sim.run(until=time)
        faults[0].machine = machines[2]
    return [[(one.made, one.lost) for one in machines], sim.events, rng.random()]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_machines_that_are_objects_break_down_in_rows(native: bool) -> None:
    expected = run_shop(simulation(False))
    sim = simulation("auto", native=native)
    assert run_shop(sim) == expected
    assert taken(sim) > 0.8 * sim.events
    assert sum(sim._migration.exits.values()) == 0


def test_an_exception_that_is_handled_as_the_others_go_away_is_itself_again() -> None:
    def repaired(sim: ev.Simulation, rng: Random, log: list[Any]) -> ev.ProcessGenerator:
        for _ in range(30):
            try:
                yield ev.hold(3.0)
            except ev.Interrupt as cut:
                yield ev.hold(rng.uniform(1.0, 2.0))
                yield ev.hold(0.5)
                trace = traceback.extract_tb(cut.__traceback__)
                log.append((sim.time, cut.cause, cut.left, cut.__context__, [(one.name, one.lineno) for one in trace]))

    def breaker(rng: Random, other: ev.Process) -> ev.ProcessGenerator:
        for number in range(12):
            yield ev.hold(rng.uniform(3.0, 4.0))
            other.interrupt(number)

    def run(sim: ev.Simulation) -> list[Any]:
        rng, log = Random(1), []
        for _ in range(4):
            sim.process(breaker(rng, sim.process(repaired(sim, rng, log))))
        for time in range(1, 60):  # all are at home between two runs
            sim.run(until=float(time))
        return [log, sim.events, sim.time, rng.random()]

    expected = run(simulation(False))
    sim = simulation("auto")
    assert run(sim) == expected
    assert len(expected[0]) > 20
    assert taken(sim) > 10  # 17 on CPython 3.13


def tough(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
    for _ in range(60):
        try:
            yield ev.hold(2.0)
        except ev.Interrupt as cut:
            log.append((sim.time, cut.cause, cut.left))


class Beat(ev.Continuous):
    others: list[Any] = ev.field(default_factory=list)

    @ev.every(1.75)
    def beat(self) -> None:
        for other in self.others:
            other.interrupt("beat")


def run_with_handler(sim: ev.Simulation) -> list[Any]:
    """Rows are interrupted by rows, by a handler, and after their end; and a process of another simulation is."""
    rng, log, ends = Random(1), [], []
    far = ev.Simulation(rng=2, compile=False)
    stranger = far.process(tough(far, log))
    far.run(until=0.5)
    others = [sim.process(tough(sim, log)) for _ in range(3)]
    kept = Beat(sim, others=others).start()
    for other in (*others, stranger):
        sim.process(interrupter(rng, other, 200))
    for time in (10.0, 30.0, 100.0):
        try:
            sim.run(until=time)
        except ev.ModelError as error:
            ends.append((sim.time, str(error), error.__notes__))
    far.run(until=1.0)
    return [kept.name, log, ends, sim.events, far.events, rng.random()]


def test_rows_are_interrupted_by_handlers_and_interrupt_processes_of_another_simulation() -> None:
    expected = run_with_handler(simulation(False))
    sim = simulation("auto")
    assert run_with_handler(sim) == expected
    assert "there is nothing to interrupt" in expected[2][0][1]
    assert taken(sim) > 50


@pytest.mark.parametrize("step", [1, -1])
def test_the_largest_whole_number_of_a_row_is_a_cause(step: int) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log: list[Any] = []

        def victim() -> ev.ProcessGenerator:
            while True:
                try:
                    yield ev.hold(10.0)
                except ev.Interrupt as cut:
                    log.append(cut.cause)

        def hitter(other: ev.Process, cause: int) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                cause = cause + step
                other.interrupt(cause)

        sim.process(hitter(sim.process(victim()), step * (2**62 - 30)))
        sim.run(until=40.0)
        return log

    sim = simulation("auto")
    assert run(sim) == run(simulation(False))
    assert taken(sim) > 20
