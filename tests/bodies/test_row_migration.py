"""Processes that go on as native code leave the same as in Python, wherever they are cut."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any
from weakref import ref

import pytest
import random_bodies
from bodies.holders import both, holder
from random_bodies import simulation, taken

import eventide as ev
from eventide.bodies import reader
from eventide.migration.bodies import Bodies
from eventide.reading.generators import chain_of
from eventide.streams.uniforms import Uniforms


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


def compare(seed: int, acts: int, folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = random_bodies.load(random_bodies.program(seed, acts), folder, f"program{seed}")
    expected = random_bodies.outcome(simulation(False, native=native), module, seed, acts)
    sim = simulation("auto", native=native)
    assert random_bodies.outcome(sim, module, seed, acts) == expected, seed
    return taken(sim)


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_rows_that_run_as_python_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=False) for seed in range(12)) > 500


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_rows_that_run_as_python_leave_the_same_in_many_models(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=False) for seed in range(12, 40)) > 4_000


def compare_rich(seed: int, acts: int, folder: Path, *, native: bool) -> int:
    """The same for a model of the richer kind, which changes names of its module as it runs."""
    sims, found = (simulation(False, native=native), simulation("auto", native=native)), []
    for sim in sims:
        module = random_bodies.load(random_bodies.rich_program(seed, acts), folder, f"rich{seed}")
        found.append(random_bodies.rich_outcome(sim, module, seed, acts))
    assert found[0] == found[1], seed
    return taken(sims[1])


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_rows_that_share_variables_and_names_that_change_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare_rich(seed, acts, tmp_path, native=False) for seed in (2, 3, 8)) > 100


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_native_rows_that_share_variables_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare_rich(seed, acts, tmp_path, native=True) for seed in range(3)) > 100


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_native_rows_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=True) for seed in range(8)) > 200


def run_holders(compiles: Any) -> tuple[ev.Simulation, list[Any]]:
    rng, ended, sim = Random(1), [], simulation(compiles, native=True)
    for _ in range(20):
        sim.process(holder(sim, rng, 50, ended))
    sim.run()
    return sim, [sim.time, sim.events, ended, rng.random()]


@pytest.mark.slow
def test_native_holds_draws_lists_and_ends_are_those_of_python() -> None:
    sim, found = run_holders("auto")
    assert found == run_holders(False)[1]
    assert taken(sim) > 900
    assert sim._migration is not None
    assert sim._migration.exits == {}


def counter(sim: ev.Simulation, told: list[float], first: int, step: int) -> ev.ProcessGenerator:
    number = first
    while sim.time < 70.0:
        yield ev.hold(1.0)
        number = number * step - 1
        told.append(float(number % 7) + (number // 7) * 0.5)
        told.append(number / 3)


def test_whole_numbers_of_rows_are_those_of_python() -> None:
    def run(compiles: Any) -> tuple[ev.Simulation, list[float]]:
        sim, told = simulation(compiles, native=False), []
        for first, step in ((2, 2), (-5, 2), (-3, -2), (2**50, 3), (10**6, -7)):
            sim.process(counter(sim, told, first, step))
        sim.run()
        return sim, told

    sim, found = run("auto")
    assert found == run(False)[1]
    assert taken(sim) > 100


def test_a_generator_that_somebody_holds_stays_python() -> None:
    sim = simulation("auto", native=False)
    kept = [holder(sim, Random(1), 50, []) for _ in range(4)]
    for generator in kept:
        sim.process(generator)
    sim.run(until=20.0)
    assert taken(sim) == 0
    assert kept[0].gi_frame.f_locals["holds"] == 50


@pytest.mark.parametrize("is_kept", [False, True])
def test_the_frame_of_an_inner_generator_that_somebody_holds_stays_python(is_kept: bool) -> None:
    def inner(step: float) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(step)

    def outer() -> ev.ProcessGenerator:
        yield from inner(1.0)

    sim = simulation("auto", native=False)
    made = [sim.process(outer()) for _ in range(4)]
    sim.run(until=0.5)
    frames = [chain_of(one._generator)[-1].gi_frame for one in made] if is_kept else []
    sim.run(until=20.0)
    assert (taken(sim) == 0) == is_kept
    assert all(frame.f_locals["step"] == 1.0 for frame in frames)


def test_what_is_left_to_python_is_told_with_its_number() -> None:
    told: list[Any] = []

    def teller(sim: ev.Simulation) -> ev.ProcessGenerator:
        for step in range(30):
            yield ev.hold(1.0)
            if step % 10 == 9:
                told.append({sim.time: step})

    def reader(path: str) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.0)
            vars()

    sim = simulation("auto", native=False)
    for _ in range(3):
        sim.process(teller(sim))
    sim.process(reader(""))
    sim.run(until=40.0)
    assert len(told) == 9
    text = str(sim.explain())
    assert "teller: native code\n    but for" in text
    assert "of what is appended to a list numbers, words, and objects that are known are native (9 times)" in text
    assert "reader: Python, because of" in text
    assert "it calls one of" in text


def cutter(sim: ev.Simulation, cuts: list[float]) -> ev.ProcessGenerator:
    for step in range(40):
        yield ev.hold(1.0)
        if step % 9 == 4:
            cuts.append(sim.time)
            [signal.raise_signal(signal.SIGINT)]


def run_cut(compiles: Any) -> list[Any]:
    sim = simulation(compiles, native=False)
    rng, ended, cuts, stops = Random(1), [], [], []
    for _ in range(5):
        sim.process(holder(sim, rng, 30, ended))
    sim.process(cutter(sim, cuts))
    for _ in range(20):
        try:
            sim.run()
        except KeyboardInterrupt as error:
            stops.append((sim.time, sim.events, error.__notes__))
        else:
            break
    assert compiles is False or taken(sim) > 50
    return [cuts, stops, ended, sim.time, sim.events, rng.random()]


def test_ctrl_c_stops_where_it_stops_in_python_and_the_next_run_goes_on() -> None:
    found = run_cut("auto")
    assert len(found[1]) == 4
    assert found == run_cut(False)


def fails() -> float:
    raise LookupError("no number")


@pytest.mark.slow
def test_an_error_in_a_draw_comes_out_of_the_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams fetch numbers in blocks, by code that a second Ctrl-C may interrupt."""

    def drawer(sim: ev.Simulation, stream: Any, met: list[Any]) -> ev.ProcessGenerator:
        while True:
            try:
                yield ev.hold(stream.uniform(1.0, 2.0))
            except LookupError as error:
                met.append((sim.time, repr(error)))

    def numbers() -> Any:
        for k in range(1, 1000):
            yield from ([0.5 / k] if k % 40 else [])
            if k % 40 == 0:
                raise LookupError(f"no number {k}")

    def run(compiles: Any) -> list[Any]:
        sim = simulation(compiles, native=True)
        stream, met = sim.stream("drawn"), []
        stream.random = Uniforms.from_iterable([numbers()]).__next__
        sim.process(drawer(sim, stream, met))
        try:
            sim.run(until=100.0)
        except StopIteration:
            pass
        except RuntimeError as error:
            met.append(repr(error))
        assert compiles is False or taken(sim) > 10
        return [met, sim.time, sim.events]

    assert run("auto") == run(False)


