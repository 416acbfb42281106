"""What is measured of methods: orders by slopes, stability constants, Lipschitz constants, the cocycle property."""

from __future__ import annotations

from math import cos, exp, sin

import numpy as np
import pytest
from methods.tableaux import PROBLEMS, TABLEAUX

import eventide as ev
from eventide import methods
from eventide.methods import (
    DORMAND_PRINCE,
    EULER,
    GAUSS_2,
    RADAU_IIA_2,
    RK4,
    SDIRK_2,
    cocycle_defect,
    consistency_order,
    convergence_order,
    lipschitz_constant,
    one_step,
    solve,
    stability_constant,
)

TIMES = [0.15 * k for k in range(12)]


def wave(t: float, y: np.ndarray) -> np.ndarray:
    return y * cos(t)


@pytest.mark.row("R-253", "R-258")
@pytest.mark.parametrize("name", TABLEAUX)
def test_the_order_of_consistency_is_measured(name: str) -> None:
    # The order is the least over all laws: on a single one the leading terms may nearly cancel.
    tableau = TABLEAUX[name]
    coarse = {1: 0.01, 2: 0.01, 3: 0.02, 4: 0.05, 5: 0.1, 6: 0.2, 8: 0.4}[tableau.order]
    steps = [coarse * 0.8**k for k in range(4)]
    orders = [
        consistency_order(tableau, law, solution, TIMES, steps, solver="newton") for law, solution in PROBLEMS.values()
    ]
    assert min(orders) == pytest.approx(tableau.order, abs=0.45)


