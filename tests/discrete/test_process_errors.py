"""Processes: errors, and where they are raised."""

from __future__ import annotations

import contextlib
import math
import traceback

import pytest
from discrete.shared import line_with

import eventide as ev


@pytest.fixture
def log():
    return []


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
    assert error.__notes__ == [
        f"A was active at time 1.0, at {line_with(__file__, 'raise error  # in the ' + 'helper')}"
    ]
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
    assert caught.value.__notes__ == [
        f"A was active at time 1.0, at {line_with(__file__, 'yield what  # the ' + 'wrong one')}"
    ]


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
