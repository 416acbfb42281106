"""What branches in functions to which fields refer is located: handed over for each object, exchanged, made again."""

from __future__ import annotations

import math
import pickle
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

import eventide as ev

METHODS = ["DORMAND_PRINCE", "DOP853", "ENGLAND", "RADAU"]
both = pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    inflow: Any = None

    def equations(self):
        self.rate.level = self.inflow(self.sim.time)


class Below(Tank):
    factor: float = 2.0


class Body(ev.Continuous):
    x: ev.State = ev.state(1.0)
    law: Any = None

    def equations(self):
        self.rate.x = self.law(self.x)


class Holder:
    def __init__(self, function):
        self.inflow = function


class Behind(ev.Continuous):
    level: ev.State = ev.state(0.0)
    holder: Any = None

    def equations(self):
        read = self.holder.inflow
        self.rate.level = read(self.sim.time)


class Chosen(Behind):
    def equations(self):
        self.rate.level = self.holder["main"](self.sim.time) + self.holder[0](self.sim.time)


def pulse(t):
    return 1000.0 if 3.0 <= t < 3.001 else 0.0


def other(t):
    return 500.0 if 6.0 <= t < 6.002 else 0.0


def still(t):
    return 0.0 * t


def whole(t):
    return math.floor(t)


def twice(hour, factor=2.0):
    return factor * pulse(t=hour)


def before(t, end=0.5):
    return 1.0 if t < end else 0.0


def after(t, *, end=0.5):
    return 1.0 if end <= t < 3.25 else 0.0


def between(low, high):
    return lambda t: 1.0 / (high - low) if low <= t < high else 0.0


def simulation(compiled, method="ENGLAND"):
    sim = ev.Simulation(compile=compiled)
    sim.method = getattr(ev.methods, method)
    return sim


def listed(sim):
    return [(note.law, note.text, note.kind is not None) for note in sim.explain().branches]


def levels(compiled, functions, kind=Tank, method="ENGLAND", until=10.0):
    sim = simulation(compiled, method)
    tanks = [kind(sim, inflow=function).start() for function in functions]
    sim.run(until=until)
    branches = sim.explain().branches
    assert branches
    assert all(note.kind is not None for note in branches)
    return [tank.level for tank in tanks]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_pulse_in_a_field_is_as_long_as_its_floats_say_with_every_method(method):
    found = [levels(compiled, [pulse, twice, between(4.0, 4.25), still], method=method) for compiled in (True, False)]
    assert found[0] == found[1] == pytest.approx([1.0, 2.0, 1.0, 0.0], rel=1e-9)


@pytest.mark.slow
@both
def test_lambdas_of_one_text_are_apart_by_what_they_close_over_and_by_their_defaults(compiled):
    functions = [between(low, low + 0.125) for low in (2.0, 3.0)]
    functions += [lambda t, low=low: 4.0 if low <= t < low + 0.25 else 0.0 for low in (5, 5.0, 7.5)]
    assert levels(compiled, functions) == pytest.approx([1.0] * 5, rel=1e-9)


