"""The stepper and the default method: order, cost, interpolant, compensated sums."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import cos, exp, log2, sin

import numpy as np
import pytest
from arrays import blank

import eventide as ev
from eventide.engine import codes, stepper
from eventide.engine.interface import PLAIN
from eventide.methods import ENGLAND, ENGLAND_PLAIN, Method


def rooted_trees(order: int) -> list[tuple]:
    """All rooted trees with `order` nodes, each as the sorted tuple of its branches."""
    if order == 1:
        return [()]
    found = set()
    for sizes in partitions(order - 1):
        for branches in product(*(rooted_trees(size) for size in sizes)):
            found.add(tuple(sorted(branches)))
    return sorted(found)


def partitions(total: int, largest: int | None = None) -> list[tuple[int, ...]]:
    largest = total if largest is None else largest
    if total == 0:
        return [()]
    return [(k, *rest) for k in range(min(total, largest), 0, -1) for rest in partitions(total - k, k)]


def size(tree: tuple) -> int:
    return 1 + sum(size(branch) for branch in tree)


def density(tree: tuple) -> int:
    result = size(tree)
    for branch in tree:
        result *= density(branch)
    return result


def stage_weights(tree: tuple, method: Method) -> list[Fraction]:
    """For each stage: the product over the branches of (matrix . their weights)."""
    stages = len(method.nodes)
    result = [Fraction(1)] * stages
    for branch in tree:
        inner = stage_weights(branch, method)
        for i, row in enumerate(method.matrix):
            result[i] *= sum((a * w for a, w in zip(row, inner, strict=False)), Fraction(0))
    return result


def unmet_conditions(method: Method, weights: tuple[Fraction, ...], order: int) -> tuple[int, list[tuple]]:
    trees = [tree for n in range(1, order + 1) for tree in rooted_trees(n)]
    unmet = [
        tree
        for tree in trees
        if sum(b * w for b, w in zip(weights, stage_weights(tree, method), strict=True)) != Fraction(1, density(tree))
    ]
    return len(trees), unmet


@pytest.mark.row("R-163")
def test_england_meets_all_order_conditions_exactly() -> None:
    assert [len(rooted_trees(n)) for n in range(1, 6)] == [1, 1, 2, 4, 9]
    assert unmet_conditions(ENGLAND, ENGLAND.weights, 5) == (17, [])
    assert unmet_conditions(ENGLAND_PLAIN, ENGLAND_PLAIN.weights, 4) == (8, [])


def test_england_is_of_no_higher_order() -> None:
    count, unmet = unmet_conditions(ENGLAND, ENGLAND.weights, 6)
    assert count == 37
    assert {size(tree) for tree in unmet} == {6}
    assert {size(tree) for tree in unmet_conditions(ENGLAND_PLAIN, ENGLAND_PLAIN.weights, 5)[1]} == {5}


@pytest.mark.parametrize("method", [ENGLAND, ENGLAND_PLAIN], ids=lambda m: m.name)
def test_nodes_are_the_row_sums(method: Method) -> None:
    assert [sum(row, Fraction(0)) for row in method.matrix] == list(method.nodes)


def test_the_error_estimate_is_the_difference_of_the_two_solutions() -> None:
    assert sum(ENGLAND.error) == 0
    assert tuple(a - b for a, b in zip(ENGLAND.weights, ENGLAND_PLAIN.weights, strict=True)) == ENGLAND.error


class Bench:
    """One state and its law, to drive the stepper by hand."""

    def __init__(self, law, y: float, tolerance: float = 1e-6, method: Method = ENGLAND) -> None:
        self.law = law
        self.rows = np.zeros((codes.ROWS, 1))
        self.rows[codes.Y0] = self.rows[codes.Y] = y
        self.rows[codes.ABS] = tolerance
        self.evaluations: list[tuple[float, float]] = []
        self.arrays = PLAIN.pack(blank(self.rows, method=method.coefficients, host=self))[0]
        self.arrays.flow.segments_hi[0] = 1

    def evaluate(self, f: int, time: float, dt: float) -> None:
        self.evaluations.append((time, dt))
        self.rows[codes.R, 0] = self.law(time, float(self.rows[codes.Y, 0]))

    def begin(self, time: float) -> None:
        self.arrays.flow.start[0] = time
        self.rows[codes.K, 0] = self.law(time, float(self.rows[codes.Y0, 0]))

    def attempt(self, time: float, step: float) -> tuple[float, int]:
        self.arrays.flow.start[0] = time
        ratio = stepper.attempt(self.arrays, 0, step, time + step)
        return float(ratio), self.arrays.flow.worst[0]

    def step(self, time: float, step: float) -> None:
        self.begin(time)
        self.attempt(time, step)
        stepper.complete_stages(self.arrays, 0, step, time + step)
        self.arrays.flow.step[0] = step
        stepper.fit(self.arrays, 0)

    def at(self, theta: float) -> float:
        stepper.interpolate(self.arrays, 0, theta)
        return float(self.rows[codes.Y, 0])

    def row(self, row: int) -> float:
        return float(self.rows[row, 0])

    @property
    def end(self) -> float:
        return self.row(codes.Y2)


PROBLEMS = {
    "-2ty^2": (lambda t, y: -2.0 * t * y * y, lambda t: 1.0 / (1.0 + t * t)),
    "y cos t": (lambda t, y: y * cos(t), lambda t: exp(sin(t))),
    "(1-t)y^2": (lambda t, y: (1.0 - t) * y * y, lambda t: 1.0 / (1.0 - t + t * t / 2.0)),
    "-y^3/2+cos t+sin^3 t/2": (lambda t, y: -(y**3) / 2.0 + cos(t) + sin(t) ** 3 / 2.0, sin),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(("method", "slope"), [(ENGLAND, 5), (ENGLAND_PLAIN, 4)], ids=["extrapolated", "plain"])
@pytest.mark.row("R-163")
def test_error_falls_with_the_order(name: str, method: Method, slope: int) -> None:
    law, solution = PROBLEMS[name]

    def error(steps: int) -> float:
        y = solution(0.0)
        for k in range(steps):
            bench = Bench(law, y, method=method)
            bench.step(k / steps, 1.0 / steps)
            y = bench.end
        return abs(y - solution(1.0))

    assert log2(error(16) / error(32)) == pytest.approx(slope, abs=0.35)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.row("R-164")
def test_estimate_tends_to_the_true_error(name: str) -> None:
    law, solution = PROBLEMS[name]

    def ratio(step: float) -> float:
        bench = Bench(law, solution(0.3), method=ENGLAND_PLAIN)
        bench.step(0.3, step)
        rates = [bench.row(codes.K + j) for j in range(9)]
        estimate = step * sum(float(e) * k for e, k in zip(ENGLAND_PLAIN.error, rates, strict=True))
        return estimate / (solution(0.3 + step) - bench.end)

    coarse, fine = ratio(2.0**-5) - 1.0, ratio(2.0**-6) - 1.0
    assert abs(fine) < 0.06
    assert fine / coarse == pytest.approx(0.5, abs=0.15)


@pytest.mark.row("R-165")
def test_nine_evaluations_a_step_and_seven_a_refusal() -> None:
    bench = Bench(lambda t, y: -y, 1.0)
    bench.step(0.0, 0.1)
    assert len(bench.evaluations) == 9
    bench.evaluations.clear()
    assert bench.attempt(0.1, 0.1)[0] > 1.0
    assert len(bench.evaluations) == 7


@pytest.mark.row("R-037")
def test_stage_times_are_quarters_of_the_step() -> None:
    bench = Bench(lambda t, y: -y, 1.0)
    bench.step(3.0, 0.5)
    assert [dt for _, dt in bench.evaluations] == [0.125, 0.125, 0.25, 0.25, 0.375, 0.375, 0.5, 0.5, 0.5]
    assert all(time == 3.0 + dt for time, dt in bench.evaluations)


@pytest.mark.row("R-178", "R-180")
def test_interpolant_is_exact_for_quintics() -> None:
    def solution(t: float) -> float:
        return 1.0 + t * (2.0 - t * (0.5 + t * (0.25 - t * (1.0 - 0.125 * t))))

    def law(t: float, y: float) -> float:
        return 2.0 + t * (-1.0 + t * (-0.75 + t * (4.0 - 0.625 * t)))

    bench = Bench(law, 1.0)
    bench.step(0.0, 0.5)
    thetas = (0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0)
    values = [bench.at(theta) for theta in thetas]
    assert values == [pytest.approx(solution(theta / 2), abs=1e-14) for theta in thetas]
    assert values[0] == 1.0
    assert values[-1] == bench.end


@pytest.mark.row("R-178")
def test_interpolant_has_its_order() -> None:
    law, solution = PROBLEMS["y cos t"]

    def error(step: float, method: Method) -> float:
        bench = Bench(law, solution(0.0), method=method)
        bench.step(0.0, step)
        return max(abs(bench.at(k / 20) - solution(step * k / 20)) for k in range(1, 20))

    assert log2(error(0.4, ENGLAND) / error(0.2, ENGLAND)) == pytest.approx(6.0, abs=0.4)
    assert log2(error(0.2, ENGLAND_PLAIN) / error(0.1, ENGLAND_PLAIN)) == pytest.approx(5.0, abs=0.4)


@pytest.mark.row("R-186")
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_an_error_that_is_no_number_counts_as_failure(bad: float) -> None:
    bench = Bench(lambda t, y: bad if t > 0.3 else -y, 1.0)
    bench.begin(0.0)
    assert bench.attempt(0.0, 0.5) == (0.0, 0)
    assert bench.attempt(0.0, 0.25)[0] > 1.0


@pytest.mark.row("R-166", "R-088")
def test_tolerance_is_measured_at_the_middle_of_the_step() -> None:
    bench = Bench(lambda t, y: 8.0 * t**7, 0.0, tolerance=0.0)
    bench.rows[codes.REL] = 1e-3
    bench.begin(0.0)
    ratio, slot = bench.attempt(0.0, 1.0)
    rates = [bench.row(codes.K + j) for j in range(8)]
    error = abs(sum(float(e) * k for e, k in zip(ENGLAND.error, rates, strict=False)))
    middle = bench.row(codes.MIDDLE)
    assert slot == 0
    assert ratio == pytest.approx(1e-3 * middle / error, rel=1e-12)
    assert middle == pytest.approx(0.5**8, abs=1e-2)


@pytest.mark.slow
@pytest.mark.row("R-092", "R-181")
def test_small_increments_are_not_lost() -> None:
    steps = 2000
    bench = Bench(lambda t, y: 1.0, 1e6)
    for _ in range(steps):
        bench.step(0.0, 1e-13)
        stepper.copy(bench.arrays, 0, codes.Y2, codes.Y0)
        stepper.copy(bench.arrays, 0, codes.E2, codes.E0)
    state = Fraction(bench.row(codes.Y0)) + Fraction(bench.row(codes.E0))
    assert float(state - 10**6) == pytest.approx(2e-10, rel=1e-12)


@pytest.mark.row("R-095")
def test_the_work_rows_hold_the_stage_rates() -> None:
    bench = Bench(lambda t, y: t, 0.0)
    bench.step(1.0, 0.4)
    rates = [bench.row(codes.K + j) for j in range(10)]
    assert rates == pytest.approx([1.0, 1.1, 1.1, 1.2, 1.2, 1.3, 1.3, 1.4, 1.4, 1.4])


def test_the_first_step_is_limited_and_finds_the_scale() -> None:
    bench = Bench(lambda t, y: -100.0 * y, 1.0)
    bench.begin(0.0)
    guess = stepper.first_step(bench.arrays, 0, 1e9)
    assert 1e-5 < guess < 1e-2
    assert stepper.first_step(bench.arrays, 0, 1e-7) <= 1e-7
    assert len(bench.evaluations) == 2


def test_a_run_of_many_small_steps_ends_on_time() -> None:
    class Clock(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0

    sim = ev.Simulation(dt_max=1e-3)
    clock = Clock(sim).start()
    sim.run(until=1.0)
    assert sim.monitor.steps == 1000
    assert (sim.time, clock.x) == (1.0, pytest.approx(1.0, abs=2e-16))
