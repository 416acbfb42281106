"""Processes: their beginning and end, interrupts, errors, and what is found in their code."""

from __future__ import annotations

import math

import pytest
from discrete.shared import line_with

import eventide as ev


@pytest.fixture
def log():
    return []


# --- beginning and end -----------------------------------------------------------------------------------------------


def test_a_process_is_a_class_or_a_generator(sim, log):
    class Greeter(ev.Process):
        word: str = "hello"

        def run(self):
            log.append((self.sim.time, self.name, self.word))
            yield ev.hold(1.0)
            return len(self.word)

    def greeter(word):
        log.append((sim.time, sim.current.name, word))
        yield ev.hold(1.0)
        return len(word)

    first = Greeter(sim, word="hi").activate()
    second = sim.process(greeter("hello"))
    third = sim.process(greeter("hey"), name="third")
    sim.run()

    assert log == [(0.0, "Greeter 1", "hi"), (0.0, "greeter 1", "hello"), (0.0, "third", "hey")]
    assert [(p.result, p.terminated) for p in (first, second, third)] == [(2, True), (5, True), (3, True)]


def test_a_process_may_be_waited_for(sim, log):
    def worker(duration, result):
        yield ev.hold(duration)
        return result

    def boss():
        first, second = sim.process(worker(2.0, "a")), sim.process(worker(1.0, None))
        log.append(((yield first), sim.time))
        log.append(((yield second), sim.time))

    def witness(process):
        log.append(((yield process), sim.time, "too"))

    main = sim.process(boss())
    sim.process(witness(main))
    sim.run()

    assert log == [("a", 2.0), (None, 2.0), (None, 2.0, "too")]


def test_waiting_for_the_end_is_woken_at_the_end_of_the_instant(sim, log):
    def short():
        yield ev.hold(1.0)

    def waiter(process):
        yield process
        log.append("waiter")

    def other():
        yield ev.hold(1.0)
        log.append("other")

    process = sim.process(short())
    sim.process(waiter(process))
    sim.process(other())
    sim.run()

    assert log == ["other", "waiter"]


def test_nobody_waits_for_the_own_end(sim):
    def story():
        yield sim.current

    sim.process(story(), name="A")
    with pytest.raises(ev.ModelError, match=r"^A cannot wait for its own end"):
        sim.run()


def test_the_processes_of_a_simulation(sim):
    class Idler(ev.Process):
        def run(self):
            yield ev.passivate()

    def short():
        yield ev.hold(1.0)

    made = [Idler(sim, name="made") for _ in range(2)]
    begun = Idler(sim, name="begun").activate()
    sim.process(short())
    sim.run()

    assert sim.processes == (begun,)
    assert sim.never_begun == tuple(made)
    made[0].activate()
    assert sim.never_begun == (made[1],)


def test_unbegun_processes_are_kept_though_nobody_else_has_them(sim):
    class Forgotten(ev.Process):
        def run(self):
            yield ev.hold(1.0)

    for _ in range(3):
        Forgotten(sim)
    sim.run()

    assert [process.name for process in sim.never_begun] == ["Forgotten 1", "Forgotten 2", "Forgotten 3"]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda: 3, "sim.process takes a generator, and got 3: call a function that yields, as f\\(sim\\)"),
        (lambda: ev.hold(1), r"sim.process takes a generator, and got the command hold\(1.0\): write `yield` before"),
        (ev.passivate, "sim.process takes a generator, and got the command Passivate: write `yield` before it"),
        (lambda: iter([]), "sim.process takes a generator, and got <list_iterator"),
        (lambda: test_a_process_may_be_waited_for, "got the function test_a_process_may_be_waited_for: call a func"),
    ],
    ids=["number", "hold", "passivate", "iterator", "function"],
)
def test_sim_process_takes_a_generator(sim, what, message):
    with pytest.raises(TypeError, match=message):
        sim.process(what())


