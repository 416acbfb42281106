"""What is particular to a kind of code. The plain dialect is that of laws and of functions that return a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from eventide.lowering.names.found import ClosureNumber, ModePlace, PassedNumber, Place, PropertyRead
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation import assignment
from eventide.lowering.translation.values import Token

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from eventide.lowering.kernels.lowered import Row
    from eventide.lowering.names.found import Found
    from eventide.lowering.translation.context import Context
    from eventide.lowering.translation.values import Boolean, Function, Item, Number, Vector
    from eventide.lowering.translation.vectors import Operand


class Dialect:
    """How laws are lowered.

    kinds       whose rules hold, the most particular first; see `rules.py`
    is_guided   whether guides and slopes are wanted
    overflows   whether it is noted at once where a power is too large for Python; else when all else is known
    """

    kinds: ClassVar[tuple[str, ...]] = ("",)
    is_guided: ClassVar[bool] = False
    overflows: ClassVar[bool] = False

    def read(self, context: Context, found: Found) -> Item:
        """What has been found, read."""
        if isinstance(found, Place):
            return context.slots.read(found, context.scope.written)
        if isinstance(found, ClosureNumber):
            return context.slots.const(found)
        if isinstance(found, ModePlace):
            return Token(found.kind, found.path, number=context.slots.read(found.place, context.scope.written).text)
        if isinstance(found, PassedNumber):
            return context.slots.passed(found)
        if isinstance(found, PropertyRead):
            return context.follow(found.function, [], {})
        return found

    def check_value(self, context: Context, item: Item, node: ast.expr) -> None:
        """Raise CannotLower if an expression may not give that."""

    def check_function(self, function: object) -> None:
        """Raise Unlowerable if a function of Python's may not be called."""

    def execute(self, context: Context, node: ast.stmt) -> None:
        """Write a statement."""
        context.execute_by_rule(node)

    def follow(self, context: Context, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """What a call of a function with a body gives."""
        return context.write_out(function, arguments, keywords)

    def note_equality(self, context: Context, node: ast.Compare, one: Number, other: Number) -> None:
        """Two numbers, not of the same text, are compared by == or !=."""

    def check_row(self, row: Row, name: str) -> None:
        """Raise Unlowerable if quantities of a kind may not be set."""
        if row == "parameter":
            raise Unlowerable(f"{name!r} is a parameter, which changes in events only: declare it as ev.Computed")
        if row == "last":
            raise Unlowerable("last states are set by the monitor")

    def write(self, context: Context, place: Place, item: Number | Boolean) -> None:
        """Set a slot."""
        assignment.write(context, place, item)

    def set_mode(self, context: Context, mode: ModePlace, item: Item) -> None:
        """Set a mode."""
        raise Unlowerable(f"{mode.path[-1]!r} is a mode, which changes in events only")

    def fill(self, context: Context, target: Vector, item: Operand) -> None:
        """Set all numbers of a vector."""
        assignment.fill(context, target, item)

    def set_item(
        self,
        context: Context,
        target: Vector,
        node: ast.expr,
        compute: Callable[[Number | Boolean], Number | Boolean],
    ) -> None:
        """Set one item of a vector to what is computed from it."""
        assignment.set_item(context, target, node, compute)
