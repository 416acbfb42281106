"""Implicit methods as the stepper runs them: their numbers, and what they do to single steps."""

from __future__ import annotations

from itertools import pairwise
from math import cos, exp, log2, sin, sqrt

import numpy as np
import pytest
from methods.tableaux import TABLEAUX

import eventide as ev
from eventide.methods import Newton
from eventide.methods.spectrum import spectrum

ALL = (
    "IMPLICIT_EULER",
    "IMPLICIT_MIDPOINT",
    "GAUSS_2",
    "GAUSS_3",
    "RADAU_IA_2",
    "RADAU_IA_3",
    "RADAU_IIA_2",
    "RADAU_IIA_3",
    "LOBATTO_IIIA_2",
    "LOBATTO_IIIA_3",
    "LOBATTO_IIIA_4",
    "LOBATTO_IIIC_2",
    "LOBATTO_IIIC_3",
    "LOBATTO_IIIC_4",
    "SDIRK_2",
    "SDIRK_2_L",
    "SDIRK_3_L",
)
RADAU = ev.methods.RADAU


def method(name: str) -> Newton:
    return Newton(getattr(ev.methods, name))


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_the_numbers_of_radau_are_those_of_its_program() -> None:
    # Source: Hairer & Wanner, Solving ODEs II, IV.8: eigenvalues in closed form, weights of the error estimate.
    cube = 3.0 ** (1.0 / 3.0)
    blocks = RADAU.spectrum.blocks
    assert blocks[0][0] == pytest.approx(3.0 + cube**2 - cube, abs=1e-15)
    assert blocks[1][1] == blocks[2][2] == pytest.approx(3.0 + (cube - cube**2) / 2.0, abs=1e-15)
    assert blocks[2][1] == -blocks[1][2] == pytest.approx((3.0 ** (5.0 / 6.0) + 3.0 ** (7.0 / 6.0)) / 2.0, abs=1e-15)
    seven = 7.0 * sqrt(6.0)
    assert [float(e) for e in RADAU.error] == pytest.approx([1.0, (-13 - seven) / 3, (-13 + seven) / 3, -1 / 3])
    assert RADAU.weights == (0, 0, 0, 1)
    assert (RADAU.order, RADAU.error_order, RADAU.is_fixed) == (5, 3, False)


@pytest.mark.parametrize("name", ALL)
def test_the_matrix_is_put_together_again_from_its_parts(name: str) -> None:
    one = method(name)
    parts = one.spectrum
    whole = np.array(parts.transform) @ np.array(parts.blocks) @ np.array(parts.inverse)
    exact = np.array([[float(entry) for entry in row] for row in one._inverse])
    assert whole == pytest.approx(exact, abs=3e-14)
    assert np.array(parts.transform) @ np.array(parts.inverse) == pytest.approx(np.eye(len(exact)), abs=1e-14)


@pytest.mark.parametrize("name", ["RADAU_IIA_3", "GAUSS_3", "IMPLICIT_MIDPOINT"])
def test_the_bend_of_the_interpolant_leaves_both_ends_alone(name: str) -> None:
    bend = method(name).bend
    assert (bend[0], sum(bend[1:], bend[0])) == (1, 0)


def test_where_the_polynomial_misses_the_end_it_is_not_bent() -> None:
    assert method("IMPLICIT_EULER").bend == method("GAUSS_2").bend == ()


def test_equal_eigenvalues_have_no_basis() -> None:
    with pytest.raises(ev.ModelError, match="two eigenvalues of this matrix are equal"):
        spectrum(method("SDIRK_2")._inverse)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("LOBATTO_IIIB_3", "has a singular matrix, so that its stages do not determine its rates"),
        ("RK4", "is an explicit"),
    ],
)
def test_what_the_iteration_cannot_solve_is_refused(name: str, message: str) -> None:
    tableau = getattr(ev.methods, name)
    with pytest.raises(ev.ModelError, match=message):
        Newton(getattr(tableau, "tableau", tableau))


@pytest.mark.row("R-258")
def test_every_implicit_tableau_makes_a_method_but_those_of_singular_kind() -> None:
    refused = []
    for name in (name for name, tableau in TABLEAUX.items() if not tableau.is_explicit):
        try:
            one = method(name)
        except ev.ModelError:
            refused.append(name)
        else:
            assert (one.order, name in ALL) == (TABLEAUX[name].order, True)
    assert refused == ["LOBATTO_IIIB_2", "LOBATTO_IIIB_3", "LOBATTO_IIIB_4"]


