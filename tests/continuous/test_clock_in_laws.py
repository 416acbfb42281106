"""A law that may jump by the time where that is not located is warned of: a step may pass over a short pulse."""

from __future__ import annotations

import math
import warnings
from bisect import bisect
from functools import partial
from typing import Any

import numpy as np
import pytest

import eventide as ev
from eventide.reading.description import location

PUSH, WAVE = ev.inputs.Pulse(1.0, width=0.01, high=100.0), ev.inputs.Sine()


def inflow(t):
    return 1000.0 if 3.0 <= t < 3.001 else 0.0


def inflow_in_a_loop(t):
    for begin in (3.0, 6.0):
        if begin <= t < begin + 0.001:
            return 1000.0
    return 0.0


def twice(hour, factor=2.0):
    return factor * inflow(t=hour)


def twice_by_all(*hours):
    return 2.0 * inflow(hours[0])


def smooth(t):
    return 2.0 * t


class Pulsed(ev.Continuous):
    y: ev.State = ev.state(0.0)
    table: Any = None

    def push(self):
        return 1000.0 if 3.0 <= self.sim.time < 3.001 else 0.0


class ByFunction(Pulsed):
    def equations(self):
        self.rate.y = inflow(self.sim.time)


class ByTwo(Pulsed):
    def equations(self):
        now = self.sim.time
        self.rate.y = twice(now)


class ByMethod(Pulsed):
    def equations(self):
        self.rate.y = self.push()


class ByFunctionInALoop(Pulsed):
    def equations(self):
        self.rate.y = 0.0
        for _ in range(1):
            self.rate.y = inflow(self.sim.time)


class ByMethodInALoop(Pulsed):
    def equations(self):
        for _ in range(1):
            self.rate.y = self.push()


class ByLoop(Pulsed):
    def equations(self):
        self.rate.y = inflow_in_a_loop(self.sim.time)


class ByAll(Pulsed):
    def equations(self):
        now = self.sim.time
        self.rate.y = twice_by_all(now)


class InALoop(Pulsed):
    def equations(self):
        self.rate.y = 0.0
        for begin in (3.0, 6.0):
            if begin <= self.sim.time < begin + 0.001:
                self.rate.y = 1000.0


IN_A_LOOP = "it is in a loop"


@pytest.mark.parametrize(
    ("kind", "text", "why", "line", "where"),
    [
        (ByFunctionInALoop, "inflow(self.sim.time)", IN_A_LOOP, 3, None),
        (ByMethodInALoop, "self.push()", IN_A_LOOP, 2, None),
        (ByAll, "twice_by_all(now)", "arguments are followed one by one, without * and **", 2, None),
        (ByLoop, "begin <= t < begin + 0.001", IN_A_LOOP, 2, inflow_in_a_loop),
        (InALoop, "begin <= self.sim.time < begin + 0.001", IN_A_LOOP, 3, None),
    ],
)
def test_it_is_told_once_at_its_line_with_what_to_write(kind, text, why, line, where):
    first = (where or kind.equations).__code__.co_firstlineno
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kind(ev.Simulation()).start()
        kind(ev.Simulation()).start()
    told = (
        f"`{text}` in {kind.__name__}.equations goes by the time, and where it jumps is not located ({why}): a step "
        "may pass over what it switches on and off. Compare sim.time in the equations themselves, take an input, as ev."
        "inputs.Pulse, or let an @ev.every handler or a process set a field; if nothing jumps there, write "
        "smooth_laws = True in the class"
    )
    assert [(one.category, str(one.message), one.filename, one.lineno) for one in caught] == [
        (ev.SwitchWarning, told, __file__, first + line)
    ]


@pytest.mark.slow
def test_what_is_located_smooth_or_said_to_be_so_is_not_told():
    class Located(Pulsed):
        def equations(self):
            now = self.sim.time
            self.rate.y = 1000.0 if 3.0 <= now < 3.001 else 0.0

    class Smooth(Pulsed):
        def equations(self):
            self.rate.y = smooth(self.sim.time)

    class Said(Pulsed):
        smooth_laws = True

        def equations(self):
            self.rate.y = inflow_in_a_loop(self.sim.time)

    class OfAState(Pulsed):
        def equations(self):
            self.rate.y = inflow_in_a_loop(self.y)

    for kind in (Located, Smooth, Said, OfAState, ByFunction, ByTwo, ByMethod):
        sim = ev.Simulation()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one = kind(sim).start()
        sim.run(until=5.0)
        assert one.y == pytest.approx({Smooth: 25.0, Said: 0.0, OfAState: 0.0, ByTwo: 2.0}.get(kind, 1.0))


