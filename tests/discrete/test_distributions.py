"""Every draw: inversion against scipy, moments and shape of samples, its table, its limits and its refusals."""

from collections import Counter
from itertools import pairwise, product
from math import exp, inf, isfinite, log, nan, sqrt

import numpy as np
import pytest
from scipy import stats

from eventide.streams.distributions import Distributions
from eventide.streams.streams import Stream

LEAST, MOST = 2.0**-53, 1.0 - 2.0**-53
GRID = [LEAST, 1e-9, 0.02, 0.11, 0.37, 0.5, 0.62, 0.9, 0.999, 1.0 - 1e-9, MOST]


class Given(Distributions):
    """Draws from uniforms that are given, and counts them."""

    def __init__(self, *given):
        self.name = "given"
        self.used = 0
        self.given = given
        self.random = self.next

    def next(self):
        self.used += 1
        return self.given[self.used - 1]


LOG_MEAN, LOG_STDEV = 4.0, 3.0
LOG_VARIANCE = np.log1p((LOG_STDEV / LOG_MEAN) ** 2)

CONTINUOUS = {
    "uniform": (lambda s: s.uniform(-1.0, 4.0), stats.uniform(-1.0, 5.0)),
    "normal": (lambda s: s.normal(3.0, 2.0), stats.norm(3.0, 2.0)),
    "negexp": (lambda s: s.negexp(4.0), stats.expon(scale=0.25)),
    "exponential": (lambda s: s.exponential(4.0), stats.expon(scale=4.0)),
    "triangular": (lambda s: s.triangular(1.0, 2.0, 5.0), stats.triang(0.25, 1.0, 4.0)),
    "triangular right": (lambda s: s.triangular(1.0, 5.0, 5.0), stats.triang(1.0, 1.0, 4.0)),
    "lognormal": (
        lambda s: s.lognormal(LOG_MEAN, LOG_STDEV),
        stats.lognorm(sqrt(LOG_VARIANCE), scale=LOG_MEAN * np.exp(-LOG_VARIANCE / 2.0)),
    ),
    "gamma": (lambda s: s.gamma(2.5, 3.0), stats.gamma(2.5, scale=3.0)),
    "gamma flat": (lambda s: s.gamma(0.4, 3.0), stats.gamma(0.4, scale=3.0)),
    "beta": (lambda s: s.beta(2.0, 3.0), stats.beta(2.0, 3.0)),
    "weibull": (lambda s: s.weibull(1.7, 3.0), stats.weibull_min(1.7, scale=3.0)),
    "linear": (
        lambda s: s.linear([0.0, 0.25, 1.0], [1.0, 2.0, 3.0]),
        stats.rv_histogram(([0.25, 0.75], [1.0, 2.0, 3.0]), density=True),
    ),
}
DISCRETE = {
    "draw": (lambda s: s.draw(0.3), stats.bernoulli(0.3)),
    "randint": (lambda s: s.randint(-2, 3), stats.randint(-2, 4)),
    "poisson": (lambda s: s.poisson(3.5), stats.poisson(3.5)),
    "poisson large": (lambda s: s.poisson(60.0), stats.poisson(60.0)),
    "geometric": (lambda s: s.geometric(0.3), stats.geom(0.3)),
    "discrete": (
        lambda s: s.discrete([0.2, 0.2, 0.7, 1.0]),
        stats.rv_discrete(values=([0, 1, 2, 3], [0.2, 0.0, 0.5, 0.3])),
    ),
    "discrete without the 1": (
        lambda s: s.discrete((0.2, 0.7)),
        stats.rv_discrete(values=([0, 1, 2], [0.2, 0.5, 0.3])),
    ),
    "histd": (
        lambda s: s.histd([0, 2, 0, 5, 3, 0]),
        stats.rv_discrete(values=([1, 3, 4], [0.2, 0.5, 0.3])),
    ),
    "choice": (lambda s: s.choice([7, 7, 8, 9]), stats.rv_discrete(values=([7, 8, 9], [0.5, 0.25, 0.25]))),
}
ERLANG = {"erlang": (lambda s: s.erlang(6.0, 3), stats.gamma(3.0, scale=2.0))}

every_continuous = pytest.mark.parametrize(("draw", "exact"), CONTINUOUS.values(), ids=list(CONTINUOUS))
every_discrete = pytest.mark.parametrize(("draw", "exact"), DISCRETE.values(), ids=list(DISCRETE))
EVERY = CONTINUOUS | DISCRETE | ERLANG