def test_a_method_is_no_tableau() -> None:
    with pytest.raises(
        ev.ModelError, match=r"Newton takes an implicit tableau, as `ev.methods.GAUSS_2`, and got <Newton"
    ):
        Newton(RADAU)


# --- steps of one length ---------------------------------------------------------------------------------------------


class Coupled(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.5)

    def equations(self) -> None:
        self.rate.x = -self.x * self.y + 0.3 * cos(self.sim.time)
        self.rate.y = self.x - self.y * self.y


END = (0.6559980329175119, 0.8124859425595152)
"""At 1, by DOP853 in steps of 2**-8; its steps of 2**-6 differ by 1e-16."""


def fixed(
    one: Newton, step: float, model: type[ev.Continuous], until: float = 1.0, **settings: object
) -> ev.Continuous:
    """A model after steps of one length, whatever their error."""
    tight = {"rel_error": 1e-13, "abs_error": 1e-13, "stepping": "together"} | settings
    sim = ev.Simulation(rng=1, dt_max=step, dt_min=0.0 if one.is_fixed else step, **tight)
    sim.method = one
    sim.integration_error = lambda variable: False
    item = model(sim).start()
    sim.run(until=until)
    assert sim.report().steps == round(until / step)
    return item


@pytest.mark.slow
@pytest.mark.row("R-258")
@pytest.mark.parametrize("name", ALL)
def test_the_error_falls_with_the_order(name: str) -> None:
    one = method(name)
    errors = []
    for step in (2.0**-3, 2.0**-4):
        model = fixed(one, step, Coupled)
        errors.append(max(abs(model.x - END[0]), abs(model.y - END[1])))
    assert errors[1] > 1e-14
    assert log2(errors[0] / errors[1]) == pytest.approx(one.order, abs=0.12)


class Stiff(ev.Continuous):
    """y' = r (y - cos t) - sin t, whose solution from 1 is cos t. Source: Prothero & Robinson (1974)."""

    r: float = -1e6
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = self.r * (self.y - cos(self.sim.time)) - sin(self.sim.time)


def test_the_order_of_radau_where_the_problem_is_stiff() -> None:
    # Source: Hairer & Wanner, Solving ODEs II, Table IV.15.1: the error is h**3 / r for h r far above 1.
    errors = [abs(fixed(RADAU, step, Stiff).y - cos(1.0)) for step in (2.0**-2, 2.0**-3, 2.0**-4)]
    assert errors[0] < 1e-9
    assert [log2(one / other) for one, other in pairwise(errors)] == pytest.approx([3.0, 3.0], abs=0.15)


class Decay(ev.Continuous):
    speed: float = 1.0
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = -self.speed * self.y


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        *((name, 0.0) for name in ("RADAU_IIA_3", "RADAU_IA_3", "LOBATTO_IIIC_3", "SDIRK_3_L", "IMPLICIT_EULER")),
        ("GAUSS_3", -1.0),
        ("GAUSS_2", 1.0),
        ("LOBATTO_IIIA_2", -1.0),
        ("SDIRK_2", 1.0 - sqrt(3.0)),
    ],
)
def test_one_step_multiplies_by_the_stability_function_at_infinity(name: str, limit: float) -> None:
    class Fast(Decay):
        speed: float = 1e12

    assert fixed(method(name), 1.0, Fast, abs_error=1e-6).y == pytest.approx(limit, abs=1e-4)


def test_the_interpolant_of_radau_has_order_four() -> None:
    errors = []
    for step in (0.2, 0.1, 0.05):
        sim = ev.Simulation(rng=1, dt_max=step, dt_min=step, stepping="together", rel_error=1e-13, abs_error=1e-13)
        sim.method = RADAU
        sim.integration_error = lambda variable: False
        decay = Decay(sim, name="decay").start()
        trace = sim.record(decay, every=step / 16)
        sim.run(until=step)
        assert len(trace.times) == 17
        errors.append(max(abs(y - exp(-t)) for t, y in zip(trace.times, trace["decay.y"], strict=True)))
    assert [log2(one / other) for one, other in pairwise(errors)] == pytest.approx([5.0, 5.0], abs=0.15)
