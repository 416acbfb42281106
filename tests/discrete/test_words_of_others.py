"""What who comes from SimPy or salabim writes, and what a message says to write here."""

from __future__ import annotations

import linecache
import pydoc
import re

import pytest

import eventide as ev


@pytest.fixture
def env() -> ev.Simulation:
    return ev.Simulation(rng=1)


def test_words_of_other_environments_lead_to_ours(env):
    told = {}
    for word in ("now", "timeout", "event", "any_of", "all_of", "active_process", "hold", "passivate", "every"):
        with pytest.raises(AttributeError) as info:
            getattr(env, word)
        told[word] = str(info.value)

    assert told == {
        "now": "a simulation has no 'now': it is sim.time here",
        "timeout": "a simulation has no 'timeout': it is `yield ev.hold(duration)` here",
        "event": "a simulation has no 'event': it is ev.Signal(sim), with `yield signal` to wait for it and "
        "signal.send() here",
        "any_of": "a simulation has no 'any_of': it is `yield ev.first_of(a=..., b=...)` here",
        "all_of": "a simulation has no 'all_of': it is `yield ev.all_of(a=..., b=...)` here",
        "active_process": "a simulation has no 'active_process': it is sim.current here",
        "hold": "a simulation has no 'hold': it is `yield ev.hold(duration)` here",
        "passivate": "a simulation has no 'passivate': it is `yield ev.passivate()` here",
        "every": "a simulation has no 'every': it is `yield ev.tick(period)` in a process, or `@ev.every(period)` "
        "above a method of a component here",
    }
    assert not hasattr(env, "now")
    assert not set(told) & set(dir(env))


def test_words_of_other_packages_lead_to_ours():
    with pytest.raises(AttributeError, match=r"^module 'eventide' has no attribute 'Environment': it is ev.Simulation"):
        _ = ev.Environment
    with pytest.raises(
        AttributeError, match=r"^module 'eventide' has no attribute 'RADAU': it is ev.methods.RADAU here$"
    ):
        _ = ev.RADAU
    with pytest.raises(AttributeError, match=r"^module 'eventide' has no attribute 'Contiuous'$"):
        _ = ev.Contiuous


@pytest.mark.parametrize(
    ("how", "note"),
    [
        ("yield from ev.hold(1.0)", "a command, a request and a process are yielded: write `yield` for `yield from`"),
        ("yield from desk.request()", "a command, a request and a process are yielded: write `yield` for"),
        ("yield from env.process(iter_once())", "a command, a request and a process are yielded: write `yield` for"),
        ("with desk: yield 1.0", "a unit of a resource is had by a request: write `with desk.request() as place"),
        ("with desk.request: yield 1.0", "a unit of a resource is had by a request: write `with desk.request() as"),
        ("yield from 3.0; yield [n for n in 3.0]", "a command, a request and a process are yielded: write `yield`"),
        ("yield 1.0 + sum(n for n in 3.0)", "story 1 was active at time 0.0"),  # the note of any error
    ],
)
def test_what_is_no_generator_and_no_block_is_told_in_a_note(env, how, note):
    def iter_once():
        yield 1.0

    name, text = f"<{how}>", f"def story():\n    {how}\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    known = {"ev": ev, "env": env, "desk": ev.Resource(env, 1), "iter_once": iter_once}
    exec(compile(text, name, "exec"), known)  # noqa: S102  # a text above
    env.process(known["story"]())
    with pytest.raises(TypeError) as info:
        env.run()

    assert info.value.__notes__[0].startswith(note)


@pytest.mark.parametrize("operator", ["|", "&"])
def test_commands_are_not_joined_by_operators(env, operator):
    desk = ev.Resource(env, 1)

    def customer():
        place = desk.request()
        yield (place | ev.hold(1.0)) if operator == "|" else (ev.hold(2.0) & ev.hold(1.0))

    env.process(customer())
    with pytest.raises(TypeError) as info:
        env.run()

    assert info.value.__notes__[0] == (
        "commands are not joined by | and &: write `yield ev.first_of(served=a, gave_up=b)` for the first that comes, "
        "`yield ev.all_of(first=a, second=b)` for all"
    )
    assert info.value.__notes__[1].startswith("customer 1 was active at time 0.0, at ")


