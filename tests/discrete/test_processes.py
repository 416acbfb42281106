"""Processes: their beginning and end, interrupts, errors, and what is found in their code."""

from __future__ import annotations

import contextlib
import math
import traceback

import pytest

import eventide as ev


@pytest.fixture
def log():
    return []


def line_with(text):
    """Where a line of this file stands, as file:line."""
    with open(__file__, encoding="utf-8") as lines:  # noqa: PTH123  # shorter
        found = [number for number, line in enumerate(lines, 1) if text in line and "line_with" not in line]
    assert len(found) == 1
    return f"{__file__}:{found[0]}"


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
        (lambda: iter([]), "sim.process takes a generator, and got <list_iterator"),
        (lambda: test_a_process_may_be_waited_for, "got the function test_a_process_may_be_waited_for: call a func"),
    ],
    ids=["number", "iterator", "function"],
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

    place = line_with("yield ev.hold(1.0)  # " + "here")
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


# --- errors ----------------------------------------------------------------------------------------------------------


def test_an_error_goes_up_as_the_same_object_with_a_note(sim):
    error = KeyError("lost")

    def helper():
        yield ev.hold(1.0)
        raise error  # in the helper

    def story():
        yield from helper()

    process = sim.process(story(), name="A")
    with pytest.raises(KeyError) as caught:
        sim.run()

    assert caught.value is error
    assert error.__notes__ == [f"A was active at time 1.0, at {line_with('raise error  # in the ' + 'helper')}"]
    assert process.terminated
    assert sim.processes == ()


def test_an_error_of_a_handler_says_whose_it_is(sim):
    class Clock(ev.Continuous):
        @ev.every(1.0, offset=1.0)
        def strike(self):
            raise KeyError("lost")

    Clock(sim, name="clock").start()
    with pytest.raises(KeyError) as caught:
        sim.run(until=3.0)

    assert caught.value.__notes__ == ["clock.strike was active at time 1.0"]


def test_the_others_go_on_after_an_error(sim, log):
    def fails():
        yield ev.hold(1.0)
        raise KeyError("lost")

    def goes_on():
        for _ in range(3):
            yield ev.hold(0.75)
            log.append(sim.time)

    sim.process(fails())
    sim.process(goes_on())
    with pytest.raises(KeyError):
        sim.run()
    sim.run()

    assert log == [0.75, 1.5, 2.25]


@pytest.mark.parametrize("what", ["nonsense", None, True, [1.0], math.nan], ids=repr)
def test_a_wrong_yield_is_raised_at_the_users_own_line(sim, what):
    def story():
        yield ev.hold(1.0)
        yield what  # the wrong one

    sim.process(story(), name="A")
    with pytest.raises(ev.ModelError) as caught:
        sim.run()

    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].line.startswith("yield what")
    assert str(caught.value).startswith(("A yielded ", "a process yielded NaN"))
    assert caught.value.__notes__ == [f"A was active at time 1.0, at {line_with('yield what  # the ' + 'wrong one')}"]


def test_a_generator_that_is_yielded_gets_the_right_advice(sim):
    def helper():
        yield ev.hold(1.0)

    def story():
        yield helper()

    sim.process(story(), name="A")
    with pytest.raises(ev.ModelError, match=r"^A yielded <generator .*>, which is not a command: write `yield from`"):
        sim.run()


class Told(ev.Process):
    """A process whose story is given to it."""

    story: object

    def run(self):
        return self.story


