"""Slips of those who are new to it: each is told where it stands, with what was asked, what was got and what to do."""

from __future__ import annotations

import datetime as dt
import linecache
import math
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    inflow: float = 1.0

    def equations(self) -> None:
        self.rate.level = self.inflow


class Row(ev.Continuous):
    u: ev.StateVector = ev.state_vector(0.0, size=3)

    def equations(self) -> None:
        self.rate.u[:] = 1.0


class Way(Enum):
    UP = 1


class Hasty(ev.Continuous):
    shelf: ev.Store

    @ev.when(lambda self: self.sim.time > 2.0)
    def fill(self) -> None:
        self.shelf.put(1)


def give(shelf: ev.Store) -> None:
    shelf.put(1)


class Delivery(ev.Process):
    shelf: ev.Store

    def give(self) -> None:
        self.shelf.put(1)

    def give_more(self, count: int) -> None:
        if count:
            self.give()
            self.give_more(count - 1)

    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        self.give_more(2)


class Ageing(ev.Process):
    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)


Told = tuple[Callable[[ev.Simulation], Any], type[Exception], str]


def yielding(make: Callable[[ev.Simulation], Any]) -> Callable[[ev.Simulation], None]:
    """A run of one process that yields what is made."""

    def run(sim: ev.Simulation) -> None:
        def story() -> ev.ProcessGenerator:
            yield make(sim)

        sim.process(story(), name="who")
        sim.run(until=5.0)

    return run


def declaring(text: str, base: type = Tank) -> Callable[[ev.Simulation], Any]:
    """The making of a class T with this body, its start, and a run."""

    def run(sim: ev.Simulation) -> None:
        names = {"ev": ev, "Base": base, "np": np, "__name__": __name__}
        exec(f"class T(Base):\n    {text}", names)  # noqa: S102  # a text above
        names["T"](sim).start()
        sim.run(until=5.0)

    return run


def telling(body: str) -> Callable[[ev.Simulation], None]:
    """A run of a process of which this is the story."""

    def run(sim: ev.Simulation) -> None:
        lines = "\n".join(f"    {line}" for line in body.split("; "))
        text, name = f"def story(sim, tank, store):\n{lines}\n", f"<{body}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        known: dict[str, Any] = {"ev": ev, "give": give}
        exec(compile(text, name, "exec"), known)  # noqa: S102  # a text above
        sim.process(known["story"](sim, Tank(sim).start(), ev.Store(sim)), name="who")
        sim.run(until=5.0)

    return run


def never(sim: ev.Simulation) -> Any:
    """A condition that forgets its return."""
    tank = Tank(sim).start()

    def is_full() -> None:
        tank.level > 3.0  # noqa: B015  # the slip

    return ev.until(is_full)


