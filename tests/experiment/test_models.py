"""Models: functions with checked parameters, main programs and builders, and their runs."""

import inspect
import math
import sys
from contextlib import ExitStack, nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import eventide as ev
from eventide.experiment import imported


@ev.model
def shop(sim, *, customers: int = 3, gap: float = 2.0, name: str = "shop"):
    """A shop that opens, and closes after the last customer."""
    for _ in range(customers):
        yield ev.hold(gap)
    return {"closed_at": sim.time}


@ev.model(until=8.0)
def tank(sim, *, inflow: float = 0.5):
    level = ev.Variable(sim, 1.0)

    def fill():
        level.rate = inflow

    ev.law(sim, fill).start()
    level.start()
    return {"level": lambda: level.state, "inflow": inflow}


# --- parameters


def test_a_model_has_its_defaults():
    assert dict(shop.values) == {"customers": 3, "gap": 2.0, "name": "shop"}
    assert repr(shop) == "shop(customers=3, gap=2.0, name='shop')"
    assert (shop.name, shop.__doc__) == ("shop", "A shop that opens, and closes after the last customer.")


def test_a_call_gives_another_model():
    small = shop(gap=1, customers=2)
    smaller = small(customers=1)

    assert [repr(m) for m in (small, smaller, shop)] == [
        "shop(customers=2, gap=1.0, name='shop')",
        "shop(customers=1, gap=1.0, name='shop')",
        "shop(customers=3, gap=2.0, name='shop')",
    ]


def test_texts_set_values():
    assert repr(shop.set_texts({"customers": "5", "name": "a b"})) == "shop(customers=5, gap=2.0, name='a b')"


def test_values_cannot_be_changed_behind_the_check():
    with pytest.raises(TypeError):
        shop.values["customers"] = "many"


KNOWN = "it has customers: int = 3, gap: float = 2.0, name: str = 'shop'"


@pytest.mark.parametrize(
    "set_it", [lambda: shop(customer=3), lambda: shop.set_texts({"customer": "3"})], ids=["value", "text"]
)
def test_an_unknown_name_lists_the_known(set_it):
    with pytest.raises(ev.ParameterError) as refused:
        set_it()

    assert str(refused.value) == f"shop has no parameter customer; {KNOWN}; did you mean customers?"


def test_a_run_that_is_given_a_parameter_says_where_it_belongs():
    for ask, said in {
        lambda: shop.run(gap=3.0): "gap is a parameter of the model: write shop(gap=3.0).run(...)",
        lambda: shop.replicate(2, gap=3.0): "gap is a parameter of the model: write shop(gap=3.0).replicate(...)",
        lambda: shop.run(gaps=3.0): f"shop has no parameter gaps; {KNOWN}; did you mean gap?",
        lambda: shop.run(util=3.0): "shop.run takes no util=; did you mean until=?",
        lambda: shop.run(x=1): (
            "shop.run takes no x=; it takes entropy, rng, replication, antithetic, until, watch; shop has "
            + KNOWN.removeprefix("it has ")
        ),
    }.items():
        with pytest.raises(ev.ParameterError) as refused:
            ask()
        assert str(refused.value) == said


def test_recordings_are_found_by_number_and_by_name():
    @ev.model(until=1.0)
    def watched(sim):
        sim.record(twice=lambda: 2.0 * sim.time, every=0.5, name="slow")
        sim.record(once=lambda: sim.time, every=0.25, name="fast")

    found = watched.run().recordings
    assert [one.name for one in found] == ["slow", "fast"]
    assert found["fast"] is found[1]
    assert found[:1] == (found["slow"],)
    for name, meant in {"fas": "did you mean 'fast'?", "x": "there are: slow, fast"}.items():
        with pytest.raises(ev.ModelError) as refused:
            found[name]
        assert str(refused.value) == f"there is no recording {name!r}; {meant}"


