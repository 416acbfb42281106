"""What a kernel takes as it stands, and when that is looked at again."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from compiled import formulas
from compiled.furnaces import Furnace, Ingot, Plant
from compiled.harness import index_row, new_registry, run_condition, run_law, table_of
from compiled.test_laws import new_probe

import eventide as ev
from eventide.engine.stepper import R
from eventide.lowering import CannotLower


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


# --- what may become another


def test_a_table_that_is_a_tuple_is_compared_as_one_object_and_a_list_by_its_numbers(sim) -> None:
    registry, sky = new_registry(), SimpleNamespace(wind=ev.inputs.LinearTable((0.0, 1.0), (2.0, 4.0)))

    def kept(condition):
        compare = registry.condition(condition).kernel.lowered.compare
        return compare and compare(condition, ())

    stands = kept(lambda: sky.wind(sim.time) > 3.0)
    assert stands()
    sky.wind = ev.inputs.LinearTable((0.0, 1.0), (2.0, 4.0))
    assert not stands()
    sky.rates = (1.0, 2.0, 3.0)
    stands = kept(lambda: sky.rates[int(sim.time)] > 1.5)
    assert stands()
    sky.rates = [1.0, 2.0, 3.0]
    assert not stands()
    assert kept(lambda: sky.rates[int(sim.time)] > 1.5) is None


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
