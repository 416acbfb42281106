"""What laws set, read in the law: how a computed value or a rate moves, for conditions that read it."""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous import Continuous
from eventide.engine.codes import CHECKED, CHOICE_OF, GREATEST_OF, LEAST_OF, STATE
from eventide.lowering.control_flow import Frame
from eventide.lowering.dataflow_merge import GATE, OPEN, Flow
from eventide.lowering.name_resolution import Found, Place
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.statements import Statements
from eventide.lowering.values import Form, Function, Item, Number, Path, Ref, Truth, Vector
from eventide.native.ir import ZERO, Block, Instruction

if TYPE_CHECKING:
    import ast

    from eventide.lowering.vectors import Operand

READ_IN_LAWS: Final = ("computed", "rate")
LONGEST_LAW: Final = 4000
"""A law of more instructions is not looked into."""


class Conditions(Statements):
    """Writes the instructions of conditions.

    Where one reads what the equations of an object set, they are followed on the spot, without writing anything: so it
    is known how that moves. The value itself is what the law has set; the stepper compares it with what was followed,
    as another law may set it as well, or later.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._followed: list[Path] = []
        self.equalities: dict[tuple[str, int, str], tuple[tuple[int, int], ...]] = {}
        self._lost: set[str] = set()  # asked for membership only
        self._known: dict[Path, tuple[Block, int, Instruction, dict[str, Item]]] = {}

    def settle(self, found: Found) -> Item:
        """Read what has been found."""
        if not isinstance(found, Place) or found.row not in READ_IN_LAWS:
            return super().settle(found)
        name = _name_of(found)
        if self._followed and name in self.flow.bindings:
            return self.flow.bindings[name]
        number = super().settle(found)
        if not isinstance(number, Number) or found.owner.element is not None or found.owner.path in self._followed:
            return number
        source = self._set_in(found.owner).get(name)
        if not isinstance(source, Number) or number.kind != "float":
            return number
        form = self.arithmetic.form(source)
        apart = (self.arithmetic.wire(source) - self.arithmetic.wire(number)).text
        # Another law might set it as well: it counts as moving even if this one sets it to what stands still.
        return replace(number, slope=source.slope or ZERO, form=form and Form(CHECKED, (form,), still=apart))

    def note_equality(self, node: ast.Compare, one: Number, other: Number) -> None:
        """Keep a comparison by == or != of what moves with the states of which it is made.

        What may stand still for a while although its states move has a step, an extreme or a choice in it.
        """
        if self._followed:
            return
        states: dict[tuple[int, int], None] = {}
        forms = [self.arithmetic.form(side) for side in (one, other)]
        if "float" in (one.kind, other.kind) and all(form is not None and _moves_on(form, states) for form in forms):
            file = self.frame.definition.file
            self.equalities[file.name, node.lineno, file.excerpt(node)] = tuple(states)

    def _set_in(self, owner: Ref) -> dict[str, Item]:
        """What the equations of an object set, by names of our own; nothing if they cannot be followed."""
        function = getattr(type(owner.sample), "equations", None)
        if not isinstance(owner.sample, Continuous) or not isinstance(function, FunctionType):
            return {}
        known = self._known_here(owner.path)
        if known is not None:
            return known
        flow, mark, count, depth = self.flow, self.builder.mark(), self.builder.count, len(self.frames)
        unbounded, loops = self.unbounded, self.loops
        self._followed.append(owner.path)
        try:
            self.loops = []
            with self.builder.without_traps():
                found = self._follow_law(Function(function, None, owner))
        except (CannotLower, Unlowerable):
            found = {}
        self._followed.pop()
        self.loops = loops
        if not found or self.builder.count - count > LONGEST_LAW or self.unbounded > unbounded:
            del self.frames[depth:]
            self.builder.return_to(mark)
            self.flow, self.unbounded = flow, unbounded
            return {}
        block = self.builder.current
        assert block is not None
        if block.lines:
            self._known[owner.path] = block, len(block.lines), block.lines[-1], found
        return found

    def _known_here(self, path: Path) -> dict[str, Item] | None:
        """What has been found before in the same block, if what was written then has not been taken back."""
        if path not in self._known:
            return None
        block, count, last, found = self._known[path]
        stands = block is self.builder.current and len(block.lines) >= count and block.lines[count - 1] is last
        return found if stands else None

    def _follow_law(self, function: Function) -> dict[str, Item]:
        definition, outer = self.outside.book.definition(function.function), self.flow
        assert function.owner is not None
        itself = function.function.__code__.co_varnames[0]
        self.frames.append(Frame(function, definition, is_entry=False))
        self.flow = Flow({itself: function.owner, GATE: OPEN})
        self.execute_body(definition.tree)
        merged = self.merger.merge(self.frames.pop().returns)
        self.flow = outer
        found = merged[0].bindings if merged else {}
        return {name: item for name, item in found.items() if name.startswith(_MARK) and name not in self._lost}

    # --- what a law writes is kept, and not written ---------------------------------------------------------------

    def write(self, place: Place, item: Number | Truth) -> None:
        """Keep what a law that is followed sets; in loops that is not known."""
        if not self._followed:
            super().write(place, item)
            return
        name = _name_of(place)
        if self.loops or place.owner.element is not None:
            self._lost.add(name)
        self.flow.bindings[name] = self.arithmetic.as_float(item)

    def fill(self, target: Vector, item: Operand) -> None:
        """Vectors that a law sets are not looked into."""
        if not self._followed:
            super().fill(target, item)

    def set_item(self, target: Vector, node: Any, compute: Any) -> None:
        """Nor are their items."""
        if not self._followed:
            super().set_item(target, node, compute)


def _moves_on(form: Form, states: dict[tuple[int, int], None]) -> bool:
    """Whether what is so made of states moves whenever one of them does; their places are gathered."""
    if form.code in (LEAST_OF, GREATEST_OF, CHOICE_OF):
        return False
    if form.code == STATE:
        states[form.numbers[0], form.numbers[1]] = None
    return all(_moves_on(part, states) for part in form.parts)


_MARK: Final = "="
"""What the names of quantities among the bindings begin with; no name of a user does."""


def _name_of(place: Place) -> str:
    return f"{_MARK}{place.row} {'.'.join(place.owner.path)} {place.name}"
