"""Kernels are made once for a class and its company, and fit only what they were made for."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import weakref
from typing import Any, ClassVar

import numpy as np
import pytest
from compiled import formulas
from compiled.furnaces import Furnace, Ingot, Plant
from compiled.harness import Moment, new_registry, run_condition, run_law, set_clock, table_of
from compiled.test_laws import new_probe

import eventide as ev
from eventide.engine.stepper import R
from eventide.lowering import Access, CannotLower, compile_kernel, lower_condition, lower_law
from eventide.native.store import Store


class Hotter(Furnace):
    extra: ev.State = ev.state(0.0)


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


LIMIT = 300.0


def test_what_a_kernel_uses_is_known_although_another_thread_has_forgotten_the_kernel(sim, monkeypatch) -> None:
    """A thread that had found a kernel failed where another one began a run before it had gone on."""
    registry, furnace = new_registry(), Furnace(sim)
    kernel = registry.condition(lambda: furnace.temperature > LIMIT).kernel
    known = registry.usage(kernel)
    monkeypatch.setitem(globals(), "LIMIT", 400.0)
    registry.renew()
    assert registry.usage(kernel) == known
    assert known is not None


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


def test_of_classes_that_are_made_anew_few_kernels_are_kept(monkeypatch) -> None:
    """What keeps a class keeps what it is closed over: the simulation of the model function that has made it."""
    monkeypatch.setattr("eventide.compilation.registry.MOST_KERNELS", 3)
    registry, gone = new_registry(), []
    for _ in range(6):

        class Local(Furnace):
            pass

        registry.renew()
        registry.condition(lambda furnace: furnace.temperature > 1.0, Local(ev.Simulation()))
        gone.append(weakref.ref(Local))
    del Local
    registry.renew()
    gc.collect()
    assert (registry.lowered, [cls() is None for cls in gone]) == (6, [True] * 3 + [False] * 3)


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