class Fed(ev.Continuous):
    y: ev.State = ev.state(0.0)
    inflow: Any = None
    others: list[Any] = ev.field(default_factory=list)

    def equations(self):
        self.rate.y = self.inflow(self.sim.time)
        for other in self.others:
            self.rate.y += other(self.sim.time)


class Reader:
    def pulse(self, t):
        return inflow(t)

    def __call__(self, t):
        return inflow(t)


def called(function, t):
    return function(t)


class Passing(Pulsed):
    def equations(self):
        self.rate.y = called(self.table, self.sim.time)


def fresh(kind):
    """A class of its own, of which nothing has been told."""
    return type(kind.__name__, (kind,), {"__module__": __name__})


def told_by(kind, act=lambda one: None, **given):
    """What is told of an object in a run, and what of its laws is listed."""
    sim = ev.Simulation()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        one = kind(sim, **given).start()
        sim.run(until=1.0)
        act(one)
        sim.run(until=2.0)
    listed = [
        (note.law.partition(".")[2], note.text, note.place) for note in sim.explain().branches if note.kind is None
    ]
    return [(str(one.message).partition(" goes by ")[0], one.lineno) for one in caught], listed


LINE = inflow.__code__.co_firstlineno + 1
PLACE = location(__file__, LINE)
CALL = called.__code__.co_firstlineno + 1  # of what is not known
PULSE = "3.0 <= t < 3.001"


def test_a_function_in_a_field_that_compares_the_time_is_told_at_its_line_with_what_to_write():
    told = (
        f"`{PULSE}` in Fed.equations via inflow ({PLACE}) goes by the time, and where it jumps is not located (it is "
        "in a loop): a step may pass over what it switches on and off. Call a method of the class or a function of its "
        "module by its name, take an input, as ev.inputs.Pulse, limit steps by sim.dt_max, or let an @ev.every handler "
        "or a process set a field; if nothing jumps there, write smooth_laws = True in the class"
    )
    kind, sim = fresh(Fed), ev.Simulation()
    kind(sim, inflow=smooth, others=[inflow]).start()
    kind(sim, inflow=smooth, others=[inflow]).start()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.run(until=1.0)
        other = ev.Simulation()
        kind(other, inflow=smooth, others=[smooth, inflow]).start()
        other.run(until=1.0)
    assert [(one.category, str(one.message), one.filename, one.lineno) for one in caught] == [
        (
            ev.SwitchWarning,
            told,
            __file__,
            LINE,
        )
    ]


@pytest.mark.parametrize(
    ("kind", "given", "law", "text", "line"),
    [
        (Fed, lambda: {"inflow": Reader().pulse}, "pulse via inflow", PULSE, LINE),
        (Fed, lambda: {"inflow": Reader()}, "__call__ via inflow", PULSE, LINE),
        (Fed, lambda: {"inflow": partial(called, inflow)}, "called", "function(t)", CALL),
        (Passing, lambda: {"table": inflow}, "called via inflow", PULSE, LINE),
    ],
)
def test_what_branches_in_it_is_listed_and_told_wherever_it_is_got_from(kind, given, law, text, line):
    told, listed = told_by(fresh(kind), **given())
    place = PLACE if text == PULSE else location(__file__, line)
    assert (told, listed) == (
        [(f"`{text}` in {kind.__name__}.equations via {law} ({place})", line)],
        [(f"equations via {law}", text, place)],
    )


def fixed(t, k=2.0):
    return k * t if k > 0.0 else -k * t


@pytest.mark.parametrize(
    "function",
    [smooth, math.sin, np.sin, ev.inputs.Sine(), lambda t: 2.0 * smooth(t), partial(fixed, k=3.0), fixed],
    ids=["smooth", "math", "numpy", "input", "lambda", "partial", "of-what-stands"],
)
def test_a_function_in_a_field_that_is_smooth_is_neither_told_nor_listed(function):
    assert told_by(fresh(Fed), inflow=function, others=[function]) == ([], [])