def sample(draw, count, replication=0):
    stream = Stream.named(4711, "sample", replication)
    return np.array([draw(stream) for _ in range(count)], dtype=float)


@every_continuous
def test_inversion_of_one_uniform(draw, exact):
    for u in GRID:
        stream = Given(u)
        found = draw(stream)
        assert stream.used == 1
        wanted = exact.isf(1.0 - u) if u > 0.9 else exact.ppf(u)
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@every_discrete
def test_one_uniform_falls_into_the_right_step(draw, exact):
    steps = [float(exact.cdf(k)) for k in range(-2, 10) if 0.0 < exact.cdf(k) < 1.0 - 1e-6]
    assert steps
    for u in [*GRID[1:-1], *(step + aside for step in steps for aside in (-1e-9, 1e-9) if step > 1e-6)]:
        stream = Given(u)
        found = draw(stream)
        assert stream.used == 1
        assert exact.cdf(found - 1) <= u + 1e-12
        assert exact.cdf(found) >= u - 1e-12


@pytest.mark.parametrize("draw", [draw for draw, _ in EVERY.values()], ids=list(EVERY))
def test_variates_rise_with_their_uniforms(draw):
    found = [draw(Given(u, u, u)) for u in GRID]

    assert all(low <= high for low, high in pairwise(found))
    assert found[0] < found[-1]
    assert all(map(isfinite, found))


@pytest.mark.slow
@pytest.mark.parametrize("replication", [1, 2])
@pytest.mark.parametrize(("draw", "exact"), EVERY.values(), ids=list(EVERY))
def test_moments(draw, exact, replication):
    count = 4000
    found = sample(draw, count, replication)
    mean, variance, kurtosis = (float(moment) for moment in exact.stats(moments="mvk"))

    assert abs(found.mean() - mean) < 4.0 * sqrt(variance / count)
    assert abs(found.var(ddof=1) - variance) < 4.0 * variance * sqrt((kurtosis + 2.0) / count)


@pytest.mark.parametrize(("draw", "exact"), (CONTINUOUS | ERLANG).values(), ids=list(CONTINUOUS | ERLANG))
def test_shape_by_kolmogorov_and_smirnov(draw, exact):
    assert stats.kstest(sample(draw, 4000), exact.cdf).pvalue > 1e-3


@every_discrete
def test_shape_by_chi_square(draw, exact):
    count = 4000
    found = Counter(sample(draw, count).tolist())
    values = [k for k in range(-2, 100) if count * exact.pmf(k) > 5.0]
    expected = [count * exact.pmf(k) for k in values]
    observed = [found.pop(float(k), 0) for k in values]
    rest = count - sum(expected)

    assert sum(found.values()) < 1.0 + 10.0 * rest
    if rest > 5.0:
        observed.append(sum(found.values()))
        expected.append(rest)
    scaled = np.array(expected) * sum(observed) / sum(expected)
    assert stats.chisquare(observed, scaled).pvalue > 1e-3


def test_ends_of_probability():
    for u in (LEAST, 0.5, MOST):
        assert Given(u).draw(0) is False
        assert Given(u).draw(1) is True
        assert Given(u).geometric(1.0) == 1
        assert Given(u).normal(3.0, 0.0) == 3.0
        assert Given(u).lognormal(3.0, 0.0) == 3.0
        assert Given(u).uniform(2, 2) == 2.0
        assert Given(u).triangular(2, 2, 2) == 2.0
        assert Given(u).poisson(0) == 0
        assert Given(u).randint(4, 4) == 4


def test_a_single_value_takes_its_uniform():
    stream = Given(0.5, 0.5, 0.5)
    stream.geometric(1.0)
    stream.normal(3.0, 0.0)
    stream.choice([1])

    assert stream.used == 3


def test_last_uniform_stays_in_range():
    assert Given(MOST).randint(0, 2**52 - 1) == 2**52 - 1
    assert Given(MOST).randint(1, 6) == 6
    assert Given(MOST).choice("abc") == "c"
    assert Given(MOST).histd([0.1] * 10 + [0.0]) == 9
    assert Given(LEAST).histd([0.0, 0.1]) == 1
    assert Given(MOST).discrete([0.5, 1.0]) == 1
    assert Given(MOST).empirical([1.0, 2.0, 4.0])() <= 4.0


