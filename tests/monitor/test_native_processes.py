"""Processes that wait for states as native code: when they are, and that nobody can tell."""

from __future__ import annotations

import gc
import sys
import traceback
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.continuous.guards import native_handlers


class Tank(ev.Continuous):
    """A level that swings as it is told."""

    level: ev.State = ev.state(0.5)
    flow: float = 1.0
    turns: int = 0
    limit: int = 1000
    seen: float = 0.0
    log: list[Any] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.level = self.flow


class Plan:
    """What a process finds in a plain object."""

    def __init__(self) -> None:
        self.most = 1000
        self.times: list[float] = []


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are rows, and handlers native code, as soon as they can be."""
    monkeypatch.setattr(native_handlers, "ENOUGH", 1)
    random_bodies.hurry(monkeypatch)


def swings(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    note = plan.times.append
    while len(plan.times) < plan.most:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.flow = -1.0
        tank.turns += 1
        tank.seen = 1.0 / (tank.limit - tank.turns)
        note(tank.sim.time)
        yield ev.until(lambda: tank.level <= 0.0)
        tank.flow = 1.0
        tank.turns += 1
        tank.log.append((tank.turns, "empty", tank))
        plan.times.append(tank.sim.time)


def made(
    story: Any = swings, *, limit: int = 1000, compiles: Any = "auto", **options: Any
) -> tuple[Any, Tank, Plan, Any]:
    sim = simulation(compiles, **options)
    tank, plan = Tank(sim, name="tank", limit=limit).start(), Plan()
    return sim, tank, plan, sim.process(story(tank, plan), name="swings")


def left(sim: Any, tank: Tank, plan: Plan, process: Any) -> tuple[Any, ...]:
    """All that a run leaves."""
    monitor, log = sim.monitor, [(turns, text, who.name) for turns, text, who in tank.log]
    counts = sim.time, sim.dt, sim.last_time, sim.events, monitor.state_events, monitor.steps, monitor.refused
    waits = [(c.name, c.identity[1].co_firstlineno, c.rank, c.priority) for c in sim._conditions]
    return (
        counts,
        # Where all is one flow its laws are settled once more as rows come to the end of a run.
        (sim._conditions.arrivals, sim.stepping == "together" or sim._continuum.evaluations, waits),
        (tank.level, tank.flow, tank.turns, tank.seen, log, plan.times),
        (process.why_waiting(), process.terminated, process.idle),
    )


def both(act: Any, story: Any = swings, **options: Any) -> tuple[int, Any]:
    """How many events were native, and what `act(...)` answers; plain and native leave the same."""
    results, native = [], 0
    for compile_ in (False, "auto"):
        for stepping in ("together", "apart"):
            parts = made(story, compiles=compile_, stepping=stepping, **options)
            results.append((act(*parts), left(*parts)))
            native = taken(parts[0])
            assert compile_ or not native
    assert results[0] == results[2]
    assert results[1] == results[3]
    return native, results[3][0]


@pytest.mark.slow
def test_all_but_the_first_rounds_are_native_and_leave_the_same() -> None:
    native, _ = both(lambda sim, *_: sim.run(until=40.25))
    assert native == 40 - 4


def test_a_process_in_the_middle_is_found_where_it_waits() -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> list[str]:
        told = []
        for until in (4.25, 20.25, 21.25, 22.25, 23.25):
            sim.run(until=until)
            told.append(process.why_waiting())
        return told

    native, told = both(act)
    assert native >= 11
    first = swings.__code__.co_firstlineno
    assert [int(text.partition(" (")[0].rpartition(":")[2]) - first for text in told] == [3, 3, 8, 3, 8]


def test_an_error_is_met_at_the_users_line_with_everything_as_it_was() -> None:
    def act(sim: Any, *_: Any) -> Any:
        with pytest.raises(ZeroDivisionError) as met:
            sim.run(until=40.0)
        return traceback.extract_tb(met.value.__traceback__)[-1].line, met.value.__notes__

    native, (line, notes) = both(act, limit=15)
    assert line == "tank.seen = 1.0 / (tank.limit - tank.turns)"
    assert notes[0].startswith("swings was active at time ")
    assert native == 15 - 4


def test_what_a_process_returns_is_its_result() -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        plan.most = 20
        sim.run(until=process)
        return process.result

    assert both(act)[0] == 20 - 4


@pytest.mark.slow
@pytest.mark.parametrize("at", [10.25, 11.25])
@pytest.mark.parametrize("deed", ["interrupt", "end", "activate", "later", "cancel", "before"])
def test_who_disturbs_a_wait_finds_it_as_in_python(deed: str, at: float) -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        def disturbs() -> ev.ProcessGenerator:
            yield ev.hold(at)
            if deed == "interrupt":
                process.interrupt("why")
            elif deed == "end":
                process.end()
            elif deed == "activate":
                process.activate()
            elif deed == "later":
                process.activate(delay=0.25)
            elif deed == "cancel":
                process.cancel_state_event()
                process.activate(delay=2.0)
            else:
                yield ev.activate(process)
            plan.times.append((sim.time, process.why_waiting()))

        other = sim.process(disturbs(), name="disturbs")
        error = None
        try:
            sim.run(until=20.25)
        except ev.Interrupt as met:
            error = met.cause, traceback.extract_tb(met.__traceback__)[-1].line, met.__notes__
        return error, other.terminated

    native, (error, _) = both(act)
    if deed == "interrupt":
        line = "tank.level >= 1.0" if at == 10.25 else "tank.level <= 0.0"
        assert error is not None
        assert error[1] == f"yield ev.until(lambda: {line})"
    assert native >= 8


def test_an_observer_that_arrives_sees_every_event() -> None:
    def act(sim: Any, *_: Any) -> Any:
        occurrences: list[Any] = []
        sim.run(until=10.25)
        sim.trace = lambda occurrence: occurrences.append((occurrence.time, str(occurrence)))
        sim.run(until=15.25)
        sim.trace = None
        sim.run(until=20.25)
        sim.step()
        return occurrences

    native, seen = both(act)
    assert (native, len(seen)) == (6, 5)


def test_what_a_plain_object_refers_to_may_change_between_runs() -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        kept = plan.times
        sim.run(until=10.25)
        plan.times = []
        sim.run(until=14.25)
        return kept, [len(kept), len(plan.times)]

    native, (_, lengths) = both(act)
    assert lengths == [12, 2]  # what it has taken down before is put where it was
    assert native == 9


def test_priorities_of_the_simulation_that_change_are_noticed() -> None:
    def act(sim: Any, *_: Any) -> Any:
        sim.run(until=10.25)
        sim.until_priority = 2.0
        sim.run(until=14.25)
        return [c.priority for c in sim._conditions]

    assert both(act)[1] == [2.0]


def two(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.log.append((tank.turns, "two", tank))
        yield ev.until(lambda: tank.level <= 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("is_first", [True, False])
def test_processes_at_one_instant_go_in_their_order(is_first: bool) -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        sim.until_prior = is_first
        sim.process(two(tank, plan), name="two")
        sim.run(until=1.25)
        sim.until_prior = False
        sim.run(until=20.25)
        return [(c.name, c.rank) for c in sim._conditions]

    native, _ = both(act)
    assert native > 25


class Handled(Tank):
    @ev.when(lambda self: self.level >= 1.0)
    def full(self) -> None:
        self.log.append((self.turns, "full", self))


def test_processes_and_handlers_of_one_instant_go_in_their_order() -> None:
    results = []
    for compile_ in (False, "auto"):
        sim = simulation(compile_)
        tank, plan = Handled(sim, name="tank").start(), Plan()
        process = sim.process(swings(tank, plan), name="swings")
        sim.run(until=20.25)
        results.append(left(sim, tank, plan, process))
        native = sim.monitor.integrator.native_handlers.handled
        assert taken(sim) + native >= (25 if compile_ else 0)
    assert results[0] == results[1]


def ranked(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tank.level >= 1.0, priority=-1.0)
        tank.flow = -1.0
        tank.log.append((tank.turns, "ranked", tank))
        yield ev.until(lambda: tank.level <= 0.5, priority=+2)
        yield ev.until(lambda: tank.level <= 0.0, priority=0.5)
        tank.flow = 1.0


@pytest.mark.slow
def test_priorities_may_be_any_written_numbers() -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        sim.process(two(tank, plan), name="two")
        sim.run(until=20.25)
        return [(c.name, c.priority) for c in sim._conditions]

    native, _ = both(act, ranked)
    assert native > 30


def held(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.flow = -1.0
        yield ev.until(lambda: tank.level <= 0.0)
        tank.flow = 0.0
        yield ev.hold(0.25)
        tank.flow = 1.0
        tank.turns += 1


@pytest.mark.slow
def test_a_process_that_waits_for_something_else_too_is_native() -> None:
    assert both(lambda sim, *_: sim.run(until=40.25), held)[0] > 45


def rare(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.turns += 1
        tank.flow = -1.0
        if tank.turns % 5 == 0:
            yield ev.until(lambda: tank.level <= -1.0)
        yield ev.until(lambda: tank.level <= 0.0)
        tank.flow = 1.0


@pytest.mark.slow
def test_a_wait_that_a_process_has_not_come_to_before_is_python() -> None:
    assert both(lambda sim, *_: sim.run(until=60.25), rare)[0] == 50


def changing(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    bound = 1.0
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.flow = -bound
        yield ev.until(lambda: tank.level <= 0.0)
        tank.flow = 1.0
        bound = 2.0


def with_answer(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        woken = yield ev.until(lambda: tank.level >= 1.0)
        tank.flow = -1.0 if woken else 1.0
        yield ev.until(lambda: tank.level <= 0.0)
        tank.flow = 1.0


def with_try(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        try:
            yield ev.until(lambda: tank.level >= 1.0)
        except ev.Interrupt:
            return
        tank.flow = -1.0
        yield ev.until(lambda: tank.level <= 0.0)
        tank.flow = 1.0


def with_final(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        try:
            yield ev.until(lambda: tank.level >= 1.0)
            tank.flow = -1.0
            yield ev.until(lambda: tank.level <= 0.0)
            tank.flow = 1.0
        finally:
            tank.turns += 1


def with_any(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        try:
            yield ev.until(lambda: tank.level >= 1.0)
            tank.level = 0.0
        except BaseException:
            tank.turns += 1
            raise


def caught_later(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    phase = 0.0
    while True:
        try:
            yield ev.until(lambda: tank.level >= 1.0)
            tank.level = 0.0
            phase = tank.sim.time
            yield ev.until(lambda: tank.level >= 0.5)
        except ev.Interrupt:
            plan.times.append(phase)


def old_answer(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    woken = False
    while True:
        try:
            woken = yield ev.until(lambda: tank.level >= 1.0)
            tank.level = 0.0
        except ev.Interrupt:
            plan.times.append(float(woken))


def with_a_unit(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    desk = ev.Resource(tank.sim)
    while True:
        with desk.request() as unit:
            yield unit
            yield ev.until(lambda: tank.level >= 1.0)
            tank.level = 0.0


def filling(tank: Tank) -> ev.ProcessGenerator:
    yield ev.until(lambda: tank.level >= 1.0)
    tank.level = 0.0


def by_another(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        yield from filling(tank)


def in_an_expression(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        plan.times.append(float((yield ev.until(lambda: tank.level >= 1.0))))
        tank.level = 0.0


def by_a_name(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    def is_full() -> bool:
        return tank.level >= 1.0

    while True:
        yield ev.until(is_full)
        tank.level = 0.0


def after_another(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        plan.times.append(tank.sim.time); yield ev.until(lambda: tank.level >= 1.0)  # fmt: skip  # noqa: E702
        tank.level = 0.0


def in_its_branch(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        if plan.times.append(tank.sim.time) is None: yield ev.until(lambda: tank.level >= 1.0)  # fmt: skip  # noqa: E701
        tank.level = 0.0


def told(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    phase = 0

    def tell() -> int:
        return phase

    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.level = 0.0
        tank.turns += 1
        yield ev.until(lambda: tank.level >= 0.5)
        if tank.turns % 5 == 0:
            phase = tank.turns
            plan.times.append(tell())
            yield ev.hold(0.25)


def ended(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    kept = 0
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.level = 0.0
        tank.turns += 1
        kept = tank.turns
        yield ev.until(lambda: tank.level >= 0.5)
        if tank.turns == 10:
            tank.log.append((tank.turns, "ended", tank))
            return kept


def behind_a_loop(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    kept = 0
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.level = 0.0
        kept = tank.turns = tank.turns + 1
        yield ev.until(lambda: tank.level >= 0.5)
        for turn in range(tank.turns):
            if turn == 4:
                break
        while tank.turns % 5 == 0:
            plan.times.append(kept)
            if plan.times:
                yield ev.hold(0.125)
                break


def by_default(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda least=tank.turns: tank.level >= 1.0 + least / 8)
        tank.level = 0.0
        tank.turns += 1


def by_the_frame(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    plan.times.append(sys._getframe().f_lineno)
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.level = 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("story", "why"),
    [
        (by_default, "a default of its lambda is computed at each wait"),
        (by_the_frame, "it calls one of"),
        (with_final, "no native code is made of its waits"),
        (with_any, "no native code is made of its waits"),
        (in_an_expression, "no native code is made of its waits"),
        (by_a_name, "it waits for what is created each time"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_not_followed_stays_python_and_is_told(story: Any, why: str) -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        sim.run(until=0.25)
        (note,) = sim.explain().processes
        sim.run(until=12.2)
        return str(note.refusal), process.result

    native, (note, _) = both(act, story)
    assert native == 0
    assert why in note


@pytest.mark.slow
@pytest.mark.parametrize("story", [told, ended, behind_a_loop, changing, with_a_unit, by_another, old_answer])
def test_what_changes_between_waits_is_followed(story: Any) -> None:
    native, _ = both(lambda sim, *_: sim.run(until=12.2), story)
    assert native >= 7


@pytest.mark.parametrize("story", [after_another, in_its_branch])
def test_what_stands_before_a_wait_on_its_line_is_done_once_a_round(story: Any) -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        found = []
        for until in (10.25, 20.25):
            sim.run(until=until)
            found.append((len(plan.times), process.why_waiting()))
        return found

    native, ((rounds, _), _) = both(act, story)
    assert (native > 10, rounds) == (True, 11)


def interrupted(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    turns = 0
    while turns < 3:
        try:
            woken = yield ev.until(lambda: tank.level >= 1.0)
            rank = tank.turns
            tank.turns = rank + 1
            if woken:
                tank.flow = -1.0
            else:
                plan.times.append(-1.0)
            yield ev.until(lambda: tank.level <= 0.0)
            tank.seen = 1.0 / (20.0 - tank.turns)
        except (ev.Interrupt, ZeroDivisionError) as error:
            plan.times.append(tank.sim.time)
            tank.log.append((tank.turns, type(error).__name__, tank))
        else:
            plan.times.append(tank.sim.time)
            tank.log.append((tank.turns, "else", tank))
        tank.flow = 1.0
        if tank.turns == 35:
            break
    else:
        tank.log.append((tank.turns, "never", tank))
    tank.log.append((tank.turns, "end", tank))


def long_loop(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    while tank.turns < 20:
        tank.turns += 1
        woken: bool = yield ev.until(lambda: tank.level >= 1.0)
        tank.level = 0.25 if woken else 0.75
        if tank.turns % 7 == 0:
            for part in range(2):
                answer = yield ev.hold(0.125 * part)
                tank.log.append((part, repr(answer), tank))
        if tank.turns > 30:
            break
    else:
        tank.log.append((tank.turns, "all", tank))
    with plan_of(plan):
        yield ev.hold(0.5)


class plan_of:  # noqa: N801  # a context manager of the model
    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __enter__(self) -> None:
        self.plan.times.append(1.0)

    def __exit__(self, *error: object) -> None:
        self.plan.times.append(2.0)


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["", "interrupt", "activate", "end"])
@pytest.mark.parametrize("at", [10.25, 11.25])
def test_waits_in_a_try_are_native_and_what_comes_from_without_is_handled(at: float, deed: str) -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        def disturbs() -> ev.ProcessGenerator:
            yield ev.hold(at)
            if deed:
                getattr(process, deed)()

        sim.process(disturbs(), name="disturbs")
        sim.run(until=60.25)
        return sum("ZeroDivisionError" in text for _, text, _ in tank.log)

    native, divisions = both(act, interrupted)
    assert divisions == {"": 1, "interrupt": 1, "end": 0}.get(deed, divisions)
    assert native >= {"": 55, "interrupt": 45}.get(deed, 5)


@pytest.mark.slow
def test_loops_that_wait_otherwise_and_the_end_of_a_loop_are_left_to_python() -> None:
    native, _ = both(lambda sim, *_: sim.run(until=40.25), long_loop)
    assert 10 <= native <= 18


def lasting(tank: Tank, plan: Plan) -> ev.ProcessGenerator:
    limit = 1.0
    ranks = sorted([3, 1, 2], key=lambda rank: -rank)
    while True:
        yield ev.until(lambda who=tank, bound=0.0: who.level >= limit + bound)
        rank = tank.turns
        tank.flow = -1.0
        tank.turns = rank + 1
        tank.log.append((rank, "lasting", tank))
        yield ev.until(
            lambda: tank.level <= 0.0,
        ); tank.flow = limit  # fmt: skip  # noqa: E702
        if tank.turns > 20:
            return ranks


@pytest.mark.slow
def test_what_lasts_is_followed() -> None:
    native, _ = both(lambda sim, *_: sim.run(until=60.25), lasting)
    assert native > 30


def test_a_frame_that_somebody_keeps_tells_where_its_process_is() -> None:
    def act(sim: Any, tank: Tank, plan: Plan, process: Any) -> Any:
        frame, seen = process._generator.gi_frame, []
        for until in (4.25, 10.25, 13.25):
            sim.run(until=until)
            seen.append(frame.f_lineno - swings.__code__.co_firstlineno)
        return seen

    assert both(act) == (0, [3, 3, 8])


def test_the_explanation_tells_what_is_left_to_python() -> None:
    sim, _, _, _ = made(held)
    sim.run(until=20.25)
    assert "processes, unless each event is observed\n  held: native code\n" in str(sim.explain())
    (note,) = sim.explain().processes
    assert (note.name, note.is_compiled, note.asks) == ("held", True, ())


@pytest.mark.parametrize("compiles", ["auto", False])
def test_processes_are_told_of_before_a_run(compiles: Any) -> None:
    sim, *_ = made(long_loop, compiles=compiles)
    for count in (0, 1):  # it has not begun; it waits
        found = sim.explain()
        (note,) = found.processes
        assert (note.name, note.is_compiled, note.refusal) == ("long_loop", compiles == "auto", None)
        assert [str(ask).rpartition(": ")[2] for ask in note.asks] == [
            "what a wait returns is native for `ev.until`, a get from a store, a process, and `ev.first_of` (0 times)",
            "what it calls is left to Python (0 times)",
            "only the blocks of single requests are native (0 times)",
        ]
        told = f"0 of {count} events up to now were native ones of these functions: those begin after some events"
        assert told in str(found)
        sim.run(until=0.25)


def test_an_explanation_keeps_no_generator() -> None:
    sim, *_ = made()
    sim.run(until=0.25)
    kept = sim.explain()
    sim.run(until=20.25)
    assert taken(sim) > 10
    assert kept.processes[0].is_compiled


def test_a_generator_that_somebody_keeps_is_left_where_it_is_looked_for() -> None:
    sim = simulation("auto")
    tank, plan = Tank(sim).start(), Plan()
    kept = swings(tank, plan)
    sim.process(kept)
    sim.run(until=20.25)
    assert taken(sim) == 0
    assert kept.gi_frame is not None


@pytest.mark.slow
def test_what_has_ended_is_gone() -> None:
    sim, tank, _, process = made()
    sim.run(until=13.25)
    process.end()
    sim.run(until=13.5)
    assert (process.terminated, process._generator) == (True, None)
    del process
    gc.collect()
    sim.run(until=20.0)
    assert tank.turns == 13
