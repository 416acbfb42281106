"""Quantiles and incomplete functions against scipy, tails and extreme parameters included."""

from math import exp

import pytest
from scipy import special

from eventide.statistics.incomplete import log_beta_tail, log_gamma_tails
from eventide.statistics.quantiles import (
    beta_logit,
    beta_quantile,
    gamma_quantile,
    normal_quantile,
    poisson_quantile,
    student_quantile,
)

SMALL = [2.0**-53, 2.0**-40, 2.0**-20, 2.0**-7, 0.125, 0.3125, 0.4375]  # so that 1 - u is exact
CHANCES = sorted([*SMALL, 0.5, 0.75, *(1.0 - u for u in SMALL)])
SHAPES = [0.05, 0.3, 0.9, 1.0, 1.5, 2.0, 7.0, 40.0, 300.0, 1e4]


def allowed(size):
    """Relative error: logarithms of this size cancel."""
    return 1e-12 + 2e-14 * size


def test_normal():
    assert [normal_quantile(u) for u in CHANCES] == pytest.approx([special.ndtri(u) for u in CHANCES], rel=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
def test_incomplete_gamma(shape):
    for x in (1e-8, 0.1, 0.9 * shape, shape, shape + 1.0, 1.5 * shape + 3.0):
        lower, upper = log_gamma_tails(shape, x)
        assert exp(lower) == pytest.approx(special.gammainc(shape, x), rel=allowed(shape), abs=1e-300)
        assert exp(upper) == pytest.approx(special.gammaincc(shape, x), rel=allowed(shape), abs=1e-300)


@pytest.mark.parametrize("a", SHAPES)
def test_incomplete_beta(a):
    for b in SHAPES:
        for x in (1e-8, 0.2, a / (a + b), 0.9):
            expected = special.betainc(a, b, x)
            assert exp(log_beta_tail(a, b, x, 1.0 - x)) == pytest.approx(expected, rel=allowed(a + b), abs=1e-300)


@pytest.mark.parametrize("shape", SHAPES)
def test_gamma(shape):
    found = [gamma_quantile(shape, u) for u in CHANCES]

    assert found == sorted(found)
    reached_by_scipy = [(u, x) for u, x in zip(CHANCES, found, strict=True) if x >= 1e-290]
    assert len(reached_by_scipy) >= 10
    for u, x in reached_by_scipy:
        tail, reached = (special.gammaincc, 1.0 - u) if u > 0.5 else (special.gammainc, u)
        assert tail(shape, x) == pytest.approx(reached, rel=allowed(shape))


def test_gamma_below_the_least_float():
    assert gamma_quantile(1e-3, 1e-6) == 0.0


@pytest.mark.parametrize("a", SHAPES)
def test_beta(a):
    looked_at = 0
    for b in SHAPES:
        found = [beta_quantile(a, b, u) for u in CHANCES]
        assert found == sorted(found)
        assert all(0.0 <= x <= 1.0 for x in found)
        for u, x in zip(CHANCES, found, strict=True):
            if 1e-290 < x < 0.9:  # further up it is the distance to 1 that counts
                assert special.betainc(a, b, x) == pytest.approx(u, rel=allowed(a + b))
                looked_at += 1
            assert beta_logit(a, b, u) == pytest.approx(-beta_logit(b, a, 1.0 - u), rel=1e-9, abs=1e-9)
    assert looked_at >= 16


@pytest.mark.parametrize("freedom", [0.5, 1.0, 2.0, 3.0, 9.0, 29.0, 1e3, 1e5])
def test_student(freedom):
    assert student_quantile(freedom, 0.5) == 0.0
    for u in SMALL:
        low, high = student_quantile(freedom, u), student_quantile(freedom, 1.0 - u)
        assert special.stdtr(freedom, low) == pytest.approx(u, rel=1e-9)
        assert 1.0 - special.stdtr(freedom, high) == pytest.approx(u, rel=1e-9, abs=1e-15)


def test_student_in_the_books():
    assert student_quantile(9.0, 0.975) == pytest.approx(2.262157, abs=5e-7)
    assert student_quantile(1.0, 0.975) == pytest.approx(12.706205, abs=5e-7)


@pytest.mark.parametrize("mean", [0.0, 0.1, 3.0, 19.9, 20.0, 20.1, 23.115870914762944, 300.0, 1e5])
def test_poisson(mean):
    for u in [*(0.001 + 0.0311 * k for k in range(33)), *CHANCES[:-1], 0.9999999999991667]:
        k = poisson_quantile(mean, u)
        if u > 0.5:
            assert special.pdtrc(k, mean) <= 1.0 - u
            assert k == 0 or special.pdtrc(k - 1, mean) > 1.0 - u
        else:
            assert special.pdtr(k, mean) >= u
            assert k == 0 or special.pdtr(k - 1, mean) < u


def test_poisson_at_the_last_uniform():
    assert poisson_quantile(19.9, 1.0 - 2.0**-53) < 80
    assert poisson_quantile(0.0, 1.0 - 2.0**-53) == 0


@pytest.mark.parametrize(
    ("shape", "u"),
    [(0.00289751248832427, 0.9999999999), (0.006257914914452247, 0.999980649851891), (0.00167, 1.0 - 2.0**-53)],
)
def test_the_upper_tail_of_a_gamma_distribution_of_a_tiny_shape_is_found(shape, u):
    assert gamma_quantile(shape, u) == pytest.approx(special.gammainccinv(shape, 1.0 - u), rel=1e-9)