def test_a_process_is_waited_for_as_in_simpy(env):
    log = []

    def part():
        yield ev.hold(1.0)
        return "done"

    def whole():
        log.append((yield env.process(part())))

    env.process(whole())
    env.run()

    assert log == ["done"]


def test_seed_is_another_word_for_rng():
    def first(sim):
        return sim.stream("a").uniform(0.0, 1.0)

    assert first(ev.Simulation(method="radau", seed=1)) == first(ev.Simulation(rng=1))
    with pytest.raises(TypeError, match=r"^rng= and seed= are one thing, and got 1 and 2: give one of them$"):
        ev.Simulation(rng=1, seed=2)


def test_dir_shows_no_private_names(env):
    class Tank(ev.Continuous):
        level: ev.State = ev.state(1.0)

    names = dir(Tank(env))
    assert [name for name in names if name[0] == "_" and name[:2] != "__"] == []
    assert {"level", "rate", "start", "stop", "sim", "name"} <= set(names)
    assert [name for name in dir(env) if name[0] == "_" and name[:2] != "__"] == []


@pytest.mark.parametrize(
    ("act", "note"),
    [
        (
            lambda sim: ev.Resource(sim, 1).release(),
            (
                "a Resource has no 'release': it is `with desk.request() as place: yield place`, and the end of the "
                "block gives it back here"
            ),
        ),
        (lambda sim: sim.current.hold(1.0), "a Process has no 'hold': it is `yield ev.hold(duration)` here"),
        (lambda sim: sim.stream("a").expovariate(2.0), "a Stream has no 'expovariate': it is stream.negexp(rate) here"),
        (lambda sim: sim.tally().record(1.0), "a Tally has no 'record': it is tally.add(value) here"),
        (lambda sim: sim.level().add(1), "a Level has no 'add': it is level.change(difference) here"),
        (lambda sim: ev.Signal(sim).succeed(), "a Signal has no 'succeed': it is signal.send(value) here"),
    ],
    ids=["release", "hold", "expovariate", "record", "add", "succeed"],
)
def test_words_of_other_parts_lead_to_ours(env, act, note):
    def story():
        yield ev.hold(1.0)
        act(env)

    env.process(story())
    with pytest.raises(AttributeError) as info:
        env.run()

    assert info.value.__notes__[0] == note
    assert len(info.value.__notes__) == 2


@pytest.mark.parametrize(
    ("act", "note"),
    [
        (
            lambda sim, outcome: "served" in outcome,
            'an Outcome tells who came first: write `if outcome.name == "served"`; outcome.value is its answer',
        ),
        (
            lambda sim, outcome: ev.Container(sim, 10.0).level < 3.0,
            "a Level keeps statistics over time: its present value is level.value; of a Container, container.amount",
        ),
    ],
    ids=["outcome", "level"],
)
def test_what_is_taken_for_another_kind_is_told(env, act, note):
    def story():
        act(env, (yield ev.first_of(served=ev.hold(1.0), gave_up=ev.hold(2.0))))

    env.process(story())
    with pytest.raises(TypeError) as info:
        env.run()

    assert info.value.__notes__[0] == note


def test_laws_that_take_the_time_are_told_where_it_is():
    message = (
        "Tank.equations takes nothing but self: the time is self.sim.time, states are attributes, inputs are fields; "
        "write `def equations(self)`"
    )
    with pytest.raises(TypeError) as info:

        class Tank(ev.Continuous):
            level: ev.State = ev.state(1.0)

            def equations(self, t):
                self.rate.level = t

    assert str(info.value) == message


def test_words_that_are_nowhere_get_no_note(env):
    class Desk:
        pass

    def story():
        yield ev.hold(1.0)
        Desk().release()

    env.process(story())
    with pytest.raises(AttributeError) as info:
        env.run()

    assert len(info.value.__notes__) == 1


