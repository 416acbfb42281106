"""Numbers with units: converted to that of the field they are for, or refused; by pint if it is installed."""

from __future__ import annotations

import sys

import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(ev.Quantity(50.0, unit="cm"), unit="m")
    inflow: float = ev.field(default=1.0, unit="l/s")
    share: float = 0.5
    total: ev.Computed = ev.computed(unit="l/s")

    def equations(self):
        self.rate.level = 0.001 * self.inflow


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


@pytest.mark.slow
def test_a_quantity_is_converted_wherever_a_number_is_set(sim):
    pytest.importorskip("pint")
    given = Tank(sim, level=ev.Quantity(100.0, unit="cm"), inflow=ev.Quantity(3.6, unit="m^3/h"))
    by_default = Tank(sim)
    assert (given.level, given.inflow, by_default.level) == (1.0, pytest.approx(1.0), 0.5)

    given.level = ev.Quantity(2.0, unit="km")
    given["level"].state += 1.0
    assert given.level == 2001.0
    given["level"].state = ev.Quantity(7.0, unit="mm")
    assert given.level == 0.007
    given.level = ev.Quantity(3.0, unit="m")
    assert given.level == 3.0


def test_where_one_unit_is_not_known_a_quantity_is_its_number(sim):
    tank = Tank(sim, share=ev.Quantity(30.0, unit="%"), level=ev.Quantity(2.0))
    assert (tank.share, tank.level) == (30.0, 2.0)


@pytest.mark.slow
def test_a_quantity_of_pint_is_converted_as_well(sim):
    registry = pytest.importorskip("pint").UnitRegistry()
    assert Tank(sim, level=150.0 * registry.cm).level == 1.5


def test_units_that_do_not_fit_are_refused(sim):
    pytest.importorskip("pint")
    with pytest.raises(ev.ModelError) as info:
        Tank(sim, level=ev.Quantity(100.0, unit="s"))
    assert str(info.value) == (
        "Tank.level is in m, and got 100.0 s, which cannot be converted: Cannot convert from 'second' ([time]) to "
        "'meter' ([length])"
    )
    tank = Tank(sim, level=1.0)
    with pytest.raises(ev.ModelError, match=r"^Tank.level is in m, and got 1.0 smoot, which cannot be converted: "):
        tank.level = ev.Quantity(1.0, unit="smoot")


def test_without_pint_another_unit_is_refused_and_the_same_is_not(sim, monkeypatch):
    from eventide.declare import units

    class Pond(ev.Continuous):
        level: ev.State = ev.state(0.0, unit="m")

    units._registry.cache_clear()
    monkeypatch.setitem(sys.modules, "pint", None)
    assert Pond(sim, level=ev.Quantity(1.0, unit="m")).level == 1.0
    with pytest.raises(ev.ModelError) as info:
        Pond(sim, level=ev.Quantity(100.0, unit="cm"))
    assert str(info.value) == (
        "Pond.level is in m, and got 100.0 cm: give it in m; or install pint, which converts units"
    )


@pytest.mark.slow
def test_quantities_are_brought_together_before_they_are_combined():
    pytest.importorskip("pint")
    metre, centimetre, second = ev.Quantity(1.0, unit="m"), ev.Quantity(1.0, unit="cm"), ev.Quantity(1.0, unit="s")
    assert (metre + centimetre, metre - centimetre) == (1.01, 0.99)
    assert (metre > centimetre, metre <= centimetre, metre < 2.0, 2.0 * metre) == (True, False, True, 2.0)
    with pytest.raises(ev.ModelError, match=r"^1.0 m is in m, and got 1.0 s, which cannot be converted: "):
        metre + second


def test_an_integral_keeps_the_unit_of_what_is_integrated(sim):
    tank = Tank(sim, level=1.0)
    assert sim.integral(tank["level"], unit="m").unit == "m"
    message = r"^integral 2 is in m, and its integral cannot be one of 'kg': leave unit= out$"
    with pytest.raises(ev.ModelError, match=message):
        sim.integral(tank["level"], unit="kg")