@pytest.mark.slow
@both
def test_defaults_that_are_replaced_are_those_that_count(compiled):
    before.__defaults__, after.__kwdefaults__ = (0.5,), {"end": 0.5}
    sim = simulation(compiled)
    tanks = [Tank(sim, inflow=function).start() for function in (before, after)]

    def replaces():
        yield ev.hold(1.0)
        before.__defaults__, after.__kwdefaults__ = (1.5,), {"end": 2.0}
        yield ev.hold(1.0)
        after.__kwdefaults__["end"] = 3.125

    sim.process(replaces())
    sim.run(until=5.0)
    assert [tank.level for tank in tanks] == pytest.approx([1.0, 0.625], rel=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_polynomial_of_numpy_is_called_in_python(compiled):
    sim = simulation(compiled)
    tank = Tank(sim, inflow=np.polynomial.Polynomial([1.0, 2.0])).start()
    sim.run(until=2.0)
    assert tank.level == pytest.approx(6.0, rel=1e-9)


@pytest.mark.slow
@both
def test_a_replication_with_functions_made_again_gives_the_same(compiled):
    results = [levels(compiled, [between(2.0, 2.125), lambda t: 8.0 if 3.0 <= t < 3.125 else 0.0]) for _ in range(3)]
    assert results[0] == results[1] == results[2] == pytest.approx([1.0, 1.0], rel=1e-9)


@both
def test_a_level_that_a_lambda_closes_over_is_met(compiled):
    sim, closed = simulation(compiled), 0.75
    laws = [lambda x, level=level: -1.0 if x > level else -0.5 for level in (0.5, 0.25)]
    ends = [Body(sim, law=law).start() for law in (*laws, lambda x: -1.0 if x > closed else -0.5)]
    sim.run(until=1.0)
    assert [one.x for one in ends] == pytest.approx([0.25, 0.125, 0.375], rel=1e-12)


@pytest.mark.slow
@both
def test_a_function_that_is_exchanged_at_an_event_is_located_from_then_on(compiled):
    sim = simulation(compiled)
    one, second, third = (Tank(sim, inflow=function).start() for function in (pulse, still, between(3.0, 3.125)))
    sim.run(until=2.0)
    second.inflow = pulse
    third.inflow = between(4.0, 4.125)
    sim.run(until=5.0)
    assert [one.level, second.level, third.level] == pytest.approx([1.0, 1.0, 1.0], rel=1e-9)
    one.inflow, second.inflow, third.inflow = other, still, whole
    sim.run(until=7.5)
    assert [one.level, second.level, third.level] == pytest.approx([2.0, 1.0, 1.0 + 5.0 + 6.0 + 3.5], rel=1e-9)
    assert listed(sim) == [
        ("Tank 1.equations via other", "6.0 <= t < 6.002", True),
        ("Tank 3.equations via whole", "math.floor(t)", True),
    ]


@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_function_after_what_only_python_can_call_is_located(compiled):
    sim = simulation(compiled)
    tank = Tank(sim, inflow=partial(lambda factor, t: factor * t, 0.0)).start()
    sim.run(until=2.0)
    tank.inflow = pulse
    sim.run(until=5.0)
    tank.inflow = other
    sim.run(until=7.5)
    assert tank.level == pytest.approx(2.0, rel=1e-9)
    assert listed(sim) == [("Tank 1.equations via other", "6.0 <= t < 6.002", True)]


@both
def test_an_object_that_stops_and_starts_with_another_function(compiled):
    sim = simulation(compiled)
    tank = Tank(sim, inflow=pulse).start()
    sim.run(until=5.0)
    tank.stop()
    tank.inflow = other
    tank.start()
    tank.set_priority(1.0)
    sim.run(until=10.0)
    assert tank.level == pytest.approx(2.0, rel=1e-9)


@both
def test_it_is_located_in_a_class_below_and_through_other_objects(compiled):
    assert levels(compiled, [pulse, other], kind=Below) == pytest.approx([1.0, 1.0], rel=1e-9)
    sim = simulation(compiled)
    one = Behind(sim, holder=Holder(pulse)).start()
    sim.run(until=10.0)
    assert one.level == pytest.approx(1.0, rel=1e-9)


def test_functions_in_a_dict_are_located_where_the_law_runs_in_python():
    sim = simulation("auto")
    one = Chosen(sim, holder={"main": other, 0: between(1.0, 1.125)}).start()
    sim.run(until=10.0)
    assert one.level == pytest.approx(2.0, rel=1e-9)


@pytest.mark.slow
@both
def test_of_more_outcomes_than_are_reserved_the_rest_is_told(compiled):
    def many(t):
        return (
            (1.0 if t < 1.0 else 0.0)
            + (1.0 if t < 2.0 else 0.0)
            + (1.0 if t < 3.0 else 0.0)
            + (1.0 if t < 4.0 else 0.0)
            + (1.0 if t < 5.0 else 0.0)
            + (1.0 if t < 6.0 else 0.0)
            + (1.0 if t < 7.0 else 0.0)
        )

    sim = simulation(compiled)
    kind = type("Tank", (Tank,), {"__module__": __name__})
    tank = kind(sim, inflow=many).start()
    with pytest.warns(ev.SwitchWarning, match=r"`t < 7.0` in Tank.equations via many .* \(of a function in a field 6"):
        sim.run(until=10.0)
    assert [text for _, text, is_located in listed(sim) if not is_located] == ["t < 7.0"]
    assert tank.level == pytest.approx(28.0, rel=1e-4)


def test_a_class_with_such_functions_can_be_pickled_by_name():
    levels(True, [pulse])
    assert pickle.loads(pickle.dumps(Tank)) is Tank
    assert sys.modules[__name__].Tank is Tank