COMMANDS: dict[str, Told] = {
    "hold NaN": (yielding(lambda sim: ev.hold(math.nan)), ev.ModelError, "hold got NaN: a duration must be a number"),
    "hold a timedelta": (
        yielding(lambda sim: ev.hold(dt.timedelta(seconds=3))),
        TypeError,
        "hold takes a number of time units, and got datetime.timedelta(seconds=3)",
    ),
    "hold a text": (yielding(lambda sim: ev.hold("3")), TypeError, "hold takes a number of time units, and got '3'"),
    "hold an array": (
        yielding(lambda sim: ev.hold(np.array([1.0, 2.0]))),
        TypeError,
        "hold takes a number of time units, and got array([1., 2.])",
    ),
    "a condition without until": (
        yielding(lambda sim: ev.first_of(full=lambda: True, late=ev.hold(1.0))),
        TypeError,
        ": write full=until(...) to wait until a condition is true",
    ),
    "yield nothing": (
        yielding(lambda sim: None),
        ev.ModelError,
        "who yielded None, which is not a command: yield a number",
    ),
    "yield a list": (
        yielding(lambda sim: [ev.hold(1.0)]),
        ev.ModelError,
        "which is not a command: yield one command after the other, or several at once as all_of(name=..., ...)",
    ),
    "yield a function": (yielding(lambda sim: lambda: True), ev.ModelError, "not a command: write `yield until(...)`"),
    "yield a component": (
        yielding(Tank),
        ev.ModelError,
        "who yielded <Tank 1: level = 1, not started>, which is not a command: yield a number",
    ),
    "a truth for a condition": (
        yielding(lambda sim: ev.until(Tank(sim).level > 3.0)),
        TypeError,
        "until takes a condition to call, and got False: write `until(lambda: ...)`",
    ),
    "a condition that answers nothing": (
        yielding(never),
        ev.ModelError,
        "returns nothing, so it is never true: write `return ...`",
    ),
    "a condition that takes something": (
        yielding(lambda sim: ev.until(lambda t: t > 3.0)),
        TypeError,
        "missing 1 required positional argument: 't'",
    ),
    "a priority that is a text": (
        yielding(lambda sim: ev.until(lambda: sim.time > 1.0, priority="high")),
        TypeError,
        "the priority of the until of who is a number, high first, and got 'high'",
    ),
    "a crossing of a condition": (
        yielding(lambda sim: ev.until(ev.crosses(lambda: sim.time > 3.0 and not sim.active))),
        TypeError,
        " gives True or False: write the condition itself, as `until(lambda: ...)` or `@when(lambda self: ...)`, or",
    ),
    "a priority of a request that is digits": (
        yielding(lambda sim: ev.Resource(sim).request(priority="3")),
        TypeError,
        "a priority at Resource 1 is a number, high first, and got '3'",
    ),
    "a run of no number": (
        lambda sim: ev.Simulation(replication=-1),
        ev.ModelError,
        "replication= takes the number of a run, from 0 on, and got -1",
    ),
    "a request's priority": (
        yielding(lambda sim: ev.Resource(sim).request(priority="high")),
        TypeError,
        "a priority at Resource 1 is a number, high first, and got 'high'",
    ),
    "a run inside the run": (yielding(lambda sim: sim.run()), ev.ModelError, "run() was called from inside the run"),
    "a release of what is not held": (
        yielding(lambda sim: ev.Resource(sim).request().release()),
        ev.ModelError,
        "release() of a request of Resource 1 that is new: only one that was granted has something to give back",
    ),
    "a rate set by an event": (
        yielding(lambda sim: setattr(Tank(sim).start().rate, "level", 3.0)),
        AttributeError,
        "level cannot be set here: rates are written by equations",
    ),
    "an outcome of another name": (
        telling("got = yield ev.first_of(served=store.get(), gone=ev.hold(1.0)); assert got.name != 'serviced'"),
        ev.ModelError,
        "and its first_of gives 'served' or 'gone': did you mean 'served'?",
    ),
    "an outcome among other names": (
        telling(
            "got = yield ev.first_of(a=ev.hold(1.0)); got = yield ev.first_of(b=ev.hold(1.0)); got.name in ('a', 'c')"
        ),
        ev.ModelError,
        "got.name in ('a', 'c')>:4, and its first_of gives 'a' or 'b'",
    ),
    "an outcome for its name": (
        telling("got = yield ev.first_of(a=ev.hold(1.0)); assert got == 'a'"),
        ev.ModelError,
        "and it is no text: write `got.name == 'a'`",
    ),
    "a forgotten yield": (
        telling("ev.hold(1.0); yield 1.0"),
        ev.ModelError,
        "ev.hold(1.0) at <ev.hold(1.0); yield 1.0>:2 makes a command and drops it: write `yield ev.hold(1.0)`",
    ),
    "a forgotten yield in a function that is given the store": (
        telling("give(store); yield 1.0"),
        ev.ModelError,
        "makes a command and drops it, as give() does not wait: make it a generator with `yield shelf.put(1)`, and",
    ),
    "a command with a name that nobody reads": (
        telling("item = store.get(); yield 1.0"),
        ev.ModelError,
        "at <item = store.get(); yield 1.0>:2 makes a command and drops it: write `item = yield store.get()`",
    ),
}
CLASSES: dict[str, Told] = {
    "equations that return rates": (
        declaring("def equations(self): return [self.inflow, 0.0]"),
        ev.ModelError,
        "the equations of T 1 at <string>:2 return a value, which is never read: set the rates",
    ),
    "equations that return a number": (
        declaring("def equations(self): return 1.0"),
        ev.ModelError,
        "return a value, which is never read: set the rates, as `self.rate.level = ...`",
    ),
    "equations under another name": (
        declaring("level: ev.State = ev.state(1.0)\n    def equation(self): self.rate.level = 1.0", ev.Continuous),
        TypeError,
        "T.equation would never be called: write `def equations(self)`",
    ),
    "equations of the time": (
        declaring("def equations(self, t): self.rate.level = t"),
        TypeError,
        "equations takes nothing but self: the time is self.sim.time, states are attributes, inputs are fields",
    ),
    "a rate of another name": (
        declaring("def equations(self): self.rate.levle = 1.0"),
        AttributeError,
        "'Rates' object has no attribute 'levle'",
    ),
    "a state without an annotation": (
        declaring("depth = ev.state(1.0)"),
        TypeError,
        "T.depth has no annotation: write `depth: ev.State = ...`",
    ),
    "a state annotated as a number": (
        declaring("depth: float = ev.state(1.0)"),
        TypeError,
        "T.depth is annotated as float but its value declares a state: write `depth: ev.State = ...`",
    ),
    "a state that begins with a list": (
        declaring("depth: ev.State = ev.state([1.0, 2.0])"),
        TypeError,
        "takes a number, and got [1.0, 2.0]: several are declared as `depth: ev.StateVector = ev.state_vector(...)`",
    ),
    "a vector that begins as a state": (
        declaring("depth: ev.StateVector = ev.state([1.0, 2.0])"),
        TypeError,
        "write `depth: ev.State = ...`, or `depth: ev.StateVector = ev.state_vector(size=...)`",
    ),
    "a vector of no size": (
        declaring("depth: ev.StateVector = ev.state_vector(1.0)"),
        TypeError,
        "state_vector takes a sequence of values, or size=, and got 1.0 alone",
    ),
    "a list for all objects": (
        declaring("parts: list = []"),
        TypeError,
        "T.parts would share one list among all its objects: write `ev.field(default_factory=list)`",
    ),
    "a list for all objects in a field": (
        declaring("parts: list = ev.field(default=[1, 2])"),
        TypeError,
        "T.parts would share one list among all its objects: write `ev.field(default_factory=lambda: [1, 2])`",
    ),
    "a name of eventide's own": (
        declaring("active: bool = True", ev.Continuous),
        TypeError,
        "T declares active, which eventide itself uses in Continuous: choose other names",
    ),
    "a sum that is set": (
        declaring("total: ev.Summed = ev.summed()\n    def contributions(self): self.total = 1.0"),
        ev.ModelError,
        "T 1.contributions sets T 1.total, and what others have added to this sum would be lost: write `+=`",
    ),
    "a command of a handler": (
        lambda sim: (Hasty(sim, shelf=ev.Store(sim)).start(), sim.run(until=1.0)),
        ev.ModelError,
        "and the handler Hasty.fill cannot wait: let it begin a process that does `yield self.shelf.put(1)`",
    ),
    "a period that is a method": (
        declaring("@ev.every\n    def fill(self): pass"),
        TypeError,
        "every takes a period: write `@ev.every(0.1)`, or `@ev.every(hz=10)`, above the method",
    ),
    "a handler that waits": (
        declaring("@ev.when(lambda self: self.level > 2.0)\n    def fill(self): yield 1.0"),
        TypeError,
        "@when: the handler T.fill yields, and a handler cannot wait: let it activate a process",
    ),
    "a handler without a condition": (
        declaring("@ev.when\n    def fill(self): pass"),
        TypeError,
        "T.fill is a decorator above no function: write `@ev.when(lambda self: ...)` or `@ev.every(...)`, and",
    ),
    "a handler of a truth": (
        declaring("@ev.when(True)\n    def fill(self): pass"),
        TypeError,
        "when takes a condition to call with the component, and got True: write `lambda self: ...`",
    ),
    "a handler's condition of nothing": (
        declaring("@ev.when(lambda: True)\n    def fill(self): pass"),
        TypeError,
        "when takes a condition to call with the component, and lambda at <string>:2 takes nothing: write `lambda self",
    ),
    "a handler's condition that answers nothing": (
        declaring("def is_full(self): self.level > 2.0\n    @ev.when(is_full)\n    def fill(self): pass"),
        ev.ModelError,
        "the condition of T 1 at <string>:2 returns nothing, so it is never true: write `return ...`",
    ),
    "a handler's priority": (
        declaring("@ev.when(lambda self: self.level > 2.0, priority='high')\n    def fill(self): pass"),
        TypeError,
        "the priority of @ev.when is a number, high first, and got 'high'",
    ),
    "a vector of another length": (
        lambda sim: Row(sim, u=[1.0, 2.0]),
        ValueError,
        "Row 1.u takes one number for all or 3, and got an array of the shape (2,)",
    ),
    "a vector's rates of another length": (
        declaring("def equations(self): self.rate.u[:] = np.ones(4)", Row),
        ValueError,
        "could not broadcast input array from shape (4,) into shape (3,)",
    ),
}
OBJECTS: dict[str, Told] = {
    "a parameter that is not a number": (
        lambda sim: (Tank(sim, inflow=math.nan).start(), sim.run(until=1.0)),
        ev.SimulationError,
        "The rate of Tank 1.level is nan where the step begins: look in its equation for a division by 0",
    ),
    "a parameter that an event makes none": (
        lambda sim: (
            tank := Tank(sim).start(),
            sim.run(until=1.0),
            setattr(tank, "inflow", math.nan),
            sim.run(until=2.0),
        ),
        ev.SimulationError,
        "for a division by 0, or for a parameter or state that is not finite: Tank 1.inflow is nan.",
    ),
    "a state that is not a number": (
        lambda sim: (Tank(sim, level=math.nan).start(), sim.run(until=1.0)),
        ev.SimulationError,
        "Tank 1.level is nan where the step begins: a state is a finite number",
    ),
    "a state that is a text": (
        lambda sim: Tank(sim, level="1"),
        TypeError,
        "Tank.level is a state and takes a number, and got '1'",
    ),
    "a component's priority": (
        lambda sim: Tank(sim).start().set_priority("high"),
        TypeError,
        "the priority of Tank 1 is a number, high first, and got 'high'",
    ),
    "a command of a function that a process calls": (
        lambda sim: (Delivery(sim, shelf=ev.Store(sim)).activate(), sim.run()),
        ev.ModelError,
        "as self.give() does not wait: make it a generator with `yield self.shelf.put(1)`, and call it by `yield from`",
    ),
    "a put before the run": (
        lambda sim: give(ev.Store(sim, name="shelf")),
        ev.ModelError,
        "is a command, and nobody carries it out before a run: let a process yield it; what is there from the start is",
    ),
    "a field of another name": (
        lambda sim: Tank(sim, inflw=2.0),
        TypeError,
        "Tank(sim, ...) takes no inflw=: did you mean inflow=? It takes level=, inflow=, name=",
    ),
    "a field without its name": (
        lambda sim: Tank(sim, 2.0),
        TypeError,
        "Tank(sim, ...) takes level=, inflow=, name= by name, and got 2.0 without one",
    ),
    "no simulation": (
        lambda sim: Tank(3.0),
        TypeError,
        "Tank(...) takes the simulation first, and got 3.0: write Tank(",
    ),
    "a tolerance that is a text": (
        lambda sim: Tank(ev.Simulation(rel_error="1e-3")),
        ev.ModelError,
        "tolerances are numbers from 0 on, and got rel_error '1e-3', abs_error 1e-09",
    ),
    "a way to compile that is none": (
        lambda sim: ev.Simulation(compile="yes"),
        ev.ModelError,
        "compile= takes \"auto\", True or False, and got 'yes'",
    ),
    "a unit of time that is a number": (
        lambda sim: ev.Simulation(time_unit=60),
        TypeError,
        'time_unit= takes the name of a unit, as "s", and got 60',
    ),
    "a longest step below zero": (
        lambda sim: Tank(ev.Simulation(dt_max=-1.0)).start().sim.run(until=1.0),
        ev.SimulationError,
        "dt_min is 0.0 and dt_max -1.0",
    ),
    "a longest step of zero": (
        lambda sim: Tank(ev.Simulation(dt_max=0.0)).start().sim.run(until=1.0),
        ev.SimulationError,
        "dt_max is 0, and no step is as short as that",
    ),
    "a level that is a text": (lambda sim: sim.level().set("1"), TypeError, "Level.set takes a number, and got '1'"),
    "a capacity below zero": (
        lambda sim: ev.Resource(sim, -1),
        ev.ModelError,
        "the capacity of Resource 1 is a whole number of units, 0 or more, and got -1",
    ),
    "a capacity of one and a half": (
        lambda sim: ev.Resource(sim, 1.5),
        ev.ModelError,
        "the capacity of Resource 1 is a whole number of units, 0 or more, and got 1.5",
    ),
    "a process that is not called": (
        lambda sim: sim.process(lambda: 3),
        TypeError,
        "call a function that yields, as f(sim)",
    ),
    "a process that is a class": (
        lambda sim: sim.process(Ageing),
        TypeError,
        "sim.process takes a generator, and got the class Ageing: write Ageing(sim, ...).activate()",
    ),
    "a process for a generator": (
        lambda sim: sim.process(Ageing(sim)),
        TypeError,
        "sim.process takes a generator, and got <Ageing 1>, which is a process: let it `activate()`",
    ),
    "a run to the past": (
        lambda sim: (sim.run(until=5.0), sim.run(until=3.0)),
        ev.ModelError,
        "run(until=3.0) lies in the past: the time is 5.0",
    ),
    "a run to a text": (
        lambda sim: sim.run(until="5"),
        TypeError,
        "run(until=...) takes a number of time units, and got '5'",
    ),
    "two of one name": (
        lambda sim: sim.record(Tank(sim, name="a"), Tank(sim, name="a")),
        ev.ModelError,
        "two recorded columns are called a.level: give the components names of their own",
    ),
    "a recording of a number": (
        lambda sim: sim.record(Tank(sim).level),
        ev.ModelError,
        "there is nothing to record of 1.0: give a component with states",
    ),
    "a recording of every second": (
        lambda sim: sim.record(Tank(sim), every="1s"),
        ev.ModelError,
        'every= takes a period, "step" or "event", and got \'1s\'',
    ),
    "a recording of a mode": (
        lambda sim: (sim.record(mode=lambda: Way.UP), sim.run(until=1.0)),
        ev.ModelError,
        ": record whether it is one of its values, as is_on=lambda: machine.mode is Way.UP",
    ),
    "a limit by the word of the manual": (
        lambda sim: setattr(sim, "dtmax", 0.1),
        AttributeError,
        "a simulation has no 'dtmax': it is sim.dt_max here",
    ),
    "a diagram of a class": (
        lambda sim: ev.view.class_diagram(Tank),
        ev.InputError,
        "a class diagram is of modules, and got <class",
    ),
    "a column of another name": (
        lambda sim: sim.record(Tank(sim, name="a"))["level"],
        KeyError,
        "recording 1 has no column 'level'; it has: a.level",
    ),
    "a law that gives its rate": (
        lambda sim: ev.law(sim, lambda: -sim.time).start(),
        ev.ModelError,
        "return a value, which is never read: set the rates",
    ),
}
SLIPS = {**COMMANDS, **CLASSES, **OBJECTS}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_in_words(slip: str) -> None:
    make, kind, words = SLIPS[slip]
    with pytest.raises(kind, match=re.escape(words)):
        make(ev.Simulation(rng=1))