def test_a_name_of_several_recordings_is_of_none():
    @ev.model(until=1.0)
    def watched(sim):
        for every in (0.5, 0.25):
            sim.record(now=lambda: sim.time, every=every, name="same")

    with pytest.raises(ev.ModelError, match=r"^there are 2 recordings 'same': give the number of one, of \['same', "):
        watched.run().recordings["same"]


def test_a_model_without_parameters_says_so():
    @ev.model(until=1.0)
    def bare(sim): ...

    with pytest.raises(ev.ParameterError, match=r"^bare has no parameter pits; it has none$"):
        bare(pits=1)


def test_a_value_of_another_kind_is_refused():
    with pytest.raises(ev.ParameterError, match=r"^parameter customers of shop takes a whole number, and got 2.5$"):
        shop(customers=2.5)


def test_parameters_are_given_by_name():
    with pytest.raises(ev.ParameterError, match=r"^shop takes its parameters by name, as shop.customers: int = 3"):
        shop(3)


def test_a_parameter_without_default_must_be_given():
    @ev.model
    def street(sim, *, road: str, length: float):
        yield ev.hold(length)

    with pytest.raises(ev.ParameterError, match=r"^street needs a value for road: str, length: float$"):
        street.run()
    with pytest.raises(ev.ParameterError, match=r"^street needs a value for road: str$"):
        street(length=3).run()
    assert repr(street(length=3, road="a.csv")) == "street(road='a.csv', length=3.0)"
    assert street(length=3, road="a.csv").run().account.end_time == 3.0


# --- what can be a model


def test_a_model_is_a_function():
    class Pit: ...

    with pytest.raises(ev.ModelError, match=r"^@ev.model decorates a function, and got <class "):
        ev.model(Pit)


def test_a_builder_that_returns_a_generator_is_told_what_to_write():
    def story(sim):
        yield 1.0

    @ev.model(until=1.0)
    def outer(sim):
        return story(sim)

    with pytest.raises(ev.ModelError, match=r"write `return \(yield from story\(...\)\)`"):
        outer.run()


# --- main programs


def test_a_main_program_ends_the_run_and_answers():
    run = shop(customers=2).run()

    assert run.responses == {"closed_at": 4.0}
    assert (run.simulation.main.name, run.simulation.main.terminated) == ("shop", True)
    assert dict(run.parameters) == {"customers": 2, "gap": 2.0, "name": "shop"}


def test_the_end_of_the_main_program_is_the_end_of_all():
    log = []

    @ev.model
    def day(sim):
        def clock():
            while True:
                log.append(sim.time)
                yield ev.hold(1.0)

        sim.process(clock())
        yield ev.hold(2.5)

    run = day.run()

    assert log == [0.0, 1.0, 2.0]
    assert (run.responses, run.account.end_time) == ({}, 2.5)


def test_a_main_program_that_was_stopped_has_no_responses():
    run = shop.run(until=3.0)

    assert (run.has_responses, run.account.end_time) == (False, 3.0)
    with pytest.raises(ev.ModelError) as refused:
        _ = run.responses
    assert str(refused.value) == (
        "this run of shop has no responses: it was stopped at time 3.0, before its main program had ended; "
        "give a later until=, or none"
    )


def test_a_later_end_leaves_a_main_program_alone():
    assert shop.run(until=100.0).account.end_time == 6.0


# --- builders


def test_a_builder_is_read_when_the_run_has_ended():
    run = tank.run()

    assert run.responses == {"level": 5.0, "inflow": 0.5}
    assert run.account.end_time == 8.0


def test_the_call_says_when_to_stop_rather_than_the_decorator():
    assert tank(inflow=1.0).run(until=2.0).responses == {"level": 3.0, "inflow": 1.0}


def test_a_builder_needs_an_end():
    @ev.model
    def endless(sim): ...

    with pytest.raises(ev.ModelError, match=r"^endless does not say when to stop: give the run a time \(until\)"):
        endless.run()
    assert endless.run(until=3.0).responses == {}


# --- responses


