"""Looking into a model: traces, why a process waits, what is said when nothing can happen any more."""

from __future__ import annotations

import re

import pytest

import eventide as ev


@pytest.fixture
def sim():
    return ev.Simulation(rng=1, negative_hold="zero")


@pytest.fixture
def log():
    return []


class Idler(ev.Process):
    def run(self):
        while True:
            yield ev.passivate()


# --- traces ----------------------------------------------------------------------------------------------------------


def test_a_trace_tells_who_went_on_when_and_why(sim, log):
    desk, door, line = ev.Resource(sim, name="desk"), ev.Signal(sim, name="door"), ev.Queue(sim, name="line")

    class Tank(ev.Continuous):
        level: ev.State = 0.0

        def equations(self):
            self.rate.level = 1.0

        @ev.when(lambda self: self.level >= 4.0)
        def flow_over(self):
            pass

        @ev.every(3.0, offset=3.0)
        def look(self):
            pass

    tank = Tank(sim, name="tank").start()

    def customer():
        with desk.request() as unit:
            yield unit
            yield ev.hold(1.0)
        yield ev.tick(0.75)
        yield ev.until(lambda: tank.level >= 1.8)
        try:
            yield ev.hold(9.0)
        except ev.Interrupt:
            yield ev.wait(line)
        yield ev.first_of(opened=door, never=ev.passivate())
        yield ev.all_of(a=ev.hold(0.25), b=idler)

    def boss(customers):
        yield ev.hold(2.5)
        customers[0].interrupt("fire")
        customers[1].end()
        yield ev.hold(0.25)
        line.first.activate()
        yield ev.hold(0.5)
        door.send()
        yield ev.activate(idler)
        idler.end()
        yield ev.hold(-1)
        idler.reactivate(at=1.0)

    idler = Idler(sim, name="idler")
    sim.trace = log.append
    customers = [sim.process(customer(), name=name) for name in "AB"]
    sim.process(boss(customers), name="boss")
    sim.run(until=5.0)

    assert [(round(time, 9), who, why) for time, who, why in log] == [
        (0.0, "A", "activated by whoever runs the model"),
        (0.0, "B", "activated by whoever runs the model"),
        (0.0, "boss", "activated by whoever runs the model"),
        (1.0, "A", "hold ended"),
        (1.0, "B", "got a unit of desk"),
        (1.5, "A", "hold ended"),
        (1.8, "A", "condition true"),
        (2.0, "B", "hold ended"),
        (2.25, "B", "hold ended"),
        (2.25, "B", "condition true"),
        (2.5, "boss", "hold ended"),
        (2.5, "A", "interrupted by boss, cause 'fire'"),
        (2.5, "B", "ended by boss"),
        (2.75, "boss", "hold ended"),
        (2.75, "A", "activated by boss"),
        (3.0, "tank.look", "period over"),
        (3.25, "boss", "hold ended"),
        (3.25, "idler", "activated at once by boss"),
        (3.25, "boss", "goes on after idler"),
        (3.25, "idler", "ended by boss"),
        (3.25, "A", "opened (first_of): got door"),
        (3.25, "boss", "hold ended (asked for 2.25, which is past)"),
        (3.5, "A", "a (all_of): hold ended"),
        (4.0, "tank.flow_over", "condition true"),
    ]


@pytest.mark.row("R-003", "R-010")
def test_a_trace_marks_what_was_asked_for_too_late(sim, log):
    idler = Idler(sim, name="idler")
    sim.run(until=2.0)

    def story():
        idler.activate(at=1.0)
        yield ev.hold(-3.0)
        idler.activate(delay=-0.5, prior=True)
        yield -1

    sim.trace = log.append
    sim.process(story(), name="A")
    sim.run()

    assert log == [
        (2.0, "A", "activated by whoever runs the model"),
        (2.0, "idler", "activated by A (asked for 1.0, which is past)"),
        (2.0, "A", "hold ended (asked for -1.0, which is past)"),
        (2.0, "idler", "activated by A (asked for 1.5, which is past)"),
        (2.0, "A", "hold ended (asked for 1.0, which is past)"),
    ]


def test_a_trace_can_be_switched_on_and_off_within_a_run(sim, log):
    def story():
        yield ev.hold(1.0)
        sim.trace = log.append
        yield ev.hold(1.0)
        yield ev.until(lambda: sim.time >= 3.0)
        yield ev.hold(1.0)
        sim.trace = None
        yield ev.hold(1.0)

    sim.process(story(), name="A")
    sim.process(holds(5), name="B")
    sim.run()

    assert [(time, who) for time, who, _ in log] == [
        (1.0, "B"),
        (2.0, "A"),
        (2.0, "B"),
        (3.0, "B"),
        (3.0, "A"),
        (4.0, "B"),
        (4.0, "A"),
    ]
    assert sim.trace is None


