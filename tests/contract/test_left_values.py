"""Promise 7, for who reads: what an event finds is what stood before it, whatever it has changed already.

y' = -k y with k = 1 up to 1, where an event lets k be 0: y is exp(-1) from then on. What laws compute is k, and still 1
for the event that has changed it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from types import SimpleNamespace
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]
Change = tuple["Decay", Callable[[], Any]]

METHODS = [ev.methods.DOP853, ev.methods.ENGLAND, ev.methods.RADAU]
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


class Decay(ev.Continuous):
    y: ev.State = ev.state(1.0)
    k: float = 1.0
    factor: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.factor = self.k
        self.rate.y = -self.factor * self.y


class Holder(ev.Continuous):
    """Of a number that stands still, and a state that does so as it is never started."""

    k: float = 1.0
    level: ev.State = ev.state(1.0)


class ByHolder(Decay):
    holder: Any = None

    def equations(self) -> None:
        self.factor = self.holder.k
        self.rate.y = -self.factor * self.y


class ByLevel(Decay):
    holder: Holder

    def equations(self) -> None:
        self.factor = self.holder.level
        self.rate.y = -self.factor * self.y


class ByLength(Decay):
    items: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.factor = float(len(self.items))
        self.rate.y = -self.factor * self.y


class BySum(Decay):
    items: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.factor = sum(sorted(self.items))
        self.rate.y = -self.factor * self.y


class ByLargeWholeNumbers(Decay):
    """19 ** 13 is beyond 2 ** 53: native code leaves the law to Python each time."""

    n: int = 19
    items: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.factor = (self.n**13 % 11 - 6) + sum(one.k for one in self.items)
        self.rate.y = -self.factor * self.y


def a_number(sim: ev.Simulation) -> Change:
    decay = Decay(sim)
    return decay, lambda: setattr(decay, "k", 0.0)


def a_number_of_another(sim: ev.Simulation) -> Change:
    holder = Holder(sim)
    return ByHolder(sim, holder=holder), lambda: setattr(holder, "k", 0.0)


def a_reference(sim: ev.Simulation) -> Change:
    decay, other = ByHolder(sim, holder=Holder(sim)), Holder(sim, k=0.0)
    return decay, lambda: setattr(decay, "holder", other)


def a_state_that_stands_still(sim: ev.Simulation) -> Change:
    holder = Holder(sim)
    return ByLevel(sim, holder=holder), lambda: setattr(holder, "level", 0.0)


def a_plain_object(sim: ev.Simulation) -> Change:
    holder = SimpleNamespace(k=1.0)
    return ByHolder(sim, holder=holder), lambda: setattr(holder, "k", 0.0)


def a_list_of_which_the_length_counts(sim: ev.Simulation) -> Change:
    items = [sim]
    return ByLength(sim, items=items), items.clear


def a_list(sim: ev.Simulation) -> Change:
    items = [1.0]
    return BySum(sim, items=items), items.clear


def a_list_that_native_code_leaves_to_python(sim: ev.Simulation) -> Change:
    items = [Holder(sim)]
    return ByLargeWholeNumbers(sim, items=items), items.clear


CHANGES = [
    a_number,
    a_number_of_another,
    a_reference,
    a_state_that_stands_still,
    a_plain_object,
    a_list_of_which_the_length_counts,
    a_list,
    a_list_that_native_code_leaves_to_python,
]


class Alarm(ev.Continuous):
    """Its state events change what another flow depends on."""

    change: Any
    s: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.s = 1.0

    @ev.when(lambda self: self.s >= 1.0)
    def ring(self) -> None:
        self.change()


@each_method
@pytest.mark.parametrize("by", ["time event", "state event"])
@pytest.mark.parametrize("kind", CHANGES)
def test_what_an_event_reads_does_not_depend_on_what_it_has_changed(
    simulate: Simulate, method: Any, by: str, kind: Callable[[ev.Simulation], Change]
) -> None:
    sim = simulate(rel_error=1e-9, abs_error=1e-9)
    sim.method = method
    decay, change = kind(sim)
    decay.start()
    log: list[float] = []

    def event() -> None:
        change()
        log.append(decay.factor)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        event()

    if by == "time event":
        sim.process(story())
    else:
        Alarm(sim, change=event).start()
    sim.run(until=2.0)
    assert (log, decay.factor) == ([1.0], 0.0)
    assert decay.y == pytest.approx(exp(-1.0), rel=1e-8)


class Saw(ev.Continuous):
    """Changes another's number once a second; from the 17th time on as native code."""

    decay: Decay
    s: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.s = 1.0

    @ev.when(lambda self: self.s >= 1.0)
    def cut(self) -> None:
        self.s -= 1.0
        self.decay.k = 0.1 - self.decay.k


class Waiter(ev.Process):
    """The same as a process."""

    decay: Decay
    saw: Decay

    def run(self) -> ev.ProcessGenerator:
        saw, decay = self.saw, self.decay
        while True:
            yield ev.until(lambda: saw.y <= 0.5)
            saw.y = 1.0
            decay.k = 0.1 - decay.k


@pytest.mark.parametrize("method", METHODS[:2], ids=lambda method: method.name)
@pytest.mark.parametrize("by", ["handler", "process"])
def test_native_code_that_writes_a_number_leaves_behind_what_it_has_been(
    simulate: Simulate, method: Any, by: str
) -> None:
    """Decay is at 0.1 and 0 in turn, for a second each."""
    sim = simulate(rel_error=1e-9, abs_error=1e-9)
    sim.method = method
    decay, period = Decay(sim, k=0.1).start(), 1.0
    if by == "handler":
        Saw(sim, decay=decay).start()
    else:
        period = 0.6931471805599453
        Waiter(sim, decay=decay, saw=Decay(sim).start()).activate()
    sim.run(until=24.25 * period)
    assert decay.y == pytest.approx(exp(-0.1 * 12.25 * period), rel=2e-7)


SHARE = 1.0
"""A law reads it; events change it."""


class Swing(ev.Continuous):
    """Its law is executed in Python, and looks for a global; its condition is native and tested at samples."""

    x: ev.State = ev.state(0.0)
    v: ev.State = ev.state(1.0)
    k: float = 1.0
    share: ev.Computed = ev.computed()
    height: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = -self.x
        self.height = self.x
        self.share = eval("SHARE")  # noqa: S307  # code that cannot be read

    @ev.when(lambda self: self.height > 0.3)
    def passes(self) -> None:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("compile_", ["auto", False])
def test_what_a_law_in_python_has_computed_stays_though_a_condition_is_tested_again_where_the_step_is_cut(
    compile_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SHARE", 1.0)
    sim = ev.Simulation(method="dop853", compile=compile_)
    swing = Swing(sim).start()
    read = []

    def changes() -> ev.ProcessGenerator:
        for number in range(60):
            yield ev.hold(0.0503)
            before = swing.share
            globals()["SHARE"] = float(number)
            swing.k = 1.0
            swing.x += 0.0
            read.append((before, swing.share))

    sim.process(changes())
    sim.run(until=3.1)
    assert read == [(share, share) for share in (1.0, *map(float, range(59)))]
