"""The common part of resources, containers and stores: a name, and statistics that can be restarted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final

from eventide.declare import Component, fields_of, make_constructor, mixins_of
from eventide.statistics.restarts import Restart

if TYPE_CHECKING:
    from eventide.declare import Field
    from eventide.simulation import Simulation


def _with_fields(
    written: Callable[..., None], made: Callable[..., None], fields: dict[str, Field]
) -> Callable[..., None]:
    """A constructor that first does what was written, then sets the declared fields as the one made from them."""

    def construct(self: Station, sim: Simulation, *arguments: object, **options: object) -> None:
        given = {field: options.pop(field) for field in fields if field in options}
        written(self, sim, *arguments, **options)
        made(self, sim, **given)

    construct.__name__ = "__init__"
    return construct


KEPT: Final = "eventide keeps it, and `reset_statistics()` restarts it"
"""What to do in place of setting a statistic."""


class Station(Component):
    """Something that processes queue for.

    A subclass takes what its station takes, and the fields that it declares by keyword.
    """

    _is_plain = False
    """Whether all requests were of one kind, so that the first to arrive is the first in line."""
    _written: ClassVar[Callable[..., None]] = Component.__init__
    """The constructor that the nearest class has written out."""

    def __init_subclass__(cls, **options: object) -> None:
        own = cls.__dict__.get("__init__")
        super().__init_subclass__(**options)
        if own is not None:
            cls._written = own

    @classmethod
    def _constructor(cls) -> Callable[..., None]:
        if mixins_of(cls):
            return super()._constructor()
        return _with_fields(cls._written, make_constructor(cls), fields_of(cls))

    def _attach(self, sim: Simulation, name: str) -> None:
        # Once only, though both constructors ask for it. (A look at `__dict__` would make every attribute slower.)
        if not self._number:
            super()._attach(sim, name)

    def reset_statistics(self) -> None:
        """Restart all statistics at the present time; holders and waiting requests stay."""
        raise NotImplementedError

    def _serve(self) -> None:
        """Grant whatever can be granted now, in order."""
        raise NotImplementedError

    def _keep_statistics(self) -> None:
        """Register this station for `sim.reset_statistics()`."""
        self.sim._keep_statistics(Restart(self, "reset_statistics"))