def holds(count):
    for _ in range(count):
        yield ev.hold(1.0)


def test_what_was_scheduled_before_the_trace_began_is_said_to_be(sim, log):
    Idler(sim, name="idler").activate(at=2.0)
    sim.process(holds(1), name="A")
    sim.run(until=0.5)
    sim.trace = log.append
    sim.run()

    assert log == [(1.0, "A", "hold ended"), (2.0, "idler", "scheduled before the trace began")]


def test_a_trace_does_not_change_a_run(log):
    def model(sim, seen):
        desk = ev.Resource(sim, name="desk")

        def customer(number):
            outcome = yield ev.first_of(served=desk.request(), gone=ev.hold(1.5))
            seen.append((sim.time, number, outcome.name))
            if outcome.name == "served":
                yield ev.hold(1.0)
                outcome.value.release()

        def source():
            for number in range(20):
                yield ev.hold(0.5)
                sim.process(customer(number))

        sim.process(source())
        sim.process(source())
        sim.run()
        return sim.events

    plain, traced = [], []
    quiet, watched = ev.Simulation(rng=1), ev.Simulation(rng=1)
    watched.trace = log.append

    assert model(quiet, plain) == model(watched, traced) == len(log)
    assert plain == traced


def test_nothing_of_a_trace_is_left_when_it_is_off(sim, log):
    before = {name: value for name, value in vars(sim).items() if name != "_tracer"}
    kind = type(sim._calendar)
    sim.trace = log.append
    assert sim.trace == log.append
    sim.trace = False

    assert {name: value for name, value in vars(sim).items() if name != "_tracer"} == before
    assert type(sim._calendar) is kind


def test_a_trace_is_printed(sim, capsys):
    sim.trace = True
    sim.process(holds(1), name="A")
    sim.run()

    assert capsys.readouterr().out == (
        "           0  A: activated by whoever runs the model\n           1  A: hold ended\n"
    )


def test_a_trace_needs_somebody_to_tell(sim):
    with pytest.raises(TypeError, match=r"^sim\.trace takes a function of an Occurrence, True or False, and got 3$"):
        sim.trace = 3


# --- why a process waits ---------------------------------------------------------------------------------------------


def why(process):
    """The sentence, with the line of this file left out."""
    return re.sub(rf", at {re.escape(__file__)}:\d+$", " ...", process.why_waiting())


def test_why_a_process_waits(sim):
    desk, door = ev.Resource(sim, name="desk"), ev.Signal(sim, name="door")
    commands = {
        "holds": lambda: ev.hold(9.0),
        "has": desk.request,
        "waits": desk.request,
        "door": lambda: door,
        "end": lambda: stories["holds"],
        "idle": ev.passivate,
        "until": lambda: ev.until(door_is_open),
        "first": lambda: ev.first_of(a=ev.hold(3.0), b=door, c=ev.passivate()),
        "all": lambda: ev.all_of(a=ev.hold(0.5), b=ev.until(door_is_open)),
    }

    def door_is_open():
        return False

    def story(name):
        answer = yield commands[name]()
        if name == "has":
            yield ev.hold(9.0)
        return answer

    stories = {name: sim.process(story(name), name=name) for name in commands}
    sim.run(until=1.0)
    stories["until"].activate(at=7.0)
    made, planned = Idler(sim, name="made"), Idler(sim, name="planned").activate(at=5.0)
    ended = sim.process(holds(0), name="ended")
    sim.run(until=2.0)

    name = "test_why_a_process_waits.<locals>.door_is_open"
    assert [why(process) for process in [*stories.values(), made, planned, ended]] == [
        "holds waits for time 9.0 ...",
        "has waits for time 9.0 ...",
        "waits waits for a unit of desk since 0.0, held by has ...",
        "door waits for door since 0.0 ...",
        "end waits for the end of holds ...",
        "idle waits for its activation by another process ...",
        f"until waits for until({name}) or time 7.0 ...",
        "first waits for the first of a (time 3.0), b (door since 0.0), c (its activation by another process) ...",
        f"all waits for all of a (it has come), b (until({name})) ...",
        "made has not begun: it has not been activated",
        "planned waits for time 5.0 to begin",
        "ended has ended",
    ]


def test_the_line_is_that_of_the_innermost_generator(sim):
    def helper():
        yield ev.hold(1.0)  # in the helper

    def story():
        yield from helper()

    process = sim.process(story())
    sim.run(until=0.5)

    assert process.why_waiting().endswith(f":{helper.__code__.co_firstlineno + 1}")


