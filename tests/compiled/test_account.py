"""What `sim.explain()` tells."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pytest

import eventide as ev


class Source(ev.Continuous):
    strength: ev.Computed = ev.computed()
    level: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.strength = 2.0 * self.level
        self.rate.level = -self.level


class Sink(ev.Continuous):
    source: Source
    total: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.total = self.source.strength

    @ev.when(lambda self: self.total > 1.0)
    def fill(self) -> None:
        self.total = 0.0


class Odd(ev.Continuous):
    x: ev.State = ev.state(0.0)
    table: dict[str, float] = ev.field(default_factory=dict)

    def equations(self) -> None:
        self.rate.x = self.table.get("k", 1.0)


def wait(condition: Any) -> ev.ProcessGenerator:
    yield ev.until(condition)


def line_of(cls: type, text: str) -> int:
    lines, first = inspect.getsourcelines(cls)
    return first + next(k for k, line in enumerate(lines) if text in line)


def test_laws_in_order_with_what_they_wait_for() -> None:
    sim = ev.Simulation()
    source = Source(sim, name="source")
    early, late = Sink(sim, name="early", source=source), Sink(sim, name="late", source=source)
    early.start()
    source.start()
    late.start()
    account = sim.explain()
    assert [(law.name, law.is_compiled, law.flow) for law in account.laws] == [
        ("source.equations", True, 1),
        ("early.equations", True, 1),
        ("late.equations", True, 1),
    ]
    assert [law.waits for law in account.laws] == [(), (("source.strength", "source.equations"),), ()]
    assert "    stands behind source.equations, which sets source.strength" in str(account).splitlines()


class Supply(ev.Continuous):
    load: ev.Summed = ev.summed()
    price: ev.Computed = ev.computed()
    grid: ev.ComputedVector = ev.computed_vector(size=4)
    level: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.level = -self.load


class Consumer(ev.Continuous):
    supply: Supply

    def contributions(self) -> None:
        self.supply.load += 1.0


class Meter(ev.Continuous):
    supply: Supply
    asked: ev.Computed = ev.computed()

    def contributions(self) -> None:
        self.asked = self.supply.load


class Reset(ev.Continuous):
    supply: Supply

    def contributions(self) -> None:
        self.supply.load = 5.0


class Tariff(ev.Continuous):
    supply: Supply
    slope: ev.Computed = ev.computed()

    def contributions(self) -> None:
        self.supply.price = 2.0
        self.supply.grid[0:2] = 1.0

    def equations(self) -> None:
        self.slope = self.supply.rate.level
        self.supply.price = 3.0
        self.supply.grid[1:3] = 1.0


class Far(ev.Continuous):
    supply: Supply

    def equations(self) -> None:
        self.supply.grid[3] = 1.0


def test_what_is_waited_for_or_overwritten_is_told() -> None:
    sim = ev.Simulation()
    supply = Supply(sim, name="supply")
    for cls, name in (
        (Consumer, "one"),
        (Meter, "meter"),
        (Consumer, "two"),
        (Reset, "reset"),
        (Far, "far"),
        (Tariff, "tariff"),
    ):
        cls(sim, name=name, supply=supply).start()
    supply.start()
    account = sim.explain()
    assert {law.name: (law.waits, law.overwrites) for law in account.laws if law.waits or law.overwrites} == {
        "meter.contributions": (
            (("supply.load", "two.contributions"), ("supply.load", "reset.contributions")),
            (),
        ),
        "reset.contributions": ((), (("supply.load", "one.contributions"), ("supply.load", "two.contributions"))),
        "tariff.equations": (
            (("supply.rate.level", "supply.equations"),),
            (("supply.grid", "tariff.contributions"), ("supply.price", "tariff.contributions")),
        ),
    }
    lines = str(account).splitlines()
    assert "    stands behind supply.equations, which sets supply.rate.level" in lines
    assert "    overwrites supply.load, which two.contributions has written" in lines


@pytest.mark.parametrize("over", [True, False])
def test_a_wait_that_is_over_is_not_told(over: bool) -> None:
    sim = ev.Simulation(rng=1)
    source = Source(sim, name="source").start()

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: source.level < 0.5)
        yield ev.hold(10.0)

    sim.process(waiter(), name="waiter")
    sim.run(until=1.0 if over else 0.5)
    assert [note.name for note in sim.explain().conditions] == ([] if over else ["waiter"])


def test_flows_and_what_joins_them() -> None:
    sim = ev.Simulation()
    one, two, three = (Source(sim, name=name).start() for name in ("one", "two", "three"))
    Sink(sim, name="sink", source=two).start()
    sim.process(wait(lambda: sim.time > 5.0), name="timer")
    sim.process(wait(lambda: one.level + three.level < 0.1), name="both")
    sim.run(until=0.5)
    account = sim.explain()
    assert not account.together
    assert [(set(flow.members), flow.joined_by) for flow in account.flows] == [
        ({"one", "three"}, ("both",)),
        ({"two", "sink"}, ("sink",)),
        (set(), ()),
    ]
    numbers = {flow.members[:1]: flow.number for flow in account.flows}
    assert {item.name: item.flow for item in account.conditions} == {
        "sink.fill": numbers["two",],
        "both": numbers["one",],
        "timer": numbers[()],
    }
    assert all(item.is_compiled for item in account.conditions)
    assert "the clock" in str(account)
    assert [bond.members for flow in account.flows for bond in flow.bonds] == [("one", "three"), ("sink", "two")]
    assert "    joined by sink, which touches all" in str(account).splitlines()


@pytest.mark.parametrize("compiled", ["auto", False])
def test_what_to_do_about_conditions_that_are_only_tested_is_told_once(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    source = Source(sim, name="source").start()
    sim.process(wait(lambda: source.level > 1e9))
    queue = ev.Queue(sim)
    sim.process(wait(lambda: len(queue) > 3))
    sim.run(until=0.1)
    assert [note.kind for note in sim.explain().conditions] == ["certified", "opaque"]
    assert "may be missed" not in str(sim.explain())
    for divisor in (2.0, 3.0):
        sim.process(wait(lambda divisor=divisor: math.erf(source.level / divisor) > 1e9))
    sim.run(until=0.2)
    assert [note.kind for note in sim.explain().conditions] == ["certified", "opaque", "sampled", "sampled"]
    (advice,) = [line for line in str(sim.explain()).splitlines() if "may be missed" in line]
    assert advice.endswith("by == of what moves smoothly; or set sim.dt_max to a time for which it stays true")


def test_what_is_not_compiled_is_told_with_its_line() -> None:
    sim = ev.Simulation()
    Source(sim, name="source").start()
    Odd(sim, name="odd").start()
    limits = {"x": 2.0}
    sim.process(wait(lambda: limits.get("x", 2.0) < 1.0), name="waiter")
    sim.run(until=0.5)
    account = sim.explain()
    assert not account.together
    laws = {law.name: law for law in account.laws}
    assert laws["source.equations"].is_compiled
    refusal = laws["odd.equations"].refusal
    assert refusal is not None
    assert (refusal.file, refusal.line) == (__file__, line_of(Odd, "table.get"))
    assert len(account.conditions) == 1
    assert not account.conditions[0].is_compiled
    assert account.conditions[0].refusal is not None
    lines = str(account).splitlines()
    assert f"  odd.equations: Python, because of {refusal}, flow 2" in lines
    assert "flows: what steps together" in lines


def test_a_plain_run_says_so() -> None:
    sim = ev.Simulation(compile=False)
    Source(sim, name="source").start()
    Odd(sim, name="odd").start()
    account = sim.explain()
    assert (account.compiles, account.together, len(account.laws)) == (False, False, 2)
    lines = str(account).splitlines()
    assert "  source.equations: Python, as compile=False says, flow 1" in lines
    refusal = account.laws[1].refusal
    assert refusal is not None
    assert f"  odd.equations: Python, as compile=False says and because of {refusal}, flow 2" in lines


def test_a_plain_run_tells_what_joins_its_flows() -> None:
    told = []
    for compiled in (False, "auto"):
        sim = ev.Simulation(compile=compiled)
        Sink(sim, name="sink", source=Source(sim, name="source").start()).start()
        Source(sim, name="other").start()
        told.append(sim.explain().flows)
    assert told[0] == told[1]
    assert len(told[0]) == 2


@pytest.mark.parametrize("compiled", ["auto", False])
def test_asking_changes_nothing(compiled: Any) -> None:
    def go(*, asks: bool) -> tuple[Any, ...]:
        sim = ev.Simulation(compile=compiled)
        sink = Sink(sim, source=Source(sim).start()).start()
        for until in (0.5, 1.0, 3.0):
            if asks:
                sim.explain()
            sim.run(until=until)
        return sink.total, sim.monitor.steps, sim.events, sim._continuum.evaluations

    assert go(asks=True) == go(asks=False)


def test_without_anything_that_moves_there_is_nothing_to_tell() -> None:
    account = ev.Simulation().explain()
    assert (account.laws, account.conditions, account.flows) == ((), (), ())


def test_compile_true_says_whose_law_cannot_be_compiled_and_what_to_do() -> None:
    sim = ev.Simulation(compile=True)
    Odd(sim, name="odd").start()
    with pytest.raises(ev.ModelError, match=r"self\.table") as caught:
        sim.run(until=1.0)
    assert caught.value.__notes__ == [
        'compile=True asks for native code; with compile="auto" equations of odd would run as Python, slower'
    ]


def test_compile_true_says_whose_condition_cannot_be_compiled() -> None:
    limits = {"x": 2.0}
    sim = ev.Simulation(compile=True)
    Source(sim).start()
    sim.process(wait(lambda: limits.get("x", 2.0) < 1.0), name="waiter")
    with pytest.raises(ev.ModelError, match="limits") as caught:
        sim.run(until=1.0)
    assert caught.value.__notes__ == [
        'compile=True asks for native code; with compile="auto" the condition of waiter would run as Python, slower'
    ]


def test_an_account_of_a_model_without_equations_has_no_empty_parts() -> None:
    sim = ev.Simulation()
    assert str(sim.explain()) == "no equations, conditions or handlers, and no native processes"


class Half(ev.Continuous):
    """A law that moves some states; the others are set by events, or forgotten."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(0.0)
    kept: ev.State = ev.state(0.0, assigned=True)
    u: ev.StateVector = ev.state_vector(0.0, size=2)

    def equations(self) -> None:
        self.rate.x = self.rate.u[0] = 1.0
        self.kept = 2.0


@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_state_that_no_law_moves_is_told(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    half, loose = Half(sim, name="half").start(), ev.Variable(sim, 1.0, name="loose").start()
    assert sim.explain().constant == ("half.y", "half.u[1]", "loose")
    assert str(sim.explain()).splitlines()[-1] == (
        "no law sets the rate of half.y, half.u[1], loose: only events change it"
    )
    ev.law(sim, lambda: loose.set_rate(half.x)).start()
    assert sim.explain().constant == ("half.y", "half.u[1]")
