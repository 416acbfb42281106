"""Tests of hypotheses on means and on the distributions of inputs, by scipy: value, p-value and a sentence.

What they add to scipy: cells of equal probability and degrees of freedom that count fitted parameters (chi-square), and
p-values that allow for these (Kolmogorov and Smirnov).

Source: Pannek, Simulation of mechatronic systems, remark 2.18; Law 2015, 6.6
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, nan
from typing import TYPE_CHECKING, Any, Final, Protocol, SupportsFloat, TypeAlias

import numpy as np

from eventide.errors import check_boolean
from eventide.statistics.intervals import checked, is_whole

if TYPE_CHECKING:
    import numpy.typing as npt

EXPECTED: Final = 5
"""Values that a cell is to expect at least."""
SAMPLES: Final = 999
"""Of a distribution with fitted parameters, that tell how far off one of its own samples is."""


@dataclass(frozen=True)
class HypothesisTest:
    """What a test of a hypothesis found.

    statistic       the value of the test
    p_value         the probability of a value as far off or farther, if the hypothesis is true: small ones are evidence
                    against it; large ones are none for it
    freedom         degrees of freedom; nan for a test without
    sentence        the same in words
    """

    statistic: float
    p_value: float
    freedom: float
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def t_test(
    values: npt.ArrayLike, other: npt.ArrayLike | None = None, *, mean: float = 0.0, is_paired: bool = True
) -> HypothesisTest:
    """Student's test of a mean, or of the difference of two.

    values      independent, as replications are
    other       None: the hypothesis is that the true mean of the values is `mean`; else that it is above that of these
                by `mean`
    is_paired   whether the two belong together in pairs, as under common random numbers; False: by Welch
    Raises      ValueError for fewer than two values, unequal numbers in pairs, or values that are not finite
    """
    from scipy import stats

    check_boolean(is_paired, "t_test(is_paired=)")
    first = checked(values, 0.5)
    second = None if other is None else checked(other, 0.5)
    fewest = min(len(first), len(first) if second is None else len(second))
    if fewest < 2 or (second is not None and is_paired and len(first) != len(second)):
        raise ValueError(
            f"t_test(...) takes two values or more, and in pairs as many of both: got {len(first)}"
            + ("" if second is None else f" and {len(second)}")
        )
    spread = (
        np.ptp(first) if second is None else np.ptp(first - second) if is_paired else np.ptp(first) + np.ptp(second)
    )
    if spread == 0.0:
        raise ValueError(
            "t_test(...): the values do not vary, so that chance explains nothing: compare them as they are"
        )
    if second is None or is_paired:
        differences = first if second is None else first - second
        what = "the true mean" if second is None else "the mean difference of pairs"
        found: _Found = stats.ttest_1samp(differences, mean)
        estimate, freedom = float(differences.mean()), len(first) - 1.0
    else:
        what, found = "the difference of the means", stats.ttest_ind(first - mean, second, equal_var=False)
        estimate, freedom = float(first.mean() - second.mean()), float(found.df)
    p_value = float(found.pvalue)
    return HypothesisTest(
        float(found.statistic), p_value, freedom,
        f"If {what} were {mean:.6g}, an estimate as far off as {estimate:.6g} or farther would come with probability "
        f"{p_value:.2g}.",
    )  # fmt: skip


class _Found(Protocol):
    """What a test of scipy has found."""

    @property
    def statistic(self) -> SupportsFloat: ...

    @property
    def pvalue(self) -> SupportsFloat: ...


Distribution: TypeAlias = Any
"""One of `scipy.stats`, with its parameters or a family: scipy tells no type that both have."""


def kolmogorov_smirnov(
    values: npt.ArrayLike, distribution: Distribution, known: Mapping[str, float] | None = None
) -> HypothesisTest:
    """The test of Kolmogorov and Smirnov of a continuous distribution: the largest distance of distribution functions.

    distribution    one with its parameters, as `scipy.stats.expon(scale=2.0)`; or a family, as `scipy.stats.expon`,
                    whose parameters are fitted: the p-value is then from samples, always the same, as those of tables
                    would be far too large
    known           parameters of a family that are not fitted, as {"loc": 0.0}
    Raises          ValueError for what is no distribution, fewer than five values, or values that are not finite
    Source          Lilliefors 1967, JASA 62, for fitted parameters; scipy.stats.goodness_of_fit
    """
    from scipy import stats

    numbers = _sample(values, distribution, known)
    is_discrete = isinstance(getattr(distribution, "dist", None), stats.rv_discrete)
    if is_discrete:
        raise ValueError("the test of Kolmogorov and Smirnov is of continuous distributions: use chi_square")
    if hasattr(distribution, "fit"):
        found: _Found = stats.goodness_of_fit(
            distribution, numbers, known_params=dict(known or {}), statistic="ks", n_mc_samples=SAMPLES,
            rng=np.random.default_rng(0),
        )  # fmt: skip
    else:
        found = stats.kstest(numbers, distribution.cdf)
    distance, p_value = float(found.statistic), float(found.pvalue)
    return HypothesisTest(
        distance, p_value, nan,
        f"If the values came from {_name(distribution)}, their distribution function would be {distance:.2g} off or "
        f"more with probability {p_value:.2g}.",
    )  # fmt: skip


def chi_square(
    values: npt.ArrayLike,
    distribution: Distribution,
    known: Mapping[str, float] | None = None,
    *,
    cells: int | None = None,
) -> HypothesisTest:
    """The chi-square test of a distribution, continuous or discrete, by cells that are equally probable.

    distribution, known     as for `kolmogorov_smirnov`; each fitted parameter takes a degree of freedom
    cells       how many; None: as many as the power of the test is best with, of at least five expected values each; of
                a discrete distribution there may be fewer
    Raises      ValueError as `kolmogorov_smirnov`, and for too few values or cells
    Source      Mann & Wald 1942; Moore 1986, in D'Agostino & Stephens, Goodness-of-fit techniques: 2 n^(2/5) cells
    """
    from scipy import stats

    numbers = _sample(values, distribution, known)
    fitted, count = 0, len(numbers)
    frozen = distribution
    if hasattr(distribution, "fit"):
        parameters = distribution.fit(numbers, **{f"f{name}": value for name, value in (known or {}).items()})
        fitted, frozen = len(parameters) - len(known or {}), distribution(*parameters)
    wanted = min(ceil(2.0 * count**0.4), count // EXPECTED) if cells is None else cells
    if not is_whole(wanted, 1):
        raise ValueError(f"chi_square(...) takes cells= as a whole number, and got {cells!r}")
    edges = np.unique(frozen.ppf(np.arange(1, max(wanted, 1)) / max(wanted, 1)))
    edges = edges[frozen.cdf(edges) < 1.0]
    freedom = len(edges) - fitted
    if freedom < 1:
        raise ValueError(
            f"chi_square(...) with {count} values has {len(edges) + 1} cells and {fitted} fitted parameters: it takes "
            "two cells more than parameters, and five values for each"
        )
    expected = count * np.diff(frozen.cdf(edges), prepend=0.0, append=1.0)
    observed = np.bincount(np.searchsorted(edges, numbers, side="left"), minlength=len(expected))
    statistic = float(((observed - expected) ** 2 / expected).sum())
    p_value = float(stats.chi2(freedom).sf(statistic))
    return HypothesisTest(
        statistic, p_value, float(freedom),
        f"If the values came from {_name(distribution)}, the numbers in {len(expected)} cells would differ from those "
        f"expected as much or more with probability {p_value:.2g}.",
    )  # fmt: skip


def _sample(
    values: npt.ArrayLike, distribution: Distribution, known: Mapping[str, float] | None
) -> npt.NDArray[np.float64]:
    numbers = checked(values, 0.5)
    if not (hasattr(distribution, "cdf") and hasattr(distribution, "ppf")):
        raise ValueError(
            f"the distribution is one of scipy, as scipy.stats.expon or scipy.stats.expon(scale=2.0), and got "
            f"{distribution!r}"
        )
    from scipy import stats

    is_discrete_family, is_named = isinstance(distribution, stats.rv_discrete), isinstance(known or {}, Mapping)
    if is_discrete_family:
        raise ValueError(
            f"a discrete family is not fitted: give {distribution.name} its parameters, as scipy.stats.poisson(2.0)"
        )
    if not is_named:
        raise ValueError(f'known= takes parameters by name, as {{"loc": 0.0}}, and got {known!r}')
    if known and not hasattr(distribution, "fit"):
        raise ValueError("known= belongs to a family whose other parameters are fitted; this one has its parameters")
    if len(numbers) < EXPECTED:
        raise ValueError(f"a distribution is tested with {EXPECTED} values at least, and got {len(numbers)}")
    return numbers


def _name(distribution: Distribution) -> str:
    """What a sentence calls a distribution."""
    if hasattr(distribution, "fit"):
        return f"{distribution.name} with fitted parameters"
    return str(getattr(getattr(distribution, "dist", None), "name", "the distribution"))