def test_the_line_is_the_users_also_while_a_generator_of_ours_runs(sim):
    desk = ev.Resource(sim, name="desk")

    def visit():
        yield from desk.use(5.0)

    def guest():
        yield from visit()

    first, second = sim.process(guest(), name="first"), sim.process(guest(), name="second")
    sim.run(until=1.0)
    here = f"{__file__}:{visit.__code__.co_firstlineno + 1}"
    assert first.why_waiting() == f"first waits for time 5.0, at {here}"
    assert second.why_waiting() == f"second waits for a unit of desk since 0.0, held by first, at {here}"

    first.interrupt("fire")
    with pytest.raises(ev.Interrupt) as caught:
        sim.run()
    assert caught.value.__notes__ == [f"first was active at time 1.0, at {here}"]


def test_who_has_ended_with_a_unit_is_said_to_have_it_still(sim):
    desk = ev.Resource(sim, name="desk")

    def careless():
        yield desk.request()

    def guest():
        yield desk.request()

    sim.process(careless(), name="careless")
    waiting = sim.process(guest(), name="guest")
    with pytest.warns(ev.IdleWarning, match="careless ended with a unit of desk that nobody gives back"):
        sim.run()
    assert "a unit of desk since 0.0, held by careless, which has ended, at " in waiting.why_waiting()


def test_the_current_process_waits_for_nothing(sim, log):
    def story():
        log.append(sim.current.why_waiting())
        yield ev.hold(1.0)

    sim.process(story(), name="A")
    sim.run()

    assert log == ["A is the current process"]


# --- nothing can happen any more -------------------------------------------------------------------------------------


@pytest.mark.row("R-045")
def test_a_main_program_that_waits_for_ever_is_error_three_and_all_who_wait_are_listed(sim):
    left, right = ev.Resource(sim, name="left"), ev.Resource(sim, name="right")

    def takes(first, second):
        with first.request() as one:
            yield one
            yield ev.hold(1.0)
            with second.request() as other:
                yield other

    def main():
        yield ev.hold(2.0)
        yield ev.passivate()

    Idler(sim, name="forgotten")
    sim.process(takes(left, right), name="A")
    sim.process(takes(right, left), name="B")
    sim.process(holds(1), name="gone")
    sim.main = sim.process(main(), name="main")
    with pytest.raises(ev.SimulationError) as caught:
        sim.run()

    assert (caught.value.number, caught.value.time) == (3, 2.0)
    lines = [re.sub(rf", at {re.escape(__file__)}:\d+$", " ...", line) for line in caught.value.detail.splitlines()]
    assert lines == [
        "main has not ended, and nothing can happen any more.",
        "  A waits for a unit of right since 1.0, held by B ...",
        "  B waits for a unit of left since 1.0, held by A ...",
        "  main waits for its activation by another process ...",
        "  made and never activated: forgotten",
    ]


@pytest.mark.row("R-045")
def test_a_condition_that_cannot_come_true_any_more_is_error_three(sim):
    sim.main = sim.process(waits_for(lambda: False), name="main")
    with pytest.raises(ev.SimulationError, match=r"main waits for until\(lambda at .*\), at ") as caught:
        sim.run()

    assert caught.value.number == 3


def test_a_run_to_a_condition_that_cannot_come_true_names_the_line_of_the_condition_alone(sim):
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=lambda: sim is None)

    assert re.fullmatch(
        r"run\(until=condition\) has not ended, and nothing can happen any more\.\n"
        rf"  run\(until=condition\) waits for until\(lambda at {re.escape(__file__)}:\d+\)",
        caught.value.detail,
    )


def waits_for(condition):
    yield ev.until(condition)


def test_a_goal_that_does_not_end_is_error_three(sim):
    idler = Idler(sim, name="idler").activate()
    sim.process(holds(2))
    with pytest.raises(ev.SimulationError, match=r"^error 3 at time 2\.0: .* idler has not ended, and nothing can"):
        sim.run(until=idler)


def test_without_a_main_program_a_run_just_ends(sim):
    idler = Idler(sim).activate()
    sim.process(holds(2))
    sim.run()

    assert (sim.time, idler.idle) == (2.0, True)


def test_a_wait_for_a_process_that_nobody_activates_is_told():
    sim = ev.Simulation(rng=1)

    class Sleeper(ev.Process):
        def run(self):
            yield ev.hold(1.0)

    def parent():
        yield Sleeper(sim, name="child")

    sim.process(parent(), name="parent")
    with pytest.warns(ev.IdleWarning, match="parent waits for the end of child, at .*, and child was never activated"):
        sim.run()