@pytest.mark.row("R-254")
@pytest.mark.parametrize("name", TABLEAUX)
def test_the_global_order_equals_the_order_of_consistency(name: str) -> None:
    tableau = TABLEAUX[name]
    count = {1: 64, 2: 32, 3: 32, 4: 16, 5: 12, 6: 8, 8: 4}[tableau.order]
    steps = [2.0 / count, 2.0 / (count + count // 2), 2.0 / (2 * count)]
    law, solution = PROBLEMS["y cos t"]
    order = convergence_order(tableau, law, solution, 0.0, 2.0, steps, solver="newton")
    assert order == pytest.approx(tableau.order, abs=0.6 if tableau.order >= 6 else 0.25)


@pytest.mark.row("R-253")
def test_the_stability_constant_of_euler_is_the_lipschitz_constant() -> None:
    def law(t: float, y: np.ndarray) -> np.ndarray:
        return np.array([2.0 * y[0] + 0.5 * y[1], y[1]])

    points = [(0.0, 0.0), (1.0, 1.0), (1.0, -1.0), (0.5, 2.0)]
    lipschitz = lipschitz_constant(law, (-2.0, -2.0), (2.0, 2.0))
    assert lipschitz == pytest.approx(2.5, rel=1e-9)
    assert stability_constant(EULER, law, 0.0, points, (0.1, 0.01)) == pytest.approx(lipschitz, rel=1e-9)
    # Of other methods it tends to that constant with the step.
    rk4 = [stability_constant(RK4, law, 0.0, points, (h,)) for h in (0.1, 0.01)]
    assert 2.5 < rk4[1] < rk4[0] < 3.0


@pytest.mark.row("R-249")
def test_the_lipschitz_constant_of_a_nonlinear_law_is_approached_from_below() -> None:
    def law(t: float, y: np.ndarray) -> np.ndarray:
        return np.array([sin(3.0 * y[0]) * t])

    few, many = (lipschitz_constant(law, -1.0, 2.0, (1.0, 2.0), points=n) for n in (2, 500))
    assert few <= many <= 6.0 + 1e-6
    assert many == pytest.approx(6.0, rel=1e-3)
    with pytest.raises(ev.ModelError, match="each side needs a length"):
        lipschitz_constant(law, 1.0, 1.0)


@pytest.mark.row("R-249")
@pytest.mark.parametrize("corner", ["low", "high"])
def test_corners_middle_and_points_of_the_box_are_looked_at(corner: str) -> None:
    # The norm is 2 |x| + 2 |y|, and 2 |y| in the second row: 6 in the corner that is farthest from 0.
    far = -1.0 if corner == "low" else 1.0
    low, high = sorted([(0.0, 0.0), (far, 2.0 * far)])
    product = lipschitz_constant(lambda t, x: np.array([2.0 * x[0] * x[1], x[1] ** 2]), low, high, points=1)
    assert product == pytest.approx(6.0, rel=1e-9)

    def peak(at: float, points: int) -> float:
        return lipschitz_constant(lambda t, x: np.arctan(50.0 * (x - at)), -1.0, 1.0, points=points)

    # Halton's points are 0, 1/2, 1/4 and 3/4 of the way.
    assert [round(peak(0.0, 1), 3), round(peak(0.5, 4), 3)] == [50.0, 50.0]
    assert peak(0.5, 3) < 1.0


@pytest.mark.row("R-249")
def test_solutions_compose() -> None:
    def flow(t: float, t0: float, x0: object) -> np.ndarray:
        return solve(DORMAND_PRINCE, wave, t0, x0, t, 0.01)[1][-1]

    def wrong(t: float, t0: float, x0: float) -> float:
        return x0 * exp(sin(t - t0))  # as if the law did not depend on time

    assert cocycle_defect(flow, 0.0, 1.0, 0.7, 2.0) < 1e-11
    assert cocycle_defect(lambda t, t0, x0: x0 * exp(sin(t) - sin(t0)), 0.0, 1.0, 0.7, 2.0) < 1e-15
    assert cocycle_defect(wrong, 0.0, 1.0, 0.7, 2.0) > 0.1


@pytest.mark.row("R-249")
def test_a_simulation_composes() -> None:
    class Wave(ev.Continuous):
        y: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.y = self.y * cos(self.sim.time)

    def flow(t: float, t0: float, x0: float) -> float:
        sim = ev.Simulation(rel_error=1e-10, abs_error=1e-12, rng=1, compile=False)
        wave = Wave(sim)

        def story() -> ev.ProcessGenerator:
            yield ev.hold(t0)
            wave.y = x0
            wave.start()
            yield ev.hold(t - t0)

        sim.process(story())
        sim.run(until=t)
        return wave.y

    assert flow(2.0, 0.0, 1.0) == pytest.approx(exp(sin(2.0)), rel=1e-8)
    assert cocycle_defect(flow, 0.0, 1.0, 0.7, 2.0) < 1e-8


@pytest.mark.row("R-251", "R-255", "R-250")
def test_the_last_step_is_shortened_to_end_on_time() -> None:
    times, states = solve(RK4, wave, 0.5, 1.0, 1.45, 0.3)
    assert times.tolist() == [0.5, 0.8, 1.1, 1.4, 1.45]
    assert states.shape == (5, 1)
    assert states[-1, 0] == pytest.approx(exp(sin(1.45) - sin(0.5)), rel=1e-4)
    # A whole number of steps up to rounding has no tiny step more.
    assert 2.1 / 0.7 > 3.0
    assert [len(solve(EULER, wave, 0.0, 1.0, end, step)[0]) for end, step in ((0.3, 0.1), (2.1, 0.7))] == [4, 4]
    assert solve(EULER, wave, 0.0, 1.0, 0.0, 0.1)[0].tolist() == [0.0]
    with pytest.raises(ev.ModelError, match=r"steps of 0.0 from 0.0 to 1.0"):
        solve(EULER, wave, 0.0, 1.0, 1.0, 0.0)


@pytest.mark.row("R-259")
def test_fixed_point_and_newton_give_the_same_stages() -> None:
    law, solution = PROBLEMS["-2ty^2"]
    results = [one_step(GAUSS_2, law, 0.3, solution(0.3), 0.2, solver=s)[0] for s in ("fixed point", "newton")]
    assert results[0] == pytest.approx(results[1], rel=1e-13)
    assert results[0] == pytest.approx(solution(0.5), rel=1e-4)


@pytest.mark.row("R-259")
def test_the_iteration_contracts_by_its_constant() -> None:
    # y' = -L y: each round multiplies the change by h L rho(A) in the end, by h L |A| at most in the maximum norm.
    calls = 0

    def law(t: float, y: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return -8.0 * y

    assert RADAU_IIA_2.contraction_constant(0.1, 8.0) == pytest.approx(0.8)
    one_step(RADAU_IIA_2, law, 0.0, 1.0, 0.1, tolerance=1e-3)
    few, calls = calls, 0
    one_step(RADAU_IIA_2, law, 0.0, 1.0, 0.1, tolerance=1e-9)
    assert few < calls < 1 + 2 * (1 + np.log(1e-13) / np.log(0.8))


def rounds(method: ev.methods.Tableau, step: float, still: float, most: int = 100) -> tuple[int, list[float]]:
    """How many rounds the stages of y' = -8 y from 1 take until they move less than that, and their changes."""
    _, matrix, _ = method.arrays
    rates, moved = np.full(method.stages, -8.0), []
    while len(moved) < most and (not moved or moved[-1] > still * max(1.0, np.max(np.abs(rates)))):
        before, rates = rates, -8.0 * (1.0 + step * (matrix @ rates))
        moved.append(float(np.max(np.abs(rates - before))))
    return len(moved), moved


@pytest.mark.row("R-259")
@pytest.mark.parametrize("method", [GAUSS_2, RADAU_IIA_2, SDIRK_2], ids=lambda m: m.name)
@pytest.mark.parametrize("tolerance", [1.0, 1e-3, 1e-6])
def test_the_tolerance_of_the_stages_is_times_the_step_to_the_order(
    method: ev.methods.Tableau, tolerance: float
) -> None:
    counts = []

    def law(t: float, y: np.ndarray) -> np.ndarray:
        counts.append(t)
        return -8.0 * y

    for step in (0.08, 0.04, 0.01):
        counts.clear()
        one_step(method, law, 0.0, 1.0, step, tolerance=tolerance)
        assert len(counts) == 1 + method.stages * rounds(method, step, tolerance * step**method.order)[0]


@pytest.mark.row("R-259")
def test_too_many_rounds_are_an_error_that_tells_how_the_stages_move() -> None:
    _, moved = rounds(SDIRK_2, 1.0, 1e-14, most=7)
    with pytest.raises(ev.ModelError) as caught:
        one_step(SDIRK_2, lambda t, y: -8.0 * y, 0.0, 1.0, 1.0, iterations=7)
    assert str(caught.value) == (
        f"SDIRK, 2 stages: the stages of the step of 1.0 at time 0.0 still move by {moved[-1]:.3g} after 7 iterations "
        f"by fixed point, each {moved[-1] / moved[-2]:.3g} of the one before; take shorter steps or "
        'solver="newton"'
    )
    assert moved[-1] / moved[-2] < SDIRK_2.contraction_constant(1.0, 8.0) == pytest.approx(8.0 * 1.3660254037844386)


@pytest.mark.row("R-259")
def test_stages_that_do_not_converge_are_an_error_and_newton_helps() -> None:
    def stiff(t: float, y: np.ndarray) -> np.ndarray:
        return -1000.0 * (y - cos(t))

    assert SDIRK_2.contraction_constant(0.1, 1000.0) > 1.0
    with pytest.raises(ev.ModelError, match=r"SDIRK, 2 stages: the stages of the step of 0.1 .* 100 iterations") as met:
        one_step(SDIRK_2, stiff, 0.0, 1.0, 0.1)
    assert 'solver="newton"' in str(met.value)
    assert one_step(SDIRK_2, stiff, 0.0, 1.0, 0.1, solver="newton")[0] == pytest.approx(cos(0.1), abs=2e-3)


@pytest.mark.row("R-259")
@pytest.mark.parametrize("method", [GAUSS_2, RADAU_IIA_2], ids=lambda m: m.name)
def test_a_tolerance_of_the_stages_that_falls_with_the_step_keeps_the_order(method: ev.methods.Tableau) -> None:
    calls = 0

    def law(t: float, y: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return y * cos(t)

    _, solution = PROBLEMS["y cos t"]
    # Over a wide range of steps, as the number of iterations goes by ones.
    steps = [0.5 * 2.0**-k for k in range(6)]
    assert consistency_order(method, law, solution, TIMES, steps) == pytest.approx(method.order, abs=0.1)
    thorough, calls = calls, 0
    assert consistency_order(method, law, solution, TIMES, steps, tolerance=0.1) > method.order - 0.3
    assert calls < 0.7 * thorough


def test_an_order_cannot_be_measured_in_rounding() -> None:
    law, solution = PROBLEMS["y cos t"]
    with pytest.raises(ev.ModelError, match="take longer steps"):
        consistency_order(methods.DOP853, law, solution, [0.0], [1e-3, 2e-3])
    with pytest.raises(ev.ModelError, match="two points and a step"):
        stability_constant(EULER, law, 0.0, [1.0], [0.1])


def test_a_system_keeps_its_shape() -> None:
    def oscillator(t: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -y[0]])

    times, states = solve(GAUSS_2, oscillator, 0.0, (1.0, 0.0), 1.0, 0.1)
    assert states.shape == (11, 2)
    assert states[-1].tolist() == pytest.approx([cos(1.0), -sin(1.0)], abs=1e-6)
    assert np.max(np.abs(np.sum(states**2, axis=1) - 1.0)) < 1e-12
    assert times[-1] == 1.0
