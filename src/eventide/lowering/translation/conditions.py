"""Conditions: they only read; where one reads what laws set, it is followed into the law, to learn how that moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, ClassVar, Final

from eventide.continuous import Continuous
from eventide.enclosures.guard_expressions import GuardExpression, may_rest
from eventide.engine.codes import CHECKED
from eventide.lowering.names.found import Found, Place
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.translation.context import Context, Frame
from eventide.lowering.translation.dialect import Dialect
from eventide.lowering.translation.returns import write_body
from eventide.lowering.translation.scope import MARK, PATH_CONDITION, UNCONDITIONAL, Scope
from eventide.lowering.translation.values import Boolean, Function, Item, Number, Path, Ref, Vector
from eventide.native.ir import ZERO, Block, Instruction

if TYPE_CHECKING:
    import ast

    from eventide.lowering.kernels.lowered import Row
    from eventide.lowering.translation.vectors import Operand

READ_IN_LAWS: Final = ("computed", "rate")
LONGEST_LAW: Final = 4000
"""A law of more instructions is not looked into."""


class ConditionDialect(Dialect):
    """How conditions are lowered.

    Where one reads what the equations of an object set, they are followed on the spot, without writing anything: so it
    is known how that moves. The value itself is what the law has set; the stepper compares it with what was followed,
    as another law may set it as well, or later.
    """

    kinds: ClassVar[tuple[str, ...]] = ("condition", "")
    is_guided: ClassVar[bool] = True
    overflows: ClassVar[bool] = True

    def __init__(self) -> None:
        self._followed: list[Path] = []
        self.equalities: dict[tuple[str, int, str], tuple[tuple[int, int], ...]] = {}
        self._lost: set[str] = set()  # asked for membership only
        self._known: dict[Path, tuple[Block, int, Instruction, dict[str, Item]]] = {}

    def read(self, context: Context, found: Found) -> Item:
        """What has been found, read."""
        if not isinstance(found, Place) or found.row not in READ_IN_LAWS:
            return super().read(context, found)
        name = _name_of(found)
        if self._followed and name in context.scope.bindings:
            return context.scope.bindings[name]
        number = super().read(context, found)
        if not isinstance(number, Number) or found.owner.element is not None or found.owner.path in self._followed:
            return number
        source = self._set_in(context, found.owner).get(name)
        if not isinstance(source, Number) or number.kind != "float":
            return number
        form = context.arithmetic.form(source)
        apart = (context.arithmetic.wire(source) - context.arithmetic.wire(number)).text
        # Another law might set it as well: it counts as moving even if this one sets it to what stands still.
        return replace(number, slope=source.slope or ZERO, form=form and GuardExpression(CHECKED, (form,), still=apart))

    def note_equality(self, context: Context, node: ast.Compare, one: Number, other: Number) -> None:
        """Keep a comparison by == or != of what moves with the states of which it is made.

        What may stand still for a while although its states move has a step, an extreme or a choice in it.
        """
        if self._followed:
            return
        states: dict[tuple[int, int], None] = {}
        forms = [context.arithmetic.form(side) for side in (one, other)]
        if "float" in (one.kind, other.kind) and all(form and not may_rest(form, states) for form in forms):
            file = context.frame.definition.file
            self.equalities[file.name, node.lineno, file.excerpt(node)] = tuple(states)

    def _set_in(self, context: Context, owner: Ref) -> dict[str, Item]:
        """What the equations of an object set, by names of our own; nothing if they cannot be followed."""
        function = getattr(type(owner.sample), "equations", None)
        if not isinstance(owner.sample, Continuous) or not isinstance(function, FunctionType):
            return {}
        known = self._known_here(context, owner.path)
        if known is not None:
            return known
        flow, mark, count, depth = context.scope, context.builder.mark(), context.builder.count, len(context.frames)
        unbounded, loops = context.unbounded, context.loops
        self._followed.append(owner.path)
        try:
            context.loops = []
            with context.builder.without_traps():
                found = self._follow_law(context, Function(function, None, owner))
        except (CannotLower, Unlowerable):
            found = {}
        self._followed.pop()
        context.loops = loops
        if not found or context.builder.count - count > LONGEST_LAW or context.unbounded > unbounded:
            del context.frames[depth:]
            context.builder.return_to(mark)
            context.scope, context.unbounded = flow, unbounded
            return {}
        block = context.builder.current
        assert block is not None
        if block.lines:
            self._known[owner.path] = block, len(block.lines), block.lines[-1], found
        return found

    def _known_here(self, context: Context, path: Path) -> dict[str, Item] | None:
        """What has been found before in the same block, if what was written then has not been taken back."""
        if path not in self._known:
            return None
        block, count, last, found = self._known[path]
        stands = block is context.builder.current and len(block.lines) >= count and block.lines[count - 1] is last
        return found if stands else None

    def _follow_law(self, context: Context, function: Function) -> dict[str, Item]:
        definition, outer = context.names.book.definition(function.function), context.scope
        assert function.owner is not None
        itself = function.function.__code__.co_varnames[0]
        context.scope = Scope({itself: function.owner, PATH_CONDITION: UNCONDITIONAL})
        frame = Frame(function, definition, is_entry=False)
        write_body(context, frame)
        merged = context.merger.merge(frame.returns)
        context.scope = outer
        found = merged[0].kept.bindings if merged else {}
        return {name: item for name, item in found.items() if name not in self._lost}

    # --- what a law writes is kept, and not written ---------------------------------------------------------------

    def check_row(self, row: Row, name: str) -> None:
        """A condition sets nothing."""
        raise Unlowerable("a condition only reads")

    def write(self, context: Context, place: Place, item: Number | Boolean) -> None:
        """Keep what a law that is followed sets; in loops that is not known."""
        if not self._followed:
            super().write(context, place, item)
            return
        name = _name_of(place)
        if context.loops or place.owner.element is not None:
            self._lost.add(name)
        context.scope.bindings[name] = context.arithmetic.as_float(item)

    def fill(self, context: Context, target: Vector, item: Operand) -> None:
        """Vectors that a law sets are not looked into."""
        if not self._followed:
            super().fill(context, target, item)

    def set_item(
        self, context: Context, target: Vector, node: ast.expr, compute: Callable[[Number | Boolean], Number | Boolean]
    ) -> None:
        """Nor are their items."""
        if not self._followed:
            super().set_item(context, target, node, compute)


def _name_of(place: Place) -> str:
    return f"{MARK}{place.row} {'.'.join(place.owner.path)} {place.name}"