TAKERS = {
    "sim.process takes": lambda sim, story: sim.process(story),
    r"the run\(\) of Told \d has to return": lambda sim, story: Told(sim, story=story).activate(),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize(
    ("steps", "is_known", "what"),
    [(1, False, "has begun"), (1, True, "has begun"), (2, False, "has come to its end")],
)
def test_a_generator_that_somebody_has_used_is_refused(sim, steps, is_known, what, taker):
    def story():
        yield ev.hold(1.0)

    story.__code__ = story.__code__.replace()  # one that nobody has seen
    if is_known:
        TAKERS[taker](sim, story())
    used = story()
    for _ in range(steps):
        next(used, None)
    with pytest.raises(
        ev.ModelError,
        match=rf"^{taker} a new generator, and got .*story\(\.\.\.\), which {what}: call the function again",
    ):
        TAKERS[taker](sim, used)


@pytest.mark.parametrize("second", TAKERS)
@pytest.mark.parametrize("first", TAKERS)
@pytest.mark.parametrize(
    ("until", "found"),
    [(0.0, "runs another process"), (0.5, "runs another process"), (2.0, "has run another process")],
)
def test_two_processes_do_not_share_a_generator(sim, log, until, found, first, second):
    def story():
        log.append(sim.time)
        yield ev.hold(1.0)
        log.append(sim.time)

    shared = story()
    TAKERS[first](sim, shared)
    sim.process(story())
    sim.run(until=until)
    with pytest.raises(ev.ModelError, match=rf"^{second} a new generator, and got .*story\(\.\.\.\), which {found}"):
        TAKERS[second](sim, shared)
    sim.run(until=3.0)

    assert log == [0.0, 0.0, 1.0, 1.0]


def test_a_process_does_not_take_its_own_generator(sim):
    def story():
        yield ev.hold(1.0)
        sim.process(itself)

    itself = story()
    sim.process(itself)
    with pytest.raises(ev.ModelError, match="which runs another process: call the function again for each"):
        sim.run()


def test_who_catches_everything_while_being_ended_is_ended_nevertheless(sim):
    def stubborn():
        for _ in range(3):
            with contextlib.suppress(BaseException):
                yield ev.hold(5.0)

    victim = sim.process(stubborn(), name="A")
    sim.run(until=1.0)
    victim.end()
    with pytest.raises(
        ev.ModelError, match=r"^A yielded 5\.0 at .* while it was being ended: clean up without waiting"
    ):
        sim.run()
    assert victim.terminated
    assert sim.processes == ()
    sim.run(until=20.0)


ADVICE = {
    "call it, as in `yield passivate(...)`": lambda sim: ev.passivate,
    "call it, as in `yield request(...)`": lambda sim: ev.Resource(sim).request,
    "write `with r.request() as place: yield place`, or `yield from r.use(duration)`": ev.Resource,
    "yield its get(...) or put(...)": ev.Store,
    "write `yield wait(queue)` to stand in it": ev.Queue,
    "yield one command after the other, or several at once as all_of(name=..., ...) or first_of(name=..., ...)": (
        lambda sim: (ev.hold(1.0), ev.hold(2.0))
    ),
    "write `yield until(...)` to wait until a condition is true": lambda sim: lambda: True,
    "yield a number, hold(...), until(...), passivate(), a request, a process or another command": lambda sim: None,
}


@pytest.mark.parametrize("advice", ADVICE)
def test_who_yields_something_else_is_told_what_to_write(sim, advice):
    def story():
        yield ADVICE[advice](sim)

    sim.process(story())
    with pytest.raises(ev.ModelError) as caught:
        sim.run()
    assert str(caught.value).partition(", which is not a command: ")[2] == advice


def test_an_error_in_carrying_out_a_command_may_be_caught_where_it_was_yielded(sim, log):
    stranger = ev.Signal(ev.Simulation(rng=1), name="stranger")

    def story():
        try:
            yield stranger
        except ev.ModelError as error:
            log.append((sim.time, str(error)))
        yield ev.hold(1.0)
        log.append(sim.time)

    sim.process(story())
    sim.run()

    assert log == [
        (0.0, "stranger belongs to another simulation: each object lives in the one it was made for"),
        1.0,
    ]


def test_who_ends_after_such_an_error_has_ended(sim):
    def story():
        try:
            yield "nonsense"
        except ev.ModelError:
            return "mended"

    process = sim.process(story())
    sim.run()

    assert (process.result, process.terminated, sim.processes) == ("mended", True, ())


# --- forgotten yields ------------------------------------------------------------------------------------------------


def found_in(sim, generator):
    """The message about a generator's code; its file is left out."""
    with pytest.raises(ev.ModelError) as caught:
        sim.process(generator)
    return str(caught.value).replace(__file__, "here")


def number_of(text):
    return line_with(text).rpartition(":")[2]


def test_a_dropped_command_is_named_by_line(sim, log):
    def story():
        yield ev.hold(1.0)
        if log:
            ev.hold(2.0)  # dropped

    line = number_of("ev.hold(2.0)  # " + "dropped")
    assert found_in(sim, story()) == (
        f"ev.hold(2.0) at here:{line} makes a command and drops it: write `yield ev.hold(2.0)`"
    )


def test_all_dropped_commands_of_a_class_are_named_when_it_begins(sim):
    class Forgetful(ev.Process):
        door: ev.Signal

        def run(self):
            yield ev.passivate()
            while True:
                ev.until(lambda: True)  # first
                self.door.wait()  # second
                self.rest()  # third
                yield from self.work()

        def rest(self):
            yield ev.hold(1.0)

        def work(self):
            ev.passivate()  # fourth
            yield ev.hold(1.0)

    process = Forgetful(sim, door=ev.Signal(sim))
    with pytest.raises(ev.ModelError) as caught:
        process.activate()

    first, *others = (number_of("# " + word) for word in ("first", "second", "third", "fourth"))
    assert str(caught.value).replace(__file__, "here") == (
        f"ev.until(lambda: True) at here:{first} makes a command and drops it: write `yield ev.until(lambda: True)` "
        f"(also {', '.join(f'here:{line}' for line in others)})"
    )
    assert process in sim.never_begun


def test_a_dropped_generator_is_named(sim):
    def rest():
        yield ev.hold(1.0)

    def story():
        yield ev.hold(1.0)
        rest()  # never rests

    line = number_of("rest()  # never " + "rests")
    assert found_in(sim, story()) == f"rest() at here:{line} makes a command and drops it: write `yield from rest()`"


def test_what_only_looks_like_a_command_is_let_pass(sim, log):
    class Door:
        def hold(self, duration):
            log.append(duration)

    def hold(duration):
        log.append(duration)

    def passivate():
        return None

    def story(door, until):
        hold(1.0)
        door.hold(2.0)
        until(3.0)
        wait = log.append
        wait(4.0)
        passivate()

        def inner():
            ev.hold(1.0)

        yield ev.hold(1.0)
        _ = ev.hold(2.0)

    sim.process(story(Door(), log.append))
    sim.run()

    assert log == [1.0, 2.0, 3.0, 4.0]


def test_code_without_a_text_is_let_pass(sim):
    names = {"ev": ev}
    exec("def story():\n    ev.hold(1.0)\n    yield ev.hold(2.0)\n", names)  # noqa: S102  # the subject of this test
    sim.process(names["story"]())
    sim.run()

    assert sim.time == 2.0


def test_looking_for_dropped_commands_executes_nothing_of_the_users(sim, log):
    class Careful(ev.Process):
        @property
        def door(self):
            log.append("asked")
            return self

        def run(self):
            self.door.knock()
            yield ev.hold(1.0)

        def knock(self):
            log.append("knocked")

    process = Careful(sim).activate()
    assert log == []
    sim.run()

    assert log == ["asked", "knocked"]
    assert process.terminated


def test_decorated_and_indented_code_is_read_too(sim):
    def decorator(function):
        return function

    class Outer:
        @decorator
        @decorator
        def story(self):
            """A text that
            reaches to the left.
            """
            ev.hold(3.0)  # in a decorated one
            yield ev.hold(1.0)

    line = number_of("ev.hold(3.0)  # in a " + "decorated one")
    assert found_in(sim, Outer().story()).startswith(f"ev.hold(3.0) at here:{line} makes a command and drops it")


# --- errors come alone -----------------------------------------------------------------------------------------------


def yields_a_text():
    yield "x"


def drops_a_hold():
    ev.hold(1.0)
    yield


@pytest.mark.parametrize("given", [3, yields_a_text, [].append])
def test_what_is_no_generator_is_refused_without_other_errors_around(sim, given):
    with pytest.raises(TypeError, match=r"sim\.process takes a generator") as caught:
        sim.process(given)
    assert caught.value.__context__ is None


def test_a_forgotten_yield_is_told_without_other_errors_around(sim):
    with pytest.raises(ev.ModelError, match="makes a command and drops it") as caught:
        sim.process(drops_a_hold())
    assert caught.value.__context__ is None


def test_what_is_no_command_is_refused_without_other_errors_around(sim):
    sim.process(yields_a_text())
    with pytest.raises(ev.ModelError, match="yielded 'x', which is not a command") as caught:
        sim.run()
    assert "AttributeError" not in "".join(traceback.format_exception(caught.value))


def test_numbers_of_any_kind_are_holds_and_an_object_may_refuse_unknown_names(sim, log):
    class Length:
        def __float__(self):
            return 2.5

        def __getattr__(self, name):
            raise AttributeError(f"a length has no {name}")

    def walker():
        for duration in (1, Length(), True + 0.5, 0):
            yield duration
            log.append(sim.time)

    sim.process(walker())
    sim.run()
    assert log == [1.0, 3.5, 5.0, 5.0]


def test_an_error_of_the_model_that_looks_like_one_of_ours_stays_what_it_is(sim):
    def story():
        yield ev.hold(1.0)
        getattr(3, "_execute")  # noqa: B009  # by its name, as nobody has such an attribute

    sim.process(story())
    with pytest.raises(AttributeError, match="'int' object has no attribute '_execute'"):
        sim.run()
