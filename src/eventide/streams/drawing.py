"""SIMULA's random drawing procedures, under names of Python."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from math import log1p
from numbers import Rational
from operator import index

from eventide.declare.showing import public_dir
from eventide.errors import to_float
from eventide.statistics.quantiles import normal_quantile, poisson_quantile
from eventide.streams.weights import LARGEST, broken_line, in_their_order, rising_chances, summed_weights

WIDEST = 2**52
"""The number of integers that a uniform distinguishes."""

LARGEST_POISSON = 1e9

FARTHEST = 37.0
"""No number of an exponential distribution of mean 1 is larger, as none is drawn from a uniform above 1 - 2**-53."""

LARGEST_MEAN = LARGEST / FARTHEST
SMALLEST_RATE = FARTHEST / LARGEST
LARGEST_NORMAL = LARGEST / 16.0
"""A mean and a standard deviation up to this give finite numbers: none is further than 8.3 deviations from the mean."""


class Drawing:
    """Draws by inversion from one uniform each; abstract, see Stream.

    Every number rises with its uniform, so that streams with equal uniforms give
    variates that move together, and antithetic ones against each other.

    Source  SIMULA Standard (SS 63 61 14), section 9.9, Random drawing
    """

    __slots__ = ()
    __dir__ = public_dir

    random: Callable[[], float]
    """Next uniform number of the stream, in the open interval (0, 1)."""

    name: str
    """The name of the stream."""

    def draw(self, p: float) -> bool:
        """True with probability `p`, else False.

        Raises  ValueError for p outside 0..1
        """
        if 0.0 <= p <= 1.0:
            return self.random() > 1.0 - p
        raise self._refused("draw", {"p": p}, "p is a probability from 0 to 1")

    def randint(self, a: int, b: int) -> int:
        """One of the integers a, a+1, ..., b, all equally probable.

        Raises  ValueError when b < a, or there are more than 2**52 of them;
                TypeError when one is no integer
        """
        try:
            span = b - a
        except OverflowError:  # a whole number and a float
            return self._randint(a, b)
        if span.__class__ is int and 0 <= span < WIDEST:
            return a + int(self.random() * (span + 1))
        return self._randint(a, b)

    def _randint(self, a: int, b: int) -> int:
        """The way of other integer types, such as numpy's, and of errors."""
        try:
            low, high = index(a), index(b)
        except TypeError:
            raise TypeError(
                f"stream {self.name!r}: randint(a={a!r}, b={b!r}): both limits are"
                " integers; for real numbers there is uniform()"
            ) from None
        if 0 <= high - low < WIDEST:
            return self.randint(low, high)
        raise self._refused(
            "randint",
            {"a": a, "b": b},
            "a is at most b, and they enclose at most 2**52 integers",
        )

    def uniform(self, a: float, b: float) -> float:
        """A real number between `a` and `b`, all equally probable.

        Raises  ValueError unless a <= b and b - a are finite
        """
        if -LARGEST <= a <= b <= LARGEST and b - a <= LARGEST:
            return a + (b - a) * self.random()
        raise self._refused("uniform", {"a": a, "b": b}, "a is at most b, and both and their difference are finite")

    def normal(self, mean: float, stdev: float) -> float:
        """A normally distributed number.

        Raises  ValueError unless stdev >= 0, and both so small that all numbers are finite: up to 1.1e307
        Source  inversion by Wichura 1988, Appl. Stat. 37, AS 241
        """
        if -LARGEST_NORMAL <= mean <= LARGEST_NORMAL and 0.0 <= stdev <= LARGEST_NORMAL:
            return mean + stdev * normal_quantile(self.random())
        raise self._refused(
            "normal",
            {"mean": mean, "stdev": stdev},
            "the mean is from -1.1e307 to 1.1e307, and the standard deviation from 0 to 1.1e307",
        )

    def negexp(self, rate: float) -> float:
        """An exponentially distributed number of mean 1/rate; see `exponential`.

        Raises  ValueError unless 2.1e-307 <= rate < infinity: the numbers of lower ones would not all be finite
        """
        if SMALLEST_RATE <= rate <= LARGEST:
            return -log1p(-self.random()) / rate
        raise self._refused(
            "negexp",
            {"rate": rate},
            "the rate, 1/mean, is finite and at least 2.1e-307",
        )

    def poisson(self, mean: float) -> int:
        """A Poisson distributed count.

        One uniform, by inversion; SIMULA multiplies as many as it needs, and takes a
        rounded normal number for means above 20.

        Raises  ValueError unless 0 <= mean <= 1e9
        Cost    see eventide.statistics.quantiles.poisson_quantile
        """
        if 0.0 <= mean <= LARGEST_POISSON:
            return poisson_quantile(mean, self.random())
        raise self._refused(
            "poisson",
            {"mean": mean},
            "the mean lies from 0 to 1e9; above that, round normal(mean, sqrt(mean))",
        )

    def erlang(self, mean: float, k: int) -> float:
        """The sum of `k` exponential stages that have the given mean together.

        It always takes `k` uniforms. SIMULA's Erlang(a, b) is this with mean
        1/a and k = b; for a b that is no integer, SIMULA too departs from the gamma
        distribution: use gamma(shape=b, scale=1/(a*b)).

        Raises  ValueError unless 0 < mean <= 4.8e306 and k is an integer >= 1
        """
        if not (0.0 < mean <= LARGEST_MEAN and 1 <= k <= LARGEST and k == int(k)):
            raise self._refused(
                "erlang",
                {"mean": mean, "k": k},
                "the mean is above 0 and up to 4.8e306, k is an integer from 1 on; for others there is gamma()",
            )
        stages = 0.0
        for _ in range(int(k)):
            stages -= log1p(-self.random())
        return stages * (mean / k)

    def discrete(self, cumulative: Iterable[float]) -> int:
        """The first index whose cumulative probability exceeds a uniform number.

        cumulative  probabilities of 0, of 0 or 1, of 0, 1 or 2, ...: rising. The last
                    one, 1, may be left out; so index len(cumulative) can come
        Raises      ValueError when they fall or lie outside 0..1
        """
        table = rising_chances(in_their_order(cumulative))
        return bisect_right(table, self.random())

    def linear(self, cumulative: Iterable[float], values: Iterable[float]) -> float:
        """A number whose distribution function is a line through the given corners.

        cumulative  P(X <= value) for each of the values, rising from 0 to 1
        values      rising strictly
        Raises      ValueError when one of that is not so
        """
        chances, corners = broken_line(in_their_order(cumulative), in_their_order(values))
        u = self.random()
        k = bisect_right(chances, u)
        share = (u - chances[k - 1]) / (chances[k] - chances[k - 1])
        return corners[k - 1] + share * (corners[k] - corners[k - 1])

    def histd(self, weights: Iterable[float]) -> int:
        """An index with probability proportional to its weight.

        `values[stream.histd(weights)]` is a choice with weights.

        Raises  ValueError when a weight is negative or not finite, or all are 0
        """
        sums = summed_weights(in_their_order(weights))
        # The product stays below the sum when it is rounded, as 1 - u is at least 2**-53.
        return bisect_right(sums, self.random() * sums[-1])

    def _refused(self, call: str, given: Mapping[str, object], allowed: str) -> ValueError:
        """The error of a call; raises InputError where a number beyond the largest float was given."""
        for name, value in given.items():
            if isinstance(value, Rational):
                to_float(value, f"stream {self.name!r}: {call}({name}=...)")
        text = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return ValueError(f"stream {self.name!r}: {f'{call}({text})' if given else call}: {allowed}")
