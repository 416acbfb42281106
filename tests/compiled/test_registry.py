"""Kernels are made once for a class and its company, and fit only what they were made for."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import weakref
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from compiled import formulas
from compiled.harness import Moment, index_row, new_registry, run_condition, run_law, set_clock, table_of
from compiled.test_laws import new_probe

import eventide as ev
from eventide.engine.stepper import R
from eventide.lowering import Access, CannotLower, compile_kernel, lower_condition, lower_law
from eventide.native.store import Store


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1650.0)
    load: list[Ingot] = ev.field(default_factory=list)

    def is_ready(self) -> bool:
        return any(ingot.temperature >= 2200.0 for ingot in self.load)


class Hotter(Furnace):
    extra: ev.State = ev.state(0.0)


class Plant:
    """Not a component: a plain object on the way."""

    def __init__(self, furnace: Furnace) -> None:
        self.furnace = furnace


class Ingot(ev.Continuous):
    furnace: Furnace
    plant: Plant | None = None
    temperature: ev.State = ev.state(400.0)
    coefficient: float = 0.15
    SCALE: ClassVar[float] = 1.0

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * self.SCALE * (self.furnace.temperature - self.temperature)

    def contributions(self) -> None:
        self.plant.furnace.rate.temperature -= self.temperature


class Slab(Ingot):
    def equations(self) -> None:
        super().equations()
        self.rate.temperature /= 2.0


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


@pytest.mark.slow
def test_a_thousand_objects_are_one_kernel(sim) -> None:
    registry, furnace = new_registry(), Furnace(sim)
    ingots = [Ingot(sim, furnace=furnace, temperature=400.0 + k) for k in range(1000)]
    bounds = [registry.law(ingot, Ingot.equations) for ingot in ingots]
    waits = [
        registry.condition(lambda ingot=ingot, k=k: ingot.temperature > 300.0 + 2 * k) for k, ingot in enumerate(ingots)
    ]
    assert (registry.lowered, registry.store.compiled) == (2, 2)
    run_law(bounds[0].kernel, [bound.binding for bound in bounds], table_of(sim))
    rates = [table_of(sim)[R, ingot._base] for ingot in ingots]
    assert rates == [0.15 * 1.0 * (1650.0 - (400.0 + k)) for k in range(1000)]
    assert [run_condition(wait, table_of(sim)).guide for wait in waits] == [100.0 - k for k in range(1000)]


def test_other_classes_are_other_kernels(sim) -> None:
    registry, cold, hot = new_registry(), Furnace(sim), Hotter(sim)
    for _ in range(3):
        for furnace in (cold, hot):
            for cls in (Ingot, Slab):
                registry.law(cls(sim, furnace=furnace), cls.equations)
    assert registry.lowered == 4
    assert len({id(registry.law(Ingot(sim, furnace=f), Ingot.equations).kernel) for f in (cold, hot)}) == 2


def test_super_is_the_class_above(sim) -> None:
    slab = Slab(sim, furnace=Furnace(sim), temperature=650.0)
    kernel, binding = new_registry().law(slab, Slab.equations)
    run_law(kernel, [binding], table_of(sim))
    assert table_of(sim)[R, slab._base] == 0.15 * 1.0 * 1000.0 / 2.0


def test_lists_are_told_by_their_items(sim) -> None:
    registry, furnace = new_registry(), Furnace(sim)
    empty = registry.condition(furnace.is_ready)
    assert run_condition(empty, table_of(sim))[:3] == (False, -1.0, 0.0)
    ingots = [Ingot(sim, furnace=furnace, temperature=2100.0 + 60 * k) for k in range(3)]
    furnace.load += ingots[:1]
    one = registry.condition(furnace.is_ready)
    furnace.load += ingots[1:]
    three = registry.condition(furnace.is_ready)
    assert one.kernel is three.kernel
    assert one.kernel is not empty.kernel
    assert [anchor.path for anchor in three.kernel.lowered.lists] == [("self", "load", "*")]
    assert (one.binding.lists, three.binding.lists) == (
        ((ingots[0]._base,),),
        (tuple(ingot._base for ingot in ingots),),
    )
    assert three.binding.items == (tuple(ingots),)
    assert [run_condition(bound, table_of(sim)).guide for bound in (one, three)] == [-100.0, 20.0]
    furnace.load.append(Slab(sim, furnace=furnace))
    with pytest.raises(CannotLower, match="the items are of several classes: Ingot and Slab"):
        registry.condition(furnace.is_ready)
    furnace.load.clear()
    assert registry.condition(furnace.is_ready).kernel is empty.kernel


LEVEL: Any = "high"


class Refused(ev.Continuous):
    """Its laws look at names that stand for what cannot be followed."""

    x: ev.State = ev.state(1.0)
    GAIN = "none"

    def equations(self) -> None:
        self.rate.x = LEVEL * self.x

    def contributions(self) -> None:
        self.rate.x += formulas.ABSENT

    def members(self) -> None:
        self.rate.x = Refused.GAIN


LAWS = [Refused.equations, Refused.contributions, Refused.members]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_what_is_refused_is_looked_at_once_for_all_simulations(law) -> None:
    registry = new_registry()
    for _ in range(3):
        registry.renew()
        with pytest.raises(CannotLower):
            registry.law(Refused(ev.Simulation()), law)
    assert (registry.refused, registry.lowered) == (1, 0)
    assert registry.knows("law", law.__code__)


@pytest.mark.slow
def test_what_was_refused_is_looked_at_again_where_a_name_stands_for_something_else(monkeypatch) -> None:
    registry = new_registry()
    for law in LAWS:
        with pytest.raises(CannotLower):
            registry.law(Refused(ev.Simulation()), law)
    monkeypatch.setitem(globals(), "LEVEL", 3.0)
    monkeypatch.setattr(formulas, "ABSENT", 4.0, raising=False)
    monkeypatch.setattr(Refused, "GAIN", 5.0)
    monkeypatch.setattr(Refused, "__annotations__", {"GAIN": ClassVar[float]})
    registry.renew()
    for law, rate in zip(LAWS, (3.0, 4.0, 5.0), strict=True):
        refused = Refused(ev.Simulation())
        kernel, binding = registry.law(refused, law)
        run_law(kernel, [binding], table_of(refused.sim))
        assert table_of(refused.sim)[R, refused._base] == rate
    assert (registry.refused, registry.lowered) == (3, 3)


@pytest.mark.slow
def test_of_classes_that_are_made_anew_few_refusals_are_kept() -> None:
    registry, gone = new_registry(), []
    for _ in range(20):

        class Local(Refused):
            pass

        registry.renew()
        with pytest.raises(CannotLower):
            registry.law(Local(ev.Simulation()), Refused.equations)
        gone.append(weakref.ref(Local))
    del Local
    registry.renew()
    gc.collect()
    assert (registry.refused, sum(cls() is not None for cls in gone)) == (20, 8)


def test_single_items_of_a_list_may_differ_in_class(sim) -> None:
    registry, hall = new_registry(), Furnace(sim, load=[Furnace(sim, temperature=5.0), Hotter(sim, temperature=7.0)])

    def test():
        return hall.load[0].temperature > hall.load[-1].temperature

    bound = registry.condition(test)
    assert [anchor.path for anchor in bound.kernel.lowered.blocks] == [
        ("hall", "load", "[0]"),
        ("hall", "load", "[-1]"),
    ]
    assert run_condition(bound, table_of(sim)).guide == -2.0
    hall.load.insert(0, Furnace(sim, temperature=9.0))
    again = registry.condition(test)
    assert again.kernel is bound.kernel
    assert run_condition(again, table_of(sim)).guide == 2.0
    hall.load[1:] = []
    assert registry.condition(test).kernel is not bound.kernel
    hall.load.clear()
    with pytest.raises(CannotLower, match="the list has 0 items now"):
        registry.condition(test)


def test_what_the_items_of_a_list_refer_to(sim) -> None:
    furnaces = [Furnace(sim, temperature=100.0), Furnace(sim, temperature=200.0)]
    hall = Furnace(sim, load=[Ingot(sim, furnace=furnace) for furnace in furnaces])

    def test(hall):
        return sum(ingot.furnace.temperature for ingot in hall.load) > 250.0

    bound = new_registry().condition(test, hall)
    assert [anchor.path for anchor in bound.kernel.lowered.lists] == [
        ("hall", "load", "*"),
        ("hall", "load", "*", "furnace"),
    ]
    assert bound.binding.items[1] == tuple(furnaces)
    assert run_condition(bound, table_of(sim)).guide == 50.0
    hall.load[1].furnace = Hotter(sim)
    with pytest.raises(CannotLower, match="the items of a list refer to objects of several classes"):
        lower_condition(test, hall)


def test_plain_objects_may_stand_on_the_way(sim) -> None:
    furnace = Furnace(sim)
    ingot = Ingot(sim, furnace=furnace, plant=Plant(furnace), temperature=500.0)
    lowered = lower_law(ingot, Ingot.contributions)
    assert [anchor.path for anchor in lowered.blocks] == [("self", "plant", "furnace"), ("self",)]
    assert lowered.references == ((("self",), "plant"), (("self", "plant"), "furnace"))
    kernel = compile_kernel(lowered, Store(None))
    binding = lowered.bind(Ingot.contributions, (ingot,))
    run_law(kernel, [binding], table_of(sim))
    assert table_of(sim)[R, furnace._base] == -500.0


def test_what_is_read_and_written(sim) -> None:
    probe = new_probe()

    def law(self):
        self.q = self.x * self.gain
        self.rate.x = self.q - self.last.y
        self.rate.y += self.rate.x
        self.house.rate.warmth = self.total
        self.x = self.sim.time
        if self.flag:
            self.y = self.x
        self.z = self.y
        for guest in self.guests:
            guest.rate.z += 1.0

    lowered = lower_law(probe, law)
    guests = ("self", "guests", "*")
    assert lowered.reads == (
        Access(("self",), "last", "y"),
        Access(("self",), "parameter", "flag"),
        Access(("self",), "parameter", "gain"),
        Access(("self",), "rate", "y"),
        Access(("self",), "state", "x"),
        Access(("self",), "state", "y"),
        Access(("self",), "sum", "total"),
        Access(guests, "rate", "z"),
    )
    assert lowered.writes == (
        Access(("self",), "computed", "q"),
        Access(("self",), "rate", "x"),
        Access(("self",), "rate", "y"),
        Access(("self",), "state", "x"),
        Access(("self",), "state", "y"),
        Access(("self",), "state", "z"),
        Access(guests, "rate", "z"),
        Access(("self", "house"), "rate", "warmth"),
    )
    assert [str(access) for access in lowered.writes[:2]] == ["self.q", "self.rate.x"]
    assert (lowered.reads_time, lowered.reads_step) == (True, False)


def test_what_a_branch_writes_is_not_surely_written(sim) -> None:
    probe = new_probe()

    def law(self):
        if self.flag:
            self.x = 1.0
        else:
            self.x = 2.0
            self.y = 3.0
        while self.gain > 2.0:
            self.z = 1.0
            break
        self.rate.x = self.x + self.y + self.z

    assert [str(access) for access in lower_law(probe, law).reads if access.row == "state"] == ["self.y", "self.z"]


# --- numbers that were taken as they stood


def test_numbers_a_condition_closes_over_are_told_to_the_kernel(sim) -> None:
    registry, furnace = new_registry(), Furnace(sim)

    def wait(limit, *, on):
        return registry.condition(lambda: (furnace.temperature > limit and on) or not on)

    bounds = [wait(limit, on=True) for limit in (1000.5, 1700.25)]
    assert [bound.binding.consts for bound in bounds] == [(1000.5, 1.0), (1700.25, 1.0)]
    assert bounds[0].kernel is bounds[1].kernel
    assert [run_condition(bound, table_of(sim)).guide for bound in bounds] == [649.5, -50.25]
    whole = wait(1000, on=True)
    assert whole.kernel is not bounds[0].kernel
    assert run_condition(whole, table_of(sim)).guide == 650.0
    assert run_condition(wait(1000, on=False), table_of(sim)).holds


def test_globals_are_looked_at_again_when_a_run_starts(sim, monkeypatch) -> None:
    registry, probe = new_registry(), new_probe()

    def law(self):
        self.rate.x = formulas.drag(1.0, 1.0)

    def rate() -> float:
        kernel, binding = registry.law(probe, law)
        run_law(kernel, [binding], table_of(probe.sim))
        return float(table_of(probe.sim)[R, probe._base])

    assert rate() == 0.602
    known = {constant.name: constant for constant in registry.law(probe, law).kernel.lowered.constants}
    density, drag, code = (known[name] for name in ("DENSITY", "drag", "__code__"))
    assert (code.where, code.name, code.value) == ("drag", "__code__", formulas.drag.__code__)
    assert (density.where, density.name, density.value) == ("compiled.formulas", "DENSITY", 1.204)
    assert drag.value is formulas.drag
    monkeypatch.setattr(formulas, "DENSITY", 2.0)
    assert not density.is_current
    registry.renew()
    assert rate() == 1.0
    monkeypatch.setattr(formulas, "drag", lambda speed, area: speed + 6.0)
    assert not drag.is_current
    registry.renew()
    assert rate() == 7.0


@pytest.mark.slow
def test_a_number_of_a_module_that_changes_often_is_told_to_one_kernel(monkeypatch) -> None:
    registry, probe, lowered = new_registry(), new_probe(), []

    def law(self):
        self.rate.x = formulas.DENSITY

    for number in range(12):
        density = 1.0 + number
        monkeypatch.setattr(formulas, "DENSITY", density)
        registry.renew(within_run=True)
        kernel, binding = registry.law(probe, law)
        run_law(kernel, [binding], table_of(probe.sim))
        assert table_of(probe.sim)[R, probe._base] == density
        lowered.append(registry.lowered)
    assert lowered == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9]


def test_class_variables_are_looked_at_again(sim, monkeypatch) -> None:
    registry, ingot = new_registry(), Ingot(sim, furnace=Furnace(sim))
    (scale,) = registry.law(ingot, Ingot.equations).kernel.lowered.constants
    assert (scale.where, scale.name, scale.value, scale.is_current) == ("Ingot", "SCALE", 1.0, True)
    monkeypatch.setattr(Ingot, "SCALE", 3.0)
    assert not scale.is_current


@pytest.mark.slow
def test_nothing_is_kept_of_a_kernel_whose_numbers_have_changed(sim, monkeypatch) -> None:
    registry, ingot = new_registry(), Ingot(sim, furnace=Furnace(sim))

    def planned() -> weakref.ref[Any]:
        bound = registry.law(ingot, Ingot.equations)
        assert registry.template((bound,), ("equations",)) is registry.template((bound,), ("equations",))
        return weakref.ref(bound.kernel)

    kernel = planned()
    registry.renew()
    gc.collect()
    assert kernel() is not None
    monkeypatch.setattr(Ingot, "SCALE", 3.0)
    registry.renew()
    gc.collect()
    assert kernel() is None
    assert planned()() is not None


def test_numbers_that_stand_in_no_slot_are_told_as_they_stand(sim) -> None:
    registry = new_registry()
    variable, speed = ev.Variable(sim, 2.0), 3.0
    law = ev.law(sim, lambda: variable.set_rate(-speed * variable.state))

    def rate() -> float:
        kernel, binding = registry.law(law, type(law).equations)
        run_law(kernel, [binding], table_of(sim))
        return float(table_of(sim)[R, variable._slot])

    assert rate() == -6.0
    speed = 4.0
    assert rate() == -8.0
    assert registry.law(law, type(law).equations).kernel.lowered.can_change
    assert registry.lowered == 1
    speed = 4
    assert rate() == -8.0
    assert registry.lowered == 2


class Timer(ev.Process):
    limit: float = 3.0
    table: list[float] = ev.field(default_factory=lambda: [1.0, 2.0])


def test_numbers_of_what_is_no_continuous(sim) -> None:
    registry, timer, furnace = new_registry(), Timer(sim), Furnace(sim, temperature=5.0)

    def guide() -> float:
        bound = registry.condition(lambda: furnace.temperature > timer.limit + timer.table[-1])
        return run_condition(bound, table_of(sim)).guide

    assert guide() == 0.0
    timer.limit = 1.0
    timer.table.append(3.5)
    assert guide() == 0.5
    timer.table = [0.25]
    assert guide() == 3.75
    assert registry.lowered == 1
    timer.table = []
    with pytest.raises(CannotLower, match="the list has 0 items now"):
        guide()
    timer.table, timer.limit = [1.0, 2.0], 3
    assert guide() == 0.0
    assert registry.lowered == 2
    timer.table = [1.0, "text"]
    with pytest.raises(CannotLower, match="'table' is a list, and only numbers"):
        guide()


def test_each_item_of_a_list_has_its_number(sim) -> None:
    timers = [Timer(sim, limit=float(k)) for k in range(4)]

    class Clockwork(ev.Continuous):
        x: ev.State = ev.state(0.0)
        timers: list[Timer] = ev.field(default_factory=list)

        def equations(self) -> None:
            for timer in self.timers:
                self.rate.x += timer.limit**2

    clockwork = Clockwork(sim, timers=timers)
    kernel, binding = new_registry().law(clockwork, Clockwork.equations)
    assert kernel.lowered.tables == (("self", "timers", "*", "limit"),)
    assert len(binding.lists) == len(kernel.lowered.lists) + len(kernel.lowered.tables)
    run_law(kernel, [binding], table_of(sim))
    assert table_of(sim)[R, clockwork._base] == 0.0 + 1.0 + 4.0 + 9.0


def test_whether_a_binding_can_change_is_told(sim) -> None:
    registry, furnace = new_registry(), Furnace(sim)
    ingot = Ingot(sim, furnace=furnace)

    def can_change(test, *arguments) -> tuple[bool, tuple]:
        lowered = registry.condition(test, *arguments).kernel.lowered
        return lowered.can_change, lowered.references

    steady, moving = 1.0, 1.0
    assert can_change(lambda: furnace.temperature > steady) == (False, ())
    assert can_change(lambda furnace: furnace.temperature > 1.0, furnace) == (False, ())
    assert can_change(lambda k=2.0: furnace.temperature > k) == (False, ())
    assert can_change(lambda: furnace.temperature > moving) == (True, (((), "moving"),))
    assert can_change(lambda: ingot.furnace.temperature > 1.0) == (True, ((("ingot",), "furnace"),))
    assert can_change(furnace.is_ready) == (True, ((("self",), "load"),))
    moving = 2.0


def test_functions_and_objects_in_globals_and_closures(sim) -> None:
    registry, furnace = new_registry(), Furnace(sim)

    def margin(limit, factor=0.5):
        return (furnace.temperature - limit) * factor

    above = lambda: margin(1600.0) > low  # noqa: E731
    low = 1.0
    bound = registry.condition(lambda: above() and sim.time >= 0.0 and namespace.house is None)
    assert bound.binding.consts == (0.5, 1.0)
    assert run_condition(bound, table_of(sim)).guide == 0.0
    assert run_condition(registry.condition(above), table_of(sim)).guide == 24.0


namespace = SimpleNamespace(house=None)


def test_a_method_that_one_object_has_replaced_is_its_own(sim) -> None:
    registry, probe = new_registry(), new_probe()

    def law(self):
        self.rate.x = self.swing()

    def rate() -> float:
        kernel, binding = registry.law(probe, law)
        run_law(kernel, [binding], table_of(probe.sim))
        return float(table_of(probe.sim)[R, probe._base])

    assert rate() == 3.0
    probe.swing = lambda: 11.0
    assert rate() == 11.0


def test_refusals_are_remembered_as_long_as_they_hold(sim) -> None:
    registry = new_registry()
    ingot = Ingot(sim, furnace=Furnace(sim))
    errors = []
    for _ in range(3):
        with pytest.raises(CannotLower, match="None has no attribute") as caught:
            registry.law(ingot, Ingot.contributions)
        errors.append(str(caught.value))
    assert (registry.refused, len(errors), len(set(errors))) == (1, 3, 1)
    ingot.plant = Plant(Furnace(sim))
    assert registry.law(ingot, Ingot.contributions).binding.objects[0] is ingot.plant.furnace
    assert registry.refused == 1


def test_a_binding_of_two_simulations_is_refused(sim) -> None:
    registry, other = new_registry(), ev.Simulation(rng=1)
    registry.law(Ingot(sim, furnace=Furnace(sim)), Ingot.equations)
    with pytest.raises(CannotLower, match="another simulation"):
        registry.law(Ingot(sim, furnace=Furnace(other)), Ingot.equations)


def test_index_rows_of_several_objects(sim) -> None:
    furnaces = [Furnace(sim, load=[Ingot(sim, furnace=None) for _ in range(k)]) for k in range(1, 4)]
    registry = new_registry()

    def law(self):
        self.rate.temperature = len(self.load)

    bounds = [registry.law(furnace, law) for furnace in furnaces]
    rows, _ = index_row([bound.binding for bound in bounds])
    assert len(rows) == 3 * bounds[0].kernel.width == 6
    run_law(bounds[0].kernel, [bound.binding for bound in bounds], table_of(sim))
    assert [table_of(sim)[R, furnace._base] for furnace in furnaces] == [1.0, 2.0, 3.0]


def test_numbers_that_python_refuses_are_not_finite_here(sim, capfd) -> None:
    """Whoever calls kernels meets them again in Python, which raises."""
    probe, registry = new_probe(), new_registry()
    probe.x, probe.y, probe.z = 0.0, -1.0, 1.0

    def law(self):
        zero = self.house.rooms * 0
        self.rate.x = 1.0 / self.x + 3 % self.x
        self.rate.y = math_of(self.y)
        self.rate.z = self.z // zero
        self.q = 1 % zero
        self.total = self.x**-1
        self.y = 0 // 0
        self.z = 1 / 0

    kernel, binding = registry.law(probe, law)
    run_law(kernel, [binding], table_of(probe.sim))
    values = [*table_of(probe.sim)[R, probe._base :][:3], probe.q, probe.total, probe.y, probe.z]
    assert [bool(np.isfinite(value)) for value in values] == [False] * 7
    assert capfd.readouterr() == ("", "")
    set_clock(probe.sim, Moment())
    probe.sim.active = True
    with pytest.raises(ZeroDivisionError):
        law(probe)


def math_of(value):
    return math.log(value + 1.0) + math.sqrt(value)


@pytest.mark.slow
def test_loading_the_room_loads_no_compiler() -> None:
    code = "import sys, eventide.lowering; print([m for m in ('numba', 'llvmlite') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_a_refusal_keeps_no_object() -> None:
    registry, sim = new_registry(), ev.Simulation(rng=1)
    ingot = Ingot(sim, furnace=Furnace(sim))
    gone = weakref.ref(ingot)
    with pytest.raises(CannotLower):
        registry.law(ingot, Ingot.contributions)
    registry.law(ingot, Ingot.equations)
    del ingot, sim
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("error", "why"),
    [(LookupError("exp2"), "has no exp2"), (RuntimeError("what is this"), "an error of ours: what is this")],
)
def test_what_the_compiler_refuses_stays_python(sim, monkeypatch, error, why) -> None:
    def refuse(*arguments, **options):
        raise error

    registry, ingot = new_registry(), Ingot(sim, furnace=Furnace(sim))
    monkeypatch.setattr(registry.store, "load", refuse)
    with pytest.raises(CannotLower, match=f"def equations.*{why}"):
        registry.law(ingot, Ingot.equations)
    assert registry.refused == 1


def test_a_function_that_the_library_lacks_is_named() -> None:
    from eventide.native.llvm import Machine

    with pytest.raises(LookupError, match="no_such_function"):
        Machine().load(b"", "kernel", ("no_such_function",))