def test_integers_of_numpy():
    found = Given(0.99).randint(np.int64(1), np.int64(6))

    assert (found, type(found)) == (6, int)


def test_erlang_takes_k_uniforms():
    stream = Given(0.1, 0.2, 0.3)

    assert stream.erlang(6.0, 3) == pytest.approx(-2.0 * np.log(0.9 * 0.8 * 0.7), rel=1e-12)
    assert stream.used == 3


def test_tables_are_read_again_when_they_change():
    weights = [1.0, 0.0]
    assert Given(0.5).histd(weights) == 0
    weights[:] = [0.0, 1.0]
    assert Given(0.5).histd(weights) == 1
    assert Given(0.5).histd(np.array([1.0, 3.0])) == 1


def test_shuffle_by_hand():
    cards = list("abcd")
    stream = Given(0.0, 0.99, 0.5)
    stream.shuffle(cards)

    assert ("".join(cards), stream.used) == ("dbca", 3)


def test_every_order_is_equally_probable():
    stream = Stream.named(1, "cards")
    orders = Counter()
    for _ in range(2400):
        cards = list("abcd")
        stream.shuffle(cards)
        orders["".join(cards)] += 1

    assert len(orders) == 24
    assert stats.chisquare(list(orders.values())).pvalue > 1e-3


def test_sample_takes_none_twice():
    stream = Stream.named(1, "x")
    pairs = Counter(tuple(stream.sample("abcd", 2)) for _ in range(2400))

    assert len(pairs) == 12
    assert [pair for pair in pairs if pair[0] == pair[1]] == []
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-3
    assert sorted(stream.sample(range(5), 5)) == [0, 1, 2, 3, 4]
    assert stream.sample([], 0) == []


def test_sample_takes_k_uniforms():
    stream = Given(0.9, 0.0)

    assert (stream.sample([1, 2, 3], 2), stream.used) == ([3, 2], 2)


def test_empirical_lies_between_the_data():
    data = [4.0, 1.0, 2.0]
    service = Given(0.25, 0.5, 0.75, MOST).empirical(data)
    data.clear()

    assert [service(), service(), service()] == [1.5, 2.0, 3.0]
    assert service() == pytest.approx(4.0)
    assert repr(service) == "<Empirical 'given': 3 numbers from 1 to 4>"


def test_trace_gives_its_values_in_order():
    stream = Given()
    gap = stream.trace([3.0, 1.0, 2.0])

    assert repr(gap) == "<Trace 'given': 3 values>"
    assert [gap(), gap(), gap()] == [3.0, 1.0, 2.0]
    assert stream.used == 0
    with pytest.raises(LookupError, match=r"stream 'given': all 3 values of its trace were given: .*cycle=True"):
        gap()


def test_trace_ends_a_loop():
    gap = Given().trace("abc")

    assert gap() == "a"
    assert list(gap) == ["b", "c"]


def test_trace_again_and_again():
    gap = Given().trace([1, 2], cycle=True)

    assert [gap() for _ in range(5)] == [1, 2, 1, 2, 1]
    assert repr(gap) == "<Trace 'given': 2 values, again and again>"


