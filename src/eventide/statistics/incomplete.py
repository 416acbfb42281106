"""Incomplete gamma and beta functions, as logarithms of both tails.

Scalar arithmetic of `math` only: a compiled twin gives the same bits, and a discrete model needs no scipy. The number
of terms grows as the root of the parameters, the relative error with the parameters (about 1e-14 of the greater one),
as logarithms of the gamma function cancel.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import exp, lgamma, log, log1p

TINY = 1e-300
CLOSE = 2.0**-53


def log_gamma_tails(shape: float, x: float) -> tuple[float, float]:
    """Logarithms of P(shape, x) and Q(shape, x) = 1 - P.

    shape   > 0
    x       > 0
    Source  DLMF 8.11.4 (series, below shape + 1) and 8.9.2 (fraction, above)
    """
    front = shape * log(x) - x - lgamma(shape)
    if x < shape + 1.0:
        lower = front + log(_gamma_series(shape, x))
        return lower, _log_rest(lower)
    upper = front - log(_fraction(x + 1.0 - shape, _gamma_terms(shape, x)))
    return _log_rest(upper), upper


def log_beta_tail(a: float, b: float, x: float, y: float) -> float:
    """Logarithm of the regularised incomplete beta function I_x(a, b).

    a, b    > 0
    x, y    > 0 with x + y = 1; both are needed, as one may be tiny
    Source  DLMF 8.17.22, and I_x(a, b) = 1 - I_y(b, a) beyond (a + 1) / (a + b + 2)
    """
    front = a * log(x) + b * log(y) - log_beta(a, b)
    if x < (a + 1.0) / (a + b + 2.0):
        return front - log(a * _fraction(1.0, _beta_terms(a, b, x)))
    return _log_rest(front - log(b * _fraction(1.0, _beta_terms(b, a, y))))


def log_beta(a: float, b: float) -> float:
    """Logarithm of the beta function B(a, b)."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _log_rest(part: float) -> float:
    """log(1 - exp(part)); one unit of rounding where nothing is left."""
    return log1p(-min(exp(part), 1.0 - CLOSE))


def _gamma_series(shape: float, x: float) -> float:
    """Sum of x^n / (shape (shape+1) .. (shape+n)) over n = 0, 1, ..."""
    term = total = 1.0 / shape
    divisor = shape
    while term > total * CLOSE:
        divisor += 1.0
        term *= x / divisor
        total += term
    return total


def _gamma_terms(shape: float, x: float) -> Iterator[tuple[float, float]]:
    for n in count(1):
        yield n * (shape - n), x + 2.0 * n + 1.0 - shape


def _beta_terms(a: float, b: float, x: float) -> Iterator[tuple[float, float]]:
    yield -(a + b) * x / (a + 1.0), 1.0
    for n in count(1):
        here = a + 2.0 * n
        yield n * (b - n) * x / ((here - 1.0) * here), 1.0
        yield -(a + n) * (a + b + n) * x / (here * (here + 1.0)), 1.0


def _fraction(first: float, terms: Iterator[tuple[float, float]]) -> float:
    """Value of first + a1/(b1 + a2/(b2 + ...)) for terms (a1, b1), (a2, b2), ...

    Source  Thompson & Barnett 1986, J. Comput. Phys. 64 (modified Lentz)
    """
    value = numerator = first or TINY
    denominator = 0.0
    for a, b in terms:
        denominator = 1.0 / (b + a * denominator or TINY)
        numerator = b + a / numerator or TINY
        factor = numerator * denominator
        value *= factor
        if abs(factor - 1.0) <= 2.0 * CLOSE:
            break
    return value
