"""Quantiles of the normal, gamma, beta, Student and Poisson distributions.

Each inverts its distribution function by Newton steps on the logarithm of the smaller
tail. In the variable used here (log x, or the logit of x) the densities are
log-concave, so that logarithm is a concave function (Bagnoli & Bergstrom 2005,
Econ. Theory 26, theorems 1 and 3) and the steps converge from any start.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from math import copysign, exp, floor, lgamma, log, log1p, sqrt

from eventide.statistics.incomplete import log_beta, log_beta_tail, log_gamma_tails

# That of `NormalDist().inv_cdf`, which takes twice as long as it tests what it is given.
inverse_of_normal: Callable[[float, float, float], float] = statistics._normal_dist_inv_cdf  # type: ignore[attr-defined]


def normal_quantile(u: float) -> float:
    """The standard normal quantile of u in (0, 1).

    Source  Wichura 1988, Appl. Stat. 37, AS 241, PPND16: plain arithmetic, about 16 digits
    """
    return inverse_of_normal(u, 0.0, 1.0)


FORWARD_MEAN = 20.0
"""Up to this mean a Poisson quantile is found by adding probabilities from 0 on."""

MAX_STEPS = 200
LARGEST_LOG = 700.0  # exp of more overflows
NEAR = 1e-6  # of the logarithm of a tail: by this part of it a quantile that was found is not off

Tail = Callable[[float], tuple[float, float]]


def _solve(tail: Tail, wanted: float, start: float) -> float:
    """The t at which `tail`, giving a concave value and its slope, is `wanted`."""
    t = start
    for _ in range(MAX_STEPS):
        value, slope = tail(t)
        step = (value - wanted) / slope
        t = max(-LARGEST_LOG, min(LARGEST_LOG, t - step))
        if abs(step) <= 1e-9 * max(1.0, abs(t)) or abs(t) == LARGEST_LOG:
            break
    return t


def gamma_quantile(shape: float, u: float) -> float:
    """The x below which a gamma variate of this shape and scale 1 lies with chance u.

    shape   > 0
    u       in (0, 1)
    Source  start: Wilson & Hilferty 1931, PNAS 17; for small shapes DLMF 8.7.1
    Cost    about 10 us, growing as the root of the shape
    """
    upper = u > 0.5
    wanted = log(1.0 - u) if upper else log(u)

    def tail(t: float) -> tuple[float, float]:
        x = exp(t)
        lower_log, upper_log = log_gamma_tails(shape, x)
        density = shape * t - x - lgamma(shape)
        if upper:
            return upper_log, -exp(density - upper_log)
        return lower_log, exp(density - lower_log)

    # By its first term alone P would reach u here, which is a lower bound.
    small = (log(u) + lgamma(shape + 1.0)) / shape
    if small < -LARGEST_LOG:
        return 0.0
    root = 1.0 - 1.0 / (9.0 * shape) + normal_quantile(u) / (3.0 * sqrt(shape))
    start = log(shape) + 3.0 * log(root) if root > 0.3 else small
    t = _solve(tail, wanted, start)
    if upper and shape < 1.0 and not abs(tail(t)[0] - wanted) <= NEAR * abs(wanted):
        # The start was on the left, and a step led so far to the right that rounding leaves nothing of the slope there.
        # From this bound, DLMF 8.10.1, the steps come down to the quantile.
        t = _solve(tail, wanted, log(max(1.0, -wanted - lgamma(shape))))
    return exp(t)


def beta_logit(a: float, b: float, u: float) -> float:
    """The logit log(x / (1 - x)) of the u-quantile x of a beta distribution.

    a, b    > 0
    u       in (0, 1)
    Cost    about 20 us, growing as the root of the greater parameter
    """
    if u > 0.5:
        return -beta_logit(b, a, 1.0 - u)
    constant = log_beta(a, b)

    def tail(t: float) -> tuple[float, float]:
        x, y = _logistic(t), _logistic(-t)
        value = log_beta_tail(a, b, x, y)
        return value, exp(a * log(x) + b * log(y) - constant - value)

    if min(a, b) >= 1.0:
        start = log(a / b) + normal_quantile(u) * sqrt(1.0 / a + 1.0 / b)
    else:
        start = (log(u) + log(a) + constant) / a
    return _solve(tail, log(u), max(-LARGEST_LOG, min(LARGEST_LOG, start)))


def beta_quantile(a: float, b: float, u: float) -> float:
    """The x below which a beta variate lies with chance u; see `beta_logit`."""
    return _logistic(beta_logit(a, b, u))


def _logistic(t: float) -> float:
    return 1.0 / (1.0 + exp(-t)) if t > 0.0 else exp(t) / (1.0 + exp(t))


def student_quantile(freedom: float, u: float) -> float:
    """The u-quantile of Student's t distribution with `freedom` degrees of freedom.

    freedom  > 0
    u        in (0, 1)
    Source   DLMF 8.17: P(|T| > t) = I_x(freedom/2, 1/2), x = freedom/(freedom + t^2)
    """
    if u == 0.5:
        return 0.0
    logit = beta_logit(0.5 * freedom, 0.5, 2.0 * min(u, 1.0 - u))
    return copysign(sqrt(freedom * exp(-logit)), u - 0.5)


def poisson_quantile(mean: float, u: float) -> int:
    """The least k with P(N <= k) >= u for a Poisson variate N.

    mean    >= 0
    u       in (0, 1)
    Source  P(N <= k) = Q(k + 1, mean), DLMF 8.4.10; first guess: Cornish & Fisher 1938
    Cost    0.1 us + 0.05 us * mean up to a mean of 20; above about 20 us, growing as
            the root of the mean
    """
    if mean <= FORWARD_MEAN:
        return _poisson_forward(mean, u)
    z = normal_quantile(u)
    k = max(0, floor(mean + z * sqrt(mean) + (z * z - 1.0) / 6.0))
    if _poisson_covers(mean, k, u):
        while k > 0 and _poisson_covers(mean, k - 1, u):
            k -= 1
        return k
    while not _poisson_covers(mean, k, u):
        k += 1
    return k


def _poisson_forward(mean: float, u: float) -> int:
    k = 0
    term = total = exp(-mean)
    # The sum of all terms may stay a rounding below u: then the terms end the search.
    while total < u and term > 1e-17:
        k += 1
        term *= mean / k
        total += term
    return k


def _poisson_covers(mean: float, k: int, u: float) -> bool:
    """Whether P(N <= k) >= u, decided by the smaller tail."""
    above, below = log_gamma_tails(k + 1.0, mean)
    return above <= log1p(-u) if u > 0.5 else below >= log(u)