BAD = [
    (lambda s: s.draw(1.3), r"draw\(p=1.3\): p is a probability from 0 to 1"),
    (lambda s: s.draw(nan), r"draw\(p=nan\)"),
    (lambda s: s.randint(6, 1), r"randint\(a=6, b=1\): a is at most b"),
    (lambda s: s.randint(0, 2**52), r"enclose at most 2\*\*52 integers"),
    (lambda s: s.uniform(2.0, 1.0), r"uniform\(a=2.0, b=1.0\): a is at most b"),
    (lambda s: s.uniform(nan, 1.0), r"uniform\(a=nan"),
    (lambda s: s.uniform(0.0, inf), "both and their difference are finite"),
    (lambda s: s.uniform(-1e308, 1e308), "both and their difference are finite"),
    (lambda s: s.triangular(-1e308, 0.0, 1e308), r"triangular\(low=-1e\+308"),
    (lambda s: s.normal(0.0, -1.0), r"normal\(mean=0.0, stdev=-1.0\)"),
    (lambda s: s.normal(nan, 1.0), r"normal\(mean=nan"),
    (lambda s: s.negexp(0.0), r"negexp\(rate=0.0\): the rate, 1/mean"),
    (lambda s: s.exponential(-1.0), r"exponential\(mean=-1.0\): the mean is above 0 and up to 4.8e306"),
    (lambda s: s.exponential(1e307), r"exponential\(mean=1e\+307\): the mean is above 0 and up to 4.8e306"),
    (lambda s: s.negexp(1e-307), r"negexp\(rate=1e-307\): the rate, 1/mean, is finite and at least 2.1e-307"),
    (lambda s: s.normal(0.0, 2e307), r"normal\(mean=0.0, stdev=2e\+307\)"),
    (lambda s: s.erlang(1e307, 2), r"erlang\(mean=1e\+307, k=2\): the mean is above 0 and up to 4.8e306"),
    (lambda s: s.lognormal(1e300, 1e305), r"lognormal\(mean=1e\+300, stdev=1e\+305\): mean above 0 and up to 1e293"),
    (lambda s: s.gamma(1e16, 1.0), r"gamma\(shape=1e\+16, scale=1.0\): .*the shape is at most 1e12"),
    (lambda s: s.gamma(1e10, 1e300), r"scale \* \(2 \* shape \+ 100\) is finite"),
    (lambda s: s.beta(1e300, 1.0), r"beta\(a=1e\+300, b=1.0\): both are greater than 0 and at most 1e12"),
    (lambda s: s.weibull(1e-300, 1.0), r"weibull\(shape=1e-300, scale=1.0\): .*so is scale \* 37\*\*\(1/shape\)"),
    (lambda s: s.geometric(5e-324), r"geometric\(p=5e-324\): .*from 2.1e-307 to 1"),
    (lambda s: s.exponential(inf), r"exponential\(mean=inf\)"),
    (lambda s: s.exponential(nan), r"exponential\(mean=nan\)"),
    (lambda s: s.poisson(-1.0), r"poisson\(mean=-1.0\)"),
    (lambda s: s.poisson(1e10), r"round normal\(mean, sqrt\(mean\)\)"),
    (lambda s: s.erlang(0.0, 2), r"erlang\(mean=0.0, k=2\)"),
    (lambda s: s.erlang(1.0, 0), r"erlang\(mean=1.0, k=0\)"),
    (lambda s: s.erlang(1.0, inf), r"erlang\(mean=1.0, k=inf\)"),
    (lambda s: s.erlang(1.0, 1.5), r"k is an integer from 1 on; for others there is gamma"),
    (lambda s: s.triangular(1.0, 5.0, 2.0), r"triangular\(low=1.0, mode=5.0, high=2.0\)"),
    (lambda s: s.lognormal(0.0, 1.0), r"lognormal\(mean=0.0, stdev=1.0\)"),
    (lambda s: s.lognormal(1.0, -1.0), r"lognormal\(mean=1.0, stdev=-1.0\)"),
    (lambda s: s.gamma(0.0, 1.0), r"gamma\(shape=0.0, scale=1.0\)"),
    (lambda s: s.gamma(1.0, nan), r"gamma\(shape=1.0, scale=nan\)"),
    (lambda s: s.beta(0.0, 1.0), r"beta\(a=0.0, b=1.0\)"),
    (lambda s: s.beta(1.0, inf), r"beta\(a=1.0, b=inf\)"),
    (lambda s: s.weibull(-1.0, 1.0), r"weibull\(shape=-1.0, scale=1.0\)"),
    (lambda s: s.geometric(0.0), r"geometric\(p=0.0\)"),
    (lambda s: s.geometric(1.5), r"geometric\(p=1.5\)"),
    (lambda s: s.choice([]), r"choice\(\[\]\): there must be a value"),
    (lambda s: s.sample([1], 2), r"sample\(1 values, k=2\)"),
    (lambda s: s.empirical([1.0]), r"empirical\(\) of 1 numbers: give at least two"),
    (lambda s: s.empirical([1.0, nan]), "all finite"),
    (lambda s: s.trace([]), r"trace\(\[\]\)"),
]
BAD_TABLES = [
    (lambda s: s.discrete([]), "the cumulative probabilities are"),
    (lambda s: s.discrete([0.5, 0.4]), "they rise from at least 0 to at most 1"),
    (lambda s: s.discrete([0.5, 1.1]), "they rise"),
    (lambda s: s.discrete([nan]), "they rise"),
    (lambda s: s.linear([0.0, 1.0], [1.0]), "2 cumulative probabilities for 1 values"),
    (lambda s: s.linear([0.1, 1.0], [1.0, 2.0]), "probabilities begin with 0 and end with 1"),
    (lambda s: s.linear([0.0, 0.9], [1.0, 2.0]), "probabilities begin with 0 and end with 1"),
    (lambda s: s.linear([0.0, 1.0], [2.0, 2.0]), "values rise strictly"),
    (lambda s: s.linear([0.0, 1.0], [1.0, inf]), "values rise strictly"),
    (lambda s: s.linear([0.0, 1.0], [-1e308, 1e308]), "values rise strictly, by finite differences"),
    (lambda s: s.histd([1e308, 1e308]), "and their sum is finite"),
    (lambda s: s.histd([]), "the weights are"),
    (lambda s: s.histd([0.0, 0.0]), "at least one is greater than 0"),
    (lambda s: s.histd([1.0, -1.0]), "each is a finite number >= 0"),
    (lambda s: s.histd([1.0, nan]), "each is a finite number >= 0"),
]


