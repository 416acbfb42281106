"""What the class of a component says of its data: annotations and the functions that give defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

Role = Literal["state", "computed", "sum", "field"]


@dataclass(frozen=True)
class Marker:
    """The sign by which an annotation is known to mean a state, a computed value or a sum."""

    role: Role


State: TypeAlias = Annotated[float, Marker("state")]
"""A continuous variable: its rate is written in `equations`, its value is integrated."""

Computed: TypeAlias = Annotated[float, Marker("computed")]
"""A value that `equations` sets at every evaluation; read, recorded and waited on like a state."""

Sum: TypeAlias = Annotated[float, Marker("sum")]
"""A value set to zero before every evaluation, to which any `contributions` may add."""

MISSING: Final = object()


@dataclass(frozen=True)
class Field:
    """One declared datum of a component: its role, default, unit and meaning."""

    role: Role
    default: Any = MISSING
    factory: Callable[[], Any] | None = None
    unit: str = ""
    description: str = ""
    abs_error: float | None = None
    rel_error: float | None = None
    name: str = ""
    annotation: Any = None

    @property
    def is_required(self) -> bool:
        """Whether a value must be given when the component is made."""
        return self.role in ("state", "field") and self.default is MISSING and self.factory is None

    @property
    def is_argument(self) -> bool:
        """Whether the component's constructor takes a value for it."""
        return self.role in ("state", "field")


def state(
    default: Any = MISSING,
    *,
    unit: str = "",
    description: str = "",
    abs_error: float | None = None,
    rel_error: float | None = None,
) -> Any:
    """Declare a `State` with its initial value, unit and, if they differ from the run's, its tolerances."""
    return Field("state", default, None, unit, description, abs_error, rel_error)


def computed(*, unit: str = "", description: str = "", init: Literal[False] = False) -> Any:
    """Declare a `Computed`: a value that `equations` sets at every evaluation."""
    return Field("computed", 0.0, None, unit, description)


def sum_(*, unit: str = "", description: str = "", init: Literal[False] = False) -> Any:
    """Declare a `Sum`: zero before every evaluation, then whatever `contributions` add."""
    return Field("sum", 0.0, None, unit, description)


def field(
    *,
    default: Any = MISSING,
    default_factory: Callable[[], Any] | None = None,
    unit: str = "",
    description: str = "",
    kw_only: bool = True,
) -> Any:
    """Declare a plain field (a parameter or a reference) that has a unit, a meaning or a factory."""
    return Field("field", default, default_factory, unit, description)
