"""Dual numbers: a value with its derivatives in several directions, which go through a model's plain Python code.

Source: Griewank & Walther, Evaluating Derivatives, 2nd ed. (2008), chapter 3: forward mode with vectors of tangents.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from math import copysign, isclose, log
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeGuard, cast

from eventide.declare.units import has_unit, in_unit
from eventide.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Space:
    """The directions of a run's derivatives.

    is_open     whether code runs whose results need derivatives; else a dual number may become a plain float
    comparisons     left minus right side of each comparison that was made and what it gave, while it is a list
    forced      what the next comparisons give, in their order, whatever their sides are
    """

    def __init__(self) -> None:
        self.is_open = True
        self.comparisons: list[tuple[Dual, bool]] | None = None
        self.forced: list[bool] = []


class Dual:
    """A number whose derivatives are known; arithmetic with it gives such numbers.

    tangent     its derivatives, one for each direction
    """

    __slots__ = ("space", "tangent", "value")
    __hash__ = None  # type: ignore[assignment]  # a dictionary would look up the value alone

    def __init__(self, space: Space, value: float, tangent: NDArray[np.float64]) -> None:
        self.space = space
        self.value = value
        self.tangent = tangent

    def of(self, value: float, slope: float) -> Dual:
        """A function of this number: its value, and its derivative with respect to this number."""
        return Dual(self.space, value, slope * self.tangent)

    def measured(self, unit: str) -> DualQuantity:
        """The number with a unit, as an `eventide.Quantity` has one."""
        quantity = DualQuantity(self.space, self.value, self.tangent)
        quantity.unit = unit
        return quantity

    # --- arithmetic -----------------------------------------------------------------------------------------------

    def __add__(self, other: float | Dual) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.space, self.value + other.value, self.tangent + other.tangent)
        return Dual(self.space, self.value + other, self.tangent) if _is_plain(other) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: float | Dual) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.space, self.value - other.value, self.tangent - other.tangent)
        return Dual(self.space, self.value - other, self.tangent) if _is_plain(other) else NotImplemented

    def __rsub__(self, other: float) -> Dual:
        return Dual(self.space, other - self.value, -self.tangent) if _is_plain(other) else NotImplemented

    def __mul__(self, other: float | Dual) -> Dual:
        if isinstance(other, Dual):
            tangent = other.value * self.tangent + self.value * other.tangent
            return Dual(self.space, self.value * other.value, tangent)
        return Dual(self.space, self.value * other, other * self.tangent) if _is_plain(other) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: float | Dual) -> Dual:
        if isinstance(other, Dual):
            value = self.value / other.value
            return Dual(self.space, value, (self.tangent - value * other.tangent) / other.value)
        return Dual(self.space, self.value / other, self.tangent / other) if _is_plain(other) else NotImplemented

    def __rtruediv__(self, other: float) -> Dual:
        if not _is_plain(other):
            return NotImplemented
        value = other / self.value
        return Dual(self.space, value, -value / self.value * self.tangent)

    def __pow__(self, other: float | Dual) -> Dual:
        if isinstance(other, Dual):
            value = self.value**other.value
            slope = other.value * self.value ** (other.value - 1.0)
            # x**y of x = 0 does not change with y where y > 0, and has no derivative elsewhere, which log refuses.
            growth = 0.0 if self.value == 0.0 and other.value > 0.0 else value * log(self.value)
            return Dual(self.space, value, slope * self.tangent + growth * other.tangent)
        if not _is_plain(other):
            return NotImplemented
        if other == 0:
            return self.of(1.0, 0.0)
        return self.of(self.value**other, other * self.value ** (other - 1))

    def __rpow__(self, other: float) -> Dual:
        if not _is_plain(other):
            return NotImplemented
        value = other**self.value
        return self.of(value, value * log(other) if other != 0 else 0.0)

    def __neg__(self) -> Dual:
        return Dual(self.space, -self.value, -self.tangent)

    def __pos__(self) -> Dual:
        return self

    def __abs__(self) -> Dual:
        if self.value == 0.0 and self.tangent.any():
            self._refuse("abs() at 0, where it has no derivative,")
        return self.of(abs(self.value), copysign(1.0, self.value))

    # --- comparisons ----------------------------------------------------------------------------------------------

    def _compare(self, other: object, compare: Callable[[float, float], bool]) -> object:
        if not isinstance(other, Dual) and not _is_plain(other):
            return NotImplemented
        outcome = bool(compare(self.value, other.value if isinstance(other, Dual) else other))
        if self.space.forced:
            outcome = self.space.forced.pop(0)
        if self.space.comparisons is not None:
            self.space.comparisons.append((self - other, outcome))
        return outcome

    def __lt__(self, other: float | Dual) -> object:
        return self._compare(other, operator.lt)

    def __le__(self, other: float | Dual) -> object:
        return self._compare(other, operator.le)

    def __gt__(self, other: float | Dual) -> object:
        return self._compare(other, operator.gt)

    def __ge__(self, other: float | Dual) -> object:
        return self._compare(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._compare(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, operator.ne)

    def __bool__(self) -> bool:
        return self.value != 0.0

    # --- what has no derivative -----------------------------------------------------------------------------------

    def __float__(self) -> float:
        if self.space.is_open:
            asks = sys._getframe(1).f_globals.get("__name__", "")
            self._refuse(_PLAIN_ONLY.get(asks, "code that takes plain floats only"))
        return self.value

    def __int__(self) -> int:
        return int(self._rounded("int()"))

    def __round__(self, digits: int | None = None) -> object:
        return round(self._rounded("round()"), digits)

    def __floor__(self) -> int:
        return int(self._rounded("floor()") // 1)

    def __ceil__(self) -> int:
        return -int(-self._rounded("ceil()") // 1)

    def __trunc__(self) -> int:
        return int(self._rounded("trunc()"))

    def __floordiv__(self, other: float) -> object:
        return self._rounded("//") // other

    def __rfloordiv__(self, other: float) -> object:
        return other // self._rounded("//")

    def __mod__(self, other: float) -> object:
        return self._rounded("%") % other

    def __rmod__(self, other: float) -> object:
        return other % self._rounded("%")

    def __divmod__(self, other: float) -> object:
        return divmod(self._rounded("divmod()"), other)

    def _rounded(self, what: str) -> float:
        if self.space.is_open and self.tangent.any():
            self._refuse(what)
        return self.value

    def _refuse(self, what: str) -> NoReturn:
        raise UndifferentiableError(
            f"variational equations do not go through {what}: it got {self.value!r}, which depends on what is varied; "
            'write it by arithmetic and functions of math, or ask for by="central"'
        )

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.tangent.tolist()!r})"


class DualQuantity(Dual):
    """A dual number that knows its unit: what an `eventide.Quantity` is of a plain one."""

    __slots__ = ("unit",)
    __hash__ = None  # as of any dual number

    unit: str

    @property
    def magnitude(self) -> float:
        """The number alone, for messages."""
        return self.value

    def converted(self, convert: Callable[[float], float] | None) -> Dual:
        """What it is in another unit, by what converts numbers; None: without a unit.

        Raises ModelError where that has no fixed slope, as from decibels
        """
        if convert is None:
            return Dual(self.space, self.value, self.tangent)
        slope = convert(1.0) - convert(0.0)
        if not isclose(convert(3.0) - convert(2.0), slope, rel_tol=1e-9):
            raise ModelError(
                f"the derivatives of {self.value!r} {self.unit} cannot be converted: their scale is not even"
            )
        return self.of(convert(self.value), slope)

    def _beside(self, other: float | Dual) -> float | Dual:
        """Another number, in this unit if it has one."""
        return in_unit(other, self.unit, f"{self.value!r} {self.unit}") if has_unit(other) else other

    def __add__(self, other: float | Dual) -> Dual:
        return super().__add__(self._beside(other))

    def __sub__(self, other: float | Dual) -> Dual:
        return super().__sub__(self._beside(other))

    def _compare(self, other: object, compare: Callable[[float, float], bool]) -> object:
        return super()._compare(self._beside(cast("float", other)) if hasattr(other, "__float__") else other, compare)


Real.register(Dual)


class UndifferentiableError(ModelError):
    """A derivative was asked for where there is none, or none that is known."""


_PLAIN: Final = (int, float)
_PLAIN_ONLY: Final = {
    "eventide.statistics.tally": "a Tally (its mean is a sum divided by a count)",
    "eventide.statistics.level": "the values of a Level",
    "eventide.statistics.histogram": "a Histogram",
}
"""By their modules: statistics that keep plain floats."""


def _is_plain(other: object) -> TypeGuard[float]:
    """Whether it is a number without derivatives; numpy's single numbers are among them."""
    return isinstance(other, _PLAIN) or (isinstance(other, Real) and not isinstance(other, Dual))


def value_of(number: float | Dual) -> float:
    """A number without its derivatives."""
    return number.value if isinstance(number, Dual) else number