def test_a_function_that_an_event_puts_in_a_field_is_told_then():
    def exchange(one):
        one.others = [inflow]

    told, listed = told_by(fresh(Fed), exchange, inflow=smooth)
    assert told == [(f"`{PULSE}` in Fed.equations via inflow ({PLACE})", LINE)]
    assert listed == [("equations via inflow", PULSE, PLACE)]


def test_a_comparison_of_a_state_in_a_function_of_a_field_is_listed_alone():
    class OfItsState(Pulsed):
        def equations(self):
            for one in self.table:
                self.rate.y = one(self.y)

    told, listed = told_by(OfItsState, table=[inflow])
    assert (told, listed) == ([], [("equations via inflow", PULSE, PLACE)])


class ByAnIndex(Pulsed):
    def equations(self):
        self.rate.y = (0.0, 0.0, 1000.0, 0.0)[bisect([0.0, 3.0, 3.001], self.sim.time)]


class ByAnotherName(Pulsed):
    def equations(self):
        t, low = self.sim.time, 3.0
        self.rate.y = (0.0, 0.0, 1000.0, 0.0)[bisect([0.0, low, 3.001], t)]


class ByATable(Pulsed):
    def equations(self):
        self.rate.y = np.interp(self.sim.time, [0.0, 3.0, 3.001, 3.002], [0.0, 0.0, 1000.0, 0.0])


class ByASign(Pulsed):
    def equations(self):
        after = self.sim.time - 3.0
        self.rate.y = 500.0 * (1.0 + math.copysign(1.0, after))


class ByRounding(Pulsed):
    def equations(self):
        self.rate.y = 1000.0 * round(math.exp(-((1000.0 * (self.sim.time - 3.0)) ** 2)))


class ByAPartial(Pulsed):
    def equations(self):
        self.rate.y = partial(inflow)(self.sim.time)


class ByAText(Pulsed):
    def equations(self):
        text = f"{self.sim.time:.3f}"
        self.rate.y = 1000.0 if text == "3.000" else 0.0


@pytest.mark.parametrize("kind", [ByAnIndex, ByAnotherName, ByATable, ByASign, ByRounding, ByAPartial, ByAText])
def test_what_may_jump_by_the_time_without_a_comparison_is_told(kind):
    with pytest.warns(ev.SwitchWarning, match="goes by the time, and where it jumps is not located"):
        kind(ev.Simulation()).start()


class ByArrays(Pulsed):
    def equations(self):
        rates = np.array([1.0, 2.0])
        self.rate.y = np.sin(rates * self.sim.time).sum() + (rates * self.sim.time).mean()


class ByPolynomials(Pulsed):
    def equations(self):
        self.rate.y = np.polyval([1.0, 2.0], self.sim.time) + np.sinc(self.sim.time)


class ByAMap(Pulsed):
    def equations(self):
        self.rate.y = sum(map(math.sin, (self.sim.time, self.y))) + np.linalg.det(((self.sim.time, 1.0), (0.0, 1.0)))


@pytest.mark.parametrize("kind", [ByArrays, ByPolynomials, ByAMap])
def test_what_numpy_makes_of_the_time_is_smooth(kind):
    sim = ev.Simulation()
    kind(sim).start()
    sim.run(until=0.5)
    assert sim.explain().branches == ()


def test_functions_of_scipy_are_smooth():
    special = pytest.importorskip("scipy.special")
    assert told_by(fresh(Fed), inflow=special.erf) == ([], [])


def test_of_a_function_in_a_field_the_first_place_is_told():
    def inflow(t):
        return sum(t < high for high in (3.0, 4.0)) + sum(t < low for low in (2.0, 1.0))

    told, listed = told_by(fresh(Fed), inflow=inflow)
    assert (len(told), [text for _, text, _ in listed]) == (1, ["t < high", "t < low"])


@pytest.mark.parametrize(
    "inflow",
    [
        lambda t: 1000.0 if f"{t:.3f}" in ("3.000", "3.001") else 0.0,
        lambda t: 1000.0 if str(t)[:5] == "3.000" else 0.0,
        lambda t: sum(map(inflow, (t, t))),
    ],
    ids=["f-string", "str", "map"],
)
def test_what_a_function_in_a_field_compares_is_told_whatever_it_is(inflow):
    told, _ = told_by(fresh(Fed), inflow=inflow)
    assert len(told) == 1