@pytest.mark.slow
def test_the_order_of_hashes_does_not_matter(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "import pytest, test_row_migration, random_bodies, pathlib\n"
        "random_bodies.hurry(pytest.MonkeyPatch())\n"
        "folder = pathlib.Path(sys.argv[3])\n"
        "for seed in range(6):\n"
        "    module = random_bodies.load(random_bodies.program(seed, 14), folder, f'program{seed}')\n"
        "    print(random_bodies.outcome(test_row_migration.simulation('auto', native=False), module, seed, 14))\n"
    )
    here = Path(__file__).parent
    told = [
        subprocess.run(
            [sys.executable, "-c", code, str(here), str(here.parent), str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert told[0] == told[1]
    assert len(told[0]) > 1000


RATE = 1.0
"""What `worker` reads, and others set while it is away."""


def scaled(gap: float) -> float:
    return gap * 1.5


def halved(gap: float) -> float:
    return gap * 0.5


ORIGINAL = scaled.__code__


def test_what_rows_rely_on_is_looked_at_after_each_event_in_python() -> None:
    def worker(sim: ev.Simulation, tally: ev.Tally, drawn: ev.Stream) -> ev.ProcessGenerator:
        while True:
            gap = scaled(drawn.uniform(0.5, 1.5)) * RATE
            tally.add(gap)
            yield gap

    def outcome(sim: ev.Simulation, meddle: Any) -> list[Any]:
        globals()["RATE"], scaled.__code__ = 1.0, ORIGINAL
        tally, drawn = sim.tally("gaps"), sim.stream("gaps")
        log: list[Any] = []

        def other() -> ev.ProcessGenerator:
            yield 50.25
            meddle(tally, drawn)
            yield 50.0
            log.append((sim.events, tally.count, tally.mean))

        for _ in range(4):
            sim.process(worker(sim, tally, drawn))
        sim.process(other())
        sim.run(until=200.0)
        return [*log, sim.events, tally.count, tally.mean, drawn.random()]

    meddlers: dict[str, Any] = {
        "a global": lambda tally, drawn: globals().update(RATE=1.5),
        "statistics": lambda tally, drawn: tally.reset(),
        "code": lambda tally, drawn: setattr(scaled, "__code__", halved.__code__),
        "a source of numbers": lambda tally, drawn: setattr(drawn, "random", Random(3).random),
    }
    for what, meddle in meddlers.items():
        expected = outcome(simulation(False, native=False), meddle)
        sim = simulation("auto", native=False)
        assert outcome(sim, meddle) == expected, what
        assert taken(sim) > 100, what


def test_a_body_that_fetches_its_stream_and_holds_zero_goes_away() -> None:
    def worker(sim: ev.Simulation) -> ev.ProcessGenerator:
        drawn = sim.stream("gaps")
        for _ in range(1000):
            yield ev.hold(drawn.uniform(0.5, 1.5))
            yield 0.0

    def run(sim: ev.Simulation) -> list[Any]:
        sim.process(worker(sim))
        sim.process(worker(sim))
        sim.run(until=100.0)
        return [sim.events, sim.stream("gaps").random()]

    sim = simulation("auto", native=False)
    assert run(sim) == run(simulation(False, native=False))
    assert taken(sim) > 300
    assert "but for" not in str(sim.explain())


def test_whoever_begins_to_trace_sees_the_lines_of_those_that_were_away() -> None:
    seen: set[float] = set()

    def look(frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code.co_name == "worker":
            seen.add(sim.time)
        return look

    def worker() -> ev.ProcessGenerator:
        while True:
            yield 1.0

    def debugger() -> ev.ProcessGenerator:
        yield 50.25
        sys.settrace(look)
        yield 10.0
        sys.settrace(None)

    before = sys.gettrace()
    sim = simulation("auto", native=False)
    sim.process(worker())
    sim.process(debugger())
    try:
        sim.run(until=100.0)
    finally:
        sys.settrace(before)
    assert taken(sim) > 60
    assert {51.0, 55.0, 60.0} <= seen
    assert 70.0 not in seen


def test_a_kernel_that_cannot_be_made_loses_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[float] = []

    def worker() -> ev.ProcessGenerator:
        while True:
            yield 1.0
            times.append(sim.time)

    def fail(*_: Any) -> int:
        raise OSError("no space left on the device")

    sim = simulation("auto", native=False)
    sim.process(worker())
    with monkeypatch.context() as patch:
        patch.setattr(Bodies, "add_kind", fail)
        with pytest.raises(OSError, match="no space"):
            sim.run(until=100.0)
    sim.run(until=100.0)
    assert times == [float(k) for k in range(1, 100)]


def test_the_time_of_another_simulation_is_its_own() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        other, seen = ev.Simulation(), list[float]()

        def worker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                seen.append(other.time)
                yield ev.hold(0.5)
                seen.append(sim.time)

        def visitor() -> ev.ProcessGenerator:
            yield 20.25
            other.run(until=7.0)

        sim.process(worker())
        sim.process(visitor())
        sim.run(until=40.0)
        return [sim.events, seen]

    found, sim = both(run)
    assert found[1][:4] == [0.0, 1.5, 0.0, 3.0]
    assert taken(sim) > 10


def test_a_resource_of_another_simulation_is_refused_at_the_line_that_asks_for_it() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        far = ev.Resource(ev.Simulation(), name="far")

        def worker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                yield ev.hold(0.5)
                if sim.time > 20.0:
                    with far.request() as unit:
                        yield unit
                        yield ev.hold(1.0)

        sim.process(worker())
        with pytest.raises(ev.ModelError, match="far belongs to another simulation"):
            sim.run(until=40.0)
        return [sim.time, sim.events, far.waits.count]

    assert both(run)[0] == [21.0, 29, 0]


def test_a_loop_that_may_have_no_end_is_left_to_python_which_hears_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_TURNS", 10)

    def run(sim: ev.Simulation) -> list[Any]:
        def worker(told: list[float]) -> ev.ProcessGenerator:
            count = 0
            while True:
                yield ev.hold(1.0)
                count += 1
                while count % 20:
                    count += 1
                    told.append(0.5)
                for k in range(count % 100):
                    told.append(k * 1.0)  # noqa: PERF401  # a loop of a model

        told: list[float] = []
        sim.process(worker(told))
        sim.run(until=40.0)
        assert sim._migration is None or sum(sim._migration.exits.values()) > 5
        return [sim.events, told]

    assert taken(both(run)[1]) > 5


def unset(x: float) -> float:
    """Its variable hides that of the module."""
    result = RATE * x  # noqa: F823  # the mistake that is tested
    RATE = 1.0  # noqa: F841, N806
    return result


def test_a_variable_without_a_value_is_an_error_in_functions_that_are_called_too() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        met: list[Any] = []

        def worker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                yield ev.hold(0.5)
                try:
                    yield ev.hold(unset(1.0))
                except UnboundLocalError as error:
                    met.append((sim.time, repr(error)))

        sim.process(worker())
        sim.run(until=40.0)
        return met

    found, sim = both(run)
    assert len(found) == 26
    assert taken(sim) > 10


def test_who_patches_request_sees_the_requests_of_those_that_were_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(sim: ev.Simulation) -> list[float]:
        desk, seen, request = ev.Resource(sim), list[float](), ev.Resource.request

        def worker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                yield ev.hold(0.25)
                with desk.request() as unit:
                    yield unit
                    yield ev.hold(0.25)

        def noted(resource: ev.Resource) -> Any:
            seen.append(sim.time)
            return request(resource)

        def spy() -> ev.ProcessGenerator:
            yield 20.125
            with monkeypatch.context() as patch:
                patch.setattr(ev.Resource, "request", noted)
                yield 10.0

        sim.process(worker())
        sim.process(spy())
        sim.run(until=40.0)
        return seen

    found, sim = both(run)
    assert found == [20.75 + k for k in range(10)]
    assert taken(sim) > 20


def test_what_a_process_has_deleted_is_gone() -> None:
    def run(sim: ev.Simulation) -> list[bool]:
        seen: list[bool] = []

        def worker() -> ev.ProcessGenerator:
            thing = Random(1)
            is_there = ref(thing)
            for _ in range(20):
                yield ev.hold(1.0)
                yield ev.hold(0.5)
            seen.append(is_there() is not None)
            del thing
            yield ev.hold(1.0)
            seen.append(is_there() is not None)

        sim.process(worker())
        sim.run(until=40.0)
        return seen

    found, sim = both(run)
    assert found == [True, False]
    assert taken(sim) > 20


def test_a_lambda_that_yields_stays_in_python() -> None:
    def run(compiles: Any) -> tuple[list[Any], ev.Simulation]:
        sim, told = simulation(compiles, native=False), list[Any]()
        wait = lambda pause: (yield pause)  # noqa: E731  # what is tested
        tell = lambda k: (told.append((k, (yield 0.25), (yield k))), told.append(sim.time))  # noqa: E731

        def story() -> ev.ProcessGenerator:
            for number in range(40):
                yield ev.hold(0.5)
                sim.process(tell(number))
                yield from wait(0.25)

        sim.process(story())
        sim.run()
        return [told, sim.time, sim.events], sim

    found, sim = run("auto")
    assert found == run(False)[0]
    assert taken(sim) > 20
    assert "a lambda that yields" in str(sim.explain())