@pytest.mark.parametrize(
    "make",
    [
        lambda sim: sim.run() or sim.run(),
        lambda sim: Tank(sim).stop(),
        lambda sim: sim.record(Tank(sim)).to_pandas(),
        yielding(lambda sim: ev.hold(math.inf)),
        declaring("def equations(self): return super(type(self), self).equations()"),
        lambda sim: ev.law(sim, lambda: (Tank(sim), Tank(sim))).start(),
        telling("item = yield 1.0; yield 1.0"),
        declaring("@ev.when(lambda *all: all[0].level > 2.0)\n    def fill(self): pass"),
        declaring("def equation(self): return 1.0"),
        declaring("def equation(self): return 1.0", ev.Continuous),
        telling("command = store.put(1); yield command"),
        yielding(lambda sim: ev.until(ev.crosses(lambda: sim.time > 3.0, 0.5))),
        telling("global item; item = store.get(); yield 1.0"),
        telling("got = yield ev.first_of(a=ev.hold(1.0)); assert got.name == 'a' and got.value != 'b'"),
        telling("got = yield ev.first_of(**{'a': ev.hold(1.0)}); assert got.name != 'b'"),
        telling("got = tank; assert got.name != 'x'; got = yield ev.first_of(a=ev.hold(1.0)); assert got.name != 'b'"),
        telling("got = yield ev.first_of(a=ev.hold(1.0)); set_it = lambda: got; assert got.name != 'b'"),
    ],
    ids=[
        "a finished run again",
        "a stop of what was never started",
        "a recording before the run",
        "hold for ever",
        "equations of the class above",
        "two statements in one",
        "an answer that nobody reads",
        "a condition of whatever there is",
        "a method of its own",
        "a method of its own without states",
        "a command with a name",
        "a crossing of a condition between its values",
        "a command for others",
        "the value of an outcome",
        "outcomes with names of a dictionary",
        "a name of more than outcomes",
        "a name that other functions know",
    ],
)
def test_what_looks_like_a_slip_and_is_none(make: Callable[[ev.Simulation], Any]) -> None:
    make(ev.Simulation(rng=1))