def answering(value):
    @ev.model(until=4.0)
    def answer(sim):
        return {"it": value(sim) if callable(value) else value}

    return answer


def tally(sim):
    found = ev.Tally("length", unit="m")
    found.add(1.0)
    found.add(4.0)
    return found


def level(sim):
    return ev.Level(3.0, clock=sim)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, 2),
        (True, True),
        (0.25, 0.25),
        (np.float64(0.25), 0.25),
        (np.int64(2), 2),
        (np.bool_(True), True),
        (tally, ev.Quantity(2.5, unit="m")),
        (level, 3.0),
        (lambda sim: lambda: sim.time, 4.0),
    ],
    ids=["int", "bool", "float", "numpy float", "numpy int", "numpy bool", "tally", "level", "function"],
)
def test_a_response_is_a_number(value, expected):
    read = answering(value).run().responses["it"]

    assert (read, type(read)) == (expected, type(expected))


def test_statistics_stay_at_hand():
    @ev.model(until=4.0)
    def both(sim):
        return {"n": 2, "length": tally(sim), "level": level(sim)}

    run = both.run()

    assert run.responses == {"n": 2, "length": 2.5, "level": 3.0}
    assert [(name, type(s).__name__, s.mean) for name, s in run.statistics.items()] == [
        ("length", "Tally", 2.5),
        ("level", "Level", 3.0),
    ]


def test_a_quantity_keeps_its_unit():
    read = answering(ev.Quantity(0.43, unit="1/h", description="ingots drawn")).run().responses["it"]

    assert (read, read.unit, read.description) == (0.43, "1/h", "ingots drawn")
    assert repr(read) == "Quantity(0.43, unit='1/h', description='ingots drawn')"
    assert (repr(ev.Quantity(2, unit="m")), str(ev.Quantity(2, unit="m")), str(ev.Quantity(2))) == (
        "Quantity(2.0, unit='m')",
        "2.0 m",
        "2.0",
    )
    assert type(read * 2) is float


@pytest.mark.parametrize(
    "value",
    ["fast", None, 1j, np.array([1.0]), lambda sim: lambda: "fast"],
    ids=["text", "nothing", "complex", "array", "function"],
)
def test_other_responses_are_refused(value):
    with pytest.raises(
        ev.ModelError, match=r"^response it of answer is .*: a response is a number, a Tally, Level or Integral"
    ):
        answering(value).run()


@pytest.mark.parametrize(
    ("returned", "complaint"),
    [(3.0, "^odd returned 3.0: a model returns its responses by name"), ({1: 2.0}, "a response called 1")],
)
def test_responses_have_names(returned, complaint):
    @ev.model(until=1.0)
    def odd(sim):
        return returned

    with pytest.raises(ev.ModelError, match=complaint):
        odd.run()


# --- randomness


@ev.model
def dice(sim):
    yield ev.hold(1.0)
    return {"u": sim.stream("dice").random()}


def test_the_same_entropy_gives_the_same_run():
    first, second, other = dice.run(entropy=7), dice.run(entropy=7), dice.run(entropy=8)

    assert first.responses == second.responses
    assert first.responses != other.responses
    assert (first.entropy, first.account.entropy) == (7, 7)


def test_entropy_is_fresh_unless_given_and_kept():
    run = dice.run()

    assert run.entropy != dice.run().entropy
    assert dice.run(entropy=run.entropy).responses == run.responses


def test_whatever_numpy_takes_is_taken():
    assert dice.run(rng=7).responses == dice.run(entropy=7).responses
    assert dice.run(rng=np.random.SeedSequence(7)).responses == dice.run(entropy=7).responses


def test_entropy_has_one_name_at_a_time():
    with pytest.raises(ev.ModelError, match=r"^dice.run takes entropy= or rng=, and got both$"):
        dice.run(entropy=0, rng=0)


# --- the simulation


