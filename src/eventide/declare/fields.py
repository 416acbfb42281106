"""Fields of a component: the annotations of its class, and the functions that give defaults."""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Role = Literal["state", "computed", "sum", "vector", "computed vector", "field"]


@dataclass(frozen=True)
class Marker:
    """The sign by which an annotation is known to mean a state, a computed value or a sum."""

    role: Role


State: TypeAlias = Annotated[float, Marker("state")]
"""A continuous variable: its rate is written in `equations`, its value is integrated."""

Computed: TypeAlias = Annotated[float, Marker("computed")]
"""A value that `equations` sets at every evaluation; read, recorded and waited on like a state."""

Summed: TypeAlias = Annotated[float, Marker("sum")]
"""A value set to zero before every evaluation, to which any `contributions` may add."""

StateVector: TypeAlias = Annotated["npt.NDArray[np.float64]", Marker("vector")]
"""Many states under one name: an array whose rates are written in `equations`, item by item or by slices."""

ComputedVector: TypeAlias = Annotated["npt.NDArray[np.float64]", Marker("computed vector")]
"""Many computed values under one name, set by `equations` at every evaluation."""


class _Missing:
    """The mark of a missing default; there is one such object in every process."""

    def __reduce__(self) -> str:
        return "MISSING"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a number of a component stands: what its getter has by the name `kept`.

    block       the attribute of the object with the first slot of the block
    offset      its place in the block
    kind        of a parameter what makes its value of a float: "int", "bool", or "" for a float
    """

    role: Role
    block: str
    offset: int
    kind: str


@dataclass(frozen=True)
class Field:
    """One declared datum of a component: its role, default, unit and meaning.

    size        of a vector: how many numbers it has, or the name of the whole-number field that holds it
    assigned    of a state: whether laws assign it, as a difference equation
    """

    role: Role
    default: Any = MISSING
    factory: Callable[[], object] | None = None
    unit: str = ""
    description: str = ""
    abs_error: float | None = None
    rel_error: float | None = None
    name: str = ""
    annotation: object = None
    size: int | str = 0
    assigned: bool = False

    @property
    def is_required(self) -> bool:
        """Whether a value must be given when the component is made."""
        return self.is_argument and self.default is MISSING and self.factory is None

    @property
    def is_argument(self) -> bool:
        """Whether the component's constructor takes a value for it."""
        return self.role in ("state", "vector", "field")


Declared: TypeAlias = Any
"""What a class assigns to the name of a field: to a type checker it has the type of the annotation."""


def state(
    default: object = MISSING,
    *,
    unit: str = "",
    description: str = "",
    abs_error: float | None = None,
    rel_error: float | None = None,
    assigned: bool = False,
) -> Declared:
    """Declare a `State` with its initial value, unit and, if they differ from the run's, its tolerances.

    assigned    it is a difference equation: laws assign it, as `self.x = self.last.x + self.sim.dt * self.inflow`
    """
    return Field("state", default, None, unit, description, abs_error, rel_error, assigned=assigned)


def computed(*, unit: str = "", description: str = "", init: Literal[False] = False) -> Declared:
    """Declare a `Computed`: a value that `equations` sets at every evaluation."""
    return Field("computed", 0.0, None, unit, description)


def state_vector(
    default: object = 0.0,
    *,
    size: int | str | None = None,
    unit: str = "",
    description: str = "",
    abs_error: float | None = None,
    rel_error: float | None = None,
    assigned: bool = False,
) -> Declared:
    """Declare a `StateVector`: `size` states under one name.

    default     the initial value of all of them, or a sequence of values
    size        a number, or the name of an `int` field of the class, which is fixed when an object is made; may be left
                out where `default` is a sequence
    assigned    as of a `state`

    Raises TypeError if the size is told by neither.
    """
    if size is None:
        if isinstance(default, str) or not isinstance(default, Sized):
            raise TypeError(
                f"state_vector takes a sequence of values, or size=, and got {default!r} alone: write "
                "`ev.state_vector(0.0, size=10)`, or the name of a whole-number field as the size"
            )
        size = len(default)
    return Field("vector", default, None, unit, description, abs_error, rel_error, size=size, assigned=assigned)


def computed_vector(
    *, size: int | str, unit: str = "", description: str = "", init: Literal[False] = False
) -> Declared:
    """Declare a `ComputedVector`: `size` values, which `equations` sets at every evaluation."""
    return Field("computed vector", 0.0, None, unit, description, size=size)


def summed(*, unit: str = "", description: str = "", init: Literal[False] = False) -> Declared:
    """Declare a `Summed`: zero before every evaluation, then whatever `contributions` add."""
    return Field("sum", 0.0, None, unit, description)


def field(
    *,
    default: object = MISSING,
    default_factory: Callable[[], object] | None = None,
    unit: str = "",
    description: str = "",
    kw_only: bool = True,
) -> Declared:
    """Declare a plain field (a parameter or a reference) that has a unit, a meaning or a factory."""
    return Field("field", default, default_factory, unit, description)
