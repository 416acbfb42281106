"""The rule on one interval: exact for polynomials, cut only where it must be; peaks wherever they are."""

from itertools import pairwise
from math import inf, sin

import pytest

from eventide.observe.quadrature import MOST_PIECES, Peak, greatest, pieces_of


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, time):
        self.calls += 1
        return self.function(time)


def cut(function, start=0.0, end=1.0, *, relative=1e-9, absolute=0.0):
    return pieces_of(function, start, end, function(start), function(end), relative=relative, absolute=absolute)


@pytest.mark.parametrize("degree", range(10))
def test_polynomials_up_to_degree_nine_are_integrated_exactly(degree):
    pieces = cut(lambda t: t**degree, -1.0, 2.0, relative=inf)

    assert len(pieces) == 1
    assert pieces[0].integral == pytest.approx((2.0 ** (degree + 1) - (-1.0) ** (degree + 1)) / (degree + 1), rel=1e-14)
    assert (pieces[0].error < 1e-13) == (degree < 6)


def test_a_smooth_interval_costs_five_points_beside_its_ends():
    function = Counted(lambda t: 1.0 + 0.01 * sin(t))

    assert len(cut(function, end=0.5)) == 1
    assert function.calls == 7


def test_pieces_are_in_order_and_smallest_at_a_kink():
    pieces = cut(lambda t: abs(t - 0.3))

    ends = [(piece.times[0], piece.times[-1]) for piece in pieces]
    assert ends[0][0] == 0.0
    assert ends[-1][1] == 1.0
    assert all(left[1] == right[0] for left, right in pairwise(ends))
    (low, high), *_ = sorted(ends, key=lambda e: e[1] - e[0])
    assert low <= 0.3 + 2 * (high - low)
    assert high >= 0.3 - 2 * (high - low)
    assert sum(piece.integral for piece in pieces) == pytest.approx(0.29, abs=1e-9)


def test_noise_is_not_cut_without_end():
    assert len(cut(lambda t: hash(t) % 7 - 3.0)) == MOST_PIECES


def test_an_interval_of_neighbouring_times_stays_whole():
    assert len(cut(lambda t: float(t > 1.0), 1.0, 1.0 + 2.0**-52)) == 1


@pytest.mark.parametrize("peak", [0.0, 0.01, 0.05, 0.3, 0.5, 0.77, 0.96, 0.99, 1.0])
@pytest.mark.parametrize("shape", [lambda d: 3.0 - d * d, lambda d: 3.0 - abs(d)], ids=["smooth", "kink"])
def test_a_peak_is_found_wherever_it_is(peak, shape):
    def function(time):
        return shape(time - peak)

    found = greatest(function, cut(function), Peak())

    assert found.value == pytest.approx(3.0, abs=1e-8)
    assert found.time == pytest.approx(peak, abs=2e-8)


def test_a_peak_is_looked_for_only_where_it_may_be():
    function = Counted(lambda t: 2.0 + t)
    pieces = cut(function)

    assert greatest(function, pieces, Peak()) == (3.0, 1.0)
    assert greatest(function, pieces, Peak(5.0, -1.0)) == (5.0, -1.0)
    assert greatest(function, pieces, Peak(3.0, -1.0)) == (3.0, -1.0)
    assert function.calls == 7

    hump = Counted(lambda t: 1.0 - (t - 0.3) ** 2)
    assert greatest(hump, cut(hump), Peak(5.0, -1.0)) == (5.0, -1.0)
    assert hump.calls == 7


def test_a_constant_has_its_peak_at_the_start():
    assert greatest(lambda t: 2.0, cut(lambda t: 2.0), Peak()) == (2.0, 0.0)