def test_run_has_to_yield(sim):
    class Hasty(ev.Process):
        def run(self):
            return 3

    hasty = Hasty(sim)
    with pytest.raises(ev.ModelError, match=r"^the run\(\) of Hasty 1 is not a generator \(it returned 3\)"):
        hasty.activate()
    assert sim.never_begun == (hasty,)


def test_who_writes_async_is_told_to_yield(sim):
    class Waiter(ev.Process):
        async def run(self):
            pass

    async def waits():
        pass

    async def waits_and_yields():
        yield 1.0

    advice = "write `def` for `async def`, and `yield` for `await`$"
    with pytest.raises(ev.ModelError, match=advice):
        Waiter(sim).activate()
    for made in (waits(), waits_and_yields()):
        with pytest.raises(TypeError, match=advice):
            sim.process(made)


def test_run_has_to_be_written(sim):
    class Empty(ev.Process):
        pass

    with pytest.raises(NotImplementedError, match=r"^Empty has no run\(\): write `def run\(self\): "):
        Empty(sim).activate()


# --- interrupts ------------------------------------------------------------------------------------------------------


def sleeper(sim, log, duration=10.0):
    while True:
        begun = sim.time
        try:
            yield ev.hold(duration)
            log.append((sim.time, "slept"))
            return
        except ev.Interrupt as interrupt:
            log.append((sim.time, interrupt.cause, interrupt.left))
            duration -= sim.time - begun


def test_an_interrupt_tells_its_cause_and_what_was_left_of_the_hold(sim, log):
    victim = sim.process(sleeper(sim, log))

    def story():
        yield ev.hold(4.0)
        victim.interrupt("noise")
        yield ev.hold(1.0)
        victim.interrupt()

    sim.process(story())
    sim.run()

    assert log == [(4.0, "noise", 6.0), (5.0, None, 5.0), (10.0, "slept")]


def test_interrupts_are_events_of_their_own_in_front_of_the_instant(sim, log):
    victim = sim.process(sleeper(sim, log))

    def other():
        yield ev.hold(4.0)
        log.append((sim.time, "other"))

    def story():
        yield ev.hold(4.0)
        victim.interrupt(1)
        victim.interrupt(2)
        log.append((sim.time, "story"))

    sim.process(story())
    sim.process(other())
    sim.run(until=5.0)

    assert log == [(4.0, "story"), (4.0, 1, 6.0), (4.0, 2, 6.0), (4.0, "other")]
    assert sim.events == 7


def test_who_was_passive_has_nothing_left(sim, log):
    def idle():
        try:
            yield ev.passivate()
        except ev.Interrupt as interrupt:
            log.append((sim.time, interrupt.left))

    victim = sim.process(idle())
    sim.run(until=1.0)
    victim.interrupt()
    sim.run()

    assert log == [(1.0, None)]


def test_an_interrupt_withdraws_what_was_waited_for(sim, log):
    signal = ev.Signal(sim)
    goal = sim.process(sleeper(sim, [], 3.0))

    def waits(command):
        try:
            yield command()
        except ev.Interrupt as interrupt:
            log.append((sim.time, interrupt.left))
        yield ev.hold(5.0)

    victims = [
        sim.process(waits(command))
        for command in (lambda: signal, lambda: goal, lambda: ev.until(lambda: sim.time >= 2.0))
    ]
    sim.run(until=1.0)
    assert signal.waiting == 1
    for victim in victims:
        victim.interrupt()
    sim.run(until=1.5)
    assert signal.waiting == 0
    sim.run()

    assert log == [(1.0, None)] * 3
    assert sim.time == 6.0


def test_who_has_ended_meanwhile_is_not_interrupted(sim, log):
    def short():
        yield ev.passivate()
        log.append("woken")

    victim = sim.process(short())
    sim.run(until=1.0)
    victim.activate()
    victim.interrupt()
    sim.run()

    assert (log, victim.terminated) == (["woken"], True)


