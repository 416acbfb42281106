"""The ball that loses a fixed share of its speed at every bounce, in closed form.

It is dropped at rest.  The first fall takes t1 = sqrt(2 h / g); bounce k is followed
by a flight of 2 r^k t1, where r is the share of the speed that a bounce leaves, so
the bounce times are partial sums of a geometric series and have a finite limit.

Source of the parameters: ARGESIM comparison C21, case 1a, and the bouncing ball of
the FMI Reference FMUs.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

DIGITS = 40


@dataclass(frozen=True)
class Ball:
    """A ball dropped at rest: height [m], gravity [m/s2], restitution in (0, 1)."""

    height: Fraction
    gravity: Fraction
    restitution: Fraction

    def first_fall(self) -> Decimal:
        """Duration of the first fall [s]."""
        return _square_root(2 * self.height / self.gravity)

    def bounce_time(self, number: int) -> Decimal:
        """Time of bounce `number` [s]; the first bounce has number 1."""
        r = self.restitution
        falls = 1 + 2 * r * (1 - r ** (_checked(number) - 1)) / (1 - r)
        return _product(falls, self.first_fall())

    def zeno_time(self) -> Decimal:
        """Time at which infinitely many bounces have happened [s]."""
        r = self.restitution
        return _product((1 + r) / (1 - r), self.first_fall())

    def apex_height(self, number: int) -> Fraction:
        """Largest height between bounce `number` and the next one [m], exactly."""
        return self.height * self.restitution ** (2 * _checked(number))

    def apex_time(self, number: int) -> Decimal:
        """Time of the largest height after bounce `number` [s]."""
        half_flight = _product(self.restitution**number, self.first_fall())
        with localcontext(prec=DIGITS):
            return self.bounce_time(number) + half_flight

    def rebound_speed(self, number: int) -> Decimal:
        """Upward speed just after bounce `number` [m/s]."""
        impact = _square_root(2 * self.gravity * self.height)
        return _product(self.restitution ** _checked(number), impact)


C21_BALL = Ball(Fraction(10), Fraction("9.81"), Fraction("0.9"))
FMI_BALL = Ball(Fraction(1), Fraction("9.81"), Fraction("0.7"))


def _checked(number: int) -> int:
    if number < 1:
        raise ValueError(f"bounce {number} asked for; the first bounce has number 1")
    return number


def _square_root(value: Fraction) -> Decimal:
    with localcontext(prec=DIGITS):
        return (Decimal(value.numerator) / value.denominator).sqrt()


def _product(exact: Fraction, rounded: Decimal) -> Decimal:
    with localcontext(prec=DIGITS):
        return rounded * exact.numerator / exact.denominator
