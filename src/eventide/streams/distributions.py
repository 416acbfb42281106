"""Distributions of practice, beyond SIMULA's, and drawing from data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableSequence, Sequence
from math import ceil, exp, log, log1p, sqrt
from typing import Final, TypeVar

from eventide.statistics.quantiles import beta_quantile, gamma_quantile, normal_quantile
from eventide.streams.drawing import FARTHEST, LARGEST_MEAN, SMALLEST_RATE, Drawing
from eventide.streams.sources import Empirical, Trace, in_order
from eventide.streams.weights import LARGEST

T = TypeVar("T")
HUGE: Final = 1e150
"""The square of a larger number may be none."""
LARGEST_SHAPE: Final = 1e12
"""Above it a quantile takes seconds, and is none at last."""
FARTHEST_LOG: Final = log(FARTHEST)
LARGEST_LOG: Final = log(LARGEST) - 1.0
LARGEST_LOGNORMAL: Final = 1e293
"""No number of a lognormal distribution is larger than the mean by more than exp(8.3**2 / 2)."""


class Distributions(Drawing):
    """More draws by inversion from one uniform each; abstract, see Stream."""

    __slots__ = ()

    def exponential(self, mean: float) -> float:
        """An exponentially distributed number of the given mean.

        Raises  ValueError unless 0 < mean <= 4.8e306: the numbers of larger ones would not all be finite
        """
        if 0.0 < mean <= LARGEST_MEAN:
            return -mean * log1p(-self.random())
        raise self._refused("exponential", {"mean": mean}, "the mean is above 0 and up to 4.8e306")

    def triangular(self, low: float, mode: float, high: float) -> float:
        """A number between `low` and `high` with a triangular density, highest at mode.

        Raises  ValueError unless low <= mode <= high and (high - low)**2 are finite
        """
        if not (-LARGEST <= low <= mode <= high <= LARGEST and (high - low) * (high - low) <= LARGEST):
            raise self._refused(
                "triangular",
                {"low": low, "mode": mode, "high": high},
                "they and the square of high - low are finite and do not fall: low, then mode, then high",
            )
        u = self.random()
        width = high - low
        if u * width < mode - low:
            return low + sqrt(u * width * (mode - low))
        return high - sqrt((1.0 - u) * width * (high - mode))

    def lognormal(self, mean: float, stdev: float) -> float:
        """A lognormally distributed number.

        mean, stdev  of the number itself; when those of its logarithm are known,
                     take exp(stream.normal(mu, sigma))
        Raises       ValueError unless 0 < mean <= 1e293, so that all numbers are finite, and 0 <= stdev, finite
        """
        if not (0.0 < mean <= LARGEST_LOGNORMAL and 0.0 <= stdev <= LARGEST):
            raise self._refused(
                "lognormal",
                {"mean": mean, "stdev": stdev},
                "mean above 0 and up to 1e293, and standard deviation >= 0, finite, of the number itself",
            )
        spread = stdev / mean
        variance = log1p(spread * spread) if spread < HUGE else 2.0 * (log(stdev) - log(mean))
        z = normal_quantile(self.random())
        return mean * exp(sqrt(variance) * z - 0.5 * variance)

    def gamma(self, shape: float, scale: float) -> float:
        """A gamma distributed number, of mean shape * scale.

        Raises  ValueError unless 0 < shape <= 1e12 and 0 < scale, and all numbers are finite
        Source  inversion, see eventide.statistics.quantiles
        Cost    about 10 us; for many numbers at once use `stream.rng.gamma`
        """
        if 0.0 < shape <= LARGEST_SHAPE and 0.0 < scale <= LARGEST / (2.0 * shape + 100.0):
            return scale * gamma_quantile(shape, self.random())
        raise self._refused(
            "gamma",
            {"shape": shape, "scale": scale},
            "both are greater than 0, the shape is at most 1e12 (above that draw normal(shape * scale, sqrt(shape) * "
            "scale)), and scale * (2 * shape + 100) is finite",
        )

    def beta(self, a: float, b: float) -> float:
        """A beta distributed number from 0 to 1, of mean a / (a + b).

        Raises  ValueError unless both are greater than 0 and at most 1e12
        Source  inversion, see eventide.statistics.quantiles
        Cost    about 20 us; for many numbers at once use `stream.rng.beta`
        """
        if 0.0 < a <= LARGEST_SHAPE and 0.0 < b <= LARGEST_SHAPE:
            return beta_quantile(a, b, self.random())
        raise self._refused("beta", {"a": a, "b": b}, "both are greater than 0 and at most 1e12")

    def weibull(self, shape: float, scale: float) -> float:
        """A Weibull distributed number: P(X > x) = exp(-(x / scale) ** shape).

        Raises  ValueError unless both are greater than 0, and all numbers finite: scale * 37**(1/shape) is
        """
        if 0.0 < shape <= LARGEST and 0.0 < scale <= LARGEST and log(scale) + FARTHEST_LOG / shape <= LARGEST_LOG:
            return scale * exp(log(-log1p(-self.random())) / shape)
        raise self._refused(
            "weibull",
            {"shape": shape, "scale": scale},
            "both are finite and greater than 0, and so is scale * 37**(1/shape), the largest number that may come",
        )

    def geometric(self, p: float) -> int:
        """The number of trials, 1 or more, to the first success, each with chance p.

        Raises  ValueError unless 2.1e-307 <= p <= 1: the numbers of smaller ones would not all be finite
        """
        if SMALLEST_RATE <= p < 1.0:
            return ceil(log1p(-self.random()) / log1p(-p))
        if p == 1.0:
            self.random()
            return 1
        raise self._refused(
            "geometric",
            {"p": p},
            "p is the chance of success in one trial, from 2.1e-307 to 1",
        )

    def choice(self, values: Sequence[T]) -> T:
        """One of the values, all equally probable; called again: a bootstrap.

        Raises  ValueError when there is none
        """
        if len(values):
            return values[int(self.random() * len(values))]
        raise self._refused(f"choice({values!r})", {}, "there must be a value to choose")

    def shuffle(self, values: MutableSequence[T]) -> None:
        """Put the values in random order, in place; n values take n - 1 uniforms.

        Source  Fisher & Yates 1938; Durstenfeld 1964, Comm. ACM 7, algorithm 235
        """
        for last in range(len(values) - 1, 0, -1):
            k = int(self.random() * (last + 1))
            values[last], values[k] = values[k], values[last]

    def sample(self, values: Iterable[T], k: int) -> list[T]:
        """`k` of the values in random order, none twice; it takes `k` uniforms.

        Raises  ValueError unless 0 <= k <= number of values; TypeError for a set,
                whose order is not the same in every process
        """
        pool = list(in_order(values, self.name, "sample()"))
        if not 0 <= k <= len(pool):
            raise self._refused(
                f"sample({len(pool)} values, k={k!r})",
                {},
                "k is from 0 to the number of values; choice() takes one repeatedly",
            )
        for first in range(k):
            other = first + int(self.random() * (len(pool) - first))
            pool[first], pool[other] = pool[other], pool[first]
        return pool[:k]

    def empirical(self, data: Iterable[float]) -> Callable[[], float]:
        """A source of numbers distributed as the data, with lines between them.

        `service = stream.empirical(times)`, then `service()` for each number: one
        uniform of this stream, read from the sorted data as a quantile of type 7. It
        never leaves the range of the data. For the data themselves take `choice`.

        Raises  ValueError unless there are at least two numbers, all finite
        """
        return Empirical(self.name, data, self.random)

    def trace(self, values: Iterable[T], *, cycle: bool = False) -> Trace[T]:
        """A source of the given values in their order; it uses no random numbers.

        `gap = stream.trace(recorded)`, then `gap()` for each; `for g in gap:` ends
        with the values. With `cycle` they begin again after the last.

        Raises  ValueError when there is no value; TypeError for a set; `gap()` raises
                LookupError when no value is left
        """
        return Trace(self.name, values, cycle)