@pytest.mark.parametrize(("ask", "message"), BAD, ids=range(len(BAD)))
def test_refusals_name_the_stream_and_what_is_allowed(ask, message):
    stream = Stream.named(1, "x")

    with pytest.raises(ValueError, match="stream 'x': .*" + message):
        ask(stream)
    assert stream.random() == Stream.named(1, "x").random()  # a refused draw takes no uniform


@pytest.mark.parametrize(("ask", "message"), BAD_TABLES, ids=range(len(BAD_TABLES)))
def test_tables_are_checked(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(Given())


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.randint(1.0, 6.0), r"stream 'x': randint\(a=1.0, b=6.0\): both limits are integers"),
        (lambda s: s.sample({1, 2}, 1), r"stream 'x': sample\(\) of a set: .* give sorted\(values\)"),
        (lambda s: s.trace({1, 2}), r"stream 'x': trace\(\) of a set"),
        (lambda s: s.exponential("3"), "not supported between instances of 'float' and 'str'"),
    ],
    ids=["randint", "sample", "trace", "text"],
)
def test_wrong_types_are_refused(ask, message):
    with pytest.raises(TypeError, match=message):
        ask(Stream.named(1, "x"))


@pytest.mark.parametrize(("mean", "stdev"), [(1.0, 1e200), (1e-10, 1e300), (1.0, 1e150)])
def test_a_lognormal_number_of_a_huge_spread_is_a_number(mean, stdev):
    for u in GRID:
        spread = sqrt(2.0 * (log(stdev) - log(mean)))
        wanted = stats.norm.ppf(u) * spread - 0.5 * spread**2 + log(mean)
        assert Given(u).lognormal(mean, stdev) == pytest.approx(exp(wanted), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("table", [{0.5: "a", 1.0: "b"}, {0.5, 1.0}, frozenset({0.5, 1.0})])
def test_a_table_without_an_order_is_refused(table):
    stream = Given(0.3)
    for draw in (stream.histd, stream.discrete, stream.empirical, lambda one: stream.linear([0.0, 1.0], one)):
        with pytest.raises(TypeError, match="numbers are given as a list in their order, and got"):
            draw(table)


EXTREMES = [5e-324, 1e-310, 3e-307, 1e-300, 1e-3, 0.5, 1.0, 30.0, 1e3, 1e12, 1e290, 4e306, 1e307, 1.7e308]
COUNTS = {
    "exponential": 1,
    "negexp": 1,
    "geometric": 1,
    "normal": 2,
    "lognormal": 2,
    "gamma": 2,
    "beta": 2,
    "weibull": 2,
}


def finite_or_refused(draw, parameters):
    """Whether it gives finite numbers; it refuses before it draws."""
    is_slow = draw in ("gamma", "beta") and max(parameters) > 1e3
    for u in (MOST,) if is_slow else (LEAST, 0.3, MOST):
        stream = Given(u)
        try:
            number = getattr(stream, draw)(*parameters)
        except ValueError as error:
            return stream.used == 0 and f"stream 'given': {draw}(" in str(error) and "refused"
        if not isfinite(float(number)):
            return False
    return "finite"


@pytest.mark.parametrize("draw", COUNTS)
def test_a_draw_is_a_finite_number_or_refused_before_it(draw):
    found = Counter(finite_or_refused(draw, parameters) for parameters in product(EXTREMES, repeat=COUNTS[draw]))
    assert set(found) == {"finite", "refused"}
    assert found["finite"] > 0.2 * found.total()