def test_settings_reach_the_simulation():
    @ev.model(until=1.0, rel_error=1e-3, abs_error=1e-4, dt_min=0.25, dt_max=0.5)
    def fine(sim): ...

    sim = fine.run().simulation

    assert (sim.rel_error, sim.abs_error, sim.dt_min, sim.dt_max) == (1e-3, 1e-4, 0.25, 0.5)


def test_recordings_are_those_of_the_simulation():
    @ev.model(until=1.0)
    def seen(sim):
        sim.record(every=0.5, name="first", clock=lambda: sim.time)
        sim.record(every=0.5, name="second", clock=lambda: sim.time)

    assert [recording.name for recording in seen.run().recordings] == ["first", "second"]


# --- the account


def test_a_discrete_run_has_no_monitor():
    run = shop.run(entropy=1)

    assert run.account == ev.Account(
        events=4, steps=0, refused_steps=0, evaluations=0, state_events=0, end_time=6.0, entropy=1
    )
    assert "_the_monitor" not in vars(run.simulation)


def test_a_continuous_run_has_the_monitors_counts():
    @ev.model(dt_max=8.0)
    def fill(sim):
        volume = ev.Variable(sim, 0.0).start()

        def flow():
            volume.rate = math.exp(-volume.state)

        ev.law(sim, flow).start()
        yield ev.until(lambda: volume.state >= 1.0)

    run = fill.run(entropy=1)
    monitor = run.simulation.monitor

    assert run.account == ev.Account(
        events=2,
        steps=monitor.steps,
        refused_steps=monitor.refused,
        evaluations=monitor.system.evaluations,
        state_events=1,
        end_time=run.simulation.time,
        entropy=1,
    )
    assert run.account.steps > 2
    assert run.account.refused_steps > 0
    assert run.account.evaluations > 4 * run.account.steps


# --- errors


def test_an_error_goes_up_as_the_same_object_with_what_it_takes_to_repeat_it():
    error = KeyError("ingot")

    @ev.model
    def broken(sim, *, depth: float = 1.0):
        yield ev.hold(depth)
        raise error

    with pytest.raises(KeyError) as raised:
        broken(depth=2.0).run(entropy=5)

    assert raised.value is error
    assert error.__notes__[-1] == "in a run of broken(depth=2.0) with entropy 5, at time 2.0"


# --- pictures


def test_a_picture_belongs_to_the_model_and_its_copies():
    @ev.model(until=1.0)
    def scene(sim, *, size: int = 1): ...

    large = scene(size=2)
    assert large.drawing is None

    @scene.picture
    def draw(run, figure):
        figure.drawn = run.parameters["size"]

    figure = SimpleNamespace()
    large.drawing(large.run(), figure)

    assert (draw is scene.drawing, figure.drawn) == (True, 2)
    assert inspect.isfunction(draw)


def test_files_of_one_name_in_several_folders_are_imported_side_by_side(tmp_path):
    before = list(sys.modules)
    with ExitStack() as stack:
        modules = []
        for number in range(4):
            file = tmp_path / str(number) / "plant_of_four.py"
            file.parent.mkdir()
            file.write_text(f"number = {number}\n")
            modules.append(stack.enter_context(imported(file)))
        assert [module.number for module in modules] == [0, 1, 2, 3]
        assert [sys.modules[module.__name__] for module in modules] == modules
    assert [name for name in sys.modules if name not in before and "plant_of_four" in name] == []


@pytest.mark.parametrize("then", ["return {}", "raise LookupError"], ids=["ends", "fails"])
def test_rows_that_a_model_streams_are_in_the_file_when_its_run_has_ended(tmp_path, then):
    path = tmp_path / "rows.csv"

    @ev.model(until=3.0)
    def flight(sim):
        sim.record(now=lambda: sim.time, every=1.0).stream_to(path)
        return {"now": lambda: 1.0 / (then == "return {}")}

    with nullcontext() if then == "return {}" else pytest.raises(ZeroDivisionError):
        flight.run()
    assert ev.load(path)["now"].tolist() == [0.0, 1.0, 2.0, 3.0]