def test_an_interrupt_that_is_not_caught_goes_up(sim):
    def story():
        yield ev.hold(5.0)

    victim = sim.process(story(), name="A")
    sim.run(until=1.0)
    victim.interrupt("fire")
    with pytest.raises(ev.Interrupt, match=r"^fire") as caught:
        sim.run()

    assert (caught.value.cause, caught.value.left) == ("fire", 4.0)
    assert victim.terminated


def test_who_cannot_be_interrupted(sim):
    def story():
        yield ev.hold(1.0)
        sim.current.interrupt()

    class Idler(ev.Process):
        def run(self):
            yield ev.passivate()

    ended = sim.process(sleeper(sim, [], 0.5), name="ended")
    sim.process(story(), name="current")
    scheduled = Idler(sim, name="scheduled").activate(at=9.0)
    with pytest.raises(ev.ModelError, match=r"^current is the current process and cannot interrupt itself"):
        sim.run()
    with pytest.raises(ev.ModelError, match=r"^ended has ended: there is nothing to interrupt$"):
        ended.interrupt()
    with pytest.raises(ev.ModelError, match=r"^scheduled has not begun: there is nothing to interrupt$"):
        scheduled.interrupt()
    with pytest.raises(ev.ModelError, match=r"^made has not begun: there is nothing to interrupt$"):
        Idler(sim, name="made").interrupt()


# --- being ended -----------------------------------------------------------------------------------------------------


def test_a_process_that_is_ended_cleans_up(sim, log):
    def story():
        try:
            yield ev.hold(5.0)
        finally:
            log.append((sim.time, "cleaned up"))

    def waiter(process):
        answer = yield process
        log.append((sim.time, "seen", answer))

    victim = sim.process(story())
    sim.process(waiter(victim))
    sim.run(until=1.0)
    victim.end()
    sim.run()

    assert log == [(1.0, "cleaned up"), (1.0, "seen", None)]
    assert victim.terminated
    assert sim.time == 1.0


def test_who_is_ended_may_answer(sim):
    def story():
        try:
            yield ev.hold(5.0)
        except ev.Ended:
            return "so far"

    victim = sim.process(story())
    sim.run(until=1.0)
    victim.end()
    sim.run()

    assert victim.result == "so far"


def test_one_that_has_not_begun_is_ended_without_beginning(sim, log):
    class Shy(ev.Process):
        def run(self):
            log.append("begun")
            yield ev.hold(1.0)

    made, scheduled = Shy(sim), Shy(sim).activate(at=5.0)
    made.end()
    scheduled.end()
    sim.run(until=made)
    sim.run()

    assert (made.terminated, scheduled.terminated, log) == (True, True, [])
    assert (sim.never_begun, sim.peek()) == ((), math.inf)


def test_to_wait_while_being_ended_is_refused_at_its_line(sim):
    def story():
        try:
            yield ev.hold(5.0)
        finally:
            yield ev.hold(1.0)  # here

    victim = sim.process(story(), name="A")
    sim.run(until=1.0)
    victim.end()
    with pytest.raises(ev.ModelError) as caught:
        sim.run()

    place = line_with(__file__, "yield ev.hold(1.0)  # " + "here")
    assert str(caught.value) == f"A yielded 1.0 at {place} while it was being ended: clean up without waiting"
    assert victim.terminated


def test_who_cannot_be_ended(sim):
    def story():
        yield ev.hold(1.0)
        sim.current.end()

    ended = sim.process(sleeper(sim, [], 0.5), name="ended")
    sim.process(story(), name="current")
    with pytest.raises(ev.ModelError, match=r"^current is the current process and cannot end itself: raise"):
        sim.run()
    with pytest.raises(ev.ModelError, match=r"^ended has ended: there is nothing to end$"):
        ended.end()


def test_a_dropped_simulation_schedules_nothing(log):
    def story(sim):
        try:
            yield ev.hold(5.0)
        except GeneratorExit:
            log.append(sim.peek())
            raise

    sim = ev.Simulation(rng=1)
    sim.process(story(sim))
    sim.run(until=1.0)
    for process in sim.processes:
        process._generator.close()

    assert log == [5.0]
