"""The path integrator: one step, the length of the next, interpolation, and the check of states."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import cos, inf, log2, nan, pi, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev
from eventide.methods import FEHLBERG, row, rows
from eventide.methods.path import hermite_interpolate


def pendulum(t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
    """P'' = -sin p - v**2 / 10 + forcing, so that p = sin t."""
    return -np.sin(p) - 0.1 * v**2 + (sin(sin(t)) + 0.1 * cos(t) ** 2 - sin(t))


class Calls:
    """Counts the calls of a right-hand side and keeps their times."""

    def __init__(self, law=pendulum) -> None:
        self.law = law
        self.times: list[float] = []

    def __call__(self, t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        self.times.append(t)
        return self.law(t, p, v)


def start(t: float = 0.0) -> tuple[list[float], list[float], np.ndarray]:
    p, v = [sin(t)], [cos(t)]
    return p, v, pendulum(t, np.array(p), np.array(v))


@pytest.mark.row("R-220")
def test_it_is_made_for_a_number_of_coordinates() -> None:
    path = ev.methods.PathIntegrator(3)
    assert path.start_step(0.0, [0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 3, 0.5, lambda t, p, v: np.zeros(3)) < 1e-15
    p, v = path.finish_step(0.0, [0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 3, 0.5)
    assert (p.tolist(), v.tolist()) == (pytest.approx([0.5, 1.0, 1.5], rel=1e-15), [1.0, 2.0, 3.0])
    with pytest.raises(ev.ModelError, match=r"v0 has shape \(2,\), and the path has 3 coordinates"):
        path.start_step(0.0, [0.0] * 3, [1.0, 2.0], [0.0] * 3, 0.5, pendulum)
    with pytest.raises(ev.ModelError, match="a path of 0 coordinates"):
        ev.methods.PathIntegrator(0)
    with pytest.raises(ev.ModelError, match="'per unit time' or 'per step'"):
        ev.methods.PathIntegrator(1, error="per mile")


@pytest.mark.row("R-221")
def test_starting_a_step_makes_five_evaluations() -> None:
    calls, (p, v, a) = Calls(), start(2.0)
    ev.methods.PathIntegrator(1).start_step(2.0, p, v, a, 3.0, calls)
    assert calls.times == [2.25, 2.375, 2.0 + 12 / 13, 3.0, 2.5]


@pytest.mark.row("R-225")
def test_coefficients_are_fehlbergs() -> None:
    tableau = FEHLBERG.tableau
    assert tableau.nodes[1:] == row("1/4 3/8 12/13 1 1/2")
    assert tableau.matrix[1:] == rows(
        "1/4",
        "3/32 9/32",
        "1932/2197 -7200/2197 7296/2197",
        "439/216 -8 3680/513 -845/4104",
        "-8/27 2 -3544/2565 1859/4104 -11/40",
    )
    assert tableau.weights == row("25/216 0 1408/2565 2197/4104 -1/5 0")
    assert tableau.error == row("1/360 0 -128/4275 -2197/75240 1/50 2/55")
    path = ev.methods.PathIntegrator(1)
    path.start_step(0.0, [0.0], [0.0], [1.0], 1.0, lambda t, p, v: np.array([2.0 if t == 0.5 else 0.0]))
    assert path.velocity_error == pytest.approx(float(Fraction(1, 360) + 2 * Fraction(2, 55)), rel=1e-15)


@pytest.mark.row("R-222")
def test_the_error_is_per_unit_time() -> None:
    def errors(step: float, kind: str) -> tuple[float, float]:
        p, v, a = start(0.3)
        path = ev.methods.PathIntegrator(1, error=kind)
        estimate = path.start_step(0.3, p, v, a, 0.3 + step, pendulum)
        q, w = path.finish_step(0.3, p, v, a, 0.3 + step)
        assert estimate == max(path.position_error, path.velocity_error)
        return estimate, max(abs(q[0] - sin(0.3 + step)), abs(w[0] - cos(0.3 + step)))

    coarse, fine = errors(0.2, "per unit time"), errors(0.1, "per unit time")
    assert log2(coarse[0] / fine[0]) == pytest.approx(4.0, abs=0.3)
    assert 0.1 * fine[0] / fine[1] == pytest.approx(1.0, abs=0.15)
    assert errors(0.1, "per step") == (pytest.approx(0.1 * fine[0], rel=1e-12), fine[1])


@pytest.mark.row("R-222")
def test_the_error_looks_at_positions_and_velocities_of_all_coordinates() -> None:
    def law(t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([0.0, 0.0, 120.0 * t**3])

    path = ev.methods.PathIntegrator(3)
    estimate = path.start_step(0.0, [0.0] * 3, [0.0] * 3, [0.0] * 3, 1.0, law)
    # a = 120 t**3 is exact by both solutions for v; for p, t**4 / 5! of the tree conditions of order 5 is missed.
    assert path.position_error > 1e-3
    assert estimate == max(path.position_error, path.velocity_error)


@pytest.mark.row("R-223", "R-224")
def test_finishing_a_step_evaluates_nothing_and_leaves_its_input_alone() -> None:
    calls, (p, v, a) = Calls(), start()
    position, velocity = np.array(p), np.array(v)
    path = ev.methods.PathIntegrator(1)
    path.start_step(0.0, position, velocity, a, 2.0, calls)
    path.start_step(0.0, position, velocity, a, 0.1, calls)
    made = len(calls.times)
    q, w = path.finish_step(0.0, position, velocity, a, 0.1)
    assert (len(calls.times), made) == (10, 10)
    assert (position.tolist(), velocity.tolist()) == (p, v)
    assert [q[0], w[0]] == pytest.approx([sin(0.1), cos(0.1)], abs=1e-7)
    with pytest.raises(ev.ModelError, match=r"from 0.0 to 2.0 is to be finished, .* from 0.0 to 0.1"):
        path.finish_step(0.0, position, velocity, a, 2.0)


@pytest.mark.row("R-223")
def test_the_global_order_is_four() -> None:
    def error(count: int) -> float:
        path, (p, v, _) = ev.methods.PathIntegrator(1), start()
        for k in range(count):
            t0, t6 = 2.0 * k / count, 2.0 * (k + 1) / count
            a = pendulum(t0, np.asarray(p), np.asarray(v))
            path.start_step(t0, p, v, a, t6, pendulum)
            p, v = path.finish_step(t0, p, v, a, t6)
        return max(abs(p[0] - sin(2.0)), abs(v[0] - cos(2.0)))

    assert log2(error(20) / error(40)) == pytest.approx(4.0, abs=0.2)


@pytest.mark.row("R-226")
def test_the_next_step() -> None:
    path = ev.methods.PathIntegrator(1)
    assert path.adjust_step_size(2.0, 1e-6, 1e-6) == pytest.approx(2.0 * 0.840896415, rel=1e-9)
    assert path.adjust_step_size(2.0, 16e-6, 1e-6) == pytest.approx(2.0 * 0.840896415 / 2.0, rel=1e-9)
    assert path.adjust_step_size(2.0, 0.0, 1e-6) == 8.0
    assert path.adjust_step_size(2.0, 1e-30, 1e-6) == 8.0
    assert path.adjust_step_size(2.0, 1e30, 1e-6) == pytest.approx(0.2)
    assert path.adjust_step_size(2.0, nan, 1e-6) == pytest.approx(0.2)
    assert path.adjust_step_size(2.0, inf, 1e-6) == pytest.approx(0.2)
    assert path.adjust_step_size(2.0, 0.0, 1e-6, 0.1, 3.0) == 3.0
    assert path.adjust_step_size(2.0, nan, 1e-6, 0.5, 3.0) == 0.5
    per_step = ev.methods.PathIntegrator(1, error="per step")
    assert per_step.adjust_step_size(2.0, 1e-6, 1e-6) == pytest.approx(2.0 * 0.5**0.2, rel=1e-12)


@pytest.mark.slow
@pytest.mark.row("R-227")
@given(
    st.lists(st.floats(-3.0, 3.0), min_size=4, max_size=4),
    st.floats(-2.0, 2.0),
    st.floats(0.01, 5.0),
    st.floats(0.0, 1.0),
)
def test_cubics_are_interpolated_exactly(c: list[float], t0: float, dt: float, theta: float) -> None:
    cubic = np.polynomial.Polynomial(c)
    slope, t1 = cubic.deriv(), t0 + dt
    te = min(t1, t0 + theta * dt)
    p, v = np.array([cubic(t0)]), np.array([slope(t0)])
    hermite_interpolate(te, t0, p, v, t1, np.array([cubic(t1)]), np.array([slope(t1)]))
    size = sum(abs(k) * 8.0**i for i, k in enumerate(c)) + 1.0
    assert abs(p[0] - cubic(te)) <= 1e-13 * size
    assert abs(v[0] - slope(te)) <= 1e-13 * size / min(1.0, dt)


@pytest.mark.row("R-228", "R-229")
def test_the_ends_are_exact_and_the_result_takes_the_place_of_the_start() -> None:
    p0, v0, p1, v1 = (np.array([x]) for x in (0.1, 0.7, 0.3, -1.1))
    assert hermite_interpolate(1.0, 1.0, p0, v0, 1.3, p1, v1) == 1.0
    assert (p0[0], v0[0]) == (0.1, 0.7)
    te = hermite_interpolate(1.1, 1.0, p0, v0, 1.3, p1, v1)
    assert te == 1.1
    assert (p0[0], v0[0]) != (0.1, 0.7)
    # Going on from there gives the end bit for bit, and leaves it alone.
    assert hermite_interpolate(1.3, te, p0, v0, 1.3, p1, v1) == 1.3
    assert (p0[0], v0[0], p1[0], v1[0]) == (0.3, -1.1, 0.3, -1.1)
    assert p0 is not p1
    assert hermite_interpolate(1.3, 1.3, p0, v0, 1.3, p1, v1) == 1.3


@pytest.mark.row("R-228")
def test_times_outside_of_a_step_are_refused() -> None:
    def at(te: float, t0: float, t1: float, **options: bool) -> float:
        p, v = np.array([t0**3]), np.array([3 * t0**2])
        hermite_interpolate(te, t0, p, v, t1, np.array([t1**3]), np.array([3 * t1**2]), **options)
        return float(p[0])

    with pytest.raises(ev.ModelError, match="no other time on a step of length 0"):
        at(1.5, 1.0, 1.0)
    for te in (0.9, 2.1):
        with pytest.raises(ev.ModelError, match=r"lies outside of \[1.0, 2.0\]"):
            at(te, 1.0, 2.0)
        assert at(te, 1.0, 2.0, extrapolate=True) == pytest.approx(te**3)
    with pytest.raises(ev.ModelError, match="te = nan"):
        at(nan, 1.0, 2.0, extrapolate=True)
    assert at(1.5, 2.0, 1.0) == pytest.approx(1.5**3)


@pytest.mark.row("R-230", "R-231", "R-232")
def test_the_check_sees_the_first_every_accepted_and_the_last_state() -> None:
    calls, seen = Calls(), []

    def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        seen.append((t, float(p[0])))
        a[:] = pendulum(t, p, v)
        return min(0.5 * len(seen), 2.0)

    p, v, _ = start()
    end = ev.methods.PathIntegrator(1).integrate(0.0, p, v, check, calls, tolerance=1e-2, dt_min=1e-6, first_step=10.0)
    # Each step ends where the check says, exactly, and the one that is not later than now ends the path.
    assert [t for t, _ in seen] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert len(calls.times) == 4 * 5
    assert end.time == 2.0
    assert end.position.tolist() == [seen[-1][1]]
    assert end.velocity[0] == pytest.approx(cos(2.0), abs=1e-2)
    assert (p, v) == ([0.0], [1.0])


@pytest.mark.row("R-232")
def test_a_path_that_ends_at_once() -> None:
    calls = Calls()

    def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        a[:] = 0.0
        p += 1.0
        return t

    end = ev.methods.PathIntegrator(2).integrate(3.0, [1.0, 2.0], [0.0, 0.0], check, calls, tolerance=1e-6)
    assert (end.time, end.position.tolist(), calls.times) == (3.0, [2.0, 3.0], [])


@pytest.mark.slow
@pytest.mark.row("R-230", "R-226")
@pytest.mark.parametrize("kind", ["per unit time", "per step"])
def test_steps_are_chosen_by_the_error(kind: str) -> None:
    def follow(tolerance: float | tuple[float, float]) -> tuple[int, int, float]:
        calls, seen = Calls(), []

        def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
            seen.append(t)
            a[:] = pendulum(t, p, v)
            return 20.0

        p, v, _ = start()
        path = ev.methods.PathIntegrator(1, error=kind)
        end = path.integrate(0.0, p, v, check, calls, tolerance=tolerance, dt_min=1e-6, first_step=0.1)
        assert (seen[0], seen[-1]) == (0.0, 20.0)
        assert seen == sorted(set(seen))
        assert len(calls.times) % 5 == 0
        return len(seen) - 1, len(calls.times) // 5, abs(end.position[0] - sin(20.0))

    loose, tight = follow(1e-4), follow(1e-8)
    assert 1e-7 < loose[2] < 1e-2
    assert tight[2] < 1e-6
    # Trials are accepted or refused; most are accepted.
    assert tight[0] <= tight[1] < 1.3 * tight[0]
    expected = 10.0 ** (4 / 5 if kind == "per step" else 1.0)
    assert tight[0] / loose[0] == pytest.approx(expected, rel=0.35)
    # Two tolerances: the stricter one counts where both do.
    assert follow((1e-8, 1e-8)) == tight
    assert loose[0] < follow((1e-8, 1.0))[0] <= tight[0]


@pytest.mark.row("R-231", "R-233")
def test_a_bouncing_ball_is_found_and_reflected_in_the_check() -> None:
    """A ball with restitution 1/2 from height 1 at g = 2 lands at 1, then flies 1, 1/2, ...: events in the check."""
    bounces: list[float] = []
    last = [0.0, np.array([1.0]), np.array([0.0])]

    def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        a[:] = -2.0
        if abs(p[0]) < 1e-13 and v[0] < 0.0:
            bounces.append(t)
            v *= -0.5
        # The next landing, from p + v s - s**2 = 0.
        return 2.3 if len(bounces) == 3 else t + (v[0] + (v[0] ** 2 + 4.0 * max(p[0], 0.0)) ** 0.5) / 2.0

    path = ev.methods.PathIntegrator(1)
    end = path.integrate(*last, check, lambda t, p, v: np.array([-2.0]), tolerance=1e-6, first_step=1.0)
    assert len(bounces) == 3
    assert bounces == pytest.approx([1.0, 2.0, 2.5], abs=1e-12)
    assert end.time == bounces[-1]


@pytest.mark.row("R-233")
def test_where_the_acceleration_jumps_the_check_sets_the_right_limit() -> None:
    """A = 0 before t = 1 and 6 after: p = 3 (t - 1)**2; no step crosses the jump."""
    states: list[tuple[float, float]] = []

    def law(t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([0.0 if t < 1.0 or (t == 1.0 and before[0]) else 6.0])

    before = [True]

    def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        if t >= 1.0:
            before[0] = False
        a[:] = 0.0 if before[0] else 6.0
        states.append((t, float(a[0])))
        return 1.0 if before[0] else 2.0

    end = ev.methods.PathIntegrator(1).integrate(0.0, [0.0], [0.0], check, law, tolerance=1e-9, first_step=0.4)
    assert (1.0, 6.0) in states
    assert all(a == (0.0 if t < 1.0 else 6.0) for t, a in states)
    assert end.position[0] == pytest.approx(3.0, rel=1e-14)
    assert end.velocity[0] == pytest.approx(6.0, rel=1e-14)


@pytest.mark.row("R-231")
def test_what_a_check_must_do() -> None:
    def integrate(check, law=pendulum, **options: object) -> None:
        ev.methods.PathIntegrator(1).integrate(0.0, [0.0], [1.0], check, law, **({"tolerance": 1e-6} | options))

    def good(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        a[:] = 0.0
        return 1.0

    with pytest.raises(ev.ModelError, match=r"has not set the acceleration at time 0.0: assign a\[:\]"):
        integrate(lambda t, p, v, a: 1.0)
    with pytest.raises(ev.ModelError, match="check_state returned nan"):
        integrate(lambda t, p, v, a: a.fill(0.0) or nan)
    with pytest.raises(ev.ModelError, match="0 < dt_min <= dt_max"):
        integrate(good, dt_min=2.0, dt_max=1.0)
    with pytest.raises(ev.ModelError, match="tolerance above 0"):
        integrate(good, tolerance=(1e-6, 0.0))
    with pytest.raises(ev.ModelError, match="are not finite"):
        integrate(good, lambda t, p, v: np.array([nan]))


def test_a_step_that_cannot_advance_is_an_error() -> None:
    def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        a[:] = 0.0
        return inf

    def law(t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([1e30 * cos(1e30 * t)])

    with pytest.raises(ev.ModelError, match=r"does not advance time 1000000000\.0"):
        ev.methods.PathIntegrator(1).integrate(1e9, [0.0], [0.0], check, law, tolerance=1e-9, dt_min=1e-12)


@pytest.mark.row("R-232")
def test_the_end_that_was_asked_for_is_met_to_the_bit() -> None:
    ends = [-1.0, 1e-20, 7.0 / 3.0]
    assert any(t + (end - t) != end for t, end in pairwise(ends))
    seen: list[float] = []

    def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        seen.append(t)
        a[:] = 0.0
        return next((end for end in ends if end > t), t)

    ev.methods.PathIntegrator(1).integrate(
        ends[0], [0.0], [1.0], check, lambda t, p, v: [0.0], tolerance=1.0, first_step=1e4
    )
    assert seen == ends


def test_a_law_that_scribbles_on_its_arguments_changes_nothing() -> None:
    def scribbling(t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        result = pendulum(t, p, v)
        p[:] = v[:] = 1e9
        return result

    p, v, a = start()
    paths = [ev.methods.PathIntegrator(1) for _ in range(2)]
    errors = [path.start_step(0.0, p, v, a, 0.3, law) for path, law in zip(paths, (pendulum, scribbling), strict=True)]
    assert errors[0] == errors[1]


def test_a_circle_closes() -> None:
    def law(t: float, p: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -p / np.sum(p * p) ** 1.5

    def check(t: float, p: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        a[:] = law(t, p, v)
        return 2.0 * pi

    end = ev.methods.PathIntegrator(2).integrate(0.0, [1.0, 0.0], [0.0, 1.0], check, law, tolerance=1e-9)
    assert end.position.tolist() == pytest.approx([1.0, 0.0], abs=1e-7)
    assert end.velocity.tolist() == pytest.approx([0.0, 1.0], abs=1e-7)