def test_each_lambda_is_told():
    kind = fresh(Fed)
    early = lambda t: sum(t < high for high in (3.0, 4.0))  # noqa: E731  # it has no name of its own
    late = lambda t: sum(t < high for high in (5.0, 6.0))  # noqa: E731  # as above
    assert [len(told_by(kind, inflow=one)[0]) for one in (early, late, early)] == [1, 1, 0]


def test_a_law_whose_text_is_not_known_is_told_if_it_compares_and_reads_the_time():
    def make(law):
        names = {}
        exec(f"def equations(self): self.rate.y = {law}", names)  # noqa: S102  # so that its text is not known
        return type("Unread", (Pulsed,), names | {"__module__": __name__})

    with pytest.warns(ev.SwitchWarning, match=r"`equations` in Unread\.equations goes by the time"):
        make("1000.0 if 3.0 <= self.sim.time < 3.001 else 0.0")(ev.Simulation()).start()
    make("self.sim.time")(ev.Simulation()).start()
    make("1.0 if self.y < 3.0 else 0.0")(ev.Simulation()).start()


def test_a_law_that_is_no_method_is_told_once():
    def law():
        y.set_rate(1000.0 if 3.0 <= y.sim.time < 3.001 else 0.0)

    sim = ev.Simulation()
    y, z = ev.Variable(sim, 0.0).start(), ev.Variable(sim, 0.0).start()
    first = ev.law(sim, law, name="first").start()
    with pytest.warns(ev.SwitchWarning, match=r"`law` in first goes by the time"):
        sim.run(until=0.1)
    first.stop()
    ev.law(sim, law, name="smooth", smooth=True).start()
    ev.law(sim, lambda: z.set_rate(z.sim.time), name="another").start()
    sim.run(until=0.2)


def told_of_wait(condition, **given):
    """What is told of a condition that a process waits for beside something that moves."""
    sim = ev.Simulation(**given)
    one = Still(sim).start()

    def process():
        yield ev.until(lambda: condition(one))

    sim.process(process())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.run(until=10.0)
    return [
        str(note.message).partition(" in the condition of ")[0] for note in caught if note.category is ev.SwitchWarning
    ]


class Still(ev.Continuous):
    x: ev.State = ev.state(1.0)
    names: dict[str, object] = ev.field(default_factory=lambda: {"pulse": inflow, "step": late})

    def equations(self):
        self.rate.x = 0.0


def late(t):
    return t >= 3.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (lambda one: one.names.get("pulse")(one.sim.time) > 500.0, True),
        (lambda one: f"{one.sim.time:.3f}" == "3.000", True),
        (lambda one: one.sim.time.__ge__(3.0) and one.sim.time.__lt__(3.001), True),
        (lambda one: len(one.names) > 1 and 3.0 <= one.sim.time < 3.001, True),
        (lambda one: len(one.names) > 1 and one.sim.time % 7.0 > 6.999, True),
        (lambda one: len(one.names) > 1 and PUSH(one.sim.time - 0.35) > 50.0, True),
        (lambda one: len(one.names) > 1 and WAVE(one.sim.time - 0.35) > 50.0, False),
        (lambda one: len(one.names) > 1 and PUSH(one.sim.time) > 500.0, False),
        (lambda one: len(one.names) > 1 and one.sim.time >= 3.0, False),
        (lambda one: one.names["step"](one.sim.time), False),
        (lambda one: len(one.names) > 2, False),
        (lambda one: 3.0 <= one.sim.time < 3.001, False),
    ],
    ids=[
        "called",
        "text",
        "method",
        "two",
        "remainder",
        "shifted",
        "shifted and smooth",
        "input",
        "one",
        "stays",
        "still",
        "proved",
    ],
)
def test_a_condition_in_python_that_may_be_true_for_a_while_by_the_time_is_told(condition, told):
    assert bool(told_of_wait(condition)) is told
    assert told_of_wait(condition, dt_max=0.0005) == []


RATES = ev.inputs.HeldTable([0.0, 3.0, 3.001], [1.0, 500.0, 1.0])