def test_dir_of_what_a_model_is_watched_by_shows_no_private_names(env):
    class Tank(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.level = 1.0

    tank = Tank(env).start()
    shown = [env.record(tank), env.log(), env.stream("a"), env.tally(), env.level(), env.histogram(0.0, 1.0, 2)]
    shown += [env.integral(lambda: tank.level), tank["level"], env.report(), env.explain()]
    shown += [ev.Resource(env, 1).request(), ev]

    for thing in shown:
        assert [name for name in dir(thing) if name[0] == "_" and name[:2] != "__"] == []
    assert {"to_pandas", "plot"} <= set(dir(shown[0]))
    assert len(dir(ev)) == len(set(dir(ev)))


def test_help_shows_the_public_half_of_a_component(env):
    class Tank(ev.Continuous):
        """A tank."""

        level: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.level = 1.0

    tank = Tank(env).start()
    env.run(until=1.0)
    text = pydoc.plain(pydoc.render_doc(tank))
    shown = re.findall(r"^ \|  (_\w+)", text, flags=re.MULTILINE)

    assert [name for name in shown if name[:2] != "__"] == []
    assert "Let the states, the equations and the handlers take part from now on" in text


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda sim: sim.level(unit=200.0), "unit= takes a text, and got 200.0"),
        (lambda sim: sim.level(5.0), "name= takes a text, and got 5.0"),
        (lambda sim: sim.level(initial="x"), "initial= takes a number, and got 'x'"),
        (lambda sim: sim.tally(unit=3), "unit= takes a text, and got 3"),
        (lambda sim: sim.tally(keep="yes"), "keep= takes True or False, and got 'yes'"),
        (lambda sim: sim.histogram("0", 1.0, 2), "lower= takes a number, and got '0'"),
        (lambda sim: sim.histogram(0.0, 1.0, 2, name=3), "name= takes a text, and got 3"),
        (lambda sim: sim.record(x=lambda: 1.0, events="no"), "events= takes True or False, and got 'no'"),
        (lambda sim: sim.record(x=lambda: 1.0, name=3), "name= takes a text, and got 3"),
        (lambda sim: sim.integral(lambda: 1.0, unit=3), "unit= takes a text, and got 3"),
        (lambda sim: ev.Expression(lambda: 1.0, unit=3), "unit= takes a text, and got 3"),
        (lambda sim: ev.Resource(sim, 1, name=3), "name= takes a text, and got 3"),
        (lambda sim: ev.Variable(sim, "x"), "Variable 1 is a variable and takes a number, and got 'x'"),
        (lambda sim: ev.Variable(sim, 1.0, unit=1.0), "unit= takes a text, and got 1.0"),
        (lambda sim: ev.Simulation(dt_max="x"), "dt_max takes a number, and got 'x'"),
    ],
    ids=range(15),
)
def test_arguments_of_another_kind_are_refused(env, act, message):
    with pytest.raises(TypeError) as info:
        act(env)

    assert str(info.value).startswith(message)


def test_a_tolerance_below_zero_and_bins_that_are_no_number_are_refused(env):
    with pytest.raises(ev.ModelError, match=r"^tolerances are numbers from 0 on, and got rel_error -1.0,"):
        ev.Simulation(rel_error=-1)
    with pytest.raises(ValueError, match=r"bins a whole number, at least 1$"):
        env.histogram(0.0, 1.0, 2.5)


def test_an_expression_without_a_name_is_told_how_to_have_one(env):
    with pytest.raises(
        ev.ModelError, match=r"^sim.record takes an expression under a name: write sim.record\(name=lam"
    ):
        env.record(lambda: 1.0)


@pytest.mark.parametrize("room", [ev.inputs, ev.methods, ev.statistics, ev.verify, ev.view], ids=lambda r: r.__name__)
def test_the_names_of_a_part_are_its_public_ones(room):
    assert dir(room) == sorted(room.__all__)


def test_a_figure_of_another_name_is_told():
    with pytest.raises(AttributeError, match=r"^module 'eventide\.view' has no attribute 'phase': perhaps plot_phase$"):
        _ = ev.view.phase