@pytest.mark.parametrize("compile_", [True, False])
@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (lambda one: RATES(one.sim.time - 0.5) > 100.0, True),
        (lambda one: RATES(one.sim.time) > 100.0, False),
        (lambda one: math.erf(one.sim.time) > 2.0, False),
        (lambda one: PUSH(one.sim.time - 0.5) > 500.0, False),
    ],
    ids=["shifted table", "table", "smooth", "proved"],
)
def test_a_condition_that_is_sampled_and_jumps_by_the_time_is_told(compile_, condition, told):
    assert bool(told_of_wait(condition, compile=compile_)) is told


def pushed(t):
    return PUSH(t)


class Shifted(ev.Continuous):
    y: ev.State = ev.state(0.0)
    late: float = 0.35
    signal: Any = PUSH
    pulse: ev.inputs.Pulse = PUSH
    both: Any = (WAVE, PUSH)
    wave: ev.inputs.Input = WAVE


class OfModule(Shifted):
    def equations(self):
        t = self.sim.time - self.late
        self.rate.y = PUSH(t)


class ByHelper(Shifted):
    def equations(self):
        self.rate.y = pushed(self.sim.time - self.late)


class OfAny(Shifted):
    def equations(self):
        self.rate.y = self.signal(0.5 * self.sim.time)


class OfField(Shifted):
    def equations(self):
        self.rate.y = self.pulse(t=self.sim.time - self.late)


class OfItem(Shifted):
    def equations(self):
        self.rate.y = self.both[1](self.sim.time - self.late)


class InLoop(Shifted):
    def equations(self):
        self.rate.y = sum(each(self.sim.time - self.late) for each in self.both)


class OfTheTime(Shifted):
    def equations(self):
        t = self.sim.time
        total = sum(each(t) for each in self.both)
        self.rate.y = total + pushed(t) + PUSH(t=t) + self.signal(t) + self.pulse(self.sim.time) + self.both[1](t)


class ThatNeverJumps(Shifted):
    def equations(self):
        t = self.sim.time - self.late
        self.rate.y = WAVE(t) + self.wave(t) + self.both[0](0.5 * t)


def run_of(kind):
    sim = ev.Simulation()
    kind(sim).start()
    sim.run(until=0.5)
    return sim


@pytest.mark.parametrize("kind", [OfModule, ByHelper, OfAny, OfField, OfItem, InLoop])
def test_an_input_that_is_given_another_time_than_that_of_the_clock_is_told(kind):
    with pytest.warns(ev.SwitchWarning, match=r"jumps by sim\.time, and is given something else: shift the input"):
        run_of(kind)


@pytest.mark.parametrize("is_step", [False, True])
def test_a_law_that_is_no_method_and_goes_by_the_time_is_told(is_step):
    sim = ev.Simulation()
    x, y = ev.Variable(sim, 0.0).start(), ev.Variable(sim, 0.0).start()
    ev.law(sim, lambda: y.set_rate(PUSH(sim.time)), name="plain").start()
    sim.run(until=0.1)

    def step():
        x.set_rate(1.0 if sim.time > 3.0 else 0.0)

    def shifted():
        x.set_rate(PUSH(sim.time - 0.5))

    ev.law(sim, step if is_step else shifted, name="jumps").start()
    with pytest.warns(ev.SwitchWarning, match=r"in jumps goes by the time, and where it jumps is not located"):
        sim.run(until=0.2)


class ThatBends(Shifted):
    daily: Any = ev.inputs.LinearTable([0.0, 6.0, 24.0], [1.0, 2.0, 1.0])

    def equations(self):
        self.rate.y = self.daily(self.sim.time - self.late)


@pytest.mark.parametrize("kind", [OfTheTime, ThatNeverJumps, ThatBends])
def test_an_input_that_is_given_the_time_of_the_clock_or_never_jumps_is_not_told(kind):
    assert run_of(kind).explain().branches == ()


class AlongAState(Shifted):
    way: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.way = 1.0
        self.rate.y = PUSH(self.way)


@pytest.mark.parametrize("compile_", [True, False])
def test_an_input_of_a_state_counts_as_what_may_jump(compile_):
    sim = ev.Simulation(compile=compile_)
    one = AlongAState(sim).start()
    sim.run(until=8.5)
    assert one.y == pytest.approx(9.0, abs=1e-4)  # without a look for jumps 0.03 were lost
    assert [told.text for told in sim.explain().branches] == ["PUSH(self.way)"]
